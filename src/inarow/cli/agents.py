"""`inarow agents`."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from inarow.agents.levels import LEVELS, LevelRatings, level_ratings
from inarow.agents.registry import AgentKind, broken_plugins, format_value, parameter_infos, registry
from inarow.cli.options import Json, Seed
from inarow.cli.output import print_json, stdout


def agents(*, json: Json = False, seed: Seed = 0) -> None:
    """List the agents with their parameters, defaults and ranges."""
    if json:
        broken: list[dict[str, object]] = [
            {"name": name, "summary": "broken", "parameters": [], "broken": reason}
            for name, reason in broken_plugins().items()
        ]
        print_json([*(_document(kind) for kind in registry().values()), *broken])
        return
    table = Table("agent", "what it is", "parameters", box=None, pad_edge=False)
    for kind in registry().values():
        lines = [
            f"{info.name}={format_value(info.default)}  {info.summary}: {info.expectation}"
            for info in parameter_infos(kind)
        ]
        table.add_row(kind.name, kind.summary, "\n".join(lines))
    for name, reason in broken_plugins().items():
        table.add_row(Text(name), "broken", Text(reason))
    stdout.print(table)
    stdout.print()
    _print_levels(level_ratings())


def _print_levels(ratings: LevelRatings) -> None:
    table = Table("level of solver", "Elo", "95 %", "simulations", "temperature", box=None, pad_edge=False)
    for column in table.columns:
        column.justify = "right"
    for row in ratings.levels:
        low, high = row.interval
        level = LEVELS.get(row.level)
        how = (f"{level.simulations:,}", f"{level.temperature:g}") if level else ("perfect", "")
        table.add_row(str(row.level), f"{row.elo:.0f}", f"{low:.0f} to {high:.0f}", *how)
    stdout.print(table)
    source = ratings.source
    stdout.print(f"on {source.board}, {source.games} games of each two; {source.anchor} is 0", highlight=False)


def _document(kind: AgentKind) -> dict[str, object]:
    document: dict[str, object] = {"name": kind.name, "summary": kind.summary, "parameters": parameter_infos(kind)}
    if kind.name == "solver":
        document |= {"levels": level_ratings().levels, "levels_source": level_ratings().source}
    return document
