"""docs/plugins.md is held to the code: its headings, its signatures and its examples."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from byheart import testing
from byheart.hooks import SPECS

PAGE = Path(__file__).parents[1] / "docs" / "plugins.md"
SECTION = {"retriever": "Hooks of a retriever", "rewriter": "Hook of a rewriter", "segmenter": "Hook of a segmenter"}


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture
def files(page: str, tmp_path: Path) -> Path:
    """A folder with the files of the page, each a code block whose first line is a comment with its name."""
    blocks = re.findall(r"^```\w+\n# (\S+)\n(.*?)^```$", page, flags=re.M | re.S)
    assert [name for name, _ in blocks] == [
        "byheart_words.py",
        "pyproject.toml",
        "use.py",
        "test_words.py",
        "reverse.py",
        "either.py",
    ]
    for name, text in blocks:
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(folder: Path, program: str) -> str:
    """What a program prints that sees the files of the page, beside the byheart that is being tested."""
    path = [str(folder), str(PAGE.parents[1])]
    code = f"import sys; sys.path[:0] = {path!r}\n{program}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_each_hook_is_a_heading_with_its_exact_signature_in_the_order_of_the_specification(page: str) -> None:
    assert re.findall(r"^### `(.*)`$", page, flags=re.M) == [spec.signature for spec in SPECS.values()]


def test_each_hook_stands_in_the_section_of_its_role(page: str) -> None:
    for spec in SPECS.values():
        section = page.partition(f"## {SECTION[spec.role]}\n")[2].partition("\n## ")[0]
        assert f"### `{spec.signature}`" in section


@pytest.mark.parametrize("name", testing.__all__)
def test_the_checks_stand_there_with_their_options(page: str, name: str) -> None:
    signature = inspect.signature(getattr(testing, name))
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    assert f"`{name}{inspect.Signature(bare)}`" in page


def test_the_plugin_on_the_page_is_found_by_the_name_in_its_pyproject(files: Path) -> None:
    project = (files / "pyproject.toml").read_text(encoding="utf-8")
    name, version = re.findall(r'^(?:name|version) = "(.*)"$', project, flags=re.M)
    entries = re.findall(r'^(\w+) = "(.*:.*)"$', project.partition("[project.entry-points.byheart]")[2], flags=re.M)
    assert entries == [("words", "byheart_words:Words")]
    info = files / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    lines = [f"{entry} = {value}" for entry, value in entries]
    (info / "entry_points.txt").write_text("\n".join(["[byheart]", *lines, ""]), encoding="utf-8")
    program = "import use\nfrom byheart.entry_points import available\n"
    program += "print(*[(i.name, i.kind, i.distribution, i.ok) for i in available() if i.name == 'words'])"
    assert run(files, program) == "('words', 'retriever', 'byheart-words', True)\n"


def test_the_test_on_the_page_passes(files: Path) -> None:
    assert run(files, "import test_words; test_words.test_words(); print('passed')") == "passed\n"


def test_the_wrapper_on_the_page_reverses(files: Path) -> None:
    program = (
        "from byheart.plugins import PluginHost; from byheart_words import Words; from reverse import Reverse\n"
        "for plugins in ([], [Reverse()]):\n"
        "    host = PluginHost(Words(), plugins=plugins)\n"
        "    host.fit(['user: tea', 'user: tea please'])\n"
        "    print(host.rank('tea please', 2, 2))\n"
    )
    assert run(files, program) == "[1, 0]\n[0, 1]\n"


def test_the_retriever_made_of_others_keeps_what_a_retriever_promises_and_names_the_one_that_fails(files: Path) -> None:
    program = (
        "from byheart import PluginError; from byheart.testing import check_retriever; from byheart_words import Words\n"
        "from either import Either\n"
        "check_retriever(lambda: Either('builtin', Words()), max_examples=5)\n"
        "class Failing(Words):\n"
        "    def rank(self, query): raise OSError('no answer')\n"
        "either = Either('builtin', Failing())\n"
        "either.fit(['user: tea'])\n"
        "try: either.rank('tea', 1)\n"
        "except PluginError as error: print(error)\n"
    )
    assert run(files, program) == "plugin Failing failed in rank: OSError: no answer\n"
