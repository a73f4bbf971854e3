"""The report of paranji-2025, and the study."""

from collections.abc import Mapping
from functools import partial
from itertools import product

from inarow.studies.experiment import VARIANTS
from inarow.studies.paranji_2025 import AGENTS, BOARDS, PAIRINGS, SEARCHERS, Figures, published
from inarow.studies.paranji_2025.runs import DEPTHS, DepthTest, ListedTraining, RoundRobin, experiments
from inarow.studies.report import Bar, BarPlot, Row, Section, Table, agreement_summary, variant_bars
from inarow.studies.results import Results
from inarow.studies.texts import load_texts

TEXTS = load_texts(__package__)
_NAMES = TEXTS.labels["agents"]


def _sections(results: Results) -> list[Section]:
    """Table 1, the pairings and the pruning figure of each game, and the depth test."""
    return [*(_game_section(board, results) for board in BOARDS), _depth_section(results)]


def _game_section(board: str, results: Results) -> Section:
    table_1, pairings = _table_1(board, results), _pairing_tables(board, results)
    committed = {agent: published().of_agent(board, agent) for agent in AGENTS}
    again = TEXTS.table("agents_again", _agent_rows(board, committed, results))
    rates, costs = _pairing_rows(results, ListedTraining(board), ("q", "default"), "", published().pairing_games)
    labels = TEXTS.labels["curves"].items()
    curves = [results.curve(RoundRobin(board), "corrected", name, label=label) for name, label in labels]
    return TEXTS.section(
        "game",
        game=TEXTS.labels["games"][board],
        agreement=agreement_summary((table_1, *pairings)),
        tables=[table_1, again, *pairings, TEXTS.table("listed", rates + costs)],
        bars=[_pruning_bars(board, results)],
        curves=[TEXTS.curve_plot("training", curves)] if any(curves) else [],
    )


def _table_1(board: str, results: Results) -> Table:
    rows = _agent_rows(board, published().table_1[board], results)
    for agent in SEARCHERS:
        label, value = f"{_NAMES[agent]}: nodes per game", published().pruning[board][agent]
        rows.append(results.row(label, RoundRobin(board), f"{agent}.nodes", published=value, digits=0))
    return TEXTS.table("agents", rows, times=_times(board, results))


def _agent_rows(board: str, numbers: Mapping[str, Figures], results: Results) -> list[Row]:
    rows = []
    for (agent, printed), (name, what) in product(numbers.items(), TEXTS.labels["figures"].items()):
        label, figure, value = f"{_NAMES[agent]}: {what}", f"{agent}.{name}", getattr(printed, name)
        row = results.row(label, RoundRobin(board), figure, published=value, digits=2, is_rate=name != "moves")
        rows.append(row)
    return rows


def _times(board: str, results: Results) -> str:
    texts = []
    for agent in AGENTS:
        printed = published().table_1[board][agent].seconds
        ours = [results.timing(RoundRobin(board), variant, f"{agent}.seconds") for variant in VARIANTS]
        numbers = ["-" if seconds is None else f"{seconds:.2g}" for seconds in (printed, *ours)]
        texts.append(f"{_NAMES[agent]} {' / '.join(numbers)}")
    return "; ".join(texts)


def _pairing_tables(board: str, results: Results) -> tuple[Table, Table]:
    """The tables of rates, and of moves and nodes."""
    rates, costs, games = [], [], published().pairing_games
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
    row = partial(results.row, experiment=DepthTest(), digits=0)
    rows = [
        row(f"depth {depth}: nodes per game", figure=f"depth {depth}.nodes", published=float(printed))
        for depth, printed in zip(DEPTHS, published().depth_test["nodes"], strict=True)
    ]
    rows += [row(f"depth {each}: wins, %", figure=f"depth {each}.wins", is_rate=True, games=1) for each in DEPTHS]
    tables = (TEXTS.table("depth", rows),)
    return TEXTS.section("depth", agreement=agreement_summary(tables), tables=tables)


PARANJI_2025 = TEXTS.study(experiments, _sections)
