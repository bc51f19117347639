"""The prompts that ask for drafts. Their hash is recorded with each draft, so that a new wording is seen."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation.answers import Drafting, answer_schema
from benchmark_pipeline.evaluation.request import canonical_json
from benchmark_pipeline.items.registry import PRINCIPLES

_ENVIRONMENT = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)  # noqa: S701 - plain text, not HTML


@dataclass(frozen=True)
class DraftingPrompt:
    """One drafting prompt with the schema of its answer."""

    task: Drafting
    template: str

    @cached_property
    def schema(self) -> dict[str, Any]:
        """JSON schema of the answer."""
        return answer_schema(self.task)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 over template and schema, a zero byte between them."""
        return hashlib.sha256(f"{self.template}\0{canonical_json(self.schema)}".encode()).hexdigest()

    @property
    def version(self) -> str:
        """Names the wording in the response log."""
        return f"{self.task}-{self.sha256[:12]}"

    def messages(self, shown: dict[str, str], marker: str) -> list[dict[str, str]]:
        """The messages that ask about one passage.

        Args:
            shown: the texts by the name that the template gives them.
            marker: a line that cannot stand in them.
        """
        rendered = self._compiled.render(marker=marker, principles=PRINCIPLES, **shown)
        return [{"role": "user", "content": rendered}]

    @cached_property
    def _compiled(self) -> jinja2.Template:
        return _ENVIRONMENT.from_string(self.template)


def load_prompt(folder: Path, question: Drafting) -> DraftingPrompt:
    """Reads `drafting/<question>.j2` of the prompts folder.

    Raises:
        BenchError: the file is missing or is no template.
    """
    path = folder / "drafting" / f"{question}.j2"
    try:
        template = path.read_text(encoding="utf-8")
        _ENVIRONMENT.parse(template)
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError(f"the drafting prompt cannot be read: {error}", remedy=f"restore {path}") from error
    except jinja2.TemplateSyntaxError as error:
        raise BenchError(f"{path} is no template: {error}", remedy="correct the line it names") from error
    return DraftingPrompt(question, template)
