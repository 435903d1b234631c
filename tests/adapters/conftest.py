"""What the adapters are tested against: documented rules, the SDKs' types, and a local server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]

# Compose results, generated: a context that grows from request to request, as a memory's does


@st.composite
def _lives(draw: st.DrawFn, grows: int = 6, requests: int = 4) -> list[dict[str, Any]]:
    """Results of requests without a rebuild between them, each adding up to ``grows`` messages."""
    text = st.text(min_size=1, max_size=12).filter(str.strip)
    context: list[dict[str, Any]] = []
    results = []
    for _ in range(draw(st.integers(1, requests))):
        for _ in range(draw(st.integers(0, grows))):
            alone = not context or context[-1]["role"] == "assistant"
            role = "user" if alone else draw(st.sampled_from(["user", "assistant"]))
            texts = draw(st.lists(text, min_size=1, max_size=2))
            context.append({"role": role, "parts": [{"type": "text", "text": each} for each in texts]})
        passing = [
            {"role": "user", "parts": [{"type": "text", "text": each}]}
            for each in draw(st.lists(text, min_size=1, max_size=2))  # outside material, perhaps, and the query
        ]
        results.append({"messages": [*context, *passing], "stable_upto": len(context) - 1})
    return results


@pytest.fixture(scope="session")
def lives() -> Callable[..., st.SearchStrategy[list[dict[str, Any]]]]:
    return _lives


@pytest.fixture(scope="session")
def result() -> Callable[..., dict[str, Any]]:
    """A result from a line such as "u:recalled a:answer | u:query"; before the bar is what is stable."""

    def make(line: str) -> dict[str, Any]:
        stable, _, passing = line.rpartition("|")
        messages = []
        for word in f"{stable} {passing}".split():
            role, _, texts = word.partition(":")
            parts = [{"type": "text", "text": text} for text in texts.split("+")]
            messages.append({"role": {"u": "user", "a": "assistant"}[role], "parts": parts})
        return {"messages": messages, "stable_upto": len(stable.split()) - 1}

    return make


# The documented rules, checked on request bodies: lists of what is wrong


def _anthropic_faults(body: dict[str, Any]) -> list[str]:
    faults = []
    roles = [message["role"] for message in body["messages"]]
    if roles[:1] != ["user"]:
        faults.append("the first message is not the user's")
    if any(one == other for one, other in pairwise(roles)):
        faults.append("two messages of one role in a row")
    contents = [message["content"] for message in body["messages"]] + [body.get("system", [])]
    given = [block for content in contents for block in content]
    if not all(contents[:-1]):
        faults.append("a message without content")
    if any(not block["text"].strip() for block in given):
        faults.append("blank text")
    if sum("cache_control" in block for block in given) > 4:
        faults.append("more than 4 cache marks")
    return faults


def _openai_faults(body: dict[str, Any]) -> list[str]:
    faults = []
    legacy = not body.get("model", "gpt-5.6").startswith("gpt-5.6")
    messages = body["messages"] if "messages" in body else body["input"]
    marks = 0
    for message in messages:
        parts = [] if isinstance(message["content"], str) else message["content"]
        texts = [message["content"]] if isinstance(message["content"], str) else [part["text"] for part in parts]
        if not texts or any(not text.strip() for text in texts):
            faults.append("blank text")
        marked = sum("prompt_cache_breakpoint" in part for part in parts)
        marks += marked
        if marked and message["role"] == "assistant":
            faults.append("a breakpoint on what the assistant said")
        if "input" in body and message["role"] == "assistant" and any(p["type"] == "input_text" for p in parts):
            faults.append("input_text of the assistant")
    if legacy and (marks or "prompt_cache_options" in body):
        faults.append("breakpoints for a model that refuses them")
    if not marks and body.get("prompt_cache_options", {}).get("mode") == "explicit":
        faults.append("explicit mode without a breakpoint: nothing is cached")
    return faults


def _gemini_faults(body: dict[str, Any]) -> list[str]:
    faults = []
    roles = [content["role"] for content in body["contents"]]
    if roles[:1] != ["user"] or set(roles) - {"user", "model"}:
        faults.append("roles that are not user and model, user first")
    if any(one == other for one, other in pairwise(roles)):
        faults.append("two contents of one role in a row")
    if any(not part.get("text", "x").strip() for content in body["contents"] for part in content["parts"]):
        faults.append("blank text")
    return faults


@pytest.fixture(scope="session")
def faults() -> Callable[[str, dict[str, Any]], list[str]]:
    rules = {"anthropic": _anthropic_faults, "openai": _openai_faults, "gemini": _gemini_faults}
    return lambda provider, body: rules[provider](body)


# Caches that keep the documented rules: ``send`` takes a request's body and says how many blocks were read

_Prefix = tuple[tuple[str, str], ...]
_Flat = list[tuple[str, str, bool]]


def _flat(body: dict[str, Any]) -> _Flat:
    """The blocks of a request in the provider's order: role, text, whether it is marked."""
    blocks: _Flat = []
    for block in body.get("system", []):
        blocks.append(("system", block["text"], "cache_control" in block))
    for message in body.get("messages", body.get("input", [])):
        content = message["content"]
        for part in [{"text": content}] if isinstance(content, str) else content:
            marked = "cache_control" in part or "prompt_cache_breakpoint" in part
            blocks.append((message["role"], part["text"], marked))
    return blocks


@pytest.fixture(scope="session")
def flat() -> Callable[[dict[str, Any]], _Flat]:
    return _flat


def _prefixes(blocks: _Flat) -> list[_Prefix]:
    plain = [(role, text) for role, text, _ in blocks]
    return [tuple(plain[: end + 1]) for end in range(len(plain))]


class _LookingBack:
    """A cache as Anthropic documents it: written at marks, read 20 blocks back, the marked one counted."""

    def __init__(self) -> None:
        self.entries: set[_Prefix] = set()

    def send(self, body: dict[str, Any]) -> int:
        """How many blocks of the request were read."""
        blocks = _flat(body)
        ends = _prefixes(blocks)
        marks = [at for at, (_, _, mark) in enumerate(blocks) if mark]
        read = max(
            (at + 1 for mark in marks for at in range(max(0, mark - 19), mark + 1) if ends[at] in self.entries),
            default=0,
        )
        self.entries.update(ends[mark] for mark in marks)
        return read


class _AtBreakpoints:
    """A cache as OpenAI documents it: matched at the latest 80 breakpoints, written at the latest 4."""

    def __init__(self) -> None:
        self.entries: set[_Prefix] = set()

    def send(self, body: dict[str, Any]) -> int:
        blocks = _flat(body)
        ends = _prefixes(blocks)
        marks = [at for at, (_, _, mark) in enumerate(blocks) if mark][-80:]
        read = max((mark + 1 for mark in marks if ends[mark] in self.entries), default=0)
        self.entries.update(ends[mark] for mark in marks[-4:])
        return read


@pytest.fixture(scope="session")
def looking_back() -> Callable[[], _LookingBack]:
    return _LookingBack


@pytest.fixture(scope="session")
def at_breakpoints() -> Callable[[], _AtBreakpoints]:
    return _AtBreakpoints


# The types of an SDK, taken at their word


def _misfits(value: Any, wanted: Any, where: str = "") -> list[str]:
    """Where a value departs from an annotation made of TypedDicts, Literals, unions and containers."""
    from typing_extensions import get_type_hints  # comes with every SDK

    origin, args = typing.get_origin(wanted), typing.get_args(wanted)
    if wanted is Any or wanted is object:
        return []
    if str(origin) in ("typing.Required", "typing.NotRequired", "typing.Annotated") or (
        getattr(origin, "__name__", "") in ("Required", "NotRequired", "Annotated")
    ):
        return _misfits(value, args[0], where)
    if isinstance(wanted, typing.TypeVar) or hasattr(wanted, "__value__"):
        return _misfits(value, getattr(wanted, "__value__", Any), where)
    if origin in (typing.Union, types.UnionType):
        attempts = [_misfits(value, each, where) for each in args]
        return [] if [] in attempts else [f"{where}: fits nothing of the union ({min(attempts, key=len)})"]
    if origin is typing.Literal or getattr(origin, "__name__", "") == "Literal":
        return [] if value in args else [f"{where}: {value!r} is not one of {args}"]
    if hasattr(wanted, "__required_keys__"):
        if not isinstance(value, dict):
            return [f"{where}: no dict"]
        hints = get_type_hints(wanted, include_extras=True)
        kinds = {key: getattr(typing.get_origin(hint), "__name__", "") for key, hint in hints.items()}
        # Annotations are strings in the SDKs, so that the class itself does not know what is required.
        needed = {key for key in wanted.__required_keys__ if kinds[key] != "NotRequired"}
        needed |= {key for key, kind in kinds.items() if kind == "Required"}
        wrong = [f"{where}.{key}: unknown to {wanted.__name__}" for key in value if key not in hints]
        wrong += [f"{where}.{key}: missing" for key in sorted(needed - set(value))]
        for key in set(value) & set(hints):
            wrong += _misfits(value[key], hints[key], f"{where}.{key}")
        return wrong
    if origin is dict or origin in (typing.Mapping,):
        return [] if isinstance(value, dict) else [f"{where}: no dict"]
    if origin is not None and isinstance(origin, type) and issubclass(origin, Iterable):
        if not isinstance(value, list):
            return [f"{where}: no list"]
        return [fault for at, each in enumerate(value) for fault in _misfits(each, args[0], f"{where}[{at}]")]
    if hasattr(wanted, "_is_protocol"):  # a sequence of str, spelt so that str itself does not pass
        return [] if isinstance(value, list) else [f"{where}: no list"]
    return [] if isinstance(value, wanted) else [f"{where}: {value!r} is no {wanted}"]


@pytest.fixture(scope="session")
def misfits() -> Callable[..., list[str]]:
    return _misfits


@pytest.fixture(scope="session")
def fresh_python() -> Callable[[str], str]:
    """Run a program in an interpreter of its own; what it printed."""

    def run(program: str) -> str:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
        )
        return done.stdout.strip()

    return run


# A server that speaks all four interfaces


@dataclass
class Server:
    """``bodies`` are the requests as they came, with their paths; ``answers`` is what to say next."""

    url: str = ""
    bodies: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.bodies.append((path, body))
        said = self.answers.pop(0) if self.answers else f"Answer {len(self.bodies)}."
        if path.endswith("/messages"):
            faults, reply = _anthropic_faults(body), _anthropic_reply(said)
        elif path.endswith("/chat/completions"):
            faults, reply = _openai_faults(body), _chat_reply(said)
        elif path.endswith("/responses"):
            faults, reply = _openai_faults(body), _responses_reply(said)
        elif ":generateContent" in path:
            faults, reply = _gemini_faults(body), _gemini_reply(said)
        else:
            faults, reply = ["no such path"], {}
        error = {"type": "invalid_request_error", "message": "; ".join(faults), "code": 400}
        return (400, {"type": "error", "error": error}) if faults else (200, reply)


def _anthropic_reply(said: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": said}] if isinstance(said, str) else said
    usage = {
        "input_tokens": 1,
        "output_tokens": 1,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": content,
        "stop_reason": "end_turn", "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _chat_reply(said: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": said} if isinstance(said, str) else said
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {
        "id": "c_1", "object": "chat.completion", "created": 1, "model": "gpt", "choices": [choice],
        "usage": usage,
    }  # fmt: skip


def _responses_reply(said: Any) -> dict[str, Any]:
    text = {"type": "output_text", "text": said, "annotations": []}
    item = {"type": "message", "id": "m_1", "role": "assistant", "status": "completed", "content": [text]}
    return {
        "id": "r_1", "object": "response", "created_at": 1, "model": "gpt", "status": "completed",
        "output": [item] if isinstance(said, str) else said, "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [], "error": None, "incomplete_details": None, "instructions": None, "metadata": {},
        "temperature": 1.0, "top_p": 1.0,
    }  # fmt: skip


def _gemini_reply(said: Any) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": said}] if isinstance(said, str) else said}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "modelVersion": "gemini",
    }


@pytest.fixture
def server() -> Iterator[Server]:
    """A provider on the loopback interface that refuses whatever breaks the documented rules."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = state.answer(self.path.partition("?")[0], body)
            raw = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        state.url = f"http://127.0.0.1:{listening.server_address[1]}"
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield state
        listening.shutdown()
        thread.join()
