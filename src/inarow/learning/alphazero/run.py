"""An AlphaZero run: plays, learns and publishes nets until its budget is spent.

The learning process draws `reuse` samples for every new example and plays games when none are left; its worker
processes only play. With a cluster, this process only learns. With a budget of iterations, and one worker or a cluster,
the same seed gives the same net. A killed run resumes from its last checkpoint; unfinished games are dropped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from inarow.learning.alphazero import selfplay
from inarow.learning.alphazero.config import AlphaZeroConfig, GateConfig
from inarow.learning.alphazero.network import Loss, NetTrainer, make_network
from inarow.learning.alphazero.onnx_graph import read_start
from inarow.learning.alphazero.replay import Replay
from inarow.learning.alphazero.run_state import HEADINGS, CurvePoint, GateMatch, RunFolder, RunState
from inarow.learning.devices import find_device
from inarow.learning.learner import CurveTable, Grade, Progress, Report, Run, Services, TrainedAgent, Watch, module_name
from inarow.learning.net_file import ANY_BOARD, Net, NetAbout, net_evaluator, read_net, to_bytes
from inarow.learning.pretrained import ALPHAZERO
from inarow.learning.run_folder import read_config, write_config
from inarow.learning.warm_up import warm_up_for
from inarow.search.tree.evaluation import Evaluate
from inarow.storage.atomic import atomic_write
from inarow.workers import WorkerProcesses, interrupts_deferred, open_worker_processes

_LEARNER_KEY, _GATE_KEY = 2, 3  # of random streams, below the seed of the run
_FIRST_BATCHES = 8  # examples, in batches, that must exist before the first batch is drawn
_MOST_OWED_EXAMPLES = 8192  # limit of the backlog: a process that cannot keep up uses each example less often
_SLICE_SECONDS = 0.5
_ESTIMATE_SECONDS = 20.0  # training time after which the log gets an estimate of the time left
_PROGRESS_PARTS = 1000
_POINTS = 12  # approximate minimum number of points of the curve
_LONGEST_POINT = 300.0  # maximum seconds between two points


class AlphaZeroRun(Run):
    """A run in a folder. Created by `start` or `resume`."""

    def __init__(
        self, files: RunFolder, config: AlphaZeroConfig, services: Services, trainer: NetTrainer, *, is_new: bool
    ) -> None:
        self.files, self.folder, self.product = files, files.path, files.net
        self._config, self._services = config, services
        self.log: list[str] = []
        self.worker_bytes = 0
        self.losses: list[Loss] = []  # since the last point of the curve
        self.replay = Replay(config.specs, config.learning.largest_window)
        self.trainer, self._device = trainer, find_device(services.device)
        self._rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(_LEARNER_KEY,)))
        self.state = RunState() if is_new else files.restore(self.trainer, self.replay)
        if self.state.random:
            self._rng.bit_generator.state = self.state.random
        if config.start is not None and not self.state.saves:
            weights, self.state.start = read_start(config.start, config.network)
            self.trainer.begin_with(weights)
        if not self.state.saves or not self.product.exists():
            self._write_net()
            self._keep_accepted()
        self._published = read_net(self.product)
        self._evaluate = self._evaluator(self._published, str(self.product))
        self._player = selfplay.Player(config, self._evaluate, 0, self.state.starts)
        self._player.set_simulations(self.simulations)
        self._last_point = (self.state.seconds, self.state.games)

    @classmethod
    def start(cls, config: AlphaZeroConfig, folder: Path, services: Services | None = None) -> AlphaZeroRun:
        """A new run; raises ConfigError if the folder has a run, NetError if the initial net does not exist or the
        user's network does not fit.
        """
        files, services = RunFolder(folder), services or Services()
        if services.network is not None:
            network = structs.replace(config.network, module=module_name(services.network))
            config = structs.replace(config, network=network)
        trainer = _new_trainer(config, services)  # errors are raised before the folder exists
        if config.start is not None:
            read_start(config.start, config.network)
        with files.claim.begun(config):
            files.games.begin()
            return cls(files, config, services, trainer, is_new=True)

    @classmethod
    def resume(
        cls,
        folder: Path,
        services: Services | None = None,
        *,
        minutes: float = 0.0,
        iterations: int = 0,
        settings: Sequence[str] = (),
    ) -> AlphaZeroRun:
        """A run at its last checkpoint, optionally with a larger budget and changed settings; raises ConfigError or
        NetError.
        """
        files, services = RunFolder(folder), services or Services()
        config = read_config(folder, AlphaZeroConfig).changed(settings, str(folder))
        with files.claim.held():
            run = cls(files, config, services, _new_trainer(config, services), is_new=False)
            if minutes or iterations:
                done, source = run.state.iterations, str(folder)
                run._config = config.extended(minutes=minutes, iterations=iterations, done=done, source=source)
                run.state.is_closed = False
            if minutes or iterations or settings:
                write_config(folder, run.config)
        return run

    @property
    def config(self) -> AlphaZeroConfig:
        return self._config

    @property
    def curve(self) -> list[CurvePoint]:
        return self.state.curve

    @property
    def seconds_left(self) -> float | None:
        return self.state.seconds_left(self.config)

    @property
    def is_finished(self) -> bool:
        """Whether the budget is spent. Only finished iterations count."""
        iterations = self.config.iterations
        return self.state.iterations >= iterations if iterations else self.state.spent_share(self.config) >= 1.0

    @property
    def simulations(self) -> int:
        """The current number of simulations per search in self-play."""
        first, last = self.config.selfplay.first_simulations, self.config.selfplay.simulations
        return round(first + (last - first) * self.state.spent_share(self.config))

    @property
    def memory(self) -> dict[str, int]:
        """Bytes by use, of memory that is allocated once and never grows."""
        return {"replay": self.replay.bytes, "games": self._player.bytes, "workers": self.worker_bytes}

    # --- Reports ---

    @property
    def title(self) -> str:
        players = "processes" if self._services.cluster is None else "CPUs of a Ray cluster"
        return f"training on {self._boards} with {self.config.workers} {players}"

    @property
    def progress(self) -> Progress:
        return Progress(
            done=round(_PROGRESS_PARTS * self.state.spent_share(self.config)),
            total=_PROGRESS_PARTS,
            unit="thousandths",
            seconds_left=self.seconds_left,
            point=self.curve[-1] if self.curve else None,
            memory=self.memory,
        )

    def table(self) -> CurveTable:
        notes = filter(None, (self._note(), self.state.graded_note))
        return CurveTable(HEADINGS, [point.cells() for point in self.curve[-12:]], "\n".join(notes))

    def _note(self) -> str:
        """Current figures in one line: time left, speed, losses, core seconds, memory."""
        state, left = self.state, self.seconds_left
        megabytes = "  ".join(f"{name} {size / 1e6:.0f} MB" for name, size in self.memory.items() if size)
        losses = "".join(f"  loss {loss.policy:.3f} + {loss.value:.3f}" for loss in self.losses[-1:])
        remaining = f"{left / 60:.1f} min left  " if left is not None else ""
        return (
            f"{remaining}{state.games:,} games, {state.games / max(1e-9, state.seconds):.1f}/s{losses}  "
            f"cores: play {state.play_seconds:.0f} s, learn {state.learn_seconds:.0f} s  {megabytes}"
        )

    def report(self) -> Report:
        state = self.state
        facts = {
            "folder": str(self.folder),
            "net": str(self.product),
            "board": self._boards,
            **self._counted(),
            "simulations": state.simulations,
            "evaluations": state.evaluations,
            "seconds": round(state.seconds, 1),
            "play_core_seconds": round(state.play_seconds, 1),
            "learn_core_seconds": round(state.learn_seconds, 1),
            "bytes": self.memory,
        }
        return Report(facts=facts, details={"graded_on": state.graded_on, "curve": state.curve})

    def _counted(self) -> dict[str, Any]:
        counts = {name: getattr(self.state, name) for name in ("iterations", "games", "examples")}
        return {**counts, "steps": self.trainer.steps}

    @property
    def _boards(self) -> str:
        return self.config.board or f"{len(self.config.specs)} boards"

    # --- The loop ---

    def train(self, watch: Watch | None = None, *, checkpoint_seconds: float = 60.0) -> TrainedAgent:
        """See `Run.train`. With a cluster, `config.workers` of its CPUs play and this process learns."""
        self.log.append(f"{self.title} into {self.folder}")
        if not (self.is_finished and self.state.is_closed):
            cluster = self._services.cluster
            number = self.config.workers - 1 if cluster is None else self.config.workers
            with self.files.claim.held(), open_worker_processes(number, cluster) as worker_processes:
                self.state.starts += 1
                self._train(watch, worker_processes, checkpoint_seconds)
        spec = self.config.specs[0]
        return TrainedAgent(agent=f"alphazero:net={self.product}", board=str(spec), is_exportable=spec.gravity)

    def _train(self, watch: Watch | None, worker_processes: WorkerProcesses, checkpoint_seconds: float) -> None:
        cluster_play = None
        if self._services.cluster is not None:
            cluster_play = selfplay.ClusterSelfPlay(worker_processes, self.config, self.state.starts, self._device)
        grade = self._services.make_grade(self.config.specs) if self._services.make_grade else None
        if grade is not None and grade.description != self.state.graded_on:
            self.state.graded_on = grade.description
            self.log.append(self.state.graded_note)
        warm_up_for(self.config.specs)
        saved = clock = time.monotonic()
        estimate_at = self.state.seconds + _ESTIMATE_SECONDS
        try:
            while not self.is_finished:
                with interrupts_deferred():  # played games are learnt from, counted and written together
                    if cluster_play is None:
                        self._exchange(worker_processes)
                    self._work(cluster_play)
                if self.state.games_of_iteration >= self.config.iteration_games:
                    self._end_iteration()
                now = time.monotonic()
                self.state.seconds += now - clock
                clock = now
                if self._point_is_due():
                    self._add_point(grade)
                if now - saved >= checkpoint_seconds:
                    self.save()
                    saved = now
                if self.state.seconds >= estimate_at and self.seconds_left is not None:
                    self.log.append(self._note())
                    estimate_at = math.inf
                if watch is not None:
                    watch(self.progress)
            self._close(grade)
        finally:
            self.save()

    def save(self) -> None:
        """Writes a checkpoint."""
        self.state.random = dict(self._rng.bit_generator.state)
        self.files.save(self.state, self.trainer, self.replay)

    # --- Playing and learning ---

    def _work(self, cluster_play: selfplay.ClusterSelfPlay | None) -> None:
        """Learns from a batch if one is due; otherwise plays, or collects played games."""
        learning, state, begin = self.config.learning, self.state, time.process_time()
        if state.owed < learning.batch or self.replay.seen < _FIRST_BATCHES * learning.batch:
            if (
                cluster_play is not None
            ):  # this process does not play: which net plays which games must not depend on time
                cluster_play.give(self._published, self.simulations)
                if (result := cluster_play.take(_SLICE_SECONDS)) is not None:
                    self._take_slice(result, self.config.workers)
            else:
                self._take(self._player.play())
                state.play_seconds += time.process_time() - begin
            return
        window = max(learning.smallest_window, int(learning.window * self.replay.seen))
        batch = self.replay.draw(learning.batch, window, self._rng, mirror=learning.mirror)
        self.losses.append(self.trainer.step(batch, self.state.spent_share(self.config)))
        state.owed = min(state.owed - learning.batch, learning.reuse * _MOST_OWED_EXAMPLES)
        state.learn_seconds += time.process_time() - begin

    def _take(self, found: selfplay.SelfPlayOutput) -> None:
        """Records played games and their examples."""
        state = self.state
        self.files.games.add(found.games)
        self.replay.add(found.spec, found.examples)
        state.games += len(found.games)
        state.games_of_iteration += len(found.games)
        state.examples += len(found.examples)
        state.owed += self.config.learning.reuse * len(found.examples)
        state.simulations += found.simulations
        state.evaluations += found.evaluations

    def _exchange(self, worker_processes: WorkerProcesses) -> None:
        """Collects the results of worker processes and gives each its next task in advance."""
        for number, worker_process in enumerate(worker_processes, start=1):
            for result in worker_process.take():
                self._take_slice(result, len(worker_processes))
            while worker_process.due < 2:
                play = self.config, self.product, number, self.state.starts, self.simulations, _SLICE_SECONDS
                worker_process.give(selfplay.play_slice, selfplay.PlaySlice(*play, self._device))

    def _take_slice(self, result: selfplay.PlaySliceResult, worker_processes: int) -> None:
        for found in result.outputs:
            self._take(found)
        self.state.play_seconds += result.core_seconds
        self.worker_bytes = result.bytes * worker_processes

    # --- Nets ---

    def _end_iteration(self) -> None:
        """Publishes the current net if it passes the gate. If the match is interrupted, the iteration is not over."""
        gate = self.config.gate
        match = None if gate is None else self._match(gate)
        with interrupts_deferred():
            self.state.iterations += 1
            self.state.games_of_iteration = 0
            self._player.set_simulations(self.simulations)
            if match is not None:
                self.state.gate.append(match)
                self.log.append(str(match))
            if match is None or match.is_accepted:
                self._publish()
            elif gate is not None and gate.restore:
                self._return_to_accepted()

    def _match(self, gate: GateConfig) -> GateMatch:
        """The match of the new net against the current one."""
        config, state, begin = self.config, self.state, time.process_time()
        key = _GATE_KEY, state.iterations + 1
        rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=key))
        spec = config.specs[int(rng.integers(len(config.specs)))]
        wins, losses = selfplay.play_match(spec, (self._current(), self._evaluate), gate, config.search, rng)
        state.play_seconds += time.process_time() - begin
        return GateMatch(
            iteration=state.iterations + 1,
            games=state.games,
            steps=self.trainer.steps,
            core_seconds=round(state.play_seconds + state.learn_seconds, 1),
            wins=wins,
            draws=gate.games - wins - losses,
            losses=losses,
            is_accepted=gate.accepts(wins, losses),
        )

    def _return_to_accepted(self) -> None:
        """Continues to learn from the weights of the current net; only the steps count on."""
        steps = self.trainer.steps
        self.trainer.load(self.files.accepted)
        self.trainer.steps = steps

    def _close(self, grade: Grade | None) -> None:
        """Publishes the last net, unless a gate decides, and completes the curve."""
        if self.config.gate is None:
            self._publish()
        if not self.state.curve or self.state.curve[-1].steps != self.trainer.steps:
            self._add_point(grade)
        self.state.is_closed = True

    def _write_net(self) -> None:
        with atomic_write(self.product) as file:
            file.write(self._net_bytes())

    def _publish(self) -> None:
        self._write_net()
        self._keep_accepted()
        self._published = self.product.read_bytes()
        self._evaluate = self._evaluator(self._published, str(self.product))
        self._player.use(self._evaluate)

    def _keep_accepted(self) -> None:
        if self.config.gate is not None and self.config.gate.restore:
            self.trainer.save(self.files.accepted)

    def _current(self) -> Evaluate:
        """The current net, published or not."""
        return self._evaluator(self._net_bytes(), "the new net")

    def _evaluator(self, net: bytes, source: str) -> Evaluate:
        return net_evaluator(Net(net, source, self._device))

    def _net_bytes(self) -> bytes:
        state, config = self.state, self.config
        board = ANY_BOARD if config.board is None else str(config.specs[0])
        made, seconds = msgspec.to_builtins(config), round(state.play_seconds + state.learn_seconds, 1)
        provenance = {**self._counted(), "seconds": round(state.seconds, 1), "core_seconds": seconds}
        if state.start:
            provenance["start"] = state.start
        about = NetAbout(kind=ALPHAZERO, board=board, config=made, seed=config.seed, provenance=provenance)
        return to_bytes(self.trainer.model(), about)

    # --- The curve ---

    def _point_is_due(self) -> bool:
        config, since = self.config, self.state.seconds - self._last_point[0]
        if config.minutes is not None:
            return since >= min(_LONGEST_POINT, 60 * config.minutes / _POINTS)
        assert config.iterations is not None
        iteration = self.curve[-1].iteration if self.curve else 0
        return since >= _LONGEST_POINT or _POINTS * (self.state.iterations - iteration) >= config.iterations

    def _add_point(self, grade: Grade | None) -> None:
        state = self.state
        evaluate = self._current() if self.config.gate is None else self._evaluate
        raw, searched = (None, None) if grade is None else self._graded(grade, evaluate)
        seconds, games = self._last_point
        state.curve.append(
            CurvePoint(
                seconds=round(state.seconds, 1),
                core_seconds=round(state.play_seconds + state.learn_seconds, 1),
                iteration=state.iterations,
                games=state.games,
                examples=state.examples,
                steps=self.trainer.steps,
                games_per_second=round((state.games - games) / max(1e-9, state.seconds - seconds), 1),
                policy_loss=_mean([loss.policy for loss in self.losses]),
                value_loss=_mean([loss.value for loss in self.losses]),
                raw_accuracy=raw,
                search_accuracy=searched,
            )
        )
        self.log.append("  ".join(map(" ".join, zip(HEADINGS, state.curve[-1].cells(), strict=True))))
        self.losses = []
        self._last_point = (state.seconds, state.games)

    def _graded(self, grade: Grade, evaluate: Evaluate) -> tuple[float, float]:
        """With the usual search, or with that of the run if it has no tactics."""
        simulations, search = self.config.graded_simulations, self.config.search
        return grade(evaluate, simulations) if search.tactics else grade(evaluate, simulations, search)


def _new_trainer(config: AlphaZeroConfig, services: Services) -> NetTrainer:
    """A trainer with initial weights; raises ConfigError and NetError."""
    return NetTrainer(make_network(config, services.network), config.learning, find_device(services.device))


def _mean(values: list[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
