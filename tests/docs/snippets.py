"""The code blocks of the documentation: shell lines, Python and data, and how the tests run each of them.

Every shell line is in exactly one category. `inarow` commands run, cut short by `SHORTER`, except those of
`NOT_RUN` and `SERVERS`; all other lines must match `ELSEWHERE`, which says what covers them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_WRITTEN_BY_TOOLS = re.compile(r"<!-- faults: begin.*?<!-- faults: end -->", re.DOTALL)

# --- What the tests do with a line ---

SHORTER = (
    (r": match |: tournament ", "--games 4"),
    (r": match .*kaggle:", "--games 2"),
    (r": tournament (\S+ ){6,}", "--games 2 --gauntlet"),
    (r": grade (?!.*--(board|suite))", "--suite few.npz"),
    (r": depth-test ", "--depths 1-2 --games 4 --positions 20"),
    (r"^(?!docs/tutorials/train).*: train (tictactoe|4x4x4)-q", "--set phases.0.episodes=2000"),
    (r": train .*policy.backend=aer", "--set phases.0.episodes=5"),
    (r": train (4x4x4|connect4)-dqn", "--set episodes=40"),
    (r": train (tictactoe|connect4-\d+min|universal)( |$)", "--set minutes=0.01 --set workers=1"),
    (
        r": train gupta",
        "--set iterations=1 --set iteration_games=2 --set selfplay.games=2 --set selfplay.simulations=4 "
        "--set selfplay.first_simulations=4 --set gate.games=2 --set gate.simulations=2",
    ),
    (r": train --resume .*minutes=\+", "--set minutes=+0.01"),
    (r": sweep ", "--trials 2"),
    (r": quantum map ", "--games 20"),
    (r": (solve|analyse) .*--nodes", "--nodes 10000"),
    (r": suite build ", "--positions 40"),
    (r": train kumbhakern-2025", "--set phases.0.episodes=500 --set phases.1.episodes=500 --set phases.2.episodes=500"),
    (r": window-net ", "--episodes 500"),
    (r": book build ", "--plies 3"),
    (r": book verify ", "--sample 20"),
    (r": reproduce ", "--scale paper --report-only"),
    (r": serve\b", "--port 0 --workers 1"),
)
"""Options that make a command short: for those whose page and arguments match, in place of the same options."""

DROPPED = ("--workers", "--ray")
"""Options without which commands run here, with the same results; tests/workers and tests/cli/test_ray.py use them."""

INPUT = {"play": "4\nu\nq\n", "engine": "quit\n", "solve": "4453\n"}
"""What a command reads that asks for input, unless the page pipes something into it."""

OWN_PROCESS = {"engine"}
"""Commands that end their process."""

SERVERS = r"inarow serve"
"""Started and stopped by a test of its own."""

NOT_RUN = {
    r"inarow warmup": "`make test` runs it before the tests",
    r"inarow reproduce .* --set ": "asks for a net that the page does not train; tests/studies",
    r"inarow tournament A B C D": "the agents are placeholders; tests/workers/test_cluster_commands.py",
}

ELSEWHERE = {
    r"(%|!)?(python -m )?pip (install|wheel|download) ": "tools/check_wheel.py installs into an empty environment",
    r"python3? -m venv |\. \S+/bin/activate|\S+\\Scripts\\activate": "tools/check_wheel.py",
    r"git clone |cd ": "the source of this repository",
    r"make \w+": "tests/test_package.py: targets of the Makefile exist",
    r"(\.venv/bin/)?python -m pytest ": "these tests",
    r"python3? --version": "Python's own",
    r"python (mine|replay)\.py": "the Python block before it, which runs",
    r"python tools/": "tests/docs/test_snippets.py: the file exists",
    r"ray |RAY_AUTH_MODE=token ray ": "Ray's own commands; tests/workers start clusters with them",
    r"ssh ": "needs a second machine",
    r"jupyter ": "tests/notebook",
}
"""Shell lines that are not commands of inarow, and what covers them."""

SHORTER_PYTHON = ((r"workers=\d+", "workers=1"), (r"\b0\.2\b", "0.02"), (r"20_000", "2_000"))
"""Replacements in Python blocks without prompts. Sessions with prompts run as they are."""

PYTHON_ELSEWHERE = {
    "docs/howto/recipes.md": "tests/test_recipes.py",
    "docs/explanation/architecture.md": "tests/test_architecture.py",
    "docs/howto/tune.md": "tests/arena/test_sweep.py",
    "docs/reference/adapters.md": "tests/adapters",
    "docs/reference/engine.md": "tests/engine",
}
"""Pages whose Python blocks have tests of their own."""

DATA = {"", "text", "toml", "json", "python", "sh", "console", "mermaid"}
"""Languages of code blocks: with none or `text` they are output, files or diagrams."""


# --- Pages and blocks ---


@cache
def pages() -> dict[str, str]:
    """The pages that people write, by name; reports of studies and generated references are made by the program."""
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {
        path.relative_to(ROOT).as_posix(): _WRITTEN_BY_TOOLS.sub("", path.read_text(encoding="utf-8"))
        for path in paths
        if path.name != "report.md" and path.parent.name != "generated"
    }


@dataclass(frozen=True)
class Block:
    """A code block: its language, its text, and the number of its first line on the page."""

    language: str
    text: str
    line: int

    def commands(self) -> Iterator[tuple[str, list[str] | None]]:
        """Shell lines without prompt and comment, each with the output that the page shows, if it shows one."""
        if self.language == "console":
            for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
                command, *shown = part.rstrip().splitlines()
                yield command, [line.rstrip() for line in shown] or None
        elif self.language == "sh":
            for line in self.text.replace("\\\n", " ").splitlines():
                if command := re.split(r"(?:^|\s+)#", line)[0].strip():
                    yield command, None


def blocks(text: str) -> Iterator[Block]:
    """Fenced blocks of a page in order, and those indented blocks that hold commands. Directives are left out."""
    fence = re.compile(r"^( *)```(\S*)\n(.*?)^\1```|^    (?:\$ )?(inarow [^\n]*)", re.DOTALL | re.MULTILINE)
    for found in fence.finditer(text):
        line = text[: found.start()].count("\n") + 1
        if found[4]:
            yield Block("sh", found[4], line)
        elif not found[2].startswith("{"):
            yield Block(found[2], re.sub(rf"^{found[1]}", "", found[3], flags=re.MULTILINE), line + 1)


def all_commands() -> Iterator[tuple[str, str]]:
    """Page and shell line of every code block."""
    for page, text in pages().items():
        for block in blocks(text):
            yield from ((page, command) for command, _ in block.commands())


# --- Commands of inarow ---


def inarow_words(command: str) -> list[str] | None:
    """The arguments if a shell line runs inarow, else None. What follows a pipe or a redirection is left out."""
    found = re.match(r"(?:printf .* \| )?(?:python -m )?inarow\b(.*)", command)
    return shlex.split(re.split(r" [|>] ", found[1])[0]) if found else None


def piped_input(command: str) -> str | None:
    """What `printf 'TEXT' | ...` writes; None without a pipe into the command."""
    found = re.match(r"printf '([^']*)' \| ", command)
    return found[1].encode().decode("unicode_escape") if found else None


def reason_not_to_run(command: str) -> str | None:
    return next((reason for pattern, reason in NOT_RUN.items() if re.match(pattern, command)), None)


def shortened(page: str, words: list[str]) -> list[str]:
    """The arguments of a command of a page that costs little."""
    line, words = f"{page}: {' '.join(words)}", list(words)
    for option in DROPPED:
        if option in words:
            del words[words.index(option) : words.index(option) + 2]
    for pattern, extra in SHORTER:
        if re.search(pattern, line):
            words = _replaced(words, extra)
    return words


def _replaced(words: list[str], extra: str) -> list[str]:
    """The words with the options of a rule, instead of the same options; of `--set`, instead of the same key."""
    for option, value in re.findall(r"(--\S+)(?: (?!--)(\S+))?", extra):
        key = value.partition("=")[0] if option == "--set" else ""
        for i in range(len(words) - 1, 0, -1):
            if words[i - 1] == option and words[i].startswith(key):
                del words[i - 1 : i + 1]
        words = [*words, option, *filter(None, [value])]
    return words
