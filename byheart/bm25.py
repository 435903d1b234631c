"""The built-in retriever: BM25 over stretches and over their turns, on the standard library alone.

Scores follow S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with the idf that is never negative, ln(1 + (N - n + 0.5) / (n + 0.5)). A stretch scores as a whole and gains a
share of what its best turn scores alone; a turn counts more where the question names its speaker; related words
and words of the best few stretches (pseudo-relevance feedback) count a fraction of what was asked.

Every score is exact. What is bounded is the work. Where the words of a query occur more than ``work`` times, which
stretches are likely is found at a glance, rare words first: up to three times as many occurrences are looked at, and
words more common than that only tell apart what the others brought up. Some hundreds of the likely stretches are
scored, from their own words, and ranked. Where even the rarest word is that common, the newest turns count.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from byheart.hookspecs import hookimpl
from byheart.inverted import COUNT_BITS, MOST, InvertedIndex
from byheart.related import related
from byheart.tokens import Analyzer

_LIKELY: Final = 200  # stretches, at least, that are scored where a query cannot score all
_LEADING: Final = 50  # of these: words are borrowed from the best of so many
_GLANCES: Final = 3  # postings that are glanced at in the time in which one is scored


class _Gains(NamedTuple):
    """What a term, by number, can add to a score: those asked for and related ones, and borrowed ones.

    ``named`` are those asked for; any of them may name a speaker.
    """

    asked: dict[int, float]
    borrowed: dict[int, float]
    named: set[int]


class _Answer(NamedTuple):
    """What a query came to. ``complete``: every stretch that shares a word is in ``scores``."""

    query: str
    limit: int
    gains: _Gains
    scores: dict[int, float]
    complete: bool


class BM25:
    """An inverted index that grows with the conversation.

    ``k1`` and ``b`` are BM25's own; ``best_turn`` is the share of its best turn's score that a stretch gains;
    ``speaker`` what a turn gains where the question names who said it ("Anna: ..."); ``subject`` the weight of words
    related to those asked for; ``feedback`` the weight of words borrowed from the ``feedback_stretches`` best
    stretches, ``feedback_terms`` of them; a query with more than ``work`` postings is not answered from all of them.

    >>> index = BM25()
    >>> index.fit(["user: we moved to Lyon in May", "user: the cat likes tuna"])
    >>> index.rank("Where did they move?", limit=1)
    [0]
    """

    def __init__(
        self,
        *,
        k1: float = 1.2,
        b: float = 0.75,
        best_turn: float = 0.8,
        speaker: float = 0.5,
        subject: float = 0.2,
        feedback: float = 0.25,
        feedback_stretches: int = 5,
        feedback_terms: int = 20,
        work: int = 1_500,
    ) -> None:
        self.k1 = k1
        self.b = b
        self.best_turn = best_turn
        self.speaker = speaker
        self.subject = subject
        self.feedback = feedback
        self.feedback_stretches = feedback_stretches
        self.feedback_terms = feedback_terms
        self.work = work
        self._index = InvertedIndex()
        self._answered: _Answer | None = None  # to the last query, of this index

    # -- indexing ---------------------------------------------------------------------------------------------

    @hookimpl
    def fit(self, docs: Sequence[str]) -> None:
        """Index these texts; what stands unchanged at the front stays, equal texts keep their encodings."""
        same = self._index.common(docs)
        self.extend(same, docs[same:])

    @hookimpl
    def extend(self, start: int, docs: Sequence[str]) -> None:
        """The texts from ``start`` on are now ``docs``."""
        self._answered = None
        self._index.replace(start, docs)

    @hookimpl
    def ingest(self, start: int, docs: Sequence[str]) -> None:
        """As :meth:`extend`: indexing a stretch takes tens of microseconds."""
        self.extend(start, docs)

    # -- ranking ----------------------------------------------------------------------------------------------

    @hookimpl
    def rank(self, query: str, limit: int) -> list[int]:
        """Positions of the stretches that share a word with ``query``, best first, the newer first in a tie.

        At most ``limit``.
        """
        return _best(self._search(query, limit), limit)

    @hookimpl
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        """The score of each of these stretches, zero where it shares nothing with ``query``."""
        wanted = range(len(self._index)) if positions is None else positions
        found = self._search(query, wanted=wanted)
        return [found.get(stretch, 0.0) for stretch in wanted]

    @hookimpl
    def best_score(self, query: str) -> float:
        """The score of a stretch that held every term of ``query`` over and over, terms unknown here included."""
        weights = _weights(query)
        highest = sum(weight * self._idf(term) for term, weight in weights.items())
        return highest * (self.k1 + 1) * (1 + self.best_turn)

    def _idf(self, term: str) -> float:
        number = self._index.numbers.get(term)
        held = 0 if number is None else self._index.stretch_counts[number]
        return math.log(1 + (len(self._index) - held + 0.5) / (held + 0.5))

    def _search(self, query: str, limit: int = 0, wanted: Sequence[int] = ()) -> dict[int, float]:
        """Scores of what ``query`` brings up, ``limit`` stretches if so many match, and of those ``wanted``."""
        answer = self._answered
        if answer is None or answer.query != query or (answer.limit < limit and not answer.complete):
            answer = self._answered = self._answer(query, limit)
        missing = () if answer.complete else [stretch for stretch in wanted if stretch not in answer.scores]
        return {**answer.scores, **self._exact(missing, answer.gains)} if missing else answer.scores

    def _answer(self, query: str, limit: int) -> _Answer:
        likely = max(limit, _LIKELY)
        asked = _weights(query)
        beside: dict[str, float] = {}
        for term, weight in asked.items() if self.subject else ():
            for other in related(term):
                if other not in asked:
                    beside[other] = max(beside.get(other, 0.0), weight * self.subject)
        named = {self._index.numbers[term] for term in asked if term in self._index.numbers}
        gains = _Gains(self._gains({**asked, **beside}), {}, named)
        left = self.work - self._count_postings(gains.asked)
        if left >= 0:
            found = leading = self._visit(gains.asked, named)
        else:
            found = self._glance(gains.asked, named, likely)
            leading = self._exact(_best(found, _LEADING), gains)
        if self.feedback and leading:
            gains.borrowed.update(self._gains(self._borrowed(leading, asked)))
            left -= self._count_postings(gains.borrowed)
            if left >= 0:
                found = _sum(found, self._visit(gains.borrowed, named))
            elif len(found) < likely:
                found = _sum(found, self._glance(gains.borrowed, named, likely))
        scores = found if left >= 0 else self._exact(_best(found, likely), gains)
        return _Answer(query, limit, gains, scores, left >= 0)

    def _gains(self, weights: dict[str, float]) -> dict[int, float]:
        """What each term that occurs can add to a score, by number."""
        return {
            self._index.numbers[term]: weight * self._idf(term) * (self.k1 + 1)
            for term, weight in weights.items()
            if term in self._index.numbers
        }

    def _count_postings(self, numbers: Iterable[int]) -> int:
        return sum(len(self._index.postings[number]) for number in numbers)

    def _order(self, numbers: Iterable[int], named: set[int]) -> list[int]:
        """Terms that were asked for before others, rare ones before common ones."""
        terms, postings = self._index.terms, self._index.postings
        return sorted(numbers, key=lambda number: (number not in named, len(postings[number]), terms[number]))

    def _visit(self, gains: dict[int, float], named: set[int]) -> dict[int, float]:
        """The scores of all stretches that hold one of these terms, from their postings."""
        stretches: dict[int, float] = {}
        turns: dict[int, float] = {}
        index, boost, (flat, slope, turn_slope) = self._index, 1 + self.speaker, self._damping()
        turn_stretch, turn_length, turn_speaker = index.turn_stretch, index.turn_length, index.turn_speaker
        for number in self._order(gains, named):
            gain = gains[number]
            counts: dict[int, float] = {}
            for posting in index.postings[number]:
                turn, count = posting >> COUNT_BITS, posting & MOST
                stretch = turn_stretch[turn]
                damping = flat + turn_slope * turn_length[turn]
                if turn_speaker[turn] in named:
                    counts[stretch] = counts.get(stretch, 0.0) + count * boost
                    turns[turn] = turns.get(turn, 0.0) + gain * boost * count / (count + damping)
                else:
                    counts[stretch] = counts.get(stretch, 0.0) + count
                    turns[turn] = turns.get(turn, 0.0) + gain * count / (count + damping)
            for stretch, held in counts.items():
                damping = flat + slope * index.stretch_length[stretch]
                stretches[stretch] = stretches.get(stretch, 0.0) + gain * held / (held + damping)
        best: dict[int, float] = {}
        for turn, score in turns.items():
            stretch = turn_stretch[turn]
            if score > best.get(stretch, 0.0):
                best[stretch] = score
        share = self.best_turn
        return {stretch: score + share * best[stretch] for stretch, score in stretches.items()}

    def _glance(self, gains: dict[int, float], named: set[int], likely: int) -> dict[int, float]:
        """About what stretches score that hold one of these terms: what their turns do, added up.

        Rare terms bring up stretches, as many as there is work for. Of more common ones, those that were asked for
        tell apart the best that are there.
        """
        about: dict[int, float] = {}
        common: dict[int, float] = {}
        left = self.work * _GLANCES
        turn_stretch, turn_length, (flat, _, slope) = self._index.turn_stretch, self._index.turn_length, self._damping()
        for number in self._order(gains, named):
            gain = gains[number] * (1 + self.best_turn)
            postings = self._index.postings[number]
            if len(postings) > left and about:
                if number in named:
                    common[number] = gain / (1 + self.k1)
                continue
            if number not in named and len(about) >= 2 * likely:
                continue
            postings = postings[max(0, len(postings) - left) :]
            left -= len(postings)
            for posting in postings:
                turn, count = posting >> COUNT_BITS, posting & MOST
                stretch = turn_stretch[turn]
                share = gain * count / (count + flat + slope * turn_length[turn])
                about[stretch] = about.get(stretch, 0.0) + share
        if not common:
            return about
        told = {}
        for stretch in _best(about, likely):
            held = set(self._index.held(stretch))
            told[stretch] = about[stretch] + sum([gain for number, gain in common.items() if number in held])
        return told

    def _exact(self, stretches: Iterable[int], gains: _Gains) -> dict[int, float]:
        """The scores of these stretches, from their own words."""
        index, boost, named, (flat, slope, turn_slope) = self._index, 1 + self.speaker, gains.named, self._damping()
        first_turn, lengths, speakers = index.first_turn, index.turn_length, index.turn_speaker
        both = {number: (gain, gains.borrowed.get(number, 0.0)) for number, gain in gains.asked.items()}
        both.update((number, (0.0, gain)) for number, gain in gains.borrowed.items() if number not in both)
        scores: dict[int, float] = {}
        for stretch in stretches:
            terms = index.held(stretch)
            turn, start, end = first_turn[stretch], 0, len(terms)
            held: dict[int, float] = {}
            best_asked = best_borrowed = 0.0
            while start < end:
                length = lengths[turn]
                counts: dict[int, float] = {}
                for number in terms[start : start + length]:
                    if number in both:
                        counts[number] = counts.get(number, 0) + 1
                if counts:
                    raised = boost if speakers[turn] in named else 1.0
                    damping = flat + turn_slope * length
                    asked = borrowed = 0.0
                    for number, count in counts.items():
                        if count > MOST:
                            count = MOST
                        held[number] = held.get(number, 0.0) + count * raised
                        share = raised * count / (count + damping)
                        gain, lent = both[number]
                        asked += gain * share
                        borrowed += lent * share
                    if asked > best_asked:
                        best_asked = asked
                    if borrowed > best_borrowed:
                        best_borrowed = borrowed
                start += length
                turn += 1
            damping = flat + slope * end
            total = self.best_turn * (best_asked + best_borrowed)
            for number, amount in held.items():
                gain, lent = both[number]
                total += (gain + lent) * amount / (amount + damping)
            scores[stretch] = total
        return scores

    def _damping(self) -> tuple[float, float, float]:
        """What counts are damped by: in any case, and for each term of a stretch and of a turn."""
        index = self._index
        mean_stretch = index.total_length / max(1, len(index)) or 1.0
        mean_turn = index.total_length / max(1, index.turn_count) or 1.0
        return self.k1 * (1 - self.b), self.k1 * self.b / mean_stretch, self.k1 * self.b / mean_turn

    def _borrowed(self, found: dict[int, float], asked: dict[str, float]) -> dict[str, float]:
        """Words that set the best stretches apart, weighted up to ``feedback``."""
        best = _best(found, self.feedback_stretches)
        top = found[best[0]]
        gains: dict[int, float] = {}
        for stretch in best:
            score = found[stretch]
            length = self._index.stretch_length[stretch]
            for number in self._index.held(stretch):
                gains[number] = gains.get(number, 0.0) + score / top / length
        chosen = heapq.nlargest(
            self.feedback_terms,
            (
                (gain * self._idf(self._index.terms[number]), self._index.terms[number])
                for number, gain in gains.items()
                # a word of one stretch alone could only raise the stretch it came from
                if self._index.stretch_counts[number] > 1
                and self._index.terms[number] not in asked
                and self._index.terms[number][0] != "~"
            ),
        )
        if not chosen or chosen[0][0] <= 0:
            return {}
        return {term: self.feedback * gain / chosen[0][0] for gain, term in chosen}


def _best(scores: dict[int, float], count: int) -> list[int]:
    """The stretches with the best scores, the newer first in a tie."""
    least = sorted(scores.values())[-count] if 0 < count < len(scores) else -math.inf
    pairs = [(score, stretch) for stretch, score in scores.items() if score >= least]
    pairs.sort(reverse=True)
    return [stretch for _, stretch in pairs[:count]]


def _sum(scores: dict[int, float], others: dict[int, float]) -> dict[int, float]:
    summed = dict(scores)
    for stretch, score in others.items():
        summed[stretch] = summed.get(stretch, 0.0) + score
    return summed


def _weights(query: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for term in Analyzer().terms(query):
        weights[term] = weights.get(term, 0.0) + 1.0
    return weights
