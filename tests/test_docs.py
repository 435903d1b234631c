"""The pages: links lead somewhere, examples run, and what they say of the code is what the code says."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import pytest

import byheart
from byheart import store

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md")
    for page in ROOT.glob(pattern)
    if not any(part.startswith(".") for part in page.relative_to(ROOT).parts)
)
SESSIONS = ("index", "concepts", "outside-sources", "prompt-caching")

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")


def read(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def examples(tests: list[doctest.DocTest]) -> int:
    """Runs examples, fails where one does; how many there were."""
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test)
    assert runner.failures == 0
    return runner.tries


# Links


def anchors(page: Path) -> set[str]:
    """The headings of a page as their addresses on it."""
    headings = re.findall(r"^#+ (.*)$", _FENCE.sub("", page.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_page_or_file_leads_to_one_that_is_there(page: Path) -> None:
    broken = []
    for target in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert not broken


class Page(HTMLParser):
    """The addresses a page of the site links to, and the anchors it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.anchors.add(value)


def test_every_link_within_the_built_site_leads_to_a_file_and_an_anchor_that_is_there(tmp_path: Path) -> None:
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package, reason="needs what builds the site: pip install '.[docs]'")
    site = tmp_path / "site"
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "-q", str(DOCS), str(site)]
    subprocess.run(command, check=True, cwd=ROOT)
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert {page.stem for page in PAGES if page.parent == DOCS} <= {path.stem for path in pages}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            wanted = unquote(address.fragment)
            if not target.exists() or (wanted and target in pages and wanted not in pages[target].anchors):
                broken.append(f"{path.name}: {link}")
    assert not broken


def test_every_page_is_named_on_the_first_one() -> None:
    first = read("index")
    linked = {target.partition("#")[0] for target in _LINK.findall(first)}
    from_benchmarks = set(_LINK.findall(read("benchmarks")))  # the results page is reached from there
    missing = {page.name for page in DOCS.glob("*.md")} - linked - from_benchmarks - {"index.md"}
    assert not missing, "docs/index.md should say what these are about"


# The API page


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    """docs/write_api.py as a module."""
    spec = importlib.util.spec_from_file_location("write_api", DOCS / "write_api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_api_page_is_what_the_docstrings_say(writer: ModuleType) -> None:
    assert writer.page() == read("api"), "run: python docs/write_api.py"


@pytest.mark.parametrize("module", [byheart, store], ids=["byheart", "byheart.store"])
def test_every_public_name_is_on_the_api_page(module: ModuleType) -> None:
    page = read("api")
    missing = [
        name
        for name in module.__all__
        if name != "__version__" and not re.search(rf"^### `byheart\.(?:\w+\.)?{name}\b", page, re.MULTILINE)
    ]
    assert not missing


def test_the_api_page_has_every_public_method_of_the_memory_with_its_arguments(writer: ModuleType) -> None:
    page = read("api")
    for name, member in vars(byheart.Memory).items():
        if not name.startswith("_"):
            arguments = "" if isinstance(member, property) else writer.signature(getattr(byheart.Memory, name))
            assert f"#### `Memory.{name}{arguments}`\n" in page


def test_the_interface_has_examples_that_run() -> None:
    finder = doctest.DocTestFinder()
    assert examples(finder.find(byheart.Memory, "Memory", globs={"Memory": byheart.Memory})) >= 5


# The other pages


@pytest.mark.parametrize("name", SESSIONS)
def test_the_examples_on_the_page_run(name: str) -> None:
    text = re.sub(r"^```.*$", "", read(name), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, name, str(DOCS / f"{name}.md"), 0)
    assert examples([test]) >= 3


def test_the_table_of_options_has_each_option_with_its_default() -> None:
    table = read("concepts").partition("## Choosing the options")[2].partition("\n## ")[0].replace("_000", "000")
    for option in inspect.signature(byheart.Memory).parameters.values():
        shown = "len" if option.default is len else repr(option.default)
        short = option.name in ("retriever", "boundaries", "plugins", "external", "external_margin")
        assert (f"`{option.name}`" if short else f"`{option.name}={shown}`").replace("'", '"') in table


def test_the_modules_that_the_page_for_contributors_names_are_there() -> None:
    named = re.findall(
        r"`(\w+(?:\.py|/))`", read("contributing").partition("## The shape")[2].partition("- The core")[0]
    )
    assert len(named) > 20
    assert [name for name in named if not (ROOT / "byheart" / name).exists()] == []


def test_every_benchmark_has_a_line_that_says_what_it_answers() -> None:
    registry = pytest.importorskip("eval.registry", reason="the folder eval is not importable here")
    named = re.findall(r"^\| `([\w-]+)` \|", read("benchmarks"), flags=re.MULTILINE)
    assert set(registry.benchmarks()) <= set(named), "docs/benchmarks.md has a table of them"


def test_the_changelog_has_the_version_that_the_code_and_the_package_have() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert byheart.__version__ == versions[0]
    assert f'\nversion = "{byheart.__version__}"\n' in project
