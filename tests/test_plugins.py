"""Taking plugins, calling their hooks, and what becomes of nonsense."""

from __future__ import annotations

import copy
import gc
import inspect
import subprocess
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byheart import hookspecs
from byheart.errors import ByheartError, PluginError
from byheart.hooks import SPECS
from byheart.hookspecs import hookimpl
from byheart.memory import Memory
from byheart.plugins import PluginHost

TURNS = [{"role": "user", "text": "hello", "when": None}] * 4


class Plain:
    """A retriever without marks that ranks texts as they came and keeps what it was asked."""

    def __init__(self, answer: object = None) -> None:
        self.answer = answer
        self.calls: list[tuple[Any, ...]] = []
        self.size = 0

    def fit(self, texts: Sequence[str]) -> None:
        self.size = len(texts)
        self.calls.append(("fit", list(texts)))

    def rank(self, q: str, k: int) -> object:
        self.calls.append(("rank", q, k))
        return list(range(self.size)) if self.answer is None else self.answer


class Marked:
    """A retriever that marks every hook there is for one."""

    def __init__(self) -> None:
        self.docs: list[str] = []

    @hookimpl
    def fit(self, docs: Sequence[str]) -> None:
        self.docs = list(docs)

    @hookimpl
    def rank(self, query: str) -> list[int]:
        return [at for at, doc in enumerate(self.docs) if query in doc]

    @hookimpl
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        wanted = range(len(self.docs)) if positions is None else positions
        return [float(self.docs[at].count(query)) for at in wanted]

    @hookimpl
    def best_score(self, query: str) -> float:
        return 9.0

    @hookimpl
    def extend(self, start: int, docs: Sequence[str]) -> None:
        self.docs[start:] = docs

    @hookimpl
    def ingest(self, start: int, docs: Sequence[str]) -> None:
        self.docs[start:] = docs


def never(turns: Sequence[Any]) -> list[int]:
    return []


def host_of(retriever: object, *plugins: object, boundaries: object = never, size: int = 0) -> PluginHost:
    host = PluginHost(retriever, boundaries, plugins)
    host.fit([f"text {number}" for number in range(size)])
    return host


# -- what can be taken --------------------------------------------------------------------------------------


def test_a_plain_object_is_called_by_position_whatever_its_arguments_are_called() -> None:
    retriever = Plain()
    host = host_of(retriever)
    host.fit(["one", "two"])
    assert host.rank("where?", limit=7, size=2) == [0, 1]
    assert retriever.calls[1:] == [("fit", ["one", "two"]), ("rank", "where?", 7)]


def test_a_rank_with_one_argument_gets_the_query() -> None:
    class Retriever:
        def fit(self, texts: Sequence[str]) -> None:
            pass

        def rank(self, question: str) -> list[int]:
            return [len(question)]

    assert host_of(Retriever()).rank("four", limit=1, size=5) == [4]


@pytest.mark.parametrize(
    ("rank", "received"),
    [
        (lambda q, k=3: (q, k), ("ask", 9)),
        (lambda q, k=None: (q, k), ("ask", 9)),
        (lambda q, exact=True: (q, exact), ("ask", True)),
        (lambda limit, query: (query, limit), ("ask", 9)),
        (lambda query, *, limit: (query, limit), ("ask", 9)),
        (lambda q, *, limit=2, loud=False: (q, limit, loud), ("ask", 9, False)),
        (lambda *both: both, ("ask", 9)),
        (lambda q, /, k: (q, k), ("ask", 9)),
        (partial(lambda prefix, q, k: (prefix + q, k), "> "), ("> ask", 9)),
    ],
)
def test_a_plain_rank_gets_query_and_limit_where_its_arguments_ask_for_them(
    rank: Callable[..., Any], received: tuple[object, ...]
) -> None:
    got: list[object] = []

    class Retriever:
        def fit(self, docs: Sequence[str]) -> None:
            pass

    retriever: Any = Retriever()
    retriever.rank = _recording(rank, got)
    host_of(retriever).rank("ask", limit=9, size=1)
    assert got == [received]


def _recording(rank: Callable[..., Any], got: list[object]) -> Callable[..., list[int]]:
    def recorded(*args: Any, **kwargs: Any) -> list[int]:
        got.append(rank(*args, **kwargs))
        return []

    recorded.__signature__ = inspect.signature(rank)  # type: ignore[attr-defined]
    return recorded


def test_a_module_can_be_a_retriever() -> None:
    module = types.ModuleType("alphabetical")
    exec("def fit(texts): pass\ndef rank(query, limit): return [0]", module.__dict__)
    assert host_of(module).rank("anything", limit=1, size=1) == [0]


def test_marked_hooks_take_the_arguments_they_name_and_leave_out_the_others() -> None:
    host = host_of(Marked())
    host.fit(["cat", "dog cat", "dog"])
    assert host.rank("dog", limit=5, size=3) == [1, 2]
    assert host.scores("dog", [2, 0], size=3) == [1.0, 0.0]
    assert host.scores("dog", None, size=3) == [0.0, 1.0, 1.0]
    assert host.best_score("dog") == 9.0
    host.extend(1, ["bird"])
    assert host.scores("bird", None, size=2) == [0.0, 1.0]


def test_what_a_retriever_has_beside_fit_and_rank_is_told_marked_or_not() -> None:
    class Optional(Plain):
        def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
            return []

        def extend(self, start: int, texts: Sequence[str]) -> None:
            pass

    def has(host: PluginHost) -> list[bool]:
        return [host.has_scores, host.has_best_score, host.has_extend, host.has_ingest]

    assert has(host_of(Plain())) == [False] * 4
    assert has(host_of(Marked())) == [True] * 4
    assert has(host_of(Optional())) == [True, False, True, False]


def test_a_hook_that_is_not_there_cannot_be_called() -> None:
    host = host_of(Plain())
    for call in (
        lambda: host.scores("q", None, 0),
        lambda: host.best_score("q"),
        lambda: host.extend(0, []),
        lambda: host.ingest(0, []),
    ):
        with pytest.raises(PluginError, match=r"plugin Plain has no (scores|best_score|extend|ingest)\("):
            call()


def test_scores_that_leave_out_positions_are_cut_to_the_positions_asked_for() -> None:
    class Retriever(Plain):
        def scores(self, query: str) -> list[float]:
            return [0.5, 1.5, 2.5]

    host = host_of(Retriever())
    assert host.scores("q", [2, 0], size=3) == [2.5, 0.5]
    assert host.scores("q", None, size=3) == [0.5, 1.5, 2.5]


def test_an_override_of_a_marked_hook_needs_no_mark_of_its_own() -> None:
    class Child(Marked):
        def rank(self, query: str) -> list[int]:
            return [0]

    assert host_of(Child()).rank("nothing that matches", limit=1, size=1) == [0]


def test_a_subclass_takes_a_hook_out_by_setting_it_to_none() -> None:
    class Child(Marked):
        scores = None  # type: ignore[assignment]

    assert not host_of(Child()).has_scores


def test_specname_says_which_hook_a_function_is() -> None:
    class Retriever:
        @hookimpl
        def fit(self, docs: Sequence[str]) -> None:
            pass

        @hookimpl(specname="rank")
        def by_length(self, query: str) -> list[int]:
            return [len(query)]

    assert host_of(Retriever()).rank("four", limit=1, size=9) == [4]


def test_the_plugins_are_given_back_as_they_were_given() -> None:
    retriever = Plain()
    host = PluginHost(retriever, never)
    assert host.retriever is retriever
    assert host.segmenter is never


def test_the_defaults_are_built_by_the_factories_given_and_go_through_the_same_door() -> None:
    built = Plain()
    host = PluginHost(builtins={"builtin": lambda: built, "counter": lambda: never})
    assert host.retriever is built
    assert host.segmenter is never
    named = PluginHost("builtin", "counter", builtins={"builtin": Plain, "counter": lambda: never})
    assert isinstance(named.retriever, Plain)
    broken = PluginHost(builtins={"builtin": lambda: Plain([3]), "counter": lambda: never})
    with pytest.raises(PluginError, match=r"'builtin' \(Plain\) of byheart answered rank"):
        broken.rank("q", limit=1, size=1)


def test_the_default_path_reads_no_entry_points() -> None:
    program = (
        "import sys, byheart.plugins as p; h = p.PluginHost(None, lambda turns: []); h.fit(['a']);"
        "h.rank('a', 1, 1); h.boundaries([]); print('importlib.metadata' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout == "False\n"


@pytest.mark.parametrize("wrong", [5, object(), [1, 2], lambda: None])
def test_what_has_no_fit_and_rank_is_refused_as_retriever(wrong: object) -> None:
    with pytest.raises(PluginError, match=r"cannot be taken as retriever=: it has no fit\(docs: Sequence\[str\]"):
        PluginHost(wrong, never)


def test_a_class_is_refused_with_the_advice_to_call_it() -> None:
    with pytest.raises(PluginError, match="Plain is a class, expected an instance"):
        PluginHost(Plain, never)
    with pytest.raises(PluginError, match="Plain is a class, expected an instance"):
        PluginHost(Plain(), never, [Plain])


@pytest.mark.parametrize("wrong", ["rerank", b"rerank", 5, {"rerank"}])
def test_plugins_must_be_a_list(wrong: Any) -> None:
    with pytest.raises(TypeError, match="plugins must be a list of names and objects, got"):
        PluginHost(Plain(), never, wrong)


# -- hooks that cannot work are refused when the plugin is taken --------------------------------------------


def test_a_wrong_argument_is_refused_with_hook_expected_and_found() -> None:
    class Retriever:
        @hookimpl
        def fit(self, docs: Sequence[str]) -> None:
            pass

        @hookimpl
        def rank(self, query: str, k: int) -> list[int]:
            return []

    with pytest.raises(PluginError) as refusal:
        PluginHost(Retriever(), never)
    message = str(refusal.value)
    assert "rank(query: str, limit: int) -> Sequence[int]" in message
    assert "found rank(query: str, k: int) -> list[int]: 'k' is not an argument of it" in message
    assert refusal.value.hook == "rank"
    assert refusal.value.plugin.endswith("Retriever")


def test_a_misspelled_marked_hook_is_refused_with_the_one_that_was_meant() -> None:
    class Wrapper:
        @hookimpl(wrapper=True)
        def scroes(self, query: str) -> Iterator[None]:
            yield

    with pytest.raises(PluginError, match=r"no hook 'scroes', found scroes\(query.*did you mean scores\(query") as no:
        PluginHost(Plain(), never, [Wrapper()])
    assert no.value.hook == "scroes"


def test_a_plain_method_with_a_name_like_a_hook_is_no_error() -> None:
    class Retriever(Plain):
        def score(self, anything: int) -> None:
            raise AssertionError("never called")

        def refit(self) -> None:
            raise AssertionError("never called")

    host = host_of(Retriever())
    assert not host.has_scores


def test_an_unknown_hook_marked_optional_is_left_alone() -> None:
    class Retriever(Plain):
        @hookimpl(optionalhook=True)
        def of_a_later_version(self, anything: int) -> None:
            raise AssertionError("never called")

    assert host_of(Retriever(), size=1).rank("q", limit=1, size=1) == [0]


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("rank", lambda self: []),
        ("rank", lambda self, q, k, z: []),
        ("rank", lambda self, q, *, secret: []),
        ("fit", lambda self: None),
        ("scores", lambda self, q, p, extra: []),
        ("extend", lambda self, texts: None),
        ("ingest", lambda self, texts: None),
    ],
)
def test_a_plain_hook_whose_arguments_cannot_fit_is_refused(name: str, method: Callable[..., Any]) -> None:
    retriever = type("Odd", (Plain,), {name: method})()
    with pytest.raises(PluginError, match=f"{name}.*found {name}.*the arguments do not fit") as refusal:
        PluginHost(retriever, never)
    assert refusal.value.hook == name


def test_a_hook_that_is_async_or_yields_without_being_a_wrapper_is_refused() -> None:
    class Async(Plain):
        async def rank(self, q: str, k: int) -> list[int]:  # type: ignore[override]
            return []

    class Yielding(Plain):
        def rank(self, q: str, k: int) -> Iterator[int]:
            yield 0

    class Unmarked:
        @hookimpl
        def rank(self, query: str) -> Iterator[None]:
            yield

    with pytest.raises(PluginError, match="rank is async, expected"):
        PluginHost(Async(), never)
    with pytest.raises(PluginError, match="rank yields, expected"):
        PluginHost(Yielding(), never)
    with pytest.raises(PluginError, match=r"rank yields.*@hookimpl\(wrapper=True\)"):
        PluginHost(Plain(), never, [Unmarked()])


def test_a_wrapper_that_never_yields_is_refused() -> None:
    class Wrapper:
        @hookimpl(wrapper=True)
        def rank(self, query: str, limit: int) -> list[int]:
            return []

    with pytest.raises(PluginError, match="marked wrapper=True but never yields"):
        PluginHost(Plain(), never, [Wrapper()])


def test_an_old_style_wrapper_is_refused_with_the_way_to_write_it() -> None:
    class Wrapper:
        @hookimpl(hookwrapper=True)
        def rank(self, query: str) -> Iterator[None]:
            yield

    with pytest.raises(PluginError, match="hookwrapper=True, expected wrapper=True"):
        PluginHost(Plain(), never, [Wrapper()])


@pytest.mark.parametrize("order", ["tryfirst", "trylast"])
def test_the_order_of_wrappers_is_that_of_the_list_and_nothing_else(order: str) -> None:
    class Wrapper:
        @hookimpl(wrapper=True, **{order: True})
        def rank(self, query: str) -> Iterator[Any]:
            return (yield)

    with pytest.raises(PluginError, match="the order is as listed"):
        PluginHost(Plain(), never, [Wrapper()])


def test_one_hook_implemented_twice_is_refused() -> None:
    class Retriever(Plain):
        @hookimpl(specname="rank")
        def one(self, query: str) -> list[int]:
            return []

        @hookimpl(specname="rank")
        def two(self, query: str) -> list[int]:
            return []

    with pytest.raises(PluginError, match=r"implements rank\(.*twice"):
        PluginHost(Retriever(), never)


# -- one retriever, one segmenter ---------------------------------------------------------------------------


def test_a_second_retriever_is_refused_and_so_is_a_part_of_one() -> None:
    class OnlyScores:
        @hookimpl
        def scores(self, query: str) -> list[float]:
            return []

    with pytest.raises(PluginError, match=r"second retriever beside Plain.*give it as retriever="):
        PluginHost(Plain(), never, [Marked()])
    with pytest.raises(PluginError, match="OnlyScores would be a second retriever"):
        PluginHost(Plain(), never, [OnlyScores()])


def test_a_second_segmenter_is_refused() -> None:
    class Segmenter:
        @hookimpl
        def boundaries(self, turns: Sequence[Any]) -> list[int]:
            return []

    class Both(Marked, Segmenter):
        pass

    with pytest.raises(PluginError, match=r"second segmenter beside never.*give it as boundaries="):
        PluginHost(Plain(), never, [Segmenter()])
    with pytest.raises(PluginError, match="Both would be a second segmenter"):
        PluginHost(Both(), never)


def test_one_object_may_be_retriever_and_segmenter() -> None:
    class Both(Marked):
        @hookimpl
        def boundaries(self, turns: Sequence[Any]) -> list[int]:
            return [len(turns)]

    one = Both()
    host = PluginHost(one)
    assert host.retriever is one
    assert host.segmenter is one
    assert host.boundaries(TURNS) == [4]
    two = Both()
    host = PluginHost(two, two)
    host.fit(["x"])
    assert (host.rank("x", 1, 1), host.boundaries(TURNS)) == ([0], [4])


def test_a_plugin_listed_twice_or_without_effect_is_refused() -> None:
    wrapper, retriever = Reverse(), Plain()
    with pytest.raises(PluginError, match="Reverse is given twice"):
        PluginHost(Plain(), never, [wrapper, wrapper])
    with pytest.raises(PluginError, match="Plain is given twice"):
        PluginHost(retriever, never, [retriever])
    with pytest.raises(PluginError, match="object has no effect in plugins="):
        PluginHost(Plain(), never, [object()])


def test_a_retriever_serves_one_memory_and_is_free_again_when_that_is_gone() -> None:
    retriever = Plain()
    host = PluginHost(retriever, never)
    with pytest.raises(PluginError, match="Plain already serves another memory: build one for each"):
        PluginHost(retriever, never)
    del host
    gc.collect()
    again = PluginHost(retriever, never)
    assert again.retriever is retriever


def test_a_retriever_refused_for_another_plugins_fault_stays_free() -> None:
    retriever = Plain()
    with pytest.raises(PluginError):
        PluginHost(retriever, never, [object()])
    assert PluginHost(retriever, never).retriever is retriever


def test_a_retriever_that_cannot_be_hashed_or_referenced_weakly_can_be_taken() -> None:
    class Retriever:
        __slots__ = ()
        __hash__ = None  # type: ignore[assignment]

        def fit(self, texts: Sequence[str]) -> None:
            pass

        def rank(self, query: str) -> list[int]:
            return []

    retriever = Retriever()
    host = PluginHost(retriever, never)
    with pytest.raises(PluginError, match="already serves"):
        PluginHost(retriever, never)
    assert host.rank("q", 1, 0) == []


def test_two_memories_may_share_a_segmenter_and_wrappers() -> None:
    wrapper = Reverse()
    assert host_of(Plain(), wrapper, size=2).rank("q", 2, 2) == [1, 0]
    assert host_of(Plain(), wrapper, size=3).rank("q", 3, 3) == [2, 1, 0]


def test_a_host_is_not_copied_for_its_copy_would_share_the_retriever() -> None:
    host = host_of(Plain())
    for attempt in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"save the memory with to_dict\(\)"):
            attempt(host)


# -- wrappers and rewriters ---------------------------------------------------------------------------------


class Reverse:
    @hookimpl(wrapper=True)
    def rank(self, query: str, limit: int) -> Iterator[Any]:
        answer = yield
        return answer[::-1]


def _appending(name: str, seen: list[str]) -> object:
    class Wrapper:
        @hookimpl(wrapper=True)
        def rank(self, query: str) -> Iterator[Any]:
            seen.append(f"{name} asks")
            answer = yield
            seen.append(f"{name} got {answer}")
            return [*answer, len(answer)]

    return Wrapper()


def test_the_last_listed_wrapper_is_outermost() -> None:
    seen: list[str] = []
    host = host_of(Plain([0]), _appending("first", seen), _appending("last", seen))
    assert host.rank("q", 1, size=9) == [0, 1, 2]
    assert seen == ["last asks", "first asks", "first got [0]", "last got [0, 1]"]


def test_wrappers_go_around_a_segmenter_and_around_fit() -> None:
    seen: list[str] = []

    class Wrapper:
        @hookimpl(wrapper=True)
        def boundaries(self, turns: Sequence[Any]) -> Iterator[Any]:
            answer = yield
            return [*answer, len(turns)]

        @hookimpl(wrapper=True)
        def fit(self, docs: Sequence[str]) -> Iterator[Any]:
            seen.extend(docs)
            yield

    host = host_of(Plain(), Wrapper(), boundaries=lambda turns: [1])
    host.fit(["a", "b"])
    assert host.boundaries(TURNS) == [1, 4]
    assert seen == ["a", "b"]


def test_a_wrapper_of_a_hook_that_the_retriever_lacks_is_never_called() -> None:
    class Wrapper:
        @hookimpl(wrapper=True)
        def scores(self, query: str) -> Iterator[Any]:
            raise AssertionError("never called")
            yield

    host = host_of(Plain(), Wrapper())
    assert not host.has_scores
    with pytest.raises(PluginError, match="Plain has no scores"):
        host.scores("q", None, 0)


def test_rewriters_follow_each_other_in_the_order_listed() -> None:
    class Shout:
        def rewrite(self, text: str) -> str:
            return text.upper()

    class Add:
        @hookimpl
        def rewrite(self, query: str) -> str:
            return query + " please"

    assert host_of(Plain()).rewrite("tea") == "tea"
    assert host_of(Plain(), Shout()).rewrite("tea") == "TEA"
    assert host_of(Plain(), Shout(), Add()).rewrite("tea") == "TEA please"
    assert host_of(Plain(), Add(), Shout()).rewrite("tea") == "TEA PLEASE"


def test_a_wrapper_of_rewrite_sees_the_question_the_ones_before_it_made() -> None:
    seen: list[str] = []

    class Add:
        def rewrite(self, query: str) -> str:
            return query + "!"

    class Trace:
        @hookimpl(wrapper=True)
        def rewrite(self, query: str) -> Iterator[Any]:
            answer = yield
            seen.append(f"{query} -> {answer}")
            return answer

    assert host_of(Plain(), Trace()).rewrite("tea") == "tea"
    assert host_of(Plain(), Add(), Trace(), type("Again", (Add,), {})()).rewrite("tea") == "tea!!"
    assert seen == ["tea -> tea", "tea -> tea!"]


def test_a_wrapper_can_answer_for_a_retriever_that_failed() -> None:
    class Fallback:
        @hookimpl(wrapper=True)
        def rank(self, query: str) -> Iterator[Any]:
            try:
                return (yield)
            except PluginError as error:
                caught.append(error.__cause__)
                return [0]

    caught: list[BaseException | None] = []
    assert host_of(Failing(), Fallback()).rank("q", 1, size=1) == [0]
    assert [type(cause) for cause in caught] == [ZeroDivisionError]


# -- what a plugin answers is checked -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "clause"),
    [
        (None, "expected a list of positions, got None"),
        (5, r"expected a list of positions, got 5 \(int\)"),
        ("012", r"expected a list of positions, got '012' \(str\)"),
        ({0, 1}, r"expected a list of positions, got \{0, 1\} \(set\)"),
        ({0: 1}, "expected a list of positions"),
        (iter([0]), "expected a list of positions"),
        ([3], r"position 3 is not from 0 to 2 \(the index holds 3 texts\)"),
        ([-1], "position -1 is not from 0 to 2"),
        ([0, 1, 0], "position 0 comes twice"),
        ([0.0], r"a position must be an int, got 0.0 \(float\)"),
        ([True], r"a position must be an int, got True \(bool\)"),
        (["0"], r"a position must be an int, got '0' \(str\)"),
        ([None], "a position must be an int, got None"),
        (np.array([0.0, 1.0]), "a position must be an int"),
        (np.array([True, False]), "a position must be an int, got True"),
        (np.array([[0, 1]]), r"a position must be an int, got \[0, 1\] \(list\)"),
        ([np.float64(1)], "a position must be an int"),
        ([np.bool_(True)], "a position must be an int"),
    ],
)
def test_nonsense_from_rank_is_a_plugin_error(answer: object, clause: str) -> None:
    class Retriever(Plain):
        def rank(self, q: str, k: int) -> object:
            return answer

    host = host_of(Retriever())
    with pytest.raises(PluginError, match=clause) as wrong:
        host.rank("q", 3, size=3)
    assert wrong.value.hook == "rank"
    assert "Retriever answered rank(query: str, limit: int)" in str(wrong.value)
    assert isinstance(wrong.value, ByheartError)


@pytest.mark.parametrize(
    "answer", [[2, 0], (2, 0), np.array([2, 0]), np.array([2, 0], dtype=np.uint8), [np.int32(2), np.int64(0)]]
)
def test_positions_are_taken_from_lists_tuples_and_arrays_as_plain_ints(answer: object) -> None:
    ranked = host_of(Plain(answer)).rank("q", 3, size=3)
    assert ranked == [2, 0]
    assert {type(position) for position in ranked} == {int}


@given(st.lists(st.integers(-2, 12) | st.booleans() | st.floats() | st.none(), max_size=8), st.integers(0, 10))
def test_rank_passes_exactly_the_lists_of_distinct_ints_inside_the_index(answer: list[object], size: int) -> None:
    host = host_of(Plain(answer))
    sound = all(type(item) is int and 0 <= item < size for item in answer) and len(set(answer)) == len(answer)
    if sound:
        assert host.rank("q", 1, size) == answer
    else:
        with pytest.raises(PluginError):
            host.rank("q", 1, size)


@pytest.mark.parametrize(
    ("answer", "clause"),
    [
        (None, "expected a list of scores, got None"),
        ([1.0], "expected 2 scores, one a text asked for, got 1"),
        ([1.0, float("nan")], r"score 1 must be a finite float, got nan"),
        ([float("-inf"), 1.0], r"score 0 must be a finite float, got -inf"),
        ([1.0, "2.0"], r"score 1 must be a finite float, got '2.0' \(str\)"),
        ([True, 1.0], r"score 0 must be a finite float, got True \(bool\)"),
        ([1.0, None], "score 1 must be a finite float, got None"),
        ([1.0, np.bool_(True)], "score 1 must be a finite float, got "),
        ([1.0, 10**400], "score 1 must be a finite float"),
        ([1.0, 1j], "score 1 must be a finite float"),
        (np.array([1.0, np.nan]), "score 1 must be a finite float"),
        (np.array([[1.0, 2.0], [1.0, 2.0]]), "score 0 must be a finite float"),
    ],
)
def test_nonsense_from_scores_is_a_plugin_error(answer: object, clause: str) -> None:
    class Retriever(Plain):
        def scores(self, query: str, positions: Sequence[int] | None) -> object:
            return answer

    host = host_of(Retriever())
    for positions in ([4, 1], None):
        with pytest.raises(PluginError, match=clause) as wrong:
            host.scores("q", positions, size=2)
        assert wrong.value.hook == "scores"


@pytest.mark.parametrize("answer", [[1, 0.5], (1.0, 0.5), np.array([1, 0.5], dtype=np.float32), [np.float16(1), 0.5]])
def test_scores_come_back_as_plain_floats(answer: object) -> None:
    class Retriever(Plain):
        def scores(self, query: str, positions: Sequence[int] | None) -> object:
            return answer

    scored = host_of(Retriever()).scores("q", None, size=2)
    assert scored == [1.0, 0.5]
    assert {type(score) for score in scored} == {float}


@pytest.mark.parametrize("answer", [None, "9", float("nan"), float("inf"), True, [1.0]])
def test_nonsense_from_best_score_is_a_plugin_error(answer: object) -> None:
    class Retriever(Plain):
        def best_score(self, query: str) -> object:
            return answer

    with pytest.raises(PluginError, match="the score must be a finite float") as wrong:
        host_of(Retriever()).best_score("q")
    assert wrong.value.hook == "best_score"


@pytest.mark.parametrize("answer", [None, b"tea", 5, ["tea"]])
def test_a_rewriter_must_answer_a_str(answer: object) -> None:
    class Rewriter:
        def rewrite(self, query: str) -> object:
            return answer

    with pytest.raises(PluginError, match=r"Rewriter answered rewrite.*expected a str") as wrong:
        host_of(Plain(), Rewriter()).rewrite("tea")
    assert wrong.value.hook == "rewrite"


@pytest.mark.parametrize(
    ("answer", "boundaries"),
    [(None, []), ([], []), ([4, 2], [2, 4]), ((1,), [1]), ({3, 1}, [1, 3]), (np.array([4, 1]), [1, 4])],
)
def test_boundaries_come_back_sorted_and_none_counts_as_empty(answer: object, boundaries: list[int]) -> None:
    assert host_of(Plain(), boundaries=lambda turns: answer).boundaries(TURNS) == boundaries


@pytest.mark.parametrize(
    ("answer", "clause"),
    [
        (3, r"expected a list of boundaries, got 3 \(int\)"),
        ([0], r"boundary 0 is not from 1 to 4 \(there are 4 turns\)"),
        ([5], "boundary 5 is not from 1 to 4"),
        ([2, 2], "boundary 2 comes twice"),
        ([1.0], "a boundary must be an int, got 1.0"),
        ([True], "a boundary must be an int, got True"),
    ],
)
def test_nonsense_from_a_segmenter_is_a_plugin_error_be_it_a_plugin_or_a_callable(answer: object, clause: str) -> None:
    class Segmenter:
        def boundaries(self, turns: Sequence[Any]) -> object:
            return answer

    def cut(turns: Sequence[Any]) -> object:
        return answer

    for segmenter in (Segmenter(), cut):
        with pytest.raises(PluginError, match=clause) as wrong:
            host_of(Plain(), boundaries=segmenter).boundaries(TURNS)
        assert wrong.value.hook == "boundaries"
    assert wrong.value.plugin == "cut"


@pytest.mark.parametrize("wrong", [5, [3, 7], object(), lambda: None, lambda turns, more: None])
def test_what_cannot_cut_turns_is_refused_as_segmenter(wrong: object) -> None:
    with pytest.raises(PluginError, match=r"boundaries\(turns"):
        PluginHost(Plain(), wrong)


# -- failures name the plugin -------------------------------------------------------------------------------


class Failing(Plain):
    def rank(self, q: str, k: int) -> object:
        return 1 / 0


def test_whatever_a_hook_raises_comes_out_as_a_plugin_error_with_its_cause() -> None:
    with pytest.raises(PluginError, match="plugin Failing failed in rank: ZeroDivisionError: division") as failure:
        host_of(Failing()).rank("q", 1, size=1)
    assert isinstance(failure.value.__cause__, ZeroDivisionError)
    assert (failure.value.plugin, failure.value.hook, failure.value.distribution) == ("Failing", "rank", None)


@pytest.mark.parametrize(
    "error",
    [TypeError("no"), ValueError("no"), StopIteration(), KeyError("no"), PluginError("no", plugin="x")],
)
def test_no_exception_of_any_hook_escapes_as_it_is(error: Exception) -> None:
    def fail(*args: object) -> Any:
        raise error

    class Retriever:
        def __init__(self) -> None:
            self.broken = False

        def __getattr__(self, name: str) -> Any:
            if name in SPECS and name != "boundaries":
                return self._run
            raise AttributeError(name)

        def _run(self, *args: object) -> Any:
            return fail() if self.broken else None

    retriever = Retriever()
    rewriter = types.SimpleNamespace(rewrite=fail)
    host = host_of(retriever, rewriter, boundaries=fail)
    retriever.broken = True
    calls: dict[str, Callable[[], object]] = {
        "fit": lambda: host.fit([]),
        "extend": lambda: host.extend(0, []),
        "ingest": lambda: host.ingest(0, []),
        "rank": lambda: host.rank("q", 1, 1),
        "scores": lambda: host.scores("q", None, 1),
        "best_score": lambda: host.best_score("q"),
        "rewrite": lambda: host.rewrite("q"),
        "boundaries": lambda: host.boundaries(TURNS),
    }
    assert set(calls) == set(SPECS)
    for hook, call in calls.items():
        with pytest.raises(PluginError, match=f"failed in {hook}: {type(error).__name__}") as failure:
            call()
        assert failure.value.hook == hook
        assert failure.value.__cause__ is error


def test_an_interrupt_passes_through() -> None:
    class Interrupted(Plain):
        def rank(self, q: str, k: int) -> object:
            raise KeyboardInterrupt

    host = host_of(Interrupted(), Reverse())
    with pytest.raises(KeyboardInterrupt):
        host.rank("q", 1, 1)


def _wrapper(rank: Callable[..., Any], name: str) -> object:
    return type(name, (), {"rank": hookimpl(rank, wrapper=True)})()


def _forgets(self: object, query: str) -> Iterator[Any]:
    yield


def _skips(self: object, query: str) -> Iterator[Any]:
    if query == "":
        yield
    return [0]


def _yields_twice(self: object, query: str) -> Iterator[Any]:
    answer = yield
    yield
    return answer


def _raises_before(self: object, query: str) -> Iterator[Any]:
    raise OSError("no disk")
    yield


def _raises_after(self: object, query: str) -> Iterator[Any]:
    yield
    raise OSError("no disk")


def _invents(self: object, query: str) -> Iterator[Any]:
    answer = yield
    return [*answer, 99]


@pytest.mark.parametrize(
    ("rank", "clause"),
    [
        (_forgets, r"got None \(did it forget to return it\?\)"),
        (_skips, "it returned before its yield"),
        (_yields_twice, "it yielded twice"),
        (_raises_before, "failed in rank: OSError: no disk"),
        (_raises_after, "failed in rank: OSError: no disk"),
        (_invents, "position 99 is not from 0 to 1"),
    ],
)
def test_the_wrapper_that_is_to_blame_is_named_wherever_it_stands(rank: Callable[..., Any], clause: str) -> None:
    culprit = _wrapper(rank, "Culprit")
    for listed in ([culprit, Reverse()], [Reverse(), culprit]):
        host = host_of(Plain(), *listed, size=2)
        with pytest.raises(PluginError, match=f"plugin Culprit .*{clause}") as wrong:
            host.rank("q", 2, size=2)
        assert wrong.value.plugin == "Culprit"
        assert wrong.value.hook == "rank"


def test_the_retriever_is_blamed_for_its_own_answer_not_the_wrapper_that_would_choke_on_it() -> None:
    class Retriever(Plain):
        def rank(self, q: str, k: int) -> object:
            return None

    with pytest.raises(PluginError, match=r"plugin .*Retriever answered rank"):
        host_of(Retriever(), Reverse()).rank("q", 1, size=1)


def test_every_hook_of_the_specification_is_known_with_its_arguments() -> None:
    specified = {
        name
        for owner in (hookspecs.RetrieverSpec, hookspecs.QuerySpec, hookspecs.SegmenterSpec)
        for name in vars(owner)
        if not name.startswith("_")
    }
    assert set(SPECS) == specified
    assert SPECS["rank"].arguments == ("query", "limit")
    assert SPECS["extend"].signature == "extend(start: int, docs: Sequence[str]) -> None"


# -- in a memory ------------------------------------------------------------------------------------------------


class Moody(Marked):
    """A retriever that fails while it is told to."""

    failing = False

    @hookimpl
    def ingest(self, start: int, docs: Sequence[str]) -> None:
        self._maybe_fail()
        super().ingest(start, docs)

    @hookimpl
    def fit(self, docs: Sequence[str]) -> None:
        self._maybe_fail()
        self.fitted = getattr(self, "fitted", 0) + 1
        super().fit(docs)

    def _maybe_fail(self) -> None:
        if self.failing:
            raise OSError("no disk")


def long_memory(**options: Any) -> Memory:
    memory = Memory(budget=300, chunk=20, **options)
    for number in range(20):
        memory.append("user", f"the cat number {number} sleeps on the sofa")
    return memory


def test_a_retriever_that_fails_fails_the_question_and_nothing_else() -> None:
    retriever = Moody()
    memory = long_memory(retriever=retriever)
    before = memory.to_dict()
    retriever.failing = True
    memory.append("user", "and the dog")
    memory.append("user", "barks at the cat number 3")
    assert len(memory) == 22, "append does not depend on the retriever"
    saved = memory.to_dict()
    with pytest.raises(PluginError, match="Moody failed in fit: OSError: no disk"):
        memory.compose("dog")
    assert memory.to_dict() == saved, "a question that failed leaves no trace"
    assert before["turns"] == saved["turns"][:20]
    retriever.failing = False
    assert 20 in memory.compose("dog")["included"]
    assert retriever.fitted == 1, "the index counted as stale and was fitted at the next question"


def test_a_segmenter_that_answers_nonsense_fails_the_append_and_nothing_is_written() -> None:
    memory = Memory(budget=300, chunk=20, boundaries=lambda turns: [99])
    with pytest.raises(PluginError, match="boundary 99 is not from 1 to 1"):
        memory.append("user", "long enough to be asked about, and then some more")
    assert len(memory) == 0
    assert memory.turns == []


def test_what_is_sent_stays_as_asked_where_the_query_is_rewritten() -> None:
    class Translate:
        def rewrite(self, query: str) -> str:
            return query.replace("chat", "cat number 7")

    memory = long_memory(retriever=Marked(), plugins=[Translate()])
    assert "number 7" in memory.search("chat", limit=1)[0]["text"]
    composed = memory.compose("chat")
    assert composed["messages"][-1]["parts"][-1]["text"] == "chat"
    assert 7 in composed["included"]


def test_a_retriever_without_scores_serves_selection_search_and_outside_material() -> None:
    def external(query: str) -> list[dict[str, str]]:
        return [{"text": "A turtle named Archimedes lives in the garden.", "source": "note"}]

    class Last(Plain):
        def rank(self, q: str, k: int) -> list[int]:
            return list(range(self.size))[::-1]

    memory = long_memory(retriever=Last(), external=external)
    assert memory.search("which?", limit=1)[0]["turns"][0] >= 18
    composed = memory.compose("where does the turtle Archimedes live?")
    assert 18 in composed["included"]
    assert any("Archimedes lives" in part["text"] for message in composed["messages"] for part in message["parts"])


def test_two_memories_do_not_share_a_retriever_but_one_may_follow_the_other() -> None:
    retriever = Marked()
    memory = Memory(retriever=retriever)
    with pytest.raises(PluginError, match="already serves another memory"):
        Memory(retriever=retriever)
    saved = memory.to_dict()
    del memory
    gc.collect()
    assert len(Memory.from_dict(saved, retriever=retriever)) == 0
