"""A judge model's opinion whether twin and original say the same: two questions a pair, advisory, never a gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmark_pipeline.evaluation.outcomes import read_answer
from benchmark_pipeline.items.masking import Names, mask_names
from benchmark_pipeline.paraphrase.checks import Entailment
from benchmark_pipeline.tables.items import ItemRow, ParaphraseRow

from .log import DraftRecord
from .planning import Passage


def pairs_to_judge(
    twins: Iterable[ParaphraseRow],
    items: Iterable[ItemRow],
    names: Mapping[tuple[str, str], Names],
    limit: int | None = None,
) -> list[Passage]:
    """Both directions of every twin that passed its checks, original first as premise, then as hypothesis."""
    by_id = {item.item_id: item for item in items}
    passages = []
    for twin in sorted(twins, key=lambda twin: twin.item_id):
        original = by_id.get(twin.twin_of or "")
        if original is None or twin.status != "usable":
            continue
        masked = mask_names(original.text, names.get((original.accession or "", original.cik or ""), Names(None)))
        passages += [
            Passage(original, {"premise": masked, "hypothesis": twin.text}),
            Passage(original, {"premise": twin.text, "hypothesis": masked}),
        ]
    return passages[: None if limit is None else 2 * limit]


def judgements(records: Sequence[DraftRecord]) -> dict[tuple[str, str], Entailment]:
    """Opinions by hash of premise and of hypothesis; of several the latest."""
    found = {}
    for record in records:
        verdict = read_answer("entailment", record.content or "") if record.why_unusable is None else None
        if verdict is not None and verdict.answer is not None:
            key = (record.shown_sha256["premise"], record.shown_sha256["hypothesis"])
            found[key] = Entailment(verdict.answer.probability, record.drafted_by)  # type: ignore[attr-defined]
    return found
