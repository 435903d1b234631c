"""A reader under atheris: ``python -m eval.fuzz_guided TARGET SECONDS SEED FOLDER``. Ends with 0 where nothing was found.

atheris does not return: libFuzzer ends the process, and says on standard error how much it tried.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def corpus(name: str, inputs: Any) -> list[bytes]:
    """Sound inputs to begin with."""
    if name == "chat files":
        return list(inputs.chat_files())
    if name == "snapshots":
        return [json.dumps(inputs.snapshot()).encode()]
    if name == "message lists":
        return [json.dumps({key: each}, default=str).encode() for key, each in inputs.provider_messages().items()]
    draw = random.Random(0)
    return [inputs.text(draw).encode("utf-8", "surrogatepass") for _ in range(100)]


def reader(name: str, targets: Any) -> Callable[[bytes], None]:
    """What takes the bytes that atheris makes."""
    from byheart import Memory, SnapshotError

    def chat(data: bytes) -> None:
        targets.read_bytes(data)

    def dated(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        targets.date_text(text, text[:40], ("en", "de", "es", "ru"), 1 + len(data) * 37_123 % 3_652_000)

    def parsed(data: bytes) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            return None

    def snapshot(data: bytes) -> None:
        try:
            memory = Memory.from_dict(parsed(data), budget=200)
        except SnapshotError:
            return
        targets.check_request(memory.compose("what of turn 5?"), memory, 400)

    def listed(data: bytes) -> None:
        found = parsed(data)
        for key, each in found.items() if isinstance(found, dict) else ():
            if key in ("anthropic", "openai", "gemini"):
                targets.read_messages(key, each)

    return {"chat files": chat, "dates": dated, "snapshots": snapshot, "message lists": listed}[name]


def main(name: str, seconds: str, seed: str, folder: str) -> None:
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["byheart"]):
        from eval import fuzz_inputs as inputs
        from eval import fuzz_targets as targets

        read = reader(name, targets)
    for at, data in enumerate(corpus(name, inputs)):
        Path(folder, str(at)).write_bytes(data)
    limits = [f"-max_total_time={seconds}", f"-seed={int(seed) + 1}", "-max_len=4096", "-timeout=20"]
    atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={folder}/found-", folder], read)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
