"""Inputs of any kind, drawn from a seeded generator: texts over all of Unicode, wrong values, damaged data."""

from __future__ import annotations

import datetime
import json
import math
import random
from collections.abc import Callable
from typing import Any, Final

from byheart import MARKER

_ODD: Final = (
    "\0", "\x1b[2J", "\x07", "\x1c", "\x85", "\u2028", "\u2029", "\r\n", "\r", "\v", "\f",  # controls, line ends
    "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e", "\U000e0041", "\ufe0f",  # not to be seen
    "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\u200e", "\u200f",  # bidi
    "\ud800", "\udfff", "\ud83d", "\udc00\ud800", "\uffff", "\ufffe", "\ufffd", "\U0010ffff", "\ue000",
    "\u0301", "\u0308\u0323", "\u20e3", "\u0e33", "\u1160", "\u3099", "e\u0301", "\u1112\u1161\u11ab", "\u0130", "\u0131",
    "\u00df", "\ufb01", "\uff21", "\u2126", "\u00b5", "\u0660", "\u09e7", "\u2460", "\u00b2", "\u2167",
    "\u00a0", "\u3000", "\u2003", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "\u732b",
)  # fmt: skip
_SAID: Final = (
    MARKER, f"\n{MARKER}", "\nassistant: I agree", "user: ", "assistant: ", "[redacted]", "[8 May 2023]",
    "[retrieved from external sources", "[the assistant speaks first]", "\n  ", "...", "[...]", "https://a.b/c?d=e#f", "`x`",
    "last Friday", "two weeks ago", "3 days before", "yesterday", "next month", "on the 31st", "in May", "this weekend",
    "vor zwei Wochen", "gestern", "el lunes pasado", "hace tres meses", "\u0432\u0447\u0435\u0440\u0430", "29/12/2023",
    "2023-05-08T10:00:00Z", "the day after tomorrow", "99999 years ago", "10 to 12 June", "3.4.2023", "at 25:61", "1e999",
    "who is she?", "why?", "and the second one?", "thanks!", "What did Anna say about the cat?", "the cat likes tuna",
    "-", "--", "'", "\u2019s", "\"", "\\", "{", "}", "[[", "]]", "<|im_start|>", "</s>", "&amp;", "%s", "{0}", "C++", "a.b",
)  # fmt: skip
_WHENS: Final = (
    "8 May, 2023", "2023-05-25T10:00:00Z", "03/04/2023", "29.12.2023, 18:22:11", "31 February 2023", "soon", "",
    "1:56 pm on 8 May, 2023", "0001-01-01", "9999-12-31", "March-15-2024", "2023/05/20 (Sat) 02:21", "12/2023",
)  # fmt: skip

#: Values that are of no use to anyone.
WRONG: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 5, 2**63, 10**400, -(10**400), 0.0, -0.0, 1e308, math.inf, -math.inf, math.nan, 1j,
    b"", b"bytes", bytearray(b"x"), "", "x", "en", "builtin", "\ud800", [], [None], [1, "a"], (), ("user",), {}, {"role": "user"},
    {1: 2}, set(), frozenset("a"), range(3), object(), type, len, Exception(), datetime.date(2023, 5, 8),
    datetime.datetime(2023, 5, 8, 10, 0), datetime.timedelta(1), ..., 5e-324, 1e-300, 10**5000,
)  # fmt: skip


def character(draw: random.Random) -> str:
    """Any character there is, surrogates included."""
    return chr(draw.randrange(0x110000) if draw.random() < 0.5 else draw.randrange(0x3000))


def text(draw: random.Random, *, longest: int = 3_000) -> str:
    """A text of any kind: mostly short, now and then a flood of one thing."""
    kind = draw.random()
    if kind < 0.03:
        return draw.choice(_ODD + _SAID) * draw.randrange(1, longest)
    if kind < 0.05:
        return character(draw) + draw.choice(_ODD) * draw.randrange(1, longest)
    pieces = []
    for _ in range(draw.choice([0, 1, 1, 2, 3, 5, 8, 30])):
        pick = draw.random()
        if pick < 0.3:
            pieces.append(draw.choice(_SAID))
        elif pick < 0.5:
            pieces.append(draw.choice(_ODD))
        elif pick < 0.8:
            pieces.append("".join(character(draw) for _ in range(draw.randrange(1, 9))))
        else:
            pieces.append(draw.choice("abcdefg") * draw.choice([1, 2, 5, 60]))
        pieces.append(draw.choice(["", " ", " ", " ", "\n", ", ", "\t"]))
    return "".join(pieces)


def when(draw: random.Random) -> Any:
    """A date, or what may stand in its place."""
    pick = draw.random()
    if pick < 0.3:
        return None
    if pick < 0.7:
        return draw.choice(_WHENS)
    if pick < 0.8:
        return datetime.date.fromordinal(draw.randrange(1, datetime.date.max.toordinal()))
    if pick < 0.9:
        day = datetime.date.fromordinal(draw.randrange(1, datetime.date.max.toordinal()))
        return datetime.datetime(day.year, day.month, day.day, draw.randrange(24), draw.randrange(60))
    return text(draw, longest=200)


def value(draw: random.Random, depth: int = 3) -> Any:
    """Any value that JSON has, and some it has not."""
    pick = draw.random()
    if depth and pick < 0.2:
        return [value(draw, depth - 1) for _ in range(draw.randrange(4))]
    if depth and pick < 0.4:
        return {text(draw, longest=20): value(draw, depth - 1) for _ in range(draw.randrange(4))}
    if pick < 0.6:
        return text(draw, longest=200)
    return draw.choice(WRONG)


def damaged(draw: random.Random, data: Any, depth: int = 6) -> Any:
    """A copy of JSON data in which something, somewhere, is not as it was."""
    if depth and isinstance(data, dict) and data and draw.random() < 0.9:
        copy = dict(data)
        key = draw.choice(list(copy))
        pick = draw.random()
        if pick < 0.15:
            del copy[key]
        elif pick < 0.25:
            copy[draw.choice([f"{key}s", "role", "text", "content", "type", "turns"])] = copy.pop(key)
        else:
            copy[key] = damaged(draw, copy[key], depth - 1)
        return copy
    if depth and isinstance(data, list) and data and draw.random() < 0.9:
        copy = list(data)
        at = draw.randrange(len(copy))
        pick = draw.random()
        if pick < 0.1:
            del copy[at]
        elif pick < 0.2:
            copy.insert(at, copy[draw.randrange(len(copy))])
        elif pick < 0.25:
            copy = copy * draw.randrange(2, 5)
        else:
            copy[at] = damaged(draw, copy[at], depth - 1)
        return copy
    return value(draw)


def damaged_bytes(draw: random.Random, data: bytes) -> bytes:
    """Bytes in which some are others, gone, twice there, or cut off."""
    found = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 5, 20])):
        at = draw.randrange(len(found) + 1)
        pick = draw.random()
        if pick < 0.4 and at < len(found):
            found[at] ^= 1 << draw.randrange(8)
        elif pick < 0.6:
            found[at:at] = draw.randbytes(draw.randrange(1, 9))
        elif pick < 0.75:
            del found[at : at + draw.randrange(1, 40)]
        elif pick < 0.85:
            found[at:at] = found[at : at + draw.randrange(1, 200)]
        elif pick < 0.95:
            found[at : at + 1] = draw.choice(
                [b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\0", b"[" * 300, b"1e999", b"NaN", b"\n"]
            )
        else:
            del found[at:]
    return bytes(found)


def chat_files() -> list[bytes]:
    """A sound chat file of each kind."""
    turns = [
        ("user", "where did we move to?", "8 May, 2023"),
        ("assistant", "to Lyon \ud83d\ude00", None),
        ("user", "", None),
    ]
    plain = [{"role": role, "content": words, "when": when} for role, words, when in turns]
    tools = [
        {"role": "system", "content": "be brief"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "how warm?"}, {"type": "image_url", "image_url": {"url": "a"}}],
        },
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "18"},
    ]
    locomo = [
        {
            "sample_id": "one",
            "qa": [],
            "conversation": {
                "speaker_a": "Anna", "speaker_b": "Ben", "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [{"speaker": "Anna", "dia_id": "D1:1", "text": "hi", "blip_caption": "a cat"}],
                "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "hello"}],
            },
        }
    ]  # fmt: skip
    lines = b"".join(json.dumps(each).encode() + b"\n" for each in plain)
    return [lines, *(json.dumps(each).encode() for each in (plain, {"messages": tools}, locomo, snapshot()))]


def snapshot() -> dict[str, Any]:
    """A sound saved memory, with something of everything."""
    return {
        "version": 1,
        "turns": [
            {"role": ("user", "assistant")[at % 2], "text": f"turn {at}, of yesterday", "when": f"{at + 1} May 2023"}
            for at in range(12)
        ],
        "bounds": [0, 4, 8],
        "closed": False,
        "asked": 0.0,
        "redacted": [3],
        "context": {
            "complete": False,
            "upto": 12,
            "pieces": [
                {
                    "recalled": True,
                    "dated": False,
                    "turns": [[0, 3]],
                    "excerpts": [{"turn": 5, "spans": [[0, 4], [5, 9]]}],
                },
                {"recalled": False, "dated": True, "turns": [[11, 12]], "excerpts": []},
            ],
        },
    }


def provider_messages() -> dict[str, list[Any]]:
    """A sound list of messages for each adapter."""
    return {
        "anthropic": [
            {"role": "user", "content": "How warm is it?"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "weather", "input": {"city": "Ulm"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "18"}]}]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "18"}]},
            {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "https://a/b"}}], "when": "8 May 2023"},
        ],
        "openai": [
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}, {"type": "input_image", "image_url": "a"}]},
            {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "18"},
            {"type": "function_call", "call_id": "d", "name": "g", "arguments": "{"},
            {"type": "function_call_output", "call_id": "d", "output": "x"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi", "annotations": []}]},
        ],
        "gemini": [
            "hi",
            {"role": "model", "parts": [{"text": "Hello."}, {"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"function_response": {"name": "f", "response": {"a": 1}}}]},
            {"role": "user", "parts": [{"inline_data": {"mime_type": "image/png", "data": b"x"}}, {"file_data": {"file_uri": "u"}}]},
        ],
    }  # fmt: skip


#: What a text of a given length is made of, where the time it takes is measured.
SIZED: Final[dict[str, Callable[[int], str]]] = {
    "one word": lambda n: "x" * n,
    "words": lambda n: ("the cat likes tuna and sleeps all day " * (n // 38 + 1))[:n],
    "different words": lambda n: " ".join(f"w{at}" for at in range(n // 7 + 1))[:n],
    "Chinese": lambda n: "\u732b\u559c\u6b22\u5403\u9c7c" * (n // 5),
    "combining marks": lambda n: "e" + "\u0301" * (n - 1),
    "marks in any order": lambda n: "a" + "\u0323\u0301" * (n // 2),
    "zero width": lambda n: "\u200b" * n,
    "surrogates": lambda n: "\ud800" * n,
    "line ends": lambda n: "\n" * (n - 1) + "x",
    "short lines": lambda n: "a\n" * (n // 2),
    "blanks": lambda n: "x" + " " * (n - 1),
    "dates": lambda n: "last Friday " * (n // 12),
    "days and dashes": lambda n: "1-" * (n // 2),
    "digits": lambda n: "12 " * (n // 3),
    "brackets": lambda n: "[" * n,
    "dots": lambda n: "a." * (n // 2),
    "apostrophes": lambda n: "a'" * (n // 2),
    "capitals": lambda n: "Anna " * (n // 5),
    "speakers": lambda n: "\nuser: a" * (n // 8),
    "any character": lambda n: "".join(chr((at * 7919) % 0x110000) for at in range(n)),
}
