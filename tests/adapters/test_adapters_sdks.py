"""The adapters with the providers' own SDKs, talking to a local server that refuses what providers refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from byheart.adapters import anthropic, gemini, openai

LIVES = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def to_anthropic(server: Any) -> Iterator[Any]:
    sdk = pytest.importorskip("anthropic", reason="the anthropic SDK is not installed")
    with sdk.Anthropic(api_key="none", base_url=server.url, max_retries=0) as client:
        yield lambda **request: client.messages.create(model="claude", max_tokens=99, **request)


@pytest.fixture
def to_chat(server: Any) -> Iterator[Any]:
    sdk = pytest.importorskip("openai", reason="the openai SDK is not installed")
    with sdk.OpenAI(api_key="none", base_url=f"{server.url}/v1", max_retries=0) as client:
        yield lambda model="gpt-4o", **request: client.chat.completions.create(model=model, **request)


@pytest.fixture
def to_responses(server: Any) -> Iterator[Any]:
    sdk = pytest.importorskip("openai", reason="the openai SDK is not installed")
    with sdk.OpenAI(api_key="none", base_url=f"{server.url}/v1", max_retries=0) as client:
        yield lambda model="gpt-4o", **request: client.responses.create(model=model, **request)


@pytest.fixture
def to_gemini(server: Any) -> Iterator[Any]:
    sdk = pytest.importorskip("google.genai", reason="the google-genai SDK is not installed")
    client = sdk.Client(api_key="none", http_options=sdk.types.HttpOptions(base_url=server.url))
    yield client
    client.close()


# What goes out


@LIVES
@given(data=st.data(), system=st.none() | st.just("Be brief."), ttl=st.sampled_from([None, "5m", "1h"]))
def test_anthropic_sends_what_its_types_and_rules_demand(
    data: st.DataObject,
    system: str | None,
    ttl: str | None,
    to_anthropic: Any,
    server: Any,
    lives: Any,
    misfits: Any,
) -> None:
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    for result in data.draw(lives(grows=12)):
        request = anthropic.request(result, system=system, ttl=ttl)
        assert to_anthropic(**request).content[0].text.startswith("Answer")
        _, body = server.bodies[-1]
        assert {key: body[key] for key in request} == request
        assert not misfits(body, MessageCreateParamsNonStreaming)


@LIVES
@given(
    data=st.data(),
    system=st.none() | st.just("Be brief."),
    options=st.sampled_from([{}, {"merge": True}, {"plain": True}, {"marks": 80}, {"marks": 80, "ttl": "12h"}]),
)
def test_chat_completions_sends_what_its_types_and_rules_demand(
    data: st.DataObject, system: str | None, options: Any, to_chat: Any, server: Any, lives: Any, misfits: Any
) -> None:
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    for result in data.draw(lives(grows=12)):
        request = openai.chat(result, system=system, key="chat-7", **options)
        answer = to_chat(model="gpt-5.6" if "marks" in options else "gpt-4o", **request)
        assert answer.choices[0].message.content.startswith("Answer")
        _, body = server.bodies[-1]
        assert {key: body[key] for key in request} == request
        assert not misfits(body, CompletionCreateParamsNonStreaming)


@LIVES
@given(
    data=st.data(),
    system=st.none() | st.just("Be brief."),
    options=st.sampled_from([{}, {"marks": 80}, {"marks": 80, "ttl": "30m"}]),
)
def test_responses_sends_what_its_types_and_rules_demand(
    data: st.DataObject,
    system: str | None,
    options: Any,
    to_responses: Any,
    server: Any,
    lives: Any,
    misfits: Any,
) -> None:
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    for result in data.draw(lives(grows=12)):
        request = openai.responses(result, system=system, key="chat-7", **options)
        answer = to_responses(model="gpt-5.6" if "marks" in options else "gpt-4o", **request)
        assert answer.output_text.startswith("Answer")
        _, body = server.bodies[-1]
        assert {key: body[key] for key in request} == request
        assert not misfits(body, ResponseCreateParamsNonStreaming)


@LIVES
@given(data=st.data(), system=st.none() | st.just("Be brief."))
def test_gemini_sends_what_its_types_and_rules_demand(
    data: st.DataObject, system: str | None, to_gemini: Any, server: Any, lives: Any
) -> None:
    from google.genai import types

    for result in data.draw(lives(grows=12)):
        request = gemini.request(result, system=system)
        for content in request["contents"]:
            types.Content.model_validate(content)  # refuses keys it does not know
        assert to_gemini.models.generate_content(model="gemini", **request).text.startswith("Answer")
        path, body = server.bodies[-1]
        assert path.endswith("models/gemini:generateContent")
        assert body["contents"] == request["contents"]
        asked = body.get("systemInstruction", {"parts": []})["parts"]
        assert [part["text"] for part in asked] == ([system] if system else [])


def test_the_checks_above_notice_what_is_wrong(misfits: Any, to_anthropic: Any, to_chat: Any, result: Any) -> None:
    """The server and the comparison with types refuse broken requests, or they would prove nothing."""
    from anthropic import BadRequestError
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming as Params
    from openai import BadRequestError as OpenAIRefused
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    request = anthropic.request(result("u:asked a:said | u:query"))
    body = {"model": "claude", "max_tokens": 9, **request}
    assert not misfits(body, Params)
    body["messages"][0]["content"][0]["cache_controll"] = {"type": "ephemeral"}
    assert misfits(body, Params)
    assert misfits({"model": "claude", "max_tokens": 9}, Params)
    marked = {
        "type": "output_text",
        "text": "x",
        "annotations": [],
        "prompt_cache_breakpoint": {"mode": "explicit"},
    }
    said = {"type": "message", "id": "m", "status": "completed", "role": "assistant", "content": [marked]}
    assert misfits({"model": "gpt", "input": [said]}, ResponseCreateParamsNonStreaming)
    with pytest.raises(BadRequestError, match="two messages of one role"):
        to_anthropic(messages=[{"role": "user", "content": [{"type": "text", "text": "x"}]}] * 2)
    with pytest.raises(OpenAIRefused, match="breakpoints for a model that refuses them"):
        to_chat(model="gpt-4o", **openai.chat(result("u:stable | u:query"), marks=80))


# What comes back, in the SDKs' own objects


def test_anthropic_objects_are_read_as_they_are(to_anthropic: Any, server: Any) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Ulm"}}
    server.answers = [[{"type": "text", "text": "Let me look."}, call], "18 degrees."]
    messages: list[Any] = [{"role": "user", "content": [{"type": "text", "text": "How warm is it?"}]}]
    first = to_anthropic(messages=messages)
    messages.append({"role": "assistant", "content": first.content})
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "18"}]}
    messages.append({"role": "user", "content": [answer]})
    turns = anthropic.read([*messages, first_message(server, "18 degrees.")])
    assert [turn["role"] for turn in turns] == ["user", "assistant"]
    assert turns[1]["text"] == (
        'Let me look.\n[tool call: weather]\n  {"city": "Ulm"}\n[tool result: weather]\n  18\n18 degrees.'
    )
    assert anthropic.read([first])[0]["text"].startswith("Let me look.")


def first_message(server: Any, text: str) -> Any:
    from anthropic.types import Message, TextBlock, Usage

    return Message(
        id="m", content=[TextBlock(type="text", text=text)], model="claude", role="assistant", type="message",
        usage=Usage(input_tokens=1, output_tokens=1), stop_reason="end_turn", stop_sequence=None,
    )  # fmt: skip


def test_chat_objects_are_read_as_they_are(to_chat: Any, server: Any) -> None:
    function = {"name": "weather", "arguments": '{"city": "Ulm"}'}
    call = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "t1", "type": "function", "function": function}],
    }
    server.answers = [call, "18 degrees."]
    messages: list[Any] = [{"role": "user", "content": "How warm is it?"}]
    messages.append(to_chat(messages=messages).choices[0].message)
    messages.append({"role": "tool", "tool_call_id": "t1", "content": "18"})
    messages.append(to_chat(messages=[{"role": "user", "content": "x"}]).choices[0].message)
    assert openai.read(messages)[1]["text"] == (
        '[tool call: weather]\n  {"city": "Ulm"}\n[tool result: weather]\n  18\n18 degrees.'
    )


def test_responses_objects_are_read_as_they_are(to_responses: Any, server: Any) -> None:
    reasoning = {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "xx"}
    call = {
        "type": "function_call",
        "id": "f",
        "call_id": "t1",
        "name": "weather",
        "arguments": '{"city": "Ulm"}',
    }
    server.answers = [[reasoning, call], "18 degrees."]
    items: list[Any] = [{"role": "user", "content": "How warm is it?"}]
    items += to_responses(input=[{"role": "user", "content": "x"}]).output
    items.append({"type": "function_call_output", "call_id": "t1", "output": "18"})
    items += to_responses(input=[{"role": "user", "content": "x"}]).output
    assert [turn["role"] for turn in openai.read(items)] == ["user", "assistant"]
    assert openai.read(items)[1]["text"] == (
        '[tool call: weather]\n  {"city": "Ulm"}\n[tool result: weather]\n  18\n18 degrees.'
    )


def test_the_history_of_a_gemini_chat_is_read_as_it_is(to_gemini: Any, server: Any) -> None:
    from google.genai import types

    call = {"functionCall": {"name": "weather", "args": {"city": "Ulm"}}}
    server.answers = [[{"text": "Let me look."}, call], "18 degrees."]
    chat = to_gemini.chats.create(model="gemini")
    chat.send_message("How warm is it?")
    chat.send_message(types.Part.from_function_response(name="weather", response={"result": "18"}))
    turns = gemini.read(chat.get_history())
    assert [turn["role"] for turn in turns] == ["user", "assistant"]
    assert turns[1]["text"] == (
        'Let me look.\n[tool call: weather]\n  {"city": "Ulm"}\n[tool result: weather]\n  18\n18 degrees.'
    )


def test_the_adapters_import_no_sdk(fresh_python: Callable[[str], str]) -> None:
    program = (
        "import sys, byheart.adapters\n"
        "print(sorted({'anthropic', 'openai', 'google', 'pydantic', 'httpx', 'httpx2'} & set(sys.modules)))"
    )
    assert fresh_python(program) == "[]"
