"""Result files, and the pages written from them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import __main__ as command_line
from eval import plots, registry, report, result, text
from eval.statistics import Estimate

ROOT = Path(report.__file__).resolve().parent.parent


def made() -> result.Result:
    table = result.Table("Shares", ["system", "recall"], note="Made up.")
    table.add("ours", Estimate(0.5, 0.4, 0.6, 10))
    table.add("a|b", None)
    return result.Result("recall", [table], {"ours": Estimate(0.5, 0.4, 0.6, 10), "n": 12345}, traces={"a": [1, None]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    result.write(made(), {"budgets": [5], "quick": False, "data": "/secret/place"}, 1.5, tmp_path / "results")
    (tmp_path / "docs").mkdir()
    return tmp_path


def test_a_result_file_says_what_was_run_and_on_what(folder: Path) -> None:
    loaded = report.load(folder / "results")["recall"]
    assert loaded["options"] == {"budgets": [5], "quick": False}
    assert loaded["machine"]["cores"]
    assert loaded["packages"]["pluggy"]
    assert len(loaded["code"]["sources_sha256"]) == 64
    assert result.unpack(loaded["traces"]) == {"a": [1, None]}


def test_a_result_file_names_no_place_on_the_machine(folder: Path) -> None:
    assert "secret" not in (folder / "results" / "recall.json").read_text(encoding="utf-8")


@given(st.recursive(st.none() | st.integers() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)))
def test_traces_come_back_as_they_were_packed(value: Any) -> None:
    assert result.unpack(result.pack(value)) == value


def test_a_row_with_another_number_of_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 cells, got 1"):
        made().tables[0].add("alone")


def test_a_table_shows_intervals_and_escapes_what_would_break_it() -> None:
    shown = text.table_to_markdown(made().tables[0].to_json())
    assert "| ours | 0.500 [0.400, 0.600] |" in shown
    assert "| a\\|b |  |" in shown


def test_marked_parts_of_a_page_are_written_anew_and_the_rest_stays(folder: Path) -> None:
    page = folder / "README.md"
    page.write_text(
        "Recall <!-- eval: figure recall ours .1% -->?<!-- /eval --> kept\n"
        "<!-- eval: table recall 0 4 --><!-- /eval -->\n",
        encoding="utf-8",
    )
    changed = report.render(folder / "results", folder / "docs", figures=False)
    assert {Path(c).name for c in changed} == {"README.md", "results.md"}
    written = page.read_text(encoding="utf-8")
    assert "50.0%<!-- /eval --> kept" in written
    assert "#### Shares" in written
    assert report.render(folder / "results", folder / "docs", figures=False) == []


def test_a_check_writes_nothing_and_names_the_pages_out_of_step(folder: Path) -> None:
    page = folder / "README.md"
    page.write_text("<!-- eval: figure recall n , -->1<!-- /eval -->", encoding="utf-8")
    changed = report.render(folder / "results", folder / "docs", check=True)
    assert str(page) in changed
    assert "12,345" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("mark", "complaint"),
    [
        ("figure nowhere x .3f", "no result file"),
        ("figure recall absent .3f", "'absent'"),
        ("table recall 7", "has 1"),
        ("picture recall x", "'picture'"),
    ],
)
def test_a_page_that_asks_for_what_there_is_not_is_an_error(folder: Path, mark: str, complaint: str) -> None:
    with pytest.raises(report.ReportError, match=complaint):
        report.fill(f"<!-- eval: {mark} -->?<!-- /eval -->", report.load(folder / "results"))


def test_the_results_page_gives_the_command_that_repeats_each_result(folder: Path) -> None:
    report.render(folder / "results", folder / "docs", figures=False)
    page = (folder / "docs" / "results.md").read_text(encoding="utf-8")
    assert "`python -m eval recall --budgets 5`" in page


def test_without_results_the_report_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(report.ReportError, match="python -m eval"):
        report.render(tmp_path, tmp_path / "docs")


def test_readme_and_pages_are_in_step_with_the_results() -> None:
    if not list((ROOT / "eval" / "results").glob("*.json")):
        pytest.skip("no result files in eval/results yet")
    assert report.render(ROOT / "eval" / "results", check=True) == []


def test_each_plot_is_drawn_from_the_results_and_comes_out_the_same_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs what the plots are drawn with: pip install '.[eval]'")
    loaded = report.load(ROOT / "eval" / "results")
    drawn = plots.available(loaded)
    if not drawn:
        pytest.skip("no result files in eval/results yet")
    for name in drawn:
        first = plots.draw(name, loaded, tmp_path / "first").read_bytes()
        assert first.count(b"<path") > 5
        assert plots.draw(name, loaded, tmp_path / "second").read_bytes() == first
        assert (ROOT / "docs" / "figures" / f"{name}.svg").exists()


def test_every_benchmark_has_what_the_registry_asks_for_and_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["list"]) == 0
    listed = capsys.readouterr().out
    for name, benchmark in registry.benchmarks().items():
        assert benchmark.HELP
        assert name in listed
    assert registry.broken() == {}


def test_listing_imports_no_package_that_only_a_run_needs() -> None:
    code = (
        "import sys; from eval import registry; registry.benchmarks(); "
        "print([m for m in ('numpy', 'matplotlib', 'bm25s', 'rank_bm25', 'yait_byheart', 'torch') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_data_that_is_missing_ends_the_run_with_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["recall", "--data", str(tmp_path), "--quick"]) == 2
    assert "BYHEART_DATA" in capsys.readouterr().err


def test_a_broken_promise_makes_the_run_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = made()
    broken.failures.append("the prefix moved")
    monkeypatch.setattr(registry.benchmarks()["recall"], "run", lambda options: broken)
    assert command_line.main(["recall", "--out", str(tmp_path)]) == 1
    assert "the prefix moved" in capsys.readouterr().out
    assert json.loads((tmp_path / "recall.json").read_text(encoding="utf-8"))["failures"] == ["the prefix moved"]
