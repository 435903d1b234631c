"""Which benchmarks there are.

A benchmark is a module of this package that has

- ``NAME``: what it is called on the command line, ``HELP``: one line about it,
- ``add_arguments(parser)``: its own options; ``--data``, ``--quick``, ``--seed`` and ``--out`` are common,
- ``run(options) -> Result``: the work.

``SLOW = True`` keeps it out of ``python -m eval all``, ``COSTS_MONEY = True`` out of ``all --slow`` as well. A module must import without the packages
only its run needs (import them inside), so that listing never fails; one that fails anyway is
listed with its error and takes nothing else down.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import pkgutil
from typing import Protocol, cast

from .result import Result


class Benchmark(Protocol):
    """What a benchmark module offers."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> Result: ...


#: The order of ``list`` and ``all``; what is not named here follows, by name.
ORDER = (
    "recall",
    "replay",
    "gate",
    "followups",
    "scripts",
    "dates",
    "languages",
    "scale",
    "ablation",
    "sweep",
    "longlife",
    "hybrid",
    "dense-cost",
    "peers",
    "judge",
)
_WANTED = ("NAME", "HELP", "add_arguments", "run")


@functools.cache
def _search() -> tuple[dict[str, Benchmark], dict[str, str]]:
    package = importlib.import_module(__package__ or "eval")
    found: dict[str, Benchmark] = {}
    errors: dict[str, str] = {}
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith("_"):
            continue
        try:
            module = importlib.import_module(f"{package.__name__}.{info.name}")
        except Exception as error:
            errors[info.name] = f"{type(error).__name__}: {error}"
            continue
        if all(hasattr(module, name) for name in _WANTED):
            benchmark = cast(Benchmark, module)
            found[benchmark.NAME] = benchmark
    known = [name for name in ORDER if name in found]
    return {name: found[name] for name in known + sorted(set(found) - set(known))}, errors


def benchmarks() -> dict[str, Benchmark]:
    """Every benchmark that can be imported, by name."""
    return _search()[0]


def broken() -> dict[str, str]:
    """Modules of this package that cannot be imported, with the reason."""
    return _search()[1]
