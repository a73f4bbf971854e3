"""Code that is not part of inarow: installed packages with entry points, plug-in files, and what a program registers.

All of it is third-party code. Worker processes load the same plug-in files, and repeat those registrations of the
program that started them that they can import.
"""

import hashlib
import importlib.util
import inspect
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from operator import itemgetter
from pathlib import Path
from tokenize import TokenError
from types import CodeType, ModuleType
from typing import Any

from inarow.errors import PluginError, one_line

_FILES = "INAROW_PLUGINS"  # environment variable: plug-in files, inherited by worker processes
_MODULE = "inarow_plugin_"
_IMPORTABLE = "define it in a .py file and import it from there, or use one worker"

# --- Entry points ---


def load_plugin(entry: EntryPoint) -> Any:
    """The object of an entry point; raises whatever its module raises, ImportError in place of SystemExit."""
    try:
        return entry.load()
    except SystemExit as error:
        raise ImportError(f"its module calls sys.exit({'' if error.code is None else repr(error.code)})") from None


def load_plugins(
    group: str, check: Callable[[Any], None], *, several: bool = False
) -> tuple[dict[str, Any], dict[str, str]]:
    """The objects of a group of entry points by their `name`, and why the others cannot be used, by their name or, if
    they have none, the name of their entry point. `check` raises for an object that does not belong in the group;
    with `several` each entry point holds a sequence of objects.
    """
    found: dict[str, Any] = {}
    broken: dict[str, str] = {}
    for entry in entry_points(group=group):
        name = entry.name
        try:
            loaded = load_plugin(entry)
            for each in loaded if several else [loaded]:
                name = getattr(each, "name", entry.name)
                check(each)
                found[name] = each
        except Exception as error:  # third-party code can raise anything
            broken[name] = f"the plug-in {entry.name} is broken: {type(error).__name__}: {one_line(error)}"
    return found, broken


# --- Plug-in files ---


def use_plugin_file(path: Path) -> ModuleType:
    """Runs a Python file. Its registrations hold in this process and in those that it starts; raises PluginError."""
    file = path.absolute()
    module = _run_file(file)
    known = os.environ.get(_FILES, "")
    if str(file) not in known.split(os.pathsep):
        os.environ[_FILES] = os.pathsep.join(filter(None, (known, str(file))))
    return module


def load_plugin_files() -> None:
    """Runs the plug-in files of the process that started this one; raises PluginError."""
    for name in os.environ.get(_FILES, "").split(os.pathsep):
        if name:
            _run_file(Path(name))


@lru_cache(maxsize=256)
def _run_file(path: Path) -> ModuleType:
    """The file as a module, run once."""
    name = f"{_MODULE}{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if path.suffix != ".py" or spec is None or spec.loader is None:
        raise PluginError(f"{path} is not a plug-in: it must be a .py file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise PluginError(f"the plug-in {path} cannot be loaded: {type(error).__name__}: {one_line(error)}") from None
    return module


# --- Registrations ---

_Registration = tuple[Callable[..., object], tuple[object, ...]]  # a function and its arguments
Registered = tuple[str, str, bytes | None]
"""Kind and name of a registered object, and its pickled registration; None if workers cannot import it."""

_registrations: dict[tuple[str, str], _Registration] = {}
_absent: set[tuple[str, str]] = set()  # in a worker: registrations that it could not repeat


def share(kind: str, name: str, register: Callable[..., object], *arguments: object) -> None:
    """Repeats `register(*arguments)`, which registered something of this kind and name, in worker processes that start
    later. Functions and classes among the arguments must be importable there.
    """
    _registrations[kind, name] = register, arguments


def unshare(kind: str, name: str) -> None:
    """Undoes `share`; does nothing if the name was not shared."""
    _registrations.pop((kind, name), None)


def shared_registrations() -> list[Registered]:
    """All registrations of this process, for its workers."""
    return [(kind, name, _pickled(kind, name)) for kind, name in _registrations]


def repeat_registrations(registrations: Sequence[Registered]) -> None:
    """In a worker: registers what the program that started it has registered."""
    for kind, name, content in registrations:
        try:
            register, arguments = pickle.loads(content or b"")
            register(*arguments)
        except Exception:  # reported by `why_unreachable` where it is used
            _absent.add((kind, name))


def why_unreachable(kind: str, name: str) -> str:
    """Why workers cannot use the object registered under a name, and what to do, as a message; empty if they can."""
    if (kind, name) in _absent or ((kind, name) in _registrations and _pickled(kind, name) is None):
        return f"worker processes cannot import the {kind} {name}: {_IMPORTABLE}"
    return ""


def _pickled(kind: str, name: str) -> bytes | None:
    try:
        content = pickle.dumps(_registrations[kind, name])
    except Exception:  # pickling fails with many types of error
        return None
    # Pickle assumes that workers can import `__main__`: in a notebook or a console they cannot.
    is_script = hasattr(sys.modules["__main__"], "__file__")
    return content if is_script or b"__main__" not in content else None


# --- Identity of code ---

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_DIGEST_BYTES = 16


def source_digest(function: Callable[..., Any]) -> str:
    """A digest of the code of a function, a class or a partial: its source (or bytecode if the source is missing), the
    plain values among its defaults, in its closure and in the globals that it names, and the functions of its module
    that it calls. Other objects, and functions of other modules, are ignored.
    """
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for part in _code_parts(function, []):
        digest.update(part.encode(errors="surrogatepass") + b"\0")
    return digest.hexdigest()


def _code_parts(thing: Any, seen: list[object]) -> Iterator[str]:
    """The strings that `source_digest` hashes."""
    if isinstance(thing, partial):
        yield from _code_parts(thing.func, seen)
        yield from _value_parts("arguments", [thing.args, thing.keywords])
        return
    thing = getattr(thing, "py_func", thing)  # the Python function of a Numba dispatcher
    thing = getattr(thing, "__func__", thing)
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        thing = type(thing)
    if any(thing is each for each in seen):
        return
    seen.append(thing)
    yield _source_or_bytecode(thing)
    if inspect.isfunction(thing):
        yield from _value_parts("defaults", [thing.__defaults__, thing.__kwdefaults__])
        for name, value in sorted(values_named_in(thing).items(), key=itemgetter(0)):
            inner = getattr(value, "py_func", value)
            if not inspect.isfunction(inner):
                yield from _value_parts(name, value)
            elif inner.__module__ == thing.__module__:
                yield from _code_parts(inner, seen)


def _source_or_bytecode(thing: Any) -> str:
    name = thing.__name__
    try:
        source = inspect.getsource(thing)
        if f"def {name}" in source or f"class {name}" in source:  # false for a lambda, whose line may hold other code
            return source
    except (OSError, TypeError, SyntaxError, TokenError):  # typed in a console, or the file has changed
        pass
    if inspect.isclass(thing):
        return " ".join(
            [name, *(_bytecode(each.__code__) for each in vars(thing).values() if inspect.isfunction(each))]
        )
    return _bytecode(thing.__code__)


def _bytecode(code: CodeType) -> str:
    constants = [
        _bytecode(each) if isinstance(each, CodeType) else [*_value_parts("", each)] for each in code.co_consts
    ]
    return f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames}"


def values_named_in(function: Any) -> dict[str, Any]:
    """The globals that a function or its inner functions may use, attributes of modules among them as `module.name`,
    and the values of its closure.
    """
    waiting, names = [function.__code__], set[str]()
    while waiting:
        code = waiting.pop()
        names.update(code.co_names)
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
    known = {name: function.__globals__[name] for name in names if name in function.__globals__}
    for module in [name for name, value in known.items() if isinstance(value, ModuleType)]:
        known |= {f"{module}.{name}": vars(known[module])[name] for name in names & vars(known[module]).keys()}
    return known | dict(inspect.getclosurevars(function).nonlocals)


def _value_parts(name: str, value: Any) -> Iterator[str]:
    """The plain values in a value: numbers, strings, arrays, and collections of them."""
    if isinstance(value, _PLAIN):
        yield f"{name}={value!r}"
    elif isinstance(value, dict):
        for key in sorted(value, key=repr):
            yield from _value_parts(f"{name}[{key!r}]", value[key])
    elif isinstance(value, (tuple, list)):
        for place, each in enumerate(value):
            yield from _value_parts(f"{name}[{place}]", each)
    elif isinstance(value, (set, frozenset)):
        yield f"{name}={sorted(map(repr, value))}"
    elif hasattr(type(value), "tobytes") and hasattr(value, "dtype"):  # a NumPy array or scalar
        yield f"{name}={value.dtype} {value.shape} {value.tobytes().hex()}"
