"""What every adapter makes of a compose result: its shape, and that no word is lost or moved."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byheart.adapters import anthropic, gemini, openai

Flat = list[tuple[str, str]]


def said(result: dict[str, Any]) -> Flat:
    return [(message["role"], part["text"]) for message in result["messages"] for part in message["parts"]]


def of_anthropic(body: dict[str, Any]) -> Flat:
    return [(message["role"], block["text"]) for message in body["messages"] for block in message["content"]]


def of_openai(body: dict[str, Any]) -> Flat:
    return [
        (message["role"], part if isinstance(part, str) else part["text"])
        for message in body.get("messages", body.get("input", []))
        for part in ([message["content"]] if isinstance(message["content"], str) else message["content"])
    ]


def of_gemini(body: dict[str, Any]) -> Flat:
    names = {"user": "user", "model": "assistant"}
    return [(names[content["role"]], part["text"]) for content in body["contents"] for part in content["parts"]]


WAYS = {
    "anthropic": (anthropic.request, {}, of_anthropic),
    "anthropic, one mark": (anthropic.request, {"marks": 1}, of_anthropic),
    "openai": (openai.chat, {}, of_openai),
    "openai, merged": (openai.chat, {"merge": True}, of_openai),
    "openai, plain": (openai.chat, {"plain": True}, of_openai),
    "openai, marked": (openai.chat, {"marks": openai.MARKS}, of_openai),
    "openai responses": (openai.responses, {}, of_openai),
    "openai responses, marked": (openai.responses, {"marks": openai.MARKS}, of_openai),
    "gemini": (gemini.request, {}, of_gemini),
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Any:
    return WAYS[request.param]


@pytest.mark.parametrize("name", WAYS)
@settings(max_examples=25)
@given(data=st.data())
def test_every_text_is_sent_once_in_order_and_unchanged(name: str, data: st.DataObject, lives: Any) -> None:
    build, options, flat = WAYS[name]
    for result in data.draw(lives()):
        assert flat(build(result, **options)) == said(result)


@pytest.mark.parametrize("name", WAYS)
@settings(max_examples=25)
@given(data=st.data(), system=st.none() | st.text(max_size=5))
def test_what_is_sent_keeps_the_documented_rules(
    name: str, data: st.DataObject, system: str | None, lives: Any, faults: Any
) -> None:
    build, options, _ = WAYS[name]
    for result in data.draw(lives()):
        assert not faults(name.replace(",", "").split()[0], build(result, system=system, **options))


@pytest.mark.parametrize("name", WAYS)
@settings(max_examples=25)
@given(data=st.data())
def test_every_request_begins_with_the_stable_blocks_of_the_one_before(
    name: str, data: st.DataObject, lives: Any
) -> None:
    build, options, flat = WAYS[name]
    results = data.draw(lives())
    for result, following in pairwise(results):
        stable = said({"messages": result["messages"][: result["stable_upto"] + 1]})
        assert flat(build(following, **options))[: len(stable)] == stable


@pytest.mark.parametrize("name", WAYS)
@settings(max_examples=25)
@given(data=st.data())
def test_a_result_is_read_only(name: str, data: st.DataObject, lives: Any) -> None:
    build, options, _ = WAYS[name]
    for result in data.draw(lives()):
        before = copy.deepcopy(result)
        sent = build(result, **options)
        json.dumps(sent)
        for message in sent.get("messages", sent.get("input", sent.get("contents"))):
            message.clear()
        assert result == before


def test_messages_of_one_role_are_merged_as_blocks_where_roles_must_alternate(result: Any) -> None:
    mixed = result("u:recalled u:asked a:said+more | u:outside u:query")
    for messages in (
        anthropic.request(mixed)["messages"],
        openai.chat(mixed, merge=True)["messages"],
        gemini.request(mixed)["contents"],
    ):
        shape = [(m["role"], [p["text"] for p in m.get("content", m.get("parts"))]) for m in messages]
        assert shape[0] == ("user", ["recalled", "asked"])
        assert shape[1][1] == ["said", "more"]
        assert shape[2] == ("user", ["outside", "query"])


def test_openai_gets_one_message_for_each_of_the_result(result: Any) -> None:
    messages = openai.chat(result("u:recalled u:asked a:said+more | u:query"))["messages"]
    assert [len(message["content"]) for message in messages] == [1, 1, 2, 1]


def test_plain_gives_each_text_a_message_with_a_string(result: Any) -> None:
    messages = openai.chat(result("u:asked a:said+more | u:query"), plain=True, system="Be brief.")["messages"]
    assert messages == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "asked"},
        {"role": "assistant", "content": "said"},
        {"role": "assistant", "content": "more"},
        {"role": "user", "content": "query"},
    ]


def test_plain_and_merge_together_are_refused_for_they_would_glue(result: Any) -> None:
    with pytest.raises(ValueError, match="merge and plain"):
        openai.chat(result("| u:query"), merge=True, plain=True)


def test_plain_and_marks_together_are_refused(result: Any) -> None:
    with pytest.raises(ValueError, match="carry no breakpoint"):
        openai.chat(result("| u:query"), plain=True, marks=1)


def test_responses_send_the_assistants_texts_as_strings_for_parts_need_an_id(result: Any) -> None:
    items = openai.responses(result("u:asked a:said+more | u:query"))["input"]
    assert items == [
        {"role": "user", "content": [{"type": "input_text", "text": "asked"}]},
        {"role": "assistant", "content": "said"},
        {"role": "assistant", "content": "more"},
        {"role": "user", "content": [{"type": "input_text", "text": "query"}]},
    ]


def test_the_system_prompt_stands_where_the_provider_wants_it(result: Any) -> None:
    asked = result("| u:query")
    assert anthropic.request(asked, system="S")["system"] == [{"type": "text", "text": "S"}]
    assert openai.chat(asked, system="S")["messages"][0] == {"role": "system", "content": "S"}
    assert openai.responses(asked, system="S")["instructions"] == "S"
    assert gemini.request(asked, system="S")["config"] == {"system_instruction": "S"}


@pytest.mark.parametrize("system", [None, "", " \n"])
def test_no_system_prompt_or_a_blank_one_leaves_nothing_behind(system: str | None, way: Any, result: Any) -> None:
    build, options, _ = way
    sent = build(result("u:stable | u:query"), system=system, **options)
    assert not {"system", "instructions", "config"} & set(sent)
    assert [m["role"] for m in sent.get("messages", sent.get("input", []))].count("system") == 0


def test_a_blank_part_is_left_out_and_not_marked(result: Any) -> None:
    blank = result("u:asked a:x | u:query")
    blank["messages"][1]["parts"][0]["text"] = " \n"
    assert anthropic.request(blank)["messages"] == [
        {"role": "user", "content": [
            {"type": "text", "text": "asked", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "query"}]}
    ]  # fmt: skip


WRONG = [
    (None, "expected what compose returns"),
    ([], "expected what compose returns"),
    ({"messages": []}, "stable_upto"),
    ({"messages": "hi", "stable_upto": -1}, "messages must be a list, got 'hi' .str."),
    ({"messages": [], "stable_upto": True}, "stable_upto must be an int"),
    ({"messages": [], "stable_upto": 0}, "stable_upto must be from -1 to -1"),
    ({"messages": [], "stable_upto": -2}, "stable_upto must be from"),
    ({"messages": ["hi"], "stable_upto": -1}, r"messages\[0\] must be a dict"),
    (
        {"messages": [{"role": "user", "content": "hi"}], "stable_upto": -1},
        r"messages\[0\] must be .* 'content'",
    ),
    ({"messages": [{"role": "system", "parts": []}], "stable_upto": -1}, r"messages\[0\]: role must be"),
    ({"messages": [{"role": "user", "parts": ["hi"]}], "stable_upto": -1}, r"messages\[0\].parts\[0\]"),
    ({"messages": [{"role": "user", "parts": [{"type": "text", "text": 1}]}], "stable_upto": -1}, "must be"),
    (
        {"messages": [{"role": "user", "parts": [{"type": "image"}]}], "stable_upto": -1},
        r"parts\[0\] must be",
    ),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_what_is_no_compose_result_is_refused_with_its_position(wrong: Any, message: str, way: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        way[0](wrong)


@pytest.mark.parametrize("system", [1, b"S", ["S"]])
def test_a_system_prompt_that_is_no_text_is_refused(system: Any, way: Any, result: Any) -> None:
    with pytest.raises(TypeError, match="system must be a str or None"):
        way[0](result("| u:query"), system=system)


def test_the_key_of_the_cache_is_passed_on(result: Any) -> None:
    assert openai.chat(result("| u:q"), key="chat-7")["prompt_cache_key"] == "chat-7"
    assert openai.responses(result("| u:q"), key="chat-7")["prompt_cache_key"] == "chat-7"
    assert "prompt_cache_key" not in openai.chat(result("| u:q"))
    with pytest.raises(TypeError, match="key must be"):
        openai.chat(result("| u:q"), key=7)  # type: ignore[arg-type]
