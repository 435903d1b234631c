"""What tests of the memory share: data that is not part of the repository, conversations, and a reader of requests.

The reader is written from the documentation of what is sent, not from the code that sends it: it takes a request
apart into recalled blocks, turns as themselves, outside material and the query, and fails where anything else stands.

``BYHEART_TESTS=long`` runs many more generated examples than the default.
"""

from __future__ import annotations

import gc
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import byheart

ROOT = Path(__file__).resolve().parents[1]
LONG = os.environ.get("BYHEART_TESTS") == "long"

# Machines are shared: no deadline, and no complaint that generating took long.
settings.register_profile("quick", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", settings.get_profile("quick"), max_examples=1_000)
settings.load_profile("long" if LONG else "quick")


@pytest.fixture(scope="session")
def effort() -> Callable[[int], int]:
    """How many examples a test runs: the number given, twenty times that with ``BYHEART_TESTS=long``."""
    return lambda examples: examples * (20 if LONG else 1)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with locomo10.json, or a skip that says where it was looked for."""
    folder = Path(os.environ.get("BYHEART_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "locomo10.json").is_file():
        pytest.skip(f"locomo10.json is not in {folder}; BYHEART_DATA names the folder that holds it")
    return folder


@dataclass(frozen=True)
class Conversation:
    """A LoCoMo conversation: turns as (role, text, when), sessions as [lo, hi), questions with the turns that answer them."""

    name: str
    turns: list[tuple[str, str, str]]
    sessions: list[tuple[int, int]]
    questions: list[tuple[str, set[int]]]


def _conversation(entry: dict[str, Any]) -> Conversation:
    said = entry["conversation"]
    turns: list[tuple[str, str, str]] = []
    sessions: list[tuple[int, int]] = []
    numbers: dict[str, int] = {}
    for session in sorted((key for key in said if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:])):
        lo = len(turns)
        for turn in said[session]:
            numbers[turn["dia_id"]] = len(turns)
            shares = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            role = "user" if turn["speaker"] == said["speaker_a"] else "assistant"
            turns.append((role, f"{turn['speaker']}: {turn['text']}{shares}", said[f"{session}_date_time"]))
        sessions.append((lo, len(turns)))
    questions = []
    for question in entry["qa"]:
        named = re.findall(r"D:?(\d+):(\d+)", " ".join(question.get("evidence", ())))
        gold = {numbers[key] for key in (f"D{session}:{int(turn)}" for session, turn in named) if key in numbers}
        if gold:
            questions.append((question["question"], gold))
    return Conversation(entry["sample_id"], turns, [span for span in sessions if span[0] < span[1]], questions)


@pytest.fixture(scope="session")
def locomo(data: Path) -> list[Conversation]:
    """The ten conversations of LoCoMo."""
    return [_conversation(entry) for entry in json.loads((data / "locomo10.json").read_text(encoding="utf-8"))]


# Taking a request apart

_SPEAKER = re.compile(r"(user|assistant)( \(excerpts from [0-9,]+ characters\))?: ", re.DOTALL)
_DATE = re.compile(r"\[[^\[\]\n]+\]")
_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


@dataclass
class Shown:
    """One turn as a request shows it: in a recalled block or as itself, whole or in excerpts.

    ``text`` are its words; ``raw`` what they are if what looks like its speaker in front belongs to them.
    """

    role: str
    text: str
    raw: str
    recalled: bool
    excerpts: bool = False
    date: str | None = None


@dataclass
class Request:
    """A request taken apart. ``context`` are all parts that memory contributes, ``shown`` the turns in them."""

    context: list[tuple[str, str]] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    blocks: list[list[Shown]] = field(default_factory=list)
    outside: str | None = None
    query: Shown | None = None
    stable: list[tuple[str, str]] = field(default_factory=list)


def _lines(text: str) -> Iterator[str]:
    """Lines as they stand in a block: ended by a newline that no further line of a turn follows."""
    yield from re.split(r"\n(?!  )", text)


def _unindented(text: str) -> str:
    return re.sub(f"(\r\n|[{_BREAKS}])  ", r"\1", text)


def read_block(text: str) -> list[Shown]:
    """The turns of a recalled block."""
    first, *lines = _lines(text)
    assert first == byheart.MARKER, f"a block opens with the marker, this one with {first!r}"
    shown: list[Shown] = []
    date: str | None = None
    for line in lines:
        speaker = _SPEAKER.match(line)
        if speaker:
            words = _unindented(line[speaker.end() :])
            shown.append(Shown(speaker[1], words, words, recalled=True, excerpts=speaker[2] is not None, date=date))
        elif _DATE.fullmatch(line):
            date = line[1:-1]
        else:
            assert line == "", f"in a block stand a date, a speaker or nothing, not {line!r}"
    assert shown, f"a block with no turn: {text!r}"
    return shown


def _read_itself(role: str, text: str) -> Shown:
    """A turn as itself: perhaps behind a date, perhaps with its speaker in front."""
    date = None
    first, found, rest = text.partition("\n")
    if found and _DATE.fullmatch(first):
        date, text = first[1:-1], rest
    speaker = _SPEAKER.match(text)
    if speaker and speaker[1] == role:
        words = _unindented(text[speaker.end() :])
        return Shown(role, words, text, recalled=False, excerpts=speaker[2] is not None, date=date)
    return Shown(role, text, text, recalled=False, date=date)


def read_request(result: Any, *, asked: bool = True) -> Request:
    """A request taken apart, its shape checked. ``asked`` says that the query is not blank, and so stands last."""
    messages = result["messages"]
    request = Request()
    for before, message in zip([None, *messages], messages, strict=False):
        assert set(message) == {"role", "parts"}
        assert message["role"] in ("user", "assistant")
        assert message["parts"], "a message without parts"
        if before is None:
            assert message["role"] == "user", "a request starts with the user"
        else:
            assert (before["role"], message["role"]) != ("assistant", "assistant"), "two assistant messages in a row"
        for part in message["parts"]:
            assert set(part) == {"type", "text"}
            assert part["type"] == "text"
            assert part["text"].strip(), "a blank part"
            part["text"].encode()  # a lone surrogate would fail
    rest = [[(message["role"], part["text"]) for part in message["parts"]] for message in messages]
    assert -1 <= result["stable_upto"] < len(rest)
    request.stable = [part for message in rest[: result["stable_upto"] + 1] for part in message]
    if asked:
        *rest, [(role, text)] = rest
        assert role == "user"
        request.query = _read_itself(role, text)
    if rest and rest[-1][0][1].startswith("[retrieved from external sources"):
        *rest, [(role, request.outside)] = rest
        assert role == "user"
        assert "not instructions" in request.outside
    assert result["stable_upto"] < len(rest), "the query and outside material never repeat"
    request.context = [part for message in rest for part in message]
    for at, (role, text) in enumerate(request.context):
        if text.startswith(byheart.MARKER):
            assert role == "user", "a recalled block is a user message"
            request.blocks.append(read_block(text))
            request.shown += request.blocks[-1]
        elif at == 0 and len(rest[0]) == 1 and text == "[the assistant speaks first]":
            assert request.context[1][0] == "assistant"
        else:
            request.shown.append(_read_itself(role, text))
    return request


@pytest.fixture(scope="session")
def read() -> Callable[..., Request]:
    """A request taken apart, see :func:`read_request`."""
    return read_request


@pytest.fixture(scope="session")
def context_text() -> Callable[[Any], str]:
    """All that a result sends before the query, as one string."""

    def joined(result: Any) -> str:
        return "\n".join(part["text"] for message in result["messages"][:-1] for part in message["parts"])

    return joined


@pytest.fixture
def talk() -> Callable[..., byheart.Memory]:
    """A memory with exchanges about subjects: ``talk({"cats": 8, "boats": 4}, budget=1_000)``."""

    def make(subjects: dict[str, int], **options: Any) -> byheart.Memory:
        memory = byheart.Memory(**options)
        for subject, exchanges in subjects.items():
            for number in range(exchanges):
                memory.append("user", f"question {number} about {subject}, asked in some more words")
                memory.append("assistant", f"answer {number} on {subject}, given at about this length")
        return memory

    return make


def _reachable(root: object) -> str:
    """Every str and bytes that can be reached from an object, as one text. Modules and classes are not entered."""
    seen: set[int] = set()
    found: list[str] = []
    todo: list[object] = [root]
    while todo:
        each = todo.pop()
        if id(each) in seen or isinstance(each, (type, ModuleType, BuiltinFunctionType, CodeType, FrameType)):
            continue
        seen.add(id(each))
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, (bytes, bytearray)):
            found.append(each.decode("latin-1"))
        elif isinstance(each, FunctionType):
            todo.extend(each.__closure__ or ())
        else:
            todo.extend(each if isinstance(each, dict) else ())  # keys, which the collector has no need to follow
            todo.extend(gc.get_referents(each))
    return "\n".join(found)


@pytest.fixture(scope="session")
def reachable() -> Callable[[object], str]:
    """Every text that an object leads to, by whatever way: what is not in it is nowhere in the object."""
    return _reachable
