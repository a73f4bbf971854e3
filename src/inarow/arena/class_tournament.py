"""The round robin of an assignment: every two agent files play each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from inarow.agents.student import FileFaultError, FileLimits, StudentAgent, StudentProcess
from inarow.arena.assignment_files import HandedIn, SavedResults
from inarow.arena.game import play_game
from inarow.arena.student_grading import AssignmentSettings, find_opening_pairs
from inarow.arena.tally import CrossTable
from inarow.workers import Progress, open_pool

_ONE, _OTHER = "one", "other"
_KIND = "pair"


@dataclass(frozen=True, slots=True)
class PairTask:
    """Two files that meet."""

    one: bytes
    other: bytes
    settings: AssignmentSettings
    games: int
    hidden: tuple[str, ...]


def play_pair(task: PairTask) -> CrossTable:
    """The games of two files, in a worker process."""
    settings = replace(task.settings, games=task.games)
    limits = FileLimits(move_seconds=settings.move_seconds, memory=settings.memory << 20, hidden=task.hidden)
    processes = [StudentProcess(source, limits) for source in (task.one, task.other)]
    games = CrossTable()
    try:
        for process in processes:
            process.load()
        for pair, opening in enumerate(find_opening_pairs(settings.spec, settings)):
            for game in (0, 1):
                players = [
                    StudentAgent(name, process, np.random.SeedSequence(settings.seed, spawn_key=(pair, game, side)))
                    for side, (name, process) in enumerate(zip((_ONE, _OTHER), processes, strict=True))
                ]
                first, second = players[::-1] if game else players
                games.add_game(play_game(first, second, opening=opening, seed=settings.seed))
    except FileFaultError:  # a file that loads at times only
        pass
    finally:
        for process in processes:
            process.close()
    return games


def play_class(
    files: Sequence[HandedIn],
    settings: AssignmentSettings,
    games: int,
    hidden: tuple[str, ...],
    saved: SavedResults,
    workers: int,
    progress: bool | Progress,
) -> CrossTable:
    """The games between every two of the files, under their names; those that are saved are not played again."""
    from inarow.terminal import progress_bar

    pairs = list(combinations(sorted(files, key=lambda file: (file.digest, file.name)), 2))
    kind = f"{_KIND}{games}"
    table, new, done = CrossTable(), dict[PairTask, list[tuple[HandedIn, HandedIn]]](), 0

    def add(one: HandedIn, other: HandedIn, found: CrossTable) -> None:
        nonlocal done
        done += 1
        names = {_ONE: one.name, _OTHER: other.name}
        for (first, second), tally in found.results.items():
            table.add(names[first], names[second], tally)

    with progress_bar("round robin", is_shown=progress) as advance:
        for one, other in pairs:
            known = saved.games(kind, one.source, other.source)
            if known is not None:
                add(one, other, known)
            else:
                task = PairTask(one.source, other.source, settings, games, hidden)
                new.setdefault(task, []).append((one, other))
        advance(done, len(pairs))
        with open_pool(workers, tasks=len(new)) as pool:
            for task, found in pool.as_completed(play_pair, new):
                saved.add_games(kind, found, task.one, task.other)
                for one, other in new[task]:
                    add(one, other, found)
                advance(done, len(pairs))
    return CrossTable(dict(sorted(table.results.items())))
