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
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final

from byheart.excerpts import units
from byheart.hookspecs import hookimpl
from byheart.related import related
from byheart.tokens import Analyzer

# A posting is one turn that holds a term: its number and how often, in one integer.
_COUNT_BITS: Final = 6
_MOST: Final = (1 << _COUNT_BITS) - 1
_LOOKED_UP: Final = 400  # stretches whose scores are completed where a query could not visit every posting
_LONG_TURN: Final = 1000  # characters; a longer one is scored by its best passage
_PASSAGE: Final = 500  # characters
_SPEAKER: Final = re.compile(r"(?:user|assistant): ([^\W_][\w.'’-]*(?: [^\W_][\w.'’-]*)?): ")


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
        best_turn: float = 0.5,
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
        self._analyzer = Analyzer()
        self._clear()

    def _clear(self) -> None:
        self._numbers: dict[str, int] = {}  # of terms
        self._terms: list[str] = []
        self._unused: list[int] = []  # numbers of terms that no turn holds any more
        self._postings: list[array[int]] = []  # per term: turns, ascending
        self._stretch_counts = array("I")  # per term: stretches that hold it
        self._turn_stretch = array("I")  # per turn
        self._turn_length = array("I")
        self._turn_speaker = array("i")  # number of the term that names the speaker; -1: none
        self._first_turn = array("I")  # per stretch
        self._stretch_length = array("I")
        self._total_length = 0
        self._encodings: list[array[int]] = []  # per stretch: see _encode
        self._digests: list[bytes] = []
        self._answered: tuple[str, dict[int, float]] | None = None  # the last query, of this very index

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
        self._answered = None
        gone, touched = self._cut(start)
        for doc in docs:
            digest = _digest(doc)
            encoding = gone.get(digest)
            self._add(digest, self._encode(doc) if encoding is None else encoding)
        self._retire(touched)

    def _number(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            if self._unused:
                number = self._unused.pop()
                self._terms[number] = term
            else:
                number = len(self._terms)
                self._terms.append(term)
                self._postings.append(array("I"))
                self._stretch_counts.append(0)
            self._numbers[term] = number
        return number

    def _encode(self, doc: str) -> array[int]:
        """Per turn of ``doc``: its length, speaker + 1, the number of its distinct terms, then (term, count) pairs."""
        encoding = array("I")
        for turn in _turns(doc):
            named = _SPEAKER.match(turn)
            speakers = self._analyzer.terms(named[1]) if named else []
            speaker = self._number(speakers[0]) + 1 if speakers else 0
            for passage in _passages(turn):
                counts: dict[str, int] = {}
                terms = self._analyzer.terms(passage)
                for term in terms:
                    counts[term] = counts.get(term, 0) + 1
                encoding.extend((len(terms), speaker, len(counts)))
                for term, count in counts.items():
                    encoding.extend((self._number(term), min(count, _MOST)))
        return encoding

    def _add(self, digest: bytes, encoding: array[int]) -> None:
        stretch = len(self._digests)
        self._digests.append(digest)
        self._encodings.append(encoding)
        self._first_turn.append(len(self._turn_stretch))
        total = 0
        seen: set[int] = set()
        for length, speaker, pairs in _encoded_turns(encoding):
            posting = len(self._turn_stretch) << _COUNT_BITS
            self._turn_stretch.append(stretch)
            self._turn_length.append(length)
            self._turn_speaker.append(speaker - 1)
            total += length
            for number, count in pairs:
                self._postings[number].append(posting | count)
                seen.add(number)
        for number in seen:
            self._stretch_counts[number] += 1
        self._stretch_length.append(total)
        self._total_length += total

    def _cut(self, start: int) -> tuple[dict[bytes, array[int]], set[int]]:
        """Take out the stretches from ``start`` on: their encodings by digest of their text, and their terms."""
        gone: dict[bytes, array[int]] = {}
        touched: set[int] = set()
        while len(self._digests) > start:
            encoding = self._encodings.pop()
            gone[self._digests.pop()] = encoding
            seen: set[int] = set()
            for _, speaker, pairs in _encoded_turns(encoding):
                if speaker:
                    touched.add(speaker - 1)
                for number, _count in pairs:
                    self._postings[number].pop()
                    seen.add(number)
            for number in seen:
                self._stretch_counts[number] -= 1
            touched |= seen
            first = self._first_turn.pop()
            for per_turn in (self._turn_stretch, self._turn_length, self._turn_speaker):
                del per_turn[first:]
            self._total_length -= self._stretch_length.pop()
        return gone, touched

    def _retire(self, touched: Iterable[int]) -> None:
        """Forget the words, of these terms, that no text holds any more."""
        unheld = [number for number in touched if not self._postings[number] and self._terms[number]]
        for number in unheld:
            del self._numbers[self._terms[number]]
            self._terms[number] = ""
            self._unused.append(number)
        if unheld:
            self._analyzer.forget()

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
        wanted = range(len(self._digests)) if positions is None else positions
        found = self._search(query, wanted)
        return [found.get(stretch, 0.0) for stretch in wanted]

    @hookimpl
    def best_score(self, query: str) -> float:
        """The score of a stretch that held every term of ``query`` over and over, terms unknown here included."""
        weights = _weights(query)
        highest = sum(weight * self._idf(term) for term, weight in weights.items())
        return highest * (self.k1 + 1) * (1 + self.best_turn)

    def _idf(self, term: str) -> float:
        number = self._numbers.get(term)
        held = 0 if number is None else self._stretch_counts[number]
        return math.log(1 + (len(self._digests) - held + 0.5) / (held + 0.5))

    def _search(self, query: str, wanted: Sequence[int] = ()) -> dict[int, float]:
        """Scores of the stretches that ``query`` brings up, those of ``wanted`` that share a word with it included."""
        asked = _weights(query)
        if self.subject:
            weights = dict(asked)
            for term, weight in asked.items():
                for other in related(term):
                    if other not in asked:
                        weights[other] = max(weights.get(other, 0.0), weight * self.subject)
        else:
            weights = asked
        named = {self._numbers[term] for term in asked if term in self._numbers}
        scores = self._score(weights, named, wanted)
        if self.feedback and scores:
            borrowed = self._borrowed(self._score(asked, named, ()) or scores, asked)
            for stretch, score in self._score(borrowed, named, wanted).items():
                scores[stretch] = scores.get(stretch, 0.0) + score
        return scores

    def _score(self, weights: dict[str, float], named: set[int], wanted: Sequence[int]) -> dict[int, float]:
        """BM25 of the stretches that hold a term of ``weights``, with the share of their best turn."""
        stretches: dict[int, float] = {}
        turns: dict[int, float] = {}
        k1, b, boost = self.k1, self.b, 1 + self.speaker
        mean_stretch = self._total_length / max(1, len(self._digests)) or 1.0
        mean_turn = self._total_length / max(1, len(self._turn_stretch)) or 1.0
        turn_stretch, turn_length, turn_speaker = self._turn_stretch, self._turn_length, self._turn_speaker
        for term, weight in weights.items():
            number = self._numbers.get(term)
            if number is None:
                continue
            gain = weight * self._idf(term) * (k1 + 1)
            counts: dict[int, float] = {}
            for posting in self._postings[number]:
                turn, count = posting >> _COUNT_BITS, posting & _MOST
                stretch = turn_stretch[turn]
                damping = k1 * (1 - b + b * turn_length[turn] / mean_turn)
                if turn_speaker[turn] in named:
                    counts[stretch] = counts.get(stretch, 0.0) + count * boost
                    turns[turn] = turns.get(turn, 0.0) + gain * boost * count / (count + damping)
                else:
                    counts[stretch] = counts.get(stretch, 0.0) + count
                    turns[turn] = turns.get(turn, 0.0) + gain * count / (count + damping)
            for stretch, held in counts.items():
                damping = k1 * (1 - b + b * self._stretch_length[stretch] / mean_stretch)
                stretches[stretch] = stretches.get(stretch, 0.0) + gain * held / (held + damping)
        best: dict[int, float] = {}
        for turn, score in turns.items():
            stretch = turn_stretch[turn]
            if score > best.get(stretch, 0.0):
                best[stretch] = score
        return {stretch: score + self.best_turn * best[stretch] for stretch, score in stretches.items()}

    def _borrowed(self, found: dict[int, float], asked: dict[str, float]) -> dict[str, float]:
        """Words that set the best stretches apart, weighted up to ``feedback``."""
        best = heapq.nlargest(self.feedback_stretches, found.items(), key=lambda item: (item[1], item[0]))
        top = best[0][1]
        gains: dict[int, float] = {}
        for stretch, score in best:
            length = self._stretch_length[stretch]
            for _, _, pairs in _encoded_turns(self._encodings[stretch]):
                for number, count in pairs:
                    gains[number] = gains.get(number, 0.0) + score / top * count / length
        for number in gains:
            gains[number] *= self._idf(self._terms[number])
        chosen = heapq.nlargest(
            self.feedback_terms,
            ((gain, self._terms[number]) for number, gain in gains.items() if self._terms[number] not in asked),
        )
        if not chosen or chosen[0][0] <= 0:
            return {}
        return {term: self.feedback * gain / chosen[0][0] for gain, term in chosen}


def _weights(query: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for term in Analyzer().terms(query):
        weights[term] = weights.get(term, 0.0) + 1.0
    return weights


def _turns(doc: str) -> list[str]:
    """The lines of a stretch, a turn's indented further lines with it."""
    return doc.replace("\n  ", " ").split("\n")


def _passages(turn: str) -> Iterator[str]:
    """A turn, or what it is scored by where it is long: passages of whole sentences."""
    if len(turn) <= _LONG_TURN:
        yield turn
        return
    start = 0
    for _, end in units(turn):
        if end - start >= _PASSAGE:
            yield turn[start:end]
            start = end
    if start < len(turn):
        yield turn[start:]


def _encoded_turns(encoding: array[int]) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    at, end = 0, len(encoding)
    while at < end:
        length, speaker, distinct = encoding[at], encoding[at + 1], encoding[at + 2]
        at += 3
        stop = at + 2 * distinct
        yield length, speaker, list(zip(encoding[at:stop:2], encoding[at + 1 : stop : 2], strict=True))
        at = stop


def _digest(doc: str) -> bytes:
    return blake2b(doc.encode("utf-8", "surrogatepass"), digest_size=16).digest()
