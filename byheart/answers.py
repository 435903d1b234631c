"""What a plugin's answer must look like: each function returns it in plain types or says what is wrong.

Every check costs what the answer is long, never what the index holds. Numbers of other libraries (numpy,
torch) are taken where they are integers, or finite, by nature; a bool is never a number here.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Set

from byheart.errors import shown


class WrongAnswerError(ValueError):
    """Says in one clause what was expected and what came; whoever asked adds which plugin and which hook."""


def positions(answer: object, size: int) -> list[int]:
    """Distinct positions in an index of ``size`` texts, in the order they came.

    >>> positions([2, 0], size=3)
    [2, 0]
    """
    return _distinct(_items(answer, "positions"), 0, size - 1, "position", f"the index holds {size} texts")


def boundaries(answer: object, count: int) -> list[int]:
    """Sorted distinct boundaries among ``count`` turns, each from 1 to ``count``; None counts as no boundary.

    >>> boundaries([4, 2], count=4)
    [2, 4]
    """
    if answer is None:
        return []
    items = list(answer) if isinstance(answer, Set) else _items(answer, "boundaries")
    return sorted(_distinct(items, 1, count, "boundary", f"there are {count} turns"))


def scores(answer: object, count: int) -> list[float]:
    """``count`` finite floats.

    >>> scores((1, 0.5), count=2)
    [1.0, 0.5]
    """
    items = _items(answer, "scores")
    if len(items) != count:
        raise WrongAnswerError(f"expected {count} scores, one a text asked for, got {len(items)}")
    return [number(item, f"score {at}") for at, item in enumerate(items)]


def number(answer: object, what: str = "the score") -> float:
    """A finite float.

    >>> number(2)
    2.0
    """
    value = math.nan
    if type(answer) is float:
        value = answer
    elif hasattr(answer, "__float__") and not _is_bool(answer):
        try:
            value = float(answer)
        except (TypeError, ValueError, OverflowError):
            value = math.nan
    if not math.isfinite(value):
        raise WrongAnswerError(f"{what} must be a finite float, got {shown(answer)}")
    return value


def text(answer: object) -> str:
    """A str."""
    if not isinstance(answer, str):
        raise WrongAnswerError(f"expected a str, got {shown(answer)}")
    return answer


def _is_bool(value: object) -> bool:
    return type(value).__name__ in ("bool", "bool_")  # numpy's passes for a number, and numpy is not imported here


def _items(answer: object, what: str) -> list[object]:
    """The items of a sequence or an array, in types of Python where the array offers them."""
    if type(answer) is list:
        return answer
    plain = getattr(answer, "tolist", None)
    if callable(plain):
        answer = plain()
    if (
        isinstance(answer, (str, bytes, bytearray, Mapping, Set))
        or not isinstance(answer, Iterable)
        or not hasattr(answer, "__len__")
    ):
        raise WrongAnswerError(f"expected a list of {what}, got {shown(answer)}")
    return list(answer)


def _distinct(items: list[object], lowest: int, highest: int, what: str, because: str) -> list[int]:
    found: list[int] = []
    seen: set[int] = set()
    for item in items:
        if type(item) is int:
            value = item
        else:
            if _is_bool(item):
                raise WrongAnswerError(f"a {what} must be an int, got {shown(item)}")
            try:
                value = operator.index(item)  # type: ignore[arg-type]  # raises TypeError where it is none
            except TypeError:
                raise WrongAnswerError(f"a {what} must be an int, got {shown(item)}") from None
        if not lowest <= value <= highest:
            raise WrongAnswerError(
                f"{what} {shown(value).removesuffix(' (int)')} is not from {lowest} to {highest} ({because})"
            )
        if value in seen:
            raise WrongAnswerError(f"{what} {value} comes twice")
        seen.add(value)
        found.append(value)
    return found
