"""Intervals over conversations."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import statistics

cells = st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.floats(0, 10), st.integers(1, 10)), min_size=1)


@given(cells)
def test_the_mean_is_over_values_and_lies_in_its_interval_with_equal_conversations(
    made: dict[str, tuple[float, int]],
) -> None:
    found = statistics.mean(made, resamples=50)
    total, count = sum(t for t, _ in made.values()), sum(n for _, n in made.values())
    assert math.isclose(found.value, total / count, abs_tol=1e-12)
    assert found.count == count
    assert found.low <= found.high


@given(cells)
def test_a_system_less_itself_is_nothing_with_no_interval(made: dict[str, tuple[float, int]]) -> None:
    found = statistics.difference(made, made, resamples=50)
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)


def test_conversations_that_agree_leave_no_interval_and_those_that_differ_do() -> None:
    same = statistics.mean({"a": (1.0, 2), "b": (2.0, 4)})
    assert same.low == same.value == same.high == 0.5
    apart = statistics.mean({"a": (0.0, 2), "b": (4.0, 4)})
    assert apart.low == 0.0
    assert apart.high == 1.0


def test_a_difference_every_conversation_shows_is_sure_however_far_they_are_apart() -> None:
    ours = {"a": (1.1, 1), "b": (5.1, 1), "c": (9.1, 1)}
    theirs = {"a": (1.0, 1), "b": (5.0, 1), "c": (9.0, 1)}
    assert statistics.mean(ours).low < statistics.mean(theirs).high
    less = statistics.difference(ours, theirs)
    assert less.low == pytest.approx(0.1)
    assert less.high == pytest.approx(0.1)


def test_different_conversations_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="same conversations"):
        statistics.difference({"a": (1.0, 1)}, {"b": (1.0, 1)})


def test_the_same_values_give_the_same_interval_each_time() -> None:
    made = {name: (float(n), 3) for n, name in enumerate("abcdef")}
    assert statistics.mean(made) == statistics.mean(made)


def test_no_values_are_not_a_number_rather_than_an_error() -> None:
    assert math.isnan(statistics.mean({}).value)


def test_a_share_has_wilsons_interval_which_is_not_empty_where_all_or_none_are_right() -> None:
    eight = statistics.proportion(8, 10)
    assert (round(eight.low, 3), round(eight.high, 3)) == (0.490, 0.943)  # as tables of it have it
    assert statistics.proportion(0, 10).high == pytest.approx(1 - statistics.proportion(10, 10).low)
    assert statistics.proportion(0, 10).low == 0.0
    assert math.isnan(statistics.proportion(0, 0).value)


def test_values_of_one_conversation_have_the_interval_of_their_standard_error() -> None:
    spread = statistics.spread([0.0, 0.5, 0.5, 1.0] * 25)
    assert spread.value == 0.5
    # standard deviation sqrt(0.125 * 100 / 99), over ten
    assert spread.high - spread.value == pytest.approx(1.96 * math.sqrt(0.125 * 100 / 99) / 10)
    assert statistics.spread([1.0, 0.9]).high == 1.0
    assert math.isnan(statistics.spread([]).value)
