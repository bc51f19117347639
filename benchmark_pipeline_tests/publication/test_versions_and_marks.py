"""Results of another dataset, prompt or scoring version stand beside those in force, and change none of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import duckdb
import pytest
from published_corpus import VERSION, Corpus
from test_every_number import Element, Tree

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation.scoring import score_answer
from benchmark_pipeline.publication import metrics_derived, metrics_wording
from benchmark_pipeline.publication.export import FORMATS, export_table
from benchmark_pipeline.publication.load_runs import load_runs
from benchmark_pipeline.publication.report import write_report
from benchmark_pipeline.publication.trace import trace_headline, trace_item
from benchmark_pipeline.publication.trace_text import headline_lines
from benchmark_pipeline.publication.warehouse import open_warehouse
from benchmark_pipeline.resources.warehouse import WarehousePublisher
from benchmark_pipeline.statistics import classification, paired
from benchmark_pipeline.storage import Lake

ALPHA, BETA = "v/a-2026-01-01", "v/b-2026-01-01"
VERSIONS = ("dataset_version", "prompt_version", "scoring_version")
IN_FORCE = (VERSION, "pv1", "sv1")
Rows = list[dict[str, Any]]


def corpus() -> Corpus:
    """Two models on 31 attested, 3 management-only and 3 deficient reports, and some items of the other tasks."""
    found = Corpus()
    rows = [found.filing(number, "clean_attested") for number in range(1, 32)]
    for number in range(32, 35):
        found.filing(number, "clean_management_only")
    bad = [found.filing(number, "deficient") for number in range(35, 38)]
    found.twin(rows[0])
    found.weakness(1, "A", bad[0])
    found.weakness(1, "D", bad[1])
    found.pair(1)
    found.run(ALPHA, flags={row.item_id for row in rows[:2]})
    found.run(BETA, flags={row.item_id for row in rows[1:4]})
    return found


def another(found: Corpus, column: str, value: str) -> None:
    """Every call again under another version, with the same request keys, the opposite verdicts and other token counts."""
    items = {row.item_id: row for row in found.items}
    change = {column: value}
    scores = []
    for parsed in list(found.answers):
        opposite = {"clean": "deficient", "deficient": "clean", None: None}[parsed.answer_icfr]
        moved = parsed.model_copy(update={"answer_icfr": opposite, "answer_component": None})
        if column != "scoring_version":
            moved = moved.model_copy(update=change)
            found.answers.append(moved)
        scores.append(score_answer(moved, items[moved.item_id]).model_copy(update=change))
    found.scores += scores
    if column != "scoring_version":
        found.responses += [
            row.model_copy(update={**change, "prompt_tokens": 9, "content": "other"}) for row in list(found.responses)
        ]


def publish(found: Corpus, folder: Path) -> Path:
    """The warehouse of a corpus, without resampled intervals: they take nearly all the time and no part in this."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (metrics_derived, metrics_wording, classification, paired):
            patch.setattr(module, "cluster_bootstrap", lambda *_, **__: None)
        return _publish(found, folder)


def _publish(found: Corpus, folder: Path) -> Path:
    return WarehousePublisher(folder / "warehouse.duckdb", VERSION).publish(found.write(str(folder))).path


def query(path: Path, sql: str) -> Rows:
    with open_warehouse(path) as connection:
        cursor = connection.execute(sql)
        names = [column[0] for column in cursor.description or []]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def views_of_results(path: Path) -> list[str]:
    """Every view and table of the warehouse that gives a run's results under all three versions."""
    found = query(path, "SELECT table_name, list(column_name) AS columns FROM information_schema.columns GROUP BY 1")
    return sorted(
        row["table_name"] for row in found if set(VERSIONS) <= set(row["columns"]) and row["table_name"] != "scores"
    )


def in_force(rows: Rows) -> list[str]:
    return sorted(json.dumps(row, default=str) for row in rows if tuple(row[name] for name in VERSIONS) == IN_FORCE)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(corpus(), tmp_path_factory.mktemp("alone"))


OTHERS = [("dataset_version", "0.0.9"), ("prompt_version", "pv0"), ("scoring_version", "sv0")]


@pytest.fixture(scope="module", params=OTHERS, ids=lambda pair: pair[0])
def beside(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, Path, Corpus]:
    column, value = request.param
    found = corpus()
    another(found, column, value)
    return column, value, publish(found, tmp_path_factory.mktemp("beside")), found


def test_the_views_of_results_are_known(alone: Path) -> None:
    assert set(views_of_results(alone)) == {
        "headline", "headline_false_positive_rate", "metrics", "leaderboard", "model_pairs", "response_detail",
        "confusion", "false_positives",
    }  # fmt: skip


def test_no_row_of_the_versions_in_force_moves_when_another_version_stands_beside_it(
    alone: Path, beside: tuple[str, str, Path, Corpus]
) -> None:
    *_, path, _ = beside
    for view in views_of_results(alone):
        before, after = (in_force(query(where, f"SELECT * FROM {view}")) for where in (alone, path))
        assert before and before == after, view
    lineage = "SELECT * FROM item_lineage ORDER BY item_id"
    assert query(alone, lineage) == query(path, lineage)


def test_each_row_of_another_version_holds_what_was_answered_and_scored_under_it(
    beside: tuple[str, str, Path, Corpus],
) -> None:
    column, value, path, found = beside
    scores = {(row.request_key, row.model_id): row for row in found.scores if getattr(row, column) == value}
    rows = query(path, f"SELECT * FROM response_detail WHERE {column} = '{value}'")
    assert len(rows) == len(scores) == len(found.scores) // 2
    for row in rows:
        score = scores[row["request_key"], row["model_id"]]
        assert (row["flagged_deficient"], row["correct"]) == (score.flagged_deficient, score.correct)
        if column == "scoring_version":
            assert row["prompt_tokens"] == 400  # the same call, scored again
        else:
            assert (row["prompt_tokens"], row["content"]) == (9, "other")
            assert (row["answer_icfr"] == "deficient") == bool(score.flagged_deficient)


def test_results_of_another_dataset_meet_no_item_in_force_and_no_mark_of_a_run(
    beside: tuple[str, str, Path, Corpus],
) -> None:
    column, value, path, _ = beside
    rows = query(path, f"SELECT * FROM response_detail WHERE {column} = '{value}'")
    gold = ["label_source", "review_status", "clean_rating", *(name for name in rows[0] if name.startswith("gold_"))]
    if column != "dataset_version":  # the same items: their gold stands beside both versions
        assert rows and all(row["label_source"] and row["status"] for row in rows)
        return
    for view in ("false_positives", "confusion", "model_pairs", "headline", "leaderboard", "metrics"):
        assert query(path, f"SELECT * FROM {view} WHERE {column} = '{value}'") == [], view
    assert all(row[name] is None for row in rows for name in gold)
    assert {(row["status"], row["comparable"]) for row in rows} == {(None, False)}


def test_runs_are_paired_and_ranked_within_equal_versions_alone(beside: tuple[str, str, Path, Corpus]) -> None:
    column, value, path, _ = beside
    pairs = query(path, f"SELECT *, {column} AS version FROM model_pairs")
    expected = (
        [VERSION] if column == "dataset_version" else sorted([{"prompt_version": "pv1"}.get(column, "sv1"), value])
    )
    assert sorted(row["version"] for row in pairs) == expected
    assert {(row["first_model"], row["second_model"]) for row in pairs} == {(ALPHA, BETA)}
    ranks = query(
        path, f"SELECT {column} AS version, list(position ORDER BY position) AS places FROM leaderboard GROUP BY 1"
    )
    assert {row["version"]: row["places"] for row in ranks} == {version: [1, 2] for version in expected}
    compared = query(path, "SELECT split FROM metrics WHERE metric = 'false_positive_rate_difference'")
    assert [row["split"] for row in compared] == [f"{BETA} r1"] * len(expected)


def test_runs_are_read_from_the_lake_with_their_own_calls(tmp_path: Path) -> None:
    found = corpus()
    another(found, "dataset_version", "0.0.9")
    another(found, "prompt_version", "pv0")
    lake = Lake(str(tmp_path))
    for table, rows, partition in (
        ("labeled_items", found.items, "all"), ("scores", found.scores, "all"), ("parsed_answers", found.answers, "all"),
        ("model_responses", found.responses, "all-models"),
    ):  # fmt: skip
        lake.write(table, rows, partition)
    for run in [*load_runs(lake, VERSION), *found.runs()]:
        tokens = 9 if run.identity.prompt_version == "pv0" else 400
        assert run.usage["prompt_tokens"] == (run.calls, run.calls * tokens)
    assert len(load_runs(lake, VERSION)) == 4


def test_a_trace_follows_the_dataset_in_force_and_tells_versions_apart(beside: tuple[str, str, Path, Corpus]) -> None:
    column, value, path, _ = beside
    traces = trace_headline(path, ALPHA)
    assert [trace.headline[column] for trace in traces].count(value) == (column != "dataset_version")
    names = [model for model, _, _ in trace_item(path, "C-0000000000000001").answers]
    assert len(names) == len(set(names)) == (2 if column == "dataset_version" else 4)


def test_the_report_keeps_versions_in_sections_of_their_own(
    beside: tuple[str, str, Path, Corpus], tmp_path: Path
) -> None:
    column, value, path, found = beside
    write_report(path, tmp_path / "index.html", VERSION)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    heads = page.count("False-positive rate on attested clean filings</h2>")
    assert heads == (1 if column == "dataset_version" else 2)
    assert ("are not compared" in page) == (column != "dataset_version")
    calls = len(found.items)
    assert (f"<td>{400 * calls} /" in page, f"<td>{9 * calls} /" in page) == (True, column == "prompt_version")
    assert value not in page or column != "dataset_version"


def test_a_report_of_another_dataset_than_the_one_in_force_is_refused(alone: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"items of dataset 0\.1\.0, not of 0\.2\.0") as caught:
        write_report(alone, tmp_path / "index.html", "0.2.0")
    assert caught.value.remedy is not None and not (tmp_path / "index.html").exists()


# Marks.


def marks(path: Path) -> dict[tuple[str, ...], tuple[str, bool]]:
    rows = query(path, "SELECT * FROM headline_false_positive_rate")
    return {
        (*(row[n] for n in VERSIONS), row["model_id"], row["run_id"]): (row["status"], row["comparable"])
        for row in rows
    }


def test_every_view_of_results_carries_both_marks_and_they_are_those_of_the_headline(warehouse: Path) -> None:
    known = marks(warehouse)
    assert {comparable for _, comparable in known.values()} == {True, False}
    for view in views_of_results(warehouse):
        rows = query(warehouse, f"SELECT * FROM {view}")
        assert rows, view
        for row in rows:
            versions = tuple(row[name] for name in VERSIONS)
            if view == "model_pairs":
                sides = [known[(*versions, row[f"{side}_model"], row[f"{side}_run"])] for side in ("first", "second")]
                expected = (sides[0][0], all(comparable for _, comparable in sides))
            else:
                expected = known[(*versions, row["model_id"], row["run_id"])]
            assert (row["status"], row["comparable"]) == expected, view


@pytest.mark.parametrize("kind", FORMATS)
def test_every_export_of_results_carries_both_marks(warehouse: Path, tmp_path: Path, kind: str) -> None:
    read: dict[str, Callable[[Path], set[str]]] = {
        "csv": lambda file: set(next(csv.reader(file.open(encoding="utf-8", newline="")))),
        "json": lambda file: set(json.loads(file.read_text(encoding="utf-8"))[0]),
        "parquet": lambda file: {row[0] for row in duckdb.sql(f"DESCRIBE SELECT * FROM '{file}'").fetchall()},
    }
    with open_warehouse(warehouse) as connection:
        for view in views_of_results(warehouse):
            target = tmp_path / f"{view}.{kind}"
            export_table(connection, view, target, kind)
            assert {"status", "comparable", *VERSIONS} <= read[kind](target), view


def test_every_table_of_the_report_marks_the_models_that_are_not_comparable_and_what_is_a_preview(
    warehouse: Path, tmp_path: Path
) -> None:
    write_report(warehouse, tmp_path / "index.html", VERSION)
    page = Tree((tmp_path / "index.html").read_text(encoding="utf-8")).stack[0]
    gamma = "vendor/gamma-2026-02-01"
    named = [
        element for element in (*page.all("th"), *page.all("figcaption"), *page.all("article"))
        if gamma in unescape(element.text).replace(" ", "")
    ]  # fmt: skip
    assert len(named) > 20
    for element in named:
        assert "not comparable" in element.text.lower(), element.text
    others = [e for e in page.all("th") if "vendor/alpha" in e.text.replace(" ", "") and gamma not in e.text]
    assert others and not [e.text for e in others if "not comparable" in e.text]
    heads = _heads(page)
    assert heads and all("preview" in e.text for e in heads)


def _heads(page: Element) -> list[Element]:
    """Heads of the columns and rows that hold results of one model."""
    return [
        e for e in page.all("th") if "vendor/" in e.text.replace(" ", "") and "model" in e.attributes.get("class", "")
    ]


def test_a_trace_at_a_terminal_says_what_is_not_comparable_and_what_is_a_preview(warehouse: Path) -> None:
    (trace,) = trace_headline(warehouse, "vendor/gamma-2026-02-01")
    text = "\n".join(line.plain for line in headline_lines(trace, limit=0))
    assert "preview" in text and "not comparable" in text.lower()
