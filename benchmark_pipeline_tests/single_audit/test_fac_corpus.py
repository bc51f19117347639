"""The demo's authored findings and their drafted labels."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from benchmark_pipeline.demo.fac_replay import CORPUS, load_corpus
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.labels import load_labels
from benchmark_pipeline.items.task_a import build_task_a
from benchmark_pipeline.single_audit import audits
from benchmark_pipeline.single_audit.findings import FindingsResult, build
from benchmark_pipeline.single_audit.layouts import AuditYearRows
from benchmark_pipeline.tables.items import COMPONENTS
from benchmark_pipeline.tables.sources import SingleAuditFindingRow

LABELS = CORPUS.parent / "labels" / "single_audit.yaml"


def corpus_rows(year: int) -> AuditYearRows:
    rows = AuditYearRows()
    for name, served in load_corpus().items():
        rows.add(name, [row for row in served if row["audit_year"] == str(year)], "0" * 64)
    return rows


@pytest.fixture(scope="module")
def results() -> dict[int, FindingsResult]:
    return {year: build(corpus_rows(year), year) for year in (2023, 2024)}


@pytest.fixture(scope="module")
def usable(results: dict[int, FindingsResult]) -> list[SingleAuditFindingRow]:
    return [row for result in results.values() for row in result.rows if row.reject_reason is None]


def test_the_corpus_holds_each_reason_and_both_tiers(results: dict[int, FindingsResult]) -> None:
    assert results[2023].tiers == {"material_weakness": 5, "significant_deficiency": 5, "none": 1}
    assert results[2024].tiers == {"material_weakness": 4, "significant_deficiency": 4, "none": 1}
    assert results[2023].rejects == {
        "no_text": 2,
        "tier_pattern_not_allowed": 2,
        "text_points_elsewhere": 1,
        "tier_varies": 1,
        "not_public": 2,
    }
    assert results[2024].rejects == {"superseded": 1}
    assert (results[2023].repeated_award_rows, results[2023].orphan_texts) == (1, 1)


def test_usable_findings_have_the_length_of_an_item(usable: list[SingleAuditFindingRow]) -> None:
    for row in usable:
        assert row.condition and row.cause
        assert 120 <= len(f"{row.condition} {row.cause}".split()) <= 260, (row.report_id, row.reference_number)


def test_no_condition_or_cause_gives_the_tier_or_the_component_away(usable: list[SingleAuditFindingRow]) -> None:
    for row in usable:
        passage = f"{row.condition} {row.cause}".lower()
        assert not any(component.replace("_", " ") in passage for component in COMPONENTS)
        assert "material weakness" not in passage and "significant deficienc" not in passage


def test_no_name_of_the_corpus_survives(results: dict[int, FindingsResult]) -> None:
    for year, result in results.items():
        assert audits.printed_names(result.rows, corpus_rows(year).reports.records) == []
        assert audits.people_left(result.rows) == []
    assert sum(result.names_masked for result in results.values()) >= 20


def test_two_text_rows_of_one_reference_are_one_text(usable: list[SingleAuditFindingRow]) -> None:
    (row,) = [row for row in usable if row.report_id == "2024-06-GSAFAC-0000900010"]
    assert row.condition is not None and row.condition.endswith("signed in both places.")
    assert row.cause is not None and row.cause.startswith("The food service manager was hired")


def test_every_usable_finding_has_one_drafted_label_whose_quote_stands_in_its_text(
    usable: list[SingleAuditFindingRow],
) -> None:
    labels = yaml.safe_load(LABELS.read_text("utf-8"))
    findings = {(row.report_id, row.reference_number): row for row in usable}
    keys = [(label["source"]["report_id"], label["source"]["reference_number"]) for label in labels]
    assert sorted(keys) == sorted(findings)
    for key, label in zip(keys, labels, strict=True):
        assert label["evidence_quote"] in f"{findings[key].condition}\n{findings[key].cause}"
        assert label["component"] == label["components_accepted"][0]
        assert label["citation"] == label["citations_accepted"][0]
        assert label["drafted_by"] == "anthropic/claude"
    assert {label["component"] for label in labels} == set(COMPONENTS)


def test_every_usable_finding_becomes_an_item_with_a_component(usable: list[SingleAuditFindingRow]) -> None:
    items = build_task_a([], usable, load_labels(LABELS.parent), items_per_registrant=3)
    assert len(items) == 20
    assert [(item.source_ref, item.reject_detail) for item in items if item.reject_reason] == []
    assert sum(item.gradient_bearing for item in items) == 18


def test_the_corpus_says_who_drafted_it() -> None:
    provenance = yaml.safe_load((CORPUS / "PROVENANCE.yaml").read_text("utf-8"))
    assert provenance["drafted_by"] == "anthropic/claude"
    assert provenance["review_status"] == "pending"
    latest = max(row["fac_accepted_date"] for row in load_corpus()["general"])
    assert latest == str(provenance["latest_accepted_date"])


def test_a_broken_corpus_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "general.json").write_text("{", "utf-8")
    with pytest.raises(BenchError, match=r"general\.json"):
        load_corpus(tmp_path)
