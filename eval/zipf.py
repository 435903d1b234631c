"""Seeded text with a natural vocabulary: English function words at the head, made-up words behind them.

Words are drawn by Zipf's law as Mandelbrot corrected it, weight 1 / (rank + 2.7), and beyond the first ten thousand, as in
large corpora, by a steeper one. So the vocabulary of what is said grows about with the square root of its length, and
the common words are those that a retriever may leave out.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from functools import cache

TYPES = 1_000_000
_COMMON = 10_000  # ranks from which on the law is steeper

_HEAD = """
the of and to a in is it you that he was for on are with as i his they be at one have this from or had by not
but what all were we when your can said there an each which she do how their if will up other about out many then
them these so some her would make like him into time has look two more go see no way could people my than first been
who its now find long down day did get come made may part
""".split()
_ONSETS = "b c d f g h j k l m n p r s t v w z br cl dr fl gr pl sh sp st th tr".split()
_NUCLEI = "a e i o u ea oo".split()
_CODAS = ("", "", "", "", "l", "n", "r", "s", "t", "m", "st")


def _weight(rank: int) -> float:
    return 1 / ((rank + 2.7) * (1 + rank / _COMMON))


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """The words by rank, and their summed weights."""
    words = list(_HEAD)
    known = set(words)
    chooser = random.Random("vocabulary")  # the same for every seed
    syllables = [onset + nucleus + coda for onset in _ONSETS for nucleus in _NUCLEI for coda in _CODAS]
    while len(words) < TYPES:
        length = 2 + (len(words) > 3_000) + (len(words) > 100_000)  # rarer words are longer
        word = "".join(chooser.choices(syllables, k=length))
        if word not in known:
            known.add(word)
            words.append(word)
    return words, list(itertools.accumulate(map(_weight, range(1, TYPES + 1))))


class Text:
    """An endless supply of turns and questions, the same for the same seed.

    >>> Text(1).turn() == Text(1).turn()
    True
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = self._drawn()

    def _drawn(self) -> Iterator[str]:
        words, weights = _vocabulary()
        while True:
            yield from self._random.choices(words, cum_weights=weights, k=10_000)

    def turn(self) -> str:
        """What one turn says: 6 to 38 words, about 150 characters on average."""
        return self._said(self._random.randint(6, 38))

    def question(self) -> str:
        """A question of 6 to 14 words."""
        return f"{self._said(self._random.randint(6, 14))}?"

    def _said(self, count: int) -> str:
        return " ".join(itertools.islice(self._words, count))


class Tiled:
    """Turns of real conversations, one conversation after the other, over and over; and their questions."""

    def __init__(self, turns: Sequence[str], questions: Sequence[str], seed: int) -> None:
        self._turns = itertools.cycle(turns)
        shuffled = list(questions)
        random.Random(seed).shuffle(shuffled)
        self._questions = itertools.cycle(shuffled)

    def turn(self) -> str:
        """The next turn."""
        return next(self._turns)

    def question(self) -> str:
        """A question of the data set."""
        return next(self._questions)
