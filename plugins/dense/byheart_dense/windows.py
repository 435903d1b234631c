"""Cutting a long text into windows that a model can read whole.

A pure function of the text, a way to measure, and a limit: no model is named here.
"""

from __future__ import annotations

from collections.abc import Callable

OVERLAP = 0.2
"""Share of a window that the next one repeats, so that a sentence at a cut stands whole in one of them."""

_SLACK = 0.2
"""Share of a window, at its end, in which a cut may move back to stand at a line end or between words."""


def windows(text: str, measure: Callable[[str], int], limit: int, overlap: float = OVERLAP) -> list[str]:
    """Cut ``text`` into overlapping pieces that measure at most ``limit`` each.

    ``measure`` gives a size in whatever unit ``limit`` has (tokens, say; characters with ``len``). Every
    piece is a substring, the pieces cover the text from its first character to its last, and a text that
    fits is its own single piece. Cuts are made at a line end or between words where one is near, and
    anywhere in scripts without spaces. A single character that measures more than ``limit`` is a piece.

    >>> windows("to be or not to be that is the question", len, 20, overlap=0.4)
    ['to be or not to be ', 'to be that is the ', 'is the question']
    >>> windows("short", len, 10)
    ['short']
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1, got {limit}")
    size = measure(text)
    if size <= limit:
        return [text]
    guess = max(1, int(len(text) * limit / size))
    pieces = []
    start = 0
    while True:
        end, guess = _end_of_window(text, start, guess, measure, limit)
        pieces.append(text[start:end])
        if end == len(text):
            return pieces
        start = _start_of_next(text, start, end, overlap)


def _end_of_window(text: str, start: int, guess: int, measure: Callable[[str], int], limit: int) -> tuple[int, int]:
    """Where the window from ``start`` ends, and the length in characters to try first for the next one.

    Sizes are not quite additive (a tokenizer may read a word differently at a cut), so what is returned
    was measured, not computed.
    """
    length = min(guess, len(text) - start)
    while True:
        end = _natural_cut(text, start, start + length)
        size = measure(text[start:end])
        if size <= limit:
            break
        if length == 1:
            return start + 1, guess
        length = max(1, min(length - 1, int(length * limit / size)))
    if length == len(text) - start:
        return end, guess
    return end, max(1, min(int((end - start) * limit / max(1, size)), 2 * length))


def _natural_cut(text: str, start: int, end: int) -> int:
    """The last line end, else the last space, in the window's last part; else ``end`` itself."""
    if end >= len(text):
        return len(text)
    earliest = max(start + 1, end - int((end - start) * _SLACK))
    for mark in ("\n", " "):
        at = text.rfind(mark, earliest - 1, end)
        if at >= 0:
            return at + 1
    return end


def _start_of_next(text: str, start: int, end: int, overlap: float) -> int:
    """Where the next window begins: ``overlap`` before ``end``, moved on to the start of a word."""
    back = max(start + 1, end - int((end - start) * overlap))
    at = text.find(" ", back - 1, end)
    return at + 1 if at >= 0 else back
