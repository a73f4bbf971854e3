"""The report of paranji-2025, and the study itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from inarow.studies.experiment import VARIANTS
from inarow.studies.paranji_2025 import AGENTS, BOARDS, PAIRINGS, SEARCHERS, AgentFigures, published
from inarow.studies.paranji_2025.runs import DEPTHS, DepthTest, ListedTraining, RoundRobin, experiments
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
    for agent in SEARCHERS:
        label, value = f"{_NAMES[agent]}: nodes a game", published().pruning[board][agent]
        rows.append(results.row(label, RoundRobin(board), f"{agent}.nodes", published=value, digits=0))
    note = (
        "Wins and draws over all games of an agent; moves and nodes a game over those it began."
        f" Seconds a game, not compared: {_times(board, results)}."
    )
    return Table("Table 1", tuple(rows), note)


def _table_1_again(board: str, results: Results) -> Table:
    numbers = {agent: published().of_agent(board, agent) for agent in AGENTS}
    note = "Published: worked out from the committed files, which Table 1 does not follow everywhere."
    return Table("Table 1 from the committed files", tuple(_agent_rows(board, numbers, results)), note)


def _agent_rows(board: str, numbers: Mapping[str, AgentFigures], results: Results) -> list[Row]:
    rows: list[Row] = []
    for agent, printed in numbers.items():
        for name, what in (("wins", "wins, %"), ("draws", "draws, %"), ("moves", "moves a game")):
            label, figure, value = f"{_NAMES[agent]}: {what}", f"{agent}.{name}", getattr(printed, name)
            is_rate = name != "moves"
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
        games = None if {first, second} <= set(SEARCHERS) else published().pairing_games
        printed = published().pairings[board][f"{first}-{second}"]
        for name, value in (("wins", printed.wins), ("draws", printed.draws)):
            label, figure = f"{_NAMES[first]} - {_NAMES[second]}: {name}, %", f"{first}-{second}.{name}"
            row = results.row(label, RoundRobin(board), figure, published=value, digits=0, is_rate=True, games=games)
            if value or any(each.mean for each in row.ours):  # most pairings never draw
                rows.append(row)
    return Table("Pairings: results of the side that moves first", tuple(rows), _committed_note())


def _pairing_costs(board: str, results: Results) -> Table:
    rows = []
    for first, second in PAIRINGS:
        labels = {"moves": "moves", "first": f"nodes of {_NAMES[first]}", "second": f"nodes of {_NAMES[second]}"}
        for name, what in labels.items():
            value = getattr(published().pairings[board][f"{first}-{second}"], name)
            if value is not None:
                label, figure = f"{_NAMES[first]} - {_NAMES[second]}: {what}", f"{first}-{second}.{name}"
                rows.append(results.row(label, RoundRobin(board), figure, published=value, digits=2))
    return Table("Pairings: moves and nodes a game", tuple(rows), _committed_note())


def _listed_training_table(board: str, results: Results) -> Table:
    printed, games = published().pairings[board]["q-default"], published().pairing_games
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
    return f"Published: the files committed with the program, {published().pairing_games} games a pairing, one run."


def _pruning_bars(board: str, results: Results) -> BarPlot:
    bars = []
    for agent in SEARCHERS:
        bars.append(Bar(_NAMES[agent], published().pruning[board][agent], None, "published"))
        bars += variant_bars(results.row(_NAMES[agent], RoundRobin(board), f"{agent}.nodes", digits=0))
    unit = "nodes a game of the side that moves first"
    return BarPlot("What pruning saves (Figure 1)", unit, tuple(bars), is_log=True)


def _training_curves(board: str, results: Results) -> tuple[CurvePlot, ...]:
    labels = {"q.wins": "wins against winblock", "q.losses": "losses against winblock"}
    found = [results.curve(RoundRobin(board), "corrected", name, label=label) for name, label in labels.items()]
    curves = tuple(curve for curve in found if curve is not None)
    title = "How the corrected Q agent learns"
    return (CurvePlot(title, "games of training", "percent of games", curves),) if curves else ()


def _depth_section(results: Results) -> Section:
    row = partial(results.row, experiment=DepthTest(), digits=0)
    rows = [
        row(f"depth {depth}: nodes a game", figure=f"depth {depth}.nodes", published=float(printed))
        for depth, printed in zip(DEPTHS, published().depth_test["nodes"], strict=True)
    ]
    rows += [row(f"depth {each}: wins, %", figure=f"depth {each}.wins", is_rate=True, games=1) for each in DEPTHS]
    note = "Alpha-beta moves first against the default agent, which here knows its side."
    tables = (Table("Depth test", tuple(rows), f"{note} One game for each depth and run."),)
    return Section(title="How deep", text=(agreement_summary(tables),), tables=tables)


PARANJI_2025 = Study(
    name="paranji-2025",
    title="paranji-2025: minimax, alpha-beta and tabular Q-learning",
    source="K. Paranji Ramkumar, CS7IS2 Artificial Intelligence, assignment 3, Trinity College Dublin, April 2025",
    experiments=experiments,
    sections=_sections,
)
