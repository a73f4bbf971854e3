"""Confines the process of an agent file: resource limits, a guard, and on Linux namespaces of its own.

A guard waits for the end of a pipe. When the program that started the process closes the pipe, or dies in any way, the
guard kills the process with all that it has started, and removes its working folder.

In namespaces of its own (user, mount, pid, network, ipc), without capabilities, the process sees no other process and
no network, and can write nowhere but in its working folder and to /dev/shm, which is empty. Folders can be hidden from
it. Where the system refuses namespaces (in most containers, and on Linux before 5.12), limits and guard remain.
Standard library only.
"""

import ctypes
import os
import resource
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

MEMORY = 8 << 30
"""Bytes of address space. It must hold what the threads of NumPy, Numba and PyTorch reserve and never touch."""
FILE_SIZE = 256 << 20
OPEN_FILES = 256
FOLDER_SIZE = 64 << 20  # of a working folder in memory
PROCESSES = 512  # Threads included. Limited in a namespace only: elsewhere all processes of the user count.

# From the headers of Linux; the same on every architecture that Python supports.
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_NEW_PIDS_NETWORK_IPC = 0x20000000 | 0x40000000 | 0x08000000
_BIND, _NO_SUID, _NO_DEVICES, _PRIVATE = 0x1000, 0x2, 0x4, 0x40000
_READ_ONLY = 0x1
_MOUNT_SETATTR, _AT_WORKING_FOLDER, _RECURSIVE = 442, -100, 0x8000
_END_WITH_PARENT, _NO_NEW_PRIVILEGES = 1, 38
_CAPABILITY_VERSION = 0x20080522
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")

_libc = ctypes.CDLL(None, use_errno=True)


def enter(lifeline: int, memory: int = MEMORY, hidden: Sequence[str] = ()) -> bool:
    """Forks a guard that waits for the end of the pipe `lifeline`. Returns in the other process, which leads a session,
    whether it is in namespaces of its own; then the folders `hidden` are empty for it, and the working folder, with the
    files that it had, is in memory. To be called by the leader of a session, in the folder to work in.
    """
    leader, folder = os.getpid(), os.getcwd()
    is_isolated = sys.platform == "linux" and _unshare()
    child = os.fork()
    # The first child in a new pid namespace must stay: all others end with it. So there, the parent is the guard.
    if (child == 0) != is_isolated:
        _guard(child or leader, lifeline, folder)
    os.close(lifeline)
    if is_isolated:
        os.setsid()
        is_isolated = _confine(folder, hidden)
    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_FSIZE, FILE_SIZE)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_CORE, 0)
    if is_isolated:
        _limit(resource.RLIMIT_NPROC, PROCESSES)
    return is_isolated


def _guard(host: int, lifeline: int, folder: str) -> NoReturn:
    try:
        for stream in (0, 1, 2):  # the host's own ends must be the only ones
            os.close(stream)
        os.read(lifeline, 1)
    finally:
        os.kill(host, signal.SIGKILL)
        is_parent = True
        try:
            os.waitpid(host, 0)  # then its whole namespace is gone
        except ChildProcessError:
            is_parent = False
        shutil.rmtree(folder, ignore_errors=True)
        if not is_parent:  # then this process is in the group, whose number thus belongs to nobody else
            os.killpg(host, signal.SIGKILL)
        os._exit(0)


def _limit(kind: int, most: int) -> None:
    with suppress(OSError, ValueError):  # a limit that this system does not have
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


# --- Linux ---


def _unshare() -> bool:
    """New namespaces for this process, except that only its children are in the new pid namespace."""
    trial = os.fork()
    if trial == 0:  # some systems allow the namespace and then nothing in it, and there is no way back
        os._exit(0 if _unshare_user(0) else 1)
    return os.waitpid(trial, 0)[1] == 0 and _unshare_user(_NEW_PIDS_NETWORK_IPC)


def _unshare_user(others: int) -> bool:
    """A new user namespace, in which the user has the same number, and others with it."""
    user, group = os.geteuid(), os.getegid()
    try:
        _checked(_libc.unshare(_NEW_USER | others))
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            _write(f"/proc/self/{name}", text)
    except OSError:
        return False
    return True


def _confine(folder: str, hidden: Sequence[str]) -> bool:
    """Takes all rights from this process but to write in its folder; whether all of that worked."""
    _libc.prctl(_END_WITH_PARENT, int(signal.SIGKILL), 0, 0, 0)  # the guard may be killed
    try:
        _protect_files(folder, hidden)
        _checked(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(_libc.capset((ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()))
    except OSError:
        return False
    return True


def _protect_files(folder: str, hidden: Sequence[str]) -> None:
    """Makes the file system read-only, except for a folder and harmless devices."""
    _checked(_libc.unshare(_NEW_MOUNTS))
    if hidden:
        _hide(folder, hidden)
    with suppress(OSError):  # a container may hide parts of the old one, and then forbids a new one
        _mount("proc", "/proc", kind="proc")
        _write("/proc/sys/kernel/pid_max", str(PROCESSES))  # for root, whose processes no limit counts
    writable = [folder, *filter(os.path.exists, _DEVICES)]
    for path in writable:
        _mount(path, path, flags=_BIND)
    _set_mount("/", forbid=_READ_ONLY | _NO_SUID | _NO_DEVICES, flags=_RECURSIVE)
    for path in writable:
        _set_mount(path, allow=_READ_ONLY | _NO_DEVICES)
    if os.path.isdir("/dev/shm"):
        _mount("tmpfs", "/dev/shm", kind="tmpfs", flags=_NO_SUID | _NO_DEVICES, data="size=64m")
    os.chdir(folder)  # the one that can be written


def _hide(folder: str, hidden: Sequence[str]) -> None:
    """Covers folders by empty ones, and the working folder, which may be in one of them, by one with the same files."""
    files = {entry.name: Path(entry.path).read_bytes() for entry in os.scandir(folder) if entry.is_file()}
    _set_mount("/", flags=_RECURSIVE)  # private, or the mounts would be seen outside
    for path in hidden:
        _mount("tmpfs", path, kind="tmpfs", flags=_NO_SUID | _NO_DEVICES, data="size=1m")
    os.makedirs(folder, exist_ok=True)
    _mount("tmpfs", folder, kind="tmpfs", flags=_NO_SUID | _NO_DEVICES, data=f"size={FOLDER_SIZE >> 20}m")
    for name, content in files.items():
        (Path(folder) / name).write_bytes(content)


def _mount(source: str, target: str, *, kind: str = "", flags: int = 0, data: str = "") -> None:
    texts = [os.fsencode(text) or None for text in (source, target, kind, data)]
    _checked(_libc.mount(*texts[:3], ctypes.c_ulong(flags), texts[3]))


def _set_mount(path: str, *, forbid: int = 0, allow: int = 0, flags: int = 0) -> None:
    change = (ctypes.c_uint64 * 4)(forbid, allow, _PRIVATE, 0)
    size = ctypes.c_size_t(ctypes.sizeof(change))
    _checked(_libc.syscall(_MOUNT_SETATTR, _AT_WORKING_FOLDER, os.fsencode(path), flags, change, size))


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _checked(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
