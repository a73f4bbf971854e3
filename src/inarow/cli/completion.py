"""`inarow completion`."""

import os
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from inarow.cli.options import UnusedSeed
from inarow.cli.output import stdout
from inarow.errors import InvalidLimitError

Shell = Literal["bash", "zsh", "fish"]


def completion(
    shell: Shell | None = None,
    *,
    install: Annotated[bool, Parameter(name=("--install", "--install-completion"))] = False,
    seed: UnusedSeed = 0,
) -> None:
    """Print or install a completion script for a shell.

    The script completes commands, options, files, and the names of agents, presets, studies and benchmarks.

    Args:
        shell: The shell (default: that of the environment variable SHELL).
        install: Write the script to its place in your home folder, and load it in the start file of the shell.

    Examples:
        inarow completion bash > inarow-completion.bash
        inarow completion zsh --install
    """
    from inarow.cli.app import app

    chosen = shell or _own_shell()
    if not install:
        print(app.generate_completion(shell=chosen), end="")
        return
    path = app.install_completion(shell=chosen)
    stdout.print(f"{path}: completion for {chosen}; it works in a new shell", soft_wrap=True)


def _own_shell() -> Shell:
    """The user's shell; raises InvalidLimitError if it has no completion."""
    name = Path(os.environ.get("SHELL", "")).name
    for shell in ("bash", "zsh", "fish"):
        if name == shell:
            return shell
    raise InvalidLimitError("cannot determine the shell; name it: inarow completion bash, zsh or fish")
