"""What an evaluation would cost: calls, tokens and an upper bound in US dollars, without making a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .model_registry import ModelEntry
from .request import PlannedCall
from .spending import output_budget

CHARACTERS_PER_TOKEN = 4.0
"""Of English prose with common tokenisers. The estimate is for budgeting; what was used is counted by the provider."""


@dataclass(frozen=True)
class Estimate:
    """The size of a plan for one model."""

    model_id: str
    calls: int
    prompt_tokens: int
    output_tokens_at_most: int
    cost_usd_at_most: float | None
    """Null where the price table has no price."""


def dry_run(calls: Sequence[PlannedCall], model: ModelEntry) -> Estimate:
    """Sizes the given calls; pass what remains of a plan to price a resumed run.

    Retries and discounts are not in it. Outputs are counted at the full token budget, so that the bound holds.
    """
    prompt = sum(round(sum(len(m["content"]) for m in call.messages) / CHARACTERS_PER_TOKEN) for call in calls)
    output = sum(output_budget(call) for call in calls)
    cost = model.price.cost(prompt, output) if model.price else None
    return Estimate(model.name, len(calls), prompt, output, cost)
