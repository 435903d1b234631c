"""The words a pattern can begin with, so that a text is searched only where a phrase can start."""

from __future__ import annotations

import re
from collections.abc import Mapping

DIGITS = "0"
"""The head of what begins with digits."""

_ITEM = re.compile(
    r"""<(?P<slot>[a-z]+)[0-9]?> | (?P<open>\(\?:) | (?P<look>\(\?<?[=!]) | (?P<close>\)) | (?P<or>\|)
      | \[(?P<set>[^\]]+)\] | \\(?P<escape>.) | (?P<letter>.)""",
    re.X | re.S,
)
_TIMES = re.compile(r"(\?|\*|\{0,[0-9]+\})|(?:\+|\{[0-9,]+\})")


class _Reader:
    """One pass over a pattern. A head is open while letters may still be added to it."""

    def __init__(self, pattern: str, words: Mapping[str, Mapping[str, int]]) -> None:
        self._pattern = pattern
        self._words = words
        self._at = 0
        self.heads: set[str] = set()

    def alternatives(self, before: frozenset[str]) -> frozenset[str]:
        """The open heads after the alternatives that begin here, given those before them."""
        after: frozenset[str] = frozenset()
        opened = before
        while self._at < len(self._pattern):
            item = _ITEM.match(self._pattern, self._at)
            assert item is not None  # any character is an item
            if item["close"]:
                break
            self._at = item.end()
            if item["or"]:
                after |= opened
                opened = before
                continue
            added = self._item(item, opened)
            times = _TIMES.match(self._pattern, self._at)
            if times:
                self._at = times.end()
                if times[1]:
                    added |= opened
            opened = added
        return after | opened

    def _item(self, item: re.Match[str], opened: frozenset[str]) -> frozenset[str]:
        if item["slot"]:
            return self._slot(item["slot"], opened)
        if item["open"]:
            added = self.alternatives(opened)
            self._at += 1
            return added
        if item["look"]:
            heads, self.heads = self.heads, set()
            self.alternatives(frozenset())
            self.heads = heads
            self._at += 1
            return opened
        if item["set"]:
            if item["set"][0].isdigit():
                return self.close(opened, DIGITS)
            if any(letter.isalpha() for letter in item["set"]):
                return self._extended(opened, item["set"])
            return self.close(opened)
        if item["escape"] or not item["letter"].isalpha():
            return self.close(opened)
        return self._extended(opened, item["letter"])

    def _slot(self, slot: str, opened: frozenset[str]) -> frozenset[str]:
        if not opened:
            return opened
        added: set[str] = set()
        if slot in ("n", "dom", "year"):
            self.close(opened, DIGITS)
        for table in (slot, "tens") if slot == "n" else (slot,):
            for word in self._words.get(table, ()):
                first = re.match(r"[^\W\d_]*", word)
                assert first is not None
                if not first[0]:
                    self.close(opened, DIGITS)
                elif first[0] == word and table != "tens":
                    added |= {head + word for head in opened}
                else:
                    self.heads |= {head + first[0] for head in opened}
                    if table == "tens":
                        added |= {head + word for head in opened}
        return frozenset(added)

    def _extended(self, opened: frozenset[str], letters: str) -> frozenset[str]:
        return frozenset(head + letter for head in opened for letter in letters)

    def close(self, opened: frozenset[str], whole: str | None = None) -> frozenset[str]:
        for head in opened:
            if head:
                self.heads.add(head)
            elif whole is not None:
                self.heads.add(whole)
            else:
                raise ValueError(f"pattern {self._pattern!r}: expected a word or digits at its beginning")
        return frozenset()


def heads(pattern: str, words: Mapping[str, Mapping[str, int]]) -> frozenset[str]:
    """The words, or ``DIGITS``, that a text matching a table's pattern can begin with.

    >>> sorted(heads("(?:the )?<span> after next", {"span": {"week": 1, "month": 3}}))
    ['month', 'the', 'week']
    """
    reader = _Reader(pattern, words)
    # A blank at the end closes what is still open.
    for head in reader.alternatives(frozenset(("",))):
        reader.close(frozenset((head,)))
    return frozenset(reader.heads)
