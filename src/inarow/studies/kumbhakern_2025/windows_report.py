"""The section of the report on what limits play by windows."""

from inarow.arena.statistics import wilson_interval
from inarow.studies.comparison import PERCENT, Estimate, estimate
from inarow.studies.experiment import Experiment
from inarow.studies.kumbhakern_2025.runs import OPPONENTS, SIDES
from inarow.studies.kumbhakern_2025.texts import TEXTS
from inarow.studies.kumbhakern_2025.windows import (
    PLAYED,
    PLAYERS,
    RULES,
    SOURCES,
    ReflexGames,
    Rule,
    Source,
    WindowAccuracy,
    WindowGames,
    rule_name,
)
from inarow.studies.report import Bar, Row, Section, measured
from inarow.studies.results import Results

_OUTCOME, _CRITICAL = "outcome_accuracy", "critical_accuracy"


def windows_section(results: Results) -> Section:
    """Without results, it has no rows."""
    positions, critical = (_size(results, what) for what in ("positions", "critical"))
    games = next((size for each in _players() if (size := results.size(each[1], "games")) is not None), 0)
    counts = {results.runs(experiment, "corrected") for _, experiment in _players()} - {0}
    runs = " to ".join(str(count) for count in sorted({min(counts), max(counts)})) if counts else "no"
    tables = [
        TEXTS.table("outcome", _accuracy_rows(results, _OUTCOME, positions), positions=positions),
        TEXTS.table("critical", _accuracy_rows(results, _CRITICAL, critical), critical=critical),
        TEXTS.table("games", _game_rows(results), games=games, runs=f"{runs} run" + ("s" if runs != "1" else "")),
    ]
    tables = [table for table in tables if table.rows]
    return TEXTS.section("windows", tables=tables, bars=[TEXTS.bar_plot("outcome", _bars(results, positions))])


def rule_label(source: Source, rule: Rule) -> str:
    return f"{source.name}: {rule[0]}, ties {rule[1]}"


def _size(results: Results, what: str) -> int:
    experiments: list[Experiment] = [ReflexGames(), *map(WindowAccuracy, SOURCES)]
    found = [value for each in experiments for value in results.values(each, "corrected", what)]
    return int(found[0]) if found else 0


def _accuracy_rows(results: Results, figure: str, positions: int) -> list[Row]:
    rows = [
        Row(rule_label(source, rule), None, None, _accuracy(results, source, rule, figure, positions), 1)
        for source in SOURCES
        for rule in RULES
    ]
    values = results.values(ReflexGames(), "corrected", f"winblock.{figure}")
    return [*measured(rows), *measured([Row("winblock", None, None, _over_positions(values, positions), 1)])]


def _accuracy(results: Results, source: Source, rule: Rule, figure: str, positions: int) -> Estimate | None:
    values = results.values(WindowAccuracy(source), "corrected", f"{rule_name(rule)}.{figure}")
    return _over_positions(values, positions)


def _over_positions(values: list[float], positions: int) -> Estimate | None:
    """An estimate with the interval over runs or over the positions, which all runs share; the wider one."""
    found = estimate(values, is_rate=True)
    if found is None:
        return None
    low, high = (PERCENT * end for end in wilson_interval(found.mean / PERCENT, positions))
    if found.interval is None or high - low > found.interval[1] - found.interval[0]:
        found = Estimate(found.mean, (low, high), found.scatter, found.runs)
    return found


def _bars(results: Results, positions: int) -> list[Bar]:
    bars = []
    for source in SOURCES:
        for rule in PLAYED:
            found = _accuracy(results, source, rule, _OUTCOME, positions)
            if found is not None:
                bars.append(Bar(source.name, found.mean, found.interval, f"{rule[0]}, ties {rule[1]}"))
    return bars


def _players() -> list[tuple[str, Experiment]]:
    players: list[tuple[str, Experiment]] = [
        (rule_label(source, rule), WindowGames(source, rule)) for source in PLAYERS for rule in PLAYED
    ]
    return [*players, ("winblock", ReflexGames())]


def _game_rows(results: Results) -> tuple[Row, ...]:
    rows = []
    for label, experiment in _players():
        games = results.size(experiment, "games")
        for opponent in OPPONENTS:
            sides = [results.values(experiment, "corrected", f"6x7 {opponent}.{side}.wins") for side in SIDES]
            values = [sum(pair) / len(pair) for pair in zip(*sides, strict=True)]
            row = Row(f"{label}, against {opponent}", None, None, estimate(values, is_rate=True, games=games), 1)
            rows.append(row)
    return measured(rows)
