"""Files of arrays: what is read back, and one plain line for files that are anything else."""

import io
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
    with pytest.raises(BookError, match="has more than 1 MB; it is not a test file"), load_arrays(path, KIND):
        pass
