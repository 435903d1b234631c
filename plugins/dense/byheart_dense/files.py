"""Saved vectors: one .npz file without pickle, holding fingerprints of the texts and not the texts."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from byheart import SnapshotError
from byheart_dense.embedding import Vectors

FORMAT = 1
_FINGERPRINT = 16  # bytes
_PARTS = ("header", "fingerprints", "counts", "vectors", "probe")
_SAME = 0.999  # cosine of one sentence's vectors, then and now: machines differ in the last digits only


def fingerprint(text: str) -> bytes:
    """What stands for a text in a file."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_FINGERPRINT).digest()


def save(
    path: str | os.PathLike[str], header: Mapping[str, Any], vectors: Mapping[bytes, Vectors], probe: Vectors
) -> None:
    """Write the file whole or not at all. ``header`` is what must be the same again when it is read."""
    dimension = probe.shape[1]
    parts = {
        "header": np.frombuffer(json.dumps({"format": FORMAT, **header}).encode(), dtype=np.uint8),
        "fingerprints": np.frombuffer(b"".join(vectors), dtype=np.uint8).reshape(-1, _FINGERPRINT),
        "counts": np.array([len(rows) for rows in vectors.values()], dtype=np.int64),
        "vectors": np.concatenate([np.zeros((0, dimension), dtype=np.float32), *vectors.values()]),
        "probe": probe,
    }
    target = Path(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            np.savez(stream, **parts)  # type: ignore[arg-type, unused-ignore]  # older stubs see only one keyword
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(path: str | os.PathLike[str], header: Mapping[str, Any], probe: Vectors) -> dict[bytes, Vectors]:
    """Vectors by fingerprint; SnapshotError where the file is damaged or was made by another model.

    ``header`` and ``probe`` are those that :func:`save` would be given now.
    """
    parts = _parts(path)
    _compare(path, parts["header"], header)
    fingerprints, counts, vectors = parts["fingerprints"], parts["counts"], parts["vectors"]
    dimension = probe.shape[1]
    sound = (
        fingerprints.dtype == np.uint8
        and counts.dtype == np.int64
        and vectors.dtype == np.float32
        and fingerprints.shape == (len(counts), _FINGERPRINT)
        and counts.ndim == 1
        and (counts >= 0).all()
        and vectors.shape == (int(counts.sum()), dimension)
        and parts["probe"].shape == probe.shape
        and np.isfinite(vectors).all()
    )
    if not sound:
        raise _damaged(path, "vectors", "its parts do not fit together")
    if float(np.einsum("j,j->", parts["probe"][0], probe[0])) < _SAME:
        raise SnapshotError(
            f"{path}: these vectors were made by another model of the same name ({header['model']}): "
            "delete the file and let the texts be embedded anew",
            field="probe",
        )
    ends = np.cumsum(counts)
    return {
        key.tobytes(): vectors[end - count : end] for key, count, end in zip(fingerprints, counts, ends, strict=True)
    }


def _parts(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        with open(path, "rb") as stream:
            stored = np.load(stream, allow_pickle=False)
            if isinstance(stored, np.ndarray):
                raise _damaged(path, "parts", "it holds a single array")
            return {name: stored[name] for name in _PARTS}
    except (FileNotFoundError, SnapshotError):
        raise
    except KeyError as error:
        raise _damaged(path, "parts", f"a part is missing ({error})") from error
    except Exception as error:  # there is little that numpy and zipfile do not raise for a damaged file
        raise _damaged(path, "file", f"{type(error).__name__}: {error}") from error


def _compare(path: str | os.PathLike[str], stored: Any, header: Mapping[str, Any]) -> None:
    try:
        found = json.loads(bytes(stored))
        version = found["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(path, "header", f"its header cannot be read ({error})") from error
    if version != FORMAT:
        raise SnapshotError(
            f"{path}: expected vectors in format {FORMAT}, got format {version!r}: update byheart or delete the file",
            field="format",
        )
    for field, expected in header.items():
        if found.get(field) != expected:
            raise SnapshotError(
                f"{path}: these vectors were made with {field} {found.get(field)!r}, this plugin has {expected!r}: "
                "build it as it was then, or delete the file and let the texts be embedded anew",
                field=field,
            )


def _damaged(path: str | os.PathLike[str], field: str, what: str) -> SnapshotError:
    return SnapshotError(f"{path}: expected vectors saved by byheart's dense plugin, but {what}", field=field)
