"""Tasks for tests of workers: functions that other processes import by name."""

import os
import signal
import time
from pathlib import Path


def slow_square(number: int) -> int:
    time.sleep(0.02 * (number % 3))  # later tasks finish first
    return number * number


def square_nothing_slowly(number: int) -> int:
    if number == 0:
        time.sleep(1.5)
    return number * number


def fail_on_three(number: int) -> int:
    if number == 3:
        raise ValueError("three\nis too many")
    return number


class AwkwardError(Exception):
    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"{number} {reason}")


def fail_awkwardly(number: int) -> int:
    raise AwkwardError(number, "is awkward")


def unpicklable(number: int) -> object:
    return lambda: number


def much(number: int) -> bytes:
    return bytes(20_000_000)


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def stay(folder: str) -> None:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(60)


def remember(number: int, kept: list[int] = []) -> list[int]:  # noqa: B006  # what a module keeps, stays
    kept.append(number)
    return list(kept)
