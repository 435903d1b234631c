"""A file that only grows: one JSON object a line, so that work that was paid for is never lost.

A line is on disk before :meth:`Kept.add` returns. What a crash leaves behind is at most a last line
without an end; opening the file again drops it.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from .result import NotReadyError


class Kept:
    """The records of a file, oldest first, and a way to add one. Threads may share it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.records: list[dict[str, Any]] = []
        whole = 0
        content = path.read_bytes() if path.exists() else b""
        for number, line in enumerate(content.splitlines(keepends=True), 1):
            if not line.endswith(b"\n"):
                break  # torn
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if not isinstance(record, dict):
                raise NotReadyError(
                    f"{path}, line {number}: expected a JSON object; name another file, or mend this one"
                )
            self.records.append(record)
            whole += len(line)
        self._lock = threading.Lock()
        self._file: BinaryIO = path.open("r+b" if path.exists() else "w+b")
        self._file.truncate(whole)
        self._file.seek(whole)

    def add(self, record: Mapping[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False, sort_keys=True).encode() + b"\n"
        with self._lock:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
            self.records.append(dict(record))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
