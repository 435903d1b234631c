"""Finding and reading the data that is measured on: LoCoMo as it is, and LoCoMo with long replies.

LoCoMo (Maharana et al., ACL 2024) is not part of the repository. The folder that holds
``locomo10.json`` is named by ``--data``, else by the environment variable ``BYHEART_DATA``,
else it is ``../shared/data`` beside the repository.
"""

from __future__ import annotations

import copy
import datetime
import hashlib
import json
import os
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = "BYHEART_DATA"
FILE = "locomo10.json"

#: The conversations the ranking and the defaults were tuned on. The other six were only measured.
TUNING = ("conv-26", "conv-30", "conv-42", "conv-47")

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}

_TURN_ID = re.compile(r"D:?(\d+):(\d+)")
_SESSION_DATE = re.compile(r"(\d{1,2}):(\d{2}) ([ap]m) on (\d{1,2}) ([A-Z][a-z]+), (\d{4})")


class DataMissingError(Exception):
    """The data set a benchmark needs is not there; the message says where it was looked for."""


@dataclass(frozen=True)
class Turn:
    """One thing said, as it is appended to a memory. ``id`` is LoCoMo's ``dia_id``."""

    id: str
    role: str
    text: str
    when: str
    session: int


@dataclass(frozen=True)
class Question:
    """A question with the turns that hold its answer, as indices into the conversation's turns."""

    id: str
    text: str
    category: int
    gold: tuple[int, ...]


@dataclass(frozen=True)
class Session:
    """Turns ``lo`` to ``hi`` (exclusive), said on one day."""

    when: str
    start: datetime.datetime | None
    lo: int
    hi: int


@dataclass(frozen=True)
class Conversation:
    """One conversation: its turns in order, its sessions, and the questions that name evidence."""

    id: str
    turns: tuple[Turn, ...]
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """The turns as ``(role, text, when)``."""
        return ((turn.role, turn.text, turn.when) for turn in self.turns)


def find(data: str | os.PathLike[str] | None = None) -> Path:
    """The folder that holds the data sets.

    ``data`` may name the folder or ``locomo10.json`` in it. DataMissingError says what to do.
    """
    named = data or os.environ.get(VARIABLE)
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if folder.is_file():
        folder = folder.parent
    if not (folder / FILE).is_file():
        raise DataMissingError(
            f"expected {FILE} in {folder}, found none: name the folder that holds it with --data or in "
            f"{VARIABLE} (LoCoMo is at github.com/snap-research/LoCoMo, data/{FILE})"
        )
    return folder


def read(data: str | os.PathLike[str] | None = None) -> list[dict[str, Any]]:
    """LoCoMo as its file says it, unchanged."""
    loaded: list[dict[str, Any]] = json.loads((find(data) / FILE).read_text(encoding="utf-8"))
    return loaded


def checksum(data: str | os.PathLike[str] | None = None) -> str:
    """SHA-256 of the file measured on, so that a result says which data it speaks of."""
    return hashlib.sha256((find(data) / FILE).read_bytes()).hexdigest()


def load(
    data: str | os.PathLike[str] | None = None,
    *,
    long_replies: bool = False,
    only: Sequence[str] | None = None,
) -> list[Conversation]:
    """The ten conversations, or those named in ``only``, with long replies if asked."""
    raw = read(data)
    if long_replies:
        raw = lengthen(raw)
    conversations = [parse(entry) for entry in raw]
    if only is None:
        return conversations
    unknown = sorted(set(only) - {c.id for c in conversations})
    if unknown:
        raise ValueError(
            f"no such conversation: {', '.join(unknown)}; there are {', '.join(c.id for c in conversations)}"
        )
    return [c for c in conversations if c.id in only]


def session_numbers(conversation: Mapping[str, Any]) -> Iterator[int]:
    """1, 2, 3... as long as LoCoMo has a session or at least a date under that number."""
    number = 1
    while f"session_{number}" in conversation or f"session_{number}_date_time" in conversation:
        yield number
        number += 1


def parse(entry: Mapping[str, Any]) -> Conversation:
    """One entry of the file as a Conversation. Sessions without turns are left out."""
    talk = entry["conversation"]
    turns: list[Turn] = []
    sessions: list[Session] = []
    for number in session_numbers(talk):
        when = talk.get(f"session_{number}_date_time", "")
        lo = len(turns)
        for said in talk.get(f"session_{number}", []):
            caption = said.get("blip_caption")
            turns.append(
                Turn(
                    id=said["dia_id"],
                    role="user" if said["speaker"] == talk["speaker_a"] else "assistant",
                    text=f"{said['speaker']}: {said['text']}" + (f" [shares {caption}]" if caption else ""),
                    when=when,
                    session=len(sessions),
                )
            )
        if len(turns) > lo:
            sessions.append(Session(when=when, start=parse_date(when), lo=lo, hi=len(turns)))
    position = {turn.id: index for index, turn in enumerate(turns)}
    questions = []
    for number, asked in enumerate(entry["qa"]):
        gold = sorted({position[i] for i in turn_ids(asked.get("evidence", [])) if i in position})
        if gold:
            questions.append(
                Question(
                    id=f"{entry['sample_id']}/{number}",
                    text=asked["question"],
                    category=asked["category"],
                    gold=tuple(gold),
                )
            )
    return Conversation(entry["sample_id"], tuple(turns), tuple(sessions), tuple(questions))


def turn_ids(evidence: Sequence[str]) -> list[str]:
    """The turn ids in a list of evidence, malformed ones made well-formed.

    >>> turn_ids(["D8:6; D9:17", "D:11:26", "D30:05", "D"])
    ['D8:6', 'D9:17', 'D11:26', 'D30:5']
    """
    return [f"D{int(session)}:{int(turn)}" for text in evidence for session, turn in _TURN_ID.findall(text)]


def parse_date(text: str) -> datetime.datetime | None:
    """LoCoMo's way of writing a session's start; None for anything else.

    >>> parse_date("1:56 pm on 8 May, 2023")
    datetime.datetime(2023, 5, 8, 13, 56)
    """
    found = _SESSION_DATE.fullmatch(text.strip())
    if not found:
        return None
    hour, minute, half, day, month, year = found.groups()
    return datetime.datetime.strptime(f"{hour}:{minute} {half} {day} {month} {year}", "%I:%M %p %d %B %Y")


def _loose_sentences(talk: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """What was said in a conversation, sentence by sentence, speakers' names taken out, scraps left out."""
    name = re.compile(rf"\b(?:{'|'.join(re.escape(n) for n in names)})\b[,!]?\s*")
    texts = (said["text"] for n in session_numbers(talk) for said in talk.get(f"session_{n}", []))
    pieces = (name.sub("", piece).strip() for text in texts for piece in re.split(r"(?<=[.!?])\s+", text))
    return [piece for piece in pieces if len(piece) > 30]


def lengthen(raw: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """LoCoMo reshaped like a chat with an assistant: short user turns, replies of thousands of characters.

    Every turn of the second speaker is followed by sentences drawn, seeded by the conversation's
    id, from the other conversations, until it holds 1,500 to 5,500 characters. Questions and
    evidence stay, so that recall can be compared with the plain file.
    """
    result = [dict(copy.deepcopy(entry)) for entry in raw]
    names = sorted({entry["conversation"][key] for entry in raw for key in ("speaker_a", "speaker_b")})
    sentences = {entry["sample_id"]: _loose_sentences(entry["conversation"], names) for entry in raw}
    for entry in result:
        own, talk = entry["sample_id"], entry["conversation"]
        foreign = [text for source, texts in sentences.items() if source != own for text in texts]
        draw = random.Random(own)
        for number in session_numbers(talk):
            for said in talk.get(f"session_{number}", []):
                if said["speaker"] != talk["speaker_b"]:
                    continue
                wanted = draw.randint(1500, 5500)
                while len(said["text"]) < wanted:
                    paragraph = draw.random() < 0.2
                    said["text"] += ("\n\n" if paragraph else " ") + draw.choice(foreign)
    return result
