"""The report of paranji-2025, and the study."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import product

from msgspec.structs import replace

from inarow.studies.comparison import PERCENT, Estimate, agreement, estimate
from inarow.studies.experiment import Variant, by_variant
from inarow.studies.paranji_2025 import AGENTS, BOARDS, PAIRINGS, SEARCHERS, Figures, published
from inarow.studies.paranji_2025.runs import DEPTHS, DepthTest, ListedTraining, RoundRobin, experiments
from inarow.studies.report import Bar, BarPlot, Row, Section, Table, agreement_summary, variant_bars
from inarow.studies.results import Results
from inarow.studies.texts import load_texts

TEXTS = load_texts(__package__)
_NAMES = TEXTS.labels["agents"]
_GAMES = {"tictactoe": "Tic Tac Toe", "connect4": "Connect Four", "depth": "depth test"}
_OUTSIDE = 0.05  # of single runs lie outside their 95 % range


def _sections(results: Results) -> list[Section]:
    """Table 1, the pairings and the pruning figure of each game, the depth test, and what is only stated."""
    return [*(_game_section(board, results) for board in BOARDS), _depth_section(results), _stated_section()]


def _game_section(board: str, results: Results) -> Section:
    table_1, pairings = _table_1(board, results), _pairing_tables(board, results)
    committed = {agent: published().of_agent(board, agent) for agent in AGENTS}
    again = TEXTS.table("agents_again", _agent_rows(board, committed, results))
    rates, costs = _pairing_rows(results, ListedTraining(board), ("q", "default"), "", published().setup.pairing_games)
    labels = TEXTS.labels["curves"].items()
    curves = [results.curve(RoundRobin(board), "corrected", name, label=label) for name, label in labels]
    return TEXTS.section(
        "game",
        game=TEXTS.labels["games"][board],
        agreement=agreement_summary((table_1, *pairings)),
        chance=chance_sentence((table_1, *pairings)),
        tables=[table_1, _times(board, results), again, *pairings, TEXTS.table("listed", rates + costs)],
        bars=[_pruning_bars(board, results)],
        curves=[TEXTS.curve_plot("training", curves)] if any(curves) else [],
    )


def _table_1(board: str, results: Results) -> Table:
    rows = _agent_rows(board, published().table_1[board], results)
    for agent in SEARCHERS:
        label, value = f"{_NAMES[agent]}: nodes per game", published().pruning[board][agent]
        rows.append(results.row(label, RoundRobin(board), f"{agent}.nodes", published=value, digits=0))
    return TEXTS.table("agents", rows + _nodes_saved(board, results))


def _agent_rows(board: str, numbers: Mapping[str, Figures], results: Results) -> list[Row]:
    rows = []
    for (agent, printed), (name, what) in product(numbers.items(), TEXTS.labels["figures"].items()):
        label, figure, value = f"{_NAMES[agent]}: {what}", f"{agent}.{name}", getattr(printed, name)
        row = results.row(label, RoundRobin(board), figure, published=value, digits=2, is_rate=name != "moves")
        rows.append(row)
    return rows


def _times(board: str, results: Results) -> Table:
    """Seconds per game in Table 1 and in the text, which depend on the machine and are not compared."""
    rows = []
    for agent, printed in published().table_1[board].items():
        label, value = f"{_NAMES[agent]}: Table 1", printed.seconds
        if value is None:
            label, value = f"{label}, below", printed.seconds_below
        rows.append(_seconds(label, value, results, RoundRobin(board), agent, digits=4))
    text = published().text[board]
    for searcher in SEARCHERS:
        label, value = f"{_NAMES[searcher]}: text", text.seconds[searcher]
        row = _seconds(label, value, results, RoundRobin(board), searcher, digits=2)
        rows.append(replace(row, corrected=None))  # too short for two digits
    if text.time_saved is not None:
        as_published, corrected = by_variant(partial(_time_saved, board, results))
        rows.append(Row("saved by pruning, % (text)", text.time_saved, as_published, corrected, digits=1))
    return TEXTS.table("times", rows)


def _seconds(
    label: str, printed: float | None, results: Results, experiment: RoundRobin | DepthTest, what: str, *, digits: int
) -> Row:
    """A time without agreement and without an interval: runs shared their machine."""

    def ours(variant: Variant) -> Estimate | None:
        seconds = results.timing(experiment, variant, f"{what}.seconds")
        return None if seconds is None else Estimate(seconds, runs=results.runs(experiment, variant))

    as_published, corrected = by_variant(ours)
    return Row(label, printed, as_published, corrected, digits)


def _time_saved(board: str, results: Results, variant: Variant) -> Estimate | None:
    experiment = RoundRobin(board)
    plain, pruned = (results.timing(experiment, variant, f"{agent}.seconds") for agent in SEARCHERS)
    if plain is None or pruned is None:
        return None
    return Estimate(PERCENT * (1 - pruned / plain), runs=results.runs(experiment, variant))


def _nodes_saved(board: str, results: Results) -> list[Row]:
    """The percentage of nodes that pruning saves, where the text has it."""
    printed = published().text[board].nodes_saved
    if printed is None:
        return []

    def ours(variant: Variant) -> Estimate | None:
        plain, pruned = (results.values(RoundRobin(board), variant, f"{agent}.nodes") for agent in SEARCHERS)
        return estimate([PERCENT * (1 - few / many) for many, few in zip(plain, pruned, strict=True)])

    as_published, corrected = by_variant(ours)
    agrees = None if as_published is None else agreement(printed, as_published, digits=1)
    return [Row("nodes saved by pruning, % (text)", printed, as_published, corrected, 1, agrees)]


def chance_sentence(tables: Iterable[Table]) -> str:
    """How many numbers chance alone would leave outside. One that is the same in every run cannot lie outside."""
    rows = (row for table in tables for row in table.rows)
    compared = [row.as_published for row in rows if row.agreement is not None and row.agreement.agrees is not None]
    varying = sum(ours is not None and ours.scatter > 0 for ours in compared)
    fixed = len(compared) - varying
    if not fixed or not varying:
        return ""
    return TEXTS.sentence("chance", fixed=fixed, varying=varying, expected=_OUTSIDE * varying)


def _pairing_tables(board: str, results: Results) -> tuple[Table, Table]:
    """The tables of rates, and of moves and nodes."""
    rates, costs, games = [], [], published().setup.pairing_games
    for pairing in PAIRINGS:
        # Two deterministic agents repeat one game, so their games are not a sample.
        sample = None if set(pairing) <= set(SEARCHERS) else games
        found, more = _pairing_rows(results, RoundRobin(board), pairing, f"{'-'.join(pairing)}.", sample)
        rates += [
            row for row in found if row.published or any(each.mean for each in row.ours)
        ]  # most pairings have no draws
        costs += more
    return TEXTS.table("rates", rates, games=games), TEXTS.table("costs", costs, games=games)


def _pairing_rows(
    results: Results, experiment: RoundRobin | ListedTraining, pairing: tuple[str, str], prefix: str, games: int | None
) -> tuple[list[Row], list[Row]]:
    """(Rates, moves and published nodes) of a pairing; its figures begin with `prefix`."""
    printed, (first, second) = published().pairings[experiment.board]["-".join(pairing)], map(_NAMES.get, pairing)
    labels = {"moves": "moves", "first": f"nodes of {first}", "second": f"nodes of {second}"}
    row = partial(results.row, experiment=experiment)
    rate = partial(row, digits=0, is_rate=True, games=games)
    rates = [
        rate(f"{first} - {second}: {name}, %", figure=f"{prefix}{name}", published=getattr(printed, name))
        for name in ("wins", "draws")
    ]
    costs = [
        row(f"{first} - {second}: {what}", figure=f"{prefix}{name}", published=value, digits=2)
        for name, what in labels.items()
        if (value := getattr(printed, name)) is not None
    ]
    return rates, costs


def _pruning_bars(board: str, results: Results) -> BarPlot:
    bars = []
    for agent in SEARCHERS:
        bars.append(Bar(_NAMES[agent], published().pruning[board][agent], None, "published"))
        bars += variant_bars(results.row(_NAMES[agent], RoundRobin(board), f"{agent}.nodes", digits=0))
    return TEXTS.bar_plot("pruning", bars)


def _depth_section(results: Results) -> Section:
    row, test = partial(results.row, experiment=DepthTest(), digits=0), published().depth_test
    rows = [
        row(f"depth {depth}: nodes per game", figure=f"depth {depth}.nodes", published=float(printed))
        for depth, printed in zip(DEPTHS, test.nodes, strict=True)
    ]
    rows += [row(f"depth {each}: wins, %", figure=f"depth {each}.wins", is_rate=True, games=1) for each in DEPTHS]
    seconds = [
        _seconds(f"depth {depth}", printed, results, DepthTest(), f"depth {depth}", digits=3)
        for depth, printed in zip(DEPTHS, test.seconds, strict=True)
    ]
    tables = (TEXTS.table("depth", rows), TEXTS.table("times", seconds))
    return TEXTS.section("depth", agreement=agreement_summary(tables), chance=chance_sentence(tables), tables=tables)


def _stated_section() -> Section:
    """Numbers of the report that no game measures."""
    setup = published().setup
    numbers = {
        "games of a pairing": setup.pairing_games,
        "games on a board": setup.games,
        **{f"training games, {_GAMES[board]}": number for board, number in setup.episodes.items()},
        **{f"--num_games, {_GAMES.get(name, name)}": number for name, number in setup.listed_games.items()},
        **{f"positions, {_GAMES[board]}": number for board, number in setup.states.items()},
        "minutes per move without a depth limit, more than": setup.unlimited_minutes,
    }
    rows = [Row(label, float(number), digits=0) for label, number in numbers.items()]
    rows += [Row(f"Q: {name}", number, digits=3) for name, number in setup.learning.items()]
    return TEXTS.section("stated", tables=[TEXTS.table("stated", rows)])


PARANJI_2025 = TEXTS.study(experiments, _sections)
