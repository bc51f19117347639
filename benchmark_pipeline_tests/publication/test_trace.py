"""Every number leads to a sentence, and the sentence is where the trace says."""

from __future__ import annotations

from pathlib import Path

import pytest
from published_corpus import Corpus

from benchmark_pipeline.edgar.text import normalise
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.publication.trace import trace_headline, trace_item
from benchmark_pipeline.publication.trace_text import headline_lines, item_lines
from benchmark_pipeline.storage import DocumentStore, Lake

ALPHA = "vendor/alpha-2026-01-15"


def test_the_headline_leads_to_all_its_items_false_positives_first(warehouse: Path) -> None:
    (trace,) = trace_headline(warehouse, ALPHA)
    assert len(trace.items) == trace.headline["n"] == 34
    assert [item.false_positive for item in trace.items] == [True] * 3 + [False] * 31


def test_every_quoted_sentence_stands_at_its_span_of_the_stored_document(warehouse: Path, lake: Lake) -> None:
    documents = DocumentStore(lake.root)
    (trace,) = trace_headline(warehouse, ALPHA)
    checked = 0
    for item in trace.items:
        assert {passage.role for passage in item.passages} >= {"gold evidence", "auditor's opinion", "source passage"}
        for passage in item.passages:
            text = normalise(documents.get(passage.document_sha256)).text
            assert text[passage.start : passage.end] == passage.quote
            checked += 1
    assert checked == 102


@pytest.mark.slow
def test_every_item_of_every_task_and_arm_traces_to_a_source(warehouse: Path, corpus: Corpus) -> None:
    kinds = set()
    for row in corpus.items:
        item = trace_item(warehouse, row.item_id)
        assert item.source.name and item.source.facts, row.item_id
        assert len(item.answers) == 4
        kinds.add((item.task, item.source.kind))
    assert kinds == {("A", "filing"), ("A", "finding"), ("B", "scenario"), ("C", "filing"), ("D", "filing")}


def test_a_filing_names_company_form_and_its_page_where_it_was_retrieved(warehouse: Path) -> None:
    facts = dict(trace_item(warehouse, "C-0000000000000001").source.facts)
    assert facts["company"] == "Calder & Brisk 1 Corp"
    assert facts["filing"].endswith("/data/9000001/000900000125000001/0009000001-25-000001-index.htm")


def test_the_printed_trace_shows_each_step_and_the_sentence(warehouse: Path) -> None:
    (trace,) = trace_headline(warehouse, ALPHA)
    text = "\n".join(line.plain for line in headline_lines(trace, limit=1))
    assert "8.8% [1.8%, 24.0%]: 3 of 34" in text
    assert "step 12  clean attested: clean_attested" in text
    assert "was effective as of December 31, 2024.”" in text
    assert "and 33 more items" in text


def test_a_scenario_prints_its_file_and_no_decision(warehouse: Path) -> None:
    text = "\n".join(line.plain for line in item_lines(trace_item(warehouse, "B-v000000000000001")))
    assert "scenarios/p1.yaml" in text and "decision" not in text


def test_an_unknown_item_or_model_is_named_with_a_remedy(warehouse: Path) -> None:
    with pytest.raises(BenchError, match="no item C-nothing") as item_error:
        trace_item(warehouse, "C-nothing")
    with pytest.raises(BenchError, match="no headline of vendor/omega") as model_error:
        trace_headline(warehouse, "vendor/omega")
    assert item_error.value.remedy and model_error.value.remedy and ALPHA in model_error.value.remedy


def test_a_missing_warehouse_is_said(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no warehouse at"):
        trace_headline(tmp_path / "warehouse.duckdb")
