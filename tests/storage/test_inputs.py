"""Files of users: what is read, and what is refused with one line."""

import os
import threading
from pathlib import Path

import pytest

from inarow.errors import BookError
from inarow.storage.inputs import open_input, read_input


def refusal(path, limit: int = 100) -> str:
    with pytest.raises(BookError) as error:
        read_input(path, limit, BookError)
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(f"{path} cannot be read: ")


def test_a_regular_file_is_read_whole(tmp_path):
    path = tmp_path / "file"
    for content in (b"", b"x" * 100, os.urandom(3_000_000)):
        path.write_bytes(content)
        assert read_input(path, max(100, len(content)), BookError) == content
    (tmp_path / "link").symlink_to(path)
    assert read_input(tmp_path / "link", 3_000_000, BookError) == content


def test_other_files_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        assert refusal(path) == "it is not a regular file"
    for path in (tmp_path, tmp_path / ".." / ".."):
        assert refusal(path) == "it is a folder"
    assert refusal(tmp_path / "nothing") == "No such file or directory"
    assert refusal(Path("a\0b")) == "no file can have this name"


def test_large_files_are_refused(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(101))
    assert refusal(path) == "it is larger than 100 bytes"
    os.truncate(path, 200 << 30)
    assert refusal(path, 5 << 20) == "it is larger than 5 MB"


def test_a_file_that_is_longer_than_the_system_says_is_refused():
    """Files of the system have a size of 0, like files that grow after they were opened."""
    assert os.stat("/proc/self/status").st_size == 0
    assert refusal(Path("/proc/self/status")) == "it is larger than 100 bytes"


def test_no_more_than_a_megabyte_is_allocated_for_a_declared_size(tmp_path):
    (tmp_path / "file").write_bytes(b"short")
    with open_input(tmp_path / "file", 100, BookError) as file:
        with pytest.raises(ValueError, match="one part of it claims to have 1048576 MB"):
            file.read(1 << 40)
        assert file.read() == b"short"


def test_a_file_replaced_while_it_is_read_is_the_old_or_the_new_one(tmp_path):
    path, contents = tmp_path / "file", {bytes([number]) * 2_000_000 for number in (1, 2)}
    path.write_bytes(min(contents))
    ended = threading.Event()

    def replace() -> None:
        while not ended.is_set():
            for content in contents:
                (tmp_path / "new").write_bytes(content)
                (tmp_path / "new").replace(path)

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        found = {read_input(path, 2_000_000, BookError) for _ in range(300)}
    finally:
        ended.set()
        thread.join()
    assert found <= contents
