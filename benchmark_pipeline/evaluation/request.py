"""Identity of a request: the same request is never paid twice.

The key is a SHA-256 over canonical JSON of everything that can move the answer. It holds no attempt number (a retry is
the same request) and no dataset version (an item whose text did not change was already asked).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from benchmark_pipeline.tables.items import Arm

from .answers import Question


@dataclass(frozen=True)
class RequestIdentity:
    """What makes two requests the same."""

    provider: str
    model_id: str
    run_id: str
    parameters: str
    """Canonical JSON of every parameter sent, the schema enforcement included."""
    prompt_sha256: str
    """Of the messages sent: template, fiscal year end and text are all in it."""
    schema_sha256: str
    """Of the answer schema sent."""
    item_id: str
    text_sha256: str

    @property
    def key(self) -> str:
        """The request key: SHA-256 over canonical JSON of the fields above."""
        return sha256_of(asdict(self))


class Asked(Protocol):
    """What a prompt tells the client beside its messages: which question it is, and the schema of the answer."""

    @property
    def task(self) -> Question:
        """The question."""
        ...

    @property
    def version(self) -> str:
        """Version of its wording."""
        ...

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of the answer."""
        ...


@dataclass(frozen=True)
class PlannedCall:
    """One call that has to end in exactly one outcome."""

    request_key: str
    run_id: str
    model_id: str
    task: Question
    item_id: str
    arm: Arm
    prompt_version: str
    prompt_sha256: str
    parameters: str
    schema_enforcement: str
    messages: list[dict[str, str]]


def canonical_json(value: Any) -> str:
    """Sorted keys, no spaces, ASCII: equal values give equal bytes. Changing this changes every key."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def sha256_of(value: Any) -> str:
    """SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()


def run_id(settings: Mapping[str, Any], repeat: int) -> str:
    """Names one run of a model over all tasks.

    The same settings and repeat always give the same id, so a killed run resumes itself; other parameters (a raised
    token budget) or another repeat make another run.
    """
    return f"r{repeat}-{sha256_of(dict(settings))[:10]}"


def name_of_run(model_id: str, run: str) -> str:
    """The name (`ModelEntry.name`) of the run that a row with this model and run id belongs to."""
    repeat = run.partition("-")[0].removeprefix("r")
    return model_id if repeat == "0" else f"{model_id}#{repeat}"
