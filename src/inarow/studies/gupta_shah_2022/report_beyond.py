"""The sections beyond the tables of gupta-shah-2022: AlphaZero as published, other hybrids, the net for every board."""

from collections.abc import Callable, Iterable

from inarow.arena.statistics import pair_score
from inarow.studies.comparison import PERCENT, Agreement, Estimate
from inarow.studies.experiment import Variant
from inarow.studies.gupta_shah_2022 import PLAYERS, PROGRAM, TITLES, contests, published, runs
from inarow.studies.gupta_shah_2022.contests import Contest
from inarow.studies.gupta_shah_2022.figures import points_of, total_of
from inarow.studies.gupta_shah_2022.training import Training
from inarow.studies.report import Curve, CurvePlot, Row, Section, Table, agreement_summary
from inarow.studies.results import Results
from inarow.studies.texts import Texts

SameChance = Callable[[int, Estimate, int], tuple[float, Agreement]]
"""(Published hits, our rate, published games) -> (probability, whether they agree)."""
GradeOf = Callable[[Results, str, str], Estimate | None]  # (results, player, figure)
_KINDS = {"column": "wins", "row": "losses", "draws": "draws"}
_VARIANT: Variant = "as-published"


def program_section(results: Results, texts: Texts, same_chance: SameChance, grade: GradeOf) -> Section:
    """The published AlphaZero: its training, its cells, fair matches, its grade."""
    cells, matches = _cells(results, same_chance), _matches(results)
    grades = [
        Row(f"{figure.replace('_', ' ')}, %", None, ours, None, 1)
        for figure in ("outcome_accuracy", "critical_accuracy", "optimal_accuracy")
        if (ours := grade(results, PROGRAM, figure)) is not None
    ]
    parts = (("program_cells", cells), ("program_points", matches), ("program_grade", grades))
    tables = [texts.table(name, rows) for name, rows in parts if rows]
    counted = agreement_summary(tuple(tables)) if cells else ""
    trained = _trained(results, texts)
    settings = results.settings(runs.Grade(PROGRAM), _VARIANT)
    net = f"{settings[runs.PROGRAM_NET]} (content {settings[runs.PROGRAM_CONTENT][:12]})" if settings else "none yet"
    plots = _plots(results, texts)
    return texts.section("program", trained=trained, counted=counted, net=net, tables=tables, curves=plots)


def _trained(results: Results, texts: Texts) -> str:
    names = ("iterations", "games", "examples", "steps", "accepted", "rejected", "simulations")
    found = {name: results.values(Training(), _VARIANT, name) for name in names}
    core = results.timing(Training(), _VARIANT, "core")
    if core is None or not all(found.values()):
        return ""
    return texts.sentence("trained", minutes=core / 60, **{name: int(values[0]) for name, values in found.items()})


def _plots(results: Results, texts: Texts) -> list[CurvePlot]:
    def curve(name: str, label: str) -> Curve | None:
        found = results.curve(Training(), _VARIANT, name, label=label)
        return found if found is not None and found.points else None

    plots = [
        texts.curve_plot("program_accuracy", [curve("raw", "net alone"), curve("searched", "with search")]),
        texts.curve_plot("program_gate", [curve("gate", "all new nets"), curve("accepted", "accepted")]),
    ]
    return [plot for plot in plots if plot.curves]


def _cells(results: Results, same_chance: SameChance) -> list[Row]:
    """The verdict on a published number is for the order of the sides that fits better: which one was played is not
    known, and a number is counted once.
    """
    table, rows = published().table_1, []
    for player in PLAYERS[:-1]:
        cells = {first: runs.Cell(player, PROGRAM, first) for first in (True, False)}
        for (figure, kind), printed in zip(_KINDS.items(), table.of(player, "alphazero"), strict=True):
            found = {
                first: ours
                for first, cell in cells.items()
                if (ours := results.estimate(cell, _VARIANT, figure, is_rate=True, games=table.games)) is not None
            }
            if not found or not (printed or any(each.mean for each in found.values())):
                continue
            verdicts = {first: same_chance(printed, ours, table.games) for first, ours in found.items()}
            better = max(verdicts, key=lambda first: verdicts[first][0])
            for first, ours in found.items():
                order = "first" if first else "second"
                label = f"against {TITLES[player]}, moving {order}: {kind}, %"
                agrees = verdicts[first][1] if first == better else None
                rows.append(Row(label, PERCENT * printed / table.games, ours, None, 0, agrees))
    return rows


def _matches(results: Results) -> list[Row]:
    rows = []
    for player in PLAYERS:
        parts = [runs.MatchPart(player, PROGRAM, number) for number in range(runs.PROGRAM_PARTS)]
        total = total_of(results, parts, _VARIANT)
        if total is not None:
            low, high = (PERCENT * (1 - end) for end in reversed(total.score_interval))
            points = Estimate(PERCENT * (1 - pair_score(total.pairs)), (low, high), 0.0, total.games)
            rows.append(Row(f"against {TITLES[player]}, % of {total.games} games", None, points, None, 1))
    return rows


def hybrids_section(results: Results, texts: Texts) -> Section:
    table = _contest_table(results, "hybrids", contests.hybrid_contests("paper"), texts)
    return texts.section(
        "hybrids", tables=table, simulations=contests.EQUAL_SIMULATIONS, mcts=contests.MCTS_SIMULATIONS
    )


def universal_section(results: Results, texts: Texts) -> Section:
    found = list(contests.universal_contests("paper"))
    table = _contest_table(results, "universal", found, texts)
    settings = results.settings(found[0], "corrected")
    net = f"{settings[contests.UNIVERSAL]} (content {settings[runs.UNIVERSAL_CONTENT][:12]})" if settings else ""
    known = ", ".join(list(contests.BOARDS)[:2])
    return texts.section("universal", tables=table, net=net, known=known, simulations=contests.NET_SIMULATIONS)


def _contest_table(results: Results, name: str, played: Iterable[Contest], texts: Texts) -> list[Table]:
    """Points of the first agent of each contest, and the CPU time of its moves as a multiple of its opponent's."""
    parts: dict[str, list[Contest]] = {}
    for contest in played:
        parts.setdefault(contest.title, []).append(contest)
    rows = []
    for title, contest_parts in parts.items():
        total = total_of(results, contest_parts, "corrected")
        if total is None:
            continue
        ratio = _mean_ratio(results, contest_parts)
        label = f"{title} ({total.games} games; {ratio:.2g} times the CPU time)"
        rows.append(Row(label, None, None, points_of(total), 1))
    return [texts.table(name, rows)] if rows else []


def _mean_ratio(results: Results, parts: list[Contest]) -> float:
    """The CPU time per move of the first agent over that of the second."""
    own, other = (
        sum(found for part in parts if (found := results.timing(part, "corrected", side)) is not None) for side in "ab"
    )
    return own / other
