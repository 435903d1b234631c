"""examples/byheart-example-plugin: a distribution of its own, installed beside byheart and used by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "byheart-example-plugin"


def run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    # What points Python at this checkout is taken out, so that only what was installed can be found.
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=cwd, env=env, check=False)


def test_the_tests_of_the_example_pass() -> None:
    program = (
        f"import sys; sys.path[:0] = {[str(EXAMPLE), str(ROOT)]!r}; import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    )
    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib", "-W", "error", "--rootdir", EXAMPLE]
    ran = run(sys.executable, "-c", program, *options, "-c", os.devnull, EXAMPLE / "tests")
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with byheart and the example installed by pip, each from its folder."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    needed = run(*pip, "--retries", "1", "--timeout", "15", "hatchling>=1.26", "pluggy>=1.7,<2")
    if needed.returncode:
        pytest.skip(f"pip reaches no package index from here: {needed.stderr.strip().splitlines()[-1]}")
    # From here on nothing may come from elsewhere: a failure is one of the two distributions.
    installed = run(*pip, "--no-index", "--no-build-isolation", ROOT, EXAMPLE)
    assert installed.returncode == 0, installed.stderr
    return python


def test_both_plugins_are_used_by_name_in_a_fresh_environment(python: Path, tmp_path: Path) -> None:
    program = """
import json
import byheart

def ask(query, **options):
    memory = byheart.Memory(budget=1000, chunk=1, **options)
    for text in ("the ferry to Gothenburg leaves at nine", "order of euro notes", "we paid 55 of them"):
        memory.append("user", text)
    found = memory.search(query, limit=1)[0]
    return found["text"]

print(json.dumps({
    "file": byheart.__file__,
    "misspelled": ask("when to gotenburg?", retriever="ngrams"),
    "plain": ask("order of 55 euro notes", retriever="ngrams"),
    "numbers": ask("order of 55 euro notes", retriever="ngrams", plugins=["numbers-first"]),
    "around the built-in": ask("order of 55 euro notes", plugins=["numbers-first"]),
    "option": byheart.load("ngrams", size=4)._size,
}))
"""
    ran = run(python, "-W", "error", "-c", program, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout)
    assert Path(answer["file"]).is_relative_to(python.parents[1]), "the installed byheart is the one that is used"
    assert "Gothenburg" in answer["misspelled"]
    assert "euro notes" in answer["plain"]
    assert "55" in answer["numbers"]
    assert "55" in answer["around the built-in"]
    assert answer["option"] == 4


def test_both_plugins_are_listed_with_kind_and_distribution(python: Path, tmp_path: Path) -> None:
    program = """
import json
from byheart.entry_points import available
print(json.dumps([[i.name, i.kind, i.distribution, i.version, i.ok] for i in available()]))
"""
    ran = run(python, "-c", program, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    listed = json.loads(ran.stdout)
    assert ["ngrams", "retriever", "byheart-example-plugin", "1.0", True] in listed
    assert ["numbers-first", "wrapper", "byheart-example-plugin", "1.0", True] in listed
    assert ["builtin", "retriever", "byheart"] in [row[:3] for row in listed]


def test_wrong_options_and_an_unknown_name_say_what_to_do_there(python: Path, tmp_path: Path) -> None:
    program = """
import byheart
for name, options in (("ngrams", {"size": 0}), ("ngrms", {})):
    try:
        byheart.load(name, **options)
    except (ValueError, byheart.PluginError) as error:
        print(f"{type(error).__name__}: {error}")
"""
    lines = run(python, "-c", program, cwd=tmp_path).stdout.splitlines()
    assert lines[0] == "ValueError: size must be a whole number of characters from 1 up, got 0"
    assert lines[1].startswith("PluginError: there is no plugin 'ngrms'; did you mean 'ngrams'?")
