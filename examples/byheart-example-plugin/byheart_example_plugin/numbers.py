"""A wrapper that reranks what any retriever found."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import Any

from byheart import hookimpl

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class NumbersFirst:
    """Moves texts that hold a number of the question to the front; otherwise the order stands.

    It keeps the numbers of each text, so an instance serves one memory. A hook that the retriever lacks is
    never called here either: then ``fit`` is.
    """

    def __init__(self) -> None:
        self._numbers: list[frozenset[str]] = []

    @hookimpl(wrapper=True)
    def fit(self, docs: Sequence[str]) -> Generator[None, None, None]:
        yield
        self._keep(0, docs)

    @hookimpl(wrapper=True)
    def extend(self, start: int, docs: Sequence[str]) -> Generator[None, None, None]:
        yield
        self._keep(start, docs)

    @hookimpl(wrapper=True)
    def ingest(self, start: int, docs: Sequence[str]) -> Generator[None, None, None]:
        yield
        self._keep(start, docs)

    @hookimpl(wrapper=True)
    def rank(self, query: str) -> Generator[None, Any, list[int]]:
        order = yield
        asked = _numbers(query)
        return sorted(order, key=lambda at: asked.isdisjoint(self._numbers[at]))

    def _keep(self, start: int, docs: Sequence[str]) -> None:
        self._numbers[start:] = [_numbers(doc) for doc in docs]


def _numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text))
