"""The report of paranji-2025, and the study itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from inarow.studies.experiment import VARIANTS
from inarow.studies.paranji_2025 import AGENTS, BOARDS, PAIRINGS, AgentFigures, published
from inarow.studies.paranji_2025.runs import DEPTHS, DETERMINISTIC, DepthTest, ListedTraining, RoundRobin, experiments
from inarow.studies.report import Bar, BarPlot, CurvePlot, Row, Section, Table, agreement_summary, variant_bars
from inarow.studies.results import Results
from inarow.studies.study import Study

_NAMES = {"default": "default", "minimax": "minimax", "alphabeta": "alpha-beta", "q": "Q"}
_GAMES = {"tictactoe": "Tic Tac Toe", "connect4": "Connect Four, depth 3"}


def _sections(results: Results) -> list[Section]:
    """Table 1, the pairings and the pruning figure of each game, and the depth test."""
    return [*(_game_section(board, results) for board in BOARDS), _depth_section(results)]


def _game_section(board: str, results: Results) -> Section:
    table_1, pairings = _table_1(board, results), (_pairing_rates(board, results), _pairing_costs(board, results))
    return Section(
        title=_GAMES[board],
        text=(agreement_summary((table_1, *pairings)),),
        tables=(table_1, _table_1_again(board, results), *pairings, _listed_training_table(board, results)),
        bars=(_pruning_bars(board, results),),
        curves=_training_curves(board, results),
    )


def _table_1(board: str, results: Results) -> Table:
    rows = _agent_rows(board, published().table_1[board], results)
    for agent in ("minimax", "alphabeta"):
        value = getattr(published().pruning[board], agent)
        label = f"{_NAMES[agent]}: nodes a game"
        rows.append(results.row(label, RoundRobin(board), f"{agent}.nodes", published=value, digits=0))
    note = (
        "Wins and draws over all games of an agent; moves and nodes a game over those it began."
        f" Seconds a game, not compared: {_times(board, results)}."
    )
    return Table("Table 1", tuple(rows), note)


def _table_1_again(board: str, results: Results) -> Table:
    numbers = {agent: published().pairings.of_agent(board, agent) for agent in AGENTS}
    note = "Published: worked out from the committed files, which Table 1 does not follow everywhere."
    return Table("Table 1 from the committed files", tuple(_agent_rows(board, numbers, results)), note)


def _agent_rows(board: str, numbers: Mapping[str, AgentFigures], results: Results) -> list[Row]:
    rows: list[Row] = []
    for agent, printed in numbers.items():
        for name, value in (("wins", printed.wins), ("draws", printed.draws), ("moves", printed.moves)):
            is_rate = name != "moves"
            label = f"{_NAMES[agent]}: {f'{name}, %' if is_rate else 'moves a game'}"
            figure = f"{agent}.{name}"
            rows.append(results.row(label, RoundRobin(board), figure, published=value, digits=2, is_rate=is_rate))
    return rows


def _times(board: str, results: Results) -> str:
    texts = []
    for agent in AGENTS:
        printed = published().table_1[board][agent].seconds
        ours = [results.timing(RoundRobin(board), variant, f"{agent}.seconds") for variant in VARIANTS]
        numbers = ["-" if seconds is None else f"{seconds:.2g}" for seconds in (printed, *ours)]
        texts.append(f"{_NAMES[agent]} {' / '.join(numbers)}")
    return "; ".join(texts) + " (published / as published / corrected)"


def _pairing_rates(board: str, results: Results) -> Table:
    rows = []
    for first, second in PAIRINGS:
        # Two deterministic agents repeat one game, which is not a sample.
        games = None if {first, second} <= set(DETERMINISTIC) else published().pairings.games
        printed = published().pairings.of(board)[f"{first}-{second}"]
        for name, value in (("wins", printed.wins), ("draws", printed.draws)):
            label, figure = f"{_NAMES[first]} - {_NAMES[second]}: {name}, %", f"{first}-{second}.{name}"
            row = results.row(label, RoundRobin(board), figure, published=value, digits=0, is_rate=True, games=games)
            if value or any(each.mean for each in row.ours):  # most pairings never draw
                rows.append(row)
    return Table("Pairings: results of the side that moves first", tuple(rows), _committed_note())


def _pairing_costs(board: str, results: Results) -> Table:
    rows = []
    for first, second in PAIRINGS:
        printed = published().pairings.of(board)[f"{first}-{second}"]
        who = f"{_NAMES[first]} - {_NAMES[second]}"
        for name, value, label in (
            ("moves", printed.moves, f"{who}: moves"),
            ("first", printed.first, f"{who}: nodes of {_NAMES[first]}"),
            ("second", printed.second, f"{who}: nodes of {_NAMES[second]}"),
        ):
            if value is not None:
                figure = f"{first}-{second}.{name}"
                rows.append(results.row(label, RoundRobin(board), figure, published=value, digits=2))
    return Table("Pairings: moves and nodes a game", tuple(rows), _committed_note())


def _listed_training_table(board: str, results: Results) -> Table:
    printed, games = published().pairings.of(board)["q-default"], published().pairings.games
    row = partial(results.row, experiment=ListedTraining(board))
    rows = [
        row(f"Q - default: {name}, %", figure=name, published=value, digits=0, is_rate=True, games=games)
        for name, value in (("wins", printed.wins), ("draws", printed.draws))
    ]
    rows.append(row("Q - default: moves", figure="moves", published=printed.moves, digits=2))
    note = (
        "The same with a Q agent trained as the report lists it, by a default agent that knows its side and blocks."
        " Everywhere else it was trained by the one that does not."
    )
    return Table("Was it trained as listed?", tuple(rows), note)


def _committed_note() -> str:
    return f"Published: the files committed with the program, {published().pairings.games} games a pairing, one run."


def _pruning_bars(board: str, results: Results) -> BarPlot:
    bars = []
    for agent in ("minimax", "alphabeta"):
        bars.append(Bar(_NAMES[agent], getattr(published().pruning[board], agent), None, "published"))
        bars += variant_bars(results.row(_NAMES[agent], RoundRobin(board), f"{agent}.nodes", digits=0))
    return BarPlot(
        "What pruning saves (Figure 1)", "nodes a game of the side that moves first", tuple(bars), is_log=True
    )


def _training_curves(board: str, results: Results) -> tuple[CurvePlot, ...]:
    found = [
        results.curve(RoundRobin(board), "corrected", f"q.{name}", label=f"{name} against winblock")
        for name in ("wins", "losses")
    ]
    curves = tuple(curve for curve in found if curve is not None)
    title = "How the corrected Q agent learns"
    return (CurvePlot(title, "games of training", "percent of games", curves),) if curves else ()


def _depth_section(results: Results) -> Section:
    rows = []
    for depth, printed in zip(DEPTHS, published().depth_test.nodes, strict=True):
        label, figure = f"depth {depth}: nodes a game", f"depth {depth}.nodes"
        rows.append(results.row(label, DepthTest(), figure, published=float(printed), digits=0))
    for depth in DEPTHS:
        label, figure = f"depth {depth}: wins, %", f"depth {depth}.wins"
        rows.append(results.row(label, DepthTest(), figure, digits=0, is_rate=True, games=1))
    note = (
        "Alpha-beta moves first against the default agent, which here knows its side. One game for each depth and run."
    )
    tables = (Table("Depth test", tuple(rows), note),)
    return Section(title="How deep", text=(agreement_summary(tables),), tables=tables)


PARANJI_2025 = Study(
    name="paranji-2025",
    title="paranji-2025: minimax, alpha-beta and tabular Q-learning",
    source="K. Paranji Ramkumar, CS7IS2 Artificial Intelligence, assignment 3, Trinity College Dublin, April 2025",
    experiments=experiments,
    sections=_sections,
)
