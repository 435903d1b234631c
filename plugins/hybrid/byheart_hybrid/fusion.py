"""Bringing two kinds of scores together: pure functions over plain lists.

Lexical scores are normalised by *coverage*: divided by the best score the question could have had, so that they
count only as far as the index knows the question's words. A question in another language covers nothing, and
the meaning decides alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

RRF_K = 60
"""G. Cormack, C. Clarke, S. Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods" (SIGIR 2009)."""

_BOTH = 3.0  # what a text gains where words and meaning agree, in units of what its words count
_ALONE = 1.5  # what meaning counts where there are no words in common
# Measured in docs/plugin-hybrid.md: LoCoMo gains from agreement, questions in another language need meaning alone.

LEAST_TRUST = 0.05  # enough to order what the lexical side leaves equal
_FEWEST = 20  # with fewer texts there is no telling whether the nearest stands out


def coverage(scores: Sequence[float], best: float) -> list[float]:
    """Scores as a share of the best possible one, from 0 to 1.

    >>> coverage([0.0, 2.0, 9.0], best=8.0)
    [0.0, 0.25, 1.0]
    """
    if best <= 0:
        return [0.0] * len(scores)
    return [min(1.0, max(0.0, score / best)) for score in scores]


def min_max(values: Sequence[float | None]) -> list[float]:
    """Values spread from 0 (the least) to 1 (the most); what has none counts as 0. All alike: all 0.

    >>> min_max([0.8, None, 0.6, 0.7])[:3]
    [1.0, 0.0, 0.0]
    """
    known = [value for value in values if value is not None]
    if not known or min(known) == max(known):
        return [0.0] * len(values)
    least, room = min(known), max(known) - min(known)
    return [0.0 if value is None else (value - least) / room for value in values]


def above_mean(values: Sequence[float | None]) -> list[float]:
    """How far each value lies above their mean, as a share of how far the most does; 0 for the rest and for None.

    >>> above_mean([6.0, 0.0, 4.0, 0.0, 0.0, None])
    [1.0, 0.0, 0.5, 0.0, 0.0, 0.0]
    """
    known = [value for value in values if value is not None]
    mean = math.fsum(known) / len(known) if known else 0.0
    room = max(known, default=0.0) - mean
    if room <= 1e-9:
        return [0.0] * len(values)
    return [0.0 if value is None else max(0.0, value - mean) / room for value in values]


def agreement(covered: Sequence[float], near: Sequence[float], trusted: float = 1.0) -> list[float]:
    """From 0 to 1: words count by themselves, more where the meaning agrees; meaning alone where it is trusted.

    ``covered`` is a coverage, ``near`` a similarity from :func:`above_mean`, ``trusted`` a :func:`trust`.

    >>> agreement([0.0, 0.5, 1.0], [1.0, 0.0, 1.0])
    [0.2727272727272727, 0.09090909090909091, 1.0]
    """
    whole = 1.0 + _BOTH + _ALONE
    return [
        (word + _BOTH * word * meaning + _ALONE * trusted * meaning**2) / whole
        for word, meaning in zip(covered, near, strict=True)
    ]


def weighted(covered: Sequence[float], near: Sequence[float], weight: float, trusted: float = 1.0) -> list[float]:
    """A plain sum: ``near`` (spread by :func:`min_max`) counts ``weight``, ``covered`` the rest.

    >>> weighted([0.0, 0.5], [1.0, 0.0], weight=0.7)
    [0.7, 0.15000000000000002]
    """
    return [(1.0 - weight) * word + weight * trusted * meaning for word, meaning in zip(covered, near, strict=True)]


def reciprocal_ranks(order: Sequence[int], size: int, k: float = RRF_K) -> list[float]:
    """1 / (k + place) for each of ``size`` positions, places counted from 1; 0 for what is not in ``order``.

    >>> reciprocal_ranks([2, 0], size=3, k=1)
    [0.3333333333333333, 0.0, 0.5]
    """
    found = [0.0] * size
    for place, position in enumerate(order, start=1):
        found[position] = 1.0 / (k + place)
    return found


def trust(similarities: Sequence[float | None]) -> float:
    """How far a dense side may be believed about one question, from :data:`LEAST_TRUST` to 1.

    A model that understands the question sets its best text apart from the rest; one that does not know the
    language hands out similarities like noise, whose best of n lies about as far out as the largest of n draws
    from a normal distribution. So what counts is how many standard deviations the best lies beyond that:
    none is no trust, one is full trust. Fewer than twenty texts tell nothing, and get full trust.

    >>> trust([0.9] + [0.7, 0.72] * 50)
    1.0
    >>> trust([0.70, 0.71, 0.72, 0.73, 0.74] * 20)
    0.05
    """
    known = [value for value in similarities if value is not None]
    size = len(known)
    if size < _FEWEST:
        return 1.0
    mean = math.fsum(known) / size
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in known) / size)
    if spread <= 1e-9 * max(1.0, abs(mean)):
        return LEAST_TRUST
    return min(1.0, max(LEAST_TRUST, (max(known) - mean) / spread - expected_largest(size)))


def expected_largest(size: int) -> float:
    """The largest of ``size`` draws from the standard normal distribution, on average, for large sizes.

    The leading terms of extreme value theory (H. Cramer, "Mathematical Methods of Statistics", 1946, section 28.6).

    >>> round(expected_largest(240), 2)
    2.67
    """
    root = math.sqrt(2 * math.log(size))
    return root - (math.log(math.log(size)) + math.log(4 * math.pi)) / (2 * root)
