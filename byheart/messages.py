"""A context as messages that any provider accepts.

They start with a user message, and no two assistant messages stand in a row: a second one becomes another part
of the first. Consecutive user messages stay separate, so that what changes never shares one with what repeats.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypedDict

from byheart.rendering import OPENING


class Part(TypedDict):
    """A text block."""

    type: Literal["text"]
    text: str


class Message(TypedDict):
    """A message of one or more parts."""

    role: str
    parts: list[Part]


class ExcerptDict(TypedDict):
    """A turn sent in parts: ``spans`` are [start, end) in characters of its text as it is shown."""

    turn: int
    spans: list[list[int]]


class Composed(TypedDict):
    """What ``Memory.compose`` returns.

    ``messages``: ready to send, the query last. ``mode``: ``passthrough`` (everything) or ``assembled``.
    ``chars``: what memory contributes, in the memory's measure (characters unless told otherwise), the query and outside material not
    counted. ``reselected``: the context was rebuilt, so the previous prefix is broken. ``selected``: stretches of which
    something is sent, ``of_units``: stretches there are. ``included``: indices of turns sent whole, ``excerpts``: turns
    sent in parts. ``stable_upto``: index in ``messages`` of the last one whose parts all repeat byte for byte next
    time; -1: none.
    """

    messages: list[Message]
    mode: Literal["passthrough", "assembled"]
    chars: float
    reselected: bool
    selected: int
    of_units: int
    included: list[int]
    excerpts: list[ExcerptDict]
    stable_upto: int


def part(text: str) -> Part:
    """A text block."""
    return {"type": "text", "text": text}


def messages(parts: Iterable[tuple[str, str]]) -> list[Message]:
    """Messages from (role, text) parts, in their order.

    >>> [m["role"] for m in messages([("assistant", "hi"), ("assistant", "there"), ("user", "yes?")])]
    ['user', 'assistant', 'user']
    """
    composed: list[Message] = []
    for role, text in parts:
        if role == "assistant":
            if not composed:
                composed.append({"role": "user", "parts": [part(OPENING)]})
            if composed[-1]["role"] == "assistant":
                composed[-1]["parts"].append(part(text))
                continue
        composed.append({"role": role, "parts": [part(text)]})
    return composed
