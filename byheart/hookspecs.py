"""Every hook a plugin may implement, with its exact signature.

A plugin is an instance; it implements the hooks it needs and may leave out arguments it does not use.
A *retriever* has ``fit`` and ``rank``; a *segmenter* has ``boundaries``; anything else is a *wrapper*.
``docs`` are texts, one a stretch: a date line where the date is known, then one line a turn that opens with
its speaker; further lines of the same turn are indented by two spaces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pluggy

GROUP = "byheart"
"""The entry-point group, and pluggy's project name."""

hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


class RetrieverSpec:
    """What finds the stretches a question is about."""

    @hookspec(firstresult=True)
    def fit(self, docs: Sequence[str]) -> None:
        """Index these texts, in this order; replaces what was indexed. Neither keep nor change the list."""

    @hookspec(firstresult=True)
    def rank(self, query: str, limit: int) -> Sequence[int]:  # type: ignore[empty-body]
        """Positions in ``docs``, best first, no position twice; at least ``limit`` of them if there are.

        Texts with nothing in common with the query may be left out.
        """

    @hookspec(firstresult=True)
    def scores(self, query: str, positions: Sequence[int] | None) -> Sequence[float]:  # type: ignore[empty-body]
        """Optional: a finite float for each of these texts (None: for all), comparable within this index."""

    @hookspec(firstresult=True)
    def best_score(self, query: str) -> float:  # type: ignore[empty-body]
        """Optional: the score of a text that matched all of the query."""

    @hookspec(firstresult=True)
    def extend(self, start: int, docs: Sequence[str]) -> None:
        """Optional: the texts from ``start`` on are now these; the rest stands. Absent: ``fit`` is called."""

    @hookspec(firstresult=True)
    def ingest(self, start: int, docs: Sequence[str]) -> None:
        """Optional: as ``extend``, but called by ``append`` whenever a stretch settles.

        Implement it where indexing costs microseconds, so that the first question need not wait. An
        exception here never reaches ``append``: the index counts as stale and is fitted at the next question.
        """


class QuerySpec:
    """What changes the question before the retriever sees it."""

    @hookspec
    def rewrite(self, query: str) -> str:  # type: ignore[empty-body]
        """The query as the retriever should see it; what is sent stays as asked.

        Any number of plugins; each sees the answer of the one listed before it.
        """


class SegmenterSpec:
    """What decides where one stretch ends and the next begins."""

    @hookspec(firstresult=True)
    def boundaries(self, turns: Sequence[Mapping[str, Any]]) -> Sequence[int]:  # type: ignore[empty-body]
        """Where, inside the open stretch, new stretches begin: indices from 1 to ``len(turns)``.

        ``turns`` are the open stretch's, as dicts with ``role``, ``text`` and ``when``. The answer
        ``len(turns)`` closes the stretch: whatever comes next begins a new one.
        """
