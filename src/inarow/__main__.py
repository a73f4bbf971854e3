"""The command `inarow`, also `python -m inarow`."""

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Loads and runs the command line. Ctrl-C during start-up terminates silently."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # otherwise the parent process chose to ignore it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from inarow.cli.app import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
