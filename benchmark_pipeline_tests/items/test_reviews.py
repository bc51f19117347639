from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from item_rows import SECTIONS, decided, filing, review

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.agreement import agreement_by_task
from benchmark_pipeline.items.identity import pair_text_sha256
from benchmark_pipeline.items.labeled import build_labeled
from benchmark_pipeline.items.reviews import apply_state, is_model_id, read_reviews, require_valid, review_states
from benchmark_pipeline.items.scenarios import load_scenarios
from benchmark_pipeline.items.task_b import build_task_b
from benchmark_pipeline.items.task_c import section_item
from benchmark_pipeline.settings import PROJECT_ROOT
from benchmark_pipeline.tables.items import InvariantResult, ItemReviewRow, ItemRow, ParaphraseRow

NOW = datetime(2026, 1, 6, tzinfo=UTC)


def item(number: int = 0) -> ItemRow:
    made = section_item(filing(SECTIONS[number], number + 1))
    assert made is not None
    return made


def twin(of: ItemRow, status: str = "usable") -> ParaphraseRow:
    return ParaphraseRow.model_validate(
        {
            "item_id": "C-1111111111111111", "twin_of": of.item_id, "arm": "paraphrase", "text": "Rewritten.",
            "text_sha256": "0" * 64, "paraphrased_by": "anthropic/claude", "drafting_prompt_sha256": None,
            "invariants": [InvariantResult(name="x", value="", threshold="", passed=True)], "status": status,
            "reject_reasons": [], "review_status": "pending",
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    "name", ["openai/gpt-5-2026-01-01", "claude", "gpt-4o", "Claude-3-opus", "llama 3", "o3-mini", "agent", "Gemini"]
)
def test_a_model_is_no_reviewer(name: str) -> None:
    assert is_model_id(name)
    log = read_reviews([review("C-1", "0" * 64, reviewer=name)], NOW)
    assert log.decisions == [] and "model" in log.refused[0].why


@pytest.mark.parametrize(
    "name", ["M. Achterberg", "Claude Martin", "Jean-Claude Roy", "Yi Chen", "Nova Ortiz", "T. Botha"]
)
def test_people_may_have_the_names_of_models(name: str) -> None:
    assert not is_model_id(name)


def test_an_id_of_the_registry_is_no_reviewer() -> None:
    assert is_model_id("House-Blend", {"house-blend"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"reviewer": "  "}, "no reviewer"),
        ({"decided_at": "2026-01-06T00:06:00+00:00"}, "future"),
        ({"decided_at": "2026-01-05T10:00:00"}, "decided_at"),
        ({"decision": "reject"}, "needs a reason"),
        ({"decision": "change", "reason": "x"}, "no changed column"),
        ({"decision": "change", "reason": "x", "changes": "{"}, "not JSON"),
        ({"decision": "change", "reason": "x", "changes": '{"text": "other"}'}, "text"),
        ({"decision": "approve"}, "decision"),
        ({"text_sha256": "abc"}, "text_sha256"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_is_no_decision_is_refused_with_the_reason(change: dict[str, Any], said: str) -> None:
    log = read_reviews([{**review("C-1", "0" * 64), **change}], NOW)
    assert log.decisions == []
    assert said in log.refused[0].why


def test_records_are_decisions_repeats_or_refusals() -> None:
    first = review("C-1", "0" * 64)
    log = read_reviews([first, first, {**first, "decision": "skip"}, {"decision_id": "r9"}], NOW)
    assert (log.records, len(log.decisions), log.repeats, len(log.refused)) == (4, 1, 1, 2)


def test_a_decision_is_refused_before_it_is_written() -> None:
    with pytest.raises(BenchError, match="model"):
        require_valid(decided("C-1", "0" * 64, reviewer="gpt-4o"), NOW)


def test_only_a_decision_on_the_present_text_counts() -> None:
    made = item()
    states, void = review_states([decided(made.item_id, "0" * 64)], [made])
    assert states == {} and len(void) == 1
    states, void = review_states([decided(made.item_id, made.text_sha256)], [made])
    assert states[made.item_id].status == "accepted" and void == []


def test_of_one_reviewer_the_latest_counts_and_a_rejection_outweighs() -> None:
    made = item()
    first = decided(made.item_id, made.text_sha256, decision="reject", reason="wrong year")
    later = first.decided_at + timedelta(hours=1)
    second = decided(made.item_id, made.text_sha256, decision_id="r2", decided_at=later)
    other = decided(made.item_id, made.text_sha256, decision_id="r3", reviewer="K. Osei", decision="reject", reason="x")
    assert review_states([first, second], [made])[0][made.item_id].status == "accepted"
    state = review_states([first, second, other], [made])[0][made.item_id]
    assert (state.status, state.reviewers) == ("rejected", ("K. Osei", "M. Achterberg"))


def test_skip_decides_nothing() -> None:
    made = item()
    assert review_states([decided(made.item_id, made.text_sha256, decision="skip")], [made]) == ({}, [])


def test_a_decision_on_a_pair_counts_for_both_halves() -> None:
    halves = [
        row
        for row in build_task_b(load_scenarios(PROJECT_ROOT / "scenarios"))
        if row.pair_id == "b002-rebate-threshold"
    ]
    row = decided("b002-rebate-threshold", pair_text_sha256(halves), kind="scenario_pair")
    assert set(review_states([row], halves)[0]) == {half.item_id for half in halves}


def test_a_change_sets_the_gold_and_makes_the_label_human() -> None:
    made = item()
    row = decided(made.item_id, made.text_sha256, decision="change", reason="x",
                  changes='{"gold_icfr": "deficient", "clean_rating": null}')  # fmt: skip
    changed = apply_state(made, review_states([row], [made])[0][made.item_id])
    assert (changed.gold_icfr, changed.clean_rating, changed.label_source, changed.review_status) == (
        "deficient", None, "human", "changed",
    )  # fmt: skip


def test_a_change_to_no_value_of_the_column_is_an_error_that_names_the_item() -> None:
    made = item()
    row = decided(made.item_id, made.text_sha256, decision="change", reason="x", changes='{"gold_icfr": "fine"}')
    with pytest.raises(BenchError, match=made.item_id):
        apply_state(made, review_states([row], [made])[0][made.item_id])


def test_the_set_is_a_preview_until_every_item_is_reviewed() -> None:
    one, two = item(0), item(1)
    rows = [decided(one.item_id, one.text_sha256), decided(two.item_id, two.text_sha256, decision_id="r2")]
    assert build_labeled([one, two], [], rows[:1]).status == "preview"
    assert build_labeled([one, two], [], rows).status == "release"


def test_a_review_status_that_a_candidate_carries_by_itself_is_not_believed() -> None:
    forged = item().model_copy(update={"review_status": "accepted", "reviewed_by": ["nobody"]})
    [labeled] = build_labeled([forged], [], []).items
    assert (labeled.review_status, labeled.reviewed_by) == ("pending", [])


def test_a_rejected_item_leaves_with_its_twin() -> None:
    made = item()
    row = decided(made.item_id, made.text_sha256, decision="reject", reason="conclusion cut off")
    assert [i.arm for i in build_labeled([made], [twin(made)], []).items] == ["verbatim", "paraphrase"]
    gone = build_labeled([made], [twin(made)], [row])
    assert gone.items == []
    assert gone.candidates + gone.twins == len(gone.items) + len(gone.rejected_by_reviewers) == 2


def test_a_rejected_half_leaves_with_its_pair() -> None:
    items = build_task_b(load_scenarios(PROJECT_ROOT / "scenarios"))
    row = decided(items[0].item_id, items[0].text_sha256, decision="reject", reason="assumes a fact")
    left = build_labeled(items, [], [row])
    assert len(left.items) == len(items) - 2


def test_an_unusable_twin_stays_out_and_a_twin_takes_its_gold_from_the_original() -> None:
    made = item()
    assert len(build_labeled([made], [twin(made, "rejected")], []).items) == 1
    rewritten = build_labeled([made], [twin(made)], []).items[1]
    assert (rewritten.gold_icfr, rewritten.twin_of, rewritten.text) == (made.gold_icfr, made.item_id, "Rewritten.")


def task_a(number: int = 0) -> ItemRow:
    return item(number).model_copy(
        update={"task": "A", "gold_icfr": None, "clean_rating": None, "gold_component": "control_activities",
                "gold_components_accepted": ["control_activities"]}
    )  # fmt: skip


def by(made: ItemRow, name: str, hour: int = 0, **columns: Any) -> ItemReviewRow:
    columns = {"decision_id": f"{name}-{hour}", **columns}
    when = datetime(2026, 1, 5, 10 + hour, tzinfo=UTC)
    return decided(made.item_id, made.text_sha256, reviewer=name, decided_at=when, **columns)


def test_a_judgement_waits_for_its_second_reader() -> None:
    made = task_a()
    one, two = by(made, "M. Achterberg"), by(made, "K. Osei", 1)
    state = review_states([one], [made])[0][made.item_id]
    assert (state.status, state.needs) == ("pending", "second_reader")
    assert review_states([one, two], [made])[0][made.item_id].status == "accepted"
    assert review_states([one, by(made, "M. Achterberg", 1)], [made])[0][made.item_id].status == "pending"


def test_readers_who_differ_need_a_third_person_who_decides() -> None:
    made = task_a()
    other = '{"gold_component": "risk_assessment"}'
    rows = [by(made, "M. Achterberg"), by(made, "K. Osei", 1, decision="change", reason="cause", changes=other)]
    state = review_states(rows, [made])[0][made.item_id]
    assert (state.status, state.needs) == ("pending", "adjudication")
    own = by(made, "K. Osei", 2, role="adjudicator")
    assert review_states([*rows, own], [made])[0][made.item_id].needs == "adjudication"
    third = by(made, "L. Brandt", 3, role="adjudicator", decision="change", reason="cause", changes=other)
    state = review_states([*rows, third], [made])[0][made.item_id]
    assert (state.status, state.changes) == ("changed", {"gold_component": "risk_assessment"})


def test_an_adjudicator_may_overrule_a_rejection() -> None:
    made = item()
    rows = [by(made, "M. Achterberg", decision="reject", reason="cut off"), by(made, "K. Osei", 1)]
    state = review_states(rows, [made])[0][made.item_id]
    assert (state.status, state.needs) == ("rejected", "adjudication")
    assert (
        review_states([*rows, by(made, "L. Brandt", 2, role="adjudicator")], [made])[0][made.item_id].status
        == "accepted"
    )


def test_one_person_who_calls_himself_adjudicator_does_not_stand_for_two_readers() -> None:
    made = task_a()
    alone = by(made, "L. Brandt", role="adjudicator")
    state = review_states([alone], [made])[0][made.item_id]
    assert (state.status, state.needs) == ("pending", "second_reader")
    agreed = review_states([alone, by(made, "K. Osei", 1)], [made])[0][made.item_id]
    assert (agreed.status, agreed.reviewers) == ("accepted", ("K. Osei", "L. Brandt"))
    refused = by(made, "K. Osei", 1, decision="reject", reason="cut off")
    assert review_states([alone, refused], [made])[0][made.item_id].needs == "adjudication"


def test_an_undone_decision_has_no_effect_and_nobody_undoes_anothers() -> None:
    made = item()
    first = by(made, "M. Achterberg")
    undo = by(made, "M. Achterberg", 1, decision="undo", voids=first.decision_id)
    foreign = by(made, "K. Osei", 1, decision="undo", voids=first.decision_id)
    assert review_states([first, undo], [made]) == ({}, [])
    assert review_states([first, foreign], [made])[0][made.item_id].status == "accepted"


def test_an_undo_that_names_nothing_and_a_decision_that_voids_are_refused() -> None:
    rows = [review("C-1", "0" * 64, decision="undo"), review("C-1", "0" * 64, voids="r0", decision_id="r2")]
    assert len(read_reviews(rows, NOW).refused) == 2


def test_agreement_counts_readers_and_no_adjudicator() -> None:
    items = [task_a(0), task_a(1)]
    rows = [by(made, name) for made in items for name in ("M. Achterberg", "K. Osei")]
    rows = [row.model_copy(update={"decision_id": f"r{n}"}) for n, row in enumerate(rows)]
    rows.append(by(items[0], "L. Brandt", 2, role="adjudicator", decision="reject", reason="x"))
    [found] = agreement_by_task(rows, items)
    assert (found.task, found.agreement.units, found.agreement.raw, found.too_low) == ("A", 2, 1.0, False)
