"""What a run has cost so far, and whether the next call may be started under a budget.

A call is started only if the budget holds even should every call in flight cost all it can. So a budget is never
exceeded, at the price of a last few calls that would have fitted.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from benchmark_pipeline.errors import ConfigurationError

from .model_registry import ModelEntry
from .request import PlannedCall

FIRST_TOKENS_PER_CHARACTER = 1 / 3
"""Before the provider has counted a prompt; prose has about one token in four characters."""


class Spending:
    """The money of one run of one model, in US dollars.

    Raises:
        ConfigurationError: a budget is set, and what a call costs at most is not known.
    """

    def __init__(self, model: ModelEntry, plan: Sequence[PlannedCall], limit_usd: float | None = None) -> None:
        self._price = model.price
        self._limit = limit_usd if not model.free else None
        self._output = output_budget(plan[0]) if plan else 0
        self._tokens_per_character = FIRST_TOKENS_PER_CHARACTER
        self._reserved = 0.0
        self._ended = asyncio.Condition()
        self.usd = 0.0
        """Answers by their own token counts; a call that ended without a count is charged with all it may cost."""
        if self._limit is not None and plan:
            if self._price is None:
                raise ConfigurationError(
                    f"{model.name} has no price, so a budget cannot be kept", remedy="add `price` in models.yaml"
                )
            if not self._output:
                raise ConfigurationError(
                    f"{model.name} sets no token budget, so a call has no largest cost",
                    remedy="set max_tokens or max_completion_tokens in its parameters in models.yaml",
                )

    def at_most(self, call: PlannedCall) -> float:
        """The most that one attempt of this call may cost."""
        if self._price is None:
            return 0.0
        characters = sum(len(message["content"]) for message in call.messages)
        return self._price.cost(int(characters * self._tokens_per_character) + 1, self._output)

    async def start(self, call: PlannedCall) -> float | None:
        """Reserves an attempt's largest cost, waiting for calls in flight where these may leave room; None: no room."""
        if self._limit is None:
            return 0.0
        async with self._ended:
            while True:
                most = self.at_most(call)
                if self.usd + self._reserved + most <= self._limit:
                    self._reserved += most
                    return most
                if self._reserved <= 1e-12:
                    return None
                await self._ended.wait()

    async def end(
        self, call: PlannedCall, reserved: float, prompt_tokens: int | None, completion_tokens: int | None, sent: bool
    ) -> None:
        """Charges an attempt.

        Args:
            call: The call.
            reserved: What `start` returned.
            prompt_tokens: As the provider counts; null where it did not say.
            completion_tokens: As the provider counts.
            sent: Whether the provider may have worked for it: false for an answer that refuses the request.
        """
        if self._price is not None:
            if prompt_tokens is not None and completion_tokens is not None:
                self.usd += self._price.cost(prompt_tokens, completion_tokens)
                characters = sum(len(message["content"]) for message in call.messages)
                self._tokens_per_character = max(self._tokens_per_character, prompt_tokens / max(characters, 1))
            elif sent:
                self.usd += reserved or self.at_most(call)
        if self._limit is not None:
            async with self._ended:
                self._reserved = max(0.0, self._reserved - reserved)
                self._ended.notify_all()

    def fitting(self, calls: Sequence[PlannedCall]) -> list[PlannedCall]:
        """The first calls that together cannot take the run over its limit; all where there is none."""
        if self._limit is None:
            return list(calls)
        most, fitting = self.usd, []
        for call in calls:
            most += self.at_most(call)
            if most > self._limit:
                break
            fitting.append(call)
        return fitting

    def charge_batch(self, prompt_tokens: int | None, completion_tokens: int | None) -> None:
        """Charges a call of a batch; one that the provider did not answer is not billed."""
        if self._price is not None and prompt_tokens is not None and completion_tokens is not None:
            self.usd += self._price.cost(prompt_tokens, completion_tokens) * self._price.batch_share


def output_budget(call: PlannedCall) -> int:
    """The token budget of a call's answer; 0 where none is set."""
    parameters = json.loads(call.parameters)
    return int(parameters.get("max_completion_tokens") or parameters.get("max_tokens") or 0)
