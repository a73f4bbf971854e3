"""What the report of harman shows."""

from __future__ import annotations

from inarow.studies.comparison import Estimate
from inarow.studies.experiment import VARIANTS
from inarow.studies.harman.games import PLAYOUTS
from inarow.studies.harman.published import published
from inarow.studies.report import Curve, CurvePlot, CurvePoint, Row, Section, Table, agreement_summary, compare
from inarow.studies.results import Results

BOARDS = ("3x5x4", "4x5x4", "6x5x4")
SELF_PLAY, TREES = "self-play", "tree searches"
_MARKS = (
    ("start", "start", "mean reward of the first 1,000 episodes"),
    ("crosses_zero", "crosses zero", "first episode of the first window above 0"),
    ("at_4500", "at 4500", "from episode 4,500"),
    ("at_10000", "at 10000", "from episode 10,000"),
    ("at_50000", "at 50000", "from episode 50,000"),
    ("peak", "peak", "highest"),
    ("end", "end", "last 1,000 episodes"),
)
_RESULTS = ("wins", "draws", "losses")


def training(board: str, playouts: int) -> str:
    """The name of an experiment."""
    return f"{board} against {playouts}"


def sections(results: Results) -> list[Section]:
    """The curve, the evaluation, the tree searches, the learner by self-play."""
    return [
        _curve_section(results),
        *(_board_section(board, results) for board in BOARDS),
        _tree_section(results),
        _self_play_section(results),
    ]


def _curve_section(results: Results) -> Section:
    tables = tuple(_curve_table(board, playouts, results) for board, playouts in (("4x5x4", 40), ("4x5x4", 10)))
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


def _curve_table(board: str, playouts: int, results: Results) -> Table:
    name = training(board, playouts)
    rows = []
    for field, figure, label in _MARKS:
        ours = results.estimate(name, "as-published", figure)
        if ours is not None:
            rows.append(compare(label, getattr(published().curve, field), ours, None, digits=0))
    runs, crossed = results.runs(name, "as-published"), results.estimate(name, "as-published", "crosses zero")
    note = (
        f"Moving average over {published().window:,} episodes. Published: read off a picture of 100,000 episodes."
        f" Ours: {_episodes(name, results)} episodes; above 0 at some time in {crossed.runs if crossed else 0}"
        f" of {runs} runs."
    )
    return Table(f"{board} against {playouts} playouts", tuple(rows), note)


def _episodes(name: str, results: Results) -> str:
    size = results.size(name, "as-published")
    return "no" if size is None else f"{size['episodes']:,}"


def _curve_plot(board: str, results: Results) -> CurvePlot:
    curves = []
    if board == "4x5x4":
        numbers = published().curve
        read_off = (
            (1.0, numbers.start),
            (numbers.crosses_zero, 0.0),
            (4_500.0, numbers.at_4500),
            (10_000.0, numbers.at_10000),
            (50_000.0, numbers.at_50000),
            (99_000.0, numbers.end),
        )
        curves.append(Curve("published, read off", tuple(CurvePoint(x, y, y, y) for x, y in read_off)))
    for variant in VARIANTS:
        for playouts in PLAYOUTS:
            label = f"{variant}, {playouts}"
            curve = results.curve(training(board, playouts), variant, "reward", label=label)
            if curve is not None:
                curves.append(curve)
    return CurvePlot(f"Reward a game in training, {board}, second player", "episode", "reward", tuple(curves))


def _board_section(board: str, results: Results) -> Section:
    return Section(title=board, tables=tuple(_test_table(board, playouts, results) for playouts in PLAYOUTS))


def _test_table(board: str, playouts: int, results: Results) -> Table:
    name, rows = training(board, playouts), []
    for prefix, label in (
        ("test", "trained here, second"),
        ("first", "trained here, first"),
        ("untrained", "table of another board"),
        ("uct", "trained here, second, against UCT"),
    ):
        rows += [_row(results, name, f"{prefix}.{kind}", f"{label}: {kind}, %", is_rate=True) for kind in _RESULTS]
        rows.append(_row(results, name, f"{prefix}.reward", f"{label}: reward a game"))
    rows += [_accuracy_row(results, name, side) for side in ("second", "first")]
    rows.append(_row(results, name, "rows", "positions in the table", digits=0))
    note = (
        "Games of the learner without chance of its own against the opponent it was trained with: as published the"
        f" published tree search, corrected UCT, {playouts} playouts each. Training takes"
        f" {_seconds(name, results)} seconds."
    )
    return Table(f"Test against {playouts} playouts", _present(rows), note)


def _seconds(name: str, results: Results) -> str:
    times = [results.timing(name, variant, "training") for variant in VARIANTS]
    return " / ".join("-" if seconds is None else f"{seconds:.3g}" for seconds in times)


def _tree_section(results: Results) -> Section:
    name, rows = f"6x5x4 {TREES}", []
    pairings = [f"{first}-{second}" for first in PLAYOUTS for second in PLAYOUTS]
    pairings += [pairing for each in PLAYOUTS for pairing in (f"{each}-uct {each}", f"uct {each}-{each}")]
    for pairing in pairings:
        for kind in _RESULTS[:2]:
            label = f"{pairing.replace('-', ' - ')}: {kind}, %"
            rows.append(_row(results, name, f"{pairing}.{kind}", label, is_rate=True))
    note = "Playouts of the side that moves first and of the other; results of the first. uct: without the faults."
    return Section(title="Tree searches on 6x5x4", tables=(Table("Pairings", _present(rows), note),))


def _self_play_section(results: Results) -> Section:
    tables = []
    for board in ("3x5x4", "4x5x4"):
        name, rows = f"{board} {SELF_PLAY}", []
        for side in ("second", "first"):
            for playouts in PLAYOUTS:
                for kind in _RESULTS:
                    label = f"{side}, against UCT {playouts}: {kind}, %"
                    rows.append(_row(results, name, f"{side} {playouts}.{kind}", label, is_rate=True))
            rows.append(_accuracy_row(results, name, side))
        rows.append(_row(results, name, "rows", "positions in the table", digits=0))
        size = results.size(name, "corrected")
        note = "" if size is None else f"{size['episodes']:,} games against itself, a fifth from random starts."
        tables.append(Table(board, _present(rows), note))
    return Section(title="The negamax learner by self-play", tables=tuple(tables))


def _accuracy_row(results: Results, name: str, side: str) -> Row | None:
    return _row(results, name, f"{side}.accuracy", f"{side}: outcome kept, % of all positions")


def _row(results: Results, name: str, figure: str, label: str, *, is_rate: bool = False, digits: int = 1) -> Row | None:
    """None if no run has the figure."""
    ours: list[Estimate | None] = []
    for variant in VARIANTS:
        size = results.size(name, variant)
        games = size["games"] if is_rate and size is not None else None
        ours.append(results.estimate(name, variant, figure, is_rate=is_rate, games=games))
    return compare(label, None, *ours, digits=digits) if any(ours) else None


def _present(rows: list[Row | None]) -> tuple[Row, ...]:
    return tuple(row for row in rows if row is not None)
