"""An inverted index of stretches and their turns, which grows and shrinks at its end.

A posting is one turn that holds a term. Long turns are indexed as passages, each like a turn of its own. Words
that no text holds any more are forgotten altogether.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final

from byheart.excerpts import units
from byheart.tokens import Analyzer

COUNT_BITS: Final = 6
"""A posting is turn << COUNT_BITS | count."""

MOST: Final = (1 << COUNT_BITS) - 1
"""The highest count a posting holds; more of one word in a turn makes no difference."""

_LONG_TURN: Final = 1000  # characters; a longer one is indexed by passages
_PASSAGE: Final = 500  # characters
_SPEAKER: Final = re.compile(r"(?:user|assistant): ([^\W_][\w.'’-]*(?: [^\W_][\w.'’-]*)?): ")


class InvertedIndex:
    """Terms by number, and what holds them.

    Turns and stretches are numbered in order. ``postings[term]`` ascends by turn; per turn there are its stretch, its length in
    terms and the term that names its speaker (-1: none); per stretch its first turn and its length.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}  # of terms
        self.terms: list[str] = []
        self.postings: list[array[int]] = []
        self.stretch_counts = array("I")  # per term: stretches that hold it
        self.turn_stretch = array("I")
        self.turn_length = array("I")
        self.turn_speaker = array("i")
        self.first_turn = array("I")
        self.stretch_length = array("I")
        self.total_length = 0
        self._encodings: list[array[int]] = []  # per stretch: see _encode
        self._digests: list[bytes] = []
        self._unused: list[int] = []  # numbers of terms that no turn holds any more
        self._analyzer = Analyzer()

    def __len__(self) -> int:
        return len(self._digests)

    def common(self, docs: Sequence[str]) -> int:
        """How many stretches from the front are these texts."""
        same = 0
        for digest, doc in zip(self._digests, docs, strict=False):
            if digest != _digest(doc):
                break
            same += 1
        return same

    def replace(self, start: int, docs: Sequence[str]) -> None:
        """The stretches from ``start`` on are now ``docs``; equal texts keep their encodings."""
        gone, touched = self._cut(start)
        for doc in docs:
            digest = _digest(doc)
            encoding = gone.get(digest)
            self._add(digest, self._encode(doc) if encoding is None else encoding)
        self._retire(touched)

    def turns(self, stretch: int) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
        """Per turn of a stretch: its length, the term of its speaker (-1: none), and (term, count) pairs."""
        return _decoded(self._encodings[stretch])

    def _numbered(self, term: str) -> int:
        number = self.numbers.get(term)
        if number is None:
            if self._unused:
                number = self._unused.pop()
                self.terms[number] = term
            else:
                number = len(self.terms)
                self.terms.append(term)
                self.postings.append(array("I"))
                self.stretch_counts.append(0)
            self.numbers[term] = number
        return number

    def _encode(self, doc: str) -> array[int]:
        """Per turn of ``doc``: its length, speaker + 1, the number of its distinct terms, then (term, count) pairs."""
        encoding = array("I")
        for turn in _turns(doc):
            named = _SPEAKER.match(turn)
            speakers = self._analyzer.terms(named[1]) if named else []
            speaker = self._numbered(speakers[0]) + 1 if speakers else 0
            for passage in _passages(turn):
                counts: dict[str, int] = {}
                terms = self._analyzer.terms(passage)
                for term in terms:
                    counts[term] = counts.get(term, 0) + 1
                encoding.extend((len(terms), speaker, len(counts)))
                for term, count in counts.items():
                    encoding.extend((self._numbered(term), min(count, MOST)))
        return encoding

    def _add(self, digest: bytes, encoding: array[int]) -> None:
        stretch = len(self._digests)
        self._digests.append(digest)
        self._encodings.append(encoding)
        self.first_turn.append(len(self.turn_stretch))
        total = 0
        seen: set[int] = set()
        for length, speaker, pairs in _decoded(encoding):
            posting = len(self.turn_stretch) << COUNT_BITS
            self.turn_stretch.append(stretch)
            self.turn_length.append(length)
            self.turn_speaker.append(speaker)
            total += length
            for number, count in pairs:
                self.postings[number].append(posting | count)
                seen.add(number)
        for number in seen:
            self.stretch_counts[number] += 1
        self.stretch_length.append(total)
        self.total_length += total

    def _cut(self, start: int) -> tuple[dict[bytes, array[int]], set[int]]:
        """Take out the stretches from ``start`` on: their encodings by digest of their text, and their terms."""
        gone: dict[bytes, array[int]] = {}
        touched: set[int] = set()
        while len(self._digests) > start:
            encoding = self._encodings.pop()
            gone[self._digests.pop()] = encoding
            seen: set[int] = set()
            for _, speaker, pairs in _decoded(encoding):
                if speaker >= 0:
                    touched.add(speaker)
                for number, _count in pairs:
                    self.postings[number].pop()
                    seen.add(number)
            for number in seen:
                self.stretch_counts[number] -= 1
            touched |= seen
            first = self.first_turn.pop()
            for per_turn in (self.turn_stretch, self.turn_length, self.turn_speaker):
                del per_turn[first:]
            self.total_length -= self.stretch_length.pop()
        return gone, touched

    def _retire(self, touched: Iterable[int]) -> None:
        """Forget the words, of these terms, that no text holds any more."""
        unheld = [number for number in touched if not self.postings[number] and self.terms[number]]
        for number in unheld:
            del self.numbers[self.terms[number]]
            self.terms[number] = ""
            self._unused.append(number)
        if unheld:
            self._analyzer.forget()


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


def _decoded(encoding: array[int]) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    at, end = 0, len(encoding)
    while at < end:
        length, speaker, distinct = encoding[at], encoding[at + 1], encoding[at + 2]
        at += 3
        stop = at + 2 * distinct
        yield length, speaker - 1, list(zip(encoding[at:stop:2], encoding[at + 1 : stop : 2], strict=True))
        at = stop


def _digest(doc: str) -> bytes:
    return blake2b(doc.encode("utf-8", "surrogatepass"), digest_size=16).digest()
