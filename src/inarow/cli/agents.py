"""`inarow agents`."""

from rich.table import Table
from rich.text import Text

from inarow.agents.kind import AgentKind, format_value, parameter_infos
from inarow.agents.levels import LEVELS, level_ratings
from inarow.agents.registry import broken_plugins, registry
from inarow.cli.options import Json, UnusedSeed
from inarow.cli.output import number_table, print_json, stdout


def agents(*, json: Json = False, seed: UnusedSeed = 0) -> None:
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
        if kind.limits:
            lines.append(f"limits: {', '.join(kind.limits)}")
        table.add_row(kind.name, kind.summary, "\n".join(lines))
    for name, reason in broken_plugins().items():
        table.add_row(Text(name), "broken", Text(reason))
    stdout.print(table)
    stdout.print()
    table = number_table("level of solver", "Elo", "95 %", "simulations", "temperature")
    for row in level_ratings().levels:
        low, high = row.interval
        level = LEVELS.get(row.level)
        how = (f"{level.simulations:,}", f"{level.temperature:g}") if level else ("perfect", "")
        table.add_row(str(row.level), f"{row.elo:.0f}", f"{low:.0f} to {high:.0f}", *how)
    stdout.print(table)
    source = level_ratings().source
    stdout.print(f"on {source.board}, {source.games} games per pair; {source.anchor} is 0")


def _document(kind: AgentKind) -> dict[str, object]:
    document: dict[str, object] = {
        "name": kind.name,
        "summary": kind.summary,
        "parameters": parameter_infos(kind),
        "limits": kind.limits,
    }
    if kind.name == "solver":
        document |= {"levels": level_ratings().levels, "levels_source": level_ratings().source}
    return document
