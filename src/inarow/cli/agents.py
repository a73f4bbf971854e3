"""`inarow agents`."""

import textwrap
from typing import Annotated

from cyclopts import Parameter

from inarow.agents.kind import AgentKind, format_value, parameter_infos
from inarow.agents.levels import LEVELS, level_ratings
from inarow.agents.registry import broken_plugins, registry
from inarow.cli.completers import complete_agents
from inarow.cli.options import Json, UnusedSeed
from inarow.cli.output import number_table, print_json, print_table, stdout
from inarow.errors import InvalidAgentError, unknown

_WIDTH = 79


def agents(
    *names: Annotated[str, Parameter(completer=complete_agents)], json: Json = False, seed: UnusedSeed = 0
) -> None:
    """List the agents with their parameters.

    An agent string is a name, or a name with parameters: name:key=value,key=value. Each parameter is shown with its
    default, its meaning and its range.

    Args:
        names: Names of agents (default: all).

    Examples:
        inarow agents
        inarow agents mcts solver                      # these only
    """
    known = registry()
    for name in names:
        if name not in known:
            raise InvalidAgentError(unknown("agent", name, known))
    kinds = [known[name] for name in names or known]
    broken = {} if names else broken_plugins()
    if json:
        problems: list[dict[str, object]] = [
            {"name": name, "summary": "broken", "parameters": [], "broken": reason} for name, reason in broken.items()
        ]
        print_json([*map(_document, kinds), *problems])
        return
    for kind in kinds:
        _print_kind(kind)
    for name, reason in broken.items():
        _print_item(f"{name}  broken: {reason}", "")
    if any(kind.name == "solver" for kind in kinds):
        _print_levels()


def _print_kind(kind: AgentKind) -> None:
    _print_item(f"{kind.name}  {kind.summary}", "", style="bold")
    infos = parameter_infos(kind)
    shown = {info.name: f"{info.name}={format_value(info.default)}" for info in infos}
    width = max(map(len, shown.values()), default=0)
    for info in infos:
        _print_item(f"{shown[info.name]:{width}}  {info.summary}: {info.expectation}", "  ", width + 2)
    if kind.limits:
        _print_item(f"limits: {', '.join(kind.limits)}", "  ")


def _print_item(text: str, indent: str, hang: int = 2, style: str | None = None) -> None:
    after = indent + " " * hang
    lines = textwrap.wrap(
        text, _WIDTH, initial_indent=indent, subsequent_indent=after, break_on_hyphens=False, break_long_words=False
    )
    for line in lines:
        stdout.print(line, style=style, soft_wrap=True)


def _print_levels() -> None:
    stdout.print()
    table = number_table("level of solver", "Elo", "95 %", "simulations", "temperature")
    for row in level_ratings().levels:
        low, high = row.interval
        level = LEVELS.get(row.level)
        how = (f"{level.simulations:,}", f"{level.temperature:g}") if level else ("perfect", "")
        table.add_row(str(row.level), f"{row.elo:.0f}", f"{low:.0f} to {high:.0f}", *how)
    print_table(table)
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
