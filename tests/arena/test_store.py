import csv
import io
import itertools
import multiprocessing
import random
import sqlite3
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarow
from inarow.arena.export import write_csv, write_json_lines, write_pgn
from inarow.arena.match import play_match
from inarow.arena.store import Store
from inarow.arena.store_schema import AgentIdentity, MatchEntry
from inarow.arena.tally import NO_PAIRS, SideTally, Tally
from inarow.errors import InvalidAgentError, InvalidSpecError, StoreError
from inarow.games.pgn import from_pgn, split_games
from inarow.games.record import GameRecord, Ply, from_json_line
from tests.arena.store_processes import (
    A,
    B,
    game,
    integrity,
    match,
    numbered,
    read_until_complete,
    write,
    write_for_ever,
)
from tests.strategies import records, texts

PROCESSES = multiprocessing.get_context("spawn")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lab.sqlite"


@pytest.fixture
def store(path):
    with Store(path) as store:
        yield store


def results(store, board):
    return store.results(store.counted_matches(board))


# --- games ---

json_objects = st.dictionaries(texts, st.integers(-(2**53), 2**53) | texts | st.lists(st.booleans()), max_size=3)
keys = map(str, itertools.count())


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("shared") / "lab.sqlite") as store:
        yield store


@given(records(), st.none() | json_objects, st.integers(0, 2**63 - 1))
def test_a_game_comes_back_as_it_was_written(shared_store, record, details, number):
    record = replace(record, plies=tuple(msgspec.structs.replace(ply, details=details) for ply in record.plies))
    a, b = (AgentIdentity(name, "somebody", "{}") for name in (record.first, record.second))
    match_id = shared_store.add_match(MatchEntry(key=next(keys), board=record.board, a=a, b=b, seed=2**64))
    assert shared_store.add_games(match_id, [(number, record)]) == 1
    assert list(shared_store.games(match_id=match_id)) == [record]


def test_played_games_come_back_by_match_and_number(store, path):
    played = play_match("random", "winblock", games=40, seed=5).records
    numbers = list(enumerate(played))
    random.Random(1).shuffle(numbers)
    other = store.add_match(match("other"))
    match_id = store.add_match(match("played", "connect4"))
    store.add_games(match_id, numbers[:25])
    store.add_games(other, numbered(0, 3))
    assert store.finished_numbers(match_id) == {number for number, _ in numbers[:25]}
    store.add_games(match_id, numbers[25:])
    with Store(path, readonly=True) as reader:
        assert list(reader.games(board="connect4")) == list(reader.games(match_id=match_id)) == list(played)
        assert list(reader.games()) == [game(0), game(1), game(2), *played]
        assert list(reader.games(agent="winblock")) == list(reader.games())
        assert list(reader.games(board="connect4", match_id=other)) == []
        assert list(reader.games(agent="nobody")) == list(reader.games(board="4x4x4")) == []


def test_more_games_than_a_page_come_back_and_do_not_hold_up_the_writer(store, path):
    match_id = store.add_match(match("long"))
    store.add_games(match_id, numbered(0, 1200))
    with Store(path, readonly=True) as reader:
        half_read = reader.games()
        begun = [next(half_read) for _ in range(700)]
        store.add_games(match_id, numbered(1200, 1300))
        assert begun + list(half_read) == [game(number) for number in range(1300)]


def test_the_games_of_a_match_do_not_depend_on_other_matches(store, path):
    one, other = (store.add_match(match(key)) for key in ("one", "other"))
    store.add_games(one, numbered(0, 3))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE matches SET settings = '{', board = 'nowhere' WHERE id = ?", (other,))
    connection.close()
    assert list(store.games(match_id=one)) == [game(0), game(1), game(2)]
    assert list(store.games(match_id=99)) == []


def test_a_game_is_stored_once(store):
    match_id = store.add_match(match("one"))
    assert store.add_games(match_id, numbered(0, 10)) == 10
    assert store.add_games(match_id, numbered(5, 15)) == 5
    assert store.add_games(match_id, [(3, replace(game(3), moves="14235", winner=None))]) == 0
    assert store.add_games(match_id, []) == 0
    assert list(store.games()) == [game(number) for number in range(15)]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (replace(game(7), board="tictactoe"), "game 7 is on 'tictactoe', its match on 3x3x3/free"),
        (replace(game(7), first="nobody"), "game 7 is 'nobody' - 'random', which are not the agents of its match"),
        (replace(game(7), moves="14259x"), "game 7 cannot be stored: move 6: 'x' is not a move"),
        (replace(game(7), plies=(Ply(details={"array": object()}),) * 5), "game 7 cannot be stored: .*object"),
        (replace(game(7), winner=3), "CHECK constraint failed"),
        (replace(game(7), fault="\udcff"), "surrogates not allowed"),
    ],
)
def test_a_game_that_cannot_be_stored_takes_its_whole_batch_with_it(store, bad, reason):
    match_id = store.add_match(match("one"))
    with pytest.raises(StoreError, match=reason) as error:
        store.add_games(match_id, [*numbered(0, 7), (7, bad), *numbered(8, 10)])
    assert "\n" not in str(error.value)
    assert list(store.games()) == []
    assert store.add_games(match_id, numbered(0, 10)) == 10


def test_a_match_is_found_again_by_its_key(store, path):
    entry = replace(match("tournament/1"), opening_plies=4, settings={"games": 100, "pairs": [1, 2]})
    match_id = store.add_match(entry)
    assert store.add_match(replace(entry, settings={"pairs": [1, 2], "games": 100})) == match_id
    assert store.add_match(replace(entry, key="tournament/2")) != match_id
    for change in ({"seed": 2}, {"board": "4x4x4"}, {"b": A}, {"opening_plies": 6}, {"settings": {"games": 100}}):
        with pytest.raises(StoreError, match="has another match under the key 'tournament/1'"):
            store.add_match(replace(entry, **change))
    with Store(path) as later:
        assert later.find_match(entry.key) == later.add_match(entry) == match_id
        assert later.find_match("tournament/3") is None
        assert later.matches()[match_id] == replace(entry, board="3x3x3/free")


def test_unknown_matches_boards_and_agents_are_refused(store):
    with pytest.raises(StoreError, match="has no match 5"):
        store.add_games(5, [])
    with pytest.raises(InvalidSpecError):
        store.add_match(match("one", "nowhere"))
    with pytest.raises(InvalidAgentError):
        AgentIdentity.parse("nobody")
    assert store.matches() == {}


@pytest.mark.parametrize(
    ("damage", "read", "reason"),
    [
        (
            'UPDATE games SET details = \'{"plies": 2, "nodes": [1]}\' WHERE number = 1',
            lambda store: list(store.games()),
            "game 1 of .* is damaged",
        ),
        (
            "UPDATE games SET details = 'cut' WHERE number = 1",
            lambda store: list(store.games()),
            "game 1 of .* is damaged",
        ),
        ("UPDATE matches SET settings = '{'", Store.matches, "is damaged"),
    ],
)
def test_damaged_json_is_reported(store, path, damage, read, reason):
    store.add_games(store.add_match(match("one")), numbered(0, 3))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(damage)
    connection.close()
    with pytest.raises(StoreError, match=reason):
        read(store)


# --- agents, results, grades, runs ---


def test_an_agent_is_known_with_all_its_parameters():
    agent = AgentIdentity.parse("winblock:epsilon=0.0")
    assert (agent.name, agent.kind, agent.parameters) == ("winblock", "winblock", '{"epsilon":0.0}')
    assert AgentIdentity.parse("winblock:epsilon=0.5").parameters == '{"epsilon":0.5}'


def test_results_add_up_over_matches_and_leave_out_what_is_unfinished(store):
    summary = play_match("random", "winblock", games=60, seed=8)
    for key in ("one", "two"):
        store.add_games(store.add_match(match(key, "6x7x4")), enumerate(summary.records))
    broken_off = replace(summary.records[0], moves="44", plies=(), opening=0, winner=None, termination="unfinished")
    store.add_games(store.add_match(match("one", "6x7x4")), [(60, broken_off)])
    as_first, as_second = summary.summary.as_first, summary.summary.as_second
    distinct = [len({record.moves for record in summary.records[side::2]}) for side in (0, 1)]
    assert results(store, "connect4") == {
        (A, B): SideTally(2 * as_first.wins, 2 * as_first.draws, 2 * as_first.losses, distinct[0]),
        (B, A): SideTally(2 * as_second.losses, 2 * as_second.draws, 2 * as_second.wins, distinct[1]),
    }
    assert results(store, "tictactoe") == {}
    tallies = store.match_tallies(store.matches())
    assert [replace(Tally.of_pairs(summary.records), pairs=NO_PAIRS)] * 2 == list(tallies.values())
    (first,) = store.match_tallies([1], games=10).values()
    assert first == replace(Tally.of_pairs(summary.records[:10]), pairs=NO_PAIRS)


@pytest.mark.parametrize("is_swapped", [False, True])
def test_of_matches_that_differ_in_version_or_order_only_the_newest_with_games_counts(store, is_swapped):
    def entry(version, **changes):
        return replace(match(f"played by {version}"), settings={"openings": "random", "version": version}, **changes)

    changes = {"a": B, "b": A} if is_swapped else {}
    old, new, empty = (store.add_match(entry(version)) for version in ("1", "2", "3"))
    store.add_games(old, numbered(0, 10))
    store.add_games(new, numbered(0, 4))
    assert list(store.counted_matches("tictactoe")) == [new]
    assert results(store, "tictactoe") == {(A, B): SideTally(2, 0, 0, 1), (B, A): SideTally(2, 0, 0, 1)}
    store.add_games(empty, [(0, replace(game(0), winner=None, termination="unfinished"))])
    other_seed = store.add_match(replace(entry("1", **changes), key="other seed", seed=2))
    again = store.add_match(replace(entry("2", **changes), key="again"))
    store.add_games(other_seed, numbered(0, 2))
    store.add_games(again, numbered(0, 6))
    assert list(store.counted_matches("tictactoe")) == [other_seed, again]
    assert sum(side.wins for side in results(store, "tictactoe").values()) == 8


def test_a_match_of_an_agent_against_itself_counts_for_the_side_that_is_a(store):
    match_id = store.add_match(replace(match("itself"), b=A))
    games = [(number, replace(game(number), first=A.name, second=A.name)) for number in range(3)]
    store.add_games(match_id, games)  # the first side wins them all, and a has it in two of them
    sides = {"as_first": SideTally(2, 0, 0, 1), "as_second": SideTally(0, 0, 1, 1)}
    assert store.match_tallies([match_id]) == {match_id: Tally(**sides)}


def test_the_same_name_with_other_content_or_parameters_is_another_agent(store):
    others = [B, replace(B, content_hash="f00d"), replace(B, content_hash="beef"), replace(B, parameters="{}")]
    for agent in others:
        store.add_games(store.add_match(replace(match(str(agent)), b=agent)), [(0, game(0))])
    assert results(store, "tictactoe") == {(A, agent): SideTally(1, 0, 0, 1) for agent in others}
    with pytest.raises(StoreError, match="two different agents in one match"):
        store.add_match(replace(match("mixed"), a=others[1], b=others[2]))


def test_grades_come_back_by_board(store):
    grade = {"positions": 100, "outcome_accuracy": 0.75, "intervals": {"outcome_accuracy": [0.66, 0.83]}}
    store.add_grade(B, "connect4", "quick", grade)
    store.add_grade(A, "connect4", "quick", {})
    store.add_grade(A, "tictactoe", "all", {})
    one, other = store.grades("6x7x4")
    assert (one.agent, one.board, one.suite, one.grade) == (B, "6x7x4", "quick", grade)
    assert other.agent == A
    age = datetime.now(UTC) - datetime.fromisoformat(one.created)
    assert timedelta(0) <= age < timedelta(minutes=1)


def test_runs_are_remembered_with_their_end(store):
    runs = [store.start_run(kind, {"seed": 1}, command=f"inarow {kind}") for kind in ("tournament", "train", "grade")]
    store.finish_run(runs[0])
    store.finish_run(runs[1], "interrupted")
    one, two, three = store.runs()
    assert [run.id for run in (one, two, three)] == runs
    assert [run.status for run in (one, two, three)] == ["finished", "interrupted", "running"]
    assert (one.kind, one.config, one.command) == ("tournament", {"seed": 1}, "inarow tournament")
    assert one.version == inarow.__version__
    assert one.started <= one.finished
    assert three.finished is None
    with pytest.raises(StoreError, match="has no run 99"):
        store.finish_run(99)


# --- exports ---


def test_exports_can_be_read_back(store):
    played = play_match("random", "winblock", games=20, seed=5).records
    faulty = GameRecord(
        board="6x7x4",
        first="random",
        second="winblock",
        moves="44",
        winner=2,
        termination="crash",
        fault='said "no", and left',
    )
    store.add_games(store.add_match(match("played", "connect4")), enumerate([*played, faulty]))
    games = list(store.games())
    lines, pgn, table = io.StringIO(), io.StringIO(), io.StringIO(newline="")
    write_json_lines(games, lines)
    write_pgn(games, pgn)
    write_csv(games, table)
    assert [from_json_line(line) for line in lines.getvalue().splitlines()] == games
    assert [from_pgn(text) for text in split_games(pgn.getvalue())] == games
    rows = list(csv.DictReader(io.StringIO(table.getvalue(), newline="")))
    assert [(row["moves"], row["result"]) for row in rows] == [(record.moves, record.result) for record in games]
    assert [int(row["plies"]) for row in rows] == [len(record.moves) for record in games]
    assert (rows[-1]["fault"], rows[-1]["termination"], rows[-1]["seed"]) == (faulty.fault, "crash", "")


# --- many processes ---


@contextmanager
def running(function, *arguments):
    """A process at work, and the end of the pipe on which it reports."""
    ours, theirs = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=function, args=(*arguments, theirs))
    process.start()
    theirs.close()
    try:
        yield process, ours
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()


def test_readers_see_only_whole_batches_while_eight_workers_worth_of_games_arrive(path):
    workers, games, batch = 8, 400, 20
    with Store(path) as store, ExitStack() as stack:
        matches = [store.add_match(match(str(worker))) for worker in range(workers)]
        reading = [stack.enter_context(running(read_until_complete, path, workers * games, batch))[1] for _ in range(4)]
        assert [told.recv() for told in reading] == ["reading"] * 4
        new = 0
        for first in range(0, games, batch):
            for worker in random.Random(first).choices(range(workers), k=5) + list(range(workers)):  # some come twice
                new += store.add_games(matches[worker], numbered(first, first + batch))
        states = [told.recv() for told in reading]
        assert new == workers * games
        assert all(store.finished_numbers(match_id) == set(range(games)) for match_id in matches)
    assert all(isinstance(state, int) and state > 2 for state in states), states
    assert integrity(path) == []


def test_two_writers_make_one_store_and_lose_nothing(path):
    with (
        running(write, path, "shared", 0, 3000, 20) as (_, one),
        running(write, path, "shared", 1000, 4000, 20) as (_, other),
    ):
        new = [told.recv() for _ in range(150) for told in (one, other)]
    assert sum(new) == 4000
    with Store(path, readonly=True) as store:
        assert len(store.matches()) == 1
        assert list(store.games()) == [game(number) for number in range(4000)]
    assert integrity(path) == []


def test_a_killed_writer_leaves_whole_batches_and_the_next_continues(path):
    stored, batch = 0, 100
    for delay in (0.0, 0.013, 0.029):
        with running(write_for_ever, path, stored, batch) as (writer, told):
            acknowledged = sum(told.recv() for _ in range(3))
            time.sleep(delay)
            writer.kill()
            acknowledged += sum(until_closed(told))
        with Store(path) as store:
            (match_id,) = store.matches()
            numbers = store.finished_numbers(match_id)
        assert numbers == set(range(len(numbers)))
        assert len(numbers) in (stored + acknowledged, stored + acknowledged + batch)
        assert integrity(path) == []
        stored = len(numbers)


def until_closed(told):
    try:
        while True:
            yield told.recv()
    except EOFError:
        return
