"""What the command line shows: answers on standard output, everything else on standard error.

Answers are UTF-8, whatever the locale says. A conversation may hold what a terminal takes for commands, and
half of a surrogate pair, which no encoding has: text meant for people shows both as something harmless.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from contextlib import suppress
from typing import Any

from byheart.errors import ByheartError

__all__ = ["Progress", "UnwritableError", "abandon_stdout", "complain", "indented", "write", "write_json"]

_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tabs and line ends
_CONTROLS_IN_JSON = re.compile("[\x7f-\x9f]")  # the rest is escaped already


class UnwritableError(ByheartError):
    """Standard output takes no more; the cause is the OSError that said so."""


def write(text: str) -> None:
    """Write to standard output what a person reads."""
    _write_bytes(_harmless(text).encode("utf-8"))


def write_json(value: Any) -> None:
    """Write to standard output what a program reads: every character as it was, if need be by its escape."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    text = _CONTROLS_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    # What backslashreplace makes of a lone surrogate is its escape in JSON.
    _write_bytes(text.encode("utf-8", "backslashreplace") + b"\n")


def indented(text: str) -> str:
    """The text set in, so that nothing that was said can be taken for a line of the program's."""
    return "  " + text.replace("\r\n", "\n").replace("\n", "\n  ")


def complain(message: str) -> None:
    """Say in one line on standard error what is wrong."""
    if sys.stderr is not None:
        print(f"byheart: {_harmless(' '.join(message.split()))}", file=sys.stderr)


def abandon_stdout() -> None:
    """Let what is still buffered go nowhere, or Python complains of it once more at exit."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Progress:
    """One line on standard error, kept up to date; only on a terminal, and only once something takes long.

    ``source`` is the name of what is read. A call says what is being done, how much of it is done (0: not
    counted), and of how much (None: not known). As a context manager it wipes its line at the end.
    """

    def __init__(self, source: str) -> None:
        self._source = _harmless(source)
        self._on = sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + 1.0
        self._shown = False

    def __call__(self, doing: str, done: int = 0, total: int | None = None) -> None:
        if not self._on or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + 0.1
        much = f" {min(100 * done // total, 100)} %" if total else f" {done:,}" if done else ""
        self._print(f"{doing} {self._source}{much}")

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._shown:
            self._print("")

    def _print(self, text: str) -> None:
        self._shown = True
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _harmless(text: str) -> str:
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", _SURROGATES.sub("\ufffd", text))


def _write_bytes(data: bytes) -> None:
    if sys.stdout is None:
        raise UnwritableError("standard output is closed")
    try:
        binary = getattr(sys.stdout, "buffer", None)
        if binary is None:  # replaced by something that takes text only
            sys.stdout.write(data.decode("utf-8"))
        else:
            binary.write(data)
            binary.flush()
    except OSError as error:
        raise UnwritableError(f"cannot write the answer: {error.strerror or error}") from error
