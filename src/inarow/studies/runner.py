"""Runs the experiments of a study on workers, and keeps every result at once.

Results are lines of JSON that are only ever added to a file. A kill can tear the last line; it is
cut off before the next one is added, and its experiment runs again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from inarow import __version__
from inarow.errors import StoreError, one_line
from inarow.storage.atomic import atomic_write
from inarow.studies.experiment import Experiment, Scale, Variant
from inarow.studies.report import StudyReport
from inarow.studies.results import Finished, Results
from inarow.studies.study import Study
from inarow.workers import Progress, Workers, interrupts_deferred, open_pool


class ResultsFile:
    """Finished experiments, of this study and version or of others, one a line."""

    def __init__(self, path: Path) -> None:
        """Reads a file, if there is one; raises StoreError if it is something else."""
        self._path = path
        self.finished: list[Finished] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.exists() else b""
        whole, newline, torn = content.rpartition(b"\n")
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                self.finished.append(msgspec.json.decode(line, type=Finished))
            except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
                raise StoreError(f"{path} line {number} is no result of a study: {one_line(error)}") from None
        if not torn.startswith(b'{"experiment":'[: len(torn)]):
            raise StoreError(f"{path} holds no results of a study")
        self._whole, self._read = len(whole) + len(newline), len(content)

    def of(self, experiments: Iterable[Experiment]) -> list[Finished]:
        """The results of this version for some experiments, in their order: in the file they are in that in which they
        were finished.
        """
        found = {each.experiment.key: each for each in self.finished if each.version == __version__}
        return [found[experiment.key] for experiment in experiments if experiment.key in found]

    def add(self, finished: Finished) -> Finished:
        """Returns what is kept when the line is on the disk, and before it the files beside it. Ctrl-C waits until
        then, so that it is counted.
        """
        with interrupts_deferred():
            return self._add(finished)

    def _add(self, finished: Finished) -> Finished:
        for name, content in finished.measured.files.items():
            place = self._path.parent / name
            place.parent.mkdir(exist_ok=True)
            with atomic_write(place) as beside:
                beside.write(content)
        finished = replace(finished, measured=replace(finished.measured, files={}))
        with self._path.open("ab") as file:
            if file.tell() != self._read:
                raise StoreError(f"{self._path} was changed by another process")
            file.truncate(self._whole)
            file.write(msgspec.json.encode(finished) + b"\n")
            file.flush()
            os.fsync(file.fileno())
            self._whole = self._read = file.tell()
        self.finished.append(finished)
        return finished


def run_study(
    study: Study,
    experiments: Sequence[Experiment],
    file: ResultsFile,
    *,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> list[Finished]:
    """The results of all experiments, in their order. Those that the file has are not run again; the
    others go to the file as they finish, so that after a kill or an interrupt the same call goes on.
    """
    have = {each.experiment.key: each for each in file.of(experiments)}
    missing = [experiment for experiment in experiments if experiment.key not in have]
    done = len(experiments) - len(missing)
    if progress is not None:
        progress(done, len(experiments))
    if missing:
        with open_pool(workers, tasks=len(missing)) as pool:
            for experiment, measured in pool.as_completed(study.run, missing):
                have[experiment.key] = file.add(Finished(experiment, __version__, measured))
                done += 1
                if progress is not None:
                    progress(done, len(experiments))
    return [have[experiment.key] for experiment in experiments]


def make_report(
    study: Study,
    finished: Sequence[Finished],
    *,
    scale: Scale,
    variants: Sequence[Variant],
    seed: int,
    command: str,
) -> StudyReport:
    """What the results of a study say; `command` is what makes the report again."""
    return StudyReport(
        study=study.name,
        title=study.title,
        source=study.source,
        scale=scale,
        variants=tuple(variants),
        seed=seed,
        experiments=len(finished),
        version=__version__,
        command=command,
        sections=tuple(study.sections(Results(finished))),
    )
