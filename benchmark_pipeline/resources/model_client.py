"""Asks models: runs a plan for one model and one task, and keeps every attempt before the next step.

litellm speaks to the providers; retries, time limits, concurrency and the log are ours alone, because libraries that
retry inside retries pay twice and a log in a callback loses the last answers. litellm is imported at the first call: it
costs seconds and every process of a run would pay them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from benchmark_pipeline import progress
from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.evaluation import local_model, preflight
from benchmark_pipeline.evaluation.answers import Question
from benchmark_pipeline.evaluation.baselines import baseline_answers
from benchmark_pipeline.evaluation.capture import capture_body, start_capture
from benchmark_pipeline.evaluation.model_registry import ModelEntry
from benchmark_pipeline.evaluation.outcomes import classify
from benchmark_pipeline.evaluation.planning import request_schema
from benchmark_pipeline.evaluation.request import Asked, PlannedCall
from benchmark_pipeline.evaluation.response_log import Attempt, Known, ResponseLog, remaining
from benchmark_pipeline.evaluation.spending import Spending
from benchmark_pipeline.storage import AppendLog
from benchmark_pipeline.tables.items import ItemRow

from .batches import BatchApi, BatchReply, require_batch_api
from .concurrency import AdaptiveLimit
from .parameters import check_parameters
from .provider_turn import provider_turn
from .replies import Reply, reply_of, reply_of_error
from .retry import LONGEST_RETRY_AFTER_SECONDS, is_retried, retry_after_seconds, wait_seconds

_STOP_AFTER_STATUS = frozenset({401, 403, 404})
"""No other call can succeed: the key, the permission or the model name is wrong."""
_REFUSED_REQUEST = frozenset({400, 422})
_STOP_AFTER_REFUSED_REQUESTS = 10
"""Calls refused as malformed before any was answered: what is sent with every call is at fault, not an item."""
_DOWN_AFTER_FAILURES = 50
"""Calls in a row, each with its retries spent: the provider is down, and going on would only hammer it."""


@dataclass(frozen=True)
class RunSummary:
    """What one run did."""

    planned: int
    calls_made: int
    """Attempts sent in this run; 0 where everything was in the log."""
    answered_before: int
    """Planned calls that had a result already."""
    torn_lines: int
    seconds: float
    lowest_concurrency: int
    spent_usd: float = 0.0
    """Of this run, at list price; 0 where the model has none."""
    stopped_by_budget: bool = False
    """Whether calls were left out because they could have cost more than the budget."""


class ModelClient:
    """Runs plans. One instance serves a process; `close` is not needed between runs."""

    def __init__(self, log_root: Path, *, batch_poll_seconds: float = 30.0) -> None:
        self._log_root = log_root
        self._batch_poll_seconds = batch_poll_seconds
        self.spent_usd = 0.0
        """By all runs of this instance."""

    def log(self, name: str, task: Question) -> ResponseLog:
        """The response log of a task (or drafting question) and a model's run (`ModelEntry.name`)."""
        return ResponseLog(self._log_root, name, task)

    def run(
        self,
        model: ModelEntry,
        prompt: Asked,
        plan: Sequence[PlannedCall],
        items: Sequence[ItemRow],
        *,
        max_cost_usd: float | None = None,
        batch: bool = False,
    ) -> RunSummary:
        """Makes every call of the plan that has no result yet.

        Returns when each has ended, or the budget is used up. Calls whose retries are spent stay `transport_fail`, calls
        that the budget left out `not_run`; both are asked by the next run.

        Args:
            model: Whom to ask.
            prompt: The task's prompt.
            plan: All calls of this model and task.
            items: The asked items of the task; only the baselines read them.
            max_cost_usd: No call is started that could take what this run costs over this many US dollars.
            batch: Whether the provider's batch API is used. A batch that an earlier run submitted is collected first.

        Raises:
            ConfigurationError: the run cannot succeed (see `preflight.check`), the key is refused, or the provider does
                not know the model.
            MissingModelError: the embedded model is not installed.
            BenchError: another model answered than before, or another process is running the same plan.
        """
        started = time.monotonic()
        log = self.log(model.name, prompt.task)
        with log.writing():
            known = log.known()
            torn = log.torn_lines
            todo = remaining(plan, known)
            preflight.check(model, todo, os.environ)
            check_sendable(model, prompt, todo)
            if batch:
                require_batch_api(model)
            runner = _Runner(
                model, prompt, log=log, known=known, plan=plan, spending=Spending(model, todo, max_cost_usd)
            )
            if todo and model.kind == "baseline":
                runner.run_baseline(todo, baseline_answers(model.id, items))
            elif todo:
                try:
                    if batch and not model.free:
                        runner.run_batches(todo, self._batch_poll_seconds)
                    else:
                        with provider_turn(self._log_root, model.account, _what(model, prompt)):
                            asyncio.run(runner.run_model(todo))
                finally:
                    self.spent_usd += runner.spending.usd
        return RunSummary(
            planned=len(plan),
            calls_made=runner.attempts_made,
            answered_before=len(plan) - len(todo),
            torn_lines=torn,
            seconds=time.monotonic() - started,
            lowest_concurrency=runner.limit.lowest if runner.limit else model.concurrency,
            spent_usd=runner.spending.usd,
            stopped_by_budget=runner.stopped_by_budget,
        )


class _Runner:
    """One run of one plan."""

    def __init__(
        self, model: ModelEntry, prompt: Asked, *, log: ResponseLog, known: dict[str, Known],
        plan: Sequence[PlannedCall], spending: Spending,
    ) -> None:  # fmt: skip
        self._model, self._prompt, self._log = model, prompt, log
        self._tried = {key: state.attempts for key, state in known.items()}
        """Attempts of earlier runs."""
        answered = (known[call.request_key].returned_model for call in plan if call.request_key in known)
        self._answering_model: str | None = min((name for name in answered if name), default=None)
        self.limit: AdaptiveLimit | None = None
        self.attempts_made = 0
        self.spending = spending
        self.stopped_by_budget = False
        self._what = _what(model, prompt)
        self._started = self._described = time.monotonic()
        self._failures: Counter[str] = Counter()
        self._done = 0
        self._failures_in_a_row = 0
        self._refused_requests: int | None = 0
        """Calls refused as malformed; null once any call had a result."""
        self._stopped_by: BenchError | None = None

    def run_baseline(self, todo: Sequence[PlannedCall], answers: dict[str, str]) -> None:
        for call in todo:
            now = datetime.now(UTC)
            reply = Reply(content=answers[call.item_id], finish_reason="stop", raw_body=answers[call.item_id],
                          returned_model=self._model.id)  # fmt: skip
            self._record(call, reply, 1, started_at=now, latency=0.0, final=True)
            self._advance(len(todo))

    async def run_model(self, todo: Sequence[PlannedCall]) -> None:
        self._started = time.monotonic()
        ask = _embedded(self._model) if self._model.local else _remote(self._model)
        # The embedded model answers one caller at a time; more in flight would only wait inside its lock.
        self.limit = AdaptiveLimit(1 if self._model.local else self._model.concurrency)
        queue = iter(todo)
        async with ask, _synced(self._log), asyncio.TaskGroup() as group:
            for _ in range(min(self.limit.maximum, len(todo))):
                group.create_task(self._worker(queue, len(todo), ask))
        if self._stopped_by is not None:
            raise self._stopped_by

    def run_batches(self, todo: Sequence[PlannedCall], poll_seconds: float) -> None:
        log = AppendLog(self._log.folder / "batches")
        api = BatchApi(self._model, log, litellm_module(), _connection(self._model), poll_seconds=poll_seconds)
        by_key = {call.request_key: call for call in todo}

        def tell(text: str) -> None:
            progress.describe(self._what, text)
            progress.advance(self._what, self._done, len(todo))

        def keep(replies: Sequence[BatchReply]) -> None:
            for one in replies:
                # What was recorded before a kill is not recorded again, and another plan's calls are not this one's.
                if (call := by_key.pop(one.request_key, None)) is not None:
                    self._record(call, one.reply, 1, started_at=datetime.now(UTC), latency=None, final=True,
                                 batch_id=one.batch_id)  # fmt: skip
                    self._tried[call.request_key] = self._tried.get(call.request_key, 0) + 1
                    self.spending.charge_batch(one.reply.prompt_tokens, one.reply.completion_tokens)
                    self._advance(len(todo))
            self._log.sync()
            api.done(replies)
            for one in replies:
                self._stop_if_hopeless(one.reply)

        try:
            earlier = api.resume(tell)
            answered = {one.request_key for one in earlier if one.reply.outcome != "transport_fail"}
            keep(earlier)
            rest = [call for call in todo if call.request_key not in answered]
            fitting = self.spending.fitting(rest)
            self.stopped_by_budget = len(fitting) < len(rest)
            by_key.update({call.request_key: call for call in fitting})
            if fitting:
                keep(api.submit(fitting, request_parameters(self._model, self._prompt), tell))
        finally:
            log.close()

    async def _worker(self, queue: Iterator[PlannedCall], total: int, ask: _Asking) -> None:
        for call in queue:
            try:
                await self._settle(call, ask)
            except BenchError as error:
                # The other workers finish the calls that they have in flight: those are paid and their answers kept.
                self._stopped_by = self._stopped_by or error
            if self._stopped_by is not None or self.stopped_by_budget:
                return
            self._advance(total)

    async def _settle(self, call: PlannedCall, ask: _Asking) -> None:
        """Attempts one call until it has a result or its retries are spent."""
        assert self.limit is not None  # noqa: S101 - set by run_model
        waited = 0.0
        for number in range(1, self._model.max_attempts + 1):
            async with self.limit.slot():
                reserved = await self.spending.start(call)
                if reserved is None:
                    self.stopped_by_budget = True
                    return
                started_at, clock = datetime.now(UTC), time.monotonic()
                reply = await self._attempt(call, ask)
                latency = time.monotonic() - clock
                wait = wait_seconds(number, reply.retry_after)
                again = (
                    reply.outcome == "transport_fail"
                    and is_retried(reply.http_status)
                    and number < self._model.max_attempts
                    and waited + wait <= self._model.max_wait_seconds
                    and (reply.retry_after or 0) <= LONGEST_RETRY_AFTER_SECONDS
                )
                self._record(call, reply, number, started_at=started_at, latency=latency, final=not again)
                await self.spending.end(
                    call, reserved, reply.prompt_tokens, reply.completion_tokens, sent=reply.http_status is None
                )
                if reply.http_status == 429:
                    self.limit.refused(reply.retry_after if again else None)
                else:
                    self.limit.succeeded()
            self._stop_if_hopeless(reply)
            if not again:
                self._failures_in_a_row = self._failures_in_a_row + 1 if reply.outcome == "transport_fail" else 0
                self._stop_if_down(reply)
                return
            waited += wait
            await asyncio.sleep(wait)
            if self._stopped_by is not None or self.stopped_by_budget:
                return

    async def _attempt(self, call: PlannedCall, ask: _Asking) -> Reply:
        capture = start_capture()
        try:
            # Hard: a connection that stalls between bytes outlives every read timeout.
            async with asyncio.timeout(self._model.timeout_seconds):
                response = await ask(call.messages, request_parameters(self._model, self._prompt))
        except TimeoutError:
            return Reply(outcome="transport_fail", detail="timeout", error=f"no reply in {self._model.timeout_seconds:g} s",
                         raw_body=capture.body)  # fmt: skip
        except BenchError:
            raise
        except Exception as error:  # whatever a provider's client raises is an outcome of this call
            return reply_of_error(error, capture, retry_after_seconds(capture.headers.get("retry-after")))
        return reply_of(response, capture)

    def _record(self, call: PlannedCall, reply: Reply, number: int, *, started_at: datetime, latency: float | None, final: bool,
                batch_id: str | None = None) -> None:  # fmt: skip
        outcome, detail = reply.outcome, reply.detail
        if outcome is None:
            verdict = classify(
                call.task, content=reply.content, finish_reason=reply.finish_reason, refusal=reply.refusal
            )
            outcome, detail = verdict.outcome, verdict.detail
        self.attempts_made += 1
        if outcome != "answered":
            self._failures[(detail or outcome) if outcome == "transport_fail" else outcome] += 1
        self._log.append(
            Attempt(
                request_key=call.request_key,
                run_id=call.run_id,
                model_id=call.model_id,
                task=call.task,
                item_id=call.item_id,
                prompt_version=call.prompt_version,
                prompt_sha256=call.prompt_sha256,
                parameters=call.parameters,
                schema_enforcement=call.schema_enforcement,
                attempt=self._tried.get(call.request_key, 0) + number,
                final=final,
                outcome=outcome,
                outcome_detail=detail,
                http_status=reply.http_status,
                headers=reply.headers,
                provider_request_id=reply.provider_request_id,
                retry_after_seconds=reply.retry_after,
                error=_redacted(reply.error, self._model),
                raw_body=_redacted(reply.raw_body, self._model),
                content=_redacted(reply.content, self._model),
                finish_reason=reply.finish_reason,
                returned_model=reply.returned_model,
                fingerprint=reply.fingerprint,
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
                usage=reply.usage,
                batch_id=batch_id,
                latency_seconds=round(latency, 6) if latency is not None else None,
                started_at=started_at,
                finished_at=datetime.now(UTC),
            )
        )

    def _stop_if_hopeless(self, reply: Reply) -> None:
        if reply.http_status in _STOP_AFTER_STATUS or reply.detail == "UnsupportedParamsError":
            raise ConfigurationError(
                f"{self._model.id}: no call can succeed ({reply.detail}): {_redacted(reply.error, self._model)}",
                remedy=f"check the key in {self._model.api_key_env or 'the environment'}, the model id, api_base "
                "and the parameters; answers already given are kept",
            )
        if reply.returned_model is None:
            return
        if not self._model.is_answered_as(reply.returned_model):
            raise BenchError(
                f"{self._model.id}: {reply.returned_model!r} answered, which is not the model that was asked for",
                remedy="name the model that answers, or set `answers_as` in models.yaml where the provider calls the "
                "same model so; the answers so far are kept in the log",
            )
        if self._answering_model is None:
            self._answering_model = reply.returned_model
        elif self._answering_model != reply.returned_model:
            raise BenchError(
                f"{self._model.id}: {reply.returned_model!r} answered, and {self._answering_model!r} before it",
                remedy="results of two models cannot be one run: set the next `repeat` of this model in models.yaml "
                "to ask everything again; the answers so far are kept in the log",
            )

    def _stop_if_down(self, reply: Reply) -> None:
        if reply.outcome != "transport_fail":
            self._refused_requests = None
        elif reply.http_status in _REFUSED_REQUEST and self._refused_requests is not None:
            self._refused_requests += 1
            if self._refused_requests >= _STOP_AFTER_REFUSED_REQUESTS:
                raise ConfigurationError(
                    f"{self._model.id}: the provider refuses every request ({reply.detail}): "
                    f"{_redacted(reply.error, self._model)}",
                    remedy="correct what it names in models.yaml: `parameters`, `schema_keywords: basic` where it refuses "
                    "bounds of strings, or `schema_enforcement`; nothing was answered",
                )
        if self._failures_in_a_row >= _DOWN_AFTER_FAILURES:
            raise BenchError(
                f"{self._model.id}: {self._failures_in_a_row} calls in a row failed, the last with {reply.detail}: "
                f"{_redacted(reply.error, self._model)}",
                remedy="run again when the provider answers; answers already given are kept and not asked again",
            )

    def _advance(self, total: int) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._described >= 0.2 or self._done == total:
            self._described = now
            left = (now - self._started) / self._done * (total - self._done)
            price = f"${self.spending.usd:,.4f}" if self._model.price and not self._model.free else ""
            failed = ", ".join(f"{count} {kind}" for kind, count in self._failures.most_common(4))
            progress.describe(self._what, " · ".join(part for part in (f"{left:.0f} s left", price, failed) if part))
        progress.advance(self._what, self._done, total)


def _what(model: ModelEntry, prompt: Asked) -> str:
    """Names the work to `progress`; a bar shows the first 20 characters."""
    return f"task {prompt.task} of {model.name}"


def request_parameters(model: ModelEntry, prompt: Asked) -> dict[str, Any]:
    """Parameters of a call as litellm takes them, with the schema where the provider is asked to enforce it."""
    parameters = model.call_parameters(prompt.task)
    if model.schema_enforcement == "json_schema":
        schema = {"name": f"icfr_task_{prompt.task.lower()}", "strict": True, "schema": request_schema(model, prompt)}
        parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif model.schema_enforcement == "json_object":
        parameters["response_format"] = {"type": "json_object"}
    return parameters


def check_sendable(model: ModelEntry, prompt: Asked, calls: Sequence[PlannedCall]) -> None:
    """Refuses calls that the provider would not take as they are.

    Raises:
        ConfigurationError: litellm does not know the provider, or the provider does not take a parameter.
    """
    if calls and model.kind == "model" and model.local is None:
        check_parameters(litellm_module(), model, request_parameters(model, prompt))


class _Asking(contextlib.AbstractAsyncContextManager["_Asking"]):
    """A way to ask one model: open while a run lasts, called with messages and parameters."""

    def __init__(self, fixed: dict[str, Any], open_client: Callable[[], tuple[Any, Callable[[], Any]]] | None) -> None:
        self._fixed = fixed
        self._open = open_client
        self._close: Callable[[], Any] | None = None

    async def __aenter__(self) -> _Asking:
        if self._open is not None:
            self._fixed["client"], self._close = self._open()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._close is not None:
            await self._close()

    async def __call__(self, messages: list[dict[str, str]], parameters: dict[str, Any]) -> Any:
        return await litellm_module().acompletion(messages=messages, **self._fixed, **parameters)


def _embedded(model: ModelEntry) -> _Asking:
    local_model.server()  # a missing package is told before the first call, with the command that installs it
    litellm_module()
    local_model.register_with_litellm()
    return _Asking({"model": f"{local_model.PROVIDER}/{model.local}", "max_retries": 0, "num_retries": 0}, None)


def _remote(model: ModelEntry) -> _Asking:
    route = model.route or model.id
    _spare_price_lookups(litellm_module(), route)
    connection = _connection(model)
    fixed: dict[str, Any] = {
        "model": route, **connection, "timeout": model.timeout_seconds, "max_retries": 0, "num_retries": 0,
    }  # fmt: skip

    def open_client() -> tuple[Any, Callable[[], Any]]:
        from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

        handler = AsyncHTTPHandler(timeout=model.timeout_seconds, event_hooks={"response": [_keep_body]})
        if not route.startswith("openai/"):
            return handler, handler.close
        from openai import AsyncOpenAI

        client = AsyncOpenAI(api_key=connection["api_key"], base_url=model.api_base, http_client=handler.client,
                             max_retries=0, timeout=model.timeout_seconds)  # fmt: skip
        return client, handler.close

    return _Asking(fixed, open_client)


def _spare_price_lookups(litellm: Any, route: str) -> None:
    """Tells litellm that a model which it does not know is free.

    It would look for the price seven times a call, in vain and uncached, which is a sixth of its time. Nothing here reads
    its prices: costs follow models.yaml.
    """
    provider, _, name = route.partition("/")
    if provider == "openai" and name not in litellm.model_cost and route not in litellm.model_cost:
        litellm.model_cost[name] = {
            "litellm_provider": provider, "mode": "chat", "input_cost_per_token": 0, "output_cost_per_token": 0,
            "supports_response_schema": True,
        }  # fmt: skip


def _connection(model: ModelEntry) -> dict[str, Any]:
    """Key and address, as litellm takes them."""
    key = os.environ.get(model.api_key_env) if model.api_key_env else None
    return {"api_key": key or "not-needed", **({"api_base": model.api_base} if model.api_base else {})}


@contextlib.asynccontextmanager
async def _synced(log: ResponseLog, every_seconds: float = 0.1) -> AsyncIterator[None]:
    """Syncs the log to disk while calls go on, on a thread: a sync can take longer than the call that it keeps."""

    async def keep_syncing() -> None:
        while True:
            await asyncio.sleep(every_seconds)
            await asyncio.to_thread(log.sync)

    syncing = asyncio.create_task(keep_syncing())
    try:
        yield
    finally:
        syncing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await syncing


async def _keep_body(response: Any) -> None:
    """Keeps the body as received; httpx calls it for every response, errors included."""
    body = await response.aread()
    capture_body(
        body.decode("utf-8", "backslashreplace"),
        status=response.status_code,
        headers={name.lower(): value for name, value in response.headers.items()},
    )


@cache
def litellm_module() -> Any:
    """litellm, imported at the first call and without its look-ups on the network."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    # A parameter that a provider does not take is an error: dropping it would change the experiment without a word.
    litellm.drop_params = False
    return litellm


def _redacted(text: str | None, model: ModelEntry) -> str | None:
    """The text without the key, which some servers repeat in their error messages."""
    key = os.environ.get(model.api_key_env) if model.api_key_env else None
    return text.replace(key, "[key]") if text and key and len(key) >= 8 else text
