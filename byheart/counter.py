"""The built-in segmenter: it counts characters.

Grouping turns is worth much more to retrieval than knowing exactly where a subject changes, and counting costs
nothing. A long turn stands alone, so that a reply of several thousand characters neither hides the short
turns around it nor drags them along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from byheart.hookspecs import hookimpl


class Counter:
    """Closes a stretch once its lines, speakers included, hold ``chunk`` characters; a turn past ``alone`` characters is its own stretch.

    ``measure`` sizes a text: characters by default, tokens where the memory counts tokens. ``alone`` is twice
    ``chunk`` where it is not given.

    >>> turns = [{"role": "user", "text": "x" * size} for size in (30, 70, 30, 900)]
    >>> Counter(chunk=100).boundaries(turns)
    [2, 3, 4]
    """

    def __init__(
        self, *, chunk: float = 200, alone: float | None = None, measure: Callable[[str], float] = len
    ) -> None:
        if not chunk > 0:
            raise ValueError(f"chunk must be a positive number, got {chunk!r}")
        self._chunk = chunk
        self._alone = 2 * chunk if alone is None else alone
        self._measure = measure

    @hookimpl
    def boundaries(self, turns: Sequence[Mapping[str, Any]]) -> list[int]:
        """Where new stretches begin; ``len(turns)`` where the last one is full."""
        return self.cuts((turn["role"], turn["text"]) for turn in turns)

    def cuts(self, turns: Iterable[tuple[str, str]]) -> list[int]:
        """As :meth:`boundaries`, of turns as (role, text)."""
        starts: list[int] = []
        held = 0.0
        closed = False
        at = -1
        for at, (role, text) in enumerate(turns):
            size = self._measure(f"{role}: {text}\n")
            long = size > self._alone
            if at and (closed or long):
                starts.append(at)
                held = 0.0
            held += size
            closed = long or held >= self._chunk
        if closed:
            starts.append(at + 1)
        return starts
