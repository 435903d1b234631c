"""The three BM25 formulas, on rank-bm25's counting, with its idf and two of its sums put right.

- Okapi: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). rank-bm25
  takes the idf that turns negative for a term held by more than half of the texts, and mends it with a share
  of the mean idf, which in a small index is negative too. Here it is ln(1 + (N - n + 0.5) / (n + 0.5)).
- BM25L: Lv and Zhai, "When Documents Are Very Long, BM25 Fails!" (SIGIR 2011). rank-bm25 0.2.2 multiplies
  each term by its count once more.
- BM25Plus: Lv and Zhai, "Lower-Bounding Term Frequency Normalization" (CIKM 2011). rank-bm25 0.2.2 gives
  delta to texts without the term as well, so that it lifts all alike and decides nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import rank_bm25  # type: ignore[import-untyped, unused-ignore]  # ships no types; absent where only core is checked
from numpy.typing import NDArray

VARIANTS = {"okapi": rank_bm25.BM25Okapi, "l": rank_bm25.BM25L, "plus": rank_bm25.BM25Plus}
_HALF = 0.5  # the count an unknown term has in the idf of BM25L and BM25Plus


class Index:
    """Counts of terms that grow at the end, and the scores of one variant over them.

    ``variant`` is a key of :data:`VARIANTS`; ``delta`` is not used by Okapi.
    """

    def __init__(self, variant: str, *, k1: float, b: float, delta: float) -> None:
        self._variant = variant
        self._k1 = k1
        self._delta = delta
        options = {"k1": k1, "b": b} if variant == "okapi" else {"k1": k1, "b": b, "delta": delta}
        self._engine: Any = VARIANTS[variant]([["placeholder"]], **options)
        self._counts: list[Counter[str]] = []
        self._lengths: list[int] = []
        self._holding: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._counts)

    def replace(self, start: int, texts: Sequence[Sequence[str]]) -> None:
        """The terms of the texts from ``start`` on are now these."""
        for gone in self._counts[start:]:
            self._holding.subtract(gone.keys())
            for term in gone:
                if not self._holding[term]:
                    del self._holding[term]
        del self._counts[start:], self._lengths[start:]
        self._engine.idf = {}  # the words of the last question
        for terms in texts:
            count = Counter(terms)
            self._counts.append(count)
            self._lengths.append(len(terms))
            self._holding.update(count.keys())

    def scores(self, query: Sequence[str]) -> NDArray[np.float64]:
        """A score for each text, zero where it shares no term with ``query``."""
        total = np.zeros(len(self))
        known = {term: times for term, times in Counter(query).items() if term in self._holding}
        if not known:
            return total
        engine = self._engine
        engine.corpus_size = len(self)
        engine.doc_freqs = self._counts
        engine.doc_len = self._lengths
        engine.avgdl = sum(self._lengths) / len(self)
        engine.idf = {term: self._idf(term) for term in known}
        for term, times in sorted(known.items()):  # in one order, so that equal queries give equal bits
            total += times * self._term_scores(term)
        return total

    def best_score(self, query: Sequence[str]) -> float:
        """What a text would score that held every term of ``query`` without end, unknown terms included."""
        most = self._k1 + 1 + (self._delta if self._variant == "plus" else 0.0)
        return most * math.fsum(times * self._idf(term) for term, times in Counter(query).items())

    def _idf(self, term: str) -> float:
        size, holding = len(self), self._holding.get(term, 0)
        if self._variant == "okapi":
            return math.log(1 + (size - holding + 0.5) / (holding + 0.5))
        if self._variant == "l":
            return math.log((size + 1) / (holding + 0.5))
        return math.log((size + 1) / (holding or _HALF))

    def _term_scores(self, term: str) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore"):  # 0 / 0 for a text without the term, where k1 is 0 or b is 1
            raw: NDArray[np.float64] = np.nan_to_num(self._engine.get_scores([term]), nan=0.0)
        if self._variant == "okapi":
            return raw
        count = np.array([counts.get(term, 0) for counts in self._counts], dtype=np.float64)
        if self._variant == "l":
            return raw / np.maximum(count, 1)
        return np.where(count > 0, raw, 0.0)
