"""How a context goes from one request to the next: everything, one more recall, or a fresh selection."""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from byheart import dates, queries, ranking, rendering, riders
from byheart.context import Context, Piece
from byheart.excerpts import best_spans, relevance
from byheart.index import Index
from byheart.log import Log
from byheart.options import Options
from byheart.plugins import PluginHost
from byheart.queries import Says
from byheart.ranking import Ranked
from byheart.rendering import Excerpt
from byheart.stretches import View

_FLOOR: Final = 0.15  # of the best score: what matches less is not admitted to a context that stands
_FLOOR_LITTLE: Final = 0.5  # the same, where the query says little and only the last exchange was looked up
_SHORT: Final = 5_000  # stretches: of so many, four times as many are ranked as fit, of more twice as many
_EXCHANGE: Final = 1000  # characters of each turn of the last exchange that are looked up
_EXCERPT_SHARE: Final = 0.2  # of the budget: what a stretch that cannot be sent whole may take


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: its words, the stretches said before it, and the day it is asked on, where known."""

    text: str
    before: View
    day: datetime.date | None

    @property
    def upto(self) -> int:
        """How many turns were said before it."""
        return self.before.turns


@dataclass(frozen=True, slots=True)
class Pick:
    """What one stretch gives: turns to recall whole, and excerpts of turns too long for that."""

    turns: tuple[int, ...]
    excerpts: tuple[Excerpt, ...] = ()


class Composer:
    """Decides what is sent. Reads the conversation before the question; changes only the retriever's index.

    Turns may be appended meanwhile: it looks at none that a question did not find there.
    """

    def __init__(self, log: Log, host: PluginHost, index: Index, options: Options) -> None:
        self._log = log
        self._host = host
        self._index = index
        self._options = options
        self._gap = options.measure("\n")  # what stands between stretches

    # -- what is sent -----------------------------------------------------------------------------------------

    def passthrough(self, context: Context, question: Question) -> Context | None:
        """``context``, which is complete so far, with all that was said since; None where it passes the budget."""
        grown = context.copy()
        for turn in range(grown.upto, question.upto):
            grown.add_turn(turn, self._log, self._options.measure)
            if grown.size > self._options.budget:
                return None
        return grown

    def grown(self, context: Context, question: Question) -> Context | None:
        """``context`` with what was said since and what the question recalls; None where it must be rebuilt."""
        grown = context.copy()
        for turn in range(grown.upto, question.upto):
            grown.add_turn(turn, self._log, self._options.measure)
            if grown.size > self._options.promise:
                return None
        says = queries.says(question.text)
        if says is Says.NOTHING:
            return grown
        room = (1 - self._options.stability) * self._options.budget
        floor = _FLOOR if says is Says.ENOUGH else _FLOOR_LITTLE
        picks = self._select(
            self.rank(question, says), grown, question, room=room, limit=self._options.promise, floor=floor
        )
        return grown if self._recall(picks, grown, self._options.promise) else None

    def rebuilt(self, question: Question) -> Context:
        """A fresh selection for the question: recalled stretches in time order, then what always rides along."""
        options, log = self._options, self._log
        says = queries.says(question.text)
        fill = options.budget * (options.fill if options.stability else 1.0)
        context = Context(complete=False)
        tail = Context(complete=False)
        open_from = question.before.bounds(len(question.before) - 1)[0] if question.upto else 0
        rode = riders.choose(log, question.upto, open_from, question.text, options.promise / 2, options.measure)
        for rider in rode:
            excerpt = rider if isinstance(rider, Excerpt) else None
            turn = rider.turn if isinstance(rider, Excerpt) else rider
            tail.add_turn(turn, log, options.measure, excerpt)
        header = options.measure(rendering.MARKER + "\n")
        floor = 0.0 if says is Says.ENOUGH else _FLOOR_LITTLE
        ranked = self.rank(question, Says.LITTLE if says is Says.NOTHING else says)
        limit = options.promise - tail.size - header
        room = fill - tail.size - header
        if (
            options.stability
        ):  # as much as the next request may admit, or the same question asked again would admit more
            room = max(room, (1 - options.stability) * options.budget)
        picks = self._select(ranked, tail, question, room=room, limit=limit, floor=floor)
        while picks and not self._recall(picks, context, options.promise - tail.size):
            picks.pop()  # sizes are estimates; the promise is not
        for piece in tail.pieces:
            context.add(piece, log, options.measure)
        context.upto = question.upto
        return context

    # -- what is found ----------------------------------------------------------------------------------------

    def rank(self, question: Question, says: Says | None = None, *, limit: int = 64) -> list[Ranked]:
        """Stretches that match, best first: as the retriever says, smoothed over neighbours and dates.

        At least ``limit`` of them if so many match. Where ``says`` is given, neighbours of what matches are among them,
        and a question that does not say enough is looked up with the last exchange.
        """
        size = len(question.before)
        if not size:
            return []
        self._index.refresh(question.before)
        fits = self._options.budget / self._options.stretch_size
        limit = max(limit, int(min(size, (4 if size <= _SHORT else 2) * fits)))
        asked = self._host.rewrite(question.text)
        found = ranking.retrieve(self._host, asked, limit, size)
        dated = self._dated(question, limit)
        lean = queries.lean(question.text)
        gain = ranking.DATED_ALONE if lean else ranking.DATED
        if says is None:
            matched = {entry.position for entry in found}.union(dated)
            return [entry for entry in ranking.smoothed(found, size, dated, gain) if entry.position in matched]
        if dated:  # a date is a subject too; where it is all that is named, it leads
            return ranking.smoothed(found, size, dated, gain)
        if says is Says.LITTLE:
            lean = max(lean, 0.5)
        if lean:
            found = ranking.blended(found, self._around_exchange(question, limit, size), lean)
        return ranking.smoothed(found, size)

    def _around_exchange(self, question: Question, limit: int, size: int) -> list[Ranked]:
        """What the last exchange was about, without itself, which rides along."""
        start = riders.last_exchange(self._log, question.upto)
        said = "\n".join(self._log.shown(turn)[:_EXCHANGE] for turn in range(start, question.upto))
        if not said.strip():
            return []
        here = question.before.at(start)
        found = ranking.retrieve(self._host, self._host.rewrite(said), limit, size)
        return [entry for entry in found if entry.position < here]

    def _dated(self, question: Question, limit: int) -> list[int]:
        """Stretches said on days that the question names: the newest, not many more than ``limit``."""
        spans = dates.spans(question.text, question.day, self._options.languages) if self._options.languages else []
        if not spans:
            return []
        runs = [
            (lo, min(hi, question.upto) - 1)
            for day, lo, hi in self._log.days()
            if lo < question.upto and any(span.matches(day) for span in spans)
        ]
        found: list[int] = []
        for first, last in reversed(runs):
            found += range(question.before.at(first), question.before.at(last) + 1)[-limit:]
            if len(found) >= limit:
                break
        return found

    # -- what fits --------------------------------------------------------------------------------------------

    def _select(
        self, ranked: Sequence[Ranked], context: Context, question: Question, *, room: float, limit: float, floor: float
    ) -> list[Pick]:
        """What of ``ranked`` goes into ``room`` beside ``context``, in the order of choice.

        What is there already counts against the room. The best stretch is taken even where it passes the room, as
        long as it stays within ``limit``; one that passes ``limit`` alone is taken by its best turns.
        """
        picks: list[Pick] = []
        if not ranked or ranked[0].score <= 0 or limit <= 0:
            return picks
        least = ranked[0].score * floor
        candidates = [entry for entry in ranked[1:] if entry.score > 0 and entry.score >= least]
        sizes = {
            entry.position: self._log.size(*question.before.bounds(entry.position))
            for entry in (ranked[0], *candidates)
        }
        reduced = min(limit, _EXCERPT_SHARE * self._options.budget)
        costs = {position: size if size <= limit else reduced for position, size in sizes.items()}
        cheapest = min(costs.values()) + self._gap
        left = room
        days: set[object] = set()
        for entry in itertools.chain(ranked[:1], ranking.by_value(candidates, costs)):
            if left < cheapest and entry is not ranked[0]:
                break  # nothing that is left fits
            lo, hi = question.before.bounds(entry.position)
            cost = costs[entry.position] + self._gap
            missing = tuple(t for t in range(lo, hi) if not context.touches(t) and not self._log.blank(t))
            whole = sizes[entry.position] <= limit
            # what is there is always charged, fitting or not: so the same question asked again skips what it skipped
            most = math.inf if entry is ranked[0] or (whole and not missing) else left
            if cost > most:
                continue
            day = self._log.day_key(lo)
            if day is not None and day not in days:
                cost += self._options.measure(rendering.day_line(self._log.label(lo) or "") + "\n")
                if cost > most:
                    continue
            days.add(day)
            left -= cost
            pick = Pick(missing) if whole else self._reduced(lo, hi, context, question.text, costs[entry.position])
            if pick.turns or pick.excerpts:
                picks.append(pick)
        return picks

    def _reduced(self, lo: int, hi: int, context: Context, query: str, room: float) -> Pick:
        """The best turns of a stretch that cannot be sent whole; those too long themselves as excerpts."""
        log, measure = self._log, self._options.measure
        turns = [turn for turn in range(lo, hi) if not log.blank(turn)]
        order = sorted(turns, key=lambda turn: (-relevance(log.shown(turn), query), -turn))
        whole: list[int] = []
        excerpts: list[Excerpt] = []
        for turn in order:
            size = log.size(turn, turn + 1)
            if size <= room:
                whole.append(turn)
            elif not whole and not excerpts:
                spans = best_spans(log.shown(turn), query, max(room - riders.OVERHEAD, room / 2), measure)
                excerpts.append(Excerpt(turn, spans))
                break
            else:
                continue
            room -= size
        return Pick(
            tuple(turn for turn in whole if turn not in context.whole),
            tuple(excerpt for excerpt in excerpts if not context.shows(excerpt)),
        )

    def _recall(self, picks: Sequence[Pick], context: Context, limit: float) -> bool:
        """Put what was picked into ``context`` as one block; False, and nothing done, where it passes ``limit``."""
        if not picks:
            return True
        turns = sorted(turn for pick in picks for turn in pick.turns)
        excerpts = sorted(excerpt for pick in picks for excerpt in pick.excerpts)
        piece = Piece(tuple(turns), tuple(excerpts), recalled=True)
        if context.size + self._options.measure(piece.text(self._log)) > limit:
            return False
        context.add(piece, self._log, self._options.measure)
        return True
