"""Every example in a docstring is run: of byheart and of the plugins that import without their extras."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import shutil
import sys
from pathlib import Path

import pytest

import byheart

ROOT = Path(__file__).resolve().parents[1]
PLUGINS = [path for path in sorted((ROOT / "plugins").glob("*/byheart_*")) if (path / "__init__.py").is_file()]


def names() -> list[str]:
    found = ["byheart"]
    found += [module.name for module in pkgutil.walk_packages(byheart.__path__, "byheart.")]
    for path in PLUGINS:
        found += [path.name, *(f"{path.name}.{module.name}" for module in pkgutil.iter_modules([str(path)]))]
    return [name for name in found if not name.endswith("__main__")]


def module_of(name: str, monkeypatch: pytest.MonkeyPatch) -> object:
    for path in PLUGINS:
        monkeypatch.syspath_prepend(str(path.parent))
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        if name.startswith("byheart_") or ".store." in name or ".testing" in name:
            pytest.skip(f"{name} needs what is not installed: {missing}")
        raise


WRONG: dict[str, str] = {}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.xfail(reason=WRONG[name])) if name in WRONG else name for name in names()],
)
def test_examples_in_docstrings_hold(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An example may use ``folder``, an empty one."""
    module = module_of(name, monkeypatch)
    for test in doctest.DocTestFinder().find(module, extraglobs={"folder": tmp_path / "empty"}):
        shutil.rmtree(tmp_path / "empty", ignore_errors=True)
        (tmp_path / "empty").mkdir()
        assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def test_the_examples_are_found() -> None:
    assert len(names()) > 30
    found = doctest.DocTestFinder().find(sys.modules["byheart.memory"])
    assert any(test.examples for test in found)
