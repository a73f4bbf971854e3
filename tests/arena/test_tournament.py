import hashlib
import json
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import msgspec
import pytest

from inarow.agents.agent import Decision
from inarow.arena.game import play_game
from inarow.arena.leaderboard import store_leaderboard
from inarow.arena.match import match_games, play_into_store, stored_games, summarise
from inarow.arena.match_plan import MatchSettings, plan_match
from inarow.arena.store import Store
from inarow.arena.store_schema import AgentIdentity, to_json
from inarow.arena.tournament import plan_tournament, play_planned
from inarow.errors import InvalidAgentError, InvalidLimitError, StoreError, TableError
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE

AGENTS = ("random", "winblock", "greedy")


def without_times(record):
    return replace(record, plies=tuple(msgspec.structs.replace(ply, seconds=None) for ply in record.plies))


def games_of(plan, path):
    with Store(path, readonly=True) as store:
        ids = {match.key: match_id for match_id, match in store.matches().items()}
        return [
            [without_times(record) for record in store.games(match_id=ids[match.entry().key])] for match in plan.matches
        ]


def test_a_tournament_is_the_same_on_any_number_of_workers(tmp_path):
    plan = plan_tournament(AGENTS, settings=MatchSettings(games=40, seed=1))
    summaries = {}
    for workers in (1, 2):
        with Store(tmp_path / f"{workers}.sqlite") as store:
            summaries[workers] = play_planned(plan, store, workers=workers)
    assert games_of(plan, tmp_path / "1.sqlite") == games_of(plan, tmp_path / "2.sqlite")
    assert summaries[1].standings == summaries[2].standings


@pytest.mark.parametrize("kills", [(2,), pytest.param((1, 2, 1, 2, 1), marks=pytest.mark.soak)])
def test_a_tournament_that_was_killed_equals_the_unbroken_one(tmp_path, kills):
    games = 200 * (len(kills) + 1)
    plan = plan_tournament(AGENTS, settings=MatchSettings(games=games, seed=7))
    with Store(tmp_path / "unbroken.sqlite") as store:
        unbroken = play_planned(plan, store)
    path = tmp_path / "killed.sqlite"
    command = f"tournament {' '.join(AGENTS)} --games {games} --seed 7 --json --store {path}"
    chance = random.Random(1)
    written = [0]
    for workers in kills:
        process = subprocess.Popen(
            [sys.executable, "-m", "inarow", *command.split(), "--workers", str(workers)], stdout=subprocess.DEVNULL
        )
        while games_in(path) == written[-1]:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.1))
        process.kill()
        process.wait()
        written.append(games_in(path))
        assert written[-2] < written[-1] < plan.games  # it was killed at work
    before = games_of(plan, path)
    finished = subprocess.run([sys.executable, "-m", "inarow", *command.split()], capture_output=True, check=True)
    after = games_of(plan, path)
    assert after == games_of(plan, tmp_path / "unbroken.sqlite")
    for some, all_games in zip(before, after, strict=True):
        assert some == all_games[: len(some)]
    standings = json.loads(finished.stdout)["standings"]
    assert [standing["elo"] for standing in standings] == [row.rating.elo for row in unbroken.standings]


def results(store, board):
    return store.results(store.counted_matches(board))


def games_in(path):
    try:
        with Store(path, readonly=True) as store:
            return sum(len(store.finished_numbers(match_id)) for match_id in store.matches())
    except StoreError:  # not there yet
        return 0


def test_what_the_store_has_is_not_played_again(tmp_path, monkeypatch):
    plan = plan_tournament(AGENTS, TIC_TAC_TOE, MatchSettings(games=10))
    with Store(tmp_path / "lab.sqlite") as store:
        first = play_planned(plan, store)
        monkeypatch.setattr("inarow.arena.match.play_game", None)
        assert play_planned(plan, store) == first
        reordered = plan_tournament(AGENTS[::-1], TIC_TAC_TOE, MatchSettings(games=10))
        assert play_planned(reordered, store).standings == first.standings
        longer = plan_tournament(AGENTS, TIC_TAC_TOE, MatchSettings(games=12))
        with pytest.raises(Exception, match="not callable"):
            play_planned(longer, store)
        monkeypatch.undo()
        assert play_planned(longer, store).leaderboard.cross.games == 36
        assert play_planned(plan, store) == first  # the first games of the longer one


def test_the_summary_adds_up(tmp_path):
    plan = plan_tournament(AGENTS, settings=MatchSettings(games=60, seed=2))
    with Store(tmp_path / "lab.sqlite") as store:
        summary = play_planned(plan, store)
        records = [record for match in plan.matches for record in stored_games(match, store)]
    assert summary.leaderboard.cross.games == plan.games == len(records) == 180
    assert summary.ratings.anchor == "random"
    assert [standing.agent for standing in summary.standings] == ["winblock", "greedy", "random"]
    for standing in summary.standings:
        as_first = Counter(record.winner for record in records if record.first == standing.agent)
        as_second = Counter(record.winner for record in records if record.second == standing.agent)
        tally, rating = standing.tally, standing.rating
        assert (tally.as_first.wins, tally.as_first.losses) == (as_first[1], as_first[2])
        assert (tally.as_second.wins, tally.as_second.losses) == (as_second[2], as_second[1])
        assert tally.games == rating.games == tally.wins + tally.draws + tally.losses == 120
        assert standing.score == (tally.wins + tally.draws / 2) / 120
        assert rating.interval[0] <= rating.elo <= rating.interval[1]
    assert summary.standings[0].los > 0.9
    assert summary.standings[-1].los is None
    distinct = len({(record.first, record.second, record.moves) for record in records})
    assert (
        summary.leaderboard.cross.distinct_games == distinct == sum(match.distinct_games for match in summary.matches)
    )
    assert summary.to_dict()["distinct_games"] == distinct


def test_a_gauntlet_is_the_first_against_all_others(tmp_path):
    plan = plan_tournament(("winblock", "random", "greedy"), TIC_TAC_TOE, MatchSettings(games=4), gauntlet=True)
    assert [{match.a, match.b} for match in plan.matches] == [{"winblock", "random"}, {"winblock", "greedy"}]
    everybody = plan_tournament(AGENTS, TIC_TAC_TOE, MatchSettings(games=4))
    assert set(plan.matches) < set(everybody.matches)
    assert len({match.seed for match in everybody.matches}) == 3


def test_senseless_tournaments_are_refused():
    with pytest.raises(InvalidLimitError, match="at least 2 agents; there is 1"):
        plan_tournament(["random"])
    with pytest.raises(InvalidAgentError, match="'winblock' takes part more than once"):
        plan_tournament(["winblock", "random", "winblock:epsilon=0"])
    with pytest.raises(InvalidLimitError, match="it must be even"):
        plan_tournament(AGENTS, settings=MatchSettings(games=3))
    with pytest.raises(InvalidLimitError, match="seed is -1"):
        plan_tournament(AGENTS, settings=MatchSettings(seed=-1))
    with pytest.raises(InvalidLimitError, match="move-seconds is 0"):
        plan_tournament(AGENTS, settings=MatchSettings(move_seconds=0))
    with pytest.raises(InvalidLimitError, match="do not fit"):
        plan_tournament(AGENTS, settings=MatchSettings(opening_plies=-1))
    with pytest.raises(TableError, match="inarow has no Q-table for 6x7x4"):
        plan_tournament(["random", "q"])


def test_a_match_in_the_store_continues(tmp_path):
    plan = plan_match("winblock", "greedy", settings=MatchSettings(games=40, seed=4))
    whole = [without_times(record) for record in match_games(plan)]
    with Store(tmp_path / "lab.sqlite") as store:
        for _, records in play_into_store([replace(plan, games=10)], store):
            assert len(records) <= 10
        assert [without_times(record) for record in match_games(plan, store=store)] == whole
        assert sum(side.games for side in results(store, "connect4").values()) == 40


def test_the_leaderboard_rates_what_games_link(tmp_path):
    with Store(tmp_path / "lab.sqlite") as store:
        assert store_leaderboard(store, "connect4").groups == ()
        play_planned(plan_tournament(AGENTS, settings=MatchSettings(games=20)), store)
        apart = plan_match("winblock:epsilon=0.5", "greedy:epsilon=0.5", settings=MatchSettings(games=4))
        list(match_games(apart, store=store))
        groups = store_leaderboard(store, "connect4").groups
        assert [{rating.agent for rating in group.table} for group in groups] == [set(AGENTS), {apart.a, apart.b}]
        list(match_games(plan_match("random", apart.a, settings=MatchSettings(games=4)), store=store))
        (group,) = store_leaderboard(store, "6x7x4").groups
        assert len(group.table) == 5
        assert group.anchor == "random"


def test_a_match_counts_once_whichever_version_played_it(tmp_path, monkeypatch):
    plan = plan_match("winblock", "random", TIC_TAC_TOE, MatchSettings(games=6))
    with Store(tmp_path / "lab.sqlite") as store:
        list(match_games(plan, store=store))
        before = results(store, "tictactoe")
        monkeypatch.setattr("inarow.arena.match_plan.__version__", "99")
        list(match_games(plan, store=store))
        assert len(store.matches()) == 2
        assert [match.settings["version"] for match in store.counted_matches("tictactoe").values()] == ["99"]
        assert results(store, "tictactoe") == before
        (group,) = store_leaderboard(store, "tictactoe").groups
    assert [rating.games for rating in group.table] == [6, 6]


def test_a_match_is_the_same_in_either_order_and_seen_by_the_agent_named_first(tmp_path, monkeypatch):
    plan, reverse = (
        plan_match(*pair, TIC_TAC_TOE, MatchSettings(games=10)) for pair in (("greedy", "random"), ("random", "greedy"))
    )
    entry = reverse.entry()
    assert entry == plan.entry()
    decisive = (entry.board, entry.a, entry.b, entry.seed, entry.opening_plies, entry.settings)
    as_ever = hashlib.blake2b(to_json(decisive).encode(), digest_size=16).hexdigest()
    assert entry.key == as_ever  # so that stores know the matches they have
    with Store(tmp_path / "lab.sqlite") as store:
        played = list(match_games(plan, store=store))
        monkeypatch.setattr("inarow.arena.match.play_game", None)
        found = list(match_games(reverse, store=store))
        monkeypatch.undo()
        assert len(store.matches()) == 1
    assert [without_times(record) for record in match_games(reverse)] == [without_times(record) for record in found]
    here, there = summarise(played), summarise(found)
    assert (there.a, there.b) == (here.b, here.a) == ("random", "greedy")
    assert (there.wins, there.draws, there.losses) == (here.losses, here.draws, here.wins)
    assert (there.as_first.wins, there.as_second.wins) == (here.as_second.losses, here.as_first.losses)
    assert there.pairs == here.pairs[::-1]


def test_an_agent_that_has_changed_is_another_one_on_the_leaderboard(tmp_path):
    entry = plan_match("random", "winblock", TIC_TAC_TOE, MatchSettings(games=4)).entry()
    changed = replace(entry, key="changed", b=AgentIdentity("winblock", "winblock", '{"epsilon":0.5}'))
    with Store(tmp_path / "lab.sqlite") as store:
        games = list(enumerate(match_games(plan_match("random", "winblock", TIC_TAC_TOE, MatchSettings(games=4)))))
        for match in (entry, changed):
            store.add_games(store.add_match(match), games)
        (group,) = store_leaderboard(store, "tictactoe").groups
    assert {rating.agent for rating in group.table} == {"random", "winblock", "winblock (2)"}


class Slow:
    name = "slow"

    def decide(self, position):
        if position.ply == 4:
            time.sleep(0.05)
        return Decision(action=position.ply % 4)


def test_a_decision_that_takes_too_long_loses_the_game():
    record = play_game(Slow(), Slow(), CONNECT_FOUR, move_seconds=0.03)
    assert (record.winner, record.termination, record.moves) == (2, "time-out", "1234")
    assert "the limit is 0.03 s" in record.fault
    assert record.check() is record
    assert play_game(Slow(), Slow(), CONNECT_FOUR).termination == "normal"


def test_time_outs_are_counted_apart():
    plan = plan_match("random", "winblock", settings=MatchSettings(games=4, move_seconds=1e-9))
    records = list(match_games(plan))
    assert {record.termination for record in records} == {"time-out"}
    assert [record.winner for record in records] == [2] * 4


def test_stored_games_are_read_from_a_store_that_cannot_be_written(tmp_path):
    plan = plan_match("random", "greedy", TIC_TAC_TOE, MatchSettings(games=4))
    other = plan_match("random", "winblock", TIC_TAC_TOE, MatchSettings(games=4))
    with Store(tmp_path / "lab.sqlite") as store:
        played = list(match_games(plan, store=store))
    with Store(tmp_path / "lab.sqlite", readonly=True) as store:
        assert stored_games(plan, store) == played
        assert stored_games(other, store) == []
        assert len(store.matches()) == 1


def test_reading_stored_games_does_not_wait_for_a_writer(tmp_path):
    plan = plan_match("random", "greedy", TIC_TAC_TOE, MatchSettings(games=4))
    path = tmp_path / "lab.sqlite"
    with Store(path) as store:
        played = list(match_games(plan, store=store))
        writer = sqlite3.connect(path, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")  # a second write transaction would wait for this one for a minute
        clock = time.monotonic()
        assert stored_games(plan, store) == played
        assert time.monotonic() - clock < 30
        writer.execute("ROLLBACK")
        writer.close()
