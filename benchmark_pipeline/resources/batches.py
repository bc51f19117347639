"""A provider's batch API through litellm: submitted once, polled, collected, and found again after a kill.

The log of batches is a log of intentions: a token is written before a batch is created and travels in its metadata. So a
process that is killed between the provider's yes and its own next line still finds the batch, and pays for it once.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.evaluation.capture import Capture
from benchmark_pipeline.evaluation.model_registry import ModelEntry
from benchmark_pipeline.evaluation.request import PlannedCall
from benchmark_pipeline.storage import AppendLog

from .replies import Reply, reply_of, reply_of_error

PROVIDERS = ("openai", "azure", "hosted_vllm", "litellm_proxy")
"""Routes whose batches take requests in the OpenAI form, carry our token in their metadata and can be listed.

litellm also submits to Vertex AI, Bedrock, Mistral and xAI, in forms of their own. Without the token a batch that was
created and not logged could not be found again, and would be paid twice.
"""
LARGEST = 10_000
"""Calls in one batch; providers take 50,000 and files of 100 to 200 MB."""
TOKEN = "icfr_bench_submission"  # noqa: S105 - the name of a metadata field
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


class BatchRequestError(Exception):
    """One request of a batch that the provider answered with an error."""


@dataclass(frozen=True)
class Batch:
    """A submission of the log."""

    token: str
    request_keys: tuple[str, ...]
    batch_id: str | None


@dataclass(frozen=True)
class BatchReply:
    """How one request of a batch ended."""

    request_key: str
    batch_id: str
    reply: Reply


class BatchApi:
    """The batches of one model and task."""

    def __init__(self, model: ModelEntry, log: AppendLog, litellm: Any, connection: dict[str, Any], *,
                 poll_seconds: float = 30.0) -> None:  # fmt: skip
        self._route = model.route or model.id
        self._provider = self._route.split("/", 1)[0]
        self._name, self._log, self._litellm, self._poll = model.name, log, litellm, poll_seconds
        self._connection = {**connection, "custom_llm_provider": self._provider}

    def resume(self, tell: Callable[[str], None]) -> list[BatchReply]:
        """Replies of every batch that an earlier run submitted and did not collect."""
        replies = []
        for batch in self.open():
            found = batch if batch.batch_id else self._find(batch)
            if found is None:
                self._log.append({"event": "collected", "token": batch.token, "status": "never_submitted"})
            else:
                replies += self._collect(found, tell)
        return replies

    def submit(
        self, calls: Sequence[PlannedCall], parameters: dict[str, Any], tell: Callable[[str], None]
    ) -> list[BatchReply]:
        """Submits the calls, waits for them and returns their replies, one a call."""
        batches = []
        for start in range(0, len(calls), LARGEST):
            batches.append(self._create(calls[start : start + LARGEST], parameters))
        replies = []
        for batch in batches:
            replies += self._collect(batch, tell)
        return replies

    def done(self, replies: Sequence[BatchReply]) -> None:
        """Closes the batches whose replies are all in the response log: only now need nobody ask for them again."""
        collected = {reply.batch_id for reply in replies}
        for batch in self.open():
            if batch.batch_id in collected:
                self._log.append({"event": "collected", "token": batch.token, "status": "recorded"})

    def open(self) -> list[Batch]:
        """Submissions that were not collected, oldest first."""
        keys: dict[str, tuple[str, ...]] = {}
        ids: dict[str, str] = {}
        for record in self._log.read():
            if record["event"] == "intent":
                keys[record["token"]] = tuple(record["request_keys"])
            elif record["event"] == "submitted":
                ids[record["token"]] = record["batch_id"]
            else:
                keys.pop(record["token"], None)
        return [Batch(token, request_keys, ids.get(token)) for token, request_keys in keys.items()]

    def _create(self, calls: Sequence[PlannedCall], parameters: dict[str, Any]) -> Batch:
        name = self._route.split("/", 1)[1]
        lines = [
            json.dumps({"custom_id": call.request_key, "method": "POST", "url": "/v1/chat/completions",
                        "body": {"model": name, "messages": call.messages, **parameters}})
            for call in calls
        ]  # fmt: skip
        batch = Batch(uuid.uuid4().hex, tuple(call.request_key for call in calls), None)
        file = self._ask("create_file", file=(f"{batch.token}.jsonl", "\n".join(lines).encode()), purpose="batch")
        self._log.append({"event": "intent", "token": batch.token, "request_keys": batch.request_keys})
        created = self._ask("create_batch", completion_window="24h", endpoint="/v1/chat/completions", input_file_id=file.id,
                metadata={TOKEN: batch.token}
        )  # fmt: skip
        self._log.append({"event": "submitted", "token": batch.token, "batch_id": created.id})
        return Batch(batch.token, batch.request_keys, created.id)

    def _find(self, batch: Batch) -> Batch | None:
        """The batch that the provider has under our token, if the submission reached it."""
        after: str | None = None
        while True:
            page = self._ask("list_batches", limit=100, after=after)
            for known in page.data:
                if (known.metadata or {}).get(TOKEN) == batch.token:
                    self._log.append({"event": "submitted", "token": batch.token, "batch_id": known.id})
                    return Batch(batch.token, batch.request_keys, known.id)
            if not page.data or not getattr(page, "has_more", False):
                return None
            after = page.data[-1].id

    def _collect(self, batch: Batch, tell: Callable[[str], None]) -> list[BatchReply]:
        while True:
            state = self._ask("retrieve_batch", batch_id=batch.batch_id)
            counts = state.request_counts
            tell(
                f"batch {batch.batch_id}: {state.status}"
                + (f", {counts.completed} of {counts.total}" if counts else "")
            )
            if state.status in _ENDED:
                break
            time.sleep(self._poll)
        if state.status == "failed":
            self._log.append({"event": "collected", "token": batch.token, "status": "failed"})
            errors = getattr(state.errors, "data", None) or []
            told = "; ".join(str(error.message) for error in errors[:3]) or "no reason given"
            raise BenchError(
                f"{self._name}: the provider refused batch {batch.batch_id}: {told}",
                remedy="correct the entry in models.yaml and run again: nothing of this batch was answered",
            )
        return list(self._replies(batch, state))

    def _replies(self, batch: Batch, state: Any) -> Iterator[BatchReply]:
        left = dict.fromkeys(batch.request_keys)
        for file_id in (state.output_file_id, state.error_file_id):
            if file_id is None:
                continue
            content = self._ask("file_content", file_id=file_id)
            for key, reply in _read(content.content):
                if key in left:
                    del left[key]
                    yield BatchReply(key, str(batch.batch_id), reply)
        for key in left:
            missing = Reply(outcome="transport_fail", detail=f"batch_{state.status}", error="not in the batch's files")
            yield BatchReply(key, str(batch.batch_id), missing)

    def _ask(self, what: str, **arguments: Any) -> Any:
        # Litellm's asynchronous forms keep clients that belong to an event loop; a poll needs no concurrency.
        try:
            return getattr(self._litellm, what)(**arguments, **self._connection)
        except Exception as error:  # whatever a provider's client raises
            raise BenchError(
                f"{self._name}: the batch API failed: {type(error).__name__}: {str(error)[:500]}",
                remedy="run again: a batch that was submitted is found and collected, not paid again",
            ) from error


def require_batch_api(model: ModelEntry) -> None:
    """Refuses a model whose provider has no batch API here.

    Raises:
        ConfigurationError: the route is none of `PROVIDERS`.
    """
    provider = (model.route or model.id).split("/", 1)[0]
    if not model.free and provider not in PROVIDERS:
        raise ConfigurationError(
            f"{model.name}: batches are sent in the OpenAI form, to {' or '.join(PROVIDERS)}, and not to {provider}",
            remedy="run it without --batch",
        )


def _read(body: bytes) -> Iterator[tuple[str, Reply]]:
    for line in body.splitlines():
        if not line.strip():
            continue
        record = json.loads(line)
        response = record.get("response") or {}
        answer = response.get("body")
        status = response.get("status_code")
        headers = {"x-request-id": response["request_id"]} if response.get("request_id") else {}
        capture = Capture(json.dumps(answer) if answer is not None else json.dumps(record), status, headers)
        if status == 200 and isinstance(answer, dict):
            yield record["custom_id"], reply_of(_completion(answer), capture)
        else:
            error = record.get("error") or (answer or {}).get("error") or {}
            yield record["custom_id"], reply_of_error(BatchRequestError(str(error.get("message"))), capture, None)


def _completion(body: dict[str, Any]) -> Any:
    """The completion as attributes, as `reply_of` reads one that litellm returned."""
    choices = [
        SimpleNamespace(
            message=SimpleNamespace(**(choice.get("message") or {})), finish_reason=choice.get("finish_reason")
        )
        for choice in body.get("choices") or []
    ]
    return SimpleNamespace(choices=choices, model=body.get("model"))
