from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from benchmark_pipeline.checks.items import wrong_twins
from benchmark_pipeline.demo.profile import DEMO_FOLDER
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.paraphrase.drafts import NO_ITEM, build_twins, load_drafts, with_review_status

ENTRY = {
    "accession": "0009000001-25-000001",
    "cik": "0009000001",
    "text": "A text of forty characters or more, rewritten.",
    "paraphrased_by": "anthropic/claude",
}


def write(folder: Path, *entries: object) -> Path:
    (folder / "d.yaml").write_text(yaml.safe_dump(list(entries)), encoding="utf-8")
    return folder


def test_drafts_are_read_in_order_of_their_filing(tmp_path: Path) -> None:
    other = {**ENTRY, "accession": "0009000000-25-000001"}
    assert [draft.accession for draft in load_drafts(write(tmp_path, ENTRY, other))] == [
        "0009000000-25-000001", "0009000001-25-000001",
    ]  # fmt: skip
    assert load_drafts(None) == []


@pytest.mark.parametrize("change", [{"text": "short"}, {"cik": "1"}, {"paraphrased_by": ""}, {"colour": "red"}])
def test_a_wrong_draft_is_refused_by_file_and_number(tmp_path: Path, change: dict[str, str]) -> None:
    with pytest.raises(BenchError, match=r"d\.yaml, entry 1"):
        load_drafts(write(tmp_path, {**ENTRY, **change}))


def test_a_second_draft_of_a_filing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="has a draft already"):
        load_drafts(write(tmp_path, ENTRY, ENTRY))


def test_a_draft_without_an_item_is_a_rejected_row_with_the_reason(tmp_path: Path) -> None:
    twins = build_twins(load_drafts(write(tmp_path, ENTRY)), [], {}, lambda text, end: "effective")
    assert twins.unmatched == ["0009000001-25-000001 0009000001"]
    [row] = twins.rows
    assert (row.twin_of, row.status, row.reject_reasons) == (None, "rejected", [NO_ITEM])
    assert wrong_twins([row], set()) == []
    assert wrong_twins([row.model_copy(update={"status": "usable", "reject_reasons": []})], set()) != []
    assert with_review_status([row], [], []) == [row]


def test_the_demo_has_drafts_by_a_named_model() -> None:
    drafts = load_drafts(DEMO_FOLDER / "paraphrases")
    assert len(drafts) == 10
    assert {draft.paraphrased_by for draft in drafts} == {"anthropic/claude"}
