"""Where cache marks stand, and that a cache which keeps the documented rules is hit because of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byheart.adapters import anthropic, openai
from byheart.adapters.blocks import Block
from byheart.adapters.marks import spaced


@pytest.fixture(scope="session")
def marked(flat: Any) -> Any:
    """The texts of the marked blocks of a request."""
    return lambda body: [text for _, text, mark in flat(body) if mark]


def stable(result: dict[str, Any]) -> list[str]:
    return [part["text"] for message in result["messages"][: result["stable_upto"] + 1] for part in message["parts"]]


# Anthropic


@settings(max_examples=40)
@given(data=st.data(), system=st.none() | st.just("Be brief."))
def test_the_last_stable_block_is_marked_and_none_after_it(
    data: st.DataObject, system: str | None, lives: Any, flat: Any
) -> None:
    for result in data.draw(lives()):
        blocks = flat(anthropic.request(result, system=system))
        last = len(stable(result)) - 1 + (system is not None)
        places = [at for at, (_, _, mark) in enumerate(blocks) if mark]
        assert places[-1:] == ([last] if stable(result) else [])


@settings(max_examples=40)
@given(data=st.data(), system=st.none() | st.just("Be brief."))
def test_where_nothing_is_stable_nothing_is_marked(
    data: st.DataObject, system: str | None, lives: Any, marked: Any
) -> None:
    for result in data.draw(lives()):
        result["stable_upto"] = -1
        assert not marked(anthropic.request(result, system=system))
        assert "prompt_cache_options" not in openai.chat(result, system=system, marks=openai.MARKS)


@settings(max_examples=40)
@given(data=st.data(), system=st.none() | st.just("Be brief."))
def test_what_the_previous_request_wrote_is_read_though_forty_blocks_came_since(
    data: st.DataObject, system: str | None, lives: Any, looking_back: Any
) -> None:
    cache = looking_back()
    before = 0
    for result in data.draw(lives(grows=20)):  # messages of up to two blocks: 40 blocks
        read = cache.send(anthropic.request(result, system=system))
        assert read >= before
        before = len(stable(result)) + (system is not None) if stable(result) else 0


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_marks_leave_no_gap_whatever_came_since_up_to_twenty_blocks_for_each_mark_but_one(most: int) -> None:
    for before in range(1, 90):
        for grown in range(max(19, 20 * (most - 1)) + 1):
            stable = [Block("user", "x", 0, True)] * (before + grown)
            marks = spaced(stable, most, anthropic.LOOK_BACK)
            assert len(marks) <= most
            assert any(mark - 19 <= before - 1 <= mark for mark in marks), (before, grown)


def test_one_mark_alone_would_miss_what_twenty_blocks_came_after(result: Any, looking_back: Any) -> None:
    """The case that further marks are for, and the rule that the marked block itself counts."""
    short, long = "u:0 | u:q", " ".join(f"{'ua'[at % 2]}:{at}" for at in range(21)) + " | u:q"
    cache = looking_back()
    cache.send(anthropic.request(result(short), marks=1))
    assert cache.send(anthropic.request(result(long), marks=1)) == 0
    cache = looking_back()
    cache.send(anthropic.request(result(short)))
    assert cache.send(anthropic.request(result(long))) == 1


def test_further_marks_stand_twenty_apart_at_places_that_repeat(result: Any, marked: Any) -> None:
    def line(blocks: int) -> dict[str, Any]:
        made: dict[str, Any] = result(" ".join(f"{'ua'[at % 2]}:{at}" for at in range(blocks)) + " | u:q")
        return made

    assert marked(anthropic.request(line(19))) == ["18"]
    assert marked(anthropic.request(line(50))) == ["19", "39", "49"]
    assert marked(anthropic.request(line(53))) == ["19", "39", "52"]
    assert marked(anthropic.request(line(95))) == ["39", "59", "79", "94"]
    assert marked(anthropic.request(line(100))) == ["39", "59", "79", "99"]


def test_the_system_prompt_is_marked_too_and_read_after_the_context_was_rebuilt(result: Any, looking_back: Any) -> None:
    cache = looking_back()
    cache.send(anthropic.request(result("u:one a:two | u:q"), system="A long prompt."))
    assert cache.send(anthropic.request(result("u:other | u:q"), system="A long prompt.")) == 1


@pytest.mark.parametrize(
    ("marks", "expected"),
    [(0, []), (1, ["49"]), (2, ["S", "49"]), (3, ["S", "39", "49"]), (4, ["S", "19", "39", "49"])],
)
def test_the_last_stable_block_comes_first_then_the_system_prompt_then_the_rest(
    marks: int, expected: list[str], result: Any, marked: Any
) -> None:
    line = result(" ".join(f"{'ua'[at % 2]}:{at}" for at in range(50)) + " | u:q")
    assert marked(anthropic.request(line, system="S", marks=marks)) == expected


def test_the_lifetime_is_sent_only_when_it_is_named(result: Any) -> None:
    asked = result("u:stable | u:q")
    default, hour = (
        anthropic.request(asked, ttl=ttl)["messages"][0]["content"][0]["cache_control"] for ttl in (None, "1h")
    )
    assert default == {"type": "ephemeral"}
    assert hour == {"type": "ephemeral", "ttl": "1h"}


# OpenAI


@pytest.mark.parametrize("build", [openai.chat, openai.responses])
@settings(max_examples=40)
@given(data=st.data(), system=st.none() | st.just("Be brief."))
def test_by_default_openai_gets_no_field_that_older_models_refuse(
    build: Any, data: st.DataObject, system: str | None, lives: Any, faults: Any
) -> None:
    for result in data.draw(lives()):
        assert not faults("openai", {**build(result, system=system), "model": "gpt-4o"})


@pytest.mark.parametrize("build", [openai.chat, openai.responses])
@settings(max_examples=40)
@given(data=st.data(), system=st.none() | st.just("Be brief."))
def test_all_that_could_carry_a_breakpoint_is_read_again(
    build: Any, data: st.DataObject, system: str | None, lives: Any, flat: Any, at_breakpoints: Any
) -> None:
    cache = at_breakpoints()
    before = 0
    for result in data.draw(lives(grows=20)):
        body = build(result, system=system, marks=openai.MARKS)
        assert cache.send(body) >= before
        carriers = [at for at, (role, _, _) in enumerate(flat(body)) if role != "assistant"]
        end = len(stable(result)) + (system is not None)
        before = max((at + 1 for at in carriers if at < end), default=0) if stable(result) else 0


def test_one_breakpoint_alone_would_never_be_matched_in_a_context_that_grows(result: Any, at_breakpoints: Any) -> None:
    """Why every user block is marked: what is matched at breakpoints needs one where the last one was."""
    lines = "u:1 | u:q", "u:1 u:2 | u:q"
    for marks, read in ((1, 0), (openai.MARKS, 1)):
        cache = at_breakpoints()
        cache.send(openai.chat(result(lines[0]), marks=marks))
        assert cache.send(openai.chat(result(lines[1]), marks=marks)) == read


def test_breakpoints_stand_on_user_blocks_for_assistant_ones_cannot_carry_them(result: Any, marked: Any) -> None:
    line = result("u:1 a:2 u:3 a:4 | u:q")
    assert marked(openai.chat(line, marks=80)) == ["1", "3"]
    assert marked(openai.chat(line, marks=80, merge=True)) == ["1", "3"]
    assert marked(openai.responses(line, marks=80, system="S")) == ["S", "1", "3"]
    assert marked(openai.responses(line, marks=2, system="S")) == ["S", "3"]
    assert marked(openai.responses(line, marks=1, system="S")) == ["3"]


def test_the_changing_rest_is_kept_out_of_the_cache_when_something_is_marked(result: Any) -> None:
    sent = openai.chat(result("u:stable | u:q"), marks=80, ttl="12h")
    assert sent["prompt_cache_options"] == {"mode": "explicit"}
    assert sent["messages"][0]["content"][0]["prompt_cache_breakpoint"] == {"mode": "explicit", "ttl": "12h"}


# Options


@pytest.mark.parametrize(
    ("build", "options", "message"),
    [
        (anthropic.request, {"marks": 5}, "marks must be from 0 to 4, the most Anthropic"),
        (anthropic.request, {"marks": -1}, "marks must be from 0"),
        (anthropic.request, {"marks": True}, "marks must be an int"),
        (anthropic.request, {"ttl": "30m"}, "ttl must be None or one of '5m', '1h', got '30m'"),
        (anthropic.request, {"ttl": "1h", "marks": 0}, "marks=0 sets no mark"),
        (openai.chat, {"marks": 81}, "marks must be from 0 to 80"),
        (openai.responses, {"marks": 1, "ttl": "1h"}, "ttl must be None or one of '30m', '12h'"),
        (openai.responses, {"ttl": "30m"}, "marks=0 sets no mark"),
    ],
)
def test_options_are_checked_at_the_door(build: Any, options: Any, message: str, result: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        build(result("u:stable | u:q"), **options)
