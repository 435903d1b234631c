"""The retriever's view of the conversation, kept in step with it and touched no more than needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from byheart.errors import PluginError
from byheart.plugins import PluginHost

Answer = TypeVar("Answer")

_LEFT: Final = 512  # stretches; indexing as many takes the built-in retriever some hundredths of a second


class Index:
    """Which texts the retriever has, and since when they stand.

    ``doc`` renders the stretch at a position, of so many turns; it is called only for stretches that the retriever
    does not have.
    """

    def __init__(self, host: PluginHost, doc: Callable[[int, int], str]) -> None:
        self._host = host
        self._doc = doc
        self._held = 0  # texts the retriever holds, at most
        self._sound = 0  # of these, how many stand unchanged from the front
        self._stale = False  # what it holds may not be relied on: fit it before it is asked again
        self._upto = -1  # turns that were indexed last

    def changed(self, position: int) -> None:
        """The stretches from ``position`` on are not what they were."""
        if position < self._sound:
            self._sound = max(0, position)

    def forget(self) -> None:
        """Nothing the retriever holds may be relied on: the next question fits it anew."""
        self._sound = 0
        self._stale = True

    def settle(self, count: int, upto: int) -> None:
        """The first ``count`` stretches, of ``upto`` turns, have settled.

        A retriever that wants them early gets them, but for the newest few hundred: those are left to the next
        question, which many a conversation, sent whole as it is, never needs an index for.
        """
        start, stop = self._sound, count - _LEFT
        if stop <= start or self._stale or not self._host.has_ingest:
            return
        self._held = max(self._held, stop)
        self.forget()  # until it is done
        try:
            self._host.ingest(start, self._texts(start, stop, upto))
        except PluginError:
            return  # append does not fail for a retriever; the next question will say what is wrong
        self._stands(stop)

    def refresh(self, count: int, upto: int) -> None:
        """Bring the retriever up to date with ``count`` stretches of ``upto`` turns; PluginError where it fails."""
        if upto != self._upto:
            self.changed(count - 1)
            self._upto = upto
        if not self._stale and self._sound == self._held == count:
            return
        start = self._sound
        self._held = max(self._held, count)
        self.forget()  # whatever interrupts this leaves an index that will be fitted anew
        if start and self._host.has_extend:
            self._host.extend(start, self._texts(start, count, upto))
        else:
            self._host.fit(self._texts(0, count, upto))
        self._stands(count)

    def purge(self, position: int, count: int, upto: int) -> None:
        """Have the retriever forget what the stretch at ``position`` said before, and what it was asked last."""
        self.changed(position)
        if self._held:
            with suppress(PluginError):  # it is fitted anew at the next question, which will say what is wrong
                self.refresh(count, upto)

    def _stands(self, count: int) -> None:
        self._held = self._sound = count
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
                self._host.fit([*self._texts(0, count, self._upto), *texts])
            answer = ask(count)
            if self._host.has_extend:
                self._host.extend(count, [])
            else:
                self.forget()
        except BaseException:
            self.forget()
            raise
        return answer

    def _texts(self, start: int, stop: int, upto: int) -> Sequence[str]:
        return [self._doc(position, upto) for position in range(start, stop)]
