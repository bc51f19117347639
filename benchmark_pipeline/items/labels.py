"""Drafted labels of deficiencies: the label file, and a loader whose errors name file and entry.

A label file is a YAML list. Each entry labels one passage: a material weakness of an annual report (`accession` and
`ordinal`) or one Single Audit finding (`report_id` and `reference_number`). A drafted label is a proposal; it becomes
truth by a human decision in the review log and by nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from benchmark_pipeline import yaml_text
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.base import Accession
from benchmark_pipeline.tables.items import Component

from .registry import canonical, component_of_citation, is_registered

EVIDENCE_WORDS = (5, 60)
"""Length of an evidence quote in words, both ends included."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class WeaknessSource(_Strict):
    """A material weakness of an annual report."""

    accession: Accession
    """Annual report."""
    ordinal: int = Field(ge=1)
    """Position in the filing, from 1."""

    @property
    def key(self) -> str:
        """The source in one string."""
        return f"{self.accession}#{self.ordinal}"


class FindingSource(_Strict):
    """A Single Audit finding."""

    report_id: str
    """FAC report id."""
    reference_number: str
    """Finding reference within the report."""

    @property
    def key(self) -> str:
        """The source in one string."""
        return f"{self.report_id}#{self.reference_number}"


class Label(_Strict):
    """The drafted label of one passage."""

    source: WeaknessSource | FindingSource
    """The passage."""
    component: Component
    """Primary COSO component, by the root cause as stated."""
    components_accepted: list[Component] = Field(default_factory=list)
    """All acceptable components; the primary is always among them."""
    citation: str | None = None
    """Primary reference, `COSO-<1..17>` or `AS2201.<paragraph>`; null where none is proposed."""
    citations_accepted: list[str] = Field(default_factory=list, max_length=3)
    """Acceptable references in order; the primary is always the first."""
    evidence_quote: str | None = None
    """Words of the passage that carry the answer, verbatim."""
    root_cause_stated: bool
    """The passage states a cause and not only an error."""
    touches_itgc: bool = False
    """IT general controls are involved."""
    drafted_by: Annotated[str, StringConstraints(min_length=3)]
    """`human`, or the model that drafted the label."""

    @model_validator(mode="after")
    def _consistent(self) -> Label:
        for citation in self.citations:
            if not is_registered(citation):
                raise ValueError(f"citation {citation!r} is not in the registry of references")
        principle = component_of_citation(self.citation) if self.citation else None
        if principle is not None and principle not in self.components:
            raise ValueError(f"citation {self.citation} belongs to {principle}, which is not an accepted component")
        if self.citation is not None and self.evidence_quote is None:
            raise ValueError("a citation needs an evidence_quote")
        if self.evidence_quote is not None:
            words = len(self.evidence_quote.split())
            if not EVIDENCE_WORDS[0] <= words <= EVIDENCE_WORDS[1]:
                raise ValueError(f"evidence_quote has {words} words, wanted {EVIDENCE_WORDS[0]} to {EVIDENCE_WORDS[1]}")
        return self

    def fits(self, passage: str) -> bool:
        """Whether the evidence quote stands in the passage, white space folded; without a quote nothing contradicts.

        A quote that is not there shows that the label was drafted for another passage.
        """
        return self.evidence_quote is None or " ".join(self.evidence_quote.split()) in " ".join(passage.split())

    @property
    def components(self) -> list[Component]:
        """Accepted components, primary first, each once."""
        return list(dict.fromkeys([self.component, *self.components_accepted]))

    @property
    def citations(self) -> list[str]:
        """Accepted references, primary first, each once."""
        given = [*([self.citation] if self.citation else []), *self.citations_accepted]
        return list(dict.fromkeys(canonical(citation) or citation for citation in given))


@dataclass(frozen=True)
class ProposedLabel:
    """What a model proposed for one source: a label, or the reason why its answer is none."""

    key: str
    """Source, as `Label.source.key` gives it."""
    drafted_by: str
    label: Label | None
    refused: str | None


class Labels:
    """All drafted labels by source."""

    def __init__(self, labels: dict[str, Label], refused: dict[str, str] | None = None) -> None:
        self._labels = labels
        self._refused = refused or {}

    def with_proposals(self, proposals: Iterable[ProposedLabel]) -> Labels:
        """Adds models' proposals: what stands in a label file comes first, then the earliest that is a label."""
        labels, refused = dict(self._labels), dict(self._refused)
        for proposal in proposals:
            if proposal.label is not None:
                labels.setdefault(proposal.key, proposal.label)
            elif proposal.refused is not None:
                refused[proposal.key] = f"the label of {proposal.drafted_by} is refused: {proposal.refused}"
        return Labels(labels, {key: why for key, why in refused.items() if key not in labels})

    @property
    def refused(self) -> dict[str, str]:
        """Why the proposals for a source were refused, where it has no label."""
        return dict(self._refused)

    def __len__(self) -> int:
        return len(self._labels)

    def of_weakness(self, accession: str, ordinal: int) -> Label | None:
        """Label of a material weakness."""
        return self._labels.get(f"{accession}#{ordinal}")

    def of_finding(self, report_id: str, reference_number: str) -> Label | None:
        """Label of a Single Audit finding."""
        return self._labels.get(f"{report_id}#{reference_number}")

    def keys(self) -> set[str]:
        """Sources that have a label."""
        return set(self._labels)


def source_of(source_ref: str) -> dict[str, Any]:
    """The source of a weakness's or finding's item, as a label file writes it."""
    if " finding " in source_ref:
        report, _, reference = source_ref.partition(" finding ")
        return {"report_id": report, "reference_number": reference}
    passage, _, ordinal = source_ref.partition(" weakness ")
    return {"accession": passage.split()[0], "ordinal": int(ordinal)}


def source_key(source_ref: str) -> str:
    """The key of that source, as `Label.source.key` gives it."""
    return "#".join(str(value) for value in source_of(source_ref).values())


def load_labels(folder: Path | None) -> Labels:
    """Reads every `*.yaml` of a folder.

    Args:
        folder: folder of label files; None gives no labels.

    Raises:
        BenchError: a file or an entry is not what the model asks for, or a source is labelled twice.
    """
    labels: dict[str, Label] = {}
    origin: dict[str, str] = {}
    for path in sorted(folder.glob("*.yaml")) if folder else []:
        for where, entry in _entries(path):
            label = _label(where, entry)
            key = label.source.key
            if key in labels:
                raise BenchError(
                    f"{where}: {key} is labelled already, in {origin[key]}", remedy="keep one entry a source"
                )
            labels[key], origin[key] = label, where
    return Labels(labels)


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        content = yaml_text.load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BenchError(f"label file {path} is not readable YAML: {error}", remedy="correct the file") from error
    if content is None:
        return
    if not isinstance(content, list):
        raise BenchError(f"label file {path} holds a {type(content).__name__}", remedy="make it a list of entries")
    for number, entry in enumerate(content, start=1):
        yield f"{path.name}, entry {number}", entry


def _label(where: str, entry: Any) -> Label:
    try:
        return Label.model_validate(entry)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc']) or 'entry'}: {problem['msg']}"
            for problem in error.errors()
        )
        source = entry.get("source") if isinstance(entry, dict) else None
        raise BenchError(f"{where} (source {source}): {problems}", remedy="correct this entry") from error
