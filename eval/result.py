"""What a benchmark hands back, and the file it becomes.

A result file is JSON: what was run (options, code version, package versions, machine, checksum of
the data), tables made of numbers with their intervals, single figures by name (the ones that prose
may quote), series for plots, and the traces of single questions, by id and compressed. No text of
a data set is ever in it.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from .data import ROOT
from .statistics import Estimate

FORMAT = 1
FOLDER = ROOT / "eval" / "results"
PACKAGES = (
    "pluggy",
    "yait-byheart",
    "rank-bm25",
    "bm25s",
    "PyStemmer",
    "numpy",
    "matplotlib",
    "sentence-transformers",
    "torch",
    "mempalace",
    "mem0ai",
    "langchain-core",
    "llama-index-core",
)


class NotReadyError(Exception):
    """A benchmark was not given what it needs; the message says what is missing."""


#: One field of a table: a number with or without its interval, a word, or nothing.
Cell: TypeAlias = "Estimate | float | int | str | None"


@dataclass
class Table:
    """Rows of cells under column heads. ``note`` says what the numbers are, in one or two sentences."""

    title: str
    columns: Sequence[str]
    rows: list[list[Cell]] = field(default_factory=list)
    note: str = ""

    def add(self, *cells: Cell) -> None:
        if len(cells) != len(self.columns):
            raise ValueError(f"{self.title}: expected {len(self.columns)} cells, got {len(cells)}")
        self.rows.append(list(cells))

    def to_json(self) -> dict[str, Any]:
        rows = [[cell.to_json() if isinstance(cell, Estimate) else cell for cell in row] for row in self.rows]
        return {"title": self.title, "columns": list(self.columns), "rows": rows, "note": self.note}


@dataclass
class Result:
    """Everything one benchmark found. ``failures`` are broken promises; any makes the run fail."""

    name: str
    tables: list[Table] = field(default_factory=list)
    figures: dict[str, Cell] = field(default_factory=dict)
    series: dict[str, Any] = field(default_factory=dict)
    traces: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    data_checksum: str = ""

    def to_json(self, options: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        figures = {k: v.to_json() if isinstance(v, Estimate) else v for k, v in self.figures.items()}
        return {
            "format": FORMAT,
            "benchmark": self.name,
            "options": {k: v for k, v in options.items() if k not in ("data", "out")},
            "ran": {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "seconds": round(seconds, 1)},
            "code": code_version(),
            "machine": machine(),
            "packages": package_versions(),
            "data_sha256": self.data_checksum,
            "tables": [table.to_json() for table in self.tables],
            "figures": figures,
            "series": self.series,
            "notes": self.notes,
            "failures": self.failures,
            "traces": pack(self.traces),
        }


def pack(value: Any) -> str:
    """Any JSON value, compressed, as text."""
    raw = json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
    return base64.b85encode(zlib.compress(raw, 9)).decode()


def unpack(text: str) -> Any:
    """The value that was packed."""
    return json.loads(zlib.decompress(base64.b85decode(text)))


def write(
    result: Result,
    options: Mapping[str, Any],
    seconds: float,
    folder: Path | str = FOLDER,
    name: str | None = None,
) -> Path:
    """The result as ``<folder>/<name>.json``."""
    path = Path(folder) / f"{name or result.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result.to_json(options, seconds), indent=1, sort_keys=True, ensure_ascii=True)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def machine() -> dict[str, Any]:
    """What times depend on. No name of the machine."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
    }


def package_versions(names: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Versions of the packages a figure may depend on, those that are installed."""
    installed = ((name, _version(name)) for name in names)
    return {name: version for name, version in installed if version}


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def code_version() -> dict[str, Any]:
    """The commit, whether files differ from it, and a checksum of the sources that were run."""
    return {
        "commit": _git("rev-parse", "HEAD"),
        "changed": bool(_git("status", "--porcelain")),
        "sources_sha256": sources_checksum(),
    }


def sources_checksum() -> str:
    """One checksum over every Python file of the library, its plugins and this package."""
    total = hashlib.sha256()
    for folder in ("byheart", "plugins", "eval"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            total.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def _git(*arguments: str) -> str | None:
    try:
        ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return ran.stdout.strip() if ran.returncode == 0 else None


def say(text: str) -> None:
    """Progress, on standard error, so that standard output holds the tables alone."""
    print(text, file=sys.stderr, flush=True)
