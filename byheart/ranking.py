"""From what a retriever answers to a ranking of stretches, and from a ranking to what fits the room.

The retriever decides the order; its scores say how far apart. What the conversation's shape adds is the
same for every retriever: a stretch profits from its neighbours, and room is filled by score for size, so that one
long reply does not crowd out ten short turns.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from byheart.plugins import PluginHost

NEIGHBOUR: Final = 0.25
"""Share of its neighbours' scores that a stretch gains."""

SIZE_POWER: Final = 0.3
"""Room is filled by score / size ** this."""

DATED: Final = 0.25
"""Share of the best score that a stretch gains where it was said on a day that the question names."""

DATED_ALONE: Final = 1.0
"""The same, where the question names little else."""


_FEW: Final = 64  # stretches; so many may come in as neighbours


class Ranked(NamedTuple):
    """A stretch, by position, and how well it matches: 0 at the least."""

    position: int
    score: float


def retrieve(host: PluginHost, query: str, limit: int, size: int) -> list[Ranked]:
    """The retriever's own answer: its order, with its scores where it gives any.

    ``rank`` has the last word on order, so scores that disagree (a wrapper reranked) are dealt out again in
    its order. Without scores, neighbouring places are neighbouring reciprocals.
    """
    order = host.rank(query, limit, size)
    if host.has_scores:
        scores = sorted(host.scores(query, order, size), reverse=True)
        lowest = min(0.0, scores[-1]) if scores else 0.0
        return [Ranked(position, score - lowest) for position, score in zip(order, scores, strict=True)]
    return [Ranked(position, 1.0 / (10 + place)) for place, position in enumerate(order)]


def blended(ranked: Sequence[Ranked], others: Sequence[Ranked], share: float) -> list[Ranked]:
    """``share`` of ``others`` and the rest of ``ranked``, each scaled to its own best; best first."""
    scores: dict[int, float] = {}
    for weight, ranking in ((1 - share, ranked), (share, others)):
        best = max((entry.score for entry in ranking), default=0.0)
        for entry in ranking if best > 0 else ():
            scores[entry.position] = scores.get(entry.position, 0.0) + weight * entry.score / best
    return ordered(scores)


def smoothed(ranked: Sequence[Ranked], size: int, dated: Collection[int] = (), gain: float = DATED) -> list[Ranked]:
    """``ranked`` with each stretch raised by its neighbours, and those in ``dated`` by ``gain`` times the best score.

    Neighbours come in; of many stretches, only as many as there were.
    """
    own = {entry.position: entry.score for entry in ranked}
    best = max(own.values(), default=0.0)
    for position in dated:
        own[position] = own.get(position, 0.0) + gain * (best or 1.0)
    raised = dict(own)
    for position, score in own.items():
        for neighbour in (position - 1, position + 1):
            if 0 <= neighbour < size:
                raised[neighbour] = raised.get(neighbour, 0.0) + NEIGHBOUR * score
    return ordered(raised, max(_FEW, len(own)))


def ordered(scores: dict[int, float], count: int | None = None) -> list[Ranked]:
    """Best first, the best ``count``; of equals the newer first."""
    best_first = sorted(((score, position) for position, score in scores.items()), reverse=True)
    return [Ranked(position, score) for score, position in best_first[:count]]


def by_value(ranked: Iterable[Ranked], sizes: Mapping[int, float]) -> Iterator[Ranked]:
    """``ranked`` in the order in which room is filled: by score for size, by position."""
    heap = [(-entry.score / max(1.0, sizes[entry.position]) ** SIZE_POWER, -entry.position, entry) for entry in ranked]
    heapq.heapify(heap)
    while heap:
        yield heapq.heappop(heap)[2]
