"""A stand-in for Windows, where `inarow.storage` meets it: `msvcrt` on top of the locks of this system."""

import fcntl
import os
import sys
from types import ModuleType, SimpleNamespace

from inarow.storage import locks


class Msvcrt(ModuleType):
    LK_NBLCK = 2

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        assert (mode, count) == (self.LK_NBLCK, 1)
        assert os.fstat(descriptor).st_size < os.lseek(descriptor, 0, os.SEEK_CUR)  # a locked byte cannot be read
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(13, "Permission denied") from None  # as on Windows


def pretend_windows(set_attribute=setattr, set_item=dict.__setitem__) -> None:
    set_item(sys.modules, "msvcrt", Msvcrt("msvcrt"))
    set_attribute(locks, "sys", SimpleNamespace(platform="win32"))
