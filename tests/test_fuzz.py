"""A part of ``python -m eval fuzz``, and what it has found so far, each with the kind it stands for."""

from __future__ import annotations

import copy
import io
import random
import sys
import unicodedata
import warnings
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from byheart import Memory, SnapshotError, adapters
from byheart.tokens import fold

targets = pytest.importorskip("eval.fuzz_targets", reason="the folder eval is not importable here")
inputs = pytest.importorskip("eval.fuzz_inputs")

_FEWER = {"lives": 30, "dates": 30, "hook answers": 20, "SQLite files": 15}


@pytest.mark.parametrize("name", targets.TARGETS)
def test_inputs_of_every_kind_are_taken_or_refused_as_documented(name: str, effort: Callable[[int], int]) -> None:
    if name == "vector files":
        pytest.importorskip("numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(effort(_FEWER.get(name, 150))):
            targets.TARGETS[name][0](random.Random(f"tests/{name}/{number}"))


def test_a_promise_that_is_broken_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "mark", lambda text, notes: text[1:])
    with pytest.raises(targets.BrokenError, match="changed the words"):
        targets.date_text("last Friday", None, ("en",), 738_648)


# numbers that no float has, and values that cannot be shown


@pytest.mark.parametrize("option", ["budget", "chunk", "stability", "ceiling", "fill", "external_margin"])
@pytest.mark.parametrize("number", [10**400, -(10**400), 10**5000, float("inf"), float("nan")], ids="abcde")
def test_a_number_beyond_all_floats_is_no_option(option: str, number: Any) -> None:
    with pytest.raises(ValueError, match=f"{option} must be a number"):
        Memory(**{option: number})


def test_a_measure_beyond_all_floats_is_refused() -> None:
    with pytest.raises(ValueError, match="measure must return a number"):
        Memory(measure=lambda text: 10**400)


@pytest.mark.parametrize("budget", [5e-324, 1e-300, 1e-9, 1.0, 1e308, sys.float_info.max])
@pytest.mark.parametrize("chunk", [None, 5e-324, 1e308])
def test_any_positive_budget_answers_and_comes_to_an_end(budget: float, chunk: float | None) -> None:
    memory = Memory(budget=budget, chunk=chunk)
    memory.extend([("user", "the cat likes tuna"), ("assistant", "it does")] * 5)
    assert memory.compose("what does the cat like?")["messages"][-1]["parts"][0]["text"] == "what does the cat like?"
    assert memory.search("tuna")


class Unshowable:
    def __repr__(self) -> str:
        raise ZeroDivisionError

    def __hash__(self) -> int:
        return 1


def nested() -> list[Any]:
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return found


@pytest.mark.parametrize("make", [lambda: 10**5000, Unshowable, nested], ids=["a huge int", "no repr", "nested"])
def test_what_cannot_be_shown_in_a_message_is_refused_as_anything_else_is(make: Callable[[], Any]) -> None:
    wrong = make()
    memory = Memory(external=lambda query: wrong)
    memory.append("user", "hello")
    calls: list[tuple[type, Callable[[], object]]] = [
        (TypeError, lambda: memory.append(wrong, "hi")),
        (TypeError, lambda: memory.append("user", "hi", wrong)),
        (TypeError, lambda: memory.compose("hello?")),
        (TypeError, lambda: memory.search(wrong)),
        (TypeError, lambda: memory.redact_matching(wrong)),
        (TypeError, lambda: Memory(measure=wrong)),
        (TypeError, lambda: Memory(languages=[wrong])),
        (TypeError, lambda: Memory(day_first=wrong)),
        (SnapshotError, lambda: Memory.from_dict({"turns": [], "version": wrong})),
        (SnapshotError, lambda: Memory.from_dict({"turns": [wrong]})),
        (SnapshotError, lambda: Memory.from_dict({"turns": [], "context": wrong})),
        (SnapshotError, lambda: Memory.from_dict({"turns": [{"role": "user", "text": wrong}]})),
    ]
    for expected, call in calls:
        with pytest.raises(expected):
            call()
    if not isinstance(wrong, int):
        with pytest.raises(TypeError):
            memory.redact(wrong)
        with pytest.raises(SnapshotError):
            Memory.from_dict({"turns": [], "asked": wrong})
    else:
        with pytest.raises(IndexError):
            memory.redact(wrong)
    while isinstance(wrong, list) and wrong:  # or taking it apart overflows the stack of older Pythons
        wrong = wrong.pop()


def test_a_snapshot_with_a_number_beyond_all_floats_is_refused() -> None:
    with pytest.raises(SnapshotError, match="asked must be a number"):
        Memory.from_dict({"turns": [], "asked": 10**400})


@pytest.mark.parametrize("outcome", [10**5000, None, [], {"OK": 1}], ids=["a huge int", "None", "a list", "a dict"])
def test_an_outcome_that_is_no_str_is_no_success(outcome: Any) -> None:
    parts = [{"executableCode": {"code": "1"}}, {"codeExecutionResult": {"outcome": outcome, "output": "18"}}]
    messages = [{"role": "model", "parts": parts}]
    data = [{"role": "user", "parts": [{"inlineData": {"mimeType": outcome, "data": "x"}}]}]
    assert "[tool error: " in adapters.gemini.read(messages)[0]["text"]
    assert adapters.gemini.read(data)[0]["text"].startswith("[file")


# floods


@pytest.mark.parametrize(
    "marks", ["\u0301", "\u0323\u0301", "\u0301\u0323", "\u05b0\u0591", "\u0951\u0952", "\U0001d165\u0301"]
)
def test_a_flood_of_marks_is_read_in_linear_time(marks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python puts marks in order by the square of how many follow each other: so never many may."""
    longest = 0
    normalize = unicodedata.normalize

    def watched(form: Any, text: str) -> str:
        nonlocal longest
        in_order = groupby(text, key=lambda character: unicodedata.combining(character) > 0)
        longest = max(longest, *(sum(1 for _ in run) for combines, run in in_order if combines), 0)
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", watched)
    memory = Memory(budget=2_000)
    flood = "cafe" + marks * 20_000 + " and tuna"
    memory.append("user", flood, when="8 May 2023")
    memory.append("assistant", flood)
    memory.compose("what of the " + flood)
    assert memory.search("tuna")
    assert memory.turns[0]["text"] == flood
    assert 0 < longest <= 200  # the opening of a turn is looked at closely, the rest has thirty in a row at most


def test_a_few_marks_stay_what_they_are() -> None:
    assert fold("cafe\u0301") == fold("caf\xe9") == "cafe"
    assert fold("हिन्दी") != fold("हनद")


# files


def test_a_file_of_vectors_that_claims_to_be_encrypted_is_refused(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    from byheart_dense import files

    probe = np.ones((1, 2), dtype=np.float32)
    file = tmp_path / "vectors.npz"
    files.save(file, {"model": "m"}, {}, probe)
    sound = file.read_bytes()
    for flag in (0x01, 0x40):  # of the first entry in the directory, and of its own head
        data = bytearray(sound)
        directory = data.index(b"PK\x01\x02")
        data[6] |= flag
        data[directory + 8] |= flag
        file.write_bytes(data)
        with pytest.raises(SnapshotError):
            files.load(file, {"model": "m"}, probe)


def test_damage_is_drawn_alike_by_everyone_and_leaves_what_is_damaged_alone() -> None:
    for make in (inputs.snapshot, lambda: inputs.provider_messages()["gemini"]):
        data = make()
        before = copy.deepcopy(data)
        drawn = [inputs.damaged(random.Random(number), data) for number in range(200)]
        assert data == before
        assert sum(each != before for each in drawn) > 190
    sound = io.BytesIO(inputs.chat_files()[0]).getvalue()
    assert inputs.damaged_bytes(random.Random(1), sound) == inputs.damaged_bytes(random.Random(1), sound) != sound
