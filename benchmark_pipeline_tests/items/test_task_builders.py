from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from item_rows import PASSAGE, SECTIONS, decision, filing, finding, weakness

from benchmark_pipeline.items.candidates import auc, build_candidates, clean_share, counts
from benchmark_pipeline.items.labels import Labels, load_labels
from benchmark_pipeline.items.scenarios import load_scenarios
from benchmark_pipeline.items.sources import deficient_weaknesses, sic_division
from benchmark_pipeline.items.task_a import build_task_a, finding_item
from benchmark_pipeline.items.task_b import build_task_b
from benchmark_pipeline.items.task_c import build_task_c, section_item
from benchmark_pipeline.items.task_d import build_task_d, locate
from benchmark_pipeline.settings import PROJECT_ROOT

QUOTE = "Tarnbrook Fittings did not employ enough people with training in revenue accounting"


def labels(tmp_path: Path, *entries: dict[str, Any]) -> Labels:
    defaults = {"root_cause_stated": True, "drafted_by": "anthropic/claude", "component": "control_environment"}
    (tmp_path / "l.yaml").write_text(yaml.safe_dump([{**defaults, **entry} for entry in entries]), encoding="utf-8")
    return load_labels(tmp_path)


def weakness_label(quote: str = QUOTE) -> dict[str, Any]:
    return {
        "source": {"accession": "0009000001-25-000001", "ordinal": 1},
        "citation": "COSO-4", "citations_accepted": ["COSO-4", "COSO-5"], "evidence_quote": quote,
    }  # fmt: skip


def described(**columns: Any) -> list[Any]:
    return [(filing(decision="deficient", deficient_by="management"), weakness(**columns))]


def test_a_weakness_without_heading_or_label_is_left_out_as_unlabelled(tmp_path: Path) -> None:
    [item] = build_task_a(described(), [], load_labels(None), 1)
    assert item.reject_reason == "no_label"


def test_the_filers_own_heading_is_a_label_from_disclosure(tmp_path: Path) -> None:
    [item] = build_task_a(described(heading="monitoring_activities"), [], labels(tmp_path, weakness_label()), 1)
    assert item.gold_component == "monitoring_activities"
    assert item.gold_components_accepted == ["monitoring_activities", "control_environment"]
    assert (item.label_source, item.drafted_by) == ("disclosure", None)


def test_a_drafted_label_waits_for_a_person(tmp_path: Path) -> None:
    [item] = build_task_a(described(), [], labels(tmp_path, weakness_label()), 1)
    assert item.reject_reason is None
    assert (item.label_source, item.drafted_by, item.review_status) == (
        "llm_draft_human_verified", "anthropic/claude", "pending",
    )  # fmt: skip
    assert item.text.startswith("We did not maintain an effective [COMPONENT] ([FRAMEWORK]): [COMPANY] did not employ")
    assert not item.gradient_bearing and item.gold_severity is None


def test_a_label_that_quotes_another_passage_is_not_applied(tmp_path: Path) -> None:
    wrong = labels(tmp_path, weakness_label("we never reconciled the bank accounts of the branch"))
    [item] = build_task_a(described(), [], wrong, 1)
    assert item.reject_reason == "no_label"
    assert "never reconciled" in (item.reject_detail or "")


def test_severity_comes_from_the_flags_of_a_finding_and_its_words_are_masked(tmp_path: Path) -> None:
    source = {"source": {"report_id": "2023-06-GSAFAC-0000000001", "reference_number": "2023-001"}}
    label = labels(tmp_path, source).of_finding("2023-06-GSAFAC-0000000001", "2023-001")
    item = finding_item(finding(), label)
    assert item.reject_reason is None
    assert (item.gold_severity, item.gradient_bearing) == ("significant_deficiency", True)
    assert (item.population, item.regime, item.jurisdiction) == ("single_audit", "uniform_guidance", "US")
    assert item.text.startswith("This [TIER] concerns the county") or "[TIER]" in item.text
    assert "deficiency" not in item.text.lower()
    assert item.text.endswith("calendar of the reports.")


def test_a_finding_without_text_is_left_out_and_one_without_tier_bears_no_gradient(tmp_path: Path) -> None:
    assert finding_item(finding(condition=None, cause=None), None).reject_reason == "text_missing"
    assert not finding_item(finding(tier=None), None).gradient_bearing


def test_a_rejected_finding_is_no_candidate() -> None:
    assert build_task_a([], [finding(reject_reason="not_public")], load_labels(None), 1) == []


def test_the_evidence_of_task_d_stands_in_the_masked_text(tmp_path: Path) -> None:
    [item] = build_task_d(described(), labels(tmp_path, weakness_label()), 1)
    assert item.reject_reason is None
    [span] = item.gold_evidence
    assert item.text[span.start : span.end] == span.quote
    assert span.quote == "[COMPANY] did not employ enough people with training in revenue accounting"
    assert (item.gold_citation, item.gold_citations_accepted) == ("COSO-4", ["COSO-4", "COSO-5"])


def test_a_quote_that_is_not_there_leaves_the_passage_out_of_task_d(tmp_path: Path) -> None:
    [item] = build_task_d(described(), labels(tmp_path, weakness_label("words that no filer ever wrote here")), 1)
    assert item.reject_reason == "no_label"
    assert locate("", "text") is None


def test_weaknesses_of_filings_that_are_not_deficient_are_not_described_deficiencies() -> None:
    clean, excluded = filing(), filing(number=2, decision="excluded", reason="shell")
    rows = [weakness(), weakness(accession="0009000002-25-000001", cik="0009000002")]
    assert deficient_weaknesses([clean, excluded], rows) == []


@pytest.mark.parametrize(
    ("columns", "gold", "rating"),
    [
        ({"decision": "clean_attested"}, "clean", "attested"),
        ({"decision": "clean_management_only", "attest_opinion_span": None}, "clean", "management_only"),
        ({"decision": "deficient", "deficient_by": "management"}, "deficient", None),
    ],
)
def test_the_gold_of_task_c_is_the_decision_of_the_clean_pool(
    columns: dict[str, Any], gold: str, rating: str | None
) -> None:
    item = section_item(filing(**columns))
    assert item is not None
    assert (item.gold_icfr, item.clean_rating) == (gold, rating)
    assert item.text == SECTIONS[0]
    assert (item.seasoning_tier is None) == (gold == "deficient")


def test_an_excluded_filing_is_no_candidate_and_a_missing_section_is_left_out() -> None:
    assert section_item(filing(decision="excluded", reason="shell")) is None
    item = section_item(filing(""))
    assert item is not None and item.reject_reason == "text_missing"


def test_strata_tell_hard_clean_items_apart() -> None:
    item = section_item(filing(SECTIONS[1], remediated_prior_mw=True, form="20-F"))
    assert item is not None
    assert item.strata == ["remediated_prior_mw", "foreign_private_issuer", "weakness_vocabulary"]


def test_both_halves_of_every_pair_are_items_with_a_gradient() -> None:
    items = build_task_b(load_scenarios(PROJECT_ROOT / "scenarios"))
    assert all(item.gradient_bearing and item.jurisdiction == "XX" for item in items)
    assert all("\n\nRisk\n" in item.text and "\n\nControl\n" in item.text for item in items)
    assert len({item.pair_id for item in items}) * 2 == len(items)


def test_every_source_is_one_candidate_and_counts_add_up(tmp_path: Path) -> None:
    filings = [filing(SECTIONS[0], 1), filing(SECTIONS[1], 2, decision="deficient", deficient_by="auditor")]
    items = build_candidates(
        decisions=[f.decision for f in filings] + [decision("0009000009-25-000001", "0009000009", decision="excluded", reason="shell")],
        assertions=[f.assertion for f in filings if f.assertion],
        sections=[f.section for f in filings if f.section],
        weaknesses=[weakness(PASSAGE, "0009000002-25-000001", "0009000002")],
        findings=[finding(1), finding(2, reject_reason="not_public")],
        scenarios=load_scenarios(PROJECT_ROOT / "scenarios"),
        labels=load_labels(None),
        items_per_registrant=1,
    )  # fmt: skip
    found = {row["task"]: (row["candidates"], row["accepted"]) for row in counts(items)}
    assert found == {"A": (2, 0), "B": (120, 120), "C": (2, 2), "D": (1, 0)}
    assert clean_share(items) == 0.5


def test_length_is_sampled_and_not_told_by_the_label() -> None:
    filings = [filing(SECTIONS[index % 3] + f" Note {index}." * 9, index) for index in range(3)]
    items = build_task_c(filings, 1)
    assert {item.inclusion_probability for item in items} == {1.0}


def test_auc_counts_ties_as_a_half() -> None:
    assert auc([(1.0, True), (1.0, False)]) == 0.5
    assert auc([(2.0, True), (1.0, False), (0.5, False)]) == 1.0
    assert auc([(1.0, True)]) is None


@pytest.mark.parametrize(("code", "wanted"), [("3490", "D manufacturing"), ("6022", "H finance"), ("0100", "A agriculture"), (None, None), ("x", None), ("9995", "J public administration")])  # fmt: skip
def test_an_sic_code_gives_its_division(code: str | None, wanted: str | None) -> None:
    assert sic_division(code) == wanted
