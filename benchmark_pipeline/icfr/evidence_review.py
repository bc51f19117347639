"""What people decided on evidence: resolutions of ambiguous rows, and E10 entries (enforcement, litigation).

Records come from the append-only review log, which only the review tool writes. A record that names no person, or names
a model, is refused: a label may not be cleared by what is being measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow

from .questions import asked_sha256, require_person, resolve
from .registrant_record import EXTRACTOR_VERSION

LOG_NAME = "evidence"


def apply_reviews(
    rows: Sequence[ContradictingEvidenceRow], records: Iterable[Mapping[str, Any]]
) -> list[ContradictingEvidenceRow]:
    """The rows with resolutions applied and E10 rows added.

    Only ambiguous evidence can be dismissed: a resolution on direct evidence is an error, and so is a record about a row
    that does not exist. An answer whose `text_sha256` is not that of the evidence now was given to another text: it
    stays in the log and has no effect. Several reviewers: `questions.resolve`.

    Raises:
        BenchError: a record is incomplete, made by a model, or about evidence that nobody may resolve.
    """
    by_id = {row.evidence_id: row for row in rows}
    answers: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        reviewer = str(record.get("reviewer") or "")
        require_person(reviewer)
        if record.get("code") == "E10":
            entry = _entered(record, reviewer)
            by_id[entry.evidence_id] = entry
            continue
        identity, resolution, asked = (record.get(name) for name in ("evidence_id", "resolution", "text_sha256"))
        row = by_id.get(str(identity))
        if asked is not None and (row is None or row.strength != "ambiguous" or asked != asked_sha256(row)):
            continue
        if row is None or row.strength != "ambiguous" or resolution not in ("upholds", "dismissed"):
            what = "no such evidence" if row is None else f"{row.strength} evidence, resolution {resolution!r}"
            raise BenchError(
                f"evidence review of {identity}: {what}",
                remedy="resolve ambiguous evidence as 'upholds' or 'dismissed'",
            )
        answers[row.evidence_id].append(record)
    for identity, given in answers.items():
        if resolved := resolve(given):
            update = {"resolution": resolved[0], "decided_by": resolved[1]}
            by_id[identity] = by_id[identity].model_copy(update=update)
    return [by_id[identity] for identity in sorted(by_id)]


def unreviewed(rows: Iterable[ContradictingEvidenceRow]) -> list[ContradictingEvidenceRow]:
    """What the rules found, as it was before `apply_reviews`."""
    return [
        row.model_copy(update={"resolution": None, "decided_by": None}) for row in rows if row.extracted_by != "human"
    ]


def _entered(record: Mapping[str, Any], reviewer: str) -> ContradictingEvidenceRow:
    try:
        accession, cik = str(record["accession"]), str(record["cik"])
        evidence_accession = str(record["evidence_accession"])
        filed = date.fromisoformat(str(record["evidence_filed_date"]))
    except (KeyError, ValueError) as error:
        raise BenchError(
            f"E10 entry cannot be used: {error}",
            remedy="give accession, cik, evidence_accession, evidence_form, evidence_filed_date (YYYY-MM-DD) and reviewer",
        ) from error
    return ContradictingEvidenceRow(
        evidence_id=f"{accession}:{cik}:E10:{evidence_accession}",
        accession=accession,
        cik=cik,
        code="E10",
        strength="direct",
        match="named_year",
        evidence_accession=evidence_accession,
        evidence_form=str(record.get("evidence_form") or "AAER"),
        evidence_filed_date=filed,
        locator=None,
        icfr_reports_withdrawn=False,
        extracted_by="human",
        decided_by=reviewer,
        resolution="upholds",
        extractor_version=EXTRACTOR_VERSION,
    )
