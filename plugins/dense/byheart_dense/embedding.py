"""From texts to unit vectors: cut, handed over in groups, checked."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from byheart import PluginError
from byheart_dense.encoders import Model, Side

Vectors = NDArray[np.float32]
"""Unit vectors, one a window: shape (windows, dimension)."""

_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character: no tokenizer takes it
_QUERIES_KEPT = 8


class Embedder:
    """Embeds with one model, and holds its answers to what was promised."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.dimension: int | None = None
        self._queries: OrderedDict[str, Vectors] = OrderedDict()

    def query(self, text: str) -> Vectors:
        """The windows of a question. The last few questions are kept: ranking and scoring ask for the same."""
        if text not in self._queries:
            [(_, vectors)] = self._embedded([text], self.model.query)
            self._queries[text] = vectors
            if len(self._queries) > _QUERIES_KEPT:
                self._queries.popitem(last=False)
        self._queries.move_to_end(text)
        return self._queries[text]

    def forget_queries(self) -> None:
        """Keep no question: it may hold words that are to be forgotten."""
        self._queries.clear()

    def documents(
        self, texts: Sequence[str], report: Callable[[int, int], None] | None = None
    ) -> Iterator[tuple[str, Vectors]]:
        """Each text with its windows, as they are ready; ``report`` is told how many of how many are."""
        for done, (text, vectors) in enumerate(self._embedded(texts, self.model.document), start=1):
            yield text, vectors
            if report is not None:
                report(done, len(texts))

    def expect(self, dimension: int) -> None:
        """Refuse vectors of any other dimension from here on."""
        self.dimension = dimension

    def _embedded(self, texts: Sequence[str], side: Side) -> Iterator[tuple[str, Vectors]]:
        group = self.model.group
        for start in range(0, len(texts), group):
            some = texts[start : start + group]
            pieces = [_pieces(side, text) for text in some]
            flat = [piece for own in pieces for piece in own]
            # Windows of one long text may be many: they too go over in groups.
            parts = [self._encoded(side, flat[at : at + group]) for at in range(0, len(flat), group)]
            rows = np.concatenate(parts) if parts else np.zeros((0, self.dimension or 0), dtype=np.float32)
            at = 0
            for text, own in zip(some, pieces, strict=True):
                yield text, rows[at : at + len(own)]
                at += len(own)

    def _encoded(self, side: Side, texts: list[str]) -> Vectors:
        answer = side.encode(list(texts))
        try:
            rows = np.array(answer, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise self._wrong(f"expected an array of numbers, got {type(answer).__name__} ({error})") from error
        if rows.ndim != 2 or rows.shape[0] != len(texts) or rows.shape[1] == 0:
            raise self._wrong(f"expected shape ({len(texts)}, dimension), got {rows.shape}")
        if not np.isfinite(rows).all():
            raise self._wrong("expected finite numbers, got NaN or infinity")
        if self.dimension is None:
            self.dimension = rows.shape[1]
        if rows.shape[1] != self.dimension:
            raise self._wrong(f"expected {self.dimension} numbers a text as before, got {rows.shape[1]}")
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))[:, np.newaxis]
        return (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)

    def _wrong(self, what: str) -> PluginError:
        return PluginError(
            f"plugin 'dense': the encoder {self.model.name} answered wrongly: {what}",
            plugin="dense",
            distribution="byheart",
        )


def _pieces(side: Side, text: str) -> list[str]:
    """What of ``text`` there is to embed: its windows without blank ones; a lone surrogate as U+FFFD."""
    return [piece for piece in side.split(_SURROGATE.sub("\ufffd", text)) if piece.strip()]
