"""The log that the review page writes: nothing lost between processes, nothing taken back that is not there."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.review.store import ReviewStore
from benchmark_pipeline.tables.clean_pool import EvidenceAnswerRow
from benchmark_pipeline.tables.items import ItemReviewRow

WRITER = """
import sys
from pathlib import Path
from datetime import UTC, datetime
from benchmark_pipeline.review.store import ReviewStore, new_id
from benchmark_pipeline.tables.items import ItemReviewRow
store = ReviewStore(Path(sys.argv[1]))
for number in range(40):
    store.append(ItemReviewRow(decision_id=new_id(), item_id=f"C-{number}", kind="item", text_sha256="0" * 64,
        reviewer=sys.argv[2], decision="accept", reason=None, changes=None, seconds=1.0, decided_at=datetime.now(UTC)))
"""


def row(**values: object) -> ItemReviewRow:
    base = {"decision_id": "d1", "item_id": "C-1", "kind": "item", "text_sha256": "0" * 64, "reviewer": "M. Achterberg",
            "decision": "accept", "reason": None, "changes": None, "seconds": 1.0, "decided_at": datetime.now(UTC)}  # fmt: skip
    return ItemReviewRow.model_validate(base | values)


def test_two_processes_that_review_at_once_lose_nothing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name]) for name in ("M. Achterberg", "K. Osei")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    log = ReviewStore(tmp_path).read()
    assert (log.records, len(log.decisions), log.refused, log.repeats) == (80, 80, [], 0)
    assert {(d.reviewer, d.item_id) for d in log.decisions} == {
        (name, f"C-{n}") for n in range(40) for name in ("M. Achterberg", "K. Osei")
    }


def test_undo_takes_back_the_last_decision_and_keeps_the_record(tmp_path: Path) -> None:
    store = ReviewStore(tmp_path)
    earlier = datetime.now(UTC) - timedelta(minutes=1)
    store.append(row(decided_at=earlier))
    store.append(row(decision_id="d2", item_id="C-2"))
    assert store.undo_last("M. Achterberg") == "C-2"
    assert [d.decision for d in store.read().decisions] == ["accept", "accept", "undo"]
    assert store.undo_last("M. Achterberg") == "C-1"
    assert store.undo_last("M. Achterberg") is None
    assert store.undo_last("K. Osei") is None


def test_the_log_refuses_models_repeats_and_a_strangers_undo(tmp_path: Path) -> None:
    store = ReviewStore(tmp_path, frozenset({"house-blend"}))
    store.append(row())
    for wrong, said in (
        (row(decision_id="d3", reviewer="gpt-4o"), "model"),
        (row(decision_id="d3", reviewer="House-Blend"), "model"),
        (row(decision_id="d3", decided_at=datetime.now(UTC) + timedelta(hours=1)), "future"),
        (row(item_id="C-9"), "in the log already"),
        (row(decision_id="d3", reviewer="K. Osei", decision="undo", voids="d1"), "no standing decision"),
    ):
        with pytest.raises(BenchError, match=said):
            store.append(wrong)
    assert store.read().records == 1


def said(**values: object) -> EvidenceAnswerRow:
    base = {"answer_id": "e1", "evidence_id": "q1", "text_sha256": "0" * 64, "resolution": "upholds",
            "reviewer": "K. Osei", "reason": "begins in the year", "seconds": 4.0, "decided_at": datetime.now(UTC)}  # fmt: skip
    return EvidenceAnswerRow.model_validate(base | values)


def test_an_answer_on_evidence_is_a_persons_and_only_he_takes_it_back(tmp_path: Path) -> None:
    store = ReviewStore(tmp_path)
    with pytest.raises(BenchError, match="model"):
        store.append_answer(said(reviewer="claude"))
    store.append_answer(said())
    with pytest.raises(BenchError, match="no standing answer"):
        store.append_answer(said(answer_id="e2", resolution="undo", reviewer="M. Achterberg", voids="e1"))
    assert store.undo_last("M. Achterberg") is None
    assert store.undo_last("K. Osei") == "q1" and store.undo_last("K. Osei") is None
    assert [row.resolution for row in store.answers()] == ["upholds", "undo"]
