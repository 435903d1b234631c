"""The plugin ``hybrid``: any lexical retriever beside any dense one, their scores fused."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from byheart import PluginHost, hookimpl, load
from byheart_hybrid.fusion import RRF_K, above_mean, agreement, coverage, min_max, reciprocal_ranks, trust, weighted

STRATEGIES = ("union", "vector")
FUSIONS = ("agreement", "weighted", "rrf")


@dataclass(frozen=True)
class Found:
    """What one question finds: for each position its score and its distance, and each side's order."""

    scores: list[float]
    distances: list[float | None]
    dense: list[int]
    lexical: list[int]


class HybridRetriever:
    """A retriever of two; build it with :func:`build`."""

    def __init__(
        self,
        lexical: object,
        dense: object,
        *,
        dense_weight: float,
        fusion: str,
        rrf_k: float,
        candidate_strategy: str,
        candidates: int,
        max_distance: float | None,
        fallback: bool,
    ) -> None:
        self._lexical = PluginHost(lexical)
        self._dense = PluginHost(dense)
        self._distances_of = _distances_hook(dense)
        self._dense_weight = dense_weight
        # Scores can be fused only where both sides have them; places in an order are always there.
        scored = self._lexical.has_scores and (self._dense.has_scores or self._distances_of is not None)
        self._fusion = fusion if scored else "rrf"
        self._rrf_k = rrf_k
        self._union = candidate_strategy == "union" and max_distance is None
        self._candidates = candidates
        self._max_distance = max_distance
        self._fallback = fallback
        self._docs: list[str] = []
        self._last: tuple[str, Found] | None = None
        if max_distance is not None and not (self._dense.has_scores or self._distances_of is not None):
            raise ValueError(
                f"max_distance needs a dense retriever with distances or scores, {type(dense).__qualname__} has none"
            )

    # -- hooks ------------------------------------------------------------------------------------------------

    @hookimpl
    def fit(self, docs: Sequence[str]) -> None:
        """Index these texts on both sides."""
        self._replace(0, docs)

    @hookimpl
    def extend(self, start: int, docs: Sequence[str]) -> None:
        """The texts from ``start`` on are now ``docs``, on both sides."""
        self._replace(start, docs)

    def _replace(self, start: int, docs: Sequence[str]) -> None:
        docs_now = [*self._docs[:start], *docs]
        self._last = None
        self._docs = []  # should a side fail, the index answers nothing until it is fitted
        for host in (self._dense, self._lexical):  # the dense side first: a model is the likelier to fail
            if start and host.has_extend:
                host.extend(start, docs)
            else:
                host.fit(docs_now)
        self._docs = docs_now

    @hookimpl
    def rank(self, query: str, limit: int) -> list[int]:
        """Positions, best first, the newer first in a tie; no more than ``limit``."""
        if not self._docs or limit < 1:
            return []
        found = self._find(query)
        share = max(limit, self._candidates)
        pool = set(found.dense[:share])
        if self._union:
            pool.update(found.lexical[:share])
        if self._max_distance is not None:
            pool = {position for position in pool if self._near(found.distances[position])}
        return sorted(pool, key=lambda position: (found.scores[position], position), reverse=True)[:limit]

    @hookimpl
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        """The fused score of each of these texts: from 0 to 1, or a sum of reciprocal ranks."""
        scores = self._find(query).scores if self._docs else []
        return list(scores) if positions is None else [scores[position] for position in positions]

    # -- beside the hooks -------------------------------------------------------------------------------------

    def distances(self, query: str, positions: Sequence[int] | None = None) -> list[float | None]:
        """The dense side's distance (1 - cosine) of each of these texts; None where it has none."""
        distances = self._find(query).distances if self._docs else []
        return list(distances) if positions is None else [distances[position] for position in positions]

    # -- inside -----------------------------------------------------------------------------------------------

    def _find(self, query: str) -> Found:
        """The last question is kept: ranking and scoring ask for the same."""
        if self._last is None or self._last[0] != query:
            self._last = (query, self._found(query))
        return self._last[1]

    def _found(self, query: str) -> Found:
        size = len(self._docs)
        dense_order = self._dense.rank(query, size, size)
        distances = self._distances(query, dense_order)
        lexical_order = self._lexical.rank(query, size, size) if self._union or self._fusion == "rrf" else []
        if self._fusion != "rrf":
            return Found(self._fused(query, dense_order, distances), distances, dense_order, lexical_order)
        ranks = zip(
            reciprocal_ranks(dense_order, size, self._rrf_k),
            reciprocal_ranks(lexical_order, size, self._rrf_k),
            strict=True,
        )
        return Found([dense + lexical for dense, lexical in ranks], distances, dense_order, lexical_order)

    def _fused(self, query: str, dense_order: Sequence[int], distances: Sequence[float | None]) -> list[float]:
        lexical = self._lexical.scores(query, None, len(self._docs))
        if self._lexical.has_best_score:
            covered = coverage(lexical, self._lexical.best_score(query))
        else:
            covered = min_max(lexical)
        similarities = [None if distance is None else -distance for distance in distances]
        trusted = trust(similarities) if self._fallback else 1.0
        if self._dense.has_scores:  # they may know more than the distance
            scores = dict(zip(dense_order, self._dense.scores(query, dense_order, len(self._docs)), strict=True))
            similarities = [None if cosine is None else scores[at] for at, cosine in enumerate(similarities)]
        if self._fusion == "weighted":
            return weighted(covered, min_max(similarities), self._dense_weight, trusted)
        return agreement(covered, above_mean(similarities), trusted)

    def _distances(self, query: str, dense_order: Sequence[int]) -> list[float | None]:
        """For each text 1 - cosine; None for what the dense side leaves out or has no distance for."""
        distances: list[float | None] = [None] * len(self._docs)
        if self._distances_of is not None:
            given = self._distances_of(query, dense_order)
        elif self._dense.has_scores:
            given = [1.0 - score for score in self._dense.scores(query, dense_order, len(self._docs))]
        else:
            return distances
        for position, distance in zip(dense_order, given, strict=True):
            if distance is not None and math.isfinite(distance):
                distances[position] = float(distance)
        return distances

    def _near(self, distance: float | None) -> bool:
        return distance is not None and self._max_distance is not None and distance <= self._max_distance


def build(
    *,
    model: object | None = None,
    lexical: object | str = "builtin",
    dense: object | str = "dense",
    lexical_options: Mapping[str, Any] | None = None,
    dense_options: Mapping[str, Any] | None = None,
    dense_weight: float = 0.7,
    fusion: str = "agreement",
    rrf_k: float = RRF_K,
    candidate_strategy: str = "union",
    candidates: int = 100,
    max_distance: float | None = None,
    fallback: bool = True,
) -> HybridRetriever:
    """A retriever of two: ``lexical`` for words, ``dense`` for meaning; names (with options) or objects.

    ``model`` is short for ``dense_options={"model": ...}``.

    ``fusion`` makes one score of two. The lexical one is taken as a share of the best the question could have
    had (``best_score``; of the best there is, where the plugin does not tell). ``"agreement"`` counts it more
    where the meaning agrees, and meaning alone less; ``"weighted"`` is a sum in which the similarity, spread
    from 0 to 1 over the index, counts ``dense_weight`` (0 to 1); ``"rrf"`` adds reciprocal ranks with the
    constant ``rrf_k``, as is done for a retriever without scores.

    ``candidate_strategy="union"`` takes candidates from both sides, ``"vector"`` from the dense side alone,
    which the lexical side then ranks again; each side puts in ``candidates`` of them, or as many as are asked
    for if that is more. ``max_distance`` (1 - cosine, 0 to 2) keeps to candidates of the dense side within it.
    ``fallback`` lets meaning count less for a question to which no text stands out, as when the model does
    not know the language.

    ValueError and TypeError for options out of these, before either side is built; PluginError where a side
    cannot be.
    """
    _one_of("candidate_strategy", candidate_strategy, STRATEGIES)
    _one_of("fusion", fusion, FUSIONS)
    _number("dense_weight", dense_weight, 0, 1)
    _number("rrf_k", rrf_k, 0, math.inf)
    if max_distance is not None:
        _number("max_distance", max_distance, 0, 2)
    if isinstance(candidates, bool) or not isinstance(candidates, int):
        raise TypeError(f"candidates must be an int, got {candidates!r} ({type(candidates).__name__})")
    if candidates < 1:
        raise ValueError(f"candidates must be at least 1, got {candidates}")
    if not isinstance(fallback, bool):
        raise TypeError(f"fallback must be True or False, got {fallback!r} ({type(fallback).__name__})")
    options = dict(dense_options or {})
    if model is not None:
        if "model" in options:
            raise ValueError("model is given twice: as model= and in dense_options")
        options["model"] = model
    _for_name("lexical", lexical, lexical_options)
    _for_name("dense", dense, options)
    return HybridRetriever(
        load(lexical, **(lexical_options or {})) if isinstance(lexical, str) else lexical,
        load(dense, **options) if isinstance(dense, str) else dense,
        dense_weight=dense_weight,
        fusion=fusion,
        rrf_k=rrf_k,
        candidate_strategy=candidate_strategy,
        candidates=candidates,
        max_distance=max_distance,
        fallback=fallback,
    )


def _distances_hook(dense: object) -> Callable[[str, Sequence[int]], Sequence[float | None]] | None:
    """The dense side's own distances, where it has such a method beside its hooks."""
    found = getattr(dense, "distances", None)
    return found if callable(found) else None


def _for_name(side: str, plugin: object, options: Mapping[str, Any] | None) -> None:
    if options and not isinstance(plugin, str):
        given = ", ".join(options)
        raise ValueError(f"options for {side} ({given}) go with a name, got an object: build it with them")


def _one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


def _number(name: str, value: object, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, got {value!r} ({type(value).__name__})")
    if not least <= value <= most or not abs(value) <= sys.float_info.max:
        room = f"{least} or more" if math.isinf(most) else f"from {least} to {most}"
        raise ValueError(f"{name} must be {room}, got {value!r}")
