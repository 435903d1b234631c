"""Verbatim excerpts: what of a text that cannot be sent whole matches a question best.

Texts are cut where paragraphs, lines or sentences end, never inside one unless it alone is too long, and then at
white space, or as a last resort anywhere. The cost is linear in the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Final

from byheart.tokens import Analyzer

Span = tuple[int, int]

# A run of marks is tried from its start alone: trying every start of a long run would take quadratic time.
_END: Final = re.compile(r"\n+|(?<![.!?…。！？।؟])[.!?…。！？।؟]+[\"'”’»)\]]*(?:\s+|(?<=[。！？]))|\Z")
_LONGEST: Final = 600  # characters; a longer unit is cut again


def units(text: str, longest: int = _LONGEST) -> list[Span]:
    """Consecutive spans that make up ``text``: sentences or lines, cut again where one passes ``longest``.

    >>> units("One. Two!\\nThree")
    [(0, 5), (5, 10), (10, 15)]
    """
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if end == start:
            continue
        spans.extend(_pieces(text, start, end, longest))
        start = end
    return spans


def _pieces(text: str, start: int, end: int, longest: int) -> Iterable[Span]:
    while end - start > longest:
        cut = max(text.rfind(white, start + longest // 2, start + longest) for white in " \t\u3000")
        cut = start + longest if cut < 0 else cut + 1
        yield start, cut
        start = cut
    yield start, end


def best_spans(text: str, query: str, room: float, measure: Callable[[str], float] = len) -> tuple[Span, ...]:
    """Spans of ``text`` that together measure at most ``room``: the best matches first, then what surrounds them.

    Where nothing matches, the beginning and the end are taken. Ascending; neighbours are merged. One span at
    least is returned, cut short if it must be.
    """
    whole = measure(text)
    if whole <= room:
        return ((0, len(text)),)
    per_character = max(whole / len(text), 1e-9)
    longest = max(1, min(_LONGEST, int(room / per_character / 2)))
    spans = units(text, longest)
    room_left = room
    chosen: set[int] = set()
    for at in _by_relevance(text, query, spans):
        start, end = spans[at]
        size = measure(text[start:end])
        if size > room_left:
            if not chosen:
                return ((start, start + max(1, int((end - start) * room / max(size, 1e-9)))),)
            break
        chosen.add(at)
        room_left -= size
    return tuple(_merged(spans[at] for at in sorted(chosen)))


def relevance(text: str, query: str) -> float:
    """How much of ``query`` a text has: the share of its words that occur in it.

    >>> relevance("we moved to Lyon", "when did you move to Paris?")
    0.5
    """
    analyzer = Analyzer()
    wanted = set(analyzer.terms(query))
    return len(wanted.intersection(analyzer.terms(text))) / len(wanted) if wanted else 0.0


def _by_relevance(text: str, query: str, spans: list[Span]) -> Iterable[int]:
    """Positions of spans: the best three matches each with its surroundings, then beginning and end."""
    scores = _scores(text, query, spans)
    matching = sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at))
    seen: set[int] = set()

    def fresh(positions: Iterable[int]) -> Iterable[int]:
        for at in positions:
            if 0 <= at < len(spans) and at not in seen:
                seen.add(at)
                yield at

    for best in matching[:3]:
        yield from fresh((best,))
    for distance in (1, 2):
        for best in matching[:3]:
            yield from fresh((best + distance, best - distance))
    yield from fresh(matching[3:12])
    if not matching:
        yield from fresh((0, len(spans) - 1))
        inwards = zip(range(1, len(spans)), range(len(spans) - 2, 0, -1), strict=False)
        yield from fresh(at for pair in inwards for at in pair)
    for distance in range(3, len(spans)):
        before = len(seen)
        for best in matching[:3]:
            yield from fresh((best + distance, best - distance))
        if len(seen) == before:
            return


def _scores(text: str, query: str, spans: list[Span]) -> list[float]:
    """What a span shares with the query, rare words counting more, long spans less."""
    analyzer = Analyzer()
    wanted = set(analyzer.terms(query))
    if not wanted:
        return [0.0] * len(spans)
    found = [wanted.intersection(analyzer.terms(text[start:end])) for start, end in spans]
    held: dict[str, int] = {}
    for terms in found:
        for term in terms:
            held[term] = held.get(term, 0) + 1
    rarity = {term: math.log(1 + len(spans) / count) for term, count in held.items()}
    return [
        sum(rarity[term] for term in sorted(terms)) / (1 + (end - start) / _LONGEST)
        for terms, (start, end) in zip(found, spans, strict=True)
    ]


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in spans:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
