"""Plugins by name: what distributions offer, what is built, and what becomes of a broken one."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from byheart.entry_points import BUILTINS, PluginInfo, available, distribution_of, kind_of, load
from byheart.errors import PluginError
from byheart.hookspecs import hookimpl
from byheart.plugins import PluginHost

Install = Callable[..., Path]

RETRIEVER = """
class Alphabetical:
    def __init__(self, *, reverse=False):
        if reverse not in (True, False):
            raise ValueError(f"reverse must be a bool, got {reverse!r}")
        self.reverse = reverse
    def fit(self, docs):
        self.docs = list(docs)
    def rank(self, query, limit):
        return sorted(range(len(self.docs)), key=lambda at: self.docs[at], reverse=self.reverse)
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution on the path: its modules and the metadata that an installer would have written."""
    before = set(sys.modules)
    folders = 0

    def put(
        name: str,
        entry_points: dict[str, str] | str,
        *,
        metadata: str = "",
        version: str = "1.2",
        **modules: str,
    ) -> Path:
        nonlocal folders
        folders += 1
        folder = tmp_path / f"site{folders}"
        info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (info / "METADATA").write_text(head + textwrap.dedent(metadata), encoding="utf-8")
        if not isinstance(entry_points, str):
            lines = [f"{key} = {value}" for key, value in entry_points.items()]
            entry_points = "\n".join(["[byheart]", *lines, ""])
        (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
        tops = "\n".join(modules)
        (info / "top_level.txt").write_text(tops, encoding="utf-8")
        for module, source in modules.items():
            (folder / f"{module}.py").write_text(textwrap.dedent(source), encoding="utf-8")
        monkeypatch.syspath_prepend(str(folder))
        return folder

    yield put
    for module in set(sys.modules) - before:
        del sys.modules[module]


def listed(name: str) -> PluginInfo:
    return next(info for info in available() if info.name == name)


def test_a_plugin_is_built_by_name_with_its_options(install: Install) -> None:
    install("byheart-sorted", {"alphabetical": "sorted_one:Alphabetical"}, sorted_one=RETRIEVER)
    plugin = load("alphabetical", reverse=True)
    assert type(plugin).__name__ == "Alphabetical"
    assert plugin.reverse is True  # type: ignore[attr-defined]


def test_a_host_takes_a_plugin_by_name_and_names_its_distribution_in_errors(install: Install) -> None:
    broken = RETRIEVER.replace("return sorted", "return [99] or sorted")
    install("byheart-sorted", {"alphabetical": "sorted_two:Alphabetical"}, sorted_two=broken)
    host = PluginHost("alphabetical", lambda turns: [])
    host.fit(["b", "a"])
    with pytest.raises(PluginError, match=r"plugin 'alphabetical' \(Alphabetical\) of byheart-sorted") as wrong:
        host.rank("q", 1, size=2)
    assert (wrong.value.plugin, wrong.value.distribution) == ("alphabetical", "byheart-sorted")


def test_the_distribution_of_an_object_is_found_by_its_package(install: Install) -> None:
    install("byheart-sorted", {"alphabetical": "sorted_three:Alphabetical"}, sorted_three=RETRIEVER)
    plugin = load("alphabetical")
    assert distribution_of(plugin) == "byheart-sorted"
    assert distribution_of(type(plugin).rank) == "byheart-sorted"  # type: ignore[attr-defined]
    assert distribution_of(object()) is None


def test_only_the_plugin_asked_for_is_imported(install: Install) -> None:
    install(
        "byheart-two",
        {"first": "first_of_two:Alphabetical", "second": "second_of_two:Alphabetical"},
        first_of_two=RETRIEVER,
        second_of_two="raise RuntimeError('imported')",
    )
    load("first")
    assert "first_of_two" in sys.modules
    assert "second_of_two" not in sys.modules


def test_the_built_in_ones_are_built_by_name_too() -> None:
    retriever = load("builtin", k1=1.5)
    assert type(retriever).__name__ == "BM25"
    assert retriever.k1 == 1.5  # type: ignore[attr-defined]
    assert hasattr(load("counter"), "boundaries")


def test_wrong_options_raise_what_the_factory_raises(install: Install) -> None:
    install("byheart-sorted", {"alphabetical": "sorted_four:Alphabetical"}, sorted_four=RETRIEVER)
    with pytest.raises(TypeError, match="backwards"):
        load("alphabetical", backwards=True)
    with pytest.raises(ValueError, match="reverse must be a bool, got 5"):
        load("alphabetical", reverse=5)


def test_a_plugin_error_of_the_factory_passes_as_it_is(install: Install) -> None:
    source = """
    from byheart.errors import PluginError
    def make():
        raise PluginError("no model", plugin="thing")
    """
    install("byheart-thing", {"thing": "thing_one:make"}, thing_one=source)
    with pytest.raises(PluginError, match=r"^no model$"):
        load("thing")


@pytest.mark.parametrize("wrong", [None, 5, b"builtin"])
def test_a_name_is_a_str(wrong: object) -> None:
    with pytest.raises(TypeError, match="the name of a plugin must be a str, got"):
        load(wrong)  # type: ignore[arg-type]


def test_an_unknown_name_is_told_with_those_there_are_and_the_one_that_was_meant(install: Install) -> None:
    install("byheart-sorted", {"alphabetical": "sorted_five:Alphabetical"}, sorted_five=RETRIEVER)
    with pytest.raises(PluginError) as unknown:
        load("alphabetic")
    message = str(unknown.value)
    assert "no plugin 'alphabetic'; did you mean 'alphabetical'?" in message
    assert {"alphabetical", "builtin", "counter"} <= set(message.partition("Installed: ")[2].split(", "))
    assert unknown.value.plugin == "alphabetic"
    with pytest.raises(PluginError, match=r"no plugin 'xyzzy'\. Installed: .*builtin, counter"):
        PluginHost("xyzzy")


# -- broken plugins break themselves only -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module_anywhere", "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("other = 1", "AttributeError: module 'broken_import' has no attribute 'Plugin'"),
        ("Plugin = 5", "is no factory but int, expected a callable"),
    ],
)
def test_one_that_cannot_be_imported_is_listed_and_refused_with_the_cure(
    install: Install, source: str, reason: str
) -> None:
    install("byheart-broken", {"broken": "broken_import:Plugin"}, broken_import=source)
    install("byheart-sorted", {"alphabetical": "sorted_six:Alphabetical"}, sorted_six=RETRIEVER)
    info = listed("broken")
    assert (info.ok, info.distribution, info.version, info.kind) == (False, "byheart-broken", "1.2", "?")
    assert reason in str(info.error)
    assert info.cure == "pip install --upgrade --force-reinstall byheart-broken"
    assert listed("alphabetical").ok
    with pytest.raises(PluginError, match="plugin 'broken' of byheart-broken cannot be") as broken:
        load("broken")
    assert reason in str(broken.value)
    assert info.cure in str(broken.value)
    assert (broken.value.plugin, broken.value.distribution) == ("broken", "byheart-broken")
    assert load("alphabetical")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "import no_such_encoder",
            "ModuleNotFoundError: No module named 'no_such_encoder'. Try: pip install 'byheart-heavy[heavy]'",
        ),
        ("raise OSError('no model')", "OSError: no model"),
        ("return None", "TypeError: its factory returned None, expected the plugin"),
    ],
)
def test_one_that_cannot_be_built_names_its_distribution_and_where_that_helps_the_extra_of_its_name(
    install: Install, body: str, reason: str
) -> None:
    install(
        "byheart-heavy",
        {"heavy": "heavy_one:make"},
        metadata="Provides-Extra: heavy\n",
        heavy_one=f"def make():\n    {body}\n",
    )
    with pytest.raises(PluginError) as broken:
        load("heavy")
    assert str(broken.value) == f"plugin 'heavy' of byheart-heavy cannot be built: {reason}"
    assert listed("heavy").ok, "listing builds nothing, and no requirement is declared to be missing"


def test_a_requirement_that_is_not_installed_is_listed_without_building_anything(install: Install) -> None:
    metadata = """\
    Provides-Extra: heavy
    Provides-Extra: light
    Requires-Dist: pluggy>=1; extra == "heavy"
    Requires-Dist: no_such.encoder[gpu]>=5 ; extra == 'heavy'
    Requires-Dist: no-such-thing-of-old; python_version < "3" and extra == "heavy"
    Requires-Dist: no-such-thing-of-another-extra; extra == "test"
    Requires-Dist: Byheart_Heavy[heavy]; extra == "light"
    """
    source = "def make():\n    raise AssertionError('built')\n"
    install(
        "byheart-heavy",
        {"heavy": "heavy_two:make", "light": "heavy_two:make"},
        metadata=metadata,
        heavy_two=source,
    )
    for name in ("heavy", "light"):
        info = listed(name)
        assert not info.ok
        assert info.error == "not installed: no_such.encoder"
        assert info.cure == f"pip install 'byheart-heavy[{name}]'"


def test_two_distributions_with_one_name_are_both_named(install: Install) -> None:
    install("byheart-north", {"twin": "twin_north:Alphabetical"}, twin_north=RETRIEVER)
    install("byheart-south", {"twin": "twin_south:Alphabetical"}, twin_south=RETRIEVER)
    with pytest.raises(PluginError, match=r"offered by byheart-.* and byheart-") as ambiguous:
        load("twin")
    for name in ("byheart-north", "byheart-south"):
        assert name in str(ambiguous.value)
    twins = [info for info in available() if info.name == "twin"]
    assert [info.distribution for info in twins] == ["byheart-north", "byheart-south"]
    for info in twins:
        assert not info.ok
        assert "byheart-north and byheart-south" in str(info.error)
    assert "twin_north" not in sys.modules


def test_one_distribution_found_twice_on_the_path_is_one_offer(install: Install) -> None:
    install("byheart-sorted", {"alphabetical": "sorted_old:Alphabetical"}, version="1.0", sorted_old=RETRIEVER)
    install("Byheart_Sorted", {"alphabetical": "sorted_new:Alphabetical"}, version="2.0", sorted_new=RETRIEVER)
    assert [info.version for info in available() if info.name == "alphabetical"] == ["2.0"]
    assert type(load("alphabetical")).__module__ == "sorted_new"


def test_nobody_else_can_offer_a_built_in_name(install: Install) -> None:
    install("byheart-usurper", {"builtin": "usurper:Alphabetical"}, usurper=RETRIEVER)
    assert type(load("builtin")).__name__ == "BM25"
    infos = [info for info in available() if info.name == "builtin"]
    assert [(info.distribution, info.ok) for info in infos] == [("byheart", True), ("byheart-usurper", False)]
    assert "built-in" in str(infos[1].error)


def test_metadata_that_cannot_be_read_disturbs_nobody(install: Install) -> None:
    install("byheart-garbled", "[byheart]\nno value here\n")
    install("byheart-sorted", {"alphabetical": "sorted_seven:Alphabetical"}, sorted_seven=RETRIEVER)
    assert listed("alphabetical").ok
    assert load("alphabetical")


def test_installing_changes_nothing_until_the_name_is_asked_for(install: Install) -> None:
    folder = install("byheart-loud", {"loud": "loud_one:make"}, loud_one="raise RuntimeError('imported')")
    program = f"""
    import sys; sys.path.insert(0, {str(folder)!r})
    from byheart.plugins import PluginHost
    host = PluginHost(None, lambda turns: [])
    host.fit(["a"]); host.rank("a", 1, 1)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


# -- listing ------------------------------------------------------------------------------------------------


def test_the_built_in_ones_come_first_in_the_list() -> None:
    first = available()[: len(BUILTINS)]
    assert [(info.name, info.kind, info.distribution, info.ok) for info in first] == [
        ("builtin", "retriever", "byheart", True),
        ("counter", "segmenter", "byheart", True),
    ]


class Wrapper:
    @hookimpl(wrapper=True)
    def rank(self, query: str) -> Iterator[object]:
        return (yield)


class Cutter:
    def boundaries(self, turns: object) -> list[int]:
        return []


class Rewriter:
    def rewrite(self, query: str) -> str:
        return query


def _makes_a_cutter() -> Cutter:
    raise AssertionError("built")


def _makes_a_path() -> Path:
    raise AssertionError("built")


def _makes_something_unknown() -> NoSuchClass:  # type: ignore[name-defined]  # noqa: F821
    raise AssertionError("built")


def _makes_by_module() -> textwrap.TextWrapper:
    raise AssertionError("built")


def _tells_nothing():  # type: ignore[no-untyped-def]
    raise AssertionError("built")


@pytest.mark.parametrize(
    ("factory", "kind"),
    [
        (Wrapper, "wrapper"),
        (Rewriter, "rewriter"),
        (Cutter, "segmenter"),
        (_makes_a_cutter, "segmenter"),
        (_makes_a_path, "?"),
        (_makes_something_unknown, "?"),
        (_makes_by_module, "?"),
        (_tells_nothing, "?"),
        (len, "?"),
    ],
)
def test_the_kind_is_told_by_the_class_or_the_annotation_without_building(factory: object, kind: str) -> None:
    assert kind_of(factory) == kind


def test_asking_for_a_plugin_of_the_wrong_kind_says_what_is_missing(install: Install) -> None:
    install("byheart-sorted", {"alphabetical": "sorted_eight:Alphabetical"}, sorted_eight=RETRIEVER)
    with pytest.raises(PluginError, match=r"'alphabetical' .* cannot be taken as boundaries=: it has no boundaries"):
        PluginHost(None, "alphabetical")
