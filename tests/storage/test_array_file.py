"""Files of arrays: what is read back, and one plain line for files that are anything else."""

import io
import struct
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from inarow.errors import BookError
from inarow.storage.array_file import FileKind, load_arrays, save_arrays

KIND = FileKind(format="inarow-test", version=1, noun="a test file", error=BookError, max_bytes=1 << 20)


def test_arrays_and_header_are_read_back(tmp_path):
    path = tmp_path / "file.npz"
    save_arrays(path, KIND, {"board": "6x7x4"}, {"keys": np.arange(5, dtype=np.uint64)})
    with load_arrays(path, KIND) as (header, arrays):
        assert header == {"format": "inarow-test", "version": 1, "board": "6x7x4"}
        assert arrays["keys"].tolist() == [0, 1, 2, 3, 4]
    assert [file.name for file in tmp_path.iterdir()] == ["file.npz"]


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is not an .npz archive"),
        (b"garbage", "it is not an .npz archive"),
        (npz(table=np.zeros(3)), "the archive has no header"),
        (npz(header=np.array([{}], dtype=object)), "it holds Python objects"),
        (npz(header=np.zeros(3)), "Expecting value: line 1 column 1 (char 0)"),
    ],
    ids=["empty", "garbage", "another archive", "objects", "no JSON"],
)
def test_other_files_are_rejected_with_a_plain_reason(tmp_path, content, reason):
    path: Path = tmp_path / "file.npz"
    path.write_bytes(content)
    with pytest.raises(BookError) as error, load_arrays(path, KIND):
        pass
    assert str(error.value) == f"{path} is not a test file: {reason}"


def test_another_version_and_a_large_file_are_rejected(tmp_path):
    path = tmp_path / "file.npz"
    save_arrays(path, KIND, {"version": 2}, {})
    with pytest.raises(BookError, match="has format inarow-test 2, not inarow-test 1"), load_arrays(path, KIND):
        pass
    path.write_bytes(bytes(KIND.max_bytes + 1))
    with pytest.raises(BookError, match="is not a test file: it is larger than 1 MB"), load_arrays(path, KIND):
        pass


def header_of(shape: tuple[int, ...]) -> bytes:
    """The beginning of an .npy file that declares a shape."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<u8", "fortran_order": False, "shape": shape})
    return file.getvalue()


def archive(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(f"{name}.npy", content)
    return file.getvalue()


def lying(content: bytes) -> bytes:
    """An archive whose directory declares another size for its first member, which is as long as the archive has it."""
    place = content.index(b"PK\1\2") + 24
    return content[:place] + struct.pack("<L", 1 << 31) + content[place + 4 :]


BOMBS = {
    "declares a terabyte": (archive({"header": header_of((1 << 37,))}), "the declared size of an array is wrong"),
    "declares many dimensions": (
        archive({"header": header_of((1 << 20,) * 9)}),
        "the declared size of an array is wrong",
    ),
    "expands a thousandfold": (
        archive({"header": header_of((1 << 21,)) + bytes(1 << 24)}),
        "it would unpack to 16 MB; the limit is 1 MB",
    ),
    "lies in its directory": (lying(archive({"header": bytes(100)})), "it would unpack to 2,048 MB; the limit is 1 MB"),
    "has many members": (
        archive({f"a{number}": header_of((0,)) for number in range(65)}),
        "it has more than 64 arrays",
    ),
    "has a long directory": (
        archive({"a" * 200 + f"{number}": b"" for number in range(5000)}),
        "it is damaged or not an .npz archive",
    ),
    "begins as an array of a terabyte": (
        header_of((1 << 37,)) + archive({"header": b""}),
        "it is not an .npz archive",
    ),
}


@pytest.mark.parametrize(("content", "reason"), BOMBS.values(), ids=BOMBS.keys())
def test_an_archive_that_declares_too_much_is_refused_before_memory_is_taken(tmp_path, content, reason):
    path: Path = tmp_path / "file.npz"
    path.write_bytes(content)
    kind = replace(KIND, max_bytes=8 << 20) if len(content) > KIND.max_bytes else KIND
    tracemalloc.start()
    with pytest.raises(BookError) as error, load_arrays(path, kind):
        pass
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert str(error.value) == f"{path} is not a test file: {reason}"
    assert most < 4 << 20


def test_a_small_archive_of_gigabytes_of_zeros_is_refused(tmp_path):
    path = tmp_path / "file.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made, made.open("values.npy", "w") as file:
        file.write(header_of((1 << 26,)))
        for _ in range(512):
            file.write(bytes(1 << 20))
    kind = replace(KIND, max_bytes=64 << 30)
    with pytest.raises(BookError, match=r"it would unpack to 512 MB; the limit is 2\d\d MB"), load_arrays(path, kind):
        pass


def test_a_file_replaced_while_it_is_read_is_the_old_or_the_new_one(tmp_path):
    path, new = tmp_path / "file.npz", tmp_path / "new.npz"
    for place, first in ((path, 0), (new, 5)):
        save_arrays(place, KIND, {"first": first}, {"keys": np.arange(first, first + 5)})
    with load_arrays(path, KIND) as (header, arrays):
        new.replace(path)
        assert (header["first"], arrays["keys"].tolist()) == (0, [0, 1, 2, 3, 4])
    with load_arrays(path, KIND) as (header, arrays):
        assert (header["first"], arrays["keys"].tolist()) == (5, [5, 6, 7, 8, 9])


def test_a_file_overwritten_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "file.npz"
    save_arrays(path, KIND, {}, {"keys": np.random.default_rng(1).integers(0, 1 << 60, 100_000)})
    with pytest.raises(BookError, match="it is damaged or not an") as error:
        read_overwritten(path)
    assert "\n" not in str(error.value)


def read_overwritten(path: Path) -> list[int]:
    with load_arrays(path, KIND) as (_, arrays):
        path.write_bytes(bytes(path.stat().st_size))
        return arrays["keys"].tolist()
