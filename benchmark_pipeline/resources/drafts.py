"""Asks a drafting model, and appends what came back to the draft log. The command line and the assets share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark_pipeline.drafting.log import DraftRecord, append_drafts
from benchmark_pipeline.drafting.planning import Passage, plan_drafts
from benchmark_pipeline.drafting.prompts import DraftingPrompt
from benchmark_pipeline.evaluation.model_registry import ModelEntry

from .model_client import ModelClient, RunSummary


@dataclass(frozen=True)
class Drafted:
    """What one drafting run did."""

    summary: RunSummary
    written: list[DraftRecord]
    """Drafts that were not in the log before."""


def draft(
    client: ModelClient,
    model: ModelEntry,
    prompt: DraftingPrompt,
    passages: Sequence[Passage],
    folder: Path,
    *,
    max_cost_usd: float | None = None,
    batch: bool = False,
) -> Drafted:
    """Makes every call that has no result yet; what was answered before a failure is kept as a draft too.

    Args:
        client: whose response log keeps every attempt.
        model: who drafts.
        prompt: the question.
        passages: what is asked about, in order: a budget cuts off the end.
        folder: of the draft logs.
        max_cost_usd: as in `ModelClient.run`.
        batch: as in `ModelClient.run`.

    Raises:
        BenchError: as `ModelClient.run`; a baseline drafts nothing.
    """
    plan = plan_drafts(passages, model, prompt)
    log = client.log(model.name, prompt.task)
    try:
        summary = client.run(model, prompt, plan, [], max_cost_usd=max_cost_usd, batch=batch)
    except BaseException:
        append_drafts(folder, prompt, plan, passages, log.settled())
        raise
    return Drafted(summary, append_drafts(folder, prompt, plan, passages, log.settled()))
