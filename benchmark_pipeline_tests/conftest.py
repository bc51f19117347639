"""Shared fixtures: where the real data is, and an environment that cannot touch a user's own settings or data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("ICFR_BENCH_") and name != "ICFR_BENCH_REAL_DATA":
            monkeypatch.delenv(name)
    # A test that forgets to name a data folder writes here, never into data/ of the repository.
    monkeypatch.setenv("ICFR_BENCH_DATA_ROOT", str(tmp_path / "data"))
    monkeypatch.delenv("DAGSTER_HOME", raising=False)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real filings and findings; the test skips where it is absent."""
    folder = Path(os.environ.get("ICFR_BENCH_REAL_DATA", REPOSITORY.parent / "shared"))
    if not (folder / "edgar" / "MANIFEST.csv").exists():
        pytest.skip(
            f"real filings are not at {folder}: set ICFR_BENCH_REAL_DATA to the folder that holds edgar/ and fac/"
        )
    return folder
