"""Whether a provider takes what would be sent, asked of litellm before the first call: it knows each provider's parameters."""

from __future__ import annotations

import re
from typing import Any

from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.evaluation.model_registry import ModelEntry


def check_parameters(litellm: Any, model: ModelEntry, parameters: dict[str, Any]) -> None:
    """Refuses a model whose provider litellm does not know, or that does not take one of the parameters.

    Args:
        litellm: The module.
        model: Whom to ask.
        parameters: What a call would send besides the messages.

    Raises:
        ConfigurationError: the call would fail; the message names the parameter.
    """
    try:
        name, provider, _, _ = litellm.get_llm_provider(model=model.route or model.id, api_base=model.api_base)
    except litellm.BadRequestError as error:
        raise ConfigurationError(
            f"{model.name}: litellm knows no provider {(model.route or model.id).split('/', 1)[0]!r}",
            remedy="set `route` to the provider and name that litellm uses; a server with an OpenAI-compatible API "
            "is `route: openai/<name>` with its `api_base`",
        ) from error
    try:
        litellm.utils.get_optional_params(model=name, custom_llm_provider=provider, **parameters)
    except litellm.UnsupportedParamsError as error:
        told = re.sub(r"^litellm\.UnsupportedParamsError:\s*|\s*To drop .*$", "", str(error), flags=re.DOTALL)
        sent = ", ".join(f"{key}={value!r}" for key, value in parameters.items() if key != "response_format")
        raise ConfigurationError(
            f"{model.name}: the provider does not take what would be sent ({sent}): {told}",
            remedy="correct `parameters` in models.yaml; null leaves one out. None is dropped silently, since that "
            "would change the experiment",
        ) from error
