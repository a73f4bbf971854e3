"""A script of inarow that runs third-party code: a separate process that answers lines of JSON.

It works in an empty folder, without our environment variables, and ends with this program however that ends. The script
enters `kaggle_sandbox`, which confines it.
"""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from inarow.errors import one_line

_HARMLESS = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "OMP_NUM_THREADS")
"""The only variables of our environment that the process gets."""
_REPLY_BYTES, _REPLIES = 1 << 13, 4
"""The most that a reply may have, and that may wait: scripts need less, but the code can write to their pipe."""
_ISOLATED = ("-I", "-B")

WorkingFolder = tempfile.TemporaryDirectory[str]


def working_folder() -> WorkingFolder:
    """A new folder for a process, which removes it."""
    return tempfile.TemporaryDirectory(prefix="inarow-agent-", ignore_cleanup_errors=True)


class ConfinedProcess:
    """Runs `script` with `--lifeline FD` (where processes can be forked) and arguments, in a folder that it owns."""

    def __init__(
        self,
        script: str,
        arguments: Sequence[str],
        folder: WorkingFolder,
        *,
        options: Sequence[str] = _ISOLATED,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        environment = {name: os.environ[name] for name in _HARMLESS if name in os.environ}
        ends = os.pipe() if hasattr(os, "fork") else ()  # the process dies when the second is closed
        try:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, *options, script),
                    *(["--lifeline", str(ends[0])] if ends else []),
                    *arguments,
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder.name,
                env={**environment, **(variables or {}), "HOME": folder.name},
                pass_fds=ends[:1],
                start_new_session=True,  # Ctrl-C in a terminal is for us: the game may have to be finished first
            )
        finally:
            for end in ends[:1]:
                os.close(end)
        assert self._process.stdout is not None
        self._replies: queue.Queue[bytes] = queue.Queue(_REPLIES)
        threading.Thread(target=_pass_on, args=(self._process.stdout, self._replies), daemon=True).start()
        self.close = weakref.finalize(self, _end, self._process, folder, ends[1:])
        """Ends the process with all that it has started, and removes its folder."""

    def ask(self, request: object, patience: float) -> Any:
        """The reply to a request, any JSON. Raises TimeoutError after `patience` seconds, ValueError if the process has
        ended or sends something else; both end the process.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            return json.loads(self._replies.get(timeout=patience))
        except queue.Empty:
            self.close()
            raise TimeoutError(f"no answer within {patience:g} s") from None
        except (OSError, ValueError, RecursionError) as error:
            self.close()
            raise ValueError(one_line(error)) from None


def _pass_on(output: IO[bytes], replies: queue.Queue[bytes]) -> None:
    """Lines from a process, in a thread that can wait for them, until nobody takes them; an empty one at the end."""
    with output, suppress(queue.Full):
        while line := output.readline(_REPLY_BYTES):
            replies.put_nowait(line)
        replies.put_nowait(b"")


def _end(process: subprocess.Popen[bytes], folder: WorkingFolder, lifeline: Sequence[int]) -> None:
    for end in lifeline:  # kills what the code has started, too
        os.close(end)
    process.kill()
    process.wait()
    if process.stdin is not None:
        with suppress(OSError):  # unread input: EPIPE, on Windows EINVAL
            process.stdin.close()
    folder.cleanup()
