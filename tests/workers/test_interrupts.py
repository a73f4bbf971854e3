"""Ctrl-C at any moment of work that calls compiled code."""

import os
import subprocess
import sys

import pytest

CALLS = """
import signal
import numpy as np
from inarow.games.playout import random_playouts
from inarow.games.position import Position
from inarow.workers.interrupts import raise_interrupt

for each in (signal.SIGINT, signal.SIGALRM):
    signal.signal(each, raise_interrupt)
start, rng, interrupts = Position.parse("4453"), np.random.default_rng(1), 0
random_playouts(start, 1, rng)  # compiled
while interrupts < 500:
    try:
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(2e-5, 2e-4), 0.1)  # again, should somebody swallow it
        while True:
            random_playouts(start, 1, rng)
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
        interrupts += 1
print(interrupts)
"""


@pytest.mark.compiled
def test_ctrl_c_never_crashes_calls_of_compiled_code():
    """With Python's own handler this ends by a segmentation fault within a second."""
    # Not measured by `make coverage`: tracing takes longer than the pause between two interrupts.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-c", CALLS], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "500\n"), done.stderr


LOADING = """
import ctypes, signal, sys, types
from inarow.workers.interrupts import raise_interrupt

signal.signal(signal.SIGINT, raise_interrupt)
module = types.ModuleType("llvmlite.binding.executionengine")
exec("def notify(): deeper()", module.__dict__)
module.deeper = lambda: signal.raise_signal(signal.SIGINT)  # Ctrl-C arrives in a callback of LLVM
callback = ctypes.CFUNCTYPE(None)(module.notify)
try:
    callback()
    for _ in range(10**9):
        pass
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_is_not_lost_while_machine_code_is_loaded():
    """With Python's own handler the exception is printed and ignored, and the loop continues."""
    done = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")
