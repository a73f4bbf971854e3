"""Help texts: the docstring of a command, its examples, and the names that its arguments may have."""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.text import Text

_WIDTH = 79
_EXAMPLES = re.compile(r"^Examples:\n((?: +.*\n|\n)+)", re.MULTILINE)


class CommandLine(App):
    """A cyclopts app whose `--help` ends with examples and names; cyclopts drops the section `Examples`."""

    def help_print(
        self,
        tokens: Annotated[str | Iterable[str] | None, Parameter(show=False)] = None,
        *,
        console: Annotated[Console | None, Parameter(parse=False)] = None,
    ) -> None:
        words, apps, _ = self.parse_commands(tokens)
        use_docstring(apps[-1], ["inarow", *words])
        super().help_print(words, console=console)
        for title, lines in closing_sections(apps[-1], words):
            text = "\n".join(["", f"{title}:", *(f"  {line}" for line in lines)])
            (console or apps[-1].console).print(Text(text), soft_wrap=True)


def use_docstring(command: App, words: Sequence[str]) -> None:
    """Gives a command the whole text of its function as help, instead of the one line in the list of commands, and a
    usage line that names optional arguments.
    """
    if command.default_command is None:
        return
    command.help = inspect.getdoc(command.default_command) or command.help
    usage = [*words]
    for argument in command.assemble_argument_collection():
        if argument.show and argument.index is not None:
            name = argument.name.lstrip("-").upper() + ("..." if argument.is_var_positional() else "")
            usage.append(name if argument.required else f"[{name}]")
        elif argument.show and argument.required:
            usage.append(f"{argument.name} {argument.name.lstrip('-').upper()}")
    command.usage = " ".join(["Usage:", *usage, "[OPTIONS]"])


def examples_of(command: App) -> list[str]:
    """The lines of the section `Examples` of a docstring; of a group of commands, the first example of each."""
    if command.default_command is None:
        return [line for _, each in subcommands(command) for line in examples_of(each)[:1]]
    found = _EXAMPLES.search((inspect.getdoc(command.default_command) or "") + "\n")
    return textwrap.dedent(found[1]).strip().splitlines() if found else []


def subcommands(command: App) -> Iterator[tuple[str, App]]:
    """The commands below one, by name; loads them."""
    for name in command:
        if not name.startswith("-"):
            yield name, command[name]


def closing_sections(command: App, words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """What follows the parameters: titles with their lines."""
    yield from (section() for section in _NAMES.get(" ".join(words), ()))
    examples = FIRST_STEPS if not words else examples_of(command)
    if examples:
        yield "Examples", examples


FIRST_STEPS = [
    "inarow play                               # against a friendly computer",
    "inarow solve 4453                         # the exact score of every move",
    "inarow match mcts minimax --games 20      # two agents, with Elo",
]


def greeting(version: str) -> str:
    """What `inarow` alone prints."""
    first = "\n".join(f"  {line}" for line in FIRST_STEPS)
    return (
        f"inarow {version}: a laboratory for Connect Four, Tic Tac Toe and other k-in-a-row games.\n\n"
        f"First commands:\n{first}\n\n"
        "All commands: inarow --help. Help on one of them: inarow play --help."
    )


# --- Names ---


def _agents() -> tuple[str, list[str]]:
    from inarow.agents.registry import registry

    lines = textwrap.wrap(", ".join(registry()), _WIDTH - 2, break_on_hyphens=False)
    return "Agents", [*lines, "Parameters are written name:key=value,key=value. List them: inarow agents NAME"]


def _presets() -> tuple[str, list[str]]:
    from inarow.learning.config_text import preset_infos

    infos = preset_infos()
    width = max(len(info.name) for info in infos)
    lines = [f"{info.name:{width}}  {info.summary}" for info in infos]
    return "Presets", [part for line in lines for part in _hanging(line, width + 2)]


def _config_keys() -> tuple[str, list[str]]:
    return "Keys for --set", ["All keys with their values and meanings: inarow train PRESET --show-config"]


def _studies() -> tuple[str, list[str]]:
    from inarow.studies.catalogue import studies

    width = max(map(len, studies()))
    lines = [f"{name:{width}}  {study.title.removeprefix(f'{name}: ')}" for name, study in studies().items()]
    return "Studies", [part for line in lines for part in _hanging(line, width + 2)]


def _benchmarks() -> tuple[str, list[str]]:
    from inarow.cli.bench import NAMES

    return "Benchmarks", textwrap.wrap(", ".join(NAMES), _WIDTH - 2, break_on_hyphens=False)


def _hanging(line: str, indent: int) -> list[str]:
    return textwrap.wrap(line, _WIDTH - 2, subsequent_indent=" " * indent, break_on_hyphens=False)


_NAMES: dict[str, tuple[Callable[[], tuple[str, list[str]]], ...]] = {
    **dict.fromkeys(("play", "match", "tournament", "grade", "engine", "depth-test", "export kaggle"), (_agents,)),
    "train": (_presets, _config_keys),
    "reproduce": (_studies,),
    "bench": (_benchmarks,),
}
"""By the words of a command, the names that its arguments may have."""
