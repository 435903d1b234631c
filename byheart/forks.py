"""Locks in a process that was forked.

A fork copies locks as they are, and the threads that would release them not at all. An object that another thread was
in the middle of using then, and may have left half changed, refuses to be used in the new process, instead of waiting
for ever.
"""

from __future__ import annotations

import os
import weakref
from typing import NoReturn

# By id, since what is guarded need not be hashable.
_guarded: dict[int, tuple[weakref.ref[object], tuple[str, ...]]] = {}


class _Refusal:
    """Stands in the place of a lock that nobody is left to release."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def acquire(self, blocking: bool = True, timeout: float = -1) -> NoReturn:
        raise RuntimeError(
            f"another thread was using this {self._owner} when the process was forked, which left it half changed here: "
            "build it anew, from what the parent saved, or fork before there are threads"
        )

    def __enter__(self) -> NoReturn:
        self.acquire()

    def __exit__(self, *details: object) -> None:
        pass


def guard(owner: object, *attributes: str) -> None:
    """Have ``owner`` refuse to be used in a forked process where one of its locks, in these attributes, was held."""
    key = id(owner)
    _guarded[key] = weakref.ref(owner, lambda gone: _guarded.pop(key, None)), attributes


def _in_child() -> None:
    for reference, attributes in list(_guarded.values()):
        owner = reference()
        if owner is None:
            continue
        locks = [getattr(owner, attribute) for attribute in attributes]
        free = [lock.acquire(blocking=False) for lock in locks]  # the thread that forked may hold them itself
        for lock, taken in zip(locks, free, strict=True):
            if taken:
                lock.release()
        for attribute in attributes if not all(free) else ():
            setattr(owner, attribute, _Refusal(type(owner).__name__))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
