"""The options of a memory, checked once at the door."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from byheart.dates import Language
from byheart.dates.scanner import check_languages
from byheart.errors import shown

Measure = Callable[[str], float]
External = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Options:
    """What :class:`byheart.Memory` documents, validated; sizes are in the memory's measure."""

    budget: float = 20_000
    chunk: float | None = None
    stability: float = 0.7
    ceiling: float = 2.0
    fill: float = 0.5
    external: External | None = None
    external_margin: float = 0.0
    measure: Measure = len
    languages: Sequence[str | Language] = ("en",)
    day_first: bool | None = None

    def __post_init__(self) -> None:
        _number("budget", self.budget, above=0)
        if self.chunk is not None:
            _number("chunk", self.chunk, above=0)
        _number("stability", self.stability, least=0, most=1)
        _number("ceiling", self.ceiling, least=1)
        _number("fill", self.fill, above=0, most=1)
        _number("external_margin", self.external_margin)
        for name in ("external", "measure"):
            value = getattr(self, name)
            if not callable(value) and not (name == "external" and value is None):
                raise TypeError(f"{name} must be callable, got {shown(value)}")
        object.__setattr__(self, "languages", check_languages(self.languages))
        if self.day_first not in (None, True, False):
            raise TypeError(f"day_first must be True, False or None, got {shown(self.day_first)}")

    @property
    def stretch_size(self) -> float:
        """What a stretch holds before it may close: never more than half the budget."""
        chunk = 200.0 if self.chunk is None else self.chunk
        return max(min(chunk, self.budget / 2), sys.float_info.min)

    @property
    def promise(self) -> float:
        """What memory never contributes more than."""
        return self.budget * self.ceiling if self.stability else self.budget


def _number(
    name: str, value: object, *, above: float | None = None, least: float | None = None, most: float | None = None
) -> None:
    wanted = "a number" + "".join(
        f" {word} {bound:g}"
        for word, bound in (("above", above), ("of at least", least), ("of at most", most))
        if bound is not None
    )
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be {wanted}, got {shown(value)}")
    if (
        not abs(value) <= sys.float_info.max  # which NaN, infinity and an int beyond all floats are not
        or (above is not None and value <= above)
        or (least is not None and value < least)
        or (most is not None and value > most)
    ):
        raise ValueError(f"{name} must be {wanted}, got {shown(value)}")
