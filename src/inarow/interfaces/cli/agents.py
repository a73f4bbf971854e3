"""`inarow agents`."""

from __future__ import annotations

from rich.table import Table

from inarow.agents.registry import AgentKind, format_value, parameter_infos, registry
from inarow.interfaces.cli.options import Json, Seed
from inarow.interfaces.cli.output import print_json, stdout


def agents(*, json: Json = False, seed: Seed = 0) -> None:
    """List the agents with their parameters, defaults and ranges."""
    if json:
        print_json([_document(kind) for kind in registry().values()])
        return
    table = Table("agent", "what it is", "parameters", box=None, pad_edge=False)
    for kind in registry().values():
        lines = [
            f"{info.name}={format_value(info.default)}  {info.summary}: {info.expectation}"
            for info in parameter_infos(kind)
        ]
        table.add_row(kind.name, kind.summary, "\n".join(lines))
    stdout.print(table)


def _document(kind: AgentKind) -> dict[str, object]:
    return {"name": kind.name, "summary": kind.summary, "parameters": parameter_infos(kind)}
