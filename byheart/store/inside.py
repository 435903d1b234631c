"""What a store needs of a memory that no one else does: taking in what was already decided elsewhere.

The only module of the store that reaches behind a memory's public interface.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from byheart.log import Said
from byheart.matching import Matches
from byheart.memory import Memory
from byheart.snapshot import SavedContext, restored
from byheart.store.rows import Kept


@contextmanager
def alone(memory: Memory) -> Iterator[None]:
    """While it is entered, no other thread can use the memory. Waits for a question that is being answered."""
    with memory._asking, memory._lock:
        yield


@contextmanager
def appending(memory: Memory) -> Iterator[None]:
    """While it is entered, turns may be appended and nothing else changed; a question may still be being answered."""
    with memory._lock:
        yield


def extend(memory: Memory, turns: Sequence[Said], keep: Callable[[], None]) -> list[int]:
    """Append checked turns. ``keep`` is called before anyone can see them; where it raises, they are not there."""
    with memory._lock:
        return list(memory._extend(turns, keep))


def take_in(memory: Memory, turns: Iterable[Kept], starts: Iterable[int], *, closed: bool, asked: float) -> None:
    """Append turns whose stretches are known: more of them begin at ``starts``, the last one is as ``closed`` and
    ``asked`` say. On an error, nothing was appended."""
    with memory._lock:
        log, stretches = memory._log, memory._stretches
        first, day, redacted = len(log), memory._last_day, set(memory._redacted)
        try:
            for turn in turns:
                index = log.append(turn.said)
                if turn.redacted:
                    memory._redacted.add(index)
                key = log.day_key(index)
                memory._last_day = memory._last_day if key is None else key
        except BaseException:
            log.truncate(first)
            memory._last_day, memory._redacted = day, redacted
            raise
        least = stretches.starts[-1] if stretches.starts else -1
        more = tuple(start for start in starts if least < start < len(log))
        if not stretches.starts and more[:1] != (0,) and len(log):
            more = (0, *more)
        stretches.extend(more, memory._open_size, closed=closed, asked=asked)


def take_bounds(memory: Memory, starts: Sequence[int], *, closed: bool, asked: float) -> None:
    """Let stretches begin where someone else has assigned that they do."""
    with alone(memory):
        sound = [start for start in starts if 0 < start < len(memory._log)]
        memory._stretches.assign([0, *sound] if len(memory._log) else [], memory._open_size, closed=closed, asked=asked)
        memory._changed(0)


def take_sent(memory: Memory, sent: SavedContext | None) -> bool:
    """Go on from what someone else has sent; False where these options do not allow it."""
    with alone(memory):
        memory._context = restored(sent, memory._log, memory._options)
        return sent is None or memory._context is not None


def clear(memory: Memory) -> None:
    """Leave the memory without turns, as it began."""
    with alone(memory):
        memory.truncate(0)
        memory._last_day = None
        memory._context = None


def redact(memory: Memory, indices: Iterable[int]) -> list[int]:
    """Put placeholders in the place of turns; returns which of them had words till now. To be followed by
    :func:`purge`, before anyone else can ask the memory."""
    return memory._redact(indices)


def purge(memory: Memory, redacted: Sequence[int]) -> None:
    """Have the retriever forget the words of these turns, however long that takes."""
    memory._purge(redacted)


def begin_after(memory: Memory, when: str | None) -> None:
    """Let an empty memory go on where a conversation stands whose newest date is ``when``."""
    with memory._lock:
        moment = memory._log.read(when)
        memory._last_day = moment.date.toordinal() if moment else when


# -- what is to be kept -------------------------------------------------------------------------------------------


def sent(memory: Memory) -> SavedContext | None:
    """What is being sent; None where it may not be sent again."""
    with memory._lock:
        context = memory._context
        return None if context is None else SavedContext(context.complete, context.upto, tuple(context.pieces))


def closed(memory: Memory) -> tuple[bool, float]:
    """The state of the last stretch: whether it is closed, and its size when the segmenter was asked last."""
    return memory._stretches.closed, memory._stretches.asked


def starts(memory: Memory, first: int = 0) -> list[int]:
    """Where stretches begin, the first ones left out."""
    return memory._stretches.starts[first:]


def said(memory: Memory, index: int) -> Said:
    """A turn as it is to be kept."""
    return memory._log.said(index)


def last_dated(memory: Memory, first: int = 0) -> int | None:
    """The newest turn from ``first`` on that has a date."""
    return next((at for at in range(len(memory) - 1, first - 1, -1) if memory._log.when(at) is not None), None)


def ordered(memory: Memory) -> bool:
    """Whether dates are read in an order of day and month that others may not know: the rest needs all turns."""
    return bool(memory._log._orders) or memory._options.day_first is not None


def order_is_fixed(memory: Memory) -> bool:
    """Whether dates are read alike whatever was said before."""
    return memory._options.day_first is not None


def matching(memory: Memory, matches: Matches) -> list[int]:
    """The turns whose words match."""
    return memory._log.matching(matches)


def is_redacted(memory: Memory, index: int) -> bool:
    """Whether the words of a turn are gone already."""
    return index in memory._redacted
