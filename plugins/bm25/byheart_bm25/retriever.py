"""The plugin ``bm25``: BM25 by rank-bm25, in the variant and the language that are asked for."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from byheart import PluginError, hookimpl
from byheart_bm25.words import Words, language_name

if TYPE_CHECKING:
    from byheart_bm25.scoring import Index

_DELTA = {"okapi": 0.0, "l": 0.5, "plus": 1.0}


class BM25Variants:
    """A retriever over whole stretches; build it with :func:`build`."""

    def __init__(self, index: Index, words: Words) -> None:
        self._index = index
        self._words = words
        self._docs: list[str] = []
        self._terms: dict[str, list[str]] = {}

    @hookimpl
    def fit(self, docs: Sequence[str]) -> None:
        """Index these texts; a text that was indexed before is not analysed again."""
        self.extend(0, docs)

    @hookimpl
    def extend(self, start: int, docs: Sequence[str]) -> None:
        """The texts from ``start`` on are now ``docs``."""
        fresh = {doc: self._terms[doc] if doc in self._terms else self._words.terms(doc) for doc in docs}
        self._index.replace(start, [fresh[doc] for doc in docs])
        gone = set(self._docs[start:]).difference(docs)
        self._docs[start:] = docs
        self._terms.update(fresh)
        for doc in gone.difference(self._docs[:start]) if gone else ():
            del self._terms[doc]

    @hookimpl
    def rank(self, query: str, limit: int) -> list[int]:
        """Positions of the texts that share a term with ``query``, best first, the newer first in a tie."""
        scores = self._index.scores(self._words.terms(query)).tolist()
        found = [position for position, score in enumerate(scores) if score > 0]
        found.sort(key=lambda position: (scores[position], position), reverse=True)
        return found[:limit]

    @hookimpl
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        """The BM25 score of each of these texts, zero where it shares no term with ``query``."""
        scores: list[float] = self._index.scores(self._words.terms(query)).tolist()
        return scores if positions is None else [scores[position] for position in positions]

    @hookimpl
    def best_score(self, query: str) -> float:
        """The score of a text that held all of ``query``, terms unknown here included."""
        return self._index.best_score(self._words.terms(query))


def build(
    *,
    variant: str = "okapi",
    language: str | None = "english",
    k1: float = 1.2,
    b: float = 0.75,
    delta: float | None = None,
    stop_words: Iterable[str] | None = None,
) -> BM25Variants:
    """A BM25 retriever. Needs ``pip install 'byheart[bm25]'``; PluginError where that is missing.

    ``variant`` is ``"okapi"``, ``"l"`` (BM25L, kinder to long texts) or ``"plus"`` (BM25Plus, which rewards
    each matched word more). ``language`` is what Snowball stems and whose function words are left out, by
    name (``"russian"``) or code (``"ru"``); None does neither. ``k1`` (0 or more) is how much repetition
    counts, ``b`` (0 to 1) how much length is held against a text, ``delta`` (0 or more) is the variant's own
    (0.5 for ``"l"``, 1 for ``"plus"``). ``stop_words`` replaces the language's list; an empty one keeps every
    word.

    >>> retriever = build(variant="plus", language="de")
    >>> retriever.fit(["user: Die Katze frisst gern Thunfisch", "user: Wir ziehen im Mai nach Lyon"])
    >>> retriever.rank("Was fressen Katzen?", limit=1)
    [0]
    """
    if variant not in _DELTA:
        raise ValueError(f"variant must be one of {', '.join(map(repr, _DELTA))}, got {variant!r}")
    _number("k1", k1, least=0)
    _number("b", b, least=0, most=1)
    if delta is not None:
        _number("delta", delta, least=0)
        if variant == "okapi":
            raise ValueError("delta belongs to variant='l' and variant='plus': leave it out for 'okapi'")
    if language is not None and not isinstance(language, str):
        raise TypeError(f"language must be a str or None, got {language!r} ({type(language).__name__})")
    if isinstance(stop_words, str):
        raise TypeError("stop_words must be a collection of words, got one str")
    try:
        from byheart_bm25.scoring import Index

        words = Words(None if language is None else language_name(language), stop_words)
    except ImportError as error:
        raise PluginError(
            f"plugin 'bm25' needs rank-bm25 and PyStemmer ({error}): pip install 'byheart[bm25]'",
            plugin="bm25",
            distribution="byheart",
        ) from error
    return BM25Variants(Index(variant, k1=k1, b=b, delta=_DELTA[variant] if delta is None else delta), words)


def _number(name: str, value: object, *, least: float, most: float = math.inf) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, got {value!r} ({type(value).__name__})")
    if not least <= value <= most or not abs(value) <= sys.float_info.max:
        room = f"{least} or more" if most == math.inf else f"from {least} to {most}"
        raise ValueError(f"{name} must be {room}, got {value!r}")
