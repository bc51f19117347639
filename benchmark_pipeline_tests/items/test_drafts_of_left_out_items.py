from __future__ import annotations

from item_rows import filing

from benchmark_pipeline.checks.items import wrong_twins
from benchmark_pipeline.items.selection import reject
from benchmark_pipeline.items.task_c import section_item
from benchmark_pipeline.paraphrase.drafts import NO_ITEM, Draft, build_twins


def test_a_draft_of_a_candidate_that_was_left_out_is_rejected_and_keeps_its_checks() -> None:
    item = section_item(filing())
    assert item is not None
    left_out = reject(item, "not_sampled", "none drawn")
    draft = Draft(accession="0009000001-25-000001", cik="0009000001", text="Rewritten in other words. " * 3,
                  paraphrased_by="anthropic/claude")  # fmt: skip
    [row] = build_twins([draft], [left_out], {}, lambda text, end: "effective").rows
    assert (row.twin_of, row.reject_reasons[0], len(row.invariants)) == (item.item_id, NO_ITEM, 12)
    assert wrong_twins([row], {item.item_id}) != []
    assert wrong_twins([row], set()) == []
