"""Files that are cut off, damaged, foreign or of a later version: a one-line error, and the file stays as it is."""

import os
import random
import re
import shutil
import signal
from pathlib import Path

import pytest

from inarow.errors import InarowError
from tests.reliability.faults import report_fault
from tests.reliability.formats import FORMATS, Format

FEW, MANY = 25, 2000
"""Cuts and changes of each file."""
FOREIGN = (
    b"",
    b"\0",
    b"\xff\xfe",
    b"hello\n",
    b"[]",
    b"{}",
    b"null",
    b"[" * 100_000,
    b'{"version": 1e999}',
    bytes(5000),
    b"PK\x05\x06" + bytes(18),  # an empty archive
    b"\x1f\x8b\x08\0\0\0\0\0\0\x03",
    b"\x89PNG\r\n\x1a\n" + bytes(100),
    b"\x7fELF" + bytes(100),
    b"SQLite format 3\0" + bytes(100),
    b"\x93NUMPY\x01\x00",
    b"(lp0\ncos\nsystem\n(S'false'\ntR.",  # a pickle that would run a command
    "ünïcödé \N{SNOWMAN}\n".encode(),
)


LIBRARY_WORDS = re.compile(r"ONNXRuntimeError|If you trust|[Mm]agic|deserializing|zip file|state_dict|allow_pickle")
"""Of messages that NumPy, zipfile, ONNX Runtime, safetensors and torch have for their developers."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The path of a valid file of a format, which must not be changed."""
    known = {}

    def find(kind: Format) -> Path:
        if kind.name not in known:
            known[kind.name] = kind.make(tmp_path_factory.mktemp("sound"))
        return known[kind.name]

    return find


@pytest.fixture
def try_to_read(tmp_path, sound):
    """Replaces a valid file by content and reads it: what was read, or None and the message of the error."""

    def read(kind: Format, content: bytes):
        folder = tmp_path / "bad"
        if not folder.exists():
            shutil.copytree(sound(kind).parent, folder)
        path = folder / sound(kind).name
        path.write_bytes(content)
        beside = {each.name for each in folder.iterdir()}
        try:
            return kind.read(path), ""
        except InarowError as error:
            refusal = str(error)
        assert "\n" not in refusal
        assert not LIBRARY_WORDS.search(refusal)
        assert path.read_bytes() == content
        assert {each.name for each in folder.iterdir()} == beside
        return None, refusal.replace(f"{folder}/", "").replace(str(folder), "run")

    return read


formats = pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
often = pytest.mark.parametrize("times", [FEW, pytest.param(MANY, marks=pytest.mark.soak, id="long")])


@formats
@often
def test_a_cut_file_is_refused(kind, times, sound, try_to_read):
    whole, said, chance = sound(kind).read_bytes(), "", random.Random(1)
    lengths = {len(whole) - 1, *(chance.randrange(len(whole)) for _ in range(times))}
    if len(whole) <= times:
        lengths = set(range(len(whole)))
    accepted = 0
    for length in sorted(lengths):
        found, refusal = try_to_read(kind, whole[:length])
        accepted += found is not None
        said = refusal or said
    assert bool(said) == kind.refuses or kind.is_log
    report_for(kind, "file cut off anywhere", len(lengths), accepted, said)


@formats
@often
def test_a_changed_file_is_refused_or_says_something_sound(kind, times, sound, try_to_read):
    whole, truth = sound(kind).read_bytes(), kind.read(sound(kind))
    chance, accepted, said = random.Random(2), 0, ""
    for _ in range(times):
        found, refusal = try_to_read(kind, changed(whole, chance))
        accepted += found is not None
        said = refusal or said
        if kind.is_checked and found is not None:
            # a line that is gone or twice there is none that was changed
            assert set(found) <= set(truth) if kind.is_log else found == truth
    report_for(kind, "bytes of a file changed", times, accepted, said)


@formats
def test_a_foreign_file_is_refused(kind, sound, try_to_read):
    accepted, said = 0, ""
    for content in FOREIGN:
        found, refusal = try_to_read(kind, content)
        # Stores and logs begin with an empty file.
        assert refusal or not kind.refuses or content == b""
        accepted += found is not None
        said = refusal or said
    assert bool(said) == kind.refuses
    report_for(kind, "file of somebody else", len(FOREIGN), accepted, said)


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind.later], ids=lambda kind: kind.name)
def test_a_file_of_a_later_version_is_refused(kind, sound, try_to_read):
    found, refusal = try_to_read(kind, kind.later(sound(kind).read_bytes()))
    assert found is None
    assert refusal
    report_for(kind, "file of a later version", 1, 0, refusal)


SPARSE_BYTES = 200 << 30


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, SPARSE_BYTES)


@pytest.fixture
def patience():
    """Raises TimeoutError in a test that waits for more than 60 seconds."""

    def give_up(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@formats
@pytest.mark.parametrize("make", [make_pipe, make_endless, make_sparse])
def test_a_pipe_a_device_and_a_sparse_file_of_200_gb_are_refused_at_once(kind, make, sound, tmp_path, patience):
    folder = tmp_path / "bad"
    shutil.copytree(sound(kind).parent, folder)
    path = folder / sound(kind).name
    path.unlink()
    make(path)
    beside = {each.name for each in folder.iterdir()}
    if kind.refuses:
        with pytest.raises(InarowError) as error:
            kind.read(path)
        reason = str(error.value).rpartition(": ")[2]
        if kind.name == "results store":  # SQLite reads pages of it
            assert "is not a file" in str(error.value) or "not a database" in str(error.value)
        else:
            assert path.name in str(error.value) or "/dev/zero" in str(error.value)
            assert re.fullmatch(r"it is (larger than [\d,]+ MB|not a regular file|a folder)", reason)
    else:
        kind.read(path)
    assert {each.name for each in folder.iterdir()} == beside


def changed(content: bytes, chance: random.Random) -> bytes:
    """With a byte changed, some bytes put in, left out, doubled or made zero."""
    place, length = chance.randrange(len(content)), chance.randint(1, 40)
    rest = content[place + length :]
    middle = {
        0: bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 : place + length],
        1: chance.randbytes(length) + content[place : place + length],
        2: b"",
        3: 2 * content[place : place + length],
        4: bytes(length),
        5: chance.choice([b"9" * 30, b"-1", b"1e999", b"nan", b"null", b'"', b"\n", b"\0", b"[", b"{"]),
    }[chance.randrange(6)]
    return content[:place] + middle + rest


def report_for(kind: Format, fault: str, times: int, accepted: int, said: str) -> None:
    seen = f"inarow: {said}" if said else ("continues after its whole lines" if kind.is_log else "passed over")
    lost = f"nothing; {accepted} read as sound" if accepted and kind.refuses and not kind.is_log else "nothing"
    report_fault(fault, kind.name, injected=times, lost=lost, seen=seen)
