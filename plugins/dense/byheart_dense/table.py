"""Vectors by text, in one float32 matrix that grows, and the exact search over it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from byheart_dense.embedding import Vectors

_FIRST_ROWS = 256
_LEAST = 1e-6  # of a squared length that is divided by
_TEXTS_WITHOUT_CENTRE = 10
"""So many texts halve what is taken for common to all: few say more of themselves than of the model."""
_OF_QUESTIONS = 0.75
"""Share of the centre that is taken out of a question, which has less of it than texts, least in another language."""


class Table:
    """Each text once, with one row a window; a text that is dropped leaves nothing behind.

    A text's score depends on its own rows, the question and the centre alone, to the last bit: the same text scores
    the same wherever it stands and whatever stands beside it.
    """

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._rows: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._used = 0
        self._spans: dict[str, tuple[int, int]] = {}
        self._free: dict[int, list[int]] = {}  # starts of free spans, by their length

    def __contains__(self, text: str) -> bool:
        return text in self._spans

    def __len__(self) -> int:
        return len(self._spans)

    def texts(self) -> list[str]:
        """The texts that are held."""
        return list(self._spans)

    def vectors(self, text: str) -> Vectors:
        """The rows of one text."""
        start, stop = self._spans[text]
        return self._rows[start:stop]

    @property
    def nbytes(self) -> int:
        """Bytes of the matrix, spare rows included."""
        return self._rows.nbytes

    def put(self, new: Mapping[str, Vectors]) -> None:
        """Take these texts in."""
        for text, vectors in new.items():
            count = len(vectors)
            if count == 0:
                self._spans[text] = (0, 0)
                continue
            free = self._free.get(count)
            start = free.pop() if free else self._room(count, vectors.shape[1])
            self._rows[start : start + count] = vectors
            self._spans[text] = (start, start + count)

    def keep(self, texts: Collection[str]) -> None:
        """Drop every text that is not among these."""
        wanted = texts if isinstance(texts, (set, frozenset, dict)) else set(texts)
        self.drop([text for text in self._spans if text not in wanted])

    def drop(self, texts: Iterable[str]) -> None:
        """Drop these texts and blank their rows."""
        for text in texts:
            start, stop = self._spans.pop(text)
            self._rows[start:stop] = 0.0
            if stop > start:
                self._free.setdefault(stop - start, []).append(start)
        if 2 * sum(length * len(starts) for length, starts in self._free.items()) > max(_FIRST_ROWS, self._used):
            self._compact()

    def centre(self, texts: Sequence[str]) -> Vectors | None:
        """What the vectors of these texts have in common; None where none has a vector.

        Their mean, drawn towards zero where they are few. They are summed in the order given, whatever the order
        in which they came, so that the same texts have the same centre.
        """
        rows = np.fromiter(chain.from_iterable(range(*self._spans[text]) for text in texts), dtype=np.int64)
        if not len(rows):
            return None
        total = self._rows[rows].sum(axis=0, dtype=np.float64)
        centre: Vectors = (total / (len(rows) + _TEXTS_WITHOUT_CENTRE)).astype(np.float32)
        return centre

    def scores(self, query: Vectors, texts: Sequence[str], centre: Vectors | None = None) -> NDArray[np.float32]:
        """For each text the cosine of its best window with the best of the question's; NaN without a window.

        With a ``centre`` it is the cosine of what is left of both when that is taken out.
        """
        found = np.full(len(texts), np.nan, dtype=np.float32)
        spans = np.array([self._spans[text] for text in texts], dtype=np.int64).reshape(-1, 2)
        lengths = spans[:, 1] - spans[:, 0]
        if not len(query) or not lengths.any():
            return found
        rows = self._rows[: self._used]
        # einsum and not @: a matrix product may round a row differently as its neighbours change.
        if centre is None:
            cosines = [np.einsum("ij,j->i", rows, window) for window in query]
        else:
            # The length of row - centre, of rows that are 1 long: no matrix as large as all rows is made for it.
            lengths_left = np.sqrt(np.maximum(_LEAST, 1 + centre @ centre - 2 * np.einsum("ij,j->i", rows, centre)))
            cosines = [
                (np.einsum("ij,j->i", rows, window) - centre @ window) / lengths_left
                for window in _unit(query - _OF_QUESTIONS * centre)
            ]
        best: NDArray[np.float32] = np.max(cosines, axis=0)
        single = lengths == 1
        found[single] = best[spans[single, 0]]
        for position in np.flatnonzero(lengths > 1):
            found[position] = np.max(best[spans[position, 0] : spans[position, 1]])
        return found

    def _room(self, count: int, dimension: int) -> int:
        start, need = self._used, self._used + count
        if need > len(self._rows):
            grown = np.zeros((max(need, _FIRST_ROWS, 3 * len(self._rows) // 2), dimension), dtype=np.float32)
            grown[:start] = self._rows[:start] if start else 0.0
            self._rows = grown
        self._used = need
        return start

    def _compact(self) -> None:
        held = {text: self.vectors(text).copy() for text in self._spans}
        self._clear()
        self.put(held)


def _unit(rows: Vectors) -> Vectors:
    """Each row at length 1; one that is zero stays zero."""
    lengths: Vectors = np.sqrt(np.einsum("ij,ij->i", rows, rows)).astype(np.float32)[:, np.newaxis]
    lengths[lengths == 0] = 1.0
    return rows / lengths
