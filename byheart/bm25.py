"""The built-in retriever: BM25 over stretches and over their turns, on the standard library alone.

Scores follow S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with the idf that is never negative, ln(1 + (N - n + 0.5) / (n + 0.5)). A stretch scores as a whole and gains a
share of what its best turn scores alone; a turn counts more where the question names its speaker; related words
and words of the best few stretches (pseudo-relevance feedback) count a fraction of what was asked.

Every score is exact. What is bounded is the work: a query visits at most ``work`` postings, rare words first;
of a word too common for what is left, the newest turns bring up stretches, and the others are looked up.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from byheart.hookspecs import hookimpl
from byheart.inverted import COUNT_BITS, MOST, InvertedIndex
from byheart.related import related
from byheart.tokens import Analyzer

_LOOKED_UP: Final = 400  # stretches whose scores are completed where a query could not visit every posting


class _Gains(NamedTuple):
    """What each term, by number, can add to a score, and the terms that name a speaker asked about."""

    of: dict[int, float]
    named: set[int]


class BM25:
    """An inverted index that grows with the conversation.

    ``k1`` and ``b`` are BM25's own; ``best_turn`` is the share of its best turn's score that a stretch gains;
    ``speaker`` what a turn gains where the question names who said it ("Anna: ..."); ``subject`` the weight of words related to
    those asked for; ``feedback`` the weight of words borrowed from the ``feedback_stretches`` best stretches,
    ``feedback_terms`` of them; ``work`` bounds the postings that one query visits.

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
        work: int = 20_000,
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
        self._answered: tuple[str, dict[int, float], list[_Gains], bool] | None = None  # the last query, of this index

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

        At most ``limit``; with a large index, at most a few hundred.
        """
        found = self._search(query)
        best = heapq.nlargest(limit, found.items(), key=lambda item: (item[1], item[0]))
        return [stretch for stretch, _ in best]

    @hookimpl
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        """The score of each of these stretches, zero where it shares nothing with ``query``."""
        wanted = range(len(self._index)) if positions is None else positions
        found = self._search(query, wanted)
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

    def _search(self, query: str, wanted: Sequence[int] = ()) -> dict[int, float]:
        """Scores of the stretches that ``query`` brings up; of ``wanted``, all that share a word with it."""
        if self._answered is None or self._answered[0] != query:
            self._answered = (query, *self._looked_for(query))
        _, scores, gains, complete = self._answered
        if complete:
            return scores
        missing = {stretch: self._exact(stretch, gains) for stretch in wanted if stretch not in scores}
        return {**scores, **missing}

    def _looked_for(self, query: str) -> tuple[dict[int, float], list[_Gains], bool]:
        """Scores, the gains they were made with, and whether every stretch that shares a word was visited."""
        asked = _weights(query)
        named = {self._index.numbers[term] for term in asked if term in self._index.numbers}
        beside: dict[str, float] = {}
        for term, weight in asked.items() if self.subject else ():
            for other in related(term):
                if other not in asked:
                    beside[other] = max(beside.get(other, 0.0), weight * self.subject)
        gains = [_Gains(self._gains({**asked, **beside}), named)]
        scores, complete = self._visit(gains[0], sum(term in self._index.numbers for term in asked))
        borrowed = self._borrowed(scores, asked) if self.feedback and scores else {}
        if borrowed:
            gains.append(_Gains(self._gains(borrowed), named))
            more, all_visited = self._visit(gains[1], 0)
            for stretch, score in more.items():
                scores[stretch] = scores.get(stretch, 0.0) + score
            complete = complete and all_visited
        if not complete:
            likely = heapq.nlargest(_LOOKED_UP, scores.items(), key=lambda item: (item[1], item[0]))
            scores = {stretch: self._exact(stretch, gains) for stretch, _ in likely}
        return scores, gains, complete

    def _gains(self, weights: dict[str, float]) -> dict[int, float]:
        """What each term that occurs can add to a score, by number."""
        return {
            self._index.numbers[term]: weight * self._idf(term) * (self.k1 + 1)
            for term, weight in weights.items()
            if term in self._index.numbers
        }

    def _visit(self, gains: _Gains, asked: int) -> tuple[dict[int, float], bool]:
        """BM25 of the stretches that hold one of these terms, with the share of their best turn.

        Rare terms first; once ``work`` postings are visited (of the terms behind the first ``asked``, a quarter of that),
        only the newest turns of a term are. Returns whether every posting was visited.
        """
        stretches: dict[int, float] = {}
        turns: dict[int, float] = {}
        k1, b, boost, named = self.k1, self.b, 1 + self.speaker, gains.named
        mean_stretch, mean_turn = self._means()
        turn_stretch, turn_length, turn_speaker = (
            self._index.turn_stretch,
            self._index.turn_length,
            self._index.turn_speaker,
        )
        complete = True
        order = list(gains.of)
        for terms, left in ((order[:asked], self.work), (order[asked:], self.work // 4)):
            for number in sorted(
                terms, key=lambda number: (len(self._index.postings[number]), self._index.terms[number])
            ):
                gain = gains.of[number]
                postings = self._index.postings[number]
                if len(postings) > left:
                    complete = False
                    postings = postings[len(postings) - left :]
                left -= len(postings)
                counts: dict[int, float] = {}
                for posting in postings:
                    turn, count = posting >> COUNT_BITS, posting & MOST
                    stretch = turn_stretch[turn]
                    damping = k1 * (1 - b + b * turn_length[turn] / mean_turn)
                    if turn_speaker[turn] in named:
                        counts[stretch] = counts.get(stretch, 0.0) + count * boost
                        turns[turn] = turns.get(turn, 0.0) + gain * boost * count / (count + damping)
                    else:
                        counts[stretch] = counts.get(stretch, 0.0) + count
                        turns[turn] = turns.get(turn, 0.0) + gain * count / (count + damping)
                for stretch, held in counts.items():
                    damping = k1 * (1 - b + b * self._index.stretch_length[stretch] / mean_stretch)
                    stretches[stretch] = stretches.get(stretch, 0.0) + gain * held / (held + damping)
        best: dict[int, float] = {}
        for turn, score in turns.items():
            stretch = turn_stretch[turn]
            if score > best.get(stretch, 0.0):
                best[stretch] = score
        share = self.best_turn
        return {stretch: score + share * best[stretch] for stretch, score in stretches.items()}, complete

    def _exact(self, stretch: int, every: Sequence[_Gains]) -> float:
        """The score of one stretch, from the stretch itself."""
        k1, b = self.k1, self.b
        mean_stretch, mean_turn = self._means()
        stretch_damping = k1 * (1 - b + b * self._index.stretch_length[stretch] / mean_stretch)
        total = 0.0
        for gains in every:
            held: dict[int, float] = {}
            best = 0.0
            for length, speaker, pairs in self._index.turns(stretch):
                boost = 1 + self.speaker if speaker in gains.named else 1.0
                damping = k1 * (1 - b + b * length / mean_turn)
                score = 0.0
                for number, count in pairs:
                    gain = gains.of.get(number)
                    if gain is not None:
                        held[number] = held.get(number, 0.0) + count * boost
                        score += gain * boost * count / (count + damping)
                best = max(best, score)
            total += sum(gains.of[number] * count / (count + stretch_damping) for number, count in held.items())
            total += self.best_turn * best
        return total

    def _means(self) -> tuple[float, float]:
        """Mean length of a stretch and of a turn, in terms."""
        return (
            self._index.total_length / max(1, len(self._index)) or 1.0,
            self._index.total_length / max(1, len(self._index.turn_stretch)) or 1.0,
        )

    def _borrowed(self, found: dict[int, float], asked: dict[str, float]) -> dict[str, float]:
        """Words that set the best stretches apart, weighted up to ``feedback``."""
        best = heapq.nlargest(self.feedback_stretches, found.items(), key=lambda item: (item[1], item[0]))
        top = best[0][1]
        gains: dict[int, float] = {}
        for stretch, score in best:
            length = self._index.stretch_length[stretch]
            for _, _, pairs in self._index.turns(stretch):
                for number, count in pairs:
                    gains[number] = gains.get(number, 0.0) + score / top * count / length
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


def _weights(query: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for term in Analyzer().terms(query):
        weights[term] = weights.get(term, 0.0) + 1.0
    return weights
