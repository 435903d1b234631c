"""A compose result as a flat list of blocks: what every provider's request is built from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from byheart import errors

ROLES = ("user", "assistant")


@dataclass(frozen=True)
class Block:
    """A part of message number ``message``; ``stable``: it repeats byte for byte in the next request."""

    role: str
    text: str
    message: int
    stable: bool


def blocks(result: Mapping[str, Any]) -> list[Block]:
    """The parts of a compose result in order; blank ones, which providers refuse, are left out.

    Raises TypeError or ValueError, naming the position, for anything that is not such a result.

    >>> blocks({"messages": [{"role": "user", "parts": [{"type": "text", "text": "hi"}]}], "stable_upto": -1})
    [Block(role='user', text='hi', message=0, stable=False)]
    """
    if not isinstance(result, Mapping) or "messages" not in result or "stable_upto" not in result:
        raise TypeError(f'expected what compose returns, a dict with "messages" and "stable_upto", got {shown(result)}')
    messages, upto = result["messages"], result["stable_upto"]
    if not _is_sequence(messages):
        raise TypeError(f"messages must be a list, got {shown(messages)}")
    if not isinstance(upto, int) or isinstance(upto, bool):
        raise TypeError(f"stable_upto must be an int, got {shown(upto)}")
    if not -1 <= upto < len(messages):
        raise ValueError(f"stable_upto must be from -1 to {len(messages) - 1}, the last message, got {upto}")
    found = []
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        if not isinstance(message, Mapping) or not _is_sequence(message.get("parts")):
            raise TypeError(f'{where} must be a dict with "role" and a list of "parts", got {shown(message)}')
        role = message.get("role")
        if role not in ROLES:
            raise ValueError(f'{where}: role must be "user" or "assistant", got {shown(role)}')
        for number, part in enumerate(message["parts"]):
            if not isinstance(part, Mapping) or part.get("type") != "text" or not isinstance(part.get("text"), str):
                raise TypeError(f'{where}.parts[{number}] must be {{"type": "text", "text": str}}, got {shown(part)}')
            if part["text"].strip():
                found.append(Block(role, part["text"], index, index <= upto))
    return found


def by_message(found: Iterable[Block]) -> list[list[int]]:
    """The positions of the blocks, a list a message."""
    return _runs(found, lambda block: block.message)


def by_role(found: Iterable[Block]) -> list[list[int]]:
    """The positions of the blocks, a list for each run of messages with one role."""
    return _runs(found, lambda block: block.role)


def system_prompt(system: str | None) -> str | None:
    """The system prompt, None for a blank one: providers refuse blank text there too."""
    if system is not None and not isinstance(system, str):
        raise TypeError(f"system must be a str or None, got {shown(system)}")
    return system if system is not None and system.strip() else None


def shown(value: object) -> str:
    """A value as an error message shows it: short, with its type."""
    if value is None:
        return "None"
    if isinstance(value, int):
        return errors.shown(value)
    text = repr(value) if isinstance(value, (str, float)) else ""
    if isinstance(value, Mapping):
        text = "{" + ", ".join(f"{str(key)[:20]!r}: ..." for key in list(value)[:4]) + "}"
    return f"{text[:60]}{'...' * (len(text) > 60)} ({type(value).__name__})" if text else type(value).__name__


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _runs(found: Iterable[Block], key: Any) -> list[list[int]]:
    return [[at for at, _ in run] for _, run in groupby(enumerate(found), lambda pair: key(pair[1]))]
