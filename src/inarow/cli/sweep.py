"""`inarow sweep`."""

from pathlib import Path

from inarow.arena import sweep as sweeps
from inarow.arena.sweep_result import Sweep
from inarow.cli.options import Json, Ray, find_workers
from inarow.cli.output import number_table, print_json, print_table, stderr, stdout
from inarow.errors import Interrupted

_SHOWN_TRIALS = 20


def sweep(
    config: Path,
    *,
    trials: int | None = None,
    out: Path | None = None,
    workers: int | None = None,
    ray: Ray = None,
    allow_agent_files: bool = False,
    json: Json = False,
    seed: int | None = None,
) -> None:
    """Search for good settings of a learner.

    Trains one agent for each trial and evaluates it. Every trial is a run folder in the folder of the sweep. After an
    interruption, the same command continues. With one worker the trials follow from config and seed; with several, also
    from the order in which they finish.

    Args:
        config: TOML file with the base config, the settings to search and the objective.
        trials: Number of training runs (default: that of the config). More of them extend a finished sweep.
        out: Folder of the sweep (default sweeps/CONFIG).
        workers: Trials that run at once (default 1).
        allow_agent_files: Allow opponents that run a file of code (kaggle:file=...).
        seed: Random seed (default: that of the config). Trial N trains with seed + N.

    Examples:
        inarow sweep sweep.toml --trials 20 --workers 2
    """
    try:
        found = sweeps.sweep(
            str(config),
            out=out,
            trials=trials,
            seed=seed,
            workers=find_workers(workers, ray),
            allow_agent_files=allow_agent_files,
        )
    except Interrupted as stop:
        stderr.print(str(stop), style="yellow")
        raise
    print_json(found.to_dict()) if json else _print_sweep(found)


def _print_sweep(found: Sweep) -> None:
    """The best trials, the importance of the parameters, and how to train with the best settings."""
    best, complete = found.best, found.ranking
    names = ("trial", "state", found.objective, *best.parameters)
    table = number_table(*names, rows=map(sweeps.trial_cells, complete[:_SHOWN_TRIALS]), words=("state",))
    print_table(table)
    counts = {state: sum(trial.state == state for trial in found.trials) for state in ("complete", "pruned", "failed")}
    stdout.print("  ".join(f"{state} {count}" for state, count in counts.items()))
    for trial in [trial for trial in found.trials if trial.error is not None][:1]:
        stdout.print(f"trial {trial.number} failed: {trial.error}", style="red", soft_wrap=True)
    if found.importances:
        shares = "  ".join(f"{name} {share:.0%}" for name, share in found.importances.items())
        stdout.print(f"importance: {shares}", soft_wrap=True)
    stdout.print(f"best run: {best.folder}", soft_wrap=True)
    if found.command is not None:
        stdout.print(f"train it again: {found.command}", soft_wrap=True)
