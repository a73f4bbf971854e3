"""An AlphaZero run: play, learn, publish, again and again, until its budget is spent.

The learning process draws `reuse` samples for every new example and plays games itself when it has done
so; its worker_processes only play. Of a run on a cluster it only learns. With a budget of iterations, and one worker
or a cluster, the same seed gives the same net. Killed at any moment, `resume` goes on from the last checkpoint;
games under way are begun anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from inarow.learning.alphazero import schedule
from inarow.learning.alphazero.config import AlphaZeroConfig, GateConfig
from inarow.learning.alphazero.evaluator import KIND, Evaluate, net_evaluator
from inarow.learning.alphazero.farm import Farm
from inarow.learning.alphazero.gate import passes_gate
from inarow.learning.alphazero.learner import Learner, Loss
from inarow.learning.alphazero.onnx_graph import to_onnx
from inarow.learning.alphazero.players import Player, Stretch, StretchResult, play_stretch
from inarow.learning.alphazero.replay import Replay
from inarow.learning.alphazero.run_folder import RunFolder
from inarow.learning.alphazero.run_state import CurvePoint, RunState, random_state
from inarow.learning.alphazero.selfplay import Yield
from inarow.learning.alphazero.start import read_start
from inarow.learning.alphazero.warm_up import warm_up_for
from inarow.learning.net_file import ANY_BOARD, Net, NetAbout, to_bytes
from inarow.storage.atomic import atomic_write
from inarow.workers import Cluster, WorkerProcess, interrupts_deferred, open_worker_processes

Watch = Callable[["AlphaZeroRun"], None]
"""Told many times a second how far the run is; an exception out of it ends the run, saved."""
Grade = Callable[[Evaluate, int], tuple[float, float]]
"""From a network and a number of simulations to its accuracy against perfect play, raw and with search."""

_LEARNER_KEY, _GATE_KEY = 2, 3
"""Of random streams, below the seed of the run."""
_FIRST_BATCHES = 8
"""So many batches of examples must be there before the first is drawn."""
_MOST_OWED_EXAMPLES = 8192
"""Older ones are not owed any more: who cannot keep up learns less often, not longer."""
_STRETCH_SECONDS = 0.5


class AlphaZeroRun:
    """A run in a folder. `start` or `resume` make one."""

    def __init__(self, folder: RunFolder, config: AlphaZeroConfig, *, is_new: bool) -> None:
        self.folder, self.config = folder, config
        self.replay = Replay(config.specs, config.learning.largest_window)
        self.learner = Learner(config.network, config.learning, config.seed)
        self._rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(_LEARNER_KEY,)))
        self.state = RunState() if is_new else folder.restore(self.learner, self.replay)
        if self.state.random:
            self._rng.bit_generator.state = self.state.random
        if config.start is not None and not self.state.saves:
            weights, self.state.start = read_start(config.start, config.network)
            self.learner.begin_with(weights)
        self.losses: list[Loss] = []
        """Since the last point of the curve."""
        self.companion_bytes = 0
        if not self.state.saves or not folder.net.exists():
            self._write(self._net_bytes())
        self._published = folder.net.read_bytes()
        self._evaluate = net_evaluator(Net(self._published, str(folder.net)))
        self._player = Player(config, self._evaluate, 0, self.state.starts)
        self._player.set_simulations(self.simulations)
        self._last_point = (self.state.seconds, self.state.games)

    @classmethod
    def start(cls, config: AlphaZeroConfig, folder: Path) -> AlphaZeroRun:
        """A new run; raises ConfigError if the folder has one, NetError if there is no net to begin with."""
        run_folder = RunFolder(folder)
        if config.start is not None:
            read_start(config.start, config.network)  # before there is a folder
        with run_folder.begun(config):
            return cls(run_folder, config, is_new=True)

    @classmethod
    def resume(
        cls, path: Path, *, minutes: float = 0.0, iterations: int = 0, settings: Sequence[str] = ()
    ) -> AlphaZeroRun:
        """A run as its last checkpoint left it, if wanted with more to do and other settings from now on; raises
        ConfigError or NetError.
        """
        folder = RunFolder(path)
        config = folder.read_config().changed(settings, str(path))
        with folder.claim.held():
            run = cls(folder, config, is_new=False)
            if minutes or iterations:
                run.config = config.extended(minutes=minutes, iterations=iterations, done=run.state.iterations)
                run.state.is_closed = False
            if minutes or iterations or settings:
                folder.write_config(run.config)
        return run

    @property
    def progress(self) -> float:
        """How much of the budget is spent, from 0 to 1."""
        return schedule.progress(self.config, self.state)

    @property
    def seconds_left(self) -> float | None:
        """Until the budget is spent, if all goes on as so far; None at the very beginning."""
        return schedule.seconds_left(self.config, self.state)

    @property
    def is_finished(self) -> bool:
        return schedule.is_finished(self.config, self.state)

    @property
    def simulations(self) -> int:
        """Of a search in self-play, now."""
        return schedule.simulations_now(self.config, self.state)

    @property
    def memory(self) -> dict[str, int]:
        """Bytes by use: what is allocated once and never grows."""
        return {"replay": self.replay.bytes, "games": self._player.bytes, "worker_processes": self.companion_bytes}

    def train(
        self,
        watch: Watch | None = None,
        grade: Grade | None = None,
        *,
        cluster: Cluster | None = None,
        checkpoint_seconds: float = 60.0,
    ) -> None:
        """Trains to the end and leaves the net. Whatever stops it, what was learnt is saved.

        With a cluster `config.workers` of its CPUs play, and this process learns. Raises ConfigError if another
        process has the folder, or had it since the run was read.
        """
        if self.is_finished and self.state.is_closed:
            return
        number = self.config.workers - 1 if cluster is None else self.config.workers
        with self.folder.claim.held(), open_worker_processes(number, cluster) as worker_processes:
            self.state.starts += 1
            farm = None if cluster is None else Farm(worker_processes, self.config, self.state.starts)
            warm_up_for(self.config.specs)
            saved = clock = time.monotonic()
            try:
                while not self.is_finished:
                    with interrupts_deferred():  # what is played is learnt from, counted and written, or none of it
                        if farm is None:
                            self._exchange(worker_processes)
                        self._work(farm)
                    if self.state.games_of_iteration >= self.config.iteration_games:
                        self._end_iteration()
                    now = time.monotonic()
                    self.state.seconds += now - clock
                    clock = now
                    if schedule.point_is_due(self.config, self.state, self.state.seconds - self._last_point[0]):
                        self._add_point(grade)
                    if now - saved >= checkpoint_seconds:
                        self.save()
                        saved = now
                    if watch is not None:
                        watch(self)
                self._close(grade)
            finally:
                self.save()

    def save(self) -> None:
        """Writes a checkpoint."""
        self.state.random = random_state(self._rng)
        self.folder.save(self.state, self.learner, self.replay)

    # --- Playing and learning ---

    def _work(self, farm: Farm | None) -> None:
        """Learns from a batch if one is owed, else plays, or takes in what was played."""
        learning, state = self.config.learning, self.state
        begin = time.process_time()
        if state.owed < learning.batch or self.replay.seen < _FIRST_BATCHES * learning.batch:
            if farm is not None:
                self._reap(farm)
                return
            self._take(self._player.play())
            state.play_seconds += time.process_time() - begin
            return
        window = max(learning.smallest_window, int(learning.window * self.replay.seen))
        batch = self.replay.draw(learning.batch, window, self._rng, mirror=learning.mirror)
        self.losses.append(self.learner.step(batch, self.progress))
        state.owed = min(state.owed - learning.batch, learning.reuse * _MOST_OWED_EXAMPLES)
        state.learn_seconds += time.process_time() - begin

    def _take(self, found: Yield) -> None:
        """Takes in what was played."""
        state = self.state
        self.folder.games.add(found.games)
        self.replay.add(found.spec, found.examples)
        state.games += len(found.games)
        state.games_of_iteration += len(found.games)
        state.examples += len(found.examples)
        state.owed += self.config.learning.reuse * len(found.examples)
        state.simulations += found.simulations
        state.evaluations += found.evaluations

    def _exchange(self, worker_processes: tuple[WorkerProcess, ...]) -> None:
        """Takes in what worker_processes have played and gives them more to do: always one task in advance."""
        for number, worker_process in enumerate(worker_processes, start=1):
            for result in worker_process.take():
                self._take_stretch(result, len(worker_processes))
            while worker_process.due < 2:
                task = Stretch(
                    self.config, self.folder.net, number, self.state.starts, self.simulations, _STRETCH_SECONDS
                )
                worker_process.give(play_stretch, task)

    def _reap(self, farm: Farm) -> None:
        """Hands out and takes in at no other moment: what is played, and with which net, must not depend on time."""
        farm.give(self._published, self.simulations)
        if (result := farm.take(_STRETCH_SECONDS)) is not None:
            self._take_stretch(result, self.config.workers)

    def _take_stretch(self, result: StretchResult, worker_processes: int) -> None:
        for found in result.yields:
            self._take(found)
        self.state.play_seconds += result.core_seconds
        self.companion_bytes = result.bytes * worker_processes

    # --- Nets ---

    def _end_iteration(self) -> None:
        """Publishes the net as it is now, if it passes. Interrupted in the match, the iteration is not over."""
        is_better = self.config.gate is None or self._passes(self.config.gate)
        with interrupts_deferred():
            self.state.iterations += 1
            self.state.games_of_iteration = 0
            self._player.set_simulations(self.simulations)
            if is_better:
                self._publish()

    def _passes(self, gate: GateConfig) -> bool:
        config = self.config
        key = (_GATE_KEY, self.state.iterations + 1)
        rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=key))
        spec = config.specs[int(rng.integers(len(config.specs)))]
        return passes_gate(spec, self._current(), self._evaluate, gate, config.search, rng)

    def _close(self, grade: Grade | None) -> None:
        """What the run leaves: its last net, or with a gate the last that passed."""
        if self.config.gate is None:
            self._publish()
        if not self.state.curve or self.state.curve[-1].steps != self.learner.steps:
            self._add_point(grade)
        self.state.is_closed = True

    def _publish(self) -> None:
        self._published = self._net_bytes()
        self._write(self._published)
        self._evaluate = net_evaluator(Net(self._published, str(self.folder.net)))
        self._player.use(self._evaluate)

    def _current(self) -> Evaluate:
        """The net as it is now, published or not."""
        return net_evaluator(Net(self._net_bytes(), "the new net"))

    def _net_bytes(self) -> bytes:
        state, config = self.state, self.config
        about = NetAbout(
            kind=KIND,
            board=ANY_BOARD if config.board is None else str(config.specs[0]),
            config=msgspec.to_builtins(config),
            seed=config.seed,
            provenance={
                "iterations": state.iterations,
                "games": state.games,
                "examples": state.examples,
                "steps": self.learner.steps,
                "seconds": round(state.seconds, 1),
                "core_seconds": round(state.play_seconds + state.learn_seconds, 1),
                **({"start": state.start} if state.start else {}),
            },
        )
        return to_bytes(to_onnx(self.learner.weights()), about)

    def _write(self, content: bytes) -> None:
        with atomic_write(self.folder.net) as file:
            file.write(content)

    # --- The curve ---

    def _add_point(self, grade: Grade | None) -> None:
        state = self.state
        evaluate = self._current() if self.config.gate is None else self._evaluate
        raw, searched = (None, None) if grade is None else grade(evaluate, self.config.graded_simulations)
        seconds, games = self._last_point
        state.curve.append(
            CurvePoint(
                seconds=round(state.seconds, 1),
                core_seconds=round(state.play_seconds + state.learn_seconds, 1),
                iteration=state.iterations,
                games=state.games,
                examples=state.examples,
                steps=self.learner.steps,
                games_per_second=round((state.games - games) / max(1e-9, state.seconds - seconds), 1),
                policy_loss=_mean([loss.policy for loss in self.losses]),
                value_loss=_mean([loss.value for loss in self.losses]),
                raw_accuracy=raw,
                search_accuracy=searched,
            )
        )
        self.losses = []
        self._last_point = (state.seconds, state.games)


def _mean(values: list[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
