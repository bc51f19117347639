"""The page without a browser: who may reach it, what it shows, and what a form does."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from benchmark_pipeline.items.reviews import review_states
from benchmark_pipeline.review.app import ReviewPages
from benchmark_pipeline.review.marks import Segment, highlight, word_differences
from benchmark_pipeline.tables.items import ItemRow

EVIDENCE = "0009000020-25-000020:0009000020:E8:0009000020-26-000001"


def client(pages: ReviewPages, reviewer: str | None = "M. Achterberg") -> TestClient:
    made = TestClient(pages.app(), base_url="http://127.0.0.1:3100", follow_redirects=False)
    if reviewer:
        answer = made.post("/", data={"token": pages.token, "reviewer": reviewer})
        assert answer.status_code == 303
    return made


def post(browser: TestClient, pages: ReviewPages, key: str, **fields: str) -> str:
    sha = (pages.items.get(key) or pages.questions[key]).text_sha256
    answer = browser.post(
        f"/review/{key}", data={"token": pages.token, "text_sha256": sha, "seconds": "12.5", **fields}
    )
    return str(answer.headers.get("location") or answer.text)


def of(pages: ReviewPages, task: str) -> ItemRow:
    return next(item for item in pages.material.items if item.task == task)


def test_only_this_machine_and_its_own_pages_are_answered(pages: ReviewPages) -> None:
    browser = client(pages)
    assert browser.get("/queue", headers={"host": "evil.example"}).status_code == 400
    assert browser.post("/undo", data={"token": "guess"}).status_code == 403
    foreign = {"origin": "http://evil.example"}
    assert browser.post("/undo", data={"token": pages.token}, headers=foreign).status_code == 403
    answer = browser.get("/queue")
    assert answer.status_code == 200 and "script-src 'self'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("name", ["gpt-4o", "House-Blend", "anthropic/claude", " "])
def test_a_model_is_refused_at_the_start(pages: ReviewPages, name: str) -> None:
    answer = client(pages, None).post("/", data={"token": pages.token, "reviewer": name})
    assert answer.status_code == 422 and 'role="alert"' in answer.text


def test_without_a_name_there_is_no_queue(pages: ReviewPages) -> None:
    assert client(pages, None).get("/queue").headers["location"] == "/"


def test_text_of_a_filing_is_escaped(pages: ReviewPages) -> None:
    page = client(pages).get(f"/review/{pages.material.items[0].item_id}").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; so on" in page and "<script>alert" not in page
    assert not re.search(r"<script(?! src=)|onclick|style=", page)


def test_the_passage_stands_in_its_filing_with_the_evidence_marked(pages: ReviewPages) -> None:
    page = client(pages).get(f"/review/{pages.material.items[1].item_id}").text
    assert '<mark class="evidence">' in page and "In the filing" in page and "Disclosures (task C)" in page


def test_an_acceptance_a_change_and_an_undo_reach_the_log(pages: ReviewPages) -> None:
    browser, item = client(pages), pages.material.items[1]
    assert post(browser, pages, item.item_id, action="accept").startswith("/review/")
    assert "needs a reason" in post(browser, pages, item.item_id, action="change", gold_icfr="deficient")
    post(browser, pages, item.item_id, action="change", gold_icfr="deficient", reason="an exception")
    decisions = pages.store.read().decisions
    assert [(d.decision, d.seconds) for d in decisions] == [("accept", 12.5), ("change", 12.5)]
    assert decisions[1].changes == '{"clean_rating": null, "gold_icfr": "deficient"}'
    browser.post("/undo", data={"token": pages.token})
    states, _ = review_states(pages.store.read().decisions, pages.material.items)
    assert states[item.item_id].status == "accepted"


def test_a_text_that_has_changed_since_is_not_decided(pages: ReviewPages) -> None:
    page = post(client(pages), pages, pages.material.items[1].item_id, action="accept", text_sha256="0" * 64)
    assert "has changed" in page and pages.store.read().records == 0


def test_a_scenario_half_is_read_blind_and_alone(pages: ReviewPages) -> None:
    browser, half = client(pages), of(pages, "B")
    page = browser.get(f"/review/{half.item_id}").text
    other = next(i for i in pages.material.items if i.pair_id == half.pair_id and i is not half)
    assert other.text not in page and "Drafted answer" not in page and half.source_ref not in page
    assert "read blind" in post(browser, pages, half.item_id, action="accept")
    post(browser, pages, half.item_id, action="answer", answer="not_effective" if half.gold_effective else "effective")
    [row] = pages.store.read().decisions
    assert row.decision == "reject" and "another verdict" in str(row.reason)


def test_the_second_reader_is_blind_and_a_third_person_settles_a_difference(pages: ReviewPages) -> None:
    item = of(pages, "A")
    post(client(pages), pages, item.item_id, action="accept")
    second = client(pages, "K. Osei")
    page = second.get(f"/review/{item.item_id}").text
    assert "Read blind" in page and "Drafted answer" not in page
    other = "monitoring_activities" if item.gold_component != "monitoring_activities" else "risk_assessment"
    post(second, pages, item.item_id, action="answer", answer=other)
    third = client(pages, "L. Brandt")
    page = third.get(f"/review/{item.item_id}").text
    assert "Readers disagree" in page and "K. Osei" in page
    post(third, pages, item.item_id, action="accept")
    states, _ = review_states(pages.store.read().decisions, pages.material.items)
    assert states[item.item_id].status == "accepted"
    assert pages.store.read().decisions[-1].role == "adjudicator"


def test_a_paraphrase_stands_beside_its_original_with_differences_marked(pages: ReviewPages) -> None:
    page = client(pages).get("/review/C-ttttttttttttttt1").text
    assert '<mark class="removed">our</mark>' in page and '<mark class="added">its</mark>' in page


def test_a_question_on_evidence_is_answered_with_a_reason(pages: ReviewPages) -> None:
    browser = client(pages)
    page = browser.get(f"/review/{EVIDENCE}").text
    assert "Did it exist on 2024-12-31?" in page and '<mark class="evidence">' in page
    assert "needs a reason" in post(browser, pages, EVIDENCE, answer="dismissed")
    assert "has changed" in post(browser, pages, EVIDENCE, answer="dismissed", reason="x", text_sha256="0" * 64)
    assert "is not an answer" in post(browser, pages, EVIDENCE, answer="perhaps", reason="begins later")
    assert post(browser, pages, EVIDENCE, answer="dismissed", reason="begins later").startswith("/")
    [row] = pages.store.answers()
    assert (row.reviewer, row.resolution, row.seconds) == ("M. Achterberg", "dismissed", 12.5)
    assert "You decided: <strong>dismissed</strong>" in browser.get(f"/review/{EVIDENCE}").text
    assert "M. Achterberg: <strong>dismissed</strong>" in client(pages, "K. Osei").get(f"/review/{EVIDENCE}").text


def test_answers_and_decisions_are_undone_in_the_order_in_which_they_were_given(pages: ReviewPages) -> None:
    browser, item = client(pages), pages.material.items[1]
    post(browser, pages, item.item_id, action="accept")
    post(browser, pages, EVIDENCE, answer="upholds", reason="begins in the year")
    post(browser, pages, EVIDENCE, action="skip")
    undone = [browser.post("/undo", data={"token": pages.token}).headers["location"] for _ in range(4)]
    assert ["E8" in place for place in undone] == [True, True, False, False]
    assert item.item_id in undone[2] and "undone=0" in undone[3]
    assert [row.resolution for row in pages.store.answers()] == ["upholds", "skip", "undo", "undo"]
    entry = next(e for e in pages._queue("M. Achterberg") if e.key == EVIDENCE)
    assert (entry.status, entry.mine, entry.open) == ("pending", None, True)


def test_what_was_skipped_comes_last_of_its_task(pages: ReviewPages) -> None:
    browser = client(pages)
    before, others = ([e.key for e in pages._queue(name) if e.subject == "C"] for name in ("M. Achterberg", "K. Osei"))
    post(browser, pages, before[0], action="skip")
    assert [e.key for e in pages._queue("M. Achterberg") if e.subject == "C"] == [*before[1:], before[0]]
    assert [e.key for e in pages._queue("K. Osei") if e.subject == "C"] == others


def test_an_unknown_entry_says_so(pages: ReviewPages) -> None:
    answer = client(pages).get("/review/C-none")
    assert answer.status_code == 404 and "open the queue again" in answer.text


def test_marks_cut_overlapping_ranges_once() -> None:
    assert highlight("abcdef", [(1, 3), (2, 5), (9, 12)]) == [
        Segment("a"), Segment("bc", "evidence"), Segment("de", "evidence"), Segment("f"),
    ]  # fmt: skip
    left, right = word_differences("was not effective", "was effective")
    assert "".join(s.text for s in left if s.mark).strip() == "not" and not any(s.mark for s in right)
