"""What a provider replied, in one form: a completion, or an error that is an outcome of the call."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from benchmark_pipeline.evaluation.capture import Capture
from benchmark_pipeline.tables.evaluation import Outcome

HEADERS = re.compile(
    r"(x-|openai-|anthropic-)?(request-id|model|version|region|deployment(-name|-id)?|processing-ms|model-id)"
    r"|retry-after(-ms)?|date|server-timing|(x-ratelimit|anthropic-ratelimit)-.+|x-ms-(region|client-request-id)"
    r"|x-ms-deployment-name|azureml-model-(session|deployment)|x-amzn-requestid|apim-request-id|cf-ray"
)
"""Headers that tell which request, served by what and where, under which limits. Cookies and organisation ids are not kept."""


@dataclass(frozen=True)
class Reply:
    """One attempt's reply. `outcome` is set only where no answer text decides it."""

    outcome: Outcome | None = None
    detail: str | None = None
    error: str | None = None
    http_status: int | None = None
    retry_after: float | None = None
    headers: dict[str, str] | None = None
    """The response headers that `HEADERS` names."""
    provider_request_id: str | None = None
    raw_body: str | None = None
    content: str | None = None
    refusal: str | None = None
    finish_reason: str | None = None
    returned_model: str | None = None
    fingerprint: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usage: dict[str, Any] | None = None


def reply_of(response: Any, capture: Capture) -> Reply:
    """A completion. The provider's own words are read from the raw body where it has the OpenAI form.

    litellm maps finish reasons that it does not know to `stop`, and fills in the model that was asked for: both would
    hide what happened.
    """
    body = _parsed(capture.body)
    raw = body if isinstance(body.get("choices"), list) else {}
    choices = raw.get("choices") or []
    choice = choices[0] if choices and isinstance(choices[0], dict) else {}
    mapped = response.choices[0] if response.choices else None
    message = getattr(mapped, "message", None)
    raw_message = choice.get("message") or {}
    usage = raw.get("usage") or _dump(getattr(response, "usage", None))
    if not raw and mapped is None:
        return Reply(outcome="empty", detail="no_choices", http_status=capture.status, raw_body=capture.body)
    return Reply(
        http_status=capture.status,
        headers=_headers(capture),
        provider_request_id=_request_id(capture),
        raw_body=capture.body if capture.body is not None else json.dumps(_dump(response), default=str),
        content=getattr(message, "content", None),
        refusal=raw_message.get("refusal") or getattr(message, "refusal", None),
        finish_reason=choice.get("finish_reason") or _raw_stop_reason(body) or getattr(mapped, "finish_reason", None),
        returned_model=_raw_model(body) or getattr(response, "model", None),
        fingerprint=raw.get("system_fingerprint") or getattr(response, "system_fingerprint", None),
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        usage=usage or None,
    )


def reply_of_error(error: Exception, capture: Capture, retry_after: float | None) -> Reply:
    """An error. A content filter or a prompt beyond the context is an answer of the provider; the rest is transport."""
    status = capture.status if capture.status is not None and capture.status >= 400 else None
    if status is None and capture.status is None:
        # The embedded model and litellm's own refusals raise with a status that no server sent.
        status = getattr(error, "status_code", None) if _is_bad_request(error) else None
    kind = type(error).__name__
    text = str(error)[:2000].encode("utf-8", "backslashreplace").decode()
    code = _error_code(capture.body)
    outcome: Outcome = "transport_fail"
    detail = f"http_{status}" if capture.status else kind
    if kind == "ContentPolicyViolationError" or code in ("content_filter", "content_policy_violation"):
        outcome, detail = "filtered", "input"
    elif kind == "ContextWindowExceededError" or code == "context_length_exceeded":
        # Asking again would end the same way: the model cannot take this item, and that is a result.
        outcome, detail = "refused", "context_length_exceeded"
    elif status is None and capture.status is not None:
        detail = "unreadable_body"
    elif status is None and (known := _below_http(error)) is not None:
        detail = known
    return Reply(
        outcome=outcome, detail=detail, error=f"{kind}: {text}", http_status=status, retry_after=retry_after,
        headers=_headers(capture), provider_request_id=_request_id(capture), raw_body=capture.body,
    )  # fmt: skip


def _below_http(error: Exception) -> str | None:
    """What happened where no reply came; litellm calls a refused connection an internal server error."""
    names = {base.__name__ for base in type(error).__mro__}
    if "Timeout" in names or "APITimeoutError" in names:
        return "timeout"
    return "connection" if names & {"APIConnectionError", "InternalServerError", "ServiceUnavailableError"} else None


def _is_bad_request(error: Exception) -> bool:
    names = {base.__name__ for base in type(error).__mro__}
    return bool(names & {"BadRequestError", "UnsupportedParamsError", "AuthenticationError", "NotFoundError"})


def _parsed(body: str | None) -> dict[str, Any]:
    try:
        value = json.loads(body) if body else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _raw_model(value: dict[str, Any]) -> str | None:
    name = value.get("model") or value.get("modelVersion")
    return name if isinstance(name, str) else None


def _raw_stop_reason(value: dict[str, Any]) -> str | None:
    """Anthropic's `stop_reason`, Google's `finishReason`: only those that change the outcome, else the mapped one serves."""
    candidates = value.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates and isinstance(candidates[0], dict) else {}
    reason = value.get("stop_reason") or first.get("finishReason")
    blocked = value.get("promptFeedback")
    if isinstance(blocked, dict) and blocked.get("blockReason"):
        return "content_filter"
    return reason.lower() if isinstance(reason, str) else None


def _error_code(body: str | None) -> str | None:
    error = _parsed(body).get("error")
    code = error.get("code") or error.get("type") if isinstance(error, dict) else None
    return code if isinstance(code, str) else None


def _headers(capture: Capture) -> dict[str, str] | None:
    return {name: value for name, value in capture.headers.items() if HEADERS.fullmatch(name)} or None


def _request_id(capture: Capture) -> str | None:
    return capture.headers.get("x-request-id") or capture.headers.get("request-id")


def _dump(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    dumped = value.model_dump(mode="json") if hasattr(value, "model_dump") else {}
    return dumped if isinstance(dumped, dict) else {}


def _count(usage: dict[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return value if isinstance(value, int) else None
