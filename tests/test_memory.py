"""What a caller may say to a memory, what comes back, and what an error leaves behind: everything as it was."""

from __future__ import annotations

import asyncio
import copy
import datetime
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byheart import Memory, PluginError
from byheart.dates import Language


def test_append_returns_the_index_of_the_turn_and_keeps_it_verbatim() -> None:
    memory = Memory()
    assert memory.append("user", "  we paid 55 euro\n", when="8 May, 2023") == 0
    assert memory.append("assistant", "Noted.") == 1
    assert memory.turns == [
        {"role": "user", "text": "  we paid 55 euro\n", "when": "8 May, 2023"},
        {"role": "assistant", "text": "Noted.", "when": None},
    ]
    assert len(memory) == 2


@given(st.text())
def test_any_text_is_kept_as_it_was_said(text: str) -> None:
    memory = Memory()
    memory.append("user", text)
    assert memory.turns[0]["text"] == text


@pytest.mark.parametrize("role", ["system", "tool", "usr", "User", "", "user "])
def test_a_role_other_than_user_and_assistant_is_a_value_error_and_writes_nothing(role: str) -> None:
    memory = Memory()
    with pytest.raises(ValueError, match="role must be 'user' or 'assistant'"):
        memory.append(role, "text")
    assert memory.turns == []


@pytest.mark.parametrize("role", [None, 1, b"user", ["user"]])
def test_a_role_that_is_no_str_is_a_type_error(role: Any) -> None:
    memory = Memory()
    with pytest.raises(TypeError, match="role must be"):
        memory.append(role, "text")
    assert len(memory) == 0


@pytest.mark.parametrize("text", [None, 5, b"hi", [{"type": "text", "text": "hi"}], object()])
def test_a_text_that_is_no_str_is_a_type_error_that_says_what_came(text: Any) -> None:
    memory = Memory()
    with pytest.raises(TypeError, match=f"text must be a str, got {type(text).__name__}"):
        memory.append("user", text)
    assert memory.turns == []


@pytest.mark.parametrize("when", [25, 2023.5, True, b"8 May 2023", ("8", "May"), datetime.time(12)])
def test_a_when_that_is_no_date_and_no_str_is_a_type_error_and_writes_nothing(when: Any) -> None:
    memory = Memory()
    with pytest.raises(TypeError, match="when"):
        memory.append("user", "text", when=when)
    assert memory.turns == []


def test_dates_and_datetimes_are_kept_in_iso_format() -> None:
    memory = Memory()
    memory.append("user", "a", when=datetime.date(2023, 5, 8))
    memory.append("user", "b", when=datetime.datetime(2023, 5, 8, 13, 56))
    assert [turn["when"] for turn in memory.turns] == ["2023-05-08", "2023-05-08T13:56:00"]


class Shouting(str):
    """A str that is not what it seems to be."""

    def __str__(self) -> str:
        return "HI"

    def strip(self, *_: Any) -> str:
        return ""


def test_a_subclass_of_str_is_kept_as_a_plain_str_that_json_and_all_else_take() -> None:
    memory = Memory()
    memory.append(Shouting("user"), Shouting("hi"))
    turn = memory.turns[0]
    assert {type(turn["role"]), type(turn["text"])} == {str}
    assert turn["role"] == "user"


def test_turns_are_new_dicts_each_time_and_changing_them_changes_nothing() -> None:
    memory = Memory()
    memory.append("user", "as it was")
    memory.turns[0]["text"] = "rewritten"
    memory.turns.append({"role": "user", "text": "smuggled in", "when": None})
    assert [turn["text"] for turn in memory.turns] == ["as it was"]


# extend


def test_extend_takes_mappings_and_tuples_and_returns_their_indices() -> None:
    memory = Memory()
    memory.append("user", "first")
    mixed = [{"role": "assistant", "text": "b"}, ("user", "c"), ("assistant", "d", "8 May 2023"), ["user", "e"]]
    assert memory.extend(iter(mixed)) == [1, 2, 3, 4]
    assert [turn["text"] for turn in memory.turns] == ["first", "b", "c", "d", "e"]
    assert memory.extend([]) == []


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (("system", "x"), ValueError, "turn 2: role"),
        (("user", 5), TypeError, "turn 2: text"),
        ({"role": "user"}, ValueError, "turn 2: text missing"),
        ({"text": "x"}, ValueError, "turn 2: role missing"),
        ("user", TypeError, "turn 2: expected a mapping"),
        (("user",), TypeError, "turn 2: expected a mapping"),
        (("user", "x", None, 4), TypeError, "turn 2: expected a mapping"),
        (None, TypeError, "turn 2: expected a mapping"),
    ],
)
def test_extend_says_which_turn_is_wrong_and_keeps_none_of_them(bad: Any, error: type[Exception], message: str) -> None:
    memory = Memory()
    memory.append("user", "before")
    with pytest.raises(error, match=message):
        memory.extend([("user", "a"), ("assistant", "b"), bad])
    assert [turn["text"] for turn in memory.turns] == ["before"]


def _failing_at(nth: int) -> Callable[[Sequence[Any]], list[int]]:
    calls: list[int] = []

    def boundaries(turns: Sequence[Any]) -> list[int]:
        calls.append(len(turns))
        if len(calls) == nth:
            raise RuntimeError("no idea")
        return [len(turns)]

    return boundaries


def test_extend_keeps_none_of_the_turns_where_the_segmenter_fails_in_the_middle() -> None:
    memory = Memory(chunk=20, boundaries=_failing_at(4), budget=400)
    memory.extend([("user", "a turn of twenty letters", "29/12/2022"), ("assistant", "another one of about that")])
    before = (memory.to_dict(), memory.bounds)
    with pytest.raises(PluginError, match="no idea"):
        memory.extend([("user", f"the turn number {number} of several", "30/12/2022") for number in range(5)])
    assert (memory.to_dict(), memory.bounds) == before
    memory.extend([("user", f"the turn number {number} of several", "30/12/2022") for number in range(5)])
    assert memory.bounds == list(range(7))


def test_append_writes_nothing_where_the_segmenter_fails() -> None:
    memory = Memory(chunk=20, boundaries=_failing_at(2), budget=400)
    memory.append("user", "a turn of twenty letters")
    with pytest.raises(PluginError, match="no idea"):
        memory.append("assistant", "a turn of twenty letters")
    assert len(memory) == 1
    assert memory.append("assistant", "a turn of twenty letters") == 1


def test_a_turn_that_was_refused_teaches_nothing_about_the_order_of_dates() -> None:
    """29/12/2022 would say that the day comes first: not where its turn was never written."""
    memory = Memory(chunk=20, boundaries=_failing_at(1), budget=400)
    with pytest.raises(PluginError):
        memory.append("user", "a turn of twenty letters", when="29/12/2022")
    memory.append("user", "short", when="03/04/2023")
    assert memory.compose("and?")["messages"][0]["parts"][0]["text"] == "[03/04/2023]\nshort"


# measure


@pytest.mark.parametrize("wrong", [None, "12", [], float("nan"), float("inf"), -1])
def test_a_measure_that_returns_no_size_is_refused_at_the_door(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="measure must return a number"):
        Memory(measure=lambda text: wrong)


@pytest.mark.parametrize("wrong", [None, "12", float("nan"), -1])
def test_a_measure_that_fails_later_leaves_the_memory_as_it_was(wrong: Any) -> None:
    memory = Memory(measure=lambda text: wrong if "bad" in text else len(text))
    memory.append("user", "good")
    before = memory.to_dict()
    with pytest.raises((TypeError, ValueError), match="measure must return a number"):
        memory.append("user", "bad", when="29/12/2023")
    assert memory.to_dict() == before
    memory.append("assistant", "good again", when="03/04/2023")  # nothing was learnt about the order of dates
    assert [turn["text"] for turn in memory.turns] == ["good", "good again"]
    assert memory.compose("?")["messages"][1]["parts"][0]["text"] == "[03/04/2023]\ngood again"


# options


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"budget": 0}, ValueError),
        ({"budget": -5}, ValueError),
        ({"budget": "20000"}, TypeError),
        ({"budget": True}, TypeError),
        ({"budget": float("nan")}, ValueError),
        ({"budget": float("inf")}, ValueError),
        ({"chunk": 0}, ValueError),
        ({"chunk": "x"}, TypeError),
        ({"stability": -0.1}, ValueError),
        ({"stability": 1.1}, ValueError),
        ({"ceiling": 0.9}, ValueError),
        ({"external": 5}, TypeError),
        ({"external_margin": "wide"}, TypeError),
        ({"measure": 5}, TypeError),
        ({"languages": "en"}, TypeError),
        ({"languages": (1,)}, TypeError),
        ({"languages": 1}, TypeError),
        ({"languages": ("en", "xx")}, ValueError),
        ({"languages": (Language("nl", {}, [("<weekday>", "day 0")]),)}, ValueError),
        ({"languages": (Language("nl", {}, [("gisteren(", "day -1")]),)}, ValueError),
        ({"day_first": "yes"}, TypeError),
        ({"plugins": "dense"}, TypeError),
    ],
)
def test_a_wrong_option_is_refused_with_its_name(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(options))):
        Memory(**options)


def test_a_language_of_ones_own_is_read_by_a_memory() -> None:
    dutch = Language("nl", {}, [("gisteren", "day -1")])
    memory = Memory(languages=["en", dutch])
    memory.append("user", "gisteren, I mean yesterday", when="8 May 2023")
    sent = memory.compose("wanneer? gisteren?", when="9 May 2023")["messages"][0]["parts"][0]["text"]
    assert "gisteren [7 May 2023], I mean yesterday [7 May 2023]" in sent


def test_options_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        Memory(20_000)  # type: ignore[misc]


def test_a_stretch_never_holds_more_than_half_the_budget_before_it_may_close() -> None:
    memory = Memory(budget=200, chunk=5_000)
    memory.extend([("user", "x" * 40)] * 9)
    assert len(memory.bounds) > 1


# indices


@pytest.mark.parametrize("method", ["redact", "truncate"])
@pytest.mark.parametrize("index", [True, 1.0, "1", None])
def test_an_index_that_is_no_int_is_a_type_error(method: str, index: Any) -> None:
    memory = Memory()
    memory.extend([("user", "a"), ("assistant", "b")])
    with pytest.raises(TypeError, match="index must be an int"):
        getattr(memory, method)(index)
    assert len(memory) == 2


@pytest.mark.parametrize(("method", "index"), [("redact", 2), ("redact", -3), ("truncate", 3), ("truncate", -3)])
def test_an_index_out_of_range_is_an_index_error_that_says_how_many_turns_there_are(method: str, index: int) -> None:
    memory = Memory()
    memory.extend([("user", "a"), ("assistant", "b")])
    with pytest.raises(IndexError, match="there are 2 turns"):
        getattr(memory, method)(index)
    assert [turn["text"] for turn in memory.turns] == ["a", "b"]


class Two:
    def __index__(self) -> int:
        return 2


def test_a_negative_index_counts_from_the_end_and_what_can_be_an_index_is_one() -> None:
    memory = Memory()
    memory.extend([("user", text) for text in "abcd"])
    memory.redact(-1)
    memory.redact(Two())  # type: ignore[arg-type]  # an integer of another library
    assert [turn["text"] for turn in memory.turns] == ["a", "b", "[redacted]", "[redacted]"]
    memory.truncate(-3)
    assert [turn["text"] for turn in memory.turns] == ["a"]
    memory.truncate(1)  # what is not there yet is forgotten easily
    assert len(memory) == 1


@pytest.mark.parametrize("index", [0, -1])
def test_there_is_nothing_to_redact_in_an_empty_memory(index: int) -> None:
    with pytest.raises(IndexError, match="there are 0 turns"):
        Memory().redact(index)


# questions that are hardly any


@pytest.mark.parametrize("query", ["", " ", "\n\t", "\u2028", "\x1c"])
def test_a_blank_question_sends_the_context_alone(query: str) -> None:
    memory = Memory()
    assert memory.compose(query)["messages"] == []
    memory.append("user", "hello")
    for when in (None, "8 May 2023"):
        result = memory.compose(query, when=when)
        assert [message["parts"][0]["text"] for message in result["messages"]] == ["hello"]
        assert result["stable_upto"] == 0


@pytest.mark.parametrize(
    "query", ["the of and", "...", "\0", "?", "\u200b", "🙂", "x" * 50_000, "\ud800", "猫" * 20_000]
)
@pytest.mark.parametrize("turns", [0, 3, 60])
def test_any_question_is_answered_by_a_request_that_ends_with_it(query: str, turns: int) -> None:
    memory = Memory(budget=600)
    memory.extend([("user" if at % 2 == 0 else "assistant", f"turn {at} about trains") for at in range(turns)])
    result = memory.compose(query)
    assert result["messages"][-1]["role"] == "user"
    assert result["messages"][-1]["parts"][-1]["text"] == query.replace("\ud800", "\ufffd")
    assert result["chars"] <= 1_200
    for hit in memory.search(query):
        assert 0 < hit["score"] < float("inf")


def test_without_a_query_the_newest_turn_must_be_the_users() -> None:
    memory = Memory()
    with pytest.raises(ValueError, match="there is no turn"):
        memory.compose()
    memory.append("user", "a question")
    memory.append("assistant", "an answer")
    with pytest.raises(ValueError, match="assistant's"):
        memory.compose()


@pytest.mark.parametrize("query", [5, b"hi", ["hi"], {"text": "hi"}])
def test_a_query_that_is_no_str_is_a_type_error(query: Any) -> None:
    memory = Memory()
    with pytest.raises(TypeError, match="query must be a str"):
        memory.compose(query)
    with pytest.raises(TypeError, match="query must be a str"):
        memory.search(query)


@pytest.mark.parametrize(("limit", "error"), [(0, ValueError), (-1, ValueError), (True, TypeError), ("5", TypeError)])
def test_search_takes_a_positive_limit(limit: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="limit"):
        Memory().search("anything", limit)


def test_search_finds_the_stretches_that_match_best_with_their_words_as_they_were_said() -> None:
    memory = Memory(chunk=60)
    memory.append("user", "yesterday we looked at a red bicycle in the shop", when="8 May 2023")
    memory.append("assistant", "A red one is easy to see.\nGood choice.")
    for number in range(30):
        memory.append("user", f"the weather on day {number} was mild and quite unremarkable")
    best = memory.search("which bicycle was it?", limit=2)[0]
    assert best["turns"] == [0, 2]
    assert best["when"] == "8 May 2023"
    assert best["text"] == (
        "user: yesterday we looked at a red bicycle in the shop\nassistant: A red one is easy to see.\nGood choice."
    )
    assert best["score"] > 0
    assert memory.search("zeppelin") == []
    assert Memory().search("anything") == []


def test_search_answers_as_many_as_are_asked_for() -> None:
    memory = Memory(chunk=10, budget=400)
    memory.extend([("user", f"the bicycle number {number} was red") for number in range(300)])
    assert len(memory.search("bicycle", limit=250)) == 250
    assert len(memory.search("bicycle", limit=1)) == 1


def test_search_sends_and_remembers_nothing() -> None:
    memory = Memory(budget=400)
    memory.extend([("user", f"turn {at} about bicycles and trains") for at in range(50)])
    memory.compose("bicycles?")
    before = json.dumps(memory.to_dict())
    memory.search("trains")
    assert json.dumps(memory.to_dict()) == before


# what happens while the outside is asked


def test_turns_that_come_while_the_outside_is_asked_do_not_change_which_turn_is_composed_for(
    read: Callable[..., Any],
) -> None:
    """``external`` runs outside the lock; here it stands for another thread that appends meanwhile."""
    memory: Memory

    def external(query: str) -> list[Any]:
        if memory.turns[-1]["text"] == "what is next?":
            memory.append("assistant", "the garden, I think")
            memory.append("user", "and something else entirely")
        return []

    memory = Memory(external=external)
    memory.extend([("user", "hello"), ("assistant", "hi"), ("user", "what is next?")])
    result = memory.compose()
    request = read(result)
    assert request.query.text == "what is next?"
    assert [shown.text for shown in request.shown] == ["hello", "hi"]
    assert result["included"] == [0, 1, 2]
    after = read(memory.compose("well?"))
    assert [shown.text for shown in after.shown] == [turn["text"] for turn in memory.turns]


def test_a_turn_that_is_gone_when_the_outside_has_answered_is_composed_for_as_a_question() -> None:
    memory: Memory

    def external(query: str) -> list[Any]:
        memory.truncate(1)
        return []

    memory = Memory(external=external)
    memory.extend([("user", "hello"), ("assistant", "hi"), ("user", "what is next?")])
    texts = [part["text"] for message in memory.compose()["messages"] for part in message["parts"]]
    assert texts == ["hello", "what is next?"]


def test_what_external_is_asked_may_use_the_memory() -> None:
    memory: Memory
    memory = Memory(external=lambda query: [{"text": str(len(memory.search(query))), "source": "self"}])
    memory.append("user", "hello there")
    assert memory.compose("hello?")["messages"]


def test_a_memory_is_shared_with_coroutines_by_way_of_threads() -> None:
    memory = Memory(budget=500)

    async def live() -> list[int]:
        await asyncio.gather(*(asyncio.to_thread(memory.append, "user", f"turn {number}") for number in range(40)))
        results = await asyncio.gather(*(asyncio.to_thread(memory.compose, f"turn {number}?") for number in range(20)))
        return [len(result["messages"]) for result in results]

    assert min(asyncio.run(live())) > 1
    assert sorted(turn["text"] for turn in memory.turns) == sorted(f"turn {number}" for number in range(40))


# copies, processes


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_memory_is_not_copied_or_pickled_but_says_how_it_is_saved(make: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="to_dict"):
        make(Memory())


_ELSEWHERE = """
import hashlib, json, sys
from byheart import Memory

memory = Memory(budget=1_200, external=lambda query: [{"text": "moles dig at night", "source": "book"}])
sent = []
for number in range(60):
    text = f"number {number}: " + " ".join(word * (1 + number % 3) for word in ("Lyon", "café", "кошка", "猫が好き", "mole"))
    sent.append(memory.compose(text + "?"))
    memory.append("user", text, when=f"{1 + number // 6} May 2023")
    memory.append("assistant", f"yes, {text} it is, as we said last week")
    if number == 30:
        memory = Memory.from_dict(json.loads(json.dumps(memory.to_dict())), budget=1_200)
print(hashlib.sha256(json.dumps([sent, memory.to_dict()]).encode()).hexdigest())
"""


def test_another_process_with_another_hash_seed_composes_the_same_bytes() -> None:
    digests = set()
    for seed in ("0", "1", "4242"):
        run = subprocess.run(
            [sys.executable, "-c", _ELSEWHERE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(run.stdout.strip())
    assert len(digests) == 1


# bounds


def test_bounds_of_an_empty_memory_are_those_of_its_first_stretch() -> None:
    memory = Memory()
    assert memory.bounds == [0]
    memory.bounds = [0]
    memory.append("user", "hello")
    assert memory.bounds == [0]


@pytest.mark.parametrize(
    ("bounds", "error"),
    [
        ([], ValueError),
        ([1], ValueError),
        ([0, 0], ValueError),
        ([0, 3, 2], ValueError),
        ([0, 6], ValueError),
        ([0, -1], ValueError),
        ([0, True], TypeError),
        ([0, 1.0], TypeError),
        ("0", TypeError),
        ([0, None], TypeError),
        (None, TypeError),
    ],
)
def test_bounds_that_no_stretches_can_have_are_refused_and_the_old_ones_stay(
    bounds: Any, error: type[Exception]
) -> None:
    memory = Memory()
    memory.extend([("user", f"turn {number}") for number in range(6)])
    memory.bounds = [0, 2, 4]
    with pytest.raises(error):
        memory.bounds = bounds
    assert memory.bounds == [0, 2, 4]


def test_bounds_are_a_copy() -> None:
    memory = Memory()
    memory.extend([("user", f"turn {number}") for number in range(6)])
    given_bounds = [0, 3]
    memory.bounds = given_bounds
    given_bounds.append(5)
    memory.bounds.append(4)
    assert memory.bounds == [0, 3]


def test_bounds_may_come_from_any_iterable() -> None:
    memory = Memory()
    memory.extend([("user", f"turn {number}") for number in range(6)])
    memory.bounds = range(0, 6, 2)  # type: ignore[assignment]  # a property takes what its getter returns, for mypy
    assert memory.bounds == [0, 2, 4]


def test_what_was_sent_stays_when_bounds_are_assigned_and_what_can_be_recalled_follows(
    read: Callable[..., Any], talk: Callable[..., Memory]
) -> None:
    memory = talk({"cats": 10, "boats": 10, "soup": 10}, budget=1_000)
    sent = read(memory.compose("what about boats?")).stable
    memory.bounds = list(range(len(memory)))
    result = memory.compose("what about the soup?")
    assert not result["reselected"]
    assert read(result).stable[: len(sent)] == sent
    assert result["of_units"] == len(memory)
    assert {hit["turns"][1] - hit["turns"][0] for hit in memory.search("cats", limit=20)} == {1}


def test_redacting_after_stretches_were_joined_or_turns_forgotten_works() -> None:
    for change in ("bounds", "truncate"):
        memory = Memory(budget=400, chunk=30)
        memory.extend([("user", f"turn {number} about trains and bicycles") for number in range(40)])
        memory.compose("trains?")
        if change == "bounds":
            memory.bounds = [0]
        else:
            memory.truncate(3)
        memory.redact(1)
        assert memory.turns[1]["text"] == "[redacted]"
        assert not any("turn 1 " in hit["text"] for hit in memory.search("trains 1", limit=50))
