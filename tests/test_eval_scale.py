"""The scale benchmark measures what it says, on text that is what it says."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import scale, scale_worker, zipf


def test_text_is_the_same_for_a_seed_and_another_for_another() -> None:
    one, same, other = (zipf.Text(seed) for seed in (1, 1, 2))
    turns = [one.turn() for _ in range(50)]
    assert [same.turn() for _ in range(50)] == turns
    assert [other.turn() for _ in range(50)] != turns
    assert one.question() == same.question()


def test_a_turn_has_about_a_hundred_and_fifty_characters_and_words_grow_as_the_root_of_what_is_said() -> None:
    text = zipf.Text(3)
    turns = [text.turn() for _ in range(8_000)]
    assert sum(map(len, turns)) / len(turns) == pytest.approx(150, abs=10)
    known: set[str] = set()
    vocabulary = []
    for count in (500, 2_000, 8_000):
        known.update(word for turn in turns[:count] for word in turn.split())
        vocabulary.append((count, len(known)))
    growth = [math.log(b / a) / math.log(4) for (_, a), (_, b) in pairwise(vocabulary)]
    assert all(0.4 < each < 0.8 for each in growth)


def test_tiled_turns_come_round_again() -> None:
    tiled = zipf.Tiled(["one", "two"], ["why?"], seed=1)
    assert [tiled.turn() for _ in range(5)] == ["one", "two", "one", "two", "one"]
    assert tiled.question() == "why?"


@given(st.floats(-2, 2), st.floats(0.1, 100), st.lists(st.integers(1, 10**6), min_size=2, max_size=6, unique=True))
def test_the_slope_of_a_power_law_is_its_exponent(exponent: float, factor: float, sizes: list[int]) -> None:
    assert scale.slope([(size, factor * size**exponent) for size in sizes]) == pytest.approx(exponent, abs=1e-4)


class Noting:
    """A system that notes what it is asked to do."""

    def __init__(self) -> None:
        self.appended: list[int] = []
        self.asked = 0
        self.loaded = False

    def append(self, number: int, text: str) -> None:
        self.appended.append(number)

    def ask(self, question: str) -> None:
        self.asked += 1

    def save(self, folder: object) -> None:
        assert not self.loaded

    def load(self, folder: object) -> None:
        self.loaded = True

    def close(self) -> None:
        pass


def test_every_step_is_measured_on_turns_in_order() -> None:
    system = Noting()
    took = scale_worker.measure(system, zipf.Text(1), 30, seconds=0)
    assert set(took) == {"characters", "resident", *scale.STEPS}
    assert system.appended == list(range(len(system.appended)))
    assert len(system.appended) == 30 + 2 * 3
    assert system.loaded


@pytest.mark.parametrize("name", ["byheart", "SQLite FTS5"])
def test_a_system_answers_in_its_benchmark(name: str) -> None:
    with contextlib.closing(scale_worker.SYSTEMS[name]()) as system:
        took = scale_worker.measure(system, zipf.Text(1), 200, seconds=0)
    assert all(took[key] >= 0 for key in ("append", "first", "warm", "both"))
    assert took["characters"] == sum(map(len, _turns(200, after=40)))


def _turns(count: int, after: int) -> Sequence[str]:
    text = zipf.Text(1)
    for _ in range(after):
        text.question()
    return [text.turn() for _ in range(count)]
