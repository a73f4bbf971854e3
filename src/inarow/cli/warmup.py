"""`inarow warmup`."""

import os
import time
from collections.abc import Callable

from inarow.cli.options import Json, UnusedSeed
from inarow.cli.output import print_json, progress_bar, stdout
from inarow.games import warm_up as games
from inarow.games.kernel_cache import remove_old_caches
from inarow.games.kernels import is_cache_empty
from inarow.learning import warm_up as learning
from inarow.search import warm_up as search
from inarow.studies import warm_up as studies
from inarow.workers import open_pool

Step = tuple[str, Callable[[], object]]


def warmup(*, json: Json = False, seed: UnusedSeed = 0) -> None:
    """Compile all kernels into the cache.

    Uses all cores, so that no later command waits for compilation. Deletes the kernels of older versions.

    Examples:
        inarow warmup
    """
    clock = time.perf_counter()
    remove_old_caches()
    packages = (learning, search, studies, games)  # the longest first
    steps = [step for package in packages for step in package.warm_up_steps()]
    workers = min(os.cpu_count() or 1, len(steps)) if is_cache_empty() else 1
    with open_pool(workers) as pool, progress_bar("compiling") as progress:
        kernels = dict(pool.map(_timed, steps, progress=progress))
    remove_old_caches()
    seconds = round(time.perf_counter() - clock, 3)
    if json:
        print_json({"kernels": kernels, "seconds": seconds})
    else:
        stdout.print(f"{len(steps)} groups of kernels ready in {seconds:.1f} s")


def _timed(step: Step) -> tuple[str, float]:
    name, run = step
    clock = time.perf_counter()
    run()
    return name, round(time.perf_counter() - clock, 3)
