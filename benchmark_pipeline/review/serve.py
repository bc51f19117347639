"""Starting the review page."""

from __future__ import annotations

from urllib.parse import quote

import uvicorn
from rich.console import Console

from benchmark_pipeline.assets.items import known_models
from benchmark_pipeline.settings import Settings

from .app import ReviewPages
from .store import ReviewStore


def open_store(settings: Settings) -> ReviewStore:
    """The profile's review log, closed to every model of the registry."""
    return ReviewStore(settings.review_log_folder, frozenset(known_models(settings)))


def serve(settings: Settings, console: Console, reviewer: str | None, port: int) -> None:
    """Serves the page on 127.0.0.1 until Ctrl-C.

    Raises:
        BenchError: there is nothing to review, or the reviewer is a model.
    """
    store = open_store(settings)
    name = store.require_person(reviewer) if reviewer else None
    pages = ReviewPages(settings, store, name)
    console.print(
        f"Review of the {settings.profile} profile: http://127.0.0.1:{port}/{'queue' if name else ''}  (Ctrl-C ends it)"
    )
    console.print(f"Decisions are appended to {quote(str(settings.review_log_folder), safe='/')}", markup=False)
    uvicorn.run(pages.app(), host="127.0.0.1", port=port, log_level="warning", access_log=False)
