"""A person's session in headless Chromium, by keyboard alone."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from chromium import Chromium, find_chromium

from benchmark_pipeline.items.reviews import review_states
from benchmark_pipeline.review.app import ReviewPages

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find_chromium() is None, reason="Chromium is not installed"),
]


@pytest.fixture
def url(pages: ReviewPages) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(pages.app(), host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 30
    while not server.started:
        assert time.monotonic() < end
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


def key_of(page: Chromium) -> str:
    return str(page.run("document.querySelector('main').dataset.key"))


def test_ten_items_are_reviewed_by_keyboard(url: str, pages: ReviewPages, tmp_path: Path) -> None:
    with Chromium(tmp_path / "profile") as page:
        page.open(f"{url}/")
        page.type("M. Achterberg")
        page.press("Enter", loads=True)
        page.press("Enter", loads=True)  # start reading
        first = key_of(page)
        for _ in range(6):
            page.press("a", loads=True)
        page.press("r")
        page.press("2", loads=True)  # the second reason
        page.press("r")
        page.type("the auditor's report is missing")  # a reason in one's own words
        page.press("Enter", loads=True)
        skipped = key_of(page)
        page.press("s", loads=True)
        page.press("c")
        page.press("3")  # the third answer: deficient
        page.type("an exception is stated")
        page.press("Enter", loads=True)
        page.press("a", loads=True)
        assert "10 by me" in page.run("document.body.innerText")
        decisions = pages.store.read().decisions
        assert [d.decision for d in decisions] == ["accept"] * 6 + ["reject", "reject", "skip", "change", "accept"]
        assert [d.reason for d in decisions[6:8]] == [
            "label does not follow from the text",
            "the auditor's report is missing",
        ]
        assert json.loads(decisions[9].changes or "") == {"clean_rating": None, "gold_icfr": "deficient"}
        assert all(d.seconds is not None and d.seconds >= 0 for d in decisions)
        assert (decisions[0].item_id, decisions[8].item_id) == (first, skipped)

        page.press("u", loads=True)  # takes the last acceptance back and shows that item again
        assert key_of(page) == decisions[10].item_id and "9 by me" in page.run("document.body.innerText")
        page.press("u", loads=True)  # and the change before it
        assert key_of(page) == decisions[9].item_id
        page.press("a", loads=True)
        here = key_of(page)
        page.press("ArrowRight", loads=True)
        page.press("ArrowLeft", loads=True)
        assert key_of(page) == here
    states, _ = review_states(pages.store.read().decisions, pages.material.items)
    assert sorted(state.status for state in states.values()) == ["accepted"] * 7 + ["rejected"] * 2


def test_a_scenario_and_a_question_on_evidence_are_answered_by_keyboard(
    url: str, pages: ReviewPages, tmp_path: Path
) -> None:
    with Chromium(tmp_path / "profile") as page:
        page.open(f"{url}/")
        page.type("M. Achterberg")
        page.press("Enter", loads=True)
        page.open(f"{url}/queue?task=B")
        page.press("Enter", loads=True)
        half = pages.items[key_of(page)]
        page.press("1" if half.gold_effective else "2", loads=True)
        page.open(f"{url}/queue?task=clean_pool")
        page.press("Enter", loads=True)
        page.press("w")
        page.press("Escape")
        page.press("2")  # without a reason nothing is sent, and the field is asked for
        assert pages.store.answers() == []
        page.type("it began in 2025")
        page.press("Enter")  # leaves the field; it chooses no answer
        page.press("2", loads=True)
        page.press("u", loads=True)
        page.press("s", loads=True)
    [decision] = pages.store.read().decisions
    assert (decision.item_id, decision.decision) == (half.item_id, "accept")
    assert [row.resolution for row in pages.store.answers()] == ["dismissed", "undo", "skip"]
    assert pages.store.answers()[0].reason == "it began in 2025"


def test_nothing_is_cut_off_when_the_page_is_zoomed(url: str, tmp_path: Path) -> None:
    with Chromium(tmp_path / "profile") as page:
        page.open(f"{url}/")
        page.type("M. Achterberg")
        page.press("Enter", loads=True)
        for task in ("C", "A", "D", "B", "paraphrase", "clean_pool"):
            page.zoom(1)
            page.open(f"{url}/queue?task={task}")
            page.press("Enter", loads=True)
            for factor in (1, 2):
                page.zoom(factor)
                width = page.run("[document.documentElement.scrollWidth, innerWidth]")
                assert width[0] <= width[1], (task, factor, width)
                seen = "(r => r.bottom <= innerHeight + 1 && r.top >= 0)(document.querySelector('.decision').getBoundingClientRect())"
                assert page.run(seen), (task, factor)
