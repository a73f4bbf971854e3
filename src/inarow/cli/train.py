"""`inarow train`: any learner, with its curve shown live."""

import shlex
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from inarow.arena.training import resume_run, start_run
from inarow.cli.completers import complete_presets
from inarow.cli.options import Json, Ray
from inarow.cli.output import number_table, print_facts, print_json, print_table, progress_bar, stderr, stdout
from inarow.cli.tables import fitted
from inarow.errors import ClusterError, ConfigError, InarowError, TaskError
from inarow.learning.config import find_document
from inarow.learning.config_text import config_toml, preset_infos
from inarow.learning.learner import Progress, Report, Run, TrainedAgent
from inarow.terminal import text_table
from inarow.workers import Cluster


def train(
    preset: Annotated[str | None, Parameter(completer=complete_presets)] = None,
    *,
    list_: Annotated[bool, Parameter(name="--list")] = False,
    show_config: bool = False,
    out: Path | None = None,
    resume: Path | None = None,
    settings: Annotated[tuple[str, ...], Parameter(name="--set")] = (),
    ray: Ray = None,
    allow_agent_files: bool = False,
    json: Json = False,
    seed: int | None = None,
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto",
) -> None:
    """Train an agent with a preset or a config file.

    The folder of the run keeps what the agent learnt, its curve, its games and checkpoints.

    Args:
        preset: Name of a preset, or a TOML file.
        list_: List the presets instead of training.
        show_config: Print the whole config of the preset as a TOML file, with the meaning of every key.
        out: Folder of the run (default runs/PRESET).
        resume: Resume the run in this folder instead of starting one. An alphazero run can be extended with
            --set iterations=+20 or --set minutes=+20, and changed with e.g. --set selfplay.simulations=64.
        settings: Change a value of the config, e.g. --set alpha=0.2 --set phases.0.episodes=1000.
        allow_agent_files: Allow opponents that run a file of code (kaggle:file=...).
        seed: Random seed (default: that of the config).
        device: Where networks learn and play; auto takes the first that is available of cuda, mps and cpu.

    Examples:
        inarow train --list                            # the presets
        inarow train tictactoe-q                       # takes seconds
        inarow train tictactoe-q --show-config > my.toml
        inarow train my.toml --set alpha=0.2 --out runs/mine
        inarow train --resume runs/connect4-5min --set minutes=+20
    """
    if list_:
        _print_presets(json=json)
        return
    cluster = None if ray is None else Cluster(ray)
    if resume is not None and preset is None:
        if out is not None or seed is not None:
            raise ConfigError("a resumed run keeps its config and its folder: no --out or --seed")
        run = resume_run(resume, settings, cluster=cluster, allow_agent_files=allow_agent_files, device=device)
    elif preset is not None and resume is None:
        document = find_document(preset, settings if seed is None else (*settings, f"seed={seed}"))
        if show_config:
            text = config_toml(document, preset)
            print_json(tomllib.loads(text)) if json else stdout.print(text, end="", soft_wrap=True)
            return
        folder = out or Path("runs") / Path(preset).stem
        run = start_run(
            document, folder, source=preset, cluster=cluster, allow_agent_files=allow_agent_files, device=device
        )
    else:
        reason = "train needs a preset or a TOML file, or --resume with the folder of a run"
        raise ConfigError(f"{reason}; list the presets: inarow train --list")
    flags = ["--allow-agent-files"] * allow_agent_files + (["--device", device] if device != "auto" else [])
    with progress_bar(run.title, lambda: fitted(text_table(run.table()))) as show, _hints_to_resume(run.folder, *flags):
        printed = 0

        def print_log() -> None:
            nonlocal printed
            if not stderr.is_terminal:
                for line in run.log[printed:]:
                    stderr.print(line, soft_wrap=True)
            printed = len(run.log)

        def watch(progress: Progress) -> None:
            show(progress.done, progress.total)
            print_log()

        trained = run.train(watch)
        print_log()
        report = run.report()
    if json:
        print_json({**report.facts, **report.details})
    else:
        _print_report(run, report, trained)


def _print_presets(*, json: bool) -> None:
    infos = preset_infos()
    if json:
        print_json([info._asdict() for info in infos])
    else:
        headings = ("preset", "learner", "board", "result")
        print_table(number_table(*headings, rows=infos, words=headings))


@contextmanager
def _hints_to_resume(folder: Path, *flags: str) -> Iterator[None]:
    """Adds to an interruption or a failure how to resume the run."""
    again = shlex.join(["inarow", "train", "--resume", str(folder), *flags])
    try:
        yield
    except KeyboardInterrupt:
        stderr.print(f"stopped; resume with: {again}", style="yellow", soft_wrap=True)
        raise
    except ClusterError as error:
        raise ClusterError(f"{error}; the run was started; resume with: {again} --ray ADDRESS") from None
    except TaskError as error:
        raise InarowError(f"{error}; what was learnt is saved; resume with: {again}") from error


def _print_report(run: Run, report: Report, trained: TrainedAgent) -> None:
    """The curve, the figures, and the commands to play against the agent, measure it and export it."""
    print_table(text_table(run.table()))
    print_facts(report.facts, json=False)
    for note in report.notes:
        stdout.print(note)
    agent, board = trained.agent, trained.board
    commands = {
        "play it": ["play", "--board", board, f"--{trained.side}", agent],
        "measure it": ["match", agent, "winblock", "--board", board],
    }
    if trained.is_exportable:
        commands["export it"] = ["export", "kaggle", agent, "--board", board, "--out", str(run.folder / "kaggle.py")]
    for purpose, words in commands.items():
        stdout.print(f"{purpose}: {shlex.join(['inarow', *words])}", soft_wrap=True)
