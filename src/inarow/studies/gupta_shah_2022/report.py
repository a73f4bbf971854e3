"""The report of gupta-shah-2022, and the study. Any part of the results may be missing."""

from collections.abc import Sequence
from functools import partial
from itertools import product
from statistics import fmean

from msgspec.structs import replace

from inarow.arena.grading import ACCURACIES
from inarow.arena.ratings import Ratings, fit_ratings
from inarow.arena.statistics import pair_score, wilson_interval
from inarow.arena.tally import CrossTable, SideTally, Tally
from inarow.studies.comparison import LEAST_RUNS, PERCENT, Agreement, Estimate, no_verdict
from inarow.studies.experiment import VARIANTS, Variant, by_variant
from inarow.studies.gupta_shah_2022 import PAIRS, PLAYERS, TITLES, published, runs
from inarow.studies.gupta_shah_2022.agents import ALPHAZERO_SIMULATIONS, agent_string
from inarow.studies.gupta_shah_2022.figures import total_of
from inarow.studies.gupta_shah_2022.report_beyond import hybrids_section, program_section, universal_section
from inarow.studies.report import Bar, Row, Section, Table, agreement_summary, variant_bars
from inarow.studies.results import Results
from inarow.studies.texts import load_texts

TEXTS = load_texts(__package__)
_HALF, _SIGNIFICANT, _PLOTTED = 50.0, 0.05, "critical_accuracy"
_OURS = "alphazero"  # a player that does not repeat the published one, so that nothing agrees or disagrees


def _sections(results: Results) -> list[Section]:
    """The players, both tables, and measurements that the authors did not make."""
    makers = _cells_section, _matches_section, _ratings_section, _grades_section, _speed_section
    beyond = (
        program_section(results, TEXTS, _chance, partial(_grade, variant="as-published")),
        hybrids_section(results, TEXTS),
        universal_section(results, TEXTS),
    )
    found = [*(make(results) for make in makers), *beyond]
    return [_players_section(results), *(section for section in found if section.tables or section.curves)]


def _players_section(results: Results) -> Section:
    known = [player for player in PLAYERS if player != "alphazero"]
    listed = by_variant(lambda variant: ", ".join(agent_string(player, variant) for player in known))
    nets = by_variant(lambda variant: results.settings(runs.Grade("alphazero"), variant))
    used = {f"{net[runs.NET]} (content {net[runs.NET_CONTENT][:12]})" for net in nets if net}
    net = ", ".join(sorted(used)) or "none yet"
    return TEXTS.section("players", agents=listed, simulations=ALPHAZERO_SIMULATIONS, net=net)


def _cells_section(results: Results) -> Section:
    tables, games = (_cells(results, column_first=True), _cells(results, column_first=False)), published().table_1.games
    fifth, every = ([PERCENT * end for end in wilson_interval(rate, games)] for rate in (0.2, 1.0))
    agreement, shown = agreement_summary(tables), [table for table in tables if table.rows]
    return TEXTS.section("cells", agreement=agreement, games=games, fifth=fifth, every=every, tables=shown)


def _cells(results: Results, *, column_first: bool) -> Table:
    table, rows, few_distinct = published().table_1, [], []
    for row, column in PAIRS:
        cell, title = runs.Cell(row, column, column_first), f"{TITLES[row]} - {TITLES[column]}"
        first = TITLES[column if column_first else row]
        labels = {"column": f"{TITLES[column]} wins", "row": f"{TITLES[row]} wins", "draws": "draws"}
        for (figure, kind), printed in zip(labels.items(), table.of(row, column), strict=True):
            ours = results.estimate(cell, "as-published", figure, is_rate=True, games=table.games)
            if ours is not None and (printed or ours.mean):
                label = f"{title}, {first} first: {kind}, %"
                agrees = None if column == _OURS else _chance(printed, ours, table.games)[1]
                rows.append(Row(label, PERCENT * printed / table.games, ours, None, 0, agrees))
        distinct = results.estimate(cell, "as-published", "distinct")
        if distinct is not None and distinct.mean < table.games:
            few_distinct.append(f"{title} {distinct.mean:.1f}")
    note = TEXTS.sentence("few_distinct", cells=", ".join(few_distinct)) if few_distinct else ""
    found = TEXTS.table("cells", rows, first="column" if column_first else "row", few_distinct=note)
    return replace(found, is_repeated=not column_first)


def _chance(printed: int, ours: Estimate, games: int) -> tuple[float, Agreement]:
    """(probability, verdict): whether `printed` of `games` published games is compatible with our rate, by Fisher's
    exact test, since one of our runs has no more games than the published one.
    """
    from scipy.stats import fisher_exact  # loads slowly

    played = games * ours.runs
    hits = round(ours.mean / PERCENT * played)
    p = fisher_exact([[printed, games - printed], [hits, played - hits]]).pvalue
    if ours.runs < LEAST_RUNS:
        return float(p), no_verdict(ours.runs)
    verdict = "within" if p >= _SIGNIFICANT else "outside"
    return float(p), Agreement(bool(p >= _SIGNIFICANT), f"{verdict}, p = {p:.2g}")


def match_total(results: Results, a: str, b: str, variant: Variant) -> Tally | None:
    """The sum of the finished parts of a match, for `a`; None if there are none."""
    return total_of(results, (runs.MatchPart(a, b, number) for number in range(runs.PARTS)), variant)


def _matches_section(results: Results) -> Section:
    rows, distinct, games = [], [], set()
    for a, b in PAIRS:
        totals = [match_total(results, a, b, variant) for variant in VARIANTS]
        if any(totals):
            rows += _match_rows(a, b, totals)
            as_published, corrected = (Estimate(float(each.distinct_games)) if each else None for each in totals)
            distinct.append(Row(f"{TITLES[a]} - {TITLES[b]}", None, as_published, corrected, 0))
            games |= {total.games for total in totals if total is not None}
    listed = " to ".join(map(str, sorted(games)))
    tables = [TEXTS.table("points", rows), TEXTS.table("distinct", distinct, games=listed)] if rows else []
    return TEXTS.section("matches", times=by_variant(partial(_times, results)), tables=tables)


def _times(results: Results, variant: Variant) -> str:
    """The mean time per move of each player; empty without results."""
    seconds: dict[str, list[float]] = {player: [] for player in PLAYERS}
    for pair, number in product(PAIRS, range(runs.PARTS)):
        for player, side in zip(pair, "ab", strict=True):
            found = results.timing(runs.MatchPart(*pair, number), variant, side)
            seconds[player] += [] if found is None else [found]
    listed = [f"{TITLES[player]} {1000 * fmean(each):.3g}" for player, each in seconds.items() if each]
    return TEXTS.sentence("times", variant=variant, times=", ".join(listed)) if listed else ""


def _match_rows(row: str, column: str, totals: list[Tally | None]) -> list[Row]:
    """The rows of a match. Tallies are for the row's player; like the published table, this one shows the column's."""
    as_published, corrected = (None if total is None else _of_column(total) for total in totals)
    wins, _, draws = published().table_1.of(row, column)
    printed = PERCENT * (wins + draws / 2) / published().table_1.games
    label = f"{TITLES[row]} - {TITLES[column]}: {TITLES[column]}"
    agrees = None if as_published is None or column == _OURS else _same_winner(printed, as_published)
    found = [Row(f"{label}, %", printed, as_published, corrected, 1, agrees)]
    for side, words in (("as_second", "moving first"), ("as_first", "moving second")):
        points = [Estimate(PERCENT * (1 - getattr(each, side).score)) if each else None for each in totals]
        found.append(Row(f"{label} {words}, %", None, points[0], points[1], 1))
    return found


def _of_column(total: Tally) -> Estimate:
    low, high = (PERCENT * (1 - end) for end in reversed(total.score_interval))
    return Estimate(PERCENT * (1 - pair_score(total.pairs)), (low, high), 0.0, total.games)


def _same_winner(printed: float, ours: Estimate) -> Agreement | None:
    """A verdict if our interval does not contain 50 %. The agents are fixed, so each pair of games is a run."""
    assert ours.interval is not None
    if ours.runs // 2 < LEAST_RUNS:
        return no_verdict(ours.runs // 2)
    low, high = ours.interval
    if low <= _HALF <= high:
        return None
    agrees = (printed > _HALF) == (low > _HALF)
    return Agreement(agrees, "the same winner" if agrees else "the other one wins")


def _ratings_section(results: Results) -> Section:
    """The ratings, with a table only if a variant has all its matches."""
    rated = by_variant(partial(rate_players, results))
    as_published, corrected = map(_as_scores, rated)
    rows = [
        Row(_title(player), published().table_2[player], as_published.get(player), corrected.get(player), 0)
        for player in PLAYERS
    ]
    orders = [_order(found, variant) if found else "" for variant, found in zip(VARIANTS, rated, strict=True)]
    table_1 = rate_published()
    listed = [
        f"{_title(each.agent)} {each.elo:+.0f} ({each.interval[0]:.0f} to {each.interval[1]:.0f})"
        for each in table_1.table
    ]
    order, tables = _concordance(table_1), [TEXTS.table("ratings", rows)] if any(rated) else []
    return TEXTS.section("ratings", orders=orders, ratings=", ".join(listed), concordance=order, tables=tables)


def _order(found: Ratings, variant: Variant) -> str:
    repeated = [player for player in PLAYERS if player != _OURS]
    orders = {"repeated": _concordance(found, repeated), "concordance": _concordance(found)}
    return TEXTS.sentence("orders", variant=variant, rated=found, **orders)


def rate_players(results: Results, variant: Variant) -> Ratings | None:
    """Ratings around 0 from all matches; None unless all pairs of players have met."""
    counted = CrossTable()
    for a, b in PAIRS:
        total = match_total(results, a, b, variant)
        if total is None:
            return None
        counted.add(a, b, total.as_first)
        counted.add(b, a, total.as_second.swapped())
    return fit_ratings(counted)


def rate_published() -> Ratings:
    """Ratings from the published Table 1 only, assuming that the column moved first in every cell."""
    counted = CrossTable()
    for row, column in PAIRS:
        column_wins, row_wins, draws = published().table_1.of(row, column)
        counted.add(column, row, SideTally(column_wins, draws, row_wins))
    return fit_ratings(counted)


def _title(player: str) -> str:
    """The name of a player in a table that has theirs and ours."""
    return TITLES[player].removeprefix("our ")


def _as_scores(rated: Ratings | None) -> dict[str, Estimate]:
    """Ratings by player, shifted to the mean of the published scores; empty without ratings."""
    mean, found = fmean(published().table_2.values()), rated.table if rated else ()
    ends = {each.agent: (mean + each.interval[0], mean + each.interval[1]) for each in found}
    return {each.agent: Estimate(mean + each.elo, ends[each.agent], 0.0, each.games) for each in found}


def _concordance(rated: Ratings, players: Sequence[str] = PLAYERS) -> str:
    """The rank correlation of ratings with Table 2, of some players."""
    from scipy.stats import kendalltau  # loads slowly

    ours = {each.agent: each.elo for each in rated.table}
    pairs = [(published().table_2[player], ours[player]) for player in players]
    found = kendalltau(*zip(*pairs, strict=True), method="exact")
    return TEXTS.sentence("concordance", found=found, count=len(players))


def _grades_section(results: Results) -> Section:
    rows, positions = [], set()
    bars: list[Bar] = []
    for player in PLAYERS:
        for figure in (*ACCURACIES, "mean_regret"):
            unit, digits = ("", 2) if figure == "mean_regret" else (", %", 1)
            ours = by_variant(partial(_grade, results, player, figure))
            row = Row(f"{TITLES[player]}: {figure.replace('_', ' ')}{unit}", None, *ours, digits)
            rows += [row] if row.ours else []
            if figure == _PLOTTED:
                bars += variant_bars(replace(row, label=TITLES[player]))
        for variant in VARIANTS:
            positions |= {int(count) for count in results.values(runs.Grade(player), variant, "positions")}
    listed = " to ".join(f"{count:,}" for count in sorted(positions))
    tables = [TEXTS.table("grades", rows, positions=listed)] if rows else []
    return TEXTS.section("grades", tables=tables, bars=[TEXTS.bar_plot("grades", bars)] if bars else [])


def _grade(results: Results, player: str, figure: str, variant: Variant) -> Estimate | None:
    """A figure with Wilson's interval over the positions; for regret with the measured interval."""
    graded = runs.Grade(player)
    if figure == "mean_regret":
        found = [results.values(graded, variant, each) for each in (figure, f"{figure}.low", f"{figure}.high")]
        if not found[0]:
            return None
        (mean,), (low,), (high,) = found
        return Estimate(mean, (low, high))
    counts = results.values(graded, variant, "critical" if figure == _PLOTTED else "positions")
    return results.estimate(graded, variant, figure, is_rate=True, games=int(counts[0]) if counts else None)


def _speed_section(results: Results) -> Section:
    rows = []
    for player, reserve in published().reserve.items():
        times = [results.timing(runs.Speed(), variant, player) for variant in VARIANTS]
        used = published().seconds - reserve
        if any(times):
            as_published, corrected = (Estimate(used / each) if each else None for each in times)
            rows.append(Row(TITLES[player], published().simulations.get(player), as_published, corrected, 0))
    reserves = ", ".join(f"{reserve:g} ({_title(player)})" for player, reserve in published().reserve.items())
    table = TEXTS.table("speed", rows, seconds=published().seconds, reserves=reserves)
    return TEXTS.section("speed", tables=[table] if rows else [])


GUPTA_SHAH_2022 = TEXTS.study(runs.experiments, _sections, settings=runs.SETTINGS)
