"""The checks for plugin authors: the built-ins pass them, and each way to break a promise is caught by name."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from byheart.bm25 import BM25
from byheart.counter import Counter
from byheart.entry_points import load
from byheart.errors import PluginError
from byheart.testing import check_retriever, check_segmenter, elsewhere

FEW = 5


class Overlap:
    """A sound retriever: counts the words a text shares with the query, the newer first in a tie."""

    def fit(self, docs: Sequence[str]) -> None:
        self.docs = list(docs)

    def extend(self, start: int, docs: Sequence[str]) -> None:
        self.docs[start:] = docs

    def ingest(self, start: int, docs: Sequence[str]) -> None:
        self.docs = [*getattr(self, "docs", [])[:start], *docs]

    def rank(self, query: str, limit: int) -> list[int]:
        scores = self.scores(query, None)
        return sorted((at for at, score in enumerate(scores) if score), key=lambda at: (-scores[at], -at))

    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        wanted = range(len(self.docs)) if positions is None else positions
        return [float(len({*query.split()} & {*self.docs[at].split()})) for at in wanted]


class Bare:
    """The least a retriever can be."""

    def fit(self, docs: Sequence[str]) -> None:
        self.size = len(docs)

    def rank(self, query: str) -> list[int]:
        return list(range(self.size))


@pytest.mark.parametrize("factory", [Overlap, Bare, BM25, "builtin", partial(load, "builtin", k1=2.0)])
def test_a_sound_retriever_passes(factory: Any) -> None:
    check_retriever(factory, max_examples=10)


def cut_in_two(turns: Sequence[Mapping[str, Any]]) -> list[int]:
    return [len(turns) // 2] if len(turns) > 1 else []


def _cut_in_two() -> Callable[..., list[int]]:
    return cut_in_two


@pytest.mark.parametrize("factory", [_cut_in_two, Counter, partial(Counter, chunk=20), "counter"])
def test_a_sound_segmenter_passes(factory: Any) -> None:
    check_segmenter(factory, max_examples=10)


# -- broken retrievers --------------------------------------------------------------------------------------------


class Repeats(Overlap):
    def rank(self, query: str, limit: int) -> list[int]:
        return super().rank(query, limit) * 2


class OutOfRange(Overlap):
    def rank(self, query: str, limit: int) -> list[int]:
        return [len(self.docs)]


class NotANumber(Overlap):
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        return [float("nan") for _ in super().scores(query, positions)]


class NoBestScore(Overlap):
    def best_score(self, query: str) -> float | None:
        return 1.0 if query.strip() else None


class FailsWhenEmpty(Overlap):
    def rank(self, query: str, limit: int) -> list[int]:
        return super().rank(query, limit) if max(map(len, self.docs)) else []


class FailsOnBlankQuery(Overlap):
    def rank(self, query: str, limit: int) -> list[int]:
        query.split()[0]
        return super().rank(query, limit)


class Stingy(Overlap):
    def rank(self, query: str, limit: int) -> list[int]:
        found = super().rank(query, limit)
        return found if limit > 1 else []


class Fickle(Overlap):
    def rank(self, query: str, limit: int) -> list[int]:
        found = super().rank(query, limit)
        self.turn = not getattr(self, "turn", False)
        return found if self.turn else found[::-1]


class Upwards(Overlap):
    def rank(self, query: str, limit: int) -> list[int]:
        return super().rank(query, limit)[::-1]


class LeavesOutTheBest(Overlap):
    def rank(self, query: str, limit: int) -> list[int]:
        found = super().rank(query, limit)
        return found[1:] or found


class IgnoresTheOrderOfPositions(Overlap):
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        return super().scores(query, None if positions is None else sorted(positions))


class SortsPositions(Overlap):
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        answer = super().scores(query, positions)
        if isinstance(positions, list):
            positions.sort()
        return answer


class ChangesItsInput(Overlap):
    def fit(self, docs: Sequence[str]) -> None:
        super().fit(docs)
        assert isinstance(docs, list)
        docs.sort()


class KeepsItsInput(Overlap):
    def fit(self, docs: Sequence[str]) -> None:
        self.docs = docs  # type: ignore[assignment]


class CachesByPosition(Overlap):
    def fit(self, docs: Sequence[str]) -> None:
        self.cache = getattr(self, "cache", {})
        self.docs = [self.cache.setdefault(at, doc) for at, doc in enumerate(docs)]


class MergesEqualTexts(Overlap):
    def fit(self, docs: Sequence[str]) -> None:
        self.held = getattr(self, "held", {})
        self.held.update({doc: at for at, doc in enumerate(docs) if doc not in self.held})
        self.docs = list(docs)

    def rank(self, query: str, limit: int) -> list[int]:
        found = sorted(range(len(self.docs)), key=lambda at: len(self.docs[at]))
        return [at for at in found if self.held[self.docs[at]] <= at]

    scores = None  # type: ignore[assignment]


class Appends(Overlap):
    def extend(self, start: int, docs: Sequence[str]) -> None:
        self.docs += docs


class NeverShrinks(Overlap):
    def ingest(self, start: int, docs: Sequence[str]) -> None:
        before = getattr(self, "docs", [])
        self.docs = [*before[:start], *docs, *before[start + len(docs) :]]


class NeedsFitBeforeIngest(Overlap):
    def ingest(self, start: int, docs: Sequence[str]) -> None:
        self.docs[start:] = docs


class TiresInLongConversations(Overlap):
    def rank(self, query: str, limit: int) -> list[int]:
        self.asked = getattr(self, "asked", 0) + (len(self.docs) > 10)
        return super().rank(query, limit) if self.asked < 2 else []


@pytest.mark.parametrize(
    ("factory", "sentence"),
    [
        (Repeats, "the memory refuses it: plugin Repeats answered rank.*comes twice"),
        (OutOfRange, "the memory refuses it: plugin OutOfRange answered rank.*is not from"),
        (NotANumber, "the memory refuses it: plugin NotANumber answered scores.*finite float"),
        (NoBestScore, "the memory refuses it: plugin NoBestScore answered best_score.*finite float"),
        (FailsWhenEmpty, "the memory refuses it: plugin FailsWhenEmpty failed in rank: ValueError"),
        (FailsOnBlankQuery, "the memory refuses it: plugin FailsOnBlankQuery failed in rank: IndexError"),
        (Stingy, "rank must return at least limit positions"),
        (Fickle, "rank must answer the same question alike each time"),
        (Upwards, "scores must fall along rank"),
        (LeavesOutTheBest, "rank must not leave out a text that scores higher"),
        (IgnoresTheOrderOfPositions, "scores of some positions must be those among all, in the order asked for"),
        (SortsPositions, "scores must not change its positions"),
        (ChangesItsInput, "fit and rank must not change the texts"),
        (KeepsItsInput, "fit must not keep its list"),
        (CachesByPosition, "kept by text and not by position"),
        (MergesEqualTexts, "kept by text and not by position"),
        (Appends, "extend must leave the index that fit would build"),
        (NeverShrinks, "ingest must leave the index that fit would build.*expected 2 scores"),
        (NeedsFitBeforeIngest, "NeedsFitBeforeIngest failed in ingest: AttributeError"),
        (TiresInLongConversations, "a memory must select the same warm and cold"),
    ],
)
def test_a_broken_promise_is_told_in_a_sentence(factory: Any, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_retriever(factory, max_examples=FEW)


def test_an_order_that_hangs_on_string_hashes_is_caught_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = """
class Hashed:
    def fit(self, docs):
        self.docs = list(docs)
    def rank(self, query, limit):
        return sorted(range(len(self.docs)), key=lambda at: (hash(self.docs[at]), at))
"""
    (tmp_path / "hashed_order.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    factory = importlib.import_module("hashed_order").Hashed
    try:
        with pytest.raises(AssertionError, match="answers must be the same in another process"):
            check_retriever(factory, max_examples=FEW)
    finally:
        del sys.modules["hashed_order"]


class _Elsewhere(float):
    """A number that is another one wherever it is unpickled."""

    def __reduce__(self) -> tuple[type, tuple[float]]:
        return float, (0.1,)


def test_other_scores_in_another_process_are_caught_where_the_order_is_the_same() -> None:
    with pytest.raises(AssertionError, match="answers must be the same in another process"):
        check_retriever(partial(load, "builtin", k1=_Elsewhere(2)), max_examples=FEW)


def test_a_factory_that_no_other_process_can_find_is_not_asked_there() -> None:
    assert elsewhere.answers(lambda: Overlap(), "retriever", []) is None
    check_retriever(lambda: Overlap(), max_examples=FEW)


def test_a_plugin_that_fails_in_another_process_is_told_with_what_it_said() -> None:
    factory = partial(load, "builtin", k1=_Unbuildable(2))
    with pytest.raises(AssertionError, match=r"must work in another process, where it failed:(.|\n)*TypeError"):
        check_retriever(factory, max_examples=FEW)


class _Unbuildable(_Elsewhere):
    """A number that becomes text wherever it is unpickled."""

    def __reduce__(self) -> tuple[type, tuple[str]]:  # type: ignore[override]
        return str, ("text",)


def test_random_answers_are_caught_and_allowed_where_the_author_says_so() -> None:
    class Shuffled(Bare):
        def rank(self, query: str) -> list[int]:
            return generator.sample(range(self.size), self.size)

    generator = random.Random(5)

    with pytest.raises(AssertionError, match="alike each time"):
        check_retriever(Shuffled, max_examples=FEW)
    check_retriever(Shuffled, deterministic=False, max_examples=FEW)


def test_order_among_equal_scores_may_vary_only_where_the_author_says_so() -> None:
    class Ties(Overlap):
        numbers = count()

        def __init__(self) -> None:
            self.sign = (-1) ** next(self.numbers)

        def rank(self, query: str, limit: int) -> list[int]:
            scores = self.scores(query, None)
            return sorted(range(len(scores)), key=lambda at: (-scores[at], self.sign * at))

    with pytest.raises(AssertionError, match=r"an index must depend on its texts alone|fit must not keep"):
        check_retriever(Ties, max_examples=FEW)
    check_retriever(Ties, deterministic=False, max_examples=FEW)


def test_a_factory_that_hands_out_one_object_twice_is_told_so() -> None:
    one = Overlap()
    with pytest.raises(AssertionError, match="factory must build a new retriever each time"):
        check_retriever(lambda: one)


@pytest.mark.parametrize("wrong", [None, 5, Overlap()])
def test_a_factory_is_a_name_or_a_callable(wrong: Any) -> None:
    for check in (check_retriever, check_segmenter):
        with pytest.raises(TypeError, match="factory must be the name of a plugin or a callable that builds one, got"):
            check(wrong)


def test_a_name_that_nobody_offers_is_a_plugin_error() -> None:
    with pytest.raises(AssertionError, match="no plugin 'xyzzy'") as failure:
        check_retriever("xyzzy")
    assert isinstance(failure.value.__cause__, PluginError)


# -- broken segmenters --------------------------------------------------------------------------------------------


class TooFar:
    def boundaries(self, turns: Sequence[Any]) -> list[int]:
        return [len(turns) + 1]


class AlwaysOne:
    def boundaries(self, turns: Sequence[Any]) -> list[int]:
        return [1]


class Strips:
    def boundaries(self, turns: Sequence[Any]) -> list[int]:
        for turn in turns:
            turn["text"] = turn["text"].strip()
        return []


class Counts:
    def __init__(self) -> None:
        self.calls = 0

    def boundaries(self, turns: Sequence[Any]) -> list[int]:
        self.calls += 1
        return [len(turns)] if turns and self.calls % 2 else []


@pytest.mark.parametrize(
    ("factory", "sentence"),
    [
        (TooFar, "the memory refuses it: plugin TooFar answered boundaries.*is not from 1 to 0"),
        (AlwaysOne, "the memory refuses it: plugin AlwaysOne answered boundaries.*is not from 1 to 0"),
        (Strips, "boundaries must not change the turns"),
        (Counts, "boundaries must depend on the turns alone"),
        (partial(Counter, chunk=_Elsewhere(200)), "boundaries must be the same in another process"),
    ],
)
def test_a_segmenter_that_breaks_a_promise_is_told_in_a_sentence(factory: Any, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_segmenter(factory, max_examples=FEW)


# -- the kit itself -----------------------------------------------------------------------------------------------


def test_the_checks_hold_where_python_leaves_out_assert_statements() -> None:
    program = (
        "from byheart.testing import check_retriever\n"
        "class Bad:\n"
        "    def fit(self, docs): docs.clear()\n"
        "    def rank(self, query): return []\n"
        "try: check_retriever(Bad, max_examples=2)\n"
        "except AssertionError as error: print(str(error)[:42])\n"
    )
    ran = subprocess.run([sys.executable, "-O", "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "fit and rank must not change the texts: ['\n"


def test_importing_the_kit_needs_no_hypothesis_and_using_it_says_what_is_missing() -> None:
    program = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "from byheart.testing import check_retriever\n"
        "try: check_retriever('builtin')\n"
        "except ImportError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("byheart.testing draws its conversations with hypothesis, which is not installed")
    assert "pip install hypothesis" in ran.stdout
