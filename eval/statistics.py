"""When a difference counts: bootstrap over conversations.

Questions of one conversation are not independent of each other (they share their speakers and
their history), so whole conversations are resampled, not questions. A mean over questions is
recomputed from each resample; 95 % of those means lie in the interval. For a difference both
systems are resampled together (paired). With ten conversations an interval is a rough thing: it
says which differences to believe, not their third digit.

Where there is one conversation only, :func:`spread` and :func:`proportion` give intervals over its
questions instead, and the table says so.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

RESAMPLES = 4000
SEED = 20260

#: For each conversation: the sum of its values and how many they are.
Sums = Mapping[str, tuple[float, int]]


@dataclass(frozen=True)
class Estimate:
    """A mean with the 95 % interval around it, and the number of values it is of."""

    value: float
    low: float
    high: float
    count: int

    def to_json(self) -> dict[str, float | int]:
        return {
            "value": round(self.value, 5),
            "low": round(self.low, 5),
            "high": round(self.high, 5),
            "count": self.count,
        }


def sums(values: Iterable[tuple[str, float]]) -> dict[str, tuple[float, int]]:
    """Values with their conversation, gathered by conversation.

    >>> sums([("a", 1.0), ("b", 0.0), ("a", 0.5)])
    {'a': (1.5, 2), 'b': (0.0, 1)}
    """
    gathered: dict[str, tuple[float, int]] = {}
    for key, value in values:
        total, count = gathered.get(key, (0.0, 0))
        gathered[key] = (total + value, count + 1)
    return gathered


def _mean(cells: Iterable[tuple[float, int]]) -> float:
    total, count = 0.0, 0
    for part, number in cells:
        total += part
        count += number
    return total / count if count else float("nan")


def _resamples(keys: list[str], resamples: int, seed: int) -> Iterable[list[str]]:
    draw = random.Random(seed)
    return (draw.choices(keys, k=len(keys)) for _ in range(resamples))


def _interval(values: list[float]) -> tuple[float, float]:
    ordered = sorted(v for v in values if v == v)
    if not ordered:
        return float("nan"), float("nan")
    last = len(ordered) - 1
    return ordered[round(0.025 * last)], ordered[round(0.975 * last)]


def mean(cells: Sums, *, resamples: int = RESAMPLES, seed: int = SEED) -> Estimate:
    """The mean over all values, with its interval over conversations."""
    keys = sorted(cells)
    drawn = [_mean(cells[k] for k in sample) for sample in _resamples(keys, resamples, seed)] if keys else []
    low, high = _interval(drawn)
    return Estimate(_mean(cells.values()), low, high, sum(n for _, n in cells.values()))


def difference(cells: Sums, other: Sums, *, resamples: int = RESAMPLES, seed: int = SEED) -> Estimate:
    """Mean of ``cells`` less mean of ``other``, resampled together: the same conversations for both."""
    keys = sorted(cells)
    if keys != sorted(other):
        raise ValueError(f"expected the same conversations on both sides, got {keys} and {sorted(other)}")
    drawn = [
        _mean(cells[k] for k in sample) - _mean(other[k] for k in sample)
        for sample in _resamples(keys, resamples, seed)
    ]
    low, high = _interval(drawn)
    return Estimate(_mean(cells.values()) - _mean(other.values()), low, high, sum(n for _, n in cells.values()))


def spread(values: Sequence[float]) -> Estimate:
    """A mean with the interval that its standard error gives, as if the values were independent; within 0 and 1.

    >>> spread([1.0, 1.0, 0.5, 1.0]).to_json()
    {'value': 0.875, 'low': 0.63, 'high': 1.0, 'count': 4}
    """
    count = len(values)
    if not count:
        return Estimate(math.nan, math.nan, math.nan, 0)
    middle = math.fsum(values) / count
    variance = math.fsum((v - middle) ** 2 for v in values) / (count - 1) if count > 1 else math.nan
    reach = 1.96 * math.sqrt(variance / count)
    return Estimate(middle, max(0.0, middle - reach), min(1.0, middle + reach), count)


def proportion(right: int, count: int) -> Estimate:
    """``right`` of ``count`` as a share with Wilson's interval (1927), which does not shrink to nothing at 0 and 1.

    >>> proportion(10, 10).to_json()
    {'value': 1.0, 'low': 0.72246, 'high': 1.0, 'count': 10}
    """
    if not count:
        return Estimate(math.nan, math.nan, math.nan, 0)
    z, share = 1.96, right / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return Estimate(share, max(0.0, middle - reach), min(1.0, middle + reach), count)
