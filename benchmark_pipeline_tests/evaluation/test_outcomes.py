"""Outcome classification and strict reading of answers."""

from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_pipeline.evaluation.answers import ANSWERS, answer_schema, basic_schema
from benchmark_pipeline.evaluation.outcomes import classify, read_answer
from benchmark_pipeline.tables.items import TASKS

GOOD_C = '{"icfr": "deficient"}'


@pytest.mark.parametrize(
    ("content", "finish", "refusal", "outcome", "detail"),
    [
        (GOOD_C, "stop", None, "answered", None),
        (f"\n  {GOOD_C}\n", "stop", None, "answered", None),
        (f"```json\n{GOOD_C}\n```", "stop", None, "parse_fail", "fenced"),
        (f"```\n{GOOD_C}\n```", "stop", None, "parse_fail", "fenced"),
        (f"Sure! ```json\n{GOOD_C}\n```", "stop", None, "parse_fail", "not_json"),
        (f"The answer is {GOOD_C}", "stop", None, "parse_fail", "not_json"),
        (f"{GOOD_C} I am confident.", "stop", None, "parse_fail", "not_json"),
        (f"{GOOD_C}{GOOD_C}", "stop", None, "parse_fail", "not_json"),
        ("{'icfr': 'clean'}", "stop", None, "parse_fail", "not_json"),
        ('{"icfr": "clean",}', "stop", None, "parse_fail", "not_json"),
        ('{"icfr": "clean", "icfr": "deficient"}', "stop", None, "parse_fail", "duplicate_key"),
        ("NaN", "stop", None, "parse_fail", "not_a_number"),
        ("[" * 100_000, "stop", None, "parse_fail", "not_json"),
        ("9" * 5000, "stop", None, "parse_fail", "not_json"),
        ('{"icfr": "effective"}', "stop", None, "schema_fail", "icfr: literal_error"),
        ('{"icfr": "CLEAN"}', "stop", None, "schema_fail", "icfr: literal_error"),
        ('{"icfr": "\\ud800"}', "stop", None, "schema_fail", "icfr: string_unicode"),
        ('{"icfr": null}', "stop", None, "schema_fail", "icfr: literal_error"),
        ('{"icfr": "clean", "confidence": 0.9}', "stop", None, "schema_fail", "confidence: extra_forbidden"),
        ("{}", "stop", None, "schema_fail", "icfr: missing"),
        ('"clean"', "stop", None, "schema_fail", "$: model_type"),
        ('[{"icfr": "clean"}]', "stop", None, "schema_fail", "$: model_type"),
        ('{"icfr": "cle', "length", None, "truncated", None),
        (GOOD_C, "length", None, "truncated", None),
        (None, "length", None, "truncated", "no_content"),
        (None, "stop", None, "empty", "finish_reason=stop"),
        ("  \n", "stop", None, "empty", "finish_reason=stop"),
        (None, None, None, "empty", "finish_reason=none"),
        (None, "stop", "I cannot help with that.", "refused", "refusal_field"),
        (GOOD_C, "stop", "I cannot help with that.", "refused", "refusal_field"),
        ("no", "refusal", None, "refused", "finish_reason"),
        (None, "content_filter", None, "filtered", "content_filter"),
        (GOOD_C, "content_filter", None, "filtered", "content_filter"),
        (None, "SAFETY", None, "filtered", "safety"),
    ],
)  # fmt: skip
def test_every_reply_has_exactly_one_outcome(content, finish, refusal, outcome, detail):
    verdict = classify("C", content=content, finish_reason=finish, refusal=refusal)
    assert (verdict.outcome, verdict.detail) == (outcome, detail)
    assert (verdict.answer is not None) == (outcome == "answered")


@given(
    st.text(max_size=300), st.sampled_from(TASKS), st.sampled_from(["stop", "length", "content_filter", "odd", None])
)
def test_no_text_crashes_the_reader(text, task, finish):
    assert classify(task, content=text, finish_reason=finish).outcome in {
        "answered", "parse_fail", "schema_fail", "truncated", "empty", "filtered",
    }  # fmt: skip


ANSWER_LIKE = st.fixed_dictionaries(
    {},
    optional={
        "icfr": st.sampled_from(["clean", "deficient", "Clean", None]),
        "component": st.sampled_from(["control_activities", "controls", None]),
        "severity": st.sampled_from(["material_weakness", "severe", None]),
        "designed_effectively": st.sampled_from([True, False, "true", 1, None]),
        "gap_type": st.sampled_from(["precision", "other", None]),
        "citation": st.sampled_from(["COSO-10", "COSO-99", "AS2201.69", "Principle 10", "COSO-100", None]),
        "evidence": st.one_of(st.text(max_size=20), st.just("x" * 401), st.none()),
        "rationale": st.just("because"),
    },
)


@given(ANSWER_LIKE, st.sampled_from(TASKS))
def test_the_published_schema_and_the_reader_accept_the_same_answers(value, task):
    published = jsonschema.Draft202012Validator(answer_schema(task)).is_valid(value)
    assert (read_answer(task, json.dumps(value)).outcome == "answered") == published


@pytest.mark.parametrize("task", TASKS)
def test_the_schema_is_in_the_strict_dialect(task):
    schema = answer_schema(task)
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) == set(schema["properties"]) == set(ANSWERS[task].model_fields)


def test_the_basic_schema_has_no_string_bounds_and_keeps_the_labels():
    text = json.dumps(basic_schema(answer_schema("D")))
    assert "maxLength" not in text
    assert "pattern" not in text
    assert "monitoring_activities" in text


def test_an_invented_reference_is_an_answer_and_a_wrong_form_is_not():
    answer = {"citation": "COSO-19", "component": "control_activities", "evidence": ""}
    assert read_answer("D", json.dumps(answer)).outcome == "answered"
    verdict = read_answer("D", json.dumps(answer | {"citation": "Principle 10"}))
    assert (verdict.outcome, verdict.detail) == ("schema_fail", "citation: string_pattern_mismatch")
