"""`inarow warmup`."""

from __future__ import annotations

import time

from inarow.games import warm_up as games
from inarow.interfaces.cli.options import Json, Seed
from inarow.interfaces.cli.output import print_json, progress_bar, stdout
from inarow.search import warm_up as search


def warmup(*, json: Json = False, seed: Seed = 0) -> None:
    """Compile all kernels into the cache, so that no later command waits for them."""
    seconds = {}
    steps = [*games.warm_up_steps(), *search.warm_up_steps()]
    with progress_bar("compiling") as progress:
        for done, (name, step) in enumerate(steps):
            progress(done, len(steps))
            clock = time.perf_counter()
            step()
            seconds[name] = round(time.perf_counter() - clock, 3)
    if json:
        print_json({"kernels": seconds, "seconds": round(sum(seconds.values()), 3)})
    else:
        stdout.print(f"{len(steps)} kernel groups ready in {sum(seconds.values()):.1f} s")
