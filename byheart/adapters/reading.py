"""Message lists of any provider into turns: what :func:`read` of every adapter is built from.

A memory holds two speakers and text. So a tool call and its result become text of the assistant turn that
made the call, a call and its result side by side, and whatever is no text becomes a short placeholder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from byheart.adapters.blocks import shown
from byheart.errors import InputError
from byheart.rendering import indented

_KINDS = {"image_url": "image", "input_image": "image", "input_audio": "audio", "input_file": "file"}
_LONGEST_LABEL = 80


@dataclass(eq=False)
class _Call:
    name: str
    arguments: str
    key: str | None
    turn: _Turn
    results: list[tuple[str, str]] = field(default_factory=list)  # what it is, its text

    def __str__(self) -> str:
        return "\n".join(
            f"[{kind}: {self.name}]" + (f"\n  {indented(text)}" if text else "")
            for kind, text in [("tool call", self.arguments), *self.results]
        )


@dataclass(eq=False)
class _Turn:
    role: str
    when: Any
    pieces: list[list[str] | _Call] = field(default_factory=list)
    ends_in_text: bool = False
    unanswered: int = 0
    waiting: bool = False  # for results, say: what the assistant says next belongs to this turn

    def as_dict(self) -> dict[str, Any]:
        texts = (str(piece) if isinstance(piece, _Call) else "".join(piece) for piece in self.pieces)
        return {"role": self.role, "text": "\n".join(filter(None, texts)), "when": self.when}


class Transcript:
    """Turns in the making: told of each message that it begins, what is in it, and that it ends."""

    def __init__(self, skip_roles: Iterable[str]) -> None:
        if isinstance(skip_roles, str):
            raise TypeError(f"skip_roles must be a collection of role names, such as [{skip_roles!r}], not a str")
        self._skip = frozenset(skip_roles)
        self._turns: list[_Turn] = []
        self._turn: _Turn | None = None  # the one the present message goes to; None: none yet
        self._role = "user"
        self._when: Any = None
        self._calls: dict[Any, _Call] = {}
        self._unanswered: dict[int, _Call] = {}

    def turns(self) -> list[dict[str, Any]]:
        return [turn.as_dict() for turn in self._turns]

    # The way in

    def messages(
        self, given: Iterable[Any], from_str: Callable[[str], Mapping[str, Any]] | None = None
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Each message as a mapping, with its position for errors; ``from_str`` reads a bare string."""
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            cure = "; pass its list alone" if isinstance(given, Mapping) else ""
            raise TypeError(f"messages must be a list of messages, got {shown(given)}{cure}")
        for index, message in enumerate(given):
            where = f"messages[{index}]"
            yield where, from_str(message) if from_str and isinstance(message, str) else plain(message, where)

    def parts(self, content: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Each part of a message's content as a mapping, with its position; None holds no part."""
        if content is None:
            return
        if not isinstance(content, Sequence) or isinstance(content, (str, bytes)):
            raise InputError(f"{where}: expected text or a list of parts, got {shown(content)}")
        for number, part in enumerate(content):
            here = f"{where}[{number}]"
            yield here, {"type": "text", "text": part} if isinstance(part, str) else plain(part, here)

    def role(self, message: Mapping[str, Any], where: str, roles: Mapping[str, str]) -> str | None:
        """What ``roles`` makes of the message's role; None where it is to be left out."""
        role = message.get("role")
        if isinstance(role, str) and role in self._skip:
            return None
        if not isinstance(role, str) or role not in roles:
            cure = f"; skip_roles=[{role!r}] leaves such messages out" if isinstance(role, str) else ""
            expected = ", ".join(map(repr, roles))
            raise InputError(f"{where}: role must be one of {expected}, got {shown(role)}{cure}")
        return roles[role]

    # What a message holds

    def begin(self, role: str, message: Mapping[str, Any], where: str, *, goes_on: bool = False) -> None:
        """A message of this role begins. ``goes_on``: it continues an assistant's turn just before it."""
        when = message.get("when")
        if not isinstance(when, (str, date, type(None))):
            raise InputError(f'{where}: "when" must be a str, a date, a datetime or None, got {shown(when)}')
        self._role, self._when = role, when
        last = self._turns[-1] if self._turns else None
        if last is not None and role == last.role == "assistant" and (goes_on or last.waiting):
            self._turn = last

    def end(self, *, goes_on: bool = False) -> None:
        """The present message is over. ``goes_on``: what the assistant says next belongs to the same turn."""
        if self._turn is not None:
            self._turn.waiting = goes_on or self._turn.unanswered > 0
        self._turn = None

    def text(self, text: str, *, glued: bool = False) -> None:
        """Words that were said; ``glued``: they continue the ones before without a line break."""
        turn = self._present()
        last = turn.pieces[-1] if glued and turn.ends_in_text else None
        if isinstance(last, list):
            last.append(text)
        else:
            turn.pieces.append([text])
        turn.ends_in_text = True

    def note(self, text: str) -> None:
        """A line about something that is no text."""
        turn = self._present()
        turn.pieces.append([text])
        turn.ends_in_text = False

    def call(self, name: Any, arguments: Any, keys: Iterable[Any], where: str) -> None:
        """A tool is called; results name one of ``keys``, or the tool where there is none."""
        if "tool" in self._skip:
            return
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"{where}: expected a tool call with a name, got {shown(name)}")
        keys = [key for key in keys if key is not None]
        if not all(isinstance(key, str) for key in keys):
            raise InputError(f"{where}: the id of a tool call must be a str, got {shown(keys[0])}")
        text = _arguments(arguments, where)  # before the turn is begun: it may be refused
        turn = self._present()
        call = _Call(label(name), text, keys[0] if keys else None, turn)
        turn.pieces.append(call)
        turn.ends_in_text = False
        turn.unanswered += 1
        self._unanswered[id(call)] = call
        self._calls.update(dict.fromkeys(keys, call))

    def result(self, key: Any, name: Any, text: str, where: str, *, failed: bool = False) -> None:
        """A tool's result, put beside its call, however far back that is."""
        if "tool" in self._skip:
            return
        call = self._calls.get(key) if isinstance(key, str) else None
        if call is None and isinstance(name, str):
            asked = label(name)
            fits = (each for each in self._unanswered.values() if each.name == asked and None in (each.key, key))
            call = next(fits, None)
        if call is None:
            raise InputError(
                f"{where}: a tool result whose call is not among the messages before it: "
                f"{shown(name if key is None else key)}; pass the messages from "
                'the call on, or skip_roles=["tool"], which leaves out calls and results'
            )
        call.results.append(("tool error" if failed else "tool result", text))
        if self._unanswered.pop(id(call), None):
            call.turn.unanswered -= 1

    def _present(self) -> _Turn:
        if self._turn is None:
            self._turn = _Turn(self._role, self._when)
            self._turns.append(self._turn)
        return self._turn


# Values


def plain(value: Any, where: str) -> Mapping[str, Any]:
    """A message or part as a mapping: itself, or what an SDK's object dumps."""
    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        dumped = dump(exclude_none=True, warnings=False)
        if isinstance(dumped, Mapping):
            return dumped
    raise InputError(f"{where}: expected a dict or an object of the provider's SDK, got {shown(value)}")


def typed(part: Mapping[str, Any], where: str) -> str:
    """The ``type`` of a part."""
    sort = part.get("type")
    if not isinstance(sort, str) or not sort:
        raise InputError(f'{where}: expected a part with a "type", got {shown(part)}')
    return sort


def text_of(part: Mapping[str, Any], key: str, where: str) -> str:
    """The text a part holds under ``key``."""
    text = part.get(key)
    if not isinstance(text, str):
        raise InputError(f'{where}: "{key}" must be a str, got {shown(text)}')
    return text


def readable(value: Any, where: str) -> str:
    """What a tool answered, as text: text as it is, pictures as placeholders, anything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return "\n".join(readable(each, f"{where}[{number}]") for number, each in enumerate(value))
    if not isinstance(value, (int, float)):
        value = plain(value, where)
        sort = value.get("type")
        if isinstance(sort, str):
            return _readable_part(sort, value, where)
    return _json(value, where)


def _readable_part(sort: str, part: Mapping[str, Any], where: str) -> str:
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if sort.endswith("_result") and isinstance(part.get("url"), str):  # a page that a search found
        return " ".join(str(part[key]) for key in ("title", "url") if part.get(key))
    if any(word in sort for word in ("image", "screenshot", "document", "audio", "file", "reference")):
        return placeholder(sort, label_of(part))
    rest = {key: part[key] for key in part if key != "type" and not key.startswith("encrypted")}
    only = next(iter(rest.values())) if len(rest) == 1 else None
    return only if isinstance(only, str) else _json(rest, where)


def placeholder(sort: str, name: str | None = None) -> str:
    """What stands for a part that is no text.

    >>> placeholder("input_image", "cat.png"), placeholder("container_upload")
    ('[image: cat.png]', '[container upload]')
    """
    kind = label(_KINDS.get(sort, sort).replace("_", " "))
    return f"[{kind}: {name}]" if name else f"[{kind}]"


def label(text: str) -> str:
    """A name on one line, at most 80 characters, that cannot close the brackets it stands in."""
    line = "".join(char if char.isprintable() else " " for char in text.replace("[", "(").replace("]", ")"))
    line = " ".join(line.split())
    return line if len(line) <= _LONGEST_LABEL else line[: _LONGEST_LABEL - 3] + "..."


def label_of(part: Mapping[str, Any]) -> str | None:
    """What a part calls itself: a title, a file name, the last step of an address; None: nothing."""
    for key in ("title", "filename", "file_name", "display_name", "displayName", "name"):
        if isinstance(part.get(key), str) and part[key].strip():
            return label(part[key])
    for key in ("url", "image_url", "file_url", "uri", "file_uri", "fileUri"):
        address = part.get(key)
        if isinstance(address, Mapping):
            address = address.get("url")
        if isinstance(address, str) and not address.startswith("data:"):
            try:
                last = urlsplit(address).path.rstrip("/").rpartition("/")[2]
            except ValueError:
                continue
            if last:
                return label(last)
    return None


def _arguments(value: Any, where: str) -> str:
    if isinstance(value, str):
        return "" if value.strip() in ("", "{}") else value
    return "" if value is None or value == {} else _json(value, where)


def _json(value: Any, where: str) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=_foreign)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{where}: cannot be written as JSON: {error}") from error


def _foreign(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(exclude_none=True, warnings=False)
    if isinstance(value, Mapping):
        return dict(value)
    return f"({len(value)} bytes)" if isinstance(value, bytes) else str(value)
