"""The README line by line, with nothing but the wheel: builds it, installs it into an empty environment, and runs there
every command and the Python session of the README, in an empty folder.

python tools/check_wheel.py [WHEEL] [--find-links FOLDER]

Commands run as they are written, except that `inarow play` reads its moves from a pipe and `inarow serve` is stopped
after its first page. With --find-links, dependencies come from a folder and nothing is downloaded.
"""

from __future__ import annotations

import argparse
import doctest
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
SESSION = "import doctest, json, sys; print(json.dumps(doctest.testfile(sys.argv[1], module_relative=False)))"
INSTALLS = ("pip ", "python -m venv")
MEGABYTES = 10
"""The wheel must be smaller."""


def build_wheel(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def make_environment(folder: Path, wheel: Path, links: Path | None) -> Path:
    """An environment with the wheel and its dependencies only; returns its folder of programs."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    source = ["--no-index", "--find-links", str(links)] if links else ["--constraint", str(ROOT / "constraints.txt")]
    install = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *source, wheel], check=True)
    return programs


def readme_commands() -> list[str]:
    """Commands of inarow in the shell blocks of the README; others install it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = []
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            command = re.split(r"\s+#", line)[0].strip()
            if command.startswith("inarow "):
                commands.append(command)
            elif command and not command.startswith(INSTALLS):
                raise SystemExit(f"README: no rule for {command!r}")
    return commands


def run_command(command: str, programs: Path, folder: Path) -> None:
    program, *words = shlex.split(command)
    if words[0] == "serve":
        return run_server([str(programs / program), *words, "--port", "0"], folder)
    stdin = "4\nh\nq\n" if words[0] == "play" else ""
    subprocess.run([programs / program, *words], input=stdin, text=True, cwd=folder, check=True)
    return None


def run_server(words: list[str], folder: Path) -> None:
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = re.search(r"http://\S+", line)
        try:
            if address is None:
                raise SystemExit(f"inarow serve printed no address: {line!r}")
            with urllib.request.urlopen(address[0], timeout=60) as page:
                print(f"{address[0]}: {len(page.read())} bytes")
        finally:
            process.send_signal(signal.SIGINT)


def run_session(programs: Path, folder: Path) -> None:
    """The Python session of the README, as a doctest."""
    words = [programs / "python", "-c", SESSION, ROOT / "README.md"]
    done = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True)
    result = doctest.TestResults(*json.loads(done.stdout.splitlines()[-1]))
    print(f"Python session: {result.attempted} examples, {result.failed} failed")
    if result.failed or not result.attempted:
        raise SystemExit(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the README with nothing but the wheel.")
    parser.add_argument("wheel", nargs="?", type=Path, help="built if not given")
    parser.add_argument("--find-links", type=Path, help="folder with wheels of all dependencies")
    options = parser.parse_args()
    os.environ.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_DATA_HOME"] = str(folder / "data")
        wheel = (options.wheel or build_wheel(folder / "wheel")).resolve()
        size = wheel.stat().st_size / 1e6
        print(f"{wheel.name}: {size:.1f} MB")
        if size >= MEGABYTES:
            raise SystemExit(f"the wheel has {size:.1f} MB; it must be smaller than {MEGABYTES} MB")
        programs = make_environment(folder / "environment", wheel, options.find_links)
        work = folder / "work"
        work.mkdir()
        for command in readme_commands():
            start = time.perf_counter()
            print(f"$ {command}", flush=True)
            run_command(command, programs, work)
            print(f"({time.perf_counter() - start:.1f} s)", flush=True)
        run_session(programs, work)
    print("the README is true for the wheel")


if __name__ == "__main__":
    main()
