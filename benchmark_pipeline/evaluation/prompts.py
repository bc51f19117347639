"""The standard prompt of each task, versioned and sealed.

`prompts/manifest.json` holds the SHA-256 of every template and schema. A file whose bytes differ from the manifest is
refused when prompts are loaded: a change of wording is a new version (`pv2`), and scores are never compared across
versions.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.evaluation import PromptTemplateRow
from benchmark_pipeline.tables.items import TASKS, ItemRow, Task

SEALED = ("template.j2", "schema.json", "notes.md")
"""Files of one version. The template and the schema make its identity; the notes are sealed with them."""

_ENVIRONMENT = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=False)  # noqa: S701 - plain text, not HTML


@dataclass(frozen=True)
class Prompt:
    """One version of one task's prompt."""

    task: Task
    version: str
    template: str
    schema_text: str
    notes: str

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The answer schema."""
        schema: dict[str, Any] = json.loads(self.schema_text)
        return schema

    @cached_property
    def sha256(self) -> str:
        """SHA-256 over template and schema, a zero byte between them."""
        return hashlib.sha256(f"{self.template}\0{self.schema_text}".encode()).hexdigest()

    def messages(self, item: ItemRow) -> list[dict[str, str]]:
        """The messages that ask about one item.

        The item's text stands between two marker lines. The marker is derived from the text's own hash, so a document
        cannot contain it, and the prompt says that what stands between is to be read and not obeyed.
        """
        rendered = self._compiled.render(
            text=item.text.strip(),
            marker=f"=== {item.text_sha256[:8]} ===",
            fiscal_year_end=f"{item.fiscal_year_end:%B} {item.fiscal_year_end.day}, {item.fiscal_year_end.year}"
            if item.fiscal_year_end
            else None,
        )
        return [{"role": "user", "content": rendered}]

    @cached_property
    def _compiled(self) -> jinja2.Template:
        return _ENVIRONMENT.from_string(self.template)

    def row(self) -> PromptTemplateRow:
        """The prompt as a row of `prompt_templates`."""
        return PromptTemplateRow(
            task=self.task, prompt_version=self.version, template=self.template, json_schema=self.schema_text,
            notes=self.notes, sha256=self.sha256,
        )  # fmt: skip


def load_prompts(folder: Path, version: str) -> dict[Task, Prompt]:
    """Every task's prompt of one version, proved against the manifest.

    Raises:
        BenchError: a file is missing, is not in the manifest, or has changed since it was sealed.
    """
    sealed = read_manifest(folder).get(version)
    if sealed is None:
        raise BenchError(
            f"prompt version {version!r} is not in {folder / 'manifest.json'}",
            remedy="set ICFR_BENCH_PROMPT_VERSION to a sealed version, or seal the new one in the manifest",
        )
    prompts: dict[Task, Prompt] = {}
    for task in TASKS:
        texts = {name: _read_sealed(folder, task, version, name, sealed) for name in SEALED}
        prompts[task] = Prompt(task, version, texts["template.j2"], texts["schema.json"], texts["notes.md"])
    return prompts


def read_manifest(folder: Path) -> dict[str, dict[str, str]]:
    """Version -> path below the prompts folder -> SHA-256."""
    try:
        manifest: dict[str, dict[str, str]] = json.loads((folder / "manifest.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BenchError(
            f"the prompt manifest cannot be read: {error}", remedy=f"restore {folder}/manifest.json"
        ) from error
    return manifest


def seal(folder: Path, version: str) -> dict[str, str]:
    """SHA-256 of every file of a version, as the manifest keeps them."""
    return {
        f"{task}/{version}/{name}": hashlib.sha256((folder / task / version / name).read_bytes()).hexdigest()
        for task in TASKS
        for name in SEALED
    }


def _read_sealed(folder: Path, task: Task, version: str, name: str, sealed: dict[str, str]) -> str:
    relative = f"{task}/{version}/{name}"
    try:
        body = (folder / relative).read_bytes()
    except OSError as error:
        raise BenchError(
            f"prompt file {relative} cannot be read: {error}", remedy=f"restore {folder / relative}"
        ) from error
    if hashlib.sha256(body).hexdigest() != sealed.get(relative):
        raise BenchError(
            f"prompt file {relative} is not the one sealed as {version}",
            remedy=f"restore it; a new wording goes to {task}/<next version>/ with every other task's prompt, "
            "and its hashes to manifest.json",
        )
    return body.decode("utf-8")
