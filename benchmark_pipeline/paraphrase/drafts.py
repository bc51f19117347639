"""Authored paraphrases: the draft file, and the twins made of drafts and verbatim items.

A draft file is a YAML list of {accession, cik, text, paraphrased_by}. A draft belongs to the Task C item of that
filing; it is usable only where every blocking invariant holds, and a person still has to accept it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from benchmark_pipeline import yaml_text
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.identity import item_id, text_sha256
from benchmark_pipeline.items.labeled import twin_item
from benchmark_pipeline.items.masking import Names, mask_names
from benchmark_pipeline.items.reviews import review_states
from benchmark_pipeline.tables.base import Accession, Cik
from benchmark_pipeline.tables.items import InvariantResult, ItemReviewRow, ItemRow, ParaphraseRow

from .checks import Judgements, failed, invariants

NO_ITEM = "verbatim_item_not_in_set"
"""Reject reason of a draft whose filing is no candidate of Task C, or one that was left out."""
ANOTHER_TWIN = "another_twin_is_used"
"""Reject reason of a draft that would do, where an earlier one of the same section does already."""
UNREADABLE = "draft_unreadable"
"""Begins the reject reason of a model's answer that holds no draft; what became of the call follows."""
ReadLabel = Callable[[str, date | None], str]
"""The rule that reads management's conclusion from a section, given the fiscal year end."""


class Draft(BaseModel):
    """One paraphrase, by a person or a model."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    accession: Accession
    """Annual report."""
    cik: Cik
    """Registrant."""
    text: Annotated[str, StringConstraints(min_length=40, strip_whitespace=True)]
    """The rewritten section, names masked."""
    paraphrased_by: Annotated[str, StringConstraints(min_length=3)]
    """Model (or `human`) that rewrote it."""
    drafting_prompt_sha256: str | None = None
    """Prompt of the drafting model, where one is recorded."""
    problem: str | None = None
    """Why a model's answer cannot be used; an authored draft has none."""


@dataclass
class Twins:
    """Twins of all drafts, usable or rejected: `rows + repeats = drafts`."""

    rows: list[ParaphraseRow] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    """`<accession> <cik>` of drafts whose verbatim item is not in the set."""
    repeats: int = 0
    """Drafts of a section whose text another draft of it has already."""


def load_drafts(folder: Path | None) -> list[Draft]:
    """Reads every `*.yaml` of a folder; None gives no drafts.

    Raises:
        BenchError: a file or an entry is not what the model asks for, or a filing has two drafts.
    """
    drafts: dict[tuple[str, str], Draft] = {}
    for path in sorted(folder.glob("*.yaml")) if folder else []:
        for number, entry in enumerate(_entries(path), start=1):
            where = f"{path.name}, entry {number}"
            try:
                draft = Draft.model_validate(entry)
            except ValidationError as error:
                problems = "; ".join(f"{'.'.join(map(str, p['loc'])) or 'entry'}: {p['msg']}" for p in error.errors())
                raise BenchError(f"{where}: {problems}", remedy="correct this entry") from error
            key = (draft.accession, draft.cik)
            if key in drafts:
                raise BenchError(f"{where}: {key[0]} has a draft already", remedy="keep one draft a filing")
            drafts[key] = draft
    return [drafts[key] for key in sorted(drafts)]


def _entries(path: Path) -> list[Any]:
    try:
        content = yaml_text.load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BenchError(f"paraphrase file {path} is not readable YAML: {error}", remedy="correct the file") from error
    if content is not None and not isinstance(content, list):
        raise BenchError(f"paraphrase file {path} holds a {type(content).__name__}", remedy="make it a list of entries")
    return content or []


def build_twins(
    drafts: Iterable[Draft],
    items: Sequence[ItemRow],
    names: Mapping[tuple[str, str], Names],
    read_label: ReadLabel,
    judged: Judgements = MappingProxyType({}),
) -> Twins:
    """Checks every draft against its verbatim item.

    Args:
        drafts: authored paraphrases.
        items: candidates; a draft is compared with the verbatim Task C candidate of its filing, and can be usable
            only where that candidate was accepted.
        names: names to mask, by (accession, cik).
        read_label: rule that reads the label of a section.
        judged: opinions of a judge model on twins.
    """
    originals = {(item.accession, item.cik): item for item in items if item.task == "C" and item.arm == "verbatim"}
    twins = Twins()
    seen: set[str] = set()
    for draft in drafts:
        original = originals.get((draft.accession, draft.cik))
        results: list[InvariantResult] = []
        if original is not None:
            filing_names = names.get((draft.accession, draft.cik), Names(None))
            classify = partial(_read, read_label, original.fiscal_year_end)
            results = invariants(mask_names(original.text, filing_names), draft.text, filing_names, classify, judged)
        reasons = [*([f"{UNREADABLE}: {draft.problem}"] if draft.problem else []), *failed(results)]
        if original is None or original.reject_reason is not None:
            twins.unmatched.append(f"{draft.accession} {draft.cik}")
            reasons = [NO_ITEM, *reasons]
        source_ref = original.source_ref if original else f"{draft.accession} {draft.cik} controls section"
        own_id = item_id("C", source_ref, draft.text or f"no text by {draft.paraphrased_by}", "paraphrase")
        if own_id in seen:
            twins.repeats += 1
            continue
        seen.add(own_id)
        twins.rows.append(
            ParaphraseRow(
                item_id=own_id,
                twin_of=original.item_id if original else None,
                arm="paraphrase",
                text=draft.text,
                text_sha256=text_sha256(draft.text),
                paraphrased_by=draft.paraphrased_by,
                drafting_prompt_sha256=draft.drafting_prompt_sha256,
                invariants=results,
                status="rejected" if reasons else "usable",
                reject_reasons=reasons,
                review_status="pending",
            )
        )
    return twins


def _read(read_label: ReadLabel, fiscal_year_end: date | None, text: str) -> str:
    return read_label(text, fiscal_year_end)


def with_review_status(
    rows: Iterable[ParaphraseRow], decisions: Sequence[ItemReviewRow], items: Sequence[ItemRow]
) -> list[ParaphraseRow]:
    """Twins with the state that the human decisions on their present text give them."""
    twins = list(rows)
    by_id = {item.item_id: item for item in items}
    as_items = [twin_item(by_id[twin.twin_of], twin) for twin in twins if twin.twin_of in by_id]
    states, _ = review_states(decisions, as_items)
    return [
        twin.model_copy(update={"review_status": states[twin.item_id].status}) if twin.item_id in states else twin
        for twin in twins
    ]


def one_twin_an_item(rows: Iterable[ParaphraseRow]) -> list[ParaphraseRow]:
    """Leaves one usable twin an item: the first that no reviewer rejected, in the order given.

    Two wordings of one section would count the section twice in the paired comparison.
    """
    decided, taken = list(rows), set()
    for rejected in (False, True):
        for index, row in enumerate(decided):
            if row.status == "usable" and (row.review_status == "rejected") == rejected:
                if row.twin_of in taken:
                    decided[index] = row.model_copy(update={"status": "rejected", "reject_reasons": [ANOTHER_TWIN]})
                taken.add(row.twin_of)
    return decided
