"""Telling how far a long encoding is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

Report = Callable[[int, int], None]

_PATIENCE = 2.0  # seconds before the first line: what is over sooner needs none
_INTERVAL = 0.2  # seconds between lines


class TerminalProgress:
    """One line on a terminal, kept up to date; nothing where there is no terminal.

    Called with how many texts are embedded and how many there are.
    """

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic, *, always: bool = False
    ) -> None:
        self._stream = stream
        self._clock = clock
        self._always = always
        self._start = self._last = clock()
        self._width = 0

    def __call__(self, done: int, total: int) -> None:
        stream = self._stream if self._stream is not None else sys.stderr
        if stream is None or not (self._always or stream.isatty()):
            return
        now = self._clock()
        finished = done >= total
        waited = now - self._start
        if waited < _PATIENCE or (not finished and now - self._last < _INTERVAL):
            return
        self._last = now
        line = f"embedding: {done:,} of {total:,} texts"
        if not finished:
            line += f", about {_duration(waited / done * (total - done))} left"
        stream.write("\r" + line.ljust(self._width) + ("\n" if finished else ""))
        stream.flush()
        self._width = len(line)


def _duration(seconds: float) -> str:
    """
    >>> _duration(42.4), _duration(200)
    ('42 s', '3 min')
    """
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
