"""Which models are evaluated: `models.yaml`, read strictly.

A model is named by a full, dated identifier. An alias is refused, because what stands behind it changes without notice
and a result could not be repeated.
"""

from __future__ import annotations

import json
import re
from datetime import date
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

from benchmark_pipeline import yaml_text
from benchmark_pipeline.errors import ConfigurationError

from .answers import Question, token_budget

Enforcement = Literal["json_schema", "json_object", "none", "not_applicable"]

_PINNED = re.compile(
    r"(-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{4}|-\d{6}|-\d{3})(-v\d+(:\d+)?)?$"  # a date, or a numbered release
    r"|@(sha256:)?[0-9a-f]{8,64}$"  # the content of the weights, or a revision
    r"|@\d{8}$"
)
_DATED_TAIL = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$")
BASELINE_PREFIX = "baseline/"


class Price(BaseModel):
    """List price in US dollars for a million tokens, with where and when it was read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input_per_million: float = Field(ge=0)
    output_per_million: float = Field(ge=0)
    batch_share: float = Field(default=1.0, gt=0, le=1)
    """Share of these prices that a call costs through the batch API, as the provider states it."""
    as_of: date
    source: str

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Cost of one call in US dollars, before any discount."""
        return (prompt_tokens * self.input_per_million + completion_tokens * self.output_per_million) / 1e6


class TrainingCutoff(BaseModel):
    """Last day of the training data, as the maker states it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    day: date | None
    """Null where the maker does not state one."""
    source: str
    read_on: date


class ModelEntry(BaseModel):
    """One model or baseline of `models.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*/[^\s,|#]+$", max_length=150)]
    """`<provider>/<full dated name>`. No comma, bar or hash: the id is part of a partition key."""
    kind: Literal["model", "baseline"] = "model"
    enabled: bool = True
    """Whether the default run asks this model."""
    route: str | None = None
    """Model string for litellm where it differs from the id: `openai/<name>` reaches any OpenAI-compatible server."""
    api_base: str | None = None
    """Base URL of an OpenAI-compatible server."""
    answers_as: str | None = None
    """What the provider calls the model in its replies, where that is neither the id nor the route."""
    api_key_env: str | None = None
    """Environment variable that holds the key; the key itself never stands in a file."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Sent with every call. `max_tokens` defaults to the task's budget; null leaves a parameter out."""
    schema_enforcement: Enforcement = "json_schema"
    """What the provider is asked to enforce."""
    schema_keywords: Literal["full", "basic"] = "full"
    """`basic` sends the schema without string bounds, for providers that refuse them."""
    concurrency: int = Field(default=8, ge=1, le=512)
    """Calls in flight at most; lowered while the provider answers 429."""
    timeout_seconds: float = Field(default=120, gt=0)
    """Of one attempt, hard."""
    max_attempts: int = Field(default=6, ge=1, le=20)
    max_wait_seconds: float = Field(default=600, gt=0)
    """Longest total wait between the attempts of one call."""
    repeat: int = Field(default=0, ge=0)
    """Another number asks everything again, as another run that stands beside the first."""
    context_tokens: int | None = Field(default=None, ge=1)
    """Longest prompt and answer together; null takes what litellm's bundled list says of the model."""
    over_context: Literal["stop", "ask"] = "stop"
    """An item beyond the context: `stop` says so before anything is paid, `ask` sends it and records the refusal."""
    price: Price | None = None
    training_cutoff: TrainingCutoff | None = None
    local: Literal["smollm2-135m-instruct-q4_1"] | None = None
    """Embedded weights that answer this model."""

    @field_validator("parameters")
    @classmethod
    def _no_secrets(cls, value: dict[str, Any]) -> dict[str, Any]:
        if found := [name for name in value if re.search(r"key|token$|secret|authorization|password", name, re.I)]:
            raise ValueError(f"{found[0]!r} does not belong in a file: name the variable in api_key_env")
        return value

    @model_validator(mode="after")
    def _full_identifier(self) -> ModelEntry:
        if self.kind == "baseline":
            if not self.id.startswith(BASELINE_PREFIX):
                raise ValueError(f"a baseline is called {BASELINE_PREFIX}<rule>, not {self.id!r}")
            return self
        if self.id.startswith(BASELINE_PREFIX):
            raise ValueError(f"{self.id!r} needs `kind: baseline`")
        if not is_pinned(self.id):
            raise ValueError(_alias_message(self.id))
        return self

    @property
    def name(self) -> str:
        """Names one run of the model, and its partition: the id, and `#<repeat>` for another than the first."""
        return f"{self.id}#{self.repeat}" if self.repeat else self.id

    @property
    def free(self) -> bool:
        """Whether calls cost nothing, whatever is asked."""
        return self.kind == "baseline" or self.local is not None

    def is_answered_as(self, returned: str) -> bool:
        """Whether a reply that names this model comes from the model that was asked for.

        A server of one's own (`api_base`) may call what it serves anything, so there any name will do as long as it stays
        the same, unless `answers_as` says which.
        """
        if self.answers_as is not None:
            return returned == self.answers_as
        if self.kind == "baseline" or self.local is not None or self.api_base is not None:
            return True
        known = {_bare_name(name) for name in (self.id, self.route) if name is not None}
        return _bare_name(returned) in known

    @property
    def provider(self) -> str:
        """First part of the id."""
        return self.id.split("/", 1)[0]

    @property
    def account(self) -> str | None:
        """Whose rate limits the calls count against: the server of `api_base`, else the provider; null for baselines."""
        if self.kind == "baseline":
            return None
        if self.api_base is not None:
            return urlsplit(self.api_base).netloc or self.api_base
        return (self.route or self.id).split("/", 1)[0]

    @property
    def enforcement(self) -> Enforcement:
        """What is asked for; a baseline has nothing to enforce."""
        return "not_applicable" if self.kind == "baseline" else self.schema_enforcement

    def call_parameters(self, task: Question) -> dict[str, Any]:
        """Parameters of a call: the task's token budget, then what the entry sets, without nulls."""
        merged = {"max_tokens": token_budget(task), **self.parameters}
        return {name: value for name, value in merged.items() if value is not None}


class Registry(BaseModel):
    """`models.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: list[ModelEntry]

    @model_validator(mode="after")
    def _unique(self) -> Registry:
        names = [entry.name for entry in self.models]
        if repeated := sorted({i for i in names if names.count(i) > 1}):
            raise ValueError(f"{repeated[0]!r} is there twice; a repeated run of a model sets another `repeat`")
        return self

    def get(self, name: str) -> ModelEntry:
        """The entry of a model's run: `<id>`, or `<id>#<repeat>`.

        Raises:
            ConfigurationError: there is none.
        """
        for entry in self.models:
            if entry.name == name:
                return entry
        model_id = name.partition("#")[0]
        remedy = f"add it, or use one of: {', '.join(entry.name for entry in self.models)}"
        dated = [entry.name for entry in self.models if entry.id.startswith(f"{model_id}-")]
        if dated:
            remedy = f"it is an alias and names no fixed model; give the full dated identifier: {', '.join(dated)}"
        elif not model_id.startswith(BASELINE_PREFIX) and not is_pinned(model_id) and dated_forms(model_id):
            remedy = _alias_message(model_id)
        raise ConfigurationError(f"model {name!r} is not in models.yaml", remedy=remedy)

    @property
    def enabled(self) -> list[str]:
        """Names of the models of a default run, in file order."""
        return [entry.name for entry in self.models if entry.enabled]


def load_registry(path: Path) -> Registry:
    """Reads `models.yaml`.

    Raises:
        ConfigurationError: the file is missing, is not YAML, or an entry is wrong; the message names the entry.
    """
    try:
        raw = yaml_text.load(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error}", remedy="set ICFR_BENCH_MODELS_FILE") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{path} is not YAML: {error}", remedy="correct the line it names") from error
    try:
        return Registry.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        loc, name = first["loc"], ""
        if len(loc) > 1 and loc[0] == "models" and isinstance(loc[1], int):
            entry = raw["models"][loc[1]]
            name = f" ({entry.get('id', 'no id')})" if isinstance(entry, dict) else ""
        where = ".".join(str(part) for part in loc) or "the file"
        raise ConfigurationError(f"{path}: {where}{name}: {first['msg'].removeprefix('Value error, ')}",
                                 remedy="correct the entry; docs/models.md shows every field") from error  # fmt: skip


def is_pinned(model_id: str) -> bool:
    """Whether an id names one fixed model: it ends in a date, a numbered release or a content hash."""
    return bool(_PINNED.search(model_id)) and "latest" not in model_id.lower()


def dated_forms(alias: str) -> list[str]:
    """Dated identifiers that litellm's bundled model list knows for an alias, newest first."""
    provider, _, name = alias.rpartition("/")
    name = re.sub(r"-latest$", "", name)
    known = {key.rsplit("/", 1)[-1] for key in known_models() if key.count("/") <= 1}
    dated = [key for key in known if key.startswith(name) and _DATED_TAIL.fullmatch(key[len(name) :])]
    return [f"{provider}/{key}" if provider else key for key in sorted(dated, reverse=True)]


@cache
def known_models() -> dict[str, dict[str, Any]]:
    """The model list bundled with litellm: context, prices, abilities; empty where litellm is not installed."""
    # Read as a file: importing litellm costs seconds.
    spec = find_spec("litellm")
    folders = list(spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        path = Path(folder) / "model_prices_and_context_window_backup.json"
        if path.is_file():
            known: dict[str, dict[str, Any]] = json.loads(path.read_text("utf-8"))
            return known
    return {}


def known_model(model: ModelEntry) -> dict[str, Any]:
    """What litellm's bundled list says of one model; empty where it does not know it."""
    if model.api_base is not None:
        return {}  # a server of one's own serves what it likes under a known name
    route = model.route or model.id
    return known_models().get(route) or known_models().get(route.split("/", 1)[-1]) or {}


def _bare_name(name: str) -> str:
    """A model's name without provider, region or revision: `models/gemini-x`, `azure/us/gpt-x` and `x@rev` lose those."""
    return name.rsplit("/", 1)[-1].partition("@")[0].lower()


def _alias_message(model_id: str) -> str:
    forms = dated_forms(model_id)
    example = (
        f"such as {', '.join(forms[:3])}" if forms else "ending in a date, a release number or @<hash of the weights>"
    )
    return f"{model_id!r} is an alias and names no fixed model: give the full dated identifier, {example}"
