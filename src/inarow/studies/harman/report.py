"""The report of harman, and the study itself."""

from __future__ import annotations

from functools import partial
from itertools import product

from inarow.studies.experiment import VARIANTS, Experiment
from inarow.studies.harman import published
from inarow.studies.harman.runs import BOARDS, MARKS, PLAYOUTS, AgainstTreeSearch, SelfPlay, TreeSearches, experiments
from inarow.studies.report import CurvePlot, Row, Section, Table, agreement_summary, line, measured
from inarow.studies.results import Results
from inarow.studies.study import Study

_MARKS = {
    "start": "mean reward of the first 1,000 episodes",
    "crosses zero": "first episode of the first window above 0",
    "at 4500": "from episode 4,500",
    "at 10000": "from episode 10,000",
    "at 50000": "from episode 50,000",
    "peak": "highest",
    "end": "last 1,000 episodes",
}
_RESULTS = ("wins", "draws", "losses")


def _sections(results: Results) -> list[Section]:
    """The curve, the evaluation, the tree searches, the learner by self-play."""
    boards = [
        Section(title=board, tables=tuple(_test_table(AgainstTreeSearch(board, each), results) for each in PLAYOUTS))
        for board in BOARDS
    ]
    return [_curve_section(results), *boards, _tree_section(results), _self_play_section(results)]


def _curve_section(results: Results) -> Section:
    tables = tuple(_curve_table(AgainstTreeSearch("4x5x4", playouts), results) for playouts in PLAYOUTS)
    text = (
        "The picture does not say how it was made. The program makes it with 40 playouts on 4x5; a line that"
        " it prints says that the learner was trained against 10."
    )
    return Section(
        title="Learning curve",
        text=(text, agreement_summary(tables[:1])),
        tables=tables,
        curves=tuple(_curve_plot(board, results) for board in BOARDS),
    )


def _curve_table(training: AgainstTreeSearch, results: Results) -> Table:
    numbers, runs = published().curve, results.runs(training, "as-published")
    rows = [
        results.row(label, training, figure, digits=0, published=numbers[figure]) for figure, label in _MARKS.items()
    ]
    crossed = results.estimate(training, "as-published", "crosses zero")
    episodes = results.size(training, "episodes", "as-published")
    note = (
        f"Moving average over {published().window:,} episodes. Published: read off a picture of 100,000 episodes."
        f" Ours: {'no' if episodes is None else f'{episodes:,}'} episodes; above 0 at some time in"
        f" {crossed.runs if crossed else 0} of {runs} runs."
    )
    return Table(f"{training.name} playouts", measured(rows), note)


def _curve_plot(board: str, results: Results) -> CurvePlot:
    curves = []
    if board == "4x5x4":
        numbers = published().curve
        read_off = [(1.0, numbers["start"]), (numbers["crosses zero"], 0.0)]
        read_off += [(float(mark), numbers[f"at {mark}"]) for mark in MARKS]
        curves.append(line("published, read off", [*read_off, (99_000.0, numbers["end"])]))
    for variant, playouts in product(VARIANTS, PLAYOUTS):
        training, label = AgainstTreeSearch(board, playouts), f"{variant}, {playouts}"
        if (curve := results.curve(training, variant, "reward", label=label)) is not None:
            curves.append(curve)
    return CurvePlot(f"Reward a game in training, {board}, second player", "episode", "reward", tuple(curves))


def _test_table(training: AgainstTreeSearch, results: Results) -> Table:
    row, rows = partial(_row, results, training), []
    for prefix, label in (
        ("test", "trained here, second"),
        ("first", "trained here, first"),
        ("untrained", "table of another board"),
        ("uct", "trained here, second, against UCT"),
    ):
        rows += [row(f"{prefix}.{kind}", f"{label}: {kind}, %", is_rate=True) for kind in _RESULTS]
        rows.append(row(f"{prefix}.reward", f"{label}: reward a game"))
    rows += [_accuracy_row(results, training, side) for side in ("second", "first")]
    rows.append(row("rows", "positions in the table", digits=0))
    times = [results.timing(training, variant, "training") for variant in VARIANTS]
    note = (
        "Games of the learner without chance of its own against the opponent it was trained with: as published the"
        f" published tree search, corrected UCT, {training.playouts} playouts each. Training takes"
        f" {' / '.join('-' if seconds is None else f'{seconds:.3g}' for seconds in times)} seconds."
    )
    return Table(f"Test against {training.playouts} playouts", measured(rows), note)


def _tree_section(results: Results) -> Section:
    rows = []
    pairings = [f"{first}-{second}" for first, second in product(PLAYOUTS, PLAYOUTS)]
    pairings += [pairing for each in PLAYOUTS for pairing in (f"{each}-uct {each}", f"uct {each}-{each}")]
    for pairing, kind in product(pairings, _RESULTS[:2]):
        label = f"{pairing.replace('-', ' - ')}: {kind}, %"
        rows.append(_row(results, TreeSearches(), f"{pairing}.{kind}", label, is_rate=True))
    note = "Playouts of the side that moves first and of the other; results of the first. uct: without the faults."
    return Section(title="Tree searches on 6x5x4", tables=(Table("Pairings", measured(rows), note),))


def _self_play_section(results: Results) -> Section:
    tables = []
    for board in ("3x5x4", "4x5x4"):
        training, rows = SelfPlay(board), []
        for side in ("second", "first"):
            for playouts, kind in product(PLAYOUTS, _RESULTS):
                label = f"{side}, against UCT {playouts}: {kind}, %"
                rows.append(_row(results, training, f"{side} {playouts}.{kind}", label, is_rate=True))
            rows.append(_accuracy_row(results, training, side))
        rows.append(_row(results, training, "rows", "positions in the table", digits=0))
        games = results.size(training, "episodes", "corrected")
        note = "" if games is None else f"{games:,} games against itself, a fifth from random starts."
        tables.append(Table(board, measured(rows), note))
    return Section(title="The negamax learner by self-play", tables=tuple(tables))


def _accuracy_row(results: Results, experiment: Experiment, side: str) -> Row:
    return _row(results, experiment, f"{side}.accuracy", f"{side}: outcome kept, % of all positions")


def _row(
    results: Results, experiment: Experiment, figure: str, label: str, *, is_rate: bool = False, digits: int = 1
) -> Row:
    games = results.size(experiment, "games") if is_rate else None
    return results.row(label, experiment, figure, digits=digits, is_rate=is_rate, games=games)


HARMAN = Study(
    name="harman",
    title="harman: tabular Q-learning against Monte Carlo tree search on small boards",
    source="M. Harman, QLearning_and_MCTS-Reinforcement_Learning, program and documentation",
    experiments=experiments,
    sections=_sections,
)
