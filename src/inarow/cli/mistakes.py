"""What is wrong with a command line, in one line that names the option and what it takes."""

from collections.abc import Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from cyclopts import CoercionError, CycloptsError, MissingArgumentError, UnknownOptionError, UnusedCliTokensError
from cyclopts import ValidationError as CheckError
from cyclopts.argument import Argument

from inarow.errors import did_you_mean, one_line, shown

_KINDS = {int: "a whole number", float: "a number"}


def describe(error: CycloptsError) -> str:
    """One line for an error of cyclopts, whose own words are for developers."""
    words = ["inarow", *(error.command_chain or ())]
    return f"{_reason(error, ' '.join(words[1:]) or 'inarow')}; see {' '.join(words)} --help"


def _reason(error: CycloptsError, command: str) -> str:
    match error:
        case MissingArgumentError(argument=Argument() as argument):
            if error.keyword is not None:
                return f"{error.keyword} needs {_values(argument.hint)}"
            return f"{command} needs {_name(argument)}: {_description(error, argument)}"
        case UnknownOptionError():
            word = error.token.keyword or error.token.value
            known = [name for each in error.argument_collection if each.show for name in each.names]
            return f"{command} has no option {shown(word)}{did_you_mean(word.partition('=')[0], known)}"
        case UnusedCliTokensError():
            return f"{command} takes no further argument {shown(' '.join(error.unused_tokens or ()))}"
        case CoercionError(token=token, argument=Argument() as argument) if token is not None:
            choices = _choices(argument.hint)
            meant = did_you_mean(token.value, choices)
            return (
                f"{token.keyword or _name(argument)} is {shown(token.value)}{meant}; it must be {_kind(argument.hint)}"
            )
        case CheckError() if error.exception_message:
            return error.exception_message
    return one_line(error).rstrip(".")


def _name(argument: Argument) -> str:
    """As the usage line has it: positional ones in capitals."""
    return argument.name if argument.index is None else argument.name.lstrip("-").upper()


def _description(error: CycloptsError, argument: Argument) -> str:
    """What the help says about an argument, without its full stop."""
    assert error.app is not None
    described = error.app.assemble_argument_collection(parse_docstring=True)
    text = next((each.parameter.help for each in described if each.name == argument.name), None) or "a value"
    return (text[:1].lower() + text[1:]).rstrip(".")


def _values(hint: Any) -> str:
    parts = [each for part in _members(hint) if get_origin(part) is tuple for each in get_args(part)]
    return f"{len(parts)} values, each {_kind(parts[0])}" if parts and ... not in parts else f"a value, {_kind(hint)}"


def _kind(hint: Any) -> str:
    if choices := _choices(hint):
        return f"{', '.join(choices[:-1])} or {choices[-1]}"
    kinds = [_KINDS[part] for part in _flat(hint) if part in _KINDS]
    return kinds[0] if kinds else "a text"


def _choices(hint: Any) -> Sequence[str]:
    return [str(each) for part in _members(hint) if get_origin(part) is Literal for each in get_args(part)]


def _flat(hint: Any) -> list[Any]:
    inner = [each for part in get_args(hint) for each in _flat(part)]
    return inner or [hint]


def _members(hint: Any) -> Sequence[Any]:
    """The types of a union, or the type."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
