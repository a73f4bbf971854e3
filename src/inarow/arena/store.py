"""The results store: games, matches, grades and runs in one file."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarow.arena.game_rows import game_row
from inarow.arena.store_schema import (
    GAME_COLUMNS,
    AgentIdentity,
    GradeEntry,
    MatchEntry,
    RunEntry,
    RunStatus,
    check_names,
    connect,
    damage_errors,
    from_json,
    from_row,
    store_errors,
    to_json,
    to_row,
)
from inarow.arena.tally import SideTally, Tally
from inarow.errors import StoreError, shown
from inarow.games import GameRecord, GameSpec
from inarow.results import data_frame
from inarow.version import __version__

if TYPE_CHECKING:
    from pandas import DataFrame

_MATCH_COLUMNS = "key, board, a, b, seed, opening_plies, settings"
_COUNTS = (
    "count(*) FILTER (WHERE winner = 1), count(*) FILTER (WHERE winner IS NULL), count(*) FILTER (WHERE winner = 2),"
    " count(DISTINCT moves)"
)
"""A `SideTally` of the side that moved first."""
_PAGE = 500  # games read per query; no lock is held between pages


class Store(AbstractContextManager["Store"]):
    """A connection to a results store, for the thread that opened it.

    Any number of processes may read while one writes; writers wait for each other. Every method that
    writes is one transaction. All methods raise StoreError.
    """

    def __init__(self, path: Path | str, *, readonly: bool = False) -> None:
        """The store at `path`, created if it does not exist and `readonly` is not set."""
        self._path = Path(path)
        self._connection = connect(self._path, readonly=readonly)

    def close(self) -> None:
        self._connection.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- matches and games ---

    def add_match(self, match: MatchEntry) -> int:
        """The id of the match, which is added if missing; raises StoreError if its key belongs to another match."""
        if match.a.name == match.b.name and match.a != match.b:
            raise StoreError(f"{shown(match.a.name)} stands for two different agents in one match")
        with self._writing():
            board, a, b = str(GameSpec.parse(match.board)), self._agent_id(match.a), self._agent_id(match.b)
            row = (match.key, board, a, b, str(match.seed), match.opening_plies, to_json(match.settings))
            self._execute(
                f"INSERT INTO matches ({_MATCH_COLUMNS}, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (key) DO NOTHING",
                (*row, _now()),
            )
            select = f"SELECT id, {_MATCH_COLUMNS} FROM matches WHERE key = ?"
            ((match_id, *stored),) = self._execute(select, (match.key,))
            if tuple(stored) != row:
                raise StoreError(f"{self._path} has another match under the key {shown(match.key)}")
        return int(match_id)

    def find_match(self, key: str) -> int | None:
        """The id of the match with a key, None if missing; read-only."""
        rows = self._execute("SELECT id FROM matches WHERE key = ?", (key,))
        return int(rows[0][0]) if rows else None

    def matches(self, *, board: str | None = None, agent: str | None = None) -> dict[int, MatchEntry]:
        """All matches by id, optionally only those on a board or with an agent of this name."""
        agents = self._agents()
        rows = self._match_rows(board=board, agent=agent)
        with damage_errors(self._path):
            return {
                match_id: MatchEntry(key, its_board, agents[a], agents[b], int(seed), plies, from_json(settings))
                for match_id, key, its_board, a, b, seed, plies, settings in rows
            }

    def _match_rows(
        self, *, board: str | None = None, agent: str | None = None, match_id: int | None = None
    ) -> list[tuple[Any, ...]]:
        """The id and all columns of matches; filters that are None are ignored."""
        return self._execute(
            f"SELECT id, {_MATCH_COLUMNS} FROM matches WHERE ifnull(board = ?, 1) AND ifnull(id = ?, 1)"
            " AND (? IS NULL OR EXISTS (SELECT 1 FROM agents WHERE id IN (a, b) AND name = ?)) ORDER BY id",
            (None if board is None else str(GameSpec.parse(board)), match_id, agent, agent),
        )

    def add_games(self, match_id: int, games: Iterable[tuple[int, GameRecord]]) -> int:
        """Stores numbered games of a match and returns the number of new ones: stored games are not
        replaced. The records are not checked.
        """
        board, agents = self._players(match_id)
        rows = [(match_id, *to_row(number, record, board, agents)) for number, record in games]
        with self._writing():
            before = self._connection.total_changes
            self._connection.executemany(
                f"INSERT INTO games (match, {GAME_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (match, number) DO NOTHING",
                rows,
            )
            added = self._connection.total_changes - before
            numbers = to_json([number for _, number, *_ in rows])
            ((kept,),) = self._execute(
                "SELECT count(*) FROM games WHERE match = ? AND number IN (SELECT value FROM json_each(?))",
                (match_id, numbers),
            )
            if kept != len({number for _, number, *_ in rows}):
                raise StoreError(f"{self._path} kept {kept} of {len(rows)} games; none of them is stored")
            return added

    def finished_numbers(self, match_id: int) -> set[int]:
        """The numbers of the stored games of a match."""
        return {number for (number,) in self._execute("SELECT number FROM games WHERE match = ?", (match_id,))}

    def games(
        self, *, board: str | None = None, agent: str | None = None, match_id: int | None = None
    ) -> Iterator[GameRecord]:
        """The stored records, by match and number; see `matches` for the filters."""
        names = {agent_id: identity.name for agent_id, identity in self._agents().items()}
        for each, _, its_board, *_ in self._match_rows(board=board, agent=agent, match_id=match_id):
            for row in self._game_rows(each):
                with damage_errors(self._path):
                    record = from_row(row, its_board, names)
                yield record

    def to_frame(
        self, *, board: str | None = None, agent: str | None = None, match_id: int | None = None
    ) -> "DataFrame":
        """A row for each game, with the columns of `Match.to_frame`; raises MissingExtraError without pandas."""
        return data_frame(game_row(record) for record in self.games(board=board, agent=agent, match_id=match_id))

    def counted_matches(self, board: str) -> dict[int, MatchEntry]:
        """The matches on a board for statistics, by id: of matches with the same games, only the newest with finished
        ones.

        Another version of inarow plays a match again, mostly with the same games: adding both would count one sample
        twice.
        """
        rows = self._execute(
            "SELECT id FROM matches WHERE board = ? AND EXISTS"
            " (SELECT 1 FROM games WHERE match = matches.id AND termination != 'unfinished')",
            (str(GameSpec.parse(board)),),
        )
        played = {match_id for (match_id,) in rows}
        matches = {match_id: match for match_id, match in self.matches(board=board).items() if match_id in played}
        with damage_errors(self._path):
            newest = {match.games_key: match_id for match_id, match in matches.items()}
        return {match_id: matches[match_id] for match_id in sorted(newest.values())}

    def results(self, match_ids: Iterable[int]) -> dict[tuple[AgentIdentity, AgentIdentity], SideTally]:
        """The finished games of these matches: for each ordered pair of agents that met, the tally of the first."""
        agents = self._agents()
        rows = self._execute(
            f"SELECT first, second, {_COUNTS} FROM games WHERE match IN (SELECT value FROM json_each(?))"
            " AND termination != 'unfinished' GROUP BY first, second ORDER BY first, second",
            (to_json(list(match_ids)),),
        )
        with damage_errors(self._path):
            return {(agents[first], agents[second]): SideTally(*counts) for first, second, *counts in rows}

    def match_tallies(self, match_ids: Iterable[int], *, games: int | None = None) -> dict[int, Tally]:
        """The tally of a in each of these matches with finished games; with `games`, only of that many first games.

        If a plays itself, it is the first side in games with even numbers.
        """
        rows = self._execute(
            f"SELECT match, first = a AND (a != b OR number % 2 = 0) AS is_first, {_COUNTS}"
            " FROM games JOIN matches ON matches.id = match WHERE match IN (SELECT value FROM json_each(?))"
            " AND termination != 'unfinished' AND ifnull(number < ?, 1) GROUP BY match, is_first",
            (to_json(list(match_ids)), games),
        )
        tallies: dict[int, Tally] = {}
        for match_id, is_first, *counts in rows:
            side = SideTally(*counts)
            own = Tally(as_first=side) if is_first else Tally(as_second=side.swapped())
            tallies[match_id] = tallies.get(match_id, Tally()) + own
        return tallies

    # --- grades and runs ---

    def add_grade(self, agent: AgentIdentity, board: str, suite: str, grade: dict[str, Any]) -> None:
        """Adds a grade of an agent; `grade` must be JSON."""
        with self._writing():
            self._execute(
                "INSERT INTO grades (agent, board, suite, grade, created) VALUES (?, ?, ?, ?, ?)",
                (self._agent_id(agent), str(GameSpec.parse(board)), suite, to_json(grade), _now()),
            )

    def grades(self, board: str) -> list[GradeEntry]:
        """The grades on a board, oldest first."""
        board = str(GameSpec.parse(board))
        agents = self._agents()
        rows = self._execute("SELECT agent, suite, grade, created FROM grades WHERE board = ? ORDER BY id", (board,))
        with damage_errors(self._path):
            return [
                GradeEntry(agents[agent], board, suite, from_json(grade), created)
                for agent, suite, grade, created in rows
            ]

    def start_run(self, kind: str, config: dict[str, Any], *, command: str) -> int:
        """The id of a new run; `config` must be JSON, `command` starts the run again."""
        with self._writing():
            self._execute(
                "INSERT INTO runs (kind, config, status, started, command, version) VALUES (?, ?, ?, ?, ?, ?)",
                (kind, to_json(config), "running", _now(), command, __version__),
            )
            ((run_id,),) = self._execute("SELECT last_insert_rowid()")
        return int(run_id)

    def finish_run(self, run_id: int, status: RunStatus = "finished") -> None:
        with self._writing():
            self._execute("UPDATE runs SET status = ?, finished = ? WHERE id = ?", (status, _now(), run_id))
            if self._execute("SELECT changes()") == [(0,)]:
                raise StoreError(f"{self._path} has no run {run_id}")

    def runs(self) -> list[RunEntry]:
        """All runs, oldest first."""
        rows = self._execute(
            "SELECT id, kind, config, status, started, finished, command, version FROM runs ORDER BY id"
        )
        with damage_errors(self._path):
            return [RunEntry(run_id, kind, from_json(config), *rest) for run_id, kind, config, *rest in rows]

    # --- rows ---

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A write transaction, committed if the block ends without an exception."""
        with store_errors(self._path):
            check_names(self._path)
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.rollback()
                raise

    def _execute(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with store_errors(self._path):
            return self._connection.execute(statement, values).fetchall()

    def _agents(self) -> dict[int, AgentIdentity]:
        rows = self._execute("SELECT id, name, kind, parameters, content_hash FROM agents")
        return {agent_id: AgentIdentity(*identity) for agent_id, *identity in rows}

    def _agent_id(self, agent: AgentIdentity) -> int:
        """The id of an agent, which is added if missing."""
        identity = (agent.name, agent.kind, agent.parameters, agent.content_hash)
        self._execute(
            "INSERT INTO agents (name, kind, parameters, content_hash) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            identity,
        )
        ((agent_id,),) = self._execute(
            "SELECT id FROM agents WHERE name = ? AND kind = ? AND parameters = ? AND content_hash IS ?", identity
        )
        return int(agent_id)

    def _players(self, match_id: int) -> tuple[str, dict[str, int]]:
        """The board of a match, and its agents' ids by name."""
        rows = self._execute(
            "SELECT board, name, agents.id FROM matches JOIN agents ON agents.id IN (a, b) WHERE matches.id = ?",
            (match_id,),
        )
        if not rows:
            raise StoreError(f"{self._path} has no match {match_id}")
        return rows[0][0], {name: agent_id for _, name, agent_id in rows}

    def _game_rows(self, match_id: int) -> Iterator[tuple[Any, ...]]:
        query = f"SELECT {GAME_COLUMNS} FROM games WHERE match = ? AND number > ? ORDER BY number LIMIT {_PAGE}"
        last = -1
        while page := self._execute(query, (match_id, last)):
            yield from page
            last = page[-1][0]


@contextmanager
def opened(store: Store | Path | str | None, *, readonly: bool = False) -> Iterator[Store | None]:
    """A store for a `with` block: `store` itself, or the store at a path, which is closed afterwards."""
    if store is None or isinstance(store, Store):
        yield store
    else:
        with Store(store, readonly=readonly) as found:
            yield found


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
