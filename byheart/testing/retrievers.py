"""What every retriever promises, each promise a function that raises AssertionError where it is broken."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from byheart.errors import PluginError
from byheart.memory import Memory
from byheart.plugins import PluginHost
from byheart.testing import drawing, elsewhere
from byheart.testing.driving import Factory, drive, factory_of, plugin_errors_as_failures

_MOST_CASES = 20
"""How many indexes and questions the second process is asked about."""


def check_retriever(factory: Factory | str, *, deterministic: bool = True, max_examples: int = 25) -> None:
    """Hold a retriever to what a memory relies on; AssertionError for the first promise it breaks.

    ``factory`` is called without arguments and builds a new retriever each time, several times an example:
    share what is costly between them, such as an encoder. It may be the name of an installed plugin.
    ``max_examples`` is how many indexes each promise is tried on; they are the same on every run.

    Where ``factory`` can be pickled (a class or function of a module, ``functools.partial`` of one, a name),
    the retriever is also asked in a second process. ``deterministic=False`` is for one that may order texts
    of nearly equal scores otherwise each time: its order is then compared by its scores, and only there.
    """
    build = factory_of(factory)
    with plugin_errors_as_failures():
        checks = _Checks(build, deterministic)
        checks.plain_cases()
    one, query, cuts = drawing.indexes(1), drawing.queries(), drawing.cuts()
    drive(checks.answers_are_valid, max_examples, {"docs": one, "query": query})
    drive(checks.scores_agree_with_rank, max_examples, {"docs": one, "query": query})
    drive(checks.inputs_are_neither_kept_nor_changed, max_examples, {"docs": one, "query": query})
    drive(checks.fit_forgets_what_was_before, max_examples, {"states": drawing.indexes(3), "query": query})
    drive(checks.extend_equals_fit, max_examples, {"docs": one, "cuts": cuts, "query": query})
    drive(checks.ingest_equals_fit, max_examples, {"cuts": cuts, "query": query})
    if deterministic:
        turns = drawing.turns()
        drive(checks.memory_selects_alike, math.ceil(max_examples / 5), {"turns": turns, "query": query})
        with plugin_errors_as_failures():
            checks.another_process_answers_alike()


class _Answer(NamedTuple):
    order: list[int]
    scores: list[float] | None

    def __str__(self) -> str:
        return f"{self.order}" if self.scores is None else f"{self.order} with scores {self.scores}"


class _Checks:
    """Each check does what a memory does, in one of the ways it does it."""

    def __init__(self, build: Factory, deterministic: bool) -> None:
        self.build = build
        self.deterministic = deterministic
        self.cases: list[tuple[list[str], str, int]] = []
        first = build()
        elsewhere.host_of(first, "retriever")
        if build() is first:
            raise AssertionError("factory must build a new retriever each time, got the same object twice")

    def plain_cases(self) -> None:
        """What is never left to chance: nothing, blanks, and each way in which an index can change."""
        for texts, query in product(drawing.PLAIN_INDEXES, drawing.PLAIN_QUERIES):
            self.answers_are_valid([texts], query)
            self.scores_agree_with_rank([texts], query)
            self.inputs_are_neither_kept_nor_changed([texts], query)
        for query in drawing.PLAIN_QUERIES:
            self.fit_forgets_what_was_before(drawing.PLAIN_INDEXES, query)
            self.extend_equals_fit(drawing.PLAIN_INDEXES, drawing.PLAIN_CUTS, query)
            self.ingest_equals_fit(drawing.PLAIN_CUTS, query)
        if self.deterministic:
            self.memory_selects_alike([], drawing.PLAIN_QUERIES[0])

    def answers_are_valid(self, docs: Sequence[list[str]], query: str) -> None:
        texts = docs[0]
        size = len(texts)
        host = self.fitted(texts)
        complete = host.rank(query, max(1, size), size)
        again = host.rank(query, max(1, size), size)
        if self.deterministic and again != complete:
            raise AssertionError(
                f"rank must answer the same question alike each time: {complete}, then {again}, "
                f"for {query!r} in {texts!r}"
            )
        for limit in range(1, size + 1):
            order = host.rank(query, limit, size)
            if len(order) < min(limit, len(complete)):
                raise AssertionError(
                    f"rank must return at least limit positions if there are: of {texts!r} it finds "
                    f"{complete} for {query!r}, but with limit={limit} only {order}"
                )
        if len(self.cases) < _MOST_CASES and size > 1:
            self.cases.append((texts, query, size))

    def scores_agree_with_rank(self, docs: Sequence[list[str]], query: str) -> None:
        texts = docs[0]
        host = self.fitted(texts)
        if host.has_best_score:
            host.best_score(query)
        if not host.has_scores:
            return
        size = len(texts)
        scores = host.scores(query, None, size)
        order = host.rank(query, max(1, size), size)
        said = f"for {query!r} in {texts!r}"
        slack = _slack(scores)
        if any(scores[better] < scores[worse] - slack for better, worse in pairwise(order)):
            found = [scores[at] for at in order]
            raise AssertionError(f"scores must fall along rank: {order} have the scores {found}, {said}")
        for at in set(range(size)) - set(order):
            if any(scores[at] > scores[found] + slack for found in order):
                raise AssertionError(
                    "rank must not leave out a text that scores higher than one it returns: "
                    f"{order} lack {at}, the scores are {scores}, {said}"
                )
        for positions in (order, order[::-1], [*range(size)], order[:1], []):
            asked = list(positions)
            some = host.scores(query, asked, size)
            if asked != positions:
                raise AssertionError(f"scores must not change its positions: {positions} became {asked}")
            if not _alike(some, [scores[at] for at in positions]):
                raise AssertionError(
                    "scores of some positions must be those among all, in the order asked for: "
                    f"{positions} got {some}, all are {scores}, {said}"
                )

    def inputs_are_neither_kept_nor_changed(self, docs: Sequence[list[str]], query: str) -> None:
        texts = docs[0]
        handed = list(texts)
        host = self.new()
        host.fit(handed)
        before = self.answer(host, query, len(texts))
        if handed != texts:
            raise AssertionError(f"fit and rank must not change the texts: {texts!r} became {handed!r}")
        handed[:] = ["user: something else entirely"] * len(handed)
        after = self.answer(host, query, len(texts))
        self.compare(after, before, f"fit must not keep its list, which is the caller's: {query!r} in {texts!r}")

    def fit_forgets_what_was_before(self, states: Sequence[list[str]], query: str) -> None:
        host = self.new()
        for number, texts in enumerate(states):
            host.fit(list(texts))
            self.compare_with_fit(
                host,
                texts,
                query,
                "an index must depend on its texts alone, and what is kept be kept by text and not by "
                f"position: fit({texts!r}) after {list(states[:number])!r}, asked {query!r}",
            )

    def extend_equals_fit(self, docs: Sequence[list[str]], cuts: Sequence[tuple[int, list[str]]], query: str) -> None:
        host = self.fitted(docs[0])
        if host.has_extend:
            self.grow(host, "extend", host.extend, list(docs[0]), cuts, query)

    def ingest_equals_fit(self, cuts: Sequence[tuple[int, list[str]]], query: str) -> None:
        host = self.new()
        if host.has_ingest:
            self.grow(host, "ingest", host.ingest, [], cuts, query)

    def grow(
        self,
        host: PluginHost,
        hook: str,
        change: Callable[[int, Sequence[str]], None],
        texts: list[str],
        cuts: Sequence[tuple[int, list[str]]],
        query: str,
    ) -> None:
        for at, following in cuts:
            start = at % (len(texts) + 1)
            texts[start:] = following
            handed = list(following)
            change(start, handed)
            if handed != following:
                raise AssertionError(f"{hook} must not change its list: {following!r} became {handed!r}")
            handed.clear()
            self.compare_with_fit(
                host,
                texts,
                query,
                f"{hook} must leave the index that fit would build: {hook}({start}, {following!r}), which "
                f"makes the texts {texts!r}, asked {query!r}",
            )

    def memory_selects_alike(self, turns: Sequence[drawing.Turn], query: str) -> None:
        warm = Memory(budget=400, stability=0, retriever=self.build())
        for number, turn in enumerate([*drawing.PLAIN_CONVERSATION, *turns]):
            warm.append(**turn)
            if number % 5 == 0:
                warm.compose(query)
        cold = Memory.from_dict(warm.to_dict(), budget=400, stability=0, retriever=self.build())
        found, expected = warm.compose(query)["included"], cold.compose(query)["included"]
        if found != expected:
            raise AssertionError(
                f"a memory must select the same warm and cold: for {query!r}, after {list(turns)!r}, one that "
                f"grew with the conversation selects the turns {found}, one just restored {expected}"
            )

    def another_process_answers_alike(self) -> None:
        found = elsewhere.answers(self.build, "retriever", self.cases)
        for case, answer in zip(self.cases, found or (), strict=found is not None):
            here = elsewhere.ask(self.new(), "retriever", case)
            self.compare(
                _Answer(*answer),
                _Answer(*here),
                "answers must be the same in another process, where strings hash differently: "
                f"{case[1]!r} in {case[0]!r}",
            )

    def new(self) -> PluginHost:
        return elsewhere.host_of(self.build(), "retriever")

    def fitted(self, texts: Sequence[str]) -> PluginHost:
        host = self.new()
        host.fit(list(texts))
        return host

    def answer(self, host: PluginHost, query: str, size: int) -> _Answer:
        scores = host.scores(query, None, size) if host.has_scores else None
        return _Answer(host.rank(query, max(1, size), size), scores)

    def compare_with_fit(self, host: PluginHost, texts: list[str], query: str, sentence: str) -> None:
        try:
            found = self.answer(host, query, len(texts))
        except PluginError as error:
            raise AssertionError(f"{sentence}: {error}") from error
        self.compare(found, self.answer(self.fitted(texts), query, len(texts)), sentence)

    def compare(self, found: _Answer, expected: _Answer, sentence: str) -> None:
        """Fail with the sentence unless both are alike: scores up to rounding, the order exactly."""
        same = found.order == expected.order
        if not self.deterministic:
            known = expected.scores
            same = known is None or _alike([known[at] for at in found.order], [known[at] for at in expected.order])
        if found.scores is not None and expected.scores is not None:
            same = same and _alike(found.scores, expected.scores)
        if not same:
            raise AssertionError(f"{sentence} answered {found}, expected {expected}")


def _slack(scores: Sequence[float]) -> float:
    """What counts as rounding: single precision."""
    return 1e-5 * max((abs(score) for score in scores), default=0.0)


def _alike(found: Sequence[float], expected: Sequence[float]) -> bool:
    slack = _slack(expected)
    return len(found) == len(expected) and all(
        math.isclose(one, other, rel_tol=0, abs_tol=slack) for one, other in zip(found, expected, strict=True)
    )
