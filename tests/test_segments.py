"""Where stretches begin: at chunk, at a new day, around a long turn, or where a segmenter says; settled is settled."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byheart import Memory, PluginError
from byheart.counter import Counter

some = settings(max_examples=settings().max_examples * 2 // 5)

SHORT = "a turn of about thirty letters"


def said(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "text": text} for text in texts]


# the counter


@pytest.mark.parametrize(
    ("sizes", "cuts"),
    [
        ([], []),
        ([10], []),
        ([100], [1]),
        ([40, 70, 30], [2]),
        ([40, 70, 30, 80], [2, 4]),
        ([40, 250, 10], [1, 2]),
        ([250, 250], [1, 2]),
        ([0, 0, 70, 0, 1], [5]),
    ],
)
def test_the_counter_closes_a_stretch_at_chunk_and_leaves_a_long_turn_alone(sizes: list[int], cuts: list[int]) -> None:
    assert Counter(chunk=100).boundaries(said(*("x" * size for size in sizes))) == cuts


@pytest.mark.parametrize("chunk", [0, -1, float("nan")])
def test_the_counter_needs_a_positive_chunk(chunk: float) -> None:
    with pytest.raises(ValueError, match="chunk"):
        Counter(chunk=chunk)


def test_the_counter_counts_in_the_measure_it_is_given() -> None:
    counter = Counter(chunk=3, measure=lambda text: len(text.split()))
    assert counter.boundaries(said("one", "two and", "three four five six seven eight nine", "ten")) == [2, 3]


@given(st.lists(st.integers(0, 400), max_size=40))
def test_what_the_counter_settled_does_not_move_when_more_is_said(sizes: list[int]) -> None:
    counter = Counter(chunk=100)
    turns = said(*("x" * size for size in sizes))
    whole = counter.boundaries(turns)
    for length in range(len(turns)):
        assert [cut for cut in counter.boundaries(turns[:length]) if cut < length] == [
            cut for cut in whole if cut < length
        ]


# in a memory


def test_a_stretch_closes_once_it_holds_chunk() -> None:
    memory = Memory(chunk=100)
    for _number in range(30):
        memory.append("user", SHORT)
        starts = [*memory.bounds, len(memory)]
        assert all(hi - lo <= 7 for lo, hi in itertools.pairwise(starts))
    assert len(memory.bounds) >= 5


def test_a_long_turn_stands_alone() -> None:
    memory = Memory(chunk=100)
    memory.extend([("user", SHORT), ("assistant", "long " * 100), ("user", SHORT), ("user", SHORT)])
    assert memory.bounds == [0, 1, 2]


def test_bounds_do_not_depend_on_whether_turns_come_one_by_one() -> None:
    turns = [("user", "x" * (7 * number % 90), f"{1 + number // 10} May 2023") for number in range(80)]
    together, apart = Memory(chunk=150), Memory(chunk=150)
    together.extend(turns)
    for turn in turns:
        apart.append(*turn)
    assert together.bounds == apart.bounds


@pytest.mark.parametrize(
    ("whens", "bounds"),
    [
        (["8 May 2023", "8 May 2023, 17:00", "2023-05-08", "9 May 2023"], [0, 3]),
        (["8 May 2023", None, None, "9 May 2023"], [0, 3]),
        (["8 May 2023", None, None, "8 May 2023"], [0]),
        ([None, None, "8 May 2023", "8 May 2023"], [0]),
        (["soon", "soon", "later", "soon"], [0, 2, 3]),
        (["soon", "8 May 2023"], [0, 1]),
        (["03/04/2023", "03/04/2023", "04/04/2023"], [0, 2]),
        (["8 May 2023"] * 4, [0]),
        (["9 May 2023", "8 May 2023"], [0, 1]),
    ],
)
def test_a_stretch_ends_where_the_day_changes_as_it_is_read_or_else_as_it_was_given(
    whens: list[str | None], bounds: list[int]
) -> None:
    memory = Memory()
    memory.extend([("user", "hi", when) for when in whens])
    assert memory.bounds == bounds


def test_the_day_of_the_turn_before_counts_after_a_restart_and_after_forgetting() -> None:
    memory = Memory()
    memory.extend([("user", "a", "8 May 2023"), ("user", "b", None), ("user", "c", "9 May 2023"), ("user", "d", None)])
    restored = Memory.from_dict(memory.to_dict())
    for each in (memory, restored):
        each.append("user", "e", "9 May 2023")
        assert each.bounds == [0, 2]
        each.append("user", "f", "10 May 2023")
        assert each.bounds == [0, 2, 5]
        each.truncate(2)
        each.append("user", "g", "8 May 2023")
        assert each.bounds == [0]
        each.append("user", "h", "9 May 2023")
        assert each.bounds == [0, 3]


def test_an_unreadable_day_that_was_redacted_is_forgotten_as_a_day_too() -> None:
    memory = Memory()
    memory.append("user", "a", "the day of the secret")
    memory.redact(0)
    memory.append("user", "b", "another day")
    assert "secret" not in str(memory.to_dict())
    assert memory.bounds == [0]


# a segmenter


def test_a_segmenter_sees_only_the_open_stretch_and_only_once_it_is_long_enough() -> None:
    seen: list[list[str]] = []

    def halves(turns: Sequence[Any]) -> list[int]:
        seen.append([turn["text"] for turn in turns])
        return [len(turns) // 2] if len(turns) >= 4 else []

    memory = Memory(chunk=300, boundaries=halves)
    for number in range(80):
        memory.append("user", f"{SHORT}, number {number}")
        if seen and seen[-1][-1].endswith(f" {number}"):
            assert sum(map(len, seen[-1])) >= 200
    assert len(memory.bounds) > 3
    assert memory.bounds == sorted(set(memory.bounds))
    assert max(map(len, seen)) < 20
    starts = {texts[0] for texts in seen}
    assert starts <= {memory.turns[bound]["text"] for bound in memory.bounds}


def test_after_an_empty_answer_a_segmenter_is_asked_only_when_another_chunk_has_come() -> None:
    calls: list[int] = []
    memory = Memory(chunk=200, boundaries=lambda turns: calls.append(len(turns)) or [])
    memory.extend([("user", SHORT)] * 100)
    assert memory.bounds == [0]
    assert 8 <= len(calls) <= 20
    assert min(after - before for before, after in itertools.pairwise(calls)) >= 4


def test_a_segmenter_is_not_asked_about_a_short_conversation() -> None:
    calls: list[int] = []
    memory = Memory(chunk=10_000, boundaries=lambda turns: calls.append(1) or [])
    memory.extend([("user", "a short turn")] * 30)
    assert calls == []


def test_when_a_segmenter_was_asked_last_is_part_of_what_is_saved() -> None:
    calls: list[int] = []
    memory = Memory(chunk=200, boundaries=lambda turns: calls.append(len(turns)) or [])
    twin_calls: list[int] = []
    twin = Memory(chunk=200, boundaries=lambda turns: twin_calls.append(len(turns)) or [])
    for _ in range(40):
        memory.append("user", SHORT)
        twin.append("user", SHORT)
        memory = Memory.from_dict(memory.to_dict(), chunk=200, boundaries=lambda turns: calls.append(len(turns)) or [])
    assert calls == twin_calls


def test_what_a_segmenter_closed_stays_closed_after_a_restart() -> None:
    memory = Memory(chunk=20, boundaries=lambda turns: [len(turns)])
    memory.append("user", SHORT)
    restored = Memory.from_dict(memory.to_dict(), chunk=20, boundaries=lambda turns: [])
    restored.append("user", "x")
    assert restored.bounds == [0, 1]


@pytest.mark.parametrize("answer", [[3], {1, 3}, (1, 3), None, range(1, 3), [2, 1]])
def test_a_segmenter_may_answer_in_any_plain_shape(answer: Any) -> None:
    memory = Memory(chunk=90, boundaries=lambda turns: answer if len(turns) == 3 else [])
    memory.extend([("user", SHORT)] * 3)
    assert memory.bounds == [0, *sorted(cut for cut in answer or () if cut < 3)]


@pytest.mark.parametrize("answer", [[0], [-1], [4], [1, 1], [1.5], ["1"], [True], "1", 1])
def test_an_answer_that_no_stretches_can_have_is_refused_and_nothing_is_written(answer: Any) -> None:
    memory = Memory(chunk=90, boundaries=lambda turns: answer if len(turns) == 3 else [])
    memory.extend([("user", SHORT)] * 2)
    before = memory.to_dict()
    with pytest.raises(PluginError, match="boundaries"):
        memory.append("user", SHORT)
    assert memory.to_dict() == before


def test_changing_the_turns_it_is_given_gives_a_segmenter_no_hold_on_the_log() -> None:
    def vandal(turns: Any) -> list[int]:
        for turn in turns:
            turn["text"] = "vandalised"
        turns.clear()
        return []

    memory = Memory(chunk=30, boundaries=vandal)
    memory.extend([("user", SHORT)] * 3)
    assert {turn["text"] for turn in memory.turns} == {SHORT}


@some
@given(st.lists(st.lists(st.integers(1, 9), max_size=3), min_size=1, max_size=12))
def test_settled_boundaries_never_move_whatever_a_segmenter_answers(answers: list[list[int]]) -> None:
    asked = iter(answers)

    def any_cuts(turns: Sequence[Any]) -> list[int]:
        return sorted({cut for cut in next(asked, []) if cut <= len(turns)})

    memory = Memory(chunk=60, boundaries=any_cuts)
    before: list[int] = [0]
    for _ in range(30):
        memory.append("user", SHORT)
        assert memory.bounds[: len(before)] == before
        before = memory.bounds


def test_forgetting_turns_forgets_the_stretches_that_began_with_them() -> None:
    memory = Memory(chunk=100)
    memory.extend([("user", SHORT)] * 30)
    bounds = memory.bounds
    for length in (25, 17, 8, 1):
        memory.truncate(length)
        assert memory.bounds == [bound for bound in bounds if bound < length]


def test_a_turn_that_is_said_anew_lands_where_the_first_one_did(talk: Callable[..., Memory]) -> None:
    memory = Memory(chunk=100)
    memory.extend([("user", SHORT)] * 30)
    for _ in range(30):
        before = memory.bounds
        memory.truncate(len(memory) - 1)
        memory.append("user", SHORT)
        assert memory.bounds == before
        memory.append("assistant", SHORT)
