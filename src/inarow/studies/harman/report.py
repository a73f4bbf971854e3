"""The report of harman, and the study."""

from functools import partial
from itertools import product

from msgspec.structs import replace

from inarow.studies.comparison import agreement
from inarow.studies.experiment import VARIANTS, Experiment, by_variant
from inarow.studies.harman import published
from inarow.studies.harman.map import LATE, Cell, cells
from inarow.studies.harman.runs import (
    BOARDS,
    CLOSEST,
    MAP_PLAYOUTS,
    MARKS,
    PLAYOUTS,
    TABLES,
    TABLES_SETTING,
    AgainstTreeSearch,
    SelfPlay,
    TreeSearches,
    experiments,
)
from inarow.studies.report import Curve, CurvePlot, CurvePoint, Row, Section, Table, agreement_summary, line, measured
from inarow.studies.results import Results
from inarow.studies.texts import load_texts

TEXTS = load_texts(__package__)
_RESULTS = ("wins", "draws", "losses")


def _sections(results: Results) -> list[Section]:
    """The curve, the map of settings, the evaluation, the tree searches, and self-play."""
    boards = [
        TEXTS.section("board", board=board, tables=[_test_table(board, each, results) for each in PLAYOUTS])
        for board in BOARDS
    ]
    return [
        _curve_section(results),
        _map_section(results),
        *boards,
        _tree_section(results),
        _self_play_section(results),
    ]


def _curve_section(results: Results) -> Section:
    trainings = [AgainstTreeSearch("4x5x4", playouts) for playouts in PLAYOUTS]
    if results.runs(AgainstTreeSearch(*CLOSEST), "as-published"):
        trainings.append(AgainstTreeSearch(*CLOSEST))
    tables = tuple(_curve_table(training, results) for training in trainings)
    tables = (tables[0], *(replace(table, is_repeated=True) for table in tables[1:]))
    plots = [_curve_plot(board, results) for board in BOARDS]
    return TEXTS.section("curve", agreement=agreement_summary(tables[:1]), tables=tables, curves=plots)


def _curve_table(training: AgainstTreeSearch, results: Results) -> Table:
    labels, numbers = TEXTS.labels["marks"], published().curve
    row = partial(results.row, experiment=training, digits=0)
    rows = [row(label, figure=figure, published=numbers[figure]) for figure, label in labels.items()]
    found = {"training": training.name, "window": published().window, "runs": results.runs(training, "as-published")}
    episodes = results.size(training, "episodes", "as-published")
    found["episodes"] = "no" if episodes is None else f"{episodes:,}"
    found["above"] = len(results.values(training, "as-published", "crosses zero"))
    return TEXTS.table("curve", measured(rows), **found)


def _map_section(results: Results) -> Section:
    """Where the picture may come from: the curve of each board and number of playouts."""
    found = cells(results)
    rewards, distances, compared = [], [], []
    for cell in found:
        ours, mark = cell.estimate(LATE), published().curve[LATE] if cell.is_compared else None
        agrees = None if mark is None or ours is None else agreement(mark, ours, digits=0)
        label = f"{cell.label}, {cell.episodes:,} games"
        rewards.append(Row(label, mark, ours, digits=1, agreement=agrees))
        if (distance := cell.distance()) is not None:
            compared.append((distance.mean, cell))
            distances.append(Row(f"{cell.label}: {cell.given()} of 5 numbers", None, distance, digits=1))
    sentence = ""
    if compared:
        smallest, closest = min(compared, key=lambda each: each[0])
        given = sum(cell.given() == 5 for _, cell in compared)
        sentence = TEXTS.sentence(
            "map", given=given, cells=len(compared), closest=closest.label, numbers=closest.given(), distance=smallest
        )
    tables = [TEXTS.table("map", measured(rewards)), TEXTS.table("distance", measured(distances))]
    return TEXTS.section("map", closest=sentence, tables=tables, curves=[_map_plot(found)])


def _map_plot(found: list[Cell]) -> CurvePlot:
    """The reward around game 50,000 by playouts, a curve for each board."""
    late, last = published().curve[LATE], float(MAP_PLAYOUTS[-1])
    curves = [line("published", [(float(MAP_PLAYOUTS[0]), late), (last, late)])] if found else []
    for board in BOARDS:
        points = []
        for cell in found:
            ours = cell.estimate(LATE) if cell.board == board and cell.is_compared else None
            if ours is not None:
                low, high = ours.interval or (ours.mean, ours.mean)
                points.append(CurvePoint(float(cell.playouts), ours.mean, low, high))
        if points:
            curves.append(Curve(board.removesuffix("x4"), tuple(points)))
    return TEXTS.curve_plot("map", curves if len(curves) > 1 else [])


def _curve_plot(board: str, results: Results) -> CurvePlot:
    curves: list[Curve | None] = []
    if board == "4x5x4":
        numbers = published().curve
        read_off = [(1.0, numbers["start"]), (numbers["crosses zero"], 0.0)]
        read_off += [(float(mark), numbers[f"at {mark}"]) for mark in MARKS]
        curves.append(line("published, read off", [*read_off, (99_000.0, numbers["end"])]))
    for variant, playouts in product(VARIANTS, PLAYOUTS):
        training, label = AgainstTreeSearch(board, playouts), f"{variant}, {playouts}"
        curves.append(results.curve(training, variant, "reward", label=label))
    return TEXTS.curve_plot("reward", curves, board=board)


def _test_table(board: str, playouts: int, results: Results) -> Table:
    training = AgainstTreeSearch(board, playouts)
    row, rows = partial(_row, results, training), []
    for prefix, label in TEXTS.labels["tests"].items():
        rows += [row(f"{prefix}.{kind}", f"{label}: {kind}, %", is_rate=True) for kind in _RESULTS]
        rows.append(row(f"{prefix}.reward", f"{label}: reward per game"))
    rows += [_accuracy_row(results, training, side) for side in ("second", "first")]
    rows.append(row("rows", "positions in the table", digits=0))
    times = by_variant(lambda variant: results.timing(training, variant, "training"))
    seconds = " / ".join("-" if each is None else f"{each:.3g}" for each in times)
    return TEXTS.table("test", measured(rows), playouts=playouts, seconds=seconds)


def _tree_section(results: Results) -> Section:
    rows = []
    pairings = [f"{first}-{second}" for first, second in product(PLAYOUTS, PLAYOUTS)]
    pairings += [pairing for each in PLAYOUTS for pairing in (f"{each}-uct {each}", f"uct {each}-{each}")]
    for pairing, kind in product(pairings, _RESULTS[:2]):
        label = f"{pairing.replace('-', ' - ')}: {kind}, %"
        rows.append(_row(results, TreeSearches(), f"{pairing}.{kind}", label, is_rate=True))
    return TEXTS.section("trees", tables=[TEXTS.table("trees", measured(rows))])


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
        note = "" if games is None else TEXTS.sentence("self_play", games=games)
        tables.append(TEXTS.table("self_play", measured(rows), board=board, games=note))
    return TEXTS.section("self_play", tables=tables)


def _accuracy_row(results: Results, experiment: Experiment, side: str) -> Row:
    return _row(results, experiment, f"{side}.accuracy", f"{side}: outcome kept, % of all positions")


def _row(
    results: Results, experiment: Experiment, figure: str, label: str, *, is_rate: bool = False, digits: int = 1
) -> Row:
    games = results.size(experiment, "games") if is_rate else None
    return results.row(label, experiment, figure, digits=digits, is_rate=is_rate, games=games)


HARMAN = TEXTS.study(experiments, _sections, {TABLES: TABLES_SETTING})
