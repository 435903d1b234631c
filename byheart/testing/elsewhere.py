"""Asking a plugin in another process, where strings hash differently, as a memory restored there would.

Run as a module it is that other process: it reads a pickled question from stdin and prints JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Literal

from byheart.plugins import PluginHost
from byheart.testing.driving import Factory

Role = Literal["retriever", "segmenter"]

_SEEDS = ("271828", "314159")


def answers(factory: Factory, role: Role, cases: Sequence[Any]) -> list[Any] | None:
    """What the plugin answers there, case by case; None where the factory cannot be found by its name."""
    try:
        pickled = pickle.dumps(factory)
    except Exception:  # a lambda, a local function, whatever else it holds: each raises something of its own
        return None
    seed = next(seed for seed in _SEEDS if seed != os.environ.get("PYTHONHASHSEED"))
    path = os.pathsep.join(filter(None, sys.path))
    ran = subprocess.run(
        [sys.executable, "-m", "byheart.testing.elsewhere"],
        input=pickle.dumps((sys.path, pickled, role, list(cases))),
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
        check=False,
    )
    if ran.returncode:
        said = ran.stderr.decode(errors="replace")
        raise AssertionError(f"the plugin must work in another process, where it failed:\n{said}")
    found: list[Any] | None = json.loads(ran.stdout)
    return found


def ask(host: PluginHost, role: Role, case: Any) -> Any:
    """The answer to one case, in types of JSON."""
    if role == "segmenter":
        return host.boundaries(case)
    docs, query, limit = case
    host.fit(list(docs))
    scores = host.scores(query, None, len(docs)) if host.has_scores else None
    return [host.rank(query, limit, len(docs)), scores]


def host_of(plugin: object, role: Role) -> PluginHost:
    """A host with the plugin in its role and nothing of interest in the other."""
    return PluginHost(_Nothing(), plugin) if role == "segmenter" else PluginHost(plugin, lambda turns: None)


class _Nothing:
    def fit(self, docs: Sequence[str]) -> None: ...

    def rank(self, query: str) -> list[int]:
        return []


def main() -> None:
    """Answer the cases on stdin; what the plugin prints goes to stderr."""
    path, pickled, role, cases = pickle.load(sys.stdin.buffer)
    sys.path[:] = path
    found: list[Any] | None = None
    with contextlib.redirect_stdout(sys.stderr):
        try:
            factory: Factory = pickle.loads(pickled)
        except (ImportError, AttributeError):
            pass  # a function of a test module that only the test runner can import
        else:
            found = [ask(host_of(factory(), role), role, case) for case in cases]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
