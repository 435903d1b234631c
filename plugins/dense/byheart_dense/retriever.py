"""The plugin ``dense``: cosine over embeddings, each text embedded once."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from byheart import PluginError, hookimpl
from byheart_dense.encoders import Encoder, PlainEncoder, adapted
from byheart_dense.progress import Report, TerminalProgress
from byheart_dense.sentence_model import is_sentence_transformer, opened

if TYPE_CHECKING:
    from byheart_dense.embedding import Embedder, Vectors
    from byheart_dense.table import Table

DEFAULT_MODEL = "intfloat/multilingual-e5-small"

_PROBE = "What the vectors of this sentence were tells one model from another of its name."
_GROUP = 32  # texts that an encoder of one's own is handed at once
_ORDER = 0.01


class DenseRetriever:
    """A retriever by meaning; build it with :func:`build`."""

    def __init__(
        self,
        embedder: Embedder,
        table: Table,
        *,
        vectors: str | os.PathLike[str] | None = None,
        progress: Callable[[], Report] = TerminalProgress,
    ) -> None:
        self._embedder = embedder
        self._table = table
        self._path = vectors
        self._progress = progress
        self._probe_vectors: Vectors | None = None
        self._last: tuple[str, Any] | None = None  # the last question, and how near it is to each text
        self._docs: list[str] = []
        self._times: Counter[str] = Counter()
        # By fingerprint, for texts that are not indexed yet: read from a file, or embedded by a call that failed.
        self._spare: dict[bytes, Vectors] = {}
        if vectors is not None:
            with suppress(FileNotFoundError):
                self.load_vectors(vectors)

    # -- hooks ------------------------------------------------------------------------------------------------

    @hookimpl
    def fit(self, docs: Sequence[str]) -> None:
        """Index these texts; only those that were not indexed are embedded."""
        self._replace(0, docs)

    @hookimpl
    def extend(self, start: int, docs: Sequence[str]) -> None:
        """The texts from ``start`` on are now ``docs``; only new ones are embedded."""
        self._replace(start, docs)

    @hookimpl
    def rank(self, query: str, limit: int) -> list[int]:
        """Positions, nearest first, the newer first in a tie; blank texts are left out.

        How near, the cosine tells of what is left of question and text once what all texts have in common is
        taken out of both: two speakers' names and tone, and what a model such as E5 puts into every vector. It
        would raise texts for being like the others.
        """
        import numpy as np

        near = self._near(query)
        order = np.lexsort((-np.arange(len(near)), -near))  # NaN, a blank text's, goes last
        found: list[int] = order[: max(0, min(limit, int(np.isfinite(near).sum())))].tolist()
        return found

    @hookimpl
    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        """How much nearer each of these texts is than texts are on average; 0 for a blank one.

        Whoever weighs a score against the length of a text needs a zero that means nothing. A hundredth of the
        nearness (from 0 to 1) is added, so that order remains among the texts that are farther than average.
        """
        import numpy as np

        near = self._near(query).astype(np.float64)
        known = np.isfinite(near)
        above = np.maximum(0.0, near - (near[known].mean() if known.any() else 0.0))
        scored: list[float] = np.where(known, above + _ORDER * (1.0 + near) / 2.0, 0.0).tolist()
        return scored if positions is None else [scored[position] for position in positions]

    # -- beside the hooks -------------------------------------------------------------------------------------

    def distances(self, query: str, positions: Sequence[int] | None = None) -> list[float | None]:
        """1 - cosine for each of these texts (None: for all), from 0 to 2; None for a blank text or question.

        The plain cosine of the two vectors, which no other text has a part in; :meth:`rank` may order otherwise.
        """
        distances = [1.0 - cosine if math.isfinite(cosine) else None for cosine in self._cosines(query).tolist()]
        return distances if positions is None else [distances[position] for position in positions]

    def save_vectors(self, path: str | os.PathLike[str]) -> None:
        """Write the vectors of the indexed texts, with the model's name, its prompts and their dimension.

        The file holds no text. It is written whole or not at all.
        """
        from byheart_dense import files

        vectors = {files.fingerprint(text): self._table.vectors(text) for text in self._table.texts()}
        probe = self._probe()
        files.save(path, self._header(probe), vectors, probe)

    def load_vectors(self, path: str | os.PathLike[str]) -> None:
        """Have the vectors of :meth:`save_vectors` ready for the texts they belong to.

        Those that the next ``fit`` or ``extend`` has no text for are forgotten. SnapshotError where they were
        made with another model, other prompts or another dimension, or the file is damaged.
        """
        from byheart_dense import files

        probe = self._probe()
        self._spare.update(files.load(path, self._header(probe), probe))

    @property
    def dimension(self) -> int | None:
        """Numbers a vector; None before the first text."""
        return self._embedder.dimension

    @property
    def prompts(self) -> dict[str, str]:
        """What stands before each question and each text."""
        model = self._embedder.model
        return {"query": model.query.prompt, "document": model.document.prompt}

    # -- inside -----------------------------------------------------------------------------------------------

    def _replace(self, start: int, docs: Sequence[str]) -> None:
        new = list(docs)
        wanted = [text for text in dict.fromkeys(new) if text not in self._table]
        vectors = self._embedded(wanted)
        # Nothing fails from here on, so that the index is never half of one and half of another.
        self._last = None
        old = self._docs[start:]
        self._docs[start:] = new
        self._table.put(vectors)
        self._times.update(new)
        self._times.subtract(old)
        gone = [text for text in dict.fromkeys(old) if self._times[text] == 0]
        for text in gone:
            del self._times[text]
        self._table.drop(gone)
        self._spare.clear()
        if old:
            self._embedder.forget_queries()
        if self._path is not None and (vectors or gone):
            self.save_vectors(self._path)

    def _embedded(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of these texts; what is ready when the encoder fails is kept for the next attempt."""
        import numpy as np

        from byheart_dense.files import fingerprint

        found: dict[str, Vectors] = {}
        missing = []
        for text in texts:
            spare = self._spare.get(fingerprint(text)) if self._spare else None
            if spare is not None:
                found[text] = spare
            elif text.strip():
                missing.append(text)
            else:
                found[text] = np.zeros((0, self.dimension or 0), dtype=np.float32)
        ready: dict[str, Vectors] = {}
        try:
            ready.update(self._embedder.documents(missing, self._progress()))  # one by one, as they are ready
        except BaseException:
            self._spare.update((fingerprint(text), vectors) for text, vectors in ready.items())
            raise
        return found | ready

    def _cosines(self, query: str) -> Any:
        import numpy as np

        if not self._docs or not query.strip():
            return np.full(len(self._docs), np.nan, dtype=np.float32)
        return self._table.scores(self._embedder.query(query), self._docs)

    def _near(self, query: str) -> Any:
        """The last question is kept: ranking and scoring ask for the same."""
        import numpy as np

        if not self._docs or not query.strip():
            return np.full(len(self._docs), np.nan, dtype=np.float32)
        if self._last is None or self._last[0] != query:
            vectors = self._embedder.query(query)
            self._last = (query, self._table.scores(vectors, self._docs, self._table.centre(self._docs)))
        return self._last[1]

    def _probe(self) -> Vectors:
        if self._probe_vectors is None:
            [(_, vectors)] = self._embedder.documents([_PROBE])
            self._probe_vectors = vectors[:1]
        return self._probe_vectors

    def _header(self, probe: Vectors) -> dict[str, Any]:
        return {"model": self._embedder.model.name, "prompts": self.prompts, "dimension": probe.shape[1]}


def build(
    *,
    model: str | os.PathLike[str] | Encoder | PlainEncoder = DEFAULT_MODEL,
    prompts: Mapping[str, str] | None = None,
    device: str | None = None,
    batch_size: int | None = None,
    window: int | None = None,
    vectors: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[int, int], None] | None = None,
) -> DenseRetriever:
    """A retriever by embeddings. Needs ``pip install 'byheart[dense]'``; PluginError where that is missing.

    ``model`` is a name, a folder, a loaded SentenceTransformer, or any object with ``encode_query`` and
    ``encode_document``, or ``encode``: lists of texts in, arrays of shape (texts, dimension) out; it may be
    shared between memories. ``prompts`` holds what is put before a text under ``"query"`` and ``"document"``;
    left out, a model's own are used, and E5's where it is one. ``device`` is torch's. ``batch_size`` is how many
    texts the model is given at once (1 for sentence-transformers, so that a vector does not depend on what was
    beside it; 32 for other encoders). ``window`` is the longest piece of text to be embedded, in characters
    (default: what the model reads; for other encoders, whole texts). ``vectors`` is a file: read now if it is
    there, written whenever texts came or went. ``progress`` is True or False, or is called with how many
    texts of how many are embedded; by default a long encoding is shown on a terminal's stderr.

    TypeError and ValueError for options out of these, at once and before anything is imported.
    """
    _check_prompts(prompts)
    _check_positive("batch_size", batch_size)
    _check_positive("window", window)
    if not isinstance(device, (str, type(None))):
        raise TypeError(f"device must be a str such as 'cpu' or 'cuda', got {device!r} ({type(device).__name__})")
    if not isinstance(vectors, (str, os.PathLike, type(None))):
        raise TypeError(f"vectors must be a path or None, got {vectors!r} ({type(vectors).__name__})")
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise TypeError(f"progress must be True, False or a callable, got {progress!r} ({type(progress).__name__})")
    if isinstance(model, (str, os.PathLike)) and not os.fspath(model):
        raise ValueError("model must be a name or a folder, got an empty one")
    if isinstance(model, (str, os.PathLike)) or is_sentence_transformer(model):
        ready = opened(model, prompts, device, batch_size or 1)
    else:
        if device is not None:
            raise ValueError("device belongs to models of sentence-transformers: leave it out for other encoders")
        ready = adapted(model, prompts, batch_size or _GROUP)
    try:
        from byheart_dense.embedding import Embedder
        from byheart_dense.table import Table
    except ImportError as error:
        raise PluginError(
            f"plugin 'dense' needs numpy ({error}): pip install 'byheart[dense]'",
            plugin="dense",
            distribution="byheart",
        ) from error
    return DenseRetriever(Embedder(ready.cut(window)), Table(), vectors=vectors, progress=_reporter(progress))


def _reporter(progress: bool | Report | None) -> Callable[[], Report]:
    """What makes a report for each encoding."""
    if progress is None:
        return TerminalProgress
    if progress is True:
        return partial(TerminalProgress, always=True)
    return lambda: _silence if progress is False else progress


def _silence(done: int, total: int) -> None:
    pass


def _check_prompts(prompts: Mapping[str, str] | None) -> None:
    if prompts is None:
        return
    if not isinstance(prompts, Mapping):
        raise TypeError(f"prompts must be a dict, got {prompts!r} ({type(prompts).__name__})")
    for key, prompt in prompts.items():
        if key not in ("query", "document"):
            hint = ": the key for texts is 'document'" if key in ("passage", "corpus") else ""
            raise ValueError(f"prompts must have the keys 'query' and 'document', got {key!r}{hint}")
        if not isinstance(prompt, str):
            raise TypeError(f"the prompt {key!r} must be a str, got {prompt!r} ({type(prompt).__name__})")


def _check_positive(name: str, value: int | None) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int or None, got {value!r} ({type(value).__name__})")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")
