"""What a person is asked, and what an answer does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pool_examples import SNAPSHOT, assertion, evidence, span

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.icfr.decision_order import PoolContext, judge
from benchmark_pipeline.icfr.evidence_review import apply_reviews, unreviewed
from benchmark_pipeline.icfr.questions import Question, answer, open_questions

WHEN = datetime(2025, 7, 1, 12, tzinfo=UTC)
E8 = evidence("E8", "ambiguous", match="next_annual", locator=span("We identified a material weakness."))
UNREAD = evidence("E2", "ambiguous", match="period_unparsed")


def asked(*rows: Any, **changes: Any) -> list[Question]:
    return open_questions(rows, [judge(assertion(**changes), rows, PoolContext(SNAPSHOT))])


def said(question: Question, resolution: Any, reviewer: str = "r.amari") -> dict[str, Any]:
    record = answer(question, resolution, reviewer=reviewer, reason="The report dates it to May 2023.", decided_at=WHEN)
    return record.model_dump(mode="json")


def test_a_question_tells_what_is_asked_where_it_stands_and_what_can_be_answered() -> None:
    (question,) = asked(E8)
    assert question.question_id == E8.evidence_id
    assert question.asked == "A later report states a material weakness and not since when. Did it exist on 2022-12-31?"
    assert question.evidence_text == "We identified a material weakness."
    assert (question.accession, question.evidence_accession) == (E8.accession, E8.evidence_accession)
    assert [option.resolution for option in question.options] == ["upholds", "dismissed"]


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (E8, "onset"),
        (UNREAD, "periods"),
        (evidence("E2", "ambiguous"), "withdrawn_notice"),
        (evidence("E6", "ambiguous", match="period_unparsed"), "auditor_event"),
    ],
)
def test_each_kind_of_ambiguous_evidence_has_its_question(row: Any, kind: str) -> None:
    assert [question.kind for question in asked(row)] == [kind]


def test_nothing_is_asked_whose_answer_would_decide_nothing() -> None:
    direct = evidence("E3", evidence_accession="0009100001-24-000001")
    assert asked(E8, direct) == []
    assert asked(E8, mgmt_conclusion="ineffective", attest_opinion="adverse") == []
    assert asked(E8, sic_at_filing="6770") == []
    upheld = UNREAD.model_copy(update={"resolution": "upholds"})
    assert asked(E8, upheld) == []
    dismissed = UNREAD.model_copy(update={"resolution": "dismissed"})
    assert [question.question_id for question in asked(E8, dismissed)] == [E8.evidence_id]
    assert asked(evidence("E7", "counter_evidence")) == []


def test_answers_empty_the_queue_and_only_dismissing_all_of_it_gives_the_label_back() -> None:
    rows = [E8, UNREAD]
    first, second = asked(*rows)
    once = apply_reviews(rows, [said(first, "dismissed")])
    assert judge(assertion(), once, PoolContext(SNAPSHOT)).decision == "excluded"
    assert asked(*once) == [second]
    both = apply_reviews(rows, [said(first, "dismissed"), said(second, "dismissed")])
    assert judge(assertion(), both, PoolContext(SNAPSHOT)).decision == "clean_attested"
    assert asked(*both) == []
    assert sorted(unreviewed(both), key=str) == sorted(rows, key=str)


@pytest.mark.parametrize(
    ("answers", "resolution", "by"),
    [
        ([("dismissed", "r.amari"), ("upholds", "r.amari")], "upholds", "r.amari"),
        ([("upholds", "r.amari"), ("dismissed", "r.amari")], "dismissed", "r.amari"),
        ([("upholds", "t.okonjo"), ("dismissed", "r.amari")], "upholds", "t.okonjo"),
        ([("dismissed", "t.okonjo"), ("dismissed", "r.amari")], "dismissed", "r.amari, t.okonjo"),
    ],
)
def test_a_label_needs_the_latest_word_of_every_reviewer(answers: Any, resolution: str, by: str) -> None:
    (question,) = asked(E8)
    (row,) = apply_reviews([E8], [said(question, word, who) for word, who in answers])
    assert (row.resolution, row.decided_by) == (resolution, by)


def test_an_answer_to_a_text_that_has_changed_or_gone_has_no_effect() -> None:
    (question,) = asked(E8)
    other = E8.model_copy(update={"locator": span("Another sentence speaks of a material weakness.")})
    (row,) = apply_reviews([other], [said(question, "dismissed")])
    assert row.resolution is None
    assert apply_reviews([], [said(question, "dismissed")]) == []


@pytest.mark.parametrize(
    ("resolution", "reviewer", "reason"),
    [
        ("dismissed", "", "because"),
        ("dismissed", "anthropic/claude", "because"),
        ("dismissed", "r.amari", " "),
        ("maybe", "r.amari", "because"),
    ],
)
def test_an_answer_without_person_reason_or_meaning_is_not_recorded(
    resolution: Any, reviewer: str, reason: str
) -> None:
    (question,) = asked(E8)
    with pytest.raises(BenchError):
        answer(question, resolution, reviewer=reviewer, reason=reason)
