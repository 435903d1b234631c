"""The retriever's view of the conversation, kept in step with it and touched no more than needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from byheart.errors import PluginError
from byheart.plugins import PluginHost
from byheart.stretches import View

Answer = TypeVar("Answer")

_UNASKED: Final = 512
"""Stretches of a conversation that is not indexed until it is asked, as one that is sent whole never is."""

_LEFT: Final = 32
"""Stretches of a longer one that are left to the next question; indexing as many takes milliseconds."""

_AT_ONCE: Final = 4
"""Stretches that are indexed for each that settles, until no more are left than that."""


class Index:
    """Which texts the retriever has, and since when they stand.

    ``doc`` renders a stretch of turns [lo, hi); it is called only for stretches that the retriever does not have.
    """

    def __init__(self, host: PluginHost, doc: Callable[[int, int], str]) -> None:
        self._host = host
        self._doc = doc
        self._held = 0  # texts the retriever holds, at most
        self._sound = 0  # of these, how many stand unchanged from the front
        self._stale = False  # what it holds may not be relied on: fit it before it is asked again
        self._settled = 0  # of these, how many no append changes
        self._seen = 0  # stretches that had settled when that was said last
        self._view: View | None = None  # what was indexed last

    def changed(self, position: int) -> None:
        """The stretches from ``position`` on are not what they were. For an append this need not be called."""
        if position < self._sound:
            self._sound = max(0, position)

    def forget(self) -> None:
        """Nothing the retriever holds may be relied on: the next question fits it anew."""
        self._sound = 0
        self._stale = True

    def wants(self, count: int) -> bool:
        """Whether so many settled stretches are enough to be indexed unasked, see :meth:`settle`."""
        return count >= _UNASKED and self._host.has_ingest

    def settle(self, view: View, count: int) -> None:
        """The first ``count`` stretches have settled.

        A retriever that wants them early gets them, a few at a time, so that no append takes long.
        """
        new, self._seen = max(1, count - max(self._seen, _UNASKED)), count
        self._meet(view)
        start = self._sound
        stop = min(count - _LEFT, start + _AT_ONCE * new)
        if stop <= start or self._stale:
            return
        self._held = max(self._held, stop)
        self.forget()  # until it is done
        try:
            self._host.ingest(start, self._texts(view, start, stop))
        except PluginError:
            return  # append does not fail for a retriever; the next question will say what is wrong
        self._stands(stop, stop)

    def refresh(self, view: View) -> None:
        """Bring the retriever up to date with these stretches; PluginError where it fails."""
        count = len(view)
        self._meet(view)
        if not self._stale and self._sound == self._held == count:
            return
        start = self._sound
        self._held = max(self._held, count)
        self.forget()  # whatever interrupts this leaves an index that will be fitted anew
        if start and self._host.has_extend:
            self._host.extend(start, self._texts(view, start, count))
        else:
            self._host.fit(self._texts(view, 0, count))
        self._stands(count, count - 1)  # the last one may be open

    def _meet(self, view: View) -> None:
        """What was open when the retriever was brought up to date last may have grown since, or been divided."""
        if self._view is None or view.turns != self._view.turns:
            self.changed(min(self._settled, len(view) - 1))
        self._view = view

    def purge(self, position: int, view: View) -> None:
        """Have the retriever forget what the stretches from ``position`` on said before, and what it was asked last."""
        self.changed(position)
        if not self._held:
            return
        kept = self._sound
        try:
            self.refresh(view)
        except PluginError:  # such as of an encoder that cannot be reached: then what stands behind goes too
            self._erase(kept, view)

    def drop(self, position: int, view: View) -> None:
        """Have the retriever forget the stretches from ``position`` on, and what it was asked last."""
        self.changed(position)
        self._view = None
        if not self._held:
            return
        kept, stale = self._sound, self._stale
        if self._erase(kept, view) and not stale:
            self._stands(kept, kept)

    def _erase(self, kept: int, view: View) -> bool:
        """Leave the retriever only the first ``kept`` texts, whatever its state; whether it has exactly those."""
        self.forget()
        with suppress(PluginError):  # the next question will say what is wrong
            if kept and self._host.has_extend:
                self._host.extend(kept, [])
            else:
                self._host.fit(self._texts(view, 0, kept))
            return True
        with suppress(PluginError):
            self._host.fit([])
        return False

    def _stands(self, count: int, settled: int) -> None:
        self._held = self._sound = count
        self._settled = settled
        self._stale = False

    def beside(self, texts: Sequence[str], ask: Callable[[int], Answer]) -> Answer:
        """Ask the retriever while ``texts`` stand in its index behind the conversation's.

        ``ask`` is given the position of the first of them. Call :meth:`refresh` first.
        """
        count = self._held
        try:
            if self._host.has_extend and count:
                self._host.extend(count, texts)
            else:
                assert self._view is not None  # of the refresh before
                self._host.fit([*self._texts(self._view, 0, count), *texts])
            answer = ask(count)
            if self._host.has_extend:
                self._host.extend(count, [])
            else:
                self.forget()
        except BaseException:
            self.forget()
            raise
        return answer

    def _texts(self, view: View, start: int, stop: int) -> Sequence[str]:
        return [self._doc(*view.bounds(position)) for position in range(start, stop)]
