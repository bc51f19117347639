"""Items, replies and models that the evaluation tests share. Companies and texts are fictional."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path
from typing import Any

from benchmark_pipeline.evaluation.model_registry import ModelEntry
from benchmark_pipeline.evaluation.prompts import Prompt, load_prompts
from benchmark_pipeline.tables.items import ItemRow, Task

PROMPTS_FOLDER = Path(__file__).resolve().parents[2] / "prompts"

CLEAN = (
    "Management assessed the effectiveness of internal control over financial reporting as of December 31, 2023, using "
    "the criteria of the COSO framework. Based on this assessment, management concluded that internal control over "
    "financial reporting was effective as of that date."
)
DEFICIENT = (
    "Management identified a material weakness: the Company did not employ enough accounting personnel with knowledge of "
    "US GAAP. As a result, management concluded that internal control over financial reporting was not effective as of "
    "December 31, 2023."
)
WEAKNESS = (
    "The Company did not reconcile its intercompany balances, and nobody reviewed the consolidation before release."
)
SCENARIO = (
    "Procure to pay. Invoices are entered by the accounts payable clerk. Control: the controller compares each invoice "
    "above 5,000 dollars with order and receipt before payment and keeps the signed comparison."
)
TEXTS: dict[Task, str] = {"A": WEAKNESS, "B": SCENARIO, "C": CLEAN, "D": WEAKNESS}


def prompts() -> dict[Task, Prompt]:
    return load_prompts(PROMPTS_FOLDER, "pv1")


def item(task: Task = "C", text: str | None = None, company: str = "0000000001", **changes: Any) -> ItemRow:
    body = TEXTS[task] if text is None else text
    digest = hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()
    values: dict[str, Any] = dict.fromkeys(ItemRow.model_fields)
    values |= {
        "item_id": f"{task}-{hashlib.sha256((company + body).encode('utf-8', 'replace')).hexdigest()[:16]}",
        "task": task,
        "arm": "verbatim",
        "text": body,
        "text_sha256": digest,
        "fiscal_year_end": date(2023, 12, 31) if task == "C" else None,
        "population": "synthetic_scenario" if task == "B" else "sec_annual_report",
        "jurisdiction": "US",
        "regime": "sox_404",
        "language": "en",
        "company_key": company,
        "source_ref": "example",
        "label_source": "disclosure",
        "gradient_bearing": task == "B",
        "gold_icfr": "clean" if task == "C" else None,
        "gold_effective": True if task == "B" else None,
        "gold_component": "control_activities" if task in ("A", "D") else None,
        "gold_components_accepted": ["control_activities"] if task in ("A", "D") else [],
        "gold_citation": "COSO-10" if task == "D" else None,
        "gold_citations_accepted": ["COSO-10", "AS2201.26"] if task == "D" else [],
        "gold_evidence": [],
        "touches_itgc": False,
        "strata": [],
        "review_status": "pending",
        "reviewed_by": [],
        "builder_version": "test",
    }
    return ItemRow.model_validate(values | changes)


def remote_model(url: str, **changes: Any) -> ModelEntry:
    values: dict[str, Any] = {
        "id": "example/echo-2026-01-31",
        "route": "openai/echo-2026-01-31",
        "api_base": url,
        "concurrency": 4,
        "timeout_seconds": 60,  # a busy machine is no failure of the provider
    }
    return ModelEntry.model_validate(values | changes)
