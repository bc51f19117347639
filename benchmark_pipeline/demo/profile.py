"""Settings of the demo profile: a dataset of its own, small by construction, never a sample of a larger one.

The hosts use the reserved `.invalid` domain: an address in a demo table can never be taken for a real one. The EDGAR and
FAC clients connect to the local replay server in their place.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

from benchmark_pipeline.evaluation.local_model import MODEL_ID
from benchmark_pipeline.settings import PROJECT_ROOT, Settings

DEMO_FOLDER = Path(__file__).resolve().parent
HOST = "http://demo.invalid"


def demo_settings(**changes: object) -> Settings:
    """The demo's settings. Only where data rests may be changed by the environment; the dataset itself is fixed."""
    fixed: dict[str, object] = {
        "profile": "demo",
        "fiscal_years": [2022, 2023, 2024],
        "audit_years": [2023, 2024],
        "snapshot_date": date(2025, 6, 30),
        "dataset_version": "0.1.0-demo",
        "items_per_registrant": 2,
        # Small by construction: the embedded model answers about one item in three seconds.
        "item_targets": {
            "C/attested": 31,
            "C/management_only": 10,
            "C/deficient": 23,
            "A/sec_annual_report": 10,
            "A/single_audit": 8,
            "D": 10,
        },
        "edgar_identity": "ICFR benchmark demo demo@demo.invalid",
        "edgar_www_url": f"{HOST}/www",
        "edgar_data_url": f"{HOST}/data",
        "edgar_efts_url": f"{HOST}/efts",
        "notes_data_sets": True,
        "fac_url": f"{HOST}/fac",
        "fac_api_key": "DEMO_KEY",
        "scenarios_folder": PROJECT_ROOT / "scenarios" / "demo",
        "labels_folder": DEMO_FOLDER / "labels",
        "paraphrases_folder": DEMO_FOLDER / "paraphrases",
        # One, to show what becomes of a draft: the embedded model rewrites nothing that keeps the invariants.
        "paraphrase_model": MODEL_ID,
        "paraphrase_drafts": 1,
    }
    return Settings.model_validate({**Settings().model_dump(), **fixed, **changes})


def load_settings(profile: str | None = None) -> Settings:
    """Settings from the environment, with the demo's own values where the profile is `demo`."""
    settings = (
        Settings() if profile is None else Settings.model_validate({**Settings().model_dump(), "profile": profile})
    )
    return demo_settings() if settings.profile == "demo" else settings
