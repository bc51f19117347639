"""What people decided on evidence: resolutions of ambiguous rows, and E10 entries (enforcement, litigation).

Records come from the append-only review log, which only the review tool writes. A record that names no person, or names
a model, is refused: a label may not be cleared by what is being measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from pydantic import ValidationError

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow, EvidenceAnswerRow

from .questions import asked_sha256, require_person, resolve
from .registrant_record import EXTRACTOR_VERSION

LOG_NAME = "evidence"


def apply_reviews(
    rows: Sequence[ContradictingEvidenceRow], records: Iterable[Mapping[str, Any]]
) -> list[ContradictingEvidenceRow]:
    """The rows with resolutions applied and E10 rows added, from the records of the log.

    Raises:
        BenchError: a record is incomplete, or no person made it.
    """
    kept = list(records)
    entered = [_entered(record) for record in kept if record.get("code") == "E10"]
    by_id = {row.evidence_id: row for row in [*rows, *entered]}
    resolved = resolve_rows(list(by_id.values()), read_answers(kept))
    return sorted(resolved, key=lambda row: row.evidence_id)


def resolve_rows(
    rows: Sequence[ContradictingEvidenceRow], answers: Sequence[EvidenceAnswerRow]
) -> list[ContradictingEvidenceRow]:
    """The rows with the resolution that the answers give, in place of what they hold.

    Only ambiguous evidence can be resolved. An answer whose `text_sha256` is not that of the evidence now was given to
    another text: it stays in the log and has no effect.
    """
    by_question = answers_by_question(answers)
    found = []
    for row in rows:
        resolved = None
        if row.strength == "ambiguous":
            asked = asked_sha256(row)
            resolved = resolve([a for a in by_question.get(row.evidence_id, []) if a.text_sha256 == asked])
        if resolved or row.extracted_by != "human":
            resolution, by = resolved or (None, None)
            found.append(row.model_copy(update={"resolution": resolution, "decided_by": by}))
        else:
            found.append(row)
    return found


def read_answers(records: Iterable[Mapping[str, Any]]) -> list[EvidenceAnswerRow]:
    """Answers of the log, oldest first; entries of E10 are left out.

    Raises:
        BenchError: a record is no answer of a person.
    """
    rows = []
    for number, record in enumerate(records, start=1):
        if record.get("code") == "E10":
            continue
        try:
            row = EvidenceAnswerRow.model_validate(record)
            require_person(row.reviewer)
            rows.append(row)
        except ValidationError as error:
            said = "; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in error.errors())
            raise BenchError(
                f"record {number} of the evidence log is no answer: {said}",
                remedy="correct the record, or append one with the fields that docs/clean_pool.md names",
            ) from error
    return sorted(rows, key=lambda row: row.decided_at)


def standing_rows(rows: Sequence[EvidenceAnswerRow]) -> list[EvidenceAnswerRow]:
    """Answers that were not taken back, the skipped included. One takes back only one's own."""
    undone = {(row.voids, row.reviewer) for row in rows if row.resolution == "undo"}
    return [row for row in rows if row.resolution != "undo" and (row.answer_id, row.reviewer) not in undone]


def answers_by_question(rows: Sequence[EvidenceAnswerRow]) -> dict[str, list[EvidenceAnswerRow]]:
    """The answers that stand and decide, by `evidence_id`, oldest first."""
    found: dict[str, list[EvidenceAnswerRow]] = defaultdict(list)
    for row in standing_rows(rows):
        if row.resolution != "skip":
            found[row.evidence_id].append(row)
    return dict(found)


def unreviewed(rows: Iterable[ContradictingEvidenceRow]) -> list[ContradictingEvidenceRow]:
    """What the rules found, as it was before `apply_reviews`."""
    return [
        row.model_copy(update={"resolution": None, "decided_by": None}) for row in rows if row.extracted_by != "human"
    ]


def _entered(record: Mapping[str, Any]) -> ContradictingEvidenceRow:
    reviewer = str(record.get("reviewer") or "")
    require_person(reviewer)
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
