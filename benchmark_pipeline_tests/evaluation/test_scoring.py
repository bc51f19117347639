"""Scores of answers against gold."""

from __future__ import annotations

import json

import pytest
from evaluation_examples import WEAKNESS, item, prompts

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation.model_registry import ModelEntry
from benchmark_pipeline.evaluation.planning import plan_calls
from benchmark_pipeline.evaluation.responses import response_rows
from benchmark_pipeline.evaluation.scoring import (
    evidence_is_verbatim,
    overlap,
    parse_response,
    score_answer,
    score_answers,
)
from benchmark_pipeline.tables.base import Span

MODEL = ModelEntry(id="example/echo-2026-01-31", api_base="http://127.0.0.1:9/v1")


def response(one, content: str | None, outcome: str = "answered"):
    plan = plan_calls([one], MODEL, prompts()[one.task])
    row = response_rows(plan, {}, model=MODEL, dataset_version="0.1.0")[0]
    return row.model_copy(update={"outcome": outcome, "content": content})


def score(one, answer: dict):
    return score_answer(parse_response(response(one, json.dumps(answer))), one)


@pytest.mark.parametrize(
    ("gold", "said", "flagged", "false_positive", "true_positive", "correct"),
    [
        ("clean", "clean", False, False, None, True),
        ("clean", "deficient", True, True, None, False),
        ("deficient", "deficient", True, None, True, True),
        ("deficient", "clean", False, None, False, False),
    ],
)
def test_task_c(gold, said, flagged, false_positive, true_positive, correct):
    row = score(item("C", gold_icfr=gold), {"icfr": said})
    got = (row.flagged_deficient, row.false_positive, row.true_positive, row.correct)
    assert got == (flagged, false_positive, true_positive, correct)


@pytest.mark.parametrize(
    "outcome", ["parse_fail", "schema_fail", "truncated", "empty", "refused", "filtered", "transport_fail", "not_run"]
)
def test_a_failure_is_never_scored(outcome):
    one = item("C")
    row = score_answer(parse_response(response(one, '{"icfr": "deficient"}', outcome)), one)
    assert not row.answered
    measures = row.model_dump(exclude={"answered", "outcome"})
    assert all(measures[name] is None for name in ("flagged_deficient", "false_positive", "correct", "evidence_exact"))


def test_a_stored_answer_that_no_longer_reads_as_one_is_an_error():
    with pytest.raises(BenchError, match="does not match the schema any more"):
        parse_response(response(item("C"), '{"icfr": "maybe"}'))


def test_severity_is_scored_only_where_another_tier_was_possible():
    answer = {"component": "control_activities", "severity": "significant_deficiency"}
    filing = score(item("A", gold_severity="material_weakness"), answer)
    assert (filing.severity_correct, filing.severity_distance) == (None, None)
    finding = score(item("A", gold_severity="material_weakness", gradient_bearing=True), answer)
    assert (finding.severity_correct, finding.severity_distance) == (False, 1)
    null = score(item("A", gold_severity="material_weakness", gradient_bearing=True), answer | {"severity": None})
    assert (null.severity_correct, null.severity_distance) == (False, None)


def test_task_a_counts_primary_and_accepted_components():
    one = item("A", gold_components_accepted=["control_activities", "control_environment"])
    row = score(one, {"component": "control_environment", "severity": None})
    assert (row.correct, row.component_correct, row.component_accepted) == (False, False, True)


def test_task_b_scores_the_gap_only_of_a_gap_judged_a_gap():
    gap = item("B", gold_effective=False, gold_gap_type="precision", gold_severity="control_deficiency")
    seen = score(gap, {"designed_effectively": False, "gap_type": "precision", "severity": "material_weakness"})
    assert (seen.correct, seen.gap_type_correct, seen.severity_correct, seen.severity_distance) == (
        True,
        True,
        False,
        2,
    )
    missed = score(gap, {"designed_effectively": True, "gap_type": None, "severity": None})
    assert (missed.correct, missed.gap_type_correct, missed.severity_correct) == (False, None, None)
    imagined = score(item("B"), {"designed_effectively": False, "gap_type": "precision", "severity": None})
    assert (imagined.correct, imagined.gap_type_correct) == (False, None)


@pytest.mark.parametrize(
    ("citation", "correct", "exact", "valid", "hallucinated", "abstained"),
    [
        ("COSO-10", True, True, True, False, False),
        ("AS2201.26", True, False, True, False, False),
        ("COSO-4", False, False, True, False, False),
        ("COSO-18", False, False, False, True, False),
        ("AS2201.99", False, False, False, True, False),
        (None, False, False, None, False, True),
    ],
)
def test_task_d_citations(citation, correct, exact, valid, hallucinated, abstained):
    row = score(item("D"), {"citation": citation, "component": "control_activities", "evidence": ""})
    got = (row.correct, row.citation_exact, row.citation_valid, row.citation_hallucinated, row.citation_abstained)
    assert got == (correct, exact, valid, hallucinated, abstained)


def test_task_d_evidence():
    quote = "did not reconcile its intercompany balances"
    start = WEAKNESS.index(quote)
    span = Span(document_sha256="0" * 64, start=start, end=start + len(quote), quote=quote)
    one = item("D", gold_evidence=[span])
    answer = {"citation": None, "component": "control_activities"}
    whole = score(one, answer | {"evidence": "The Company did not\n reconcile its intercompany balances"})
    assert (whole.evidence_exact, whole.evidence_hit) == (True, True)
    other = score(one, answer | {"evidence": "nobody reviewed the consolidation"})
    assert (other.evidence_exact, other.evidence_hit) == (True, False)
    invented = score(one, answer | {"evidence": "did not reconcile the intercompany accounts"})
    assert (invented.evidence_exact, invented.evidence_hit) == (False, True)


def test_an_empty_quotation_is_not_verbatim():
    assert not evidence_is_verbatim("  ", "text")


@pytest.mark.parametrize(
    ("given", "span", "share"), [("a b", "a b c d", 0.5), ("A, B!", "a b", 1.0), ("a a", "a b", 0.5), ("a", "", 0.0)]
)
def test_overlap_is_the_share_of_the_gold_words(given, span, share):
    assert overlap(given, span) == share


def test_an_answer_is_never_scored_against_another_item():
    with pytest.raises(ValueError, match="against item"):
        score_answer(parse_response(response(item("C"), '{"icfr": "clean"}')), item("C", company="other"))


def test_answers_to_withdrawn_items_are_left_out():
    parsed = [parse_response(response(item("C"), '{"icfr": "clean"}'))]
    assert score_answers(parsed, {}) == []
