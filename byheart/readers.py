"""Chat files: JSON Lines, message arrays, LoCoMo files and saved memories, read whole or not at all.

A file is told by what it holds, unless ``kind`` names it. Whatever is wrong with it is an
:class:`~byheart.errors.InputError` of one line that says what and where: nothing is ever half read.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import IO, Any, cast

from byheart.errors import InputError
from byheart.snapshot import VERSION

__all__ = ["KINDS", "ROLES", "read_chat"]

KINDS = ("jsonl", "openai", "locomo", "snapshot")
ROLES = ("user", "assistant")

Progress = Callable[[str, int, "int | None"], None]
"""Called with what is being done ("reading": bytes, "parsing": lines), how much is done, and of how much."""

_Turns = list[dict[str, Any]]
_BLOCK = 1 << 20
_BLANK = " \t\r\n"  # what JSON calls whitespace, and no more
_BOM = "\ufeff"
_EXPECTED = 'JSON Lines of {"role", "content", "when"}, an array of messages, a LoCoMo file or a saved memory'
_TEXT_PARTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_TOOL_PARTS = ("tool_use", "tool_result")
_KEYS = {"turns": "snapshot", "messages": "openai", "conversation": "locomo"}
_SESSION = re.compile(r"session_([0-9]{1,9})")
_SKIP_TOOLS = "--skip-roles tool leaves calls and results out and keeps what is said beside them"


def read_chat(
    source: str | os.PathLike[str] | IO[bytes] | IO[str],
    *,
    kind: str | None = None,
    conversation: str | int | None = None,
    skip_roles: Iterable[str] = (),
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    r"""The turns of a chat file, as dicts with ``role``, ``text`` and ``when``, ready for ``Memory.extend``.

    ``source`` is a path, ``"-"`` for standard input, or an open file (of bytes, or of text). ``kind`` is one
    of :data:`KINDS`; None: detected. ``conversation`` picks one of a LoCoMo file's by its ``sample_id`` or
    its number, from 1. Messages whose role is in ``skip_roles`` are left out; ``"tool"`` there leaves out the
    tool calls of other messages too. ``progress`` is called now and then while a long file is read.

    Raises :class:`~byheart.errors.InputError` for a source that cannot be read, or holds something else.

    >>> import io
    >>> read_chat(io.StringIO('{"role": "user", "content": "hi", "when": "8 May, 2023"}\n'))
    [{'role': 'user', 'text': 'hi', 'when': '8 May, 2023'}]
    >>> read_chat(io.StringIO('[{"role": "system", "content": "be brief"}]'), skip_roles=["system"])
    []
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)} or None, not {kind!r}")
    if isinstance(skip_roles, str):
        raise TypeError(f"skip_roles must be a collection of role names, such as [{skip_roles!r}], not a str")
    skip = frozenset(skip_roles)
    name, text = _read(source, progress)
    if not text.strip(_BLANK):
        raise InputError(f"{name} is empty; expected {_EXPECTED}")
    if kind is None:
        kind, data = _detect(text, name)
    elif kind != "jsonl":
        data = _parse(text, name)
    if conversation is not None and kind != "locomo":
        raise InputError(f"{name} ({kind}) holds one conversation; only a LoCoMo file has one to pick")
    if kind == "jsonl":
        return _json_lines(text, name, skip, progress)
    if kind == "openai":
        return _messages(data, name, skip)
    if kind == "snapshot":
        return _snapshot(data, name, skip)
    return _locomo(data, name, conversation, skip)


# Getting at the text


def _read(source: str | os.PathLike[str] | IO[bytes] | IO[str], progress: Progress | None) -> tuple[str, str]:
    """What to call the source in messages, and its text."""
    with ExitStack() as opened:
        stream: IO[bytes] | IO[str]
        if hasattr(source, "read"):
            given = getattr(source, "name", None)
            stream, name = cast("IO[Any]", source), given if isinstance(given, str) else "the chat"
        elif isinstance(source, (str, os.PathLike)):
            if source == "-":
                name = "standard input"
                if sys.stdin is None:
                    raise InputError("standard input is closed; name a file instead")
                stream = getattr(sys.stdin, "buffer", sys.stdin)
            else:
                name = os.fsdecode(source)
                try:
                    stream = opened.enter_context(open(source, "rb"))
                except (OSError, ValueError) as error:  # ValueError: a NUL in the path
                    raise InputError(f"cannot read {_name(name)}: {_reason(error)}") from error
        else:
            raise TypeError(f'source must be a path, "-" or an open file, not {type(source).__name__}')
        name = _name(name)
        try:
            raw = _read_blocks(stream, progress)
        except UnicodeDecodeError as error:  # a text file opened by the caller
            raise InputError(f"{name}: not {error.encoding} at byte {error.start}; open it as UTF-8") from error
        except OSError as error:
            raise InputError(f"cannot read {name}: {_reason(error)}") from error
    if isinstance(raw, str):
        return name, raw.removeprefix(_BOM)
    try:
        return name, raw.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
        raise InputError(
            f"{name}, line {line}: not UTF-8 at byte {error.start} (0x{raw[error.start]:02x})"
            f"{', it looks like UTF-16' if wide else ''}; save it as UTF-8"
        ) from error


def _read_blocks(stream: IO[Any], progress: Progress | None) -> bytes | str:
    total: int | None = None
    if progress:
        try:
            total = os.fstat(stream.fileno()).st_size or None  # 0: a pipe
        except (OSError, AttributeError, ValueError):
            total = None
    blocks: list[Any] = []
    done = 0
    while block := stream.read(_BLOCK):
        blocks.append(block)
        done += len(block)
        if progress:
            progress("reading", done, total)
    return blocks[0][:0].join(blocks) if blocks else ""


def _parse(text: str, where: str, first_line: int = 1) -> Any:
    """``text`` as JSON; errors carry the line, counted from ``first_line``, and the column."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        cut = error.msg.startswith("Unterminated string") or not text[error.pos :].strip(_BLANK)
        raise InputError(
            f"{where}, line {first_line + error.lineno - 1}, column {error.colno}: not valid JSON: "
            f"{error.msg[0].lower()}{error.msg[1:]}{' (it ends too early, as if cut off)' if cut else ''}"
        ) from error
    except RecursionError as error:
        raise InputError(f"{where}, line {first_line}: JSON nested too deeply to be a chat") from error
    except ValueError as error:  # a number longer than Python agrees to read
        raise InputError(f"{where}, line {first_line}: not usable JSON: {_reason(error)}") from error


def _detect(text: str, name: str) -> tuple[str, Any]:
    """The kind of the text and, where it is one JSON document, what that holds."""
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip(_BLANK))
    number, first = next(lines)
    following = next(lines, None)
    if following and _is_object(first):
        return "jsonl", None
    try:
        data = _parse(text, name)
    except InputError:
        # A broken first line of JSON Lines makes one long broken document: blame the line, not the whole.
        if following and first.lstrip(_BLANK).startswith("{") and _is_object(following[1]):
            _parse(first, name, number)
        raise
    if isinstance(data, list):
        some = next(iter(data), None)
        return ("locomo" if isinstance(some, dict) and "conversation" in some else "openai"), data
    if isinstance(data, dict):
        if "role" in data:  # one message alone; over several lines it is as good as an array of one
            return ("openai", [data]) if following else ("jsonl", None)
        for key, kind in _KEYS.items():
            if key in data:
                return kind, data
    raise InputError(f"{name} holds {_shown(data)}; expected {_EXPECTED}")


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


# The four kinds


def _json_lines(text: str, name: str, skip: frozenset[str], progress: Progress | None) -> _Turns:
    turns = []
    lines = text.split("\n")  # and not splitlines(): U+2028 and its like may stand inside a JSON string
    for number, line in enumerate(lines, 1):
        if progress and not number % 1000:
            progress("parsing", number, len(lines))
        if line.strip(_BLANK):
            turn = _turn(_parse(line, name, number), f"{name}, line {number}", skip)
            if turn:
                turns.append(turn)
    return turns


def _messages(data: Any, name: str, skip: frozenset[str]) -> _Turns:
    if isinstance(data, dict) and "messages" in data:  # a whole request, saved as it was
        data = data["messages"]
    if not isinstance(data, list):
        raise InputError(f"{name}: expected an array of messages, got {_shown(data)}")
    turns = (_turn(item, f"{name}, message {number}", skip) for number, item in enumerate(data, 1))
    return [turn for turn in turns if turn]


def _snapshot(data: Any, name: str, skip: frozenset[str]) -> _Turns:
    """The turns alone; what the saved memory had sent is ``Memory.from_dict``'s to restore."""
    if not isinstance(data, dict):
        raise InputError(f'{name}: expected a saved memory, {{"version", "turns"}}, got {_shown(data)}')
    version = data.get("version", VERSION)
    if type(version) is not int or version != VERSION:
        raise InputError(f"{name}: version must be {VERSION}, the one read here, not {_shown(version)}")
    items = data.get("turns")
    if not isinstance(items, list):
        raise InputError(f"{name}: turns must be an array, not {_shown(items)}")
    turns = (_turn(item, f"{name}, turns[{index}]", skip, "text") for index, item in enumerate(items))
    return [turn for turn in turns if turn]


def _locomo(data: Any, name: str, conversation: str | int | None, skip: frozenset[str]) -> _Turns:
    samples = data if isinstance(data, list) else [data]
    chats = []
    names = []
    for number, sample in enumerate(samples, 1):
        chat = sample.get("conversation") if isinstance(sample, dict) else None
        if not isinstance(chat, dict):
            raise InputError(f'{name}, conversation {number}: not LoCoMo: no object under "conversation"')
        chats.append(chat)
        called = sample.get("sample_id", number)
        names.append(str(called) if isinstance(called, (str, int)) else str(number))
    if not chats:
        raise InputError(f"{name} holds no conversation")
    wanted = str(conversation)
    if conversation is None and len(chats) == 1:
        chosen = 0
    elif conversation is not None and names.count(wanted) == 1:
        chosen = names.index(wanted)
    elif re.fullmatch(r"[0-9]{1,9}", wanted) and 1 <= int(wanted) <= len(names):
        chosen = int(wanted) - 1
    else:
        wrong = "" if conversation is None else f", not just one called {_shown(wanted)}"
        raise InputError(
            f"{name} holds {len(names)} conversations{wrong}; pick one with --conversation, by name or by "
            f"number from 1: {', '.join(_name(_short(each)) for each in names)}"
        )
    return _sessions(chats[chosen], f"{name}, conversation {_name(_short(names[chosen]))}", skip)


def _sessions(chat: dict[str, Any], where: str, skip: frozenset[str]) -> _Turns:
    speakers = {}
    for key, role in (("speaker_a", "user"), ("speaker_b", "assistant")):
        if not isinstance(chat.get(key), str):
            raise InputError(f"{where}: {key} must be a name, not {_shown(chat.get(key))}")
        speakers[chat[key]] = role
    if len(speakers) == 1:
        raise InputError(f"{where}: both speakers are called {_shown(chat['speaker_a'])}")
    turns = []
    sessions = sorted((int(found[1]), key) for key in chat if (found := _SESSION.fullmatch(key)))
    for _, session in sessions:
        if not isinstance(chat[session], list):
            raise InputError(f"{where}: {session} must be an array of turns, not {_shown(chat[session])}")
        when = _when(chat.get(f"{session}_date_time"), f"{session}_date_time", where)
        for number, item in enumerate(chat[session], 1):
            speaker, text = _said(item, f"{where}, {session}, turn {number}", speakers)
            if speakers[speaker] not in skip:
                turns.append({"role": speakers[speaker], "text": text, "when": when})
    return turns


def _said(item: Any, where: str, speakers: dict[str, str]) -> tuple[str, str]:
    """Who speaks in a LoCoMo turn, and what it says as the text of a turn."""
    if not isinstance(item, dict):
        raise InputError(f'{where}: expected an object with "speaker" and "text", got {_shown(item)}')
    speaker, said, caption = item.get("speaker"), item.get("text"), item.get("blip_caption")
    if not isinstance(speaker, str) or speaker not in speakers:
        expected = " or ".join(_shown(each) for each in speakers)
        raise InputError(f'{where}: "speaker" must be {expected}, not {_shown(speaker)}')
    if not isinstance(said, str):
        raise InputError(f'{where}: "text" must be a string, not {_shown(said)}')
    if caption is not None and not isinstance(caption, str):
        raise InputError(f'{where}: "blip_caption" must be a string, not {_shown(caption)}')
    return speaker, f"{speaker}: {said}" + (f" [shares {caption}]" if caption else "")


# One message


def _turn(message: Any, where: str, skip: frozenset[str], key: str = "content") -> dict[str, Any] | None:
    """The turn a message makes; None where ``skip`` leaves it out. ``key`` is where its text is expected."""
    if not isinstance(message, dict):
        raise InputError(f'{where}: expected an object with "role" and "{key}", got {_shown(message)}')
    if "role" not in message:
        raise InputError(f'{where}: expected a "role", "user" or "assistant"; got {_shown(message)}')
    role = message["role"]
    if isinstance(role, str) and role in skip:
        return None
    if role not in ROLES:
        cure = ""
        if isinstance(role, str):
            cure = f"; --skip-roles {_name(_short(role))} leaves such messages out (skip_roles in Python)"
        raise InputError(f'{where}: role must be "user" or "assistant", not {_shown(role)}{cure}')
    text = _text(message, where, skip, key)
    if text is None:
        return None
    return {"role": role, "text": text, "when": _when(message.get("when"), '"when"', where)}


def _text(message: dict[str, Any], where: str, skip: frozenset[str], key: str) -> str | None:
    given = [key for key in ("content", "text") if message.get(key) is not None]
    if len(given) == 2:
        raise InputError(f'{where}: has both "content" and "text"; expected one of them')
    calls = bool(message.get("tool_calls") or message.get("function_call"))
    if calls and "tool" not in skip:
        raise InputError(f"{where}: calls a tool, which a memory cannot hold; {_SKIP_TOOLS}")
    value = message[given[0]] if given else message.get("refusal")
    if isinstance(value, list):
        parts = [_part(part, f"{where}, part {number}", skip) for number, part in enumerate(value, 1)]
        calls = calls or None in parts
        value = "\n".join(part for part in parts if part is not None)
    if calls and value in (None, ""):
        return None
    if not isinstance(value, str):
        key = given[0] if given else key
        raise InputError(f'{where}: "{key}" must be a string or an array of text parts, not {_shown(value)}')
    return value


def _part(part: Any, where: str, skip: frozenset[str]) -> str | None:
    """What a part of a message says; None for tool traffic that ``skip`` leaves out."""
    if not isinstance(part, dict):
        raise InputError(f'{where}: expected an object with "type" and "text", got {_shown(part)}')
    sort = part.get("type", "text")
    if sort in _TOOL_PARTS:
        if "tool" not in skip:
            raise InputError(f"{where}: a memory cannot hold {_shown(sort)}; {_SKIP_TOOLS}")
        return None
    key = _TEXT_PARTS.get(sort) if isinstance(sort, str) else None
    if key is None:
        raise InputError(f'{where}: type must be "text", the only sort a memory holds, not {_shown(sort)}')
    if not isinstance(part.get(key), str):
        raise InputError(f'{where}: "{key}" must be a string, not {_shown(part.get(key))}')
    return str(part[key])


def _when(value: Any, field: str, where: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise InputError(f"{where}: {field} must be a string or null, not {_shown(value)}")


# Words for messages, always on one line


def _shown(value: Any) -> str:
    """A JSON value as an error message shows it: short, and told apart by type."""
    if value is None or isinstance(value, (bool, int, float)):
        return _short(json.dumps(value)) + (" (a number)" if type(value) in (int, float) else "")
    if isinstance(value, str):
        return json.dumps(_short(value), ensure_ascii=not value.isprintable())
    if isinstance(value, list):
        return f"an array of {len(value)}"
    keys = ", ".join(_shown(key) for key in list(value)[:4])
    return f"an object with {keys}{', ...' if len(value) > 4 else ''}" if keys else "an empty object"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def _name(name: str) -> str:
    return name if name.isprintable() and name else ascii(name)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
