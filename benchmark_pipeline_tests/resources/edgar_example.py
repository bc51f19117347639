"""A small site and a client for the tests of the EDGAR client; also the program that the kill test starts and kills."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Any

from benchmark_pipeline.resources.edgar import EdgarClient, Wanted
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore

FOLDER = "/Archives/edgar/data/100"


def path_of(number: int) -> str:
    return f"{FOLDER}/{number:018}/annual.htm"


def write_site(site: Path, count: int) -> None:
    for number in range(count):
        target = site / "www" / path_of(number).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"<html><body>annual report {number} " + "controls " * 100 + "</body></html>")


def settings_for(data_root: Path, url: str, **changes: Any) -> Settings:
    return Settings.model_validate({
        "profile": "full",
        "data_root": data_root,
        "snapshot_date": date(2025, 6, 30),
        "edgar_identity": "Jane Doe jane@example.org",
        "edgar_www_url": f"{url}/www",
        "edgar_data_url": f"{url}/data",
        "edgar_efts_url": f"{url}/efts",
        **changes,
    })  # fmt: skip


def client_for(settings: Settings, **changes: Any) -> EdgarClient:
    options = {"connect_to": settings.edgar_www_url.removesuffix("/www"), "backoff_seconds": 0.01,
               "threshold_pause_seconds": 0.05, **changes}  # fmt: skip
    return EdgarClient(settings, DocumentStore(settings.storage_root), **options)


def wanted(count: int) -> list[Wanted]:
    return [Wanted("www", path_of(number)) for number in range(count)]


if __name__ == "__main__":
    with client_for(settings_for(Path(sys.argv[1]), sys.argv[2])) as running:
        running.fetch(wanted(int(sys.argv[3])), "documents")
