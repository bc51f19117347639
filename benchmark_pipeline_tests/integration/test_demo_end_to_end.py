"""The demo from the wire to the report on a small slice, through Dagster, with the embedded model really answering.

One run serves all tests of this module: it is the slowest thing in the default suite.
"""

import csv
import io
import json
from collections import Counter
from typing import Any

import pytest
from rich.console import Console

from benchmark_pipeline.cli import plan
from benchmark_pipeline.cli.execution import dagster_instance, execute
from benchmark_pipeline.cli.inspect import print_trace, print_why
from benchmark_pipeline.cli.results import print_headline
from benchmark_pipeline.definitions import build_defs
from benchmark_pipeline.demo.profile import DEMO_FOLDER, demo_settings
from benchmark_pipeline.edgar.text import normalise
from benchmark_pipeline.errors import MissingModelError
from benchmark_pipeline.evaluation.local_model import MODEL_ID, verify_model_file
from benchmark_pipeline.publication.warehouse import open_warehouse
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables import TABLES
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow
from benchmark_pipeline.tables.evaluation import ModelResponseRow
from benchmark_pipeline.tables.items import ItemRow
from benchmark_pipeline.tables.publication import HeadlineRow
from benchmark_pipeline.tables.sources import RawFilingRow

SLICE = {
    "C/attested": 1,
    "C/management_only": 0,
    "C/deficient": 1,
    "A/sec_annual_report": 1,
    "A/single_audit": 1,
    "D": 1,
}
MODELS = [MODEL_ID, "baseline/keyword"]

pytestmark = [pytest.mark.timeout(600), pytest.mark.embedded]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    try:
        verify_model_file()
    except MissingModelError as error:
        pytest.skip(f"the embedded model is not installed: {error}")
    root = tmp_path_factory.mktemp("demo")
    scenarios = root / "scenarios"
    scenarios.mkdir()
    source = min(demo_settings().scenarios_folder.glob("*.yaml"))
    (scenarios / source.name).write_bytes(source.read_bytes())
    return demo_settings(data_root=root, item_targets=SLICE, scenarios_folder=scenarios, paraphrase_drafts=0)


def run_everything(settings: Settings) -> str:
    out = io.StringIO()
    with dagster_instance(settings) as instance:
        instance.add_dynamic_partitions("models", MODELS)
        runs = [*plan.acquisition(settings), *plan.dataset(), *plan.evaluation(settings, MODELS), *plan.publication()]
        execute(build_defs(settings), instance, runs, Console(file=out, width=200))
    return out.getvalue()


@pytest.fixture(scope="module")
def log(settings: Settings) -> str:
    return run_everything(settings)


@pytest.fixture(scope="module")
def lake(settings: Settings, log: str) -> Lake:
    return Lake(settings.storage_root)


def test_every_filing_is_decided_as_a_careful_reader_would(lake: Lake) -> None:
    with (DEMO_FOLDER / "corpus" / "expected_decisions.csv").open(encoding="utf-8") as handle:
        expected = {
            (row["accession"], row["cik"]): (row["decision"], row["reason"] or None) for row in csv.DictReader(handle)
        }
    found = {(row.accession, row.cik): (row.decision, row.reason) for row in lake.read(CleanPoolRow, "clean_pool")}
    assert len(expected) > 130
    assert found == expected


def test_every_evidence_code_is_found_where_it_was_put(lake: Lake) -> None:
    with (DEMO_FOLDER / "corpus" / "expected_decisions.csv").open(encoding="utf-8") as handle:
        expected = {
            (row["accession"], row["cik"], code)
            for row in csv.DictReader(handle)
            if row["decision"] != "deficient"
            for code in row["evidence_codes"].replace(";", " ").split()
        }
    deficient = {
        (row.accession, row.cik) for row in lake.read(CleanPoolRow, "clean_pool") if row.decision == "deficient"
    }
    found = {
        (row.accession, row.cik, row.code)
        for row in lake.read(ContradictingEvidenceRow, "contradicting_evidence")
        if (row.accession, row.cik) not in deficient
    }
    assert {code for *_, code in expected} >= {f"E{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11)}
    assert found == expected


def test_every_table_is_in_the_lake_and_in_the_warehouse(settings: Settings, lake: Lake) -> None:
    assert [name for name in TABLES if not lake.partitions(name)] == []
    with open_warehouse(settings.warehouse_path) as connection:
        tables = {row[0] for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()}
    assert set(TABLES) <= tables


def test_every_planned_call_has_one_outcome_and_the_model_really_answered(lake: Lake) -> None:
    items = lake.read(ItemRow, "labeled_items")
    responses = lake.read(ModelResponseRow, "model_responses")
    assert Counter((row.model_id, row.item_id) for row in responses) == Counter(
        (model, item.item_id) for model in MODELS for item in items
    )
    embedded = [row for row in responses if row.model_id == MODEL_ID and row.outcome == "answered"]
    assert embedded
    for row in embedded:
        assert json.loads(row.content or "")
        assert row.completion_tokens
        assert row.raw_body


def test_too_few_attested_items_give_no_headline_and_say_so(settings: Settings, lake: Lake) -> None:
    rows = lake.read(HeadlineRow, "headline_false_positive_rate")
    assert {row.fpr for row in rows} == {None}
    assert all("30" in (row.why_not or "") for row in rows)
    out = io.StringIO()
    print_headline(settings, Console(file=out, width=200))
    assert "PREVIEW" in out.getvalue()


def test_every_item_can_be_traced_to_its_sentence(settings: Settings, lake: Lake) -> None:
    documents = DocumentStore(settings.storage_root)
    for item in lake.read(ItemRow, "labeled_items"):
        out = io.StringIO()
        print_trace(settings, item.item_id, None, Console(file=out, width=250), 3)
        text = out.getvalue()
        assert item.source_ref.split()[0] in text
        if item.source_span is not None and item.arm == "verbatim":
            span = item.source_span
            assert span.document_sha256 in text
            body = normalise(documents.get(span.document_sha256)).text
            # A whole section is not repeated in its span: there the item's own text is what was filed.
            assert body[span.start : span.end] == (span.quote or item.text)
        if item.accession is not None:
            assert "step" in text


def test_why_prints_the_steps_of_a_decision(settings: Settings, lake: Lake) -> None:
    row = next(row for row in lake.read(CleanPoolRow, "clean_pool") if row.reason == "contradicted_E2")
    out = io.StringIO()
    print_why(settings, row.accession, Console(file=out, width=200))
    assert "excluded: contradicted_E2" in out.getvalue()
    assert row.evidence_ids


def test_a_second_run_asks_nothing_and_downloads_nothing(settings: Settings, lake: Lake) -> None:
    def logged() -> dict[str, int]:
        lines: Counter[str] = Counter()
        for name, folder in (("fetches", settings.fetch_log_folder), ("responses", settings.response_log_folder)):
            for path in folder.rglob("*.jsonl"):
                lines[name] += path.read_bytes().count(b"\n")
        return dict(lines)

    before = logged()
    fetched = {(row.url, row.retrieved_at) for row in lake.read(RawFilingRow, "raw_filings")}
    responses = [row.model_dump() for row in lake.read(ModelResponseRow, "model_responses")]
    assert before["fetches"] > 300
    run_everything(settings)
    assert logged() == before
    assert {(row.url, row.retrieved_at) for row in lake.read(RawFilingRow, "raw_filings")} == fetched
    again: list[dict[str, Any]] = [row.model_dump() for row in lake.read(ModelResponseRow, "model_responses")]
    assert again == responses
