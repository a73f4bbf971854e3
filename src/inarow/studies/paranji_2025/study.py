"""The study paranji-2025: what it runs and what its report shows."""

from __future__ import annotations

from collections.abc import Mapping

from inarow.games.spec import GameSpec
from inarow.studies.comparison import Estimate
from inarow.studies.experiment import VARIANTS, Experiment, Measured, Scale
from inarow.studies.paranji_2025.games import DEPTHS, play_depth_test, play_round_robin
from inarow.studies.paranji_2025.published import AGENTS, BOARDS, PAIRINGS, AgentFigures, published
from inarow.studies.report import Bar, BarPlot, Row, Section, Table, agreement_summary, compare
from inarow.studies.results import Results
from inarow.studies.study import Repeated, Study

_NAMES = {"default": "default", "minimax": "minimax", "alphabeta": "alpha-beta", "q": "Q"}
_GAMES = {"tictactoe": "Tic Tac Toe", "connect4": "Connect Four, depth 3"}
_EPISODES = {"tictactoe": 5_000, "connect4": 50_000}
_DEPTH_TEST = "connect4 depth test"


def _experiments(scale: Scale) -> list[Repeated]:
    is_quick = scale == "quick"
    return [
        *(
            Repeated(_round_robin(board), 4 if is_quick else 20, {"games": 100, "episodes": _EPISODES[board]})
            for board in reversed(BOARDS)  # the longest first
        ),
        Repeated(_DEPTH_TEST, 20 if is_quick else 40, {"games": 1}),
    ]


def _round_robin(board: str) -> str:
    return f"{board} round robin"


def _run(experiment: Experiment) -> Measured:
    spec = GameSpec.parse(experiment.name.partition(" ")[0])
    play = play_depth_test if experiment.name == _DEPTH_TEST else play_round_robin
    return play(spec, experiment)


def _sections(results: Results) -> list[Section]:
    return [*(_game_section(board, results) for board in BOARDS), _depth_section(results)]


def _game_section(board: str, results: Results) -> Section:
    table_1, pairings = _table_1(board, results), (_pairing_rates(board, results), _pairing_costs(board, results))
    return Section(
        title=_GAMES[board],
        text=(agreement_summary((table_1, *pairings)),),
        tables=(table_1, _table_1_again(board, results), *pairings),
        bars=(_pruning_bars(board, results),),
    )


def _table_1(board: str, results: Results) -> Table:
    rows = _agent_rows(board, published().table_1[board], results)
    for agent in ("minimax", "alphabeta"):
        value = getattr(published().pruning[board], agent)
        ours = _both(results, _round_robin(board), f"{agent}.nodes")
        rows.append(compare(f"{_NAMES[agent]}: nodes a game", value, *ours, digits=0))
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
            ours = _both(results, _round_robin(board), f"{agent}.{name}", is_rate=is_rate)
            rows.append(compare(label, value, *ours, digits=2))
    return rows


def _times(board: str, results: Results) -> str:
    texts = []
    for agent in AGENTS:
        printed = published().table_1[board][agent].seconds
        ours = [results.timing(_round_robin(board), variant, f"{agent}.seconds") for variant in VARIANTS]
        numbers = ["-" if seconds is None else f"{seconds:.2g}" for seconds in (printed, *ours)]
        texts.append(f"{_NAMES[agent]} {' / '.join(numbers)}")
    return "; ".join(texts) + " (published / as published / corrected)"


def _pairing_rates(board: str, results: Results) -> Table:
    games, rows = published().pairings.games, []
    for first, second in PAIRINGS:
        printed = published().pairings.of(board)[f"{first}-{second}"]
        for name, value in (("wins", printed.wins), ("draws", printed.draws)):
            ours = _both(results, _round_robin(board), f"{first}-{second}.{name}", is_rate=True, games=games)
            label = f"{_NAMES[first]} - {_NAMES[second]}: {name}, %"
            if value or any(each is not None and each.mean for each in ours):  # most pairings never draw
                rows.append(compare(label, value, *ours, digits=0, games=games))
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
                ours = _both(results, _round_robin(board), f"{first}-{second}.{name}")
                rows.append(compare(label, value, *ours, digits=2))
    return Table("Pairings: moves and nodes a game", tuple(rows), _committed_note())


def _committed_note() -> str:
    return f"Published: the files committed with the program, {published().pairings.games} games a pairing, one run."


def _pruning_bars(board: str, results: Results) -> BarPlot:
    bars = []
    for agent in ("minimax", "alphabeta"):
        bars.append(Bar(_NAMES[agent], getattr(published().pruning[board], agent), None, "published"))
        for variant in VARIANTS:
            ours = results.estimate(_round_robin(board), variant, f"{agent}.nodes")
            if ours is not None:
                bars.append(Bar(_NAMES[agent], ours.mean, ours.interval, variant))
    return BarPlot(
        "What pruning saves (Figure 1)", "nodes a game of the side that moves first", tuple(bars), is_log=True
    )


def _depth_section(results: Results) -> Section:
    rows = []
    for depth, printed in zip(DEPTHS, published().depth_test.nodes, strict=True):
        ours = _both(results, _DEPTH_TEST, f"depth {depth}.nodes")
        rows.append(compare(f"depth {depth}: nodes a game", float(printed), *ours, digits=0))
    for depth in DEPTHS:
        wins = _both(results, _DEPTH_TEST, f"depth {depth}.wins", is_rate=True, games=1)
        rows.append(compare(f"depth {depth}: wins, %", None, *wins, digits=0))
    note = (
        "Alpha-beta moves first against the default agent, which here knows its side. One game for each depth and run."
    )
    tables = (Table("Depth test", tuple(rows), note),)
    return Section(title="How deep", text=(agreement_summary(tables),), tables=tables)


def _both(
    results: Results, name: str, figure: str, *, is_rate: bool = False, games: int | None = None
) -> tuple[Estimate | None, Estimate | None]:
    """As published and corrected."""
    published_way, corrected = (
        results.estimate(name, variant, figure, is_rate=is_rate, games=games) for variant in VARIANTS
    )
    return published_way, corrected


PARANJI_2025 = Study(
    name="paranji-2025",
    title="paranji-2025: minimax, alpha-beta and tabular Q-learning",
    source="K. Paranji Ramkumar, CS7IS2 Artificial Intelligence, assignment 3, Trinity College Dublin, April 2025",
    experiments=_experiments,
    run=_run,
    sections=_sections,
)
