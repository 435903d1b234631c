"""A retriever that compares texts by the pieces of words they share."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from byheart import hookimpl

_WORD = re.compile(r"\w+")


class NGrams:
    """Cosine between the sets of n-grams of query and text; ``size`` is the length of a piece in characters.

    >>> retriever = NGrams()
    >>> retriever.fit(["user: we met in Amsterdam", "user: the cat sleeps"])
    >>> retriever.rank("amsterdamm", limit=1)
    [0]
    """

    def __init__(self, *, size: int = 3) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(f"size must be a whole number of characters from 1 up, got {size!r}")
        self._size = size
        self._pieces: list[frozenset[str]] = []

    @hookimpl
    def fit(self, docs: Sequence[str]) -> None:
        self._pieces = [self._cut(doc) for doc in docs]

    @hookimpl
    def extend(self, start: int, docs: Sequence[str]) -> None:
        self._pieces[start:] = [self._cut(doc) for doc in docs]

    @hookimpl
    def ingest(self, start: int, docs: Sequence[str]) -> None:
        self.extend(start, docs)  # cutting a text takes microseconds

    @hookimpl
    def rank(self, query: str, limit: int) -> list[int]:
        """Texts that share a piece with the query, best first, the newer first in a tie."""
        scores = self.scores(query, None)
        found = [at for at, score in enumerate(scores) if score > 0]
        return sorted(found, key=lambda at: (-scores[at], -at))

    @hookimpl
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        asked = self._cut(query)
        wanted = range(len(self._pieces)) if positions is None else positions
        return [_cosine(asked, self._pieces[at]) for at in wanted]

    @hookimpl
    def best_score(self) -> float:
        """A text of the same pieces as the query scores 1."""
        return 1.0

    def _cut(self, text: str) -> frozenset[str]:
        padded = (f" {word} " for word in _WORD.findall(text.casefold()))
        size = self._size
        return frozenset(word[at : at + size] for word in padded for at in range(max(1, len(word) - size + 1)))


def _cosine(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0
