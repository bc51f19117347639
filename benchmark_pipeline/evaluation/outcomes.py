"""How a call ended: exactly one outcome, decided from what the provider returned.

The rules are strict on purpose. An answer is JSON of the task's schema and nothing around it; a fenced block is a
parse failure of its own kind, so that a reader sees what salvage would have bought, and nothing is salvaged.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from benchmark_pipeline.tables.evaluation import Outcome

from .answers import ANSWERS, Answer, Question

_FENCE = re.compile(r"^\s*```[A-Za-z]*\s*\n?(.*?)\n?\s*```\s*$", re.DOTALL)
_FILTERED = frozenset({"content_filter", "safety", "blocklist", "prohibited_content", "spii", "recitation"})
_TRUNCATED = frozenset({"length", "max_tokens", "model_length"})


@dataclass(frozen=True)
class Verdict:
    """An outcome with its kind, and the answer where there is one."""

    outcome: Outcome
    detail: str | None = None
    answer: Answer | None = None


class NotStrictJsonError(ValueError):
    """Text that a lenient reader would take for JSON, and RFC 8259 does not (NaN, a repeated key)."""


def classify(task: Question, *, content: str | None, finish_reason: str | None, refusal: str | None = None) -> Verdict:
    """The outcome of a completed call.

    Order: what the provider says about the answer comes before the answer. A truncated answer is `truncated` even
    where its text would parse, because the token budget is our parameter and not the model's answer.
    """
    reason = (finish_reason or "").lower()
    if reason in _FILTERED:
        return Verdict("filtered", reason)
    if refusal or reason == "refusal":
        return Verdict("refused", "refusal_field" if refusal else "finish_reason")
    if reason in _TRUNCATED:
        return Verdict("truncated", "no_content" if not (content or "").strip() else None)
    if content is None or not content.strip():
        return Verdict("empty", f"finish_reason={reason or 'none'}")
    return read_answer(task, content)


def read_answer(task: Question, content: str) -> Verdict:
    """Reads one answer against its question's schema."""
    try:
        value = strict_json(content)
    except NotStrictJsonError as error:
        return Verdict("parse_fail", str(error))
    except (ValueError, RecursionError):
        return Verdict("parse_fail", "fenced" if _is_fenced_json(content) else "not_json")
    try:
        return Verdict("answered", None, ANSWERS[task].model_validate(value))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        path = ".".join(str(part) for part in first["loc"]) or "$"
        # A model may send a field name of any length or any characters: the detail is a label, not a copy.
        return Verdict("schema_fail", f"{path[:60].encode('ascii', 'replace').decode()}: {first['type']}")


def strict_json(text: str) -> Any:
    """Parses JSON as RFC 8259 has it: no NaN or Infinity, no repeated key, nothing after the value.

    Raises:
        NotStrictJsonError: it is JSON only to a lenient reader.
        ValueError: it is not JSON.
    """
    return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise NotStrictJsonError("duplicate_key")
    return value


def _no_constant(name: str) -> Any:
    raise NotStrictJsonError("not_a_number")


def _is_fenced_json(text: str) -> bool:
    match = _FENCE.match(text)
    if match is None:
        return False
    try:
        json.loads(match.group(1))
    except (ValueError, RecursionError):
        return False
    return True
