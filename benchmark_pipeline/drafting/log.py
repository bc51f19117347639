"""The draft log: append-only, one record a draft, the unusable answers among them.

It repeats what the response log of the drafting model holds, bound to the source it was drafted for, so that the item
builders need to know neither models nor prompts. A record is written once: its request key tells it apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from benchmark_pipeline.evaluation.answers import Drafting
from benchmark_pipeline.evaluation.request import PlannedCall
from benchmark_pipeline.evaluation.response_log import Settled
from benchmark_pipeline.items.identity import text_sha256
from benchmark_pipeline.storage import AppendLog
from benchmark_pipeline.tables.base import Sha256, Utc
from benchmark_pipeline.tables.evaluation import Outcome

from .planning import Passage
from .prompts import DraftingPrompt


class DraftRecord(BaseModel):
    """One answer of a drafting model."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    request_key: Sha256
    question: Drafting
    source_ref: str
    """Source of the item, as `candidate_items` names it."""
    text_sha256: Sha256
    """Hash of what the model was shown."""
    shown_sha256: dict[str, Sha256] = {}
    """Hash of each text shown, by its name."""
    drafted_by: str
    """Full id of the model."""
    drafting_prompt_sha256: Sha256
    outcome: Outcome
    outcome_detail: str | None
    content: str | None
    """The answer as it came: JSON where the outcome is `answered`."""
    drafted_at: Utc

    @property
    def why_unusable(self) -> str | None:
        """Outcome and its detail where there is no answer to read."""
        if self.outcome == "answered":
            return None
        return f"{self.outcome} ({self.outcome_detail})" if self.outcome_detail else self.outcome


def read_drafts(folder: Path, question: Drafting) -> list[DraftRecord]:
    """Drafts of one kind, in the order in which they were made."""
    records = (DraftRecord.model_validate(record) for record in AppendLog(folder / question).read())
    unique = {record.request_key: record for record in records}
    return sorted(unique.values(), key=lambda record: (record.drafted_at, record.request_key))


def append_drafts(
    folder: Path,
    prompt: DraftingPrompt,
    plan: Sequence[PlannedCall],
    passages: Iterable[Passage],
    settled: Mapping[str, Settled],
) -> list[DraftRecord]:
    """Writes what the response log has and the draft log has not; also after a kill between the two.

    Args:
        folder: folder of the draft logs.
        prompt: the prompt that was sent.
        plan: calls, one a passage.
        passages: in the order of the plan.
        settled: what the response log says.

    Returns:
        the records written.
    """
    known = {record.request_key for record in read_drafts(folder, prompt.task)}
    log = AppendLog(folder / prompt.task)
    written = []
    try:
        for call, passage in zip(plan, passages, strict=True):
            state = settled.get(call.request_key)
            if state is None or not state.is_result or call.request_key in known:
                continue
            record = DraftRecord(
                request_key=call.request_key,
                question=prompt.task,
                source_ref=passage.item.source_ref,
                text_sha256=passage.text_sha256,
                shown_sha256={name: text_sha256(text) for name, text in passage.shown.items()},
                drafted_by=call.model_id,
                drafting_prompt_sha256=prompt.sha256,
                outcome=state.last.outcome,
                outcome_detail=state.last.outcome_detail,
                content=state.last.content,
                drafted_at=state.last.finished_at,
            )
            log.append(record.model_dump(mode="json"))
            written.append(record)
    finally:
        log.close()
    return written
