"""What agent files of students do wrong, in words that their authors understand."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from inarow.errors import visible
from inarow.games import GameSpec, Position
from inarow.games.notation import format_move

FaultKind = Literal["load", "crash", "illegal move", "time-out", "memory", "ended"]
AgentKind = Literal["observation", "position", "class"]
_NO_AGENT = (
    "no agent found: define agent(observation, configuration), agent(position), or a class with a method "
    "decide(position)"
)


class FileFault(Struct, frozen=True, kw_only=True):
    """What a file did wrong."""

    kind: FaultKind
    message: str
    """One line, without the position."""
    line: int | None = None
    """Of the file, from 1."""
    moves: str | None = None
    """The position as a move string; None while the file was loaded."""

    def __str__(self) -> str:
        if self.moves is None:
            return self.message
        return f"{self.message}, {f'after {self.moves}' if self.moves else 'on the empty board'}"


class HostReply(Struct, frozen=True, kw_only=True):
    """Any reply of `student_host.py`."""

    kind: AgentKind = "observation"
    structure: Annotated[str, Meta(max_length=64)] = ""
    isolated: bool = False
    action: int | str | None = None
    type: str = ""
    error: str | None = None
    known: str = ""
    text: str = ""
    line: int | None = None
    ended: int | None = None
    seconds: Annotated[float, Meta(ge=0)] = 0.0


def load_fault(reply: HostReply, memory: int) -> FileFault:
    """What happened while a file was loaded."""
    text, where = _line(reply.text), f" on line {reply.line}" if reply.line else ""
    known = {
        "SyntaxError": f"has a syntax error{where}: {text}",
        "ModuleNotFoundError": f"imports what is not available{where}: {text}",
        "MemoryError": f"uses more than {memory >> 20} MB of memory while it is loaded{where}",
        "SystemExit": f"ends the program while it is loaded{where}: leave exit() out",
        "EOFError": f"waits for input{where}; nobody can answer",
        "NoAgentError": f"{_NO_AGENT}; {text}",
    }
    message = known.get(reply.known, f"raised {_raised(reply)}{where} while it was loaded")
    if reply.error is None:
        message = f"ended its process while it was loaded{_exit(reply.ended)}"
    if reply.known == "SyntaxError" and ("codec can't decode" in text or "null byte" in text):
        message = "is not UTF-8 text; save it as UTF-8"
    return FileFault(kind="load", message=message, line=reply.line)


def game_fault(reply: HostReply, moves: str, memory: int) -> FileFault:
    """What happened in a game."""
    where = f" on line {reply.line}" if reply.line else ""
    if reply.error is None:
        return FileFault(kind="ended", message=f"ended its process{_exit(reply.ended)}", moves=moves)
    if reply.known == "MemoryError":
        message = f"used more than {memory >> 20} MB of memory{where}"
        return FileFault(kind="memory", message=message, line=reply.line, moves=moves)
    message = f"called exit(){where}" if reply.known == "SystemExit" else f"raised {_raised(reply)}{where}"
    return FileFault(kind="crash", message=message, line=reply.line, moves=moves)


def move_problem(action: int | str | None, kind: str, position: Position) -> str:
    """Why an answer is no legal move; empty if it is one."""
    spec = position.spec
    what = "column" if spec.gravity else "cell"
    numbers = f"{what}s are numbered 0 to {spec.actions - 1}"
    if kind == "NoneType":
        return f"returned None instead of a {what}: does every path end with return? {numbers}"
    if not isinstance(action, int):
        return f"returned {_line(str(action))} ({_line(kind)}), not an integer; {numbers}"
    if not 0 <= action < spec.actions:
        return f"returned {action}; {numbers}"
    if action not in position.legal_actions:
        return f"played {what} {format_move(action, spec)} (returned {action}), which is {_full(spec)}"
    return ""


def _full(spec: GameSpec) -> str:
    return "full" if spec.gravity else "taken"


def _raised(reply: HostReply) -> str:
    text = _line(reply.text)
    return f"{_line(reply.error or '')}: {text}" if text else _line(reply.error or "")


def _exit(code: int | None) -> str:
    if code is None or code == -1:
        return ""
    return f" (signal {-code})" if code < 0 else f" (exit code {code})"


def _line(text: str) -> str:
    """On one line, of bounded length, and printable."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= 200 else line[:200] + "..."
