"""Rule 4: outside material arrives last, and only when it beats the conversation itself.

Material and conversation are scored in one index. What is admitted gets a room of its own, which grows with how
clearly it won.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from byheart import rendering
from byheart.errors import shown
from byheart.excerpts import best_spans
from byheart.options import Measure

COVERED: Final = 0.5
"""How much better than the conversation's best material must be where the conversation has all of the question."""

LEAST_ROOM: Final = 0.15
MOST_ROOM: Final = 0.6
"""Room for outside material, as shares of the budget: when it barely won, and when the conversation has nothing."""


@dataclass(frozen=True, slots=True)
class Material:
    """A text from outside and where it comes from."""

    text: str
    source: str


def check(answer: object) -> list[Material]:
    """What ``external`` returned, checked: a list of mappings with ``text`` and perhaps ``source``; None is none."""
    if answer is None:
        return []
    if isinstance(answer, (str, bytes, Mapping)) or not isinstance(answer, Sequence):
        raise TypeError(f"external must return a list of mappings with 'text' and 'source', got {shown(answer)}")
    materials: list[Material] = []
    for at, item in enumerate(answer):
        text = item.get("text") if isinstance(item, Mapping) else None
        source = item.get("source", "source") if isinstance(item, Mapping) else None
        if not isinstance(text, str) or not isinstance(source, str):
            raise TypeError(
                f"external: item {at} must be a mapping with a str 'text' and a str 'source', got {shown(item)}"
            )
        if text.strip():
            materials.append(Material(text, source))
    return materials


def admitted(
    materials: Sequence[Material], scores: Sequence[float], own: float, best: float | None, margin: float
) -> tuple[list[Material], float]:
    """The materials that beat the conversation, best first, and how clearly: from 0 to 1.

    ``own`` is the conversation's best score and ``best`` the best that the question could have (None: unknown): the
    more of the question the conversation has, the more clearly material must win. ``margin`` widens the
    comparison, in the units of the scores.
    """
    covered = min(1.0, own / best) if best and best > 0 else 0.0
    bar = own * (1 + COVERED * covered) - margin
    winners = sorted(
        (at for at, score in enumerate(scores) if score > bar and score > 0), key=lambda at: (-scores[at], at)
    )
    if not winners:
        return [], 0.0
    top = scores[winners[0]]
    return [materials[at] for at in winners], max(0.0, (top - own) / (top + abs(own)))


def text(materials: Sequence[Material], query: str, room: float, measure: Measure) -> str:
    """The part that carries the materials, as many as fit; the first as excerpts where it alone does not."""
    lines = [rendering.OUTSIDE]
    left = room
    for material in materials:
        shown, size = material.text, measure(material.text)
        if size > left:
            if len(lines) > 1:
                continue
            spans = best_spans(material.text, query, left, measure)
            shown = rendering.joined(material.text, spans)
            size = left
        lines.append(rendering.line(rendering.one_line(material.source) or "source", shown))
        left -= size
    return "\n".join([*lines, ""])


def room(budget: float, clearly: float) -> float:
    """What outside material may take beside a context of this ``budget``."""
    return budget * (LEAST_ROOM + (MOST_ROOM - LEAST_ROOM) * clearly)
