"""An inverted index of stretches and their turns, which grows and shrinks at its end.

A posting is one turn that holds a term; the terms of each turn, in order, stand beside the postings, so that a few
stretches can be looked at without reading postings. Long turns are indexed as passages, each like a turn of its own.
Words that no text holds any more are forgotten altogether.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

from byheart.excerpts import units
from byheart.tokens import Analyzer

COUNT_BITS: Final = 6
"""A posting is turn << COUNT_BITS | count."""

MOST: Final = (1 << COUNT_BITS) - 1
"""The highest count a posting holds; more of one word in a turn makes no difference."""

_MANY: Final = 8  # times as many stretches as have changed: then these are changed in their places
_PADDING: Final = -2  # the speaker of a turn that a shorter text left over
_LONG_TURN: Final = 1000  # characters; a longer one is indexed by passages
_PASSAGE: Final = 500  # characters
_ROLE: Final = re.compile("user: |assistant: ")  # of a turn; a term of its own, since as a word it is in every text
_SPEAKER: Final = re.compile(r"([^\W_][\w.'’-]*(?: [^\W_][\w.'’-]*)?): ")


class _Encoded(NamedTuple):
    """A stretch: the terms of its turns, one turn after the other, and per turn their number and its speaker."""

    terms: array[int]
    lengths: array[int]
    speakers: array[int]


class InvertedIndex:
    """Terms by number, and what holds them.

    Turns and stretches are numbered in order. ``postings[term]`` ascends by turn; per turn there are its stretch, its
    length in terms and the term that names its speaker (negative: none); per stretch its first turn and its length.
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
        self._said = array("I")  # the terms of every turn
        self._starts = array("Q")  # per stretch: where its terms begin
        self._digests = bytearray()
        self._padding = 0  # turns that a shorter text left over
        self._unused: list[int] = []  # numbers of terms that no turn holds any more
        self._analyzer = Analyzer()

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def total_length(self) -> int:
        """Terms in all stretches."""
        return len(self._said)

    @property
    def turn_count(self) -> int:
        """Turns in all stretches, each passage of a long one counted."""
        return len(self.turn_stretch) - self._padding

    def common(self, docs: Sequence[str]) -> int:
        """How many stretches from the front are these texts."""
        same = 0
        for doc in docs[: len(self)]:
            if self._digest(same) != _digest(doc):
                break
            same += 1
        return same

    def replace(self, start: int, docs: Sequence[str]) -> None:
        """The stretches from ``start`` on are now ``docs``; equal texts keep their encodings."""
        digests = list(map(_digest, docs))
        if start + len(docs) == len(self):
            changed = [at for at, digest in enumerate(digests) if digest != self._digest(start + at)]
            if changed and len(docs) > _MANY * len(changed):
                encoded = {start + at: self._encode(docs[at]) for at in changed}
                if all(len(new.lengths) <= len(self._turns_of(stretch)) for stretch, new in encoded.items()):
                    revised = (self._revise(at, digests[at - start], new) for at, new in encoded.items())
                    self._retire(set().union(*revised))
                    return
        gone, touched = self._cut(start)
        for digest, doc in zip(digests, docs, strict=True):
            known = gone.get(digest)
            self._add(digest, self._encode(doc) if known is None else known)
        self._retire(touched)

    def held(self, stretch: int) -> array[int]:
        """The terms of a stretch, repetitions included."""
        start = self._starts[stretch]
        return self._said[start : start + self.stretch_length[stretch]]

    def _turns_of(self, stretch: int) -> range:
        after = self.first_turn[stretch + 1] if stretch + 1 < len(self) else len(self.turn_stretch)
        return range(self.first_turn[stretch], after)

    def _digest(self, stretch: int) -> bytes:
        return bytes(self._digests[_DIGEST * stretch : _DIGEST * (stretch + 1)])

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

    def _encode(self, doc: str) -> _Encoded:
        encoded = _Encoded(array("I"), array("I"), array("i"))
        numbers = self.numbers
        for turn in _turns(doc):
            role = _ROLE.match(turn)
            said = turn[role.end() :] if role else turn
            named = _SPEAKER.match(said) if role else None
            names = self._analyzer.terms(named[1]) if named else []
            speaker = self._numbered(names[0]) if names else -1
            terms = [role[0]] if role else []
            for passage in _passages(said):
                terms += self._analyzer.terms(passage)
                encoded.terms.extend([numbers[t] if t in numbers else self._numbered(t) for t in terms])
                encoded.lengths.append(len(terms))
                encoded.speakers.append(speaker)
                terms = []
        return encoded

    def _add(self, digest: bytes, encoded: _Encoded) -> None:
        stretch, turn, at = len(self), len(self.turn_stretch), 0
        self._starts.append(len(self._said))
        self._digests += digest
        self.first_turn.append(turn)
        self.stretch_length.append(len(encoded.terms))
        self._said += encoded.terms
        self.turn_length += encoded.lengths
        self.turn_speaker += encoded.speakers
        postings, counts = self.postings, self.stretch_counts
        for length in encoded.lengths:
            self.turn_stretch.append(stretch)
            held: dict[int, int] = {}
            for number in encoded.terms[at : at + length]:
                held[number] = held.get(number, 0) + 1
            posting = turn << COUNT_BITS
            for number, count in held.items():
                postings[number].append(posting | (count if count < MOST else MOST))
            turn += 1
            at += length
        for number in set(encoded.terms):
            counts[number] += 1
        self._padding += encoded.speakers.count(_PADDING)

    def _revise(self, stretch: int, digest: bytes, encoded: _Encoded) -> set[int]:
        """Put this in the place of a stretch with as many turns or more; returns the terms of what was there.

        Turns that are left over stay, without a term, so that those behind keep their numbers.
        """
        turns, before = self._turns_of(stretch), self.held(stretch)
        touched = set(before)
        for number in touched:
            self.stretch_counts[number] -= 1
            postings = self.postings[number]
            first = bisect_left(postings, turns.start << COUNT_BITS)
            del postings[first : bisect_left(postings, turns.stop << COUNT_BITS, first)]
        speakers = self.turn_speaker[turns.start : turns.stop]
        touched.update(speaker for speaker in speakers if speaker >= 0)
        left_over = len(turns) - len(encoded.lengths)
        self._padding += left_over - speakers.count(_PADDING)
        self.turn_length[turns.start : turns.stop] = encoded.lengths + array("I", [0] * left_over)
        self.turn_speaker[turns.start : turns.stop] = encoded.speakers + array("i", [_PADDING] * left_over)
        start, longer = self._starts[stretch], len(encoded.terms) - len(before)
        self._said[start : start + len(before)] = encoded.terms
        self.stretch_length[stretch] = len(encoded.terms)
        if longer:
            self._starts[stretch + 1 :] = array("Q", [at + longer for at in self._starts[stretch + 1 :]])
        self._digests[_DIGEST * stretch : _DIGEST * (stretch + 1)] = digest
        at = 0
        for turn, length in zip(turns, encoded.lengths, strict=False):
            terms = encoded.terms[at : at + length]
            for number in set(terms):
                postings, posting = self.postings[number], turn << COUNT_BITS
                postings.insert(bisect_left(postings, posting), posting | min(MOST, terms.count(number)))
            at += length
        for number in set(encoded.terms):
            self.stretch_counts[number] += 1
        return touched

    def _cut(self, start: int) -> tuple[dict[bytes, _Encoded], set[int]]:
        """Take out the stretches from ``start`` on: what they were by digest of their text, and their terms."""
        gone: dict[bytes, _Encoded] = {}
        touched: set[int] = set()
        if start >= len(self):
            return gone, touched
        for stretch in range(start, len(self)):
            turns = self._turns_of(stretch)
            lengths, speakers = self.turn_length[turns.start : turns.stop], self.turn_speaker[turns.start : turns.stop]
            encoded = _Encoded(self.held(stretch), lengths, speakers)
            self._padding -= speakers.count(_PADDING)
            gone[self._digest(stretch)] = encoded
            terms = set(encoded.terms)
            for number in terms:
                self.stretch_counts[number] -= 1
            touched |= terms
            touched.update(speaker for speaker in encoded.speakers if speaker >= 0)
        first = self.first_turn[start]
        for number in touched:
            postings = self.postings[number]
            del postings[bisect_left(postings, first << COUNT_BITS) :]
        for per_turn in (self.turn_stretch, self.turn_length, self.turn_speaker):
            del per_turn[first:]
        del self._said[self._starts[start] :]
        del self._digests[_DIGEST * start :]
        for per_stretch in (self.first_turn, self.stretch_length, self._starts):
            del per_stretch[start:]
        return gone, touched

    def _retire(self, touched: set[int]) -> None:
        """Forget the words, of these terms, that no text holds any more."""
        unheld = [number for number in touched if not self.postings[number] and self.terms[number]]
        if unheld:
            self._analyzer.forget({self.terms[number] for number in touched})
        for number in unheld:
            del self.numbers[self.terms[number]]
            self.terms[number] = ""
            self._unused.append(number)


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


_DIGEST: Final = 16  # bytes


def _digest(doc: str) -> bytes:
    return blake2b(doc.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
