"""Tables as text: for the terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def number(value: float | int) -> str:
    """A number in the precision it deserves.

    >>> number(0.93871), number(4269.3), number(20000), number(-0.0123)
    ('0.939', '4,269', '20,000', '-0.012')
    """
    if isinstance(value, int):
        return f"{value:,}"
    if value != value:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def cell(value: Any) -> str:
    """One field: a number, a number with its interval, or a word."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        if value["low"] == value["high"]:
            return number(float(value["value"]))
        low, high = number(float(value["low"])), number(float(value["high"]))
        return f"{number(float(value['value']))} [{low}, {high}]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return str(value)


def _columns(table: Mapping[str, Any]) -> list[list[str]]:
    return [[str(head) for head in table["columns"]], *([cell(c) for c in row] for row in table["rows"])]


def table_to_text(table: Mapping[str, Any]) -> str:
    """A table for the terminal."""
    lines = _columns(table)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    body = ["  ".join(f"{text:{width}}" for text, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([table["title"], *([table["note"]] if table["note"] else []), *body])


def table_to_markdown(table: Mapping[str, Any], level: int = 3) -> str:
    """A table for a page."""
    lines = [[text.replace("|", "\\|") for text in line] for line in _columns(table)]
    marks = ["---" if i == 0 else "---:" for i in range(len(lines[0]))]
    rows = ["| " + " | ".join(line) + " |" for line in [lines[0], marks, *lines[1:]]]
    parts = [f"{'#' * level} {table['title']}", "\n".join(rows)]
    if table["note"]:
        parts.append(table["note"])
    return "\n\n".join(parts) + "\n"
