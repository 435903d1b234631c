"""The memory: append what was said, compose what to send."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypedDict

from byheart import outside, rendering, results, riders, snapshot
from byheart.composer import Composer, Question
from byheart.context import Context
from byheart.counter import Counter
from byheart.dates import Language
from byheart.errors import shown
from byheart.forks import guard
from byheart.gate import Gate
from byheart.index import Index
from byheart.log import Log, Said, TurnDict, When, as_index, check_turn, check_turns
from byheart.matching import check_pattern
from byheart.messages import Composed, Message
from byheart.options import External, Measure, Options
from byheart.plugins import PluginHost
from byheart.stretches import Stretches, View, check_bounds


class Found(TypedDict):
    """What ``Memory.search`` finds: ``turns`` is [lo, hi), ``text`` the words as they were said, a line a turn."""

    score: float
    turns: list[int]
    when: str | None
    text: str


class Memory:
    """A conversation, verbatim, and the messages to send for each question about it.

    Sizes are in the unit of ``measure``: characters by default (about four to a token), tokens where a tokenizer's
    count is given.

    ``budget``: up to this size everything is sent. ``chunk``: what a stretch holds before it may close.
    ``retriever``: a name, or an object with ``fit`` and ``rank``. ``boundaries``: a name, a segmenter or a callable that
    takes the open stretch's turns. ``plugins``: wrappers and query rewriters. ``stability``: the share of the
    budget that one question leaves alone; at 0 each question selects afresh. ``ceiling``: how many budgets what is
    sent may grow to before it is selected afresh. ``fill``: the share of the budget such a selection fills.
    ``external``: called with the question, returns outside material as ``[{"text", "source"}]``; ``external_margin``, in
    the units of the retriever's scores, lets it in more easily. ``languages``: whose relative dates are
    annotated: codes, or tables of your own; ``()`` for none. ``day_first``: how 03/04/2023 is read.

    One memory may be shared by threads: questions are answered one after the other, and meanwhile turns can be
    appended. A process that is forked has it too, unless another thread was using it then: RuntimeError says so. It
    is not copied or pickled. Raises TypeError and ValueError for wrong options, PluginError for plugins.

    >>> memory = Memory(budget=20_000)
    >>> memory.append("user", "we decided on 55 euro a month", when="8 May, 2023")
    0
    >>> result = memory.compose("what did we decide about pricing?")
    >>> [message["parts"][0]["text"] for message in result["messages"]]
    ['[8 May 2023]\\nwe decided on 55 euro a month', 'what did we decide about pricing?']
    >>> result["mode"], result["stable_upto"]
    ('passthrough', 0)
    """

    def __init__(
        self,
        *,
        budget: float = 20_000,
        chunk: float | None = None,
        retriever: object | str | None = None,
        boundaries: object | str | Callable[..., object] | None = None,
        plugins: Sequence[object | str] = (),
        stability: float = 0.7,
        ceiling: float = 2.0,
        fill: float = 0.5,
        external: External | None = None,
        external_margin: float = 0.0,
        measure: Measure = len,
        languages: Sequence[str | Language] = ("en",),
        day_first: bool | None = None,
    ) -> None:
        self._options = options = Options(
            budget=budget, chunk=chunk, stability=stability, ceiling=ceiling, fill=fill, external=external,
            external_margin=external_margin, measure=measure, languages=languages, day_first=day_first,
        )  # fmt: skip
        # The first for whatever asks or changes the retriever and what is sent, however long that takes; the second for
        # the log and its stretches, held briefly. Turns are appended under the second alone. Never the first inside it.
        self._asking = threading.RLock()
        self._lock = threading.RLock()
        size = options.stretch_size
        self._host = PluginHost(
            retriever, boundaries, plugins, builtins={"counter": lambda: Counter(chunk=size, measure=measure)}
        )
        # Counting takes less time than asking a plugin for it does.
        counter = self._host.segmenter
        self._counter = counter if type(counter) is Counter and self._host.segments_alone else None
        self._log = Log(languages=options.languages, day_first=day_first, measure=measure)
        self._stretches = Stretches(size)
        self._index = Index(self._host, self._doc)
        self._composer = Composer(self._log, self._host, self._index, options)
        self._gate = Gate(self._host, self._index, self._doc, options)
        self._context: Context | None = Context()
        self._last_day: object = None
        self._redacted: set[int] = set()
        guard(self, "_asking", "_lock")

    # -- what was said ----------------------------------------------------------------------------------------

    def append(self, role: str, text: str, when: When = None) -> int:
        """Keep a turn; returns its index.

        ``role`` is ``user`` or ``assistant``; ``text`` is kept verbatim; ``when`` is a date in words or digits, a date, a
        datetime, or None. ValueError for another role, TypeError for anything else: nothing is written then.
        """
        said = check_turn(role, text, when)
        with self._lock:
            return self._extend((said,))[0]

    def extend(self, turns: Iterable[object]) -> list[int]:
        """Keep many turns, all or none; returns their indices.

        Each is a mapping with ``role``, ``text`` and perhaps ``when``, or a (role, text[, when]) tuple.
        """
        checked = check_turns(turns)
        with self._lock:
            return list(self._extend(checked))

    def _extend(self, turns: Sequence[Said], keep: Callable[[], None] | None = None) -> range:
        """Take in checked turns, all or none; returns their indices. ``keep``, called once they are in, refuses them by
        raising."""
        before, state, day = len(self._log), self._stretches.state(), self._last_day
        try:
            settled = False
            for said in turns:
                settled = self._append(said) or settled
            if keep is not None:
                keep()
        except BaseException:
            self._log.truncate(before)
            self._stretches.restore(state)
            self._last_day = day
            raise
        if settled:
            count = self._stretches.settled
            if self._index.wants(count) and self._asking.acquire(
                blocking=False
            ):  # else the next question will see to it
                try:
                    self._index.settle(self._view(), count)
                finally:
                    self._asking.release()
        return range(before, before + len(turns))

    def _append(self, said: Said) -> bool:
        """Take in one turn; returns whether a stretch settled. Where it raises, ``_extend`` takes the turn out again."""
        log, stretches, last = self._log, self._stretches, self._last_day
        index = log.append(said)
        key = log.day_key(index)
        new_day = key is not None and last is not None and key != last
        if key is not None:
            self._last_day = key
        return stretches.add(index, log.size(index, index + 1), new_day, self._boundaries, self._open_size)

    def _boundaries(self, lo: int) -> list[int]:
        if self._counter is None:
            return self._host.boundaries(self._log.turns(lo))
        try:
            return self._counter.cuts(self._log.lines(lo))
        except Exception:
            return self._host.boundaries(self._log.turns(lo))  # says whose fault it is

    def _open_size(self, lo: int) -> float:
        return self._log.size(lo, len(self._log))

    def _changed(self, position: int) -> None:
        """The stretches from ``position`` on are not what was indexed."""
        self._index.changed(position)
        self._gate.changed(position)

    def _doc(self, lo: int, hi: int) -> str:
        return rendering.stretch(self._log, lo, hi)

    def _view(self) -> View:
        return self._stretches.view(len(self._log))

    def truncate(self, index: int) -> None:
        """Forget the turns from ``index`` on, to regenerate or edit them; what was sent before them stays as it is."""
        with self._asking:
            with self._lock:
                length = len(self._log)
                if type(index) is int and index == length:
                    return
                self._truncate(as_index(index, length))
                view = self._view()
            self._gate.forget()
            self._index.drop(len(view) - 1, view)

    def _truncate(self, index: int) -> None:
        same_day = index > 0 and self._log.day_key(index) in (None, self._log.day_key(index - 1))
        if self._context is not None:
            self._context = self._context.before(index, self._log, self._options.measure)
            if not self._with_last_exchange(self._context, index):
                self._context = None
        self._log.truncate(index)
        self._stretches.truncate(index, self._open_size, same_day=same_day)
        self._redacted = {at for at in self._redacted if at < index}
        self._last_day = self._newest_day()

    def _with_last_exchange(self, context: Context, index: int) -> bool:
        """Whether ``context``, cut to the turns before ``index``, has the last exchange before it, or can take it."""
        turns = [turn for turn in range(riders.last_exchange(self._log, index), index) if not self._log.blank(turn)]
        if context.complete or all(map(context.touches, turns)):
            return True
        if not context.pieces or any(map(context.touches, turns)):
            return False
        for turn in turns:
            context.add_turn(turn, self._log, self._options.measure)
        context.upto = index
        return context.size <= self._options.promise

    def redact(self, index: int) -> None:
        """Remove the words of a turn for good, from all the memory holds; a placeholder stays in its place."""
        with self._asking:
            with self._lock:
                at = as_index(index, len(self._log))
                new = self._redact([at])
            self._purge(new)

    def redact_matching(self, pattern: str | re.Pattern[str]) -> list[int]:
        """Redact every turn whose words match; returns the indices of these turns.

        A str is looked for letter for letter, whatever characters it has; ``re.compile("anna", re.IGNORECASE)`` and
        the like look for more. The words go as they do in :meth:`redact`, the whole turn's, in the time that one takes.
        A ``when`` that is no date counts as words. Turns that were redacted before are not looked at.

        TypeError for something else; ValueError for a pattern that matches where there are no characters, as ``""`` and
        ``x*`` do everywhere: nothing is redacted then.

        >>> memory = Memory()
        >>> memory.extend([("user", "my key is x-47"), ("assistant", "x-47, noted"), ("user", "what is next?")])
        [0, 1, 2]
        >>> memory.redact_matching("x-47")
        [0, 1]
        >>> [turn["text"] for turn in memory.turns]
        ['[redacted]', '[redacted]', 'what is next?']
        """
        matches = check_pattern(pattern)
        with self._asking:
            found = self._log.matching(matches)  # outside the other lock: a pattern may take its time
            with self._lock:
                new = self._redact(found)
            self._purge(new)
        return new

    def _redact(self, indices: Iterable[int]) -> list[int]:
        """Put placeholders in the log; returns which of these turns had words till now, for :meth:`_purge`."""
        new = [at for at in indices if at not in self._redacted]
        context = self._context
        if context is not None and any(context.touches(at) or (context.complete and at < context.upto) for at in new):
            self._context = None
        for at in new:
            self._log.redact(at)
        self._redacted.update(new)
        if new:
            self._stretches.measure(self._open_size)
            self._last_day = self._newest_day()
        return new

    def _purge(self, redacted: Sequence[int]) -> None:
        """Have everything beside the log forget the words of these turns."""
        if redacted:
            with self._lock:
                view = self._view()
            self._gate.forget()
            self._index.purge(view.at(min(redacted)), view)

    def _newest_day(self) -> object:
        """What dates the newest turn that has a date, where any has."""
        if self._last_day is None:
            return None
        keys = (self._log.day_key(at) for at in range(len(self._log) - 1, -1, -1))
        return next((key for key in keys if key is not None), None)

    @property
    def turns(self) -> list[TurnDict]:
        """Every turn as a new dict with ``role``, ``text`` and ``when``."""
        with self._lock:
            return self._log.turns()

    def __len__(self) -> int:
        return len(self._log)

    @property
    def bounds(self) -> list[int]:
        """Where stretches begin. What is assigned decides what can be recalled from now on; what was sent stays."""
        with self._lock:
            return list(self._stretches.starts) or [0]

    @bounds.setter
    def bounds(self, starts: Iterable[int]) -> None:
        with self._asking, self._lock:
            checked = check_bounds(starts, len(self._log))
            self._stretches.assign(checked if len(self._log) else [], self._open_size)
            self._changed(0)

    # -- what to send -----------------------------------------------------------------------------------------

    def compose(self, query: str | None = None, *, when: When = None, dry_run: bool = False) -> Composed:
        """The messages to send for a question.

        ``query`` is what the user asks now; None asks for the newest turn, which must be the user's (ValueError
        otherwise). ``when`` is the day it is asked on, so that "last week" can be looked up. A dry run leaves the
        memory as it was: for a preview, or a request that may fail.

        Raises TypeError for a query that is no str and PluginError where a plugin fails; the memory stays as it was then.
        """
        if query is not None and not isinstance(query, str):
            raise TypeError(f"query must be a str or None, got {shown(query)}")
        said = None if query is None else check_turn("user", query, when)
        with self._lock:
            asked = self._newest() if said is None else said
            newest = len(self._log) - 1
        # outside the lock: it is the caller's code, and may take its time or use this memory
        materials = outside.check(self._options.external(asked.text)) if self._options.external else []
        with self._asking:
            with self._lock:
                # other threads may have gone on meanwhile: a stored turn is composed for as of when it came
                stored = said is None and newest < len(self._log) and self._log.said(newest) == asked
                question = self._question(asked, newest if stored else len(self._log))
                scratch, units = self._scratch(asked), len(self._stretches)
            # from here on others may append
            context, passthrough, reselected = self._next(question)
            part = self._gate.part(materials, question.text, question.before)
            composed = results.composed(self._log, context, question, scratch, part, stored=stored)
            composed["of_units"] = units
            composed["mode"] = "passthrough" if passthrough else "assembled"
            composed["reselected"] = reselected or self._breaks(composed["messages"])
            if not self._options.stability and not passthrough:
                composed["stable_upto"] = -1
            if not dry_run:
                self._context = context
            return composed

    def _question(self, asked: Said, upto: int) -> Question:
        moment = self._log.read(asked.when)
        return Question(asked.text, self._stretches.view(upto), moment.date if moment else None)

    def _newest(self) -> Said:
        if not len(self._log):
            raise ValueError("there is no turn to compose for: append one, or pass the query")
        newest = self._log.said(len(self._log) - 1)
        if newest.role != "user":
            raise ValueError("the newest turn is the assistant's: append the user's turn first, or pass the query")
        return newest

    def _next(self, question: Question) -> tuple[Context, bool, bool]:
        """What is sent before the question, whether that is everything, and whether the prefix is broken."""
        before = self._context
        if before is not None and before.upto > question.upto:  # the question, now stored, was sent as a turn before
            before = before.before(question.upto, self._log, self._options.measure)
        if before is not None and before.complete:
            grown = self._composer.passthrough(before, question)
            if grown is not None:
                return grown, True, False
        elif self._log.total(question.upto) <= 2 * self._options.budget:
            grown = self._composer.passthrough(Context(), question)
            if grown is not None:  # turns were forgotten, or redacted
                return grown, True, True
        if before is not None and not before.complete and self._options.stability:
            grown = self._composer.grown(before, question)
            if grown is not None:
                return grown, False, False
        return self._composer.rebuilt(question), False, True

    def _breaks(self, composed: Sequence[Message]) -> bool:
        """Whether what was sent before the last question does not stand in front of what is sent now."""
        sent = [] if self._context is None else self._context.texts
        texts = [part["text"] for message in composed for part in message["parts"]]
        if texts[:1] == [rendering.OPENING]:
            del texts[0]
        return texts[: len(sent)] != sent

    def _scratch(self, asked: Said) -> Log:
        """The question alone, as the turn that it is, or will be."""
        scratch = Log(languages=self._options.languages, day_first=self._log.order, measure=self._options.measure)
        scratch.append(asked)
        return scratch

    # -- what is found ----------------------------------------------------------------------------------------

    def search(self, query: str, limit: int = 5, *, when: When = None) -> list[Found]:
        """The stretches that match a question best, at most ``limit``, best first; nothing is sent or remembered."""
        if not isinstance(query, str):
            raise TypeError(f"query must be a str, got {shown(query)}")
        if isinstance(limit, bool) or not isinstance(limit, int):
            raise TypeError(f"limit must be an int, got {shown(limit)}")
        if limit < 1:
            raise ValueError(f"limit must be at least 1, got {limit}")
        asked = check_turn("user", query, when)
        with self._asking:
            with self._lock:
                question = self._question(asked, len(self._log))
            ranked = self._composer.rank(question, limit=limit)
            return [
                self._found(question.before.bounds(entry.position), entry.score)
                for entry in ranked[:limit]
                if entry.score > 0
            ]

    def _found(self, bounds: tuple[int, int], score: float) -> Found:
        lo, hi = bounds
        return {
            "score": score,
            "turns": [lo, hi],
            "when": next((when for when in map(self._log.when, range(lo, hi)) if when is not None), None),
            "text": "\n".join(f"{turn['role']}: {turn['text']}" for turn in self._log.turns(lo, hi)),
        }

    # -- what is kept -----------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The conversation and what is being sent, as plain JSON; options and plugins are the caller's to keep."""
        with self._lock:
            return {
                "version": snapshot.VERSION,
                "turns": self._log.turns(),
                "bounds": list(self._stretches.starts) or [0],
                "closed": self._stretches.closed,
                "asked": self._stretches.asked,
                "redacted": sorted(self._redacted),
                "context": None if self._context is None else self._context.to_dict(),
            }

    @classmethod
    def from_dict(cls, data: object, **options: Any) -> Memory:
        """The memory that :meth:`to_dict` saved, with these options; SnapshotError where the data is not sound."""
        saved = snapshot.read(data)
        memory = cls(**options)
        memory._restore(saved)
        return memory

    def _restore(self, saved: snapshot.Snapshot) -> None:
        known = saved.bounds[-1] if saved.lost else len(saved.turns)
        for said in saved.turns[:known]:
            self._last_day = self._log.day_key(self._log.append(said)) or self._last_day
        if saved.lost:
            self._stretches.assign(saved.bounds[:-1], self._open_size, closed=True)
        elif saved.turns:
            self._stretches.assign(saved.bounds, self._open_size, closed=saved.closed, asked=saved.asked)
        for said in saved.turns[known:]:
            self._append(said)
        self._redacted = set(saved.redacted)
        self._context = snapshot.restored(saved.context, self._log, self._options)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Memory cannot be copied or pickled: save it with to_dict() and build it with from_dict()")
