"""Exports and the documented recipes."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from click.testing import Result
from typer.testing import CliRunner

from benchmark_pipeline.cli.app import app
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.publication.export import export_table, safe_cell
from benchmark_pipeline.publication.warehouse import MADE_VIEWS, VIEW_ORDER, open_warehouse

QUERIES = Path(__file__).parents[2] / "docs" / "queries"
PAGE = (Path(__file__).parents[2] / "docs" / "warehouse.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-2", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x","y")', "＝1"])
def test_a_cell_that_a_spreadsheet_would_run_is_defused(text: str) -> None:
    assert safe_cell(text) == "'" + text


@pytest.mark.parametrize("value", ["clean", "", None, -3, 0.5, "1-2"])
def test_other_cells_are_left_alone(value: object) -> None:
    assert safe_cell(value) == value


def test_a_formula_in_an_answer_reaches_csv_as_text_and_json_and_parquet_unchanged(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE answers AS SELECT '=cmd|calc' AS content, 7 AS n, ['=a', 'b'] AS parts")
        for kind in ("csv", "json", "parquet"):
            assert export_table(connection, "answers", tmp_path / f"a.{kind}", kind) == 1
        with (tmp_path / "a.csv").open(newline="") as handle:
            assert list(csv.reader(handle)) == [["content", "n", "parts"], ["'=cmd|calc", "7", '["=a", "b"]']]
        assert json.loads((tmp_path / "a.json").read_text()) == [{"content": "=cmd|calc", "n": 7, "parts": ["=a", "b"]}]
        assert connection.execute(f"SELECT * FROM '{tmp_path / 'a.parquet'}'").fetchall() == [
            ("=cmd|calc", 7, ["=a", "b"])
        ]


def test_every_view_of_the_published_warehouse_can_be_exported(warehouse: Path, tmp_path: Path) -> None:
    with open_warehouse(warehouse) as connection:
        for view in VIEW_ORDER:
            expected = connection.execute(f"SELECT count(*) FROM {view}").fetchone()
            assert (export_table(connection, view, tmp_path / f"{view}.csv", "csv"),) == expected


def test_unknown_tables_and_formats_are_refused_with_what_there_is(warehouse: Path, tmp_path: Path) -> None:
    with open_warehouse(warehouse) as connection:
        with pytest.raises(BenchError, match="no table or view") as caught:
            export_table(connection, 'x"; DROP TABLE scores', tmp_path / "x", "csv")
        assert caught.value.remedy is not None and "headline" in caught.value.remedy
        with pytest.raises(BenchError, match="unknown format"):
            export_table(connection, "headline", tmp_path / "x", "xlsx")
    assert list(tmp_path.iterdir()) == []


def test_report_open_prints_the_path_or_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ICFR_BENCH_DATA_ROOT", str(tmp_path))
    runner = CliRunner()
    missing = runner.invoke(app, ["report", "open", "--no-browser"])
    assert isinstance(missing.exception, BenchError) and "no report" in missing.exception.what
    page = tmp_path / "demo" / "report" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<p>page</p>")
    found = runner.invoke(app, ["report", "open", "--no-browser"])
    assert found.exit_code == 0 and found.output.strip() == str(page)


def test_export_at_a_terminal_writes_the_file(tmp_path: Path, warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ICFR_BENCH_DATA_ROOT", str(tmp_path))
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "warehouse.duckdb").write_bytes(warehouse.read_bytes())
    target = tmp_path / "out.json"
    done = CliRunner().invoke(app, ["export", "headline", "-f", "json", "-o", str(target)])
    assert done.exit_code == 0, done.output
    assert len(json.loads(target.read_text())) == 4 and "4 rows of headline" in done.output


@pytest.fixture
def at_a_terminal(tmp_path: Path, warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("ICFR_BENCH_DATA_ROOT", str(tmp_path))
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "warehouse.duckdb").write_bytes(warehouse.read_bytes())
    return lambda *words: CliRunner().invoke(app, ["query", *words])


@pytest.mark.parametrize("query", sorted(QUERIES.glob("*.sql")), ids=lambda path: path.stem)
def test_each_example_query_runs_at_a_terminal_from_its_file_and_as_text(
    query: Path, at_a_terminal: Callable[..., Result]
) -> None:
    from_file = at_a_terminal(str(query), "--format", "csv")
    as_text = at_a_terminal("--format", "csv", query.read_text(encoding="utf-8"))
    assert from_file.exit_code == as_text.exit_code == 0, (from_file.output, as_text.output)
    assert from_file.output == as_text.output and len(from_file.output.splitlines()) > 1


def test_a_query_file_that_is_not_there_is_named_with_a_remedy(at_a_terminal: Callable[..., Result]) -> None:
    done = at_a_terminal("nowhere.sql")
    assert isinstance(done.exception, BenchError) and "nowhere.sql" in done.exception.what and done.exception.remedy


@pytest.mark.parametrize("query", re.findall(r"```sql\n(.*?)```", PAGE, re.S), ids=lambda q: q.split("\n")[0][3:])
def test_every_query_of_the_page_runs_and_finds_rows(query: str, warehouse: Path) -> None:
    with open_warehouse(warehouse) as connection:
        assert connection.execute(query).fetchall()


def test_the_python_recipe_of_the_page_runs(warehouse: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (recipe,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    exec(recipe.replace("data/demo/warehouse.duckdb", str(warehouse)), {})
    assert "model_id" in capsys.readouterr().out


def test_the_page_names_every_view() -> None:
    for view in (*VIEW_ORDER, *MADE_VIEWS):
        assert f"| `{view}` |" in PAGE
