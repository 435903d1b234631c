"""Saved conversations: plain JSON, versioned, checked field by field before anything is built."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from byheart.context import Context, Piece
from byheart.errors import SnapshotError, shown
from byheart.log import Log, Said, check_turn
from byheart.options import Options
from byheart.rendering import Excerpt

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class SavedContext:
    """What was being sent, as pieces of turns."""

    complete: bool
    upto: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A conversation as it was saved."""

    turns: list[Said]
    bounds: list[int]
    lost: bool  # some boundaries point nowhere: those behind the last that stands are to be found again
    closed: bool
    asked: float
    redacted: list[int]
    context: SavedContext | None


def read(data: object) -> Snapshot:
    """The checked content of what ``Memory.to_dict`` returned; SnapshotError names the field that is wrong.

    Boundaries that point nowhere are dropped: they can be found again.
    """
    if not isinstance(data, Mapping):
        raise _wrong("data", "a mapping as to_dict returns it", data)
    version = data.get("version", VERSION)
    if isinstance(version, bool) or version != VERSION:
        raise SnapshotError(
            f"version must be {VERSION}, got {shown(version)}: a newer byheart may be needed to read it",
            field="version",
        )
    if data.get("turns") is None:
        raise SnapshotError("turns is missing: expected a list of turns", field="turns")
    turns = [_turn(at, turn) for at, turn in enumerate(_items(data, "turns"))]
    saved = _items(data, "bounds")
    bounds = [0, *sorted({bound for bound in saved if type(bound) is int and 0 < bound < len(turns)})]
    lost = bool(turns) and not (saved and all(type(bound) is int and 0 <= bound < len(turns) for bound in saved))
    redacted = [at for at in _items(data, "redacted") if type(at) is int and 0 <= at < len(turns)]
    asked = data.get("asked", 0.0)
    if isinstance(asked, bool) or not isinstance(asked, (int, float)) or not abs(asked) <= sys.float_info.max:
        raise _wrong("asked", "a number", asked)
    context = data.get("context")
    return Snapshot(
        turns, bounds, lost, data.get("closed") is True, asked, redacted,
        None if context is None else read_context(context, len(turns)),
    )  # fmt: skip


def _wrong(field: str, expected: str, got: object) -> SnapshotError:
    return SnapshotError(f"{field} must be {expected}, got {shown(got)}", field=field)


def _items(data: Mapping[str, Any], name: str, *, within: str = "") -> Sequence[Any]:
    items = data.get(name)
    if items is None:
        return ()
    if not isinstance(items, (list, tuple)):
        raise _wrong(within + name, "a list", items)
    return items


def _turn(at: int, turn: object) -> Said:
    field = f"turns[{at}]"
    if not isinstance(turn, Mapping):
        raise _wrong(field, "a mapping with role, text and when", turn)
    for name in ("role", "text"):
        if name not in turn:
            raise SnapshotError(f"{field}.{name} is missing", field=f"{field}.{name}")
        if not isinstance(turn[name], str):
            raise _wrong(f"{field}.{name}", "a str", turn[name])
    when = turn.get("when")
    if when is not None and not isinstance(when, str):
        raise _wrong(f"{field}.when", "a str or null", when)
    try:
        return check_turn(turn["role"], turn["text"], when)
    except (TypeError, ValueError) as error:
        raise SnapshotError(f"{field}.role: {error}", field=f"{field}.role") from error


def read_context(saved: object, turns: int) -> SavedContext:
    """The checked ``context`` of a snapshot, of a conversation of so many turns."""
    if not isinstance(saved, Mapping) or not isinstance(saved.get("pieces"), (list, tuple)):
        raise _wrong("context", "a mapping with pieces", saved)
    upto = saved.get("upto")
    if type(upto) is not int or not 0 <= upto <= turns:
        raise _wrong("context.upto", f"an int from 0 to {turns}", upto)
    pieces = tuple(_piece(f"context.pieces[{at}]", piece, turns) for at, piece in enumerate(saved["pieces"]))
    return SavedContext(saved.get("complete") is True, upto, pieces)


def _piece(field: str, saved: object, turns: int) -> Piece:
    if not isinstance(saved, Mapping):
        raise _wrong(field, "a mapping", saved)
    whole: list[int] = []
    for pair in _items(saved, "turns", within=f"{field}."):
        lo, hi = _span(f"{field}.turns", pair, turns)
        whole.extend(range(lo, hi))
    excerpts: list[Excerpt] = []
    for excerpt in _items(saved, "excerpts", within=f"{field}."):
        turn = excerpt.get("turn") if isinstance(excerpt, Mapping) else None
        if type(turn) is not int or not 0 <= turn < turns:
            raise _wrong(f"{field}.excerpts", "mappings with the index of a turn", excerpt)
        within = f"{field}.excerpts"
        spans = tuple(_span(within, span) for span in _items(excerpt, "spans", within=f"{within}."))
        if not spans or any(after[0] < before[1] for before, after in pairwise(spans)):
            raise _wrong(f"{field}.excerpts", "spans that ascend, one at least", excerpt)
        excerpts.append(Excerpt(turn, spans))
    piece = Piece(tuple(whole), tuple(excerpts), saved.get("recalled") is True, saved.get("dated") is True)
    shown = list(piece.touches())
    if not shown or len(set(shown)) != len(shown) or (not piece.recalled and len(shown) != 1):
        raise _wrong(field, "a piece of one turn, or a recalled block of several", saved)
    return piece


def _span(field: str, pair: object, most: int | None = None) -> tuple[int, int]:
    if isinstance(pair, (list, tuple)) and len(pair) == 2 and all(type(end) is int for end in pair):
        lo, hi = pair
        if 0 <= lo < hi and (most is None or hi <= most):
            return lo, hi
    raise _wrong(field, "pairs [start, end)", pair)


def restored(saved: SavedContext | None, log: Log, options: Options) -> Context | None:
    """What was being sent; None where it cannot be sent again as it was, under these options."""
    if saved is None:
        return None
    context = Context(complete=saved.complete)
    for piece in saved.pieces:
        if any(excerpt.spans[-1][1] > len(log.shown(excerpt.turn)) for excerpt in piece.excerpts):
            return None  # other options annotate otherwise
        if any(map(log.blank, piece.touches())):
            return None  # not what to_dict wrote
        context.add(piece, log, options.measure)
    context.upto = saved.upto
    missing = (at for at in range(saved.upto) if at not in context.whole and not log.blank(at))
    if saved.complete and next(missing, None) is not None:
        return None
    if context.size > (options.budget if saved.complete else options.promise):
        return None
    return context
