"""A person's session in headless Chromium, by keyboard alone."""

from __future__ import annotations

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


def test_ten_items_are_reviewed_by_keyboard(url: str, pages: ReviewPages, tmp_path: Path) -> None:
    with Chromium(tmp_path / "profile") as page:
        page.open(f"{url}/")
        page.type("M. Achterberg")
        page.press("Enter", loads=True)
        page.press("Enter", loads=True)  # start reading
        first = page.run("document.querySelector('main').dataset.key")
        for _ in range(8):
            page.press("a", loads=True)
        page.press("r")
        page.press("2", loads=True)  # the second reason
        page.press("c")
        page.run("document.querySelector('#change [value=deficient]').checked = true")
        page.type("an exception is stated")
        page.press("Enter", loads=True)
        assert "10 by me" in page.run("document.body.innerText")
        decisions = pages.store.read().decisions
        assert [d.decision for d in decisions] == ["accept"] * 8 + ["reject", "change"]
        assert decisions[8].reason == "label does not follow from the text"
        assert all(d.seconds is not None and d.seconds >= 0 for d in decisions)
        assert decisions[0].item_id == first

        page.press("u", loads=True)  # takes the change back and shows that item again
        assert page.run("document.querySelector('main').dataset.key") == decisions[9].item_id
        page.press("a", loads=True)
        page.press("s", loads=True)
        here = page.run("document.querySelector('main').dataset.key")
        page.press("ArrowRight", loads=True)
        page.press("ArrowLeft", loads=True)
        assert page.run("document.querySelector('main').dataset.key") == here
    states, _ = review_states(pages.store.read().decisions, pages.material.items)
    assert sorted(state.status for state in states.values()) == ["accepted"] * 9 + ["rejected"]


def test_nothing_is_cut_off_when_the_page_is_zoomed(url: str, tmp_path: Path) -> None:
    with Chromium(tmp_path / "profile") as page:
        page.open(f"{url}/")
        page.type("M. Achterberg")
        page.press("Enter", loads=True)
        for task in ("C", "A", "B", "paraphrase", "clean_pool"):
            page.zoom(1)
            page.open(f"{url}/queue?task={task}")
            page.press("Enter", loads=True)
            for factor in (1, 2):
                page.zoom(factor)
                width = page.run("[document.documentElement.scrollWidth, innerWidth]")
                assert width[0] <= width[1], (task, factor, width)
                seen = "(r => r.bottom <= innerHeight + 1 && r.top >= 0)(document.querySelector('.decision').getBoundingClientRect())"
                assert page.run(seen), (task, factor)
