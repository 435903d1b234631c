"""Where the marks for a provider's prompt cache go.

A mark stands on a block that repeats in the next request; the last such block is the one that matters. What
further marks are for differs: see :func:`spaced` and :func:`latest`. All positions depend on nothing but the
position, so that a context that only grows is marked where it was marked before.
"""

from __future__ import annotations

from collections.abc import Sequence

from byheart.adapters.blocks import Block, shown


def check(marks: int, ttl: str | None, *, most: int, ttls: Sequence[str], provider: str) -> None:
    """Refuse options that the provider would refuse."""
    if not isinstance(marks, int) or isinstance(marks, bool):
        raise TypeError(f"marks must be an int, got {shown(marks)}")
    if not 0 <= marks <= most:
        raise ValueError(f"marks must be from 0 to {most}, the most {provider} makes use of, got {marks}")
    if ttl is not None and ttl not in ttls:
        raise ValueError(f"ttl must be None or one of {', '.join(map(repr, ttls))}, got {shown(ttl)}")
    if ttl is not None and not marks:
        raise ValueError(f"ttl={ttl!r} says how long marked blocks are kept, but marks=0 sets no mark")


def spaced(found: Sequence[Block], most: int, step: int) -> set[int]:
    """The last stable block, and the nearest ``most - 1`` before it that end a run of ``step`` blocks.

    For a cache that is written at marks and read by looking back from each mark over ``step`` blocks, the
    mark itself included. Marks are ``step`` apart, so their windows leave no gap: the entry of an earlier
    request is found although ``step * (most - 1)`` blocks came since.

    >>> sorted(spaced([Block("user", "x", i, i < 50) for i in range(51)], 3, 20))
    [19, 39, 49]
    """
    last = sum(block.stable for block in found) - 1
    if last < 0 or most < 1:
        return set()
    rungs = range(step - 1, last, step)[::-1]
    return {last, *rungs[: most - 1]}


def latest(found: Sequence[Block], most: int) -> set[int]:
    """The last ``most`` stable blocks of the user.

    For a cache that is matched at marks alone, and takes no mark on what the assistant said: the block that
    the previous request marked last must carry its mark again.

    >>> sorted(latest([Block("user" if i % 2 == 0 else "assistant", "x", i, i < 6) for i in range(9)], 2))
    [2, 4]
    """
    able = [at for at, block in enumerate(found) if block.stable and block.role == "user"]
    return set(able[max(0, len(able) - most) :])
