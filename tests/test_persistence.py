"""Saved as plain JSON and loaded exactly: the same turns, stretches and bytes to send; what is not sound is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byheart import ByheartError, Memory, SnapshotError

some = settings(max_examples=settings().max_examples * 2 // 5)

Talk = Callable[..., Memory]


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data, allow_nan=False))


def test_a_memory_survives_json_and_answers_alike(talk: Talk) -> None:
    memory = talk({"cats": 20, "boats": 20}, budget=1_000)
    before = memory.compose("boats?")
    restored = Memory.from_dict(through_json(memory.to_dict()), budget=1_000)
    assert restored.turns == memory.turns
    assert restored.bounds == memory.bounds
    after = restored.compose("boats?")
    assert not after["reselected"], "the provider's cache would be lost"
    assert after["messages"] == before["messages"]


def test_what_is_said_and_asked_after_a_restart_goes_on_as_if_there_had_been_none(talk: Talk) -> None:
    lived = talk({"cats": 20, "boats": 20}, budget=1_000)
    twin = talk({"cats": 20, "boats": 20}, budget=1_000)
    for number in range(25):
        query = f"number {number}: {('cats', 'boats', 'why')[number % 3]}?"
        assert lived.compose(query) == twin.compose(query)
        for memory in (lived, twin):
            memory.append("user", query, when=f"{1 + number} May 2023")
            memory.append("assistant", f"about {number}: " + "so it goes. " * (1 + 40 * (number % 8 == 7)))
        lived = Memory.from_dict(through_json(lived.to_dict()), budget=1_000)
        assert lived.bounds == twin.bounds


@some
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant"]),
            st.text(max_size=80),
            st.sampled_from([None, "8 May 2023", "03/04/2023", "29/12/2022", "12/30/2022", "soon", "31/13/2023"]),
        ),
        max_size=25,
    ),
    st.data(),
)
def test_any_conversation_is_loaded_exactly(turns: list[Any], data: st.DataObject) -> None:
    memory = Memory(budget=300)
    memory.extend(turns)
    memory.compose("something?")
    for _ in range(data.draw(st.integers(0, 2)) if turns else 0):
        memory.redact(data.draw(st.integers(0, len(turns) - 1)))
    saved = memory.to_dict()
    restored = Memory.from_dict(through_json(saved), budget=300)
    assert restored.to_dict() == saved
    assert restored.compose("something?") == memory.compose("something?")


def test_what_to_dict_returned_may_be_changed_without_harm(talk: Talk) -> None:
    memory = talk({"cats": 20}, budget=600)
    memory.compose("cats?")
    before = through_json(memory.to_dict())
    saved = memory.to_dict()
    saved["turns"][0]["text"] = "smuggled"
    saved["turns"].clear()
    saved["bounds"].append(3)
    saved["context"]["pieces"].clear()
    saved["context"]["upto"] = 99
    assert through_json(memory.to_dict()) == before


def test_what_from_dict_is_given_may_be_changed_afterwards(talk: Talk) -> None:
    data = through_json(talk({"cats": 20}, budget=600).to_dict())
    kept = copy.deepcopy(data)
    memory = Memory.from_dict(data, budget=600)
    data["turns"][0]["text"] = "smuggled"
    data["bounds"].append(3)
    assert through_json(memory.to_dict()) == kept


def test_an_empty_memory_is_saved_and_loaded() -> None:
    memory = Memory.from_dict(through_json(Memory().to_dict()))
    assert memory.turns == []
    assert memory.bounds == [0]
    assert memory.compose("hello?")["mode"] == "passthrough"


def test_no_version_reads_as_version_one_and_foreign_fields_are_left_alone() -> None:
    data = {
        "turns": [{"role": "user", "text": "hello", "when": None, "mood": "good"}],
        "made_by": {"name": "something else", "at": [1, 2]},
        "selection": [[0, 8]],
    }
    memory = Memory.from_dict(data)
    assert memory.turns == [{"role": "user", "text": "hello", "when": None}]
    assert memory.compose("and?")["included"] == [0]


GOOD: dict[str, Any] = {
    "version": 1,
    "turns": [
        {"role": "user", "text": "hello", "when": "8 May 2023"},
        {"role": "assistant", "text": "hi", "when": None},
    ],
    "bounds": [0],
    "closed": False,
    "asked": 0.0,
    "redacted": [],
    "context": {
        "complete": True,
        "upto": 2,
        "pieces": [
            {"recalled": False, "dated": True, "turns": [[0, 1]], "excerpts": []},
            {"recalled": False, "dated": False, "turns": [[1, 2]], "excerpts": []},
        ],
    },
}


def test_the_data_that_the_next_tests_break_is_sound() -> None:
    assert Memory.from_dict(GOOD).to_dict() == GOOD


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ((), None, "data"),
        ((), [1], "data"),
        ((), "{}", "data"),
        (("version",), 99, "version"),
        (("version",), "1", "version"),
        (("version",), True, "version"),
        (("version",), None, "version"),
        (("turns",), None, "turns"),
        (("turns",), {}, "turns"),
        (("turns",), "ab", "turns"),
        (("turns", 1), "hi", "turns[1]"),
        (("turns", 1), {"role": "user", "when": None}, "turns[1].text"),
        (("turns", 1), {"text": "x"}, "turns[1].role"),
        (("turns", 1, "text"), float("nan"), "turns[1].text"),
        (("turns", 1, "text"), None, "turns[1].text"),
        (("turns", 1, "role"), "system", "turns[1].role"),
        (("turns", 1, "role"), 3, "turns[1].role"),
        (("turns", 1, "when"), 25, "turns[1].when"),
        (("bounds",), "0", "bounds"),
        (("bounds",), {}, "bounds"),
        (("redacted",), 5, "redacted"),
        (("asked",), "much", "asked"),
        (("asked",), float("nan"), "asked"),
        (("asked",), float("inf"), "asked"),
        (("context",), [], "context"),
        (("context",), {"pieces": None, "upto": 0}, "context"),
        (("context", "upto"), 3, "context.upto"),
        (("context", "upto"), -1, "context.upto"),
        (("context", "upto"), None, "context.upto"),
        (("context", "pieces", 0), 5, "context.pieces[0]"),
        (("context", "pieces", 0), {}, "context.pieces[0]"),
        (("context", "pieces", 0, "turns"), [[0, 2]], "context.pieces[0]"),
        (("context", "pieces", 0, "turns"), [[0, 3]], "context.pieces[0].turns"),
        (("context", "pieces", 0, "turns"), [[1, 1]], "context.pieces[0].turns"),
        (("context", "pieces", 0, "turns"), [[-1, 1]], "context.pieces[0].turns"),
        (("context", "pieces", 0, "turns"), [0], "context.pieces[0].turns"),
        (("context", "pieces", 0, "turns"), 0, "context.pieces[0].turns"),
        (("context", "pieces", 0, "excerpts"), [5], "context.pieces[0].excerpts"),
        (("context", "pieces", 0, "excerpts"), [{"turn": 7, "spans": [[0, 1]]}], "context.pieces[0].excerpts"),
        (("context", "pieces", 0, "excerpts"), [{"turn": 1, "spans": []}], "context.pieces[0].excerpts"),
        (("context", "pieces", 0, "excerpts"), [{"turn": 1, "spans": [[3, 2]]}], "context.pieces[0].excerpts"),
        (("context", "pieces", 0, "excerpts"), [{"turn": 1, "spans": [[0, 2], [1, 3]]}], "context.pieces[0].excerpts"),
        (("context", "pieces", 0, "excerpts"), [{"turn": 1, "spans": 3}], "context.pieces[0].excerpts.spans"),
    ],
)
def test_data_that_is_not_sound_is_refused_with_the_field_that_is_wrong(
    path: tuple[Any, ...], value: Any, field: str
) -> None:
    data = copy.deepcopy(GOOD)
    if path:
        where: Any = data
        for step in path[:-1]:
            where = where[step]
        where[path[-1]] = value
    else:
        data = value
    with pytest.raises(SnapshotError) as caught:
        Memory.from_dict(data)
    assert caught.value.field == field
    assert field in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ByheartError)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*GOOD, "pieces", "turn", "spans", "x"]), inner)
    ),
    max_leaves=8,
)


@given(st.sampled_from([*GOOD, "text", "role", "when", "pieces", "upto", "recalled", "dated", "excerpts"]), JSON)
def test_whatever_stands_in_a_field_is_loaded_or_refused_and_never_fails_otherwise(field: str, value: Any) -> None:
    data = copy.deepcopy(GOOD)

    def put(where: Any) -> None:
        if isinstance(where, dict):
            for inner in where.values():
                put(inner)
            if field in where:
                where[field] = copy.deepcopy(value)
        elif isinstance(where, list):
            for inner in where:
                put(inner)

    put(data)
    try:
        memory = Memory.from_dict(data)
    except SnapshotError:
        return
    assert len(memory) == len(data["turns"])
    memory.append("user", "something more")
    assert memory.compose("anything?")["messages"]


@pytest.mark.parametrize("bounds", [[0, 5, -3, 999], [0, 999], [-1], ["x"], [None, 2.0], [0, [1]], [True]])
def test_bounds_that_point_nowhere_are_dropped(bounds: list[Any]) -> None:
    assert Memory.from_dict({"turns": [], "bounds": bounds}).bounds == [0]
    two = [{"role": "user", "text": "a"}, {"role": "user", "text": "b"}]
    assert Memory.from_dict({"turns": two, "bounds": bounds}).bounds == [0]


def test_bounds_that_were_lost_are_found_again() -> None:
    memory = Memory()
    for day in range(1, 9):
        for at in range(9):
            memory.append("user", f"day {day}, turn {at}, of this length" * 2, when=f"{day} May 2023")
    right = memory.bounds
    assert len(right) > 8
    saved = memory.to_dict()
    for broken in (None, [], [0, 9_999], [-4], [*right[:4], 500]):
        assert Memory.from_dict({**saved, "bounds": broken}).bounds == right
    del saved["bounds"]
    assert Memory.from_dict(saved).bounds == right


def test_bounds_that_were_assigned_are_kept_as_they_are(talk: Talk) -> None:
    memory = talk({"cats": 20}, budget=1_000)
    memory.bounds = [0, 17, 18]
    assert Memory.from_dict(memory.to_dict(), budget=1_000).bounds == [0, 17, 18]


def test_other_options_read_the_same_conversation(talk: Talk) -> None:
    """Nothing of the options is saved: what was sent is sent again where it can be, or selected afresh."""
    memory = talk({"cats": 20, "boats": 20}, budget=1_000)
    memory.append("user", "we met yesterday, and " + "talked and talked. " * 400, when="8 May 2023")
    memory.compose("boats?")
    saved = through_json(memory.to_dict())
    for options in (
        {"budget": 300},
        {"budget": 50_000},
        {"languages": ()},
        {"measure": lambda text: len(text.split())},
    ):
        restored = Memory.from_dict(saved, **options)
        assert restored.turns == memory.turns
        result = restored.compose("boats?")
        assert result["chars"] <= 2 * options.get("budget", 20_000)


def test_a_context_that_claims_to_hold_everything_and_does_not_is_not_believed() -> None:
    data = copy.deepcopy(GOOD)
    data["context"]["pieces"].pop()
    assert Memory.from_dict(data).compose("?")["included"] == [0, 1]


def test_a_context_that_shows_a_blank_turn_is_not_believed() -> None:
    data = copy.deepcopy(GOOD)
    data["turns"][1]["text"] = " \n"
    texts = [part["text"] for message in Memory.from_dict(data).compose("?")["messages"] for part in message["parts"]]
    assert texts == ["[8 May 2023]\nhello", "?"]


# forgetting for good


def test_a_secret_that_was_redacted_is_nowhere(reachable: Callable[[object], str]) -> None:
    """Not in turns, index, caches, context or saved state, nor anywhere else the memory leads to."""
    secret = "xyzzy4711"
    memory = Memory(budget=1_000, external=lambda query: [{"text": "passwords should be long", "source": "wiki"}])
    memory.extend([("user" if at % 2 == 0 else "assistant", f"talk {at} about trains") for at in range(60)])
    memory.compose(f"is {secret} a good password?")
    told = memory.append("user", f"my password is {secret}, remember it", when=f"the day of {secret}")
    memory.append("assistant", f"I will remember {secret}.")
    memory.compose(f"what was the password, {secret}?")
    memory.search(secret)
    assert secret in reachable(memory)
    memory.redact(told)
    memory.redact(told + 1)
    assert secret not in reachable(memory)
    assert secret not in json.dumps(memory.to_dict())
    assert secret not in reachable(Memory.from_dict(memory.to_dict(), budget=1_000))


class Plain:
    def fit(self, docs: Any) -> None:
        self.docs = list(docs)

    def rank(self, query: str) -> list[int]:
        return list(range(len(self.docs)))


def test_a_secret_is_nowhere_in_the_scorer_beside_a_plain_retriever_either(reachable: Callable[[object], str]) -> None:
    secret = "xyzzy4711"
    memory = Memory(budget=400, retriever=Plain(), external=lambda query: [{"text": "trains", "source": "wiki"}])
    memory.extend([("user", f"talk {at} about trains") for at in range(30)])
    memory.append("user", f"my password is {secret}")
    memory.compose("password?")
    assert secret in reachable(memory)
    memory.redact(-1)
    assert secret not in reachable(memory)


@pytest.mark.parametrize("when", ["8 May 2023", "03/04/2023", None])
def test_a_redacted_turn_keeps_its_date_where_it_is_one(when: str | None) -> None:
    memory = Memory(day_first=True)
    memory.append("user", "forget this", when=when)
    memory.redact(0)
    assert memory.turns == [{"role": "user", "text": "[redacted]", "when": when}]


def test_what_was_redacted_is_remembered_as_such_and_loaded_as_such() -> None:
    memory = Memory()
    memory.extend([("user", "a"), ("user", "b"), ("user", "c")])
    memory.redact(1)
    saved = memory.to_dict()
    assert saved["redacted"] == [1]
    assert Memory.from_dict(saved).to_dict() == saved
    memory.truncate(1)
    assert memory.to_dict()["redacted"] == []
