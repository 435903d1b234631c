"""The built-in retriever: BM25 over stretches and over their turns, on the standard library alone.

Scores follow S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with the idf that is never negative, ln(1 + (N - n + 0.5) / (n + 0.5)). A stretch scores as a whole and gains a
share of what its best turn scores alone; the best few stretches lend the query some of their words
(pseudo-relevance feedback), which only move what that first round ranked.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from byheart.hookspecs import hookimpl
from byheart.tokens import Analyzer

# A posting is one turn that holds a term: its number and how often, in one integer.
_COUNT_BITS = 6
_MOST = (1 << _COUNT_BITS) - 1


class BM25:
    """An inverted index that grows with the conversation.

    ``k1`` and ``b`` are BM25's own; ``best_turn`` is the share of the best turn's score that a stretch gains;
    ``feedback`` is the weight of words borrowed from the ``feedback_stretches`` best stretches,
    ``feedback_terms`` of them; ``work`` bounds the postings one query may visit.

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
        best_turn: float = 0.5,
        feedback: float = 0.4,
        feedback_stretches: int = 5,
        feedback_terms: int = 20,
        work: int = 60_000,
    ) -> None:
        self.k1 = k1
        self.b = b
        self.best_turn = best_turn
        self.feedback = feedback
        self.feedback_stretches = feedback_stretches
        self.feedback_terms = feedback_terms
        self.work = work
        self._analyzer = Analyzer()
        self._clear()

    def _clear(self) -> None:
        self._term_numbers: dict[str, int] = {}
        self._terms: list[str] = []
        self._postings: list[array[int]] = []  # per term: turns, ascending
        self._stretch_counts = array("I")  # per term: stretches that hold it
        self._turn_stretch = array("I")  # per turn
        self._turn_length = array("I")
        self._first_turn = array("I")  # per stretch
        self._stretch_length = array("I")
        self._total_length = 0
        self._encodings: list[array[int]] = []  # per stretch: see _encode
        self._digests: list[bytes] = []

    # -- indexing ---------------------------------------------------------------------------------------------

    @hookimpl
    def fit(self, docs: Sequence[str]) -> None:
        """Index these texts; what stands unchanged at the front stays, equal texts keep their encodings."""
        same = 0
        for digest, doc in zip(self._digests, docs, strict=False):
            if digest != _digest(doc):
                break
            same += 1
        self._replace(same, docs[same:])

    @hookimpl
    def extend(self, start: int, docs: Sequence[str]) -> None:
        """The texts from ``start`` on are now ``docs``."""
        self._replace(start, docs)

    @hookimpl
    def ingest(self, start: int, docs: Sequence[str]) -> None:
        """As :meth:`extend`: indexing a stretch takes tens of microseconds."""
        self._replace(start, docs)

    def _replace(self, start: int, docs: Sequence[str]) -> None:
        gone = self._cut(start)
        for doc in docs:
            digest = _digest(doc)
            encoding = gone.get(digest)
            self._add(digest, self._encode(doc) if encoding is None else encoding)
        if gone and not gone.keys() <= set(self._digests[start:]):
            self._analyzer.forget()

    def _encode(self, doc: str) -> array[int]:
        """Per turn of ``doc``: the number of its distinct terms, its length, then (term, count) pairs."""
        encoding = array("I")
        for turn in _turns(doc):
            counts: dict[str, int] = {}
            terms = self._analyzer.terms(turn)
            for term in terms:
                counts[term] = counts.get(term, 0) + 1
            encoding.extend((len(counts), len(terms)))
            for term, count in counts.items():
                number = self._term_numbers.get(term)
                if number is None:
                    number = self._term_numbers[term] = len(self._terms)
                    self._terms.append(term)
                    self._postings.append(array("I"))
                    self._stretch_counts.append(0)
                encoding.extend((number, min(count, _MOST)))
        return encoding

    def _add(self, digest: bytes, encoding: array[int]) -> None:
        stretch = len(self._digests)
        self._digests.append(digest)
        self._encodings.append(encoding)
        self._first_turn.append(len(self._turn_stretch))
        total = 0
        seen: set[int] = set()
        for length, pairs in _encoded_turns(encoding):
            turn = len(self._turn_stretch)
            self._turn_stretch.append(stretch)
            self._turn_length.append(length)
            total += length
            for number, count in pairs:
                self._postings[number].append(turn << _COUNT_BITS | count)
                seen.add(number)
        for number in seen:
            self._stretch_counts[number] += 1
        self._stretch_length.append(total)
        self._total_length += total

    def _cut(self, start: int) -> dict[bytes, array[int]]:
        """Take out the stretches from ``start`` on; returns their encodings by digest of their text."""
        gone: dict[bytes, array[int]] = {}
        while len(self._digests) > start:
            encoding = self._encodings.pop()
            gone[self._digests.pop()] = encoding
            seen: set[int] = set()
            for _, pairs in _encoded_turns(encoding):
                for number, _count in pairs:
                    self._postings[number].pop()
                    seen.add(number)
            for number in seen:
                self._stretch_counts[number] -= 1
            first = self._first_turn.pop()
            del self._turn_stretch[first:]
            del self._turn_length[first:]
            self._total_length -= self._stretch_length.pop()
        return gone

    # -- ranking ----------------------------------------------------------------------------------------------

    @hookimpl
    def rank(self, query: str, limit: int) -> list[int]:
        """Positions of the stretches that share a word with ``query``, best first, the newer first in a tie."""
        found = self._search(query)
        best = heapq.nlargest(limit, found.items(), key=lambda item: (item[1], item[0]))
        return [stretch for stretch, _ in best]

    @hookimpl
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        """The score of each of these stretches, zero where it shares nothing with ``query``."""
        found = self._search(query)
        wanted: Iterable[int] = range(len(self._digests)) if positions is None else positions
        return [found.get(stretch, 0.0) for stretch in wanted]

    @hookimpl
    def best_score(self, query: str) -> float:
        """The score of a stretch that held every term of ``query`` over and over, terms unknown here included."""
        weights = self._query_weights(query)
        return sum(weight * self._idf(term) for term, weight in weights.items()) * (self.k1 + 1) * (1 + self.best_turn)

    def _query_weights(self, query: str) -> dict[str, float]:
        weights: dict[str, float] = {}
        for term in self._analyzer.terms(query):
            weights[term] = weights.get(term, 0.0) + 1.0
        return weights

    def _idf(self, term: str) -> float:
        number = self._term_numbers.get(term)
        held = 0 if number is None else self._stretch_counts[number]
        return math.log(1 + (len(self._digests) - held + 0.5) / (held + 0.5))

    def _search(self, query: str) -> dict[int, float]:
        weights = self._query_weights(query)
        first = self._score(weights)
        if not self.feedback or not first:
            return first
        borrowed = self._borrowed(first, weights)
        if not borrowed:
            return first
        second = self._score(borrowed)
        return {
            stretch: first.get(stretch, 0.0) + self.feedback * second.get(stretch, 0.0)
            for stretch in first.keys() | second.keys()
        }

    def _score(self, weights: dict[str, float]) -> dict[int, float]:
        """Score of every stretch that holds a term of ``weights``."""
        stretches: dict[int, float] = {}
        turns: dict[int, float] = {}
        k1, b = self.k1, self.b
        mean_stretch = self._total_length / max(1, len(self._digests)) or 1.0
        mean_turn = self._total_length / max(1, len(self._turn_stretch)) or 1.0
        for term, weight in weights.items():
            number = self._term_numbers.get(term)
            if number is None:
                continue
            gain = weight * self._idf(term) * (k1 + 1)
            counts: dict[int, int] = {}
            for posting in self._postings[number]:
                turn, count = posting >> _COUNT_BITS, posting & _MOST
                stretch = self._turn_stretch[turn]
                counts[stretch] = counts.get(stretch, 0) + count
                damping = k1 * (1 - b + b * self._turn_length[turn] / mean_turn)
                turns[turn] = turns.get(turn, 0.0) + gain * count / (count + damping)
            for stretch, count in counts.items():
                damping = k1 * (1 - b + b * self._stretch_length[stretch] / mean_stretch)
                stretches[stretch] = stretches.get(stretch, 0.0) + gain * count / (count + damping)
        best: dict[int, float] = {}
        for turn, score in turns.items():
            stretch = self._turn_stretch[turn]
            if score > best.get(stretch, 0.0):
                best[stretch] = score
        return {stretch: score + self.best_turn * best[stretch] for stretch, score in stretches.items()}

    def _borrowed(self, found: dict[int, float], weights: dict[str, float]) -> dict[str, float]:
        """Words that set the best stretches apart, weighted up to 1."""
        best = heapq.nlargest(self.feedback_stretches, found.items(), key=lambda item: (item[1], item[0]))
        top = best[0][1]
        gains: dict[int, float] = {}
        for stretch, score in best:
            length = self._stretch_length[stretch]
            for _, pairs in _encoded_turns(self._encodings[stretch]):
                for number, count in pairs:
                    gains[number] = gains.get(number, 0.0) + score / top * count / length
        for number in gains:
            gains[number] *= self._idf(self._terms[number])
        chosen = heapq.nlargest(
            self.feedback_terms,
            ((gain, self._terms[number]) for number, gain in gains.items() if self._terms[number] not in weights),
        )
        if not chosen:
            return {}
        most = chosen[0][0]
        return {term: gain / most for gain, term in chosen} if most > 0 else {}


def _turns(doc: str) -> list[str]:
    """The lines of a stretch, a turn's indented further lines with it."""
    return doc.replace("\n  ", " ").split("\n")


def _encoded_turns(encoding: array[int]) -> Iterable[tuple[int, list[tuple[int, int]]]]:
    at, end = 0, len(encoding)
    while at < end:
        distinct, length = encoding[at], encoding[at + 1]
        at += 2
        stop = at + 2 * distinct
        yield length, list(zip(encoding[at:stop:2], encoding[at + 1 : stop : 2], strict=True))
        at = stop


def _digest(doc: str) -> bytes:
    return blake2b(doc.encode("utf-8", "surrogatepass"), digest_size=16).digest()
