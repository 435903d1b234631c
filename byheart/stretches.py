"""Where stretches begin: settled boundaries never move, only the last stretch is open."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from byheart.errors import shown


class View:
    """The stretches of the first ``turns`` turns as they stood at one moment: what is appended later does not show.

    Between two moments at which turns are forgotten or boundaries assigned, more stretches begin and nothing else
    changes, so that it costs no copy.
    """

    __slots__ = ("_count", "_starts", "turns")

    def __init__(self, starts: list[int], turns: int) -> None:
        self._starts = starts
        self._count = bisect_right(starts, turns - 1)
        self.turns = turns

    def __len__(self) -> int:
        return self._count

    def bounds(self, position: int) -> tuple[int, int]:
        """The stretch [lo, hi) at ``position``."""
        return self._starts[position], self._starts[position + 1] if position + 1 < self._count else self.turns

    def at(self, turn: int) -> int:
        """The position of the stretch that holds ``turn``."""
        return bisect_right(self._starts, turn, 0, self._count) - 1


class Stretches:
    """Stretches of a growing log, by position; each is turns [lo, hi).

    A segmenter is asked only once the open stretch holds ``chunk`` (in the memory's measure), and, after an
    empty answer, only when as much again has come. A new day closes the open stretch unasked.
    """

    def __init__(self, chunk: float) -> None:
        self.chunk = chunk
        self.starts: list[int] = []
        self.closed = False  # whatever comes next begins a stretch
        self._size = 0.0  # of the open stretch
        self.asked = 0.0  # its size when the segmenter last answered nothing

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def settled(self) -> int:
        """How many no later turn can change."""
        return len(self.starts) if self.closed else len(self.starts) - 1

    def view(self, turns: int) -> View:
        """The stretches of the first ``turns`` turns as they stand now."""
        return View(self.starts, turns)

    def add(
        self,
        index: int,
        size: float,
        new_day: bool,
        ask: Callable[[int], Sequence[int]],
        size_of: Callable[[int], float],
    ) -> bool:
        """Take in turn ``index``, of this ``size``; returns whether a stretch settled.

        ``ask(lo)`` asks the segmenter for the boundaries in the turns from ``lo`` to ``index``; where it raises,
        nothing has changed. ``size_of(lo)`` measures these turns.
        """
        begins = new_day or self.closed or not self.starts
        if begins:
            settled = bool(self.starts)
            lo, held, asked = index, size, 0.0
        else:
            settled = False
            lo, held, asked = self.starts[-1], self._size + size, self.asked
        cuts: list[int] = []
        closed = False
        if held - asked >= self.chunk:
            length = index + 1 - lo
            answer = ask(lo)
            closed = bool(answer) and answer[-1] == length
            cuts = [lo + cut for cut in answer if cut < length]
            # a stretch that was cut but is not closed is asked about again at the next turn
            asked = 0.0 if answer else held
        elif not begins:
            self._size = held
            return False
        if begins:
            self.starts.append(index)
        self.starts += cuts
        self.closed, self.asked = closed, asked
        self._size = size_of(cuts[-1]) if cuts else held
        return settled or closed or bool(cuts)

    def extend(self, starts: Iterable[int], size_of: Callable[[int], float], *, closed: bool, asked: float) -> None:
        """Let more stretches begin, the last one being as ``closed`` and ``asked`` say."""
        self.starts.extend(starts)
        self.closed, self.asked = closed, asked
        self.measure(size_of)

    def measure(self, size_of: Callable[[int], float]) -> None:
        """Measure the open stretch anew: a turn in it may have changed."""
        self._size = size_of(self.starts[-1]) if self.starts else 0.0

    def state(self) -> tuple[int, bool, float, float]:
        """What :meth:`restore` needs to undo what was added since."""
        return len(self.starts), self.closed, self._size, self.asked

    def restore(self, state: tuple[int, bool, float, float]) -> None:
        """Undo what was added since :meth:`state`."""
        length, self.closed, self._size, self.asked = state
        del self.starts[length:]

    def assign(
        self, starts: Sequence[int], size_of: Callable[[int], float], *, closed: bool = False, asked: float = 0.0
    ) -> None:
        """Replace the boundaries."""
        self.starts = list(starts)
        self.closed = closed
        self.asked = asked
        self.measure(size_of)

    def truncate(self, index: int, size_of: Callable[[int], float], *, same_day: bool) -> None:
        """Forget the stretches that begin at ``index`` or behind it.

        Where a stretch began at ``index`` on the same day, the one before it had been closed, and stays so.
        """
        keep = bisect_right(self.starts, index - 1)
        began = keep < len(self.starts) and self.starts[keep] == index
        self.assign(self.starts[:keep], size_of)
        self.closed = bool(self.starts) and began and (same_day or self._size >= self.chunk)


def check_bounds(starts: Iterable[object], turns: int) -> list[int]:
    """Boundaries of ``turns`` turns, checked: TypeError for what is no int, ValueError where they do not ascend from 0."""
    checked: list[int] = []
    for start in starts:
        if isinstance(start, bool) or not isinstance(start, int):
            raise TypeError(f"bounds must be ints, got {shown(start)}")
        checked.append(start)
    if checked[:1] != [0] or any(b <= a for a, b in pairwise(checked)) or checked[-1] >= max(1, turns):
        raise ValueError(f"bounds must ascend from 0 and stay below the {turns} turns, got {shown(checked)}")
    return checked
