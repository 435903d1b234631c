"""What is looked for in turns that are to be redacted."""

from __future__ import annotations

import re
from collections.abc import Callable

from byheart.errors import shown

Matches = Callable[[str], bool]


def check_pattern(pattern: object) -> Matches:
    """What says whether a text has words that match: a str letter for letter, an ``re.Pattern`` as it searches.

    TypeError for something else, ValueError for what matches where there are no characters; so does the answer, for a
    pattern in which only a text shows that.

    >>> check_pattern("a.b")("aab"), check_pattern(re.compile("a.b"))("aab")
    (False, True)
    """
    if isinstance(pattern, str):
        if not pattern:
            raise ValueError("pattern must not be empty: it would match every turn")
        literal = pattern
        return lambda text: literal in text
    if not isinstance(pattern, re.Pattern) or not isinstance(pattern.pattern, str):
        raise TypeError(f"pattern must be a str or a compiled re.Pattern of str, got {shown(pattern)}")
    search = pattern.search

    def matches(text: str) -> bool:
        found = search(text)
        if found is not None and not found[0]:
            raise ValueError(
                f"pattern must match characters, {pattern.pattern!r:.60} matches an empty place, as it would in most "
                "turns; nothing was redacted"
            )
        return found is not None

    matches("")
    return matches
