"""The command line with checkpoints every moment, and with a study that takes seconds.

`python -m tests.reliability.long_command ...` is the real one apart from that: what it prints and
leaves behind is what users see.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

CHECKPOINT_SECONDS = 0.1


def save_often() -> None:
    from inarow.learning.alphazero.run import AlphaZeroRun
    from inarow.learning.deep_q.run import DeepQRun
    from inarow.learning.tabular.run import QRun

    for kind in (QRun, DeepQRun, AlphaZeroRun):
        kind.train.__kwdefaults__["checkpoint_seconds"] = CHECKPOINT_SECONDS


def add_study() -> None:
    from inarow.studies.catalogue import register_study
    from tests.reliability.quick_study import MANY_DICE

    register_study(MANY_DICE)


def let_the_clock_jump() -> None:
    """From now on the wall clock is set to another day all the time, as a person or a time server might."""
    chance, truth = random.Random(1), time.time
    time.time = lambda: truth() + chance.uniform(-86400, 86400)


def write_games(folder: Path) -> None:
    """Fills a results store, batch by batch."""
    from inarow.arena.store import Store
    from tests.arena.store_processes import match, numbered
    from tests.reliability.long_work import STORE_BATCH, STORE_GAMES

    with Store(folder / "lab.sqlite") as store:
        match_id = store.add_match(match("games"))
        first = len(store.finished_numbers(match_id))
        for start in range(first, STORE_GAMES, STORE_BATCH):
            store.add_games(match_id, numbered(start, start + STORE_BATCH))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as in inarow/__main__.py
    if "INAROW_TEST_READY" in os.environ:
        Path(os.environ["INAROW_TEST_READY"]).touch()
    if os.environ.get("INAROW_TEST_CLOCK") == "jumps":
        let_the_clock_jump()
    if sys.argv[1] == "write-games":
        from inarow.errors import InarowError

        try:
            write_games(Path(sys.argv[2]))
        except InarowError as error:  # as the commands that write games do
            print(f"inarow: {error}", file=sys.stderr)
            sys.exit(2)
    else:
        if sys.argv[1] == "train":
            save_often()
        if sys.argv[1] == "reproduce":
            add_study()
        from inarow.__main__ import main

        main()
