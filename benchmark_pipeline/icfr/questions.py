"""What waits for a person: the open questions on ambiguous evidence, and the record of an answer.

A question is open while its evidence is the only thing between the filing and a clean label. Until it is answered the
filing is excluded, so an empty queue is never needed to publish, and an unanswered question never makes a label.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow, EvidenceAnswerRow

Resolution = Literal["upholds", "dismissed"]
Kind = Literal["onset", "periods", "withdrawn_notice", "auditor_event"]


@dataclass(frozen=True)
class Option:
    """An answer that can be given."""

    resolution: Resolution
    label: str
    effect: str


@dataclass(frozen=True)
class Question:
    """One open question on one annual report."""

    question_id: str
    """`contradicting_evidence.evidence_id`."""
    kind: Kind
    asked: str
    """The question in words."""
    accession: str
    """Annual report that it is about."""
    cik: str
    form: str
    period_end: date | None
    evidence_accession: str
    """Filing that holds the evidence."""
    evidence_form: str
    evidence_filed_date: date
    locator: Span | None
    """The sentence and its place; null where the conclusion alone is known."""
    text_sha256: str
    """Version of what is asked: an answer to another version is void."""
    options: tuple[Option, ...]

    @property
    def evidence_text(self) -> str | None:
        """The sentence that the question turns on."""
        return self.locator.quote if self.locator else None


_ASKED: dict[Kind, str] = {
    "onset": "A later report states a material weakness and not since when. Did it exist on {end}?",
    "periods": "This notice says that statements should not be relied on. Do the periods it names touch the fiscal year ended {end}?",
    "withdrawn_notice": "A later amendment takes this notice back. Does the notice still stand against the fiscal year ended {end}?",
    "auditor_event": "The report on the change of auditors names a weakness and no period. Did it exist on {end}?",
}
_OPTIONS = (
    Option("upholds", "Yes, or it cannot be ruled out", "the filing stays excluded"),
    Option("dismissed", "No, the documents rule it out", "the evidence no longer stands against the filing"),
)


def open_questions(evidence: Iterable[ContradictingEvidenceRow], pool: Iterable[CleanPoolRow]) -> list[Question]:
    """Questions whose answers decide something, ordered by annual report and evidence.

    A filing against which direct evidence stands is not asked about, nor is one that another rule decides first.
    """
    waiting = {
        (row.accession, row.cik): row
        for row in pool
        if row.reason == "subsequent_mw_onset_unstated" or (row.reason or "").startswith("contradicted_")
    }
    about: dict[tuple[str, str], list[ContradictingEvidenceRow]] = defaultdict(list)
    for row in evidence:
        about[row.accession, row.cik].append(row)
    questions = []
    for key in sorted(waiting):
        rows = about[key]
        settled = any(
            row.strength == "direct" or (row.strength == "ambiguous" and row.resolution == "upholds") for row in rows
        )
        if not settled:
            open_rows = [row for row in rows if row.strength == "ambiguous" and row.resolution is None]
            questions += [_question(row, waiting[key]) for row in sorted(open_rows, key=lambda row: row.evidence_id)]
    return questions


def answered_questions(evidence: Iterable[ContradictingEvidenceRow], pool: Iterable[CleanPoolRow]) -> list[Question]:
    """Questions that people have answered and the answer of which is applied, in the order of `open_questions`."""
    filings = {(row.accession, row.cik): row for row in pool}
    rows = [row for row in evidence if row.strength == "ambiguous" and row.resolution is not None]
    return [
        _question(row, filings[row.accession, row.cik])
        for row in sorted(rows, key=lambda row: (row.accession, row.cik, row.evidence_id))
        if (row.accession, row.cik) in filings
    ]


def _question(row: ContradictingEvidenceRow, filing: CleanPoolRow) -> Question:
    kind = _kind(row)
    return Question(
        question_id=row.evidence_id,
        kind=kind,
        asked=_ASKED[kind].format(end=filing.period_end or "the fiscal year end"),
        accession=row.accession,
        cik=row.cik,
        form=filing.form,
        period_end=filing.period_end,
        evidence_accession=row.evidence_accession,
        evidence_form=row.evidence_form,
        evidence_filed_date=row.evidence_filed_date,
        locator=row.locator,
        text_sha256=asked_sha256(row),
        options=_OPTIONS,
    )


def _kind(row: ContradictingEvidenceRow) -> Kind:
    if row.code == "E8":
        return "onset"
    if row.code == "E6":
        return "auditor_event"
    return "periods" if row.match == "period_unparsed" else "withdrawn_notice"


def asked_sha256(row: ContradictingEvidenceRow) -> str:
    """Digest of what a reviewer is shown: the evidence, how it is tied to the year, and the sentence."""
    place = row.locator
    shown = [row.evidence_id, row.code, row.match]
    shown += [place.document_sha256, str(place.start), str(place.end), place.quote] if place else []
    return hashlib.sha256("\n".join(shown).encode()).hexdigest()


def answer(
    question: Question,
    resolution: Resolution,
    *,
    reviewer: str,
    reason: str,
    decided_at: datetime | None = None,
    seconds: float | None = None,
) -> EvidenceAnswerRow:
    """The record of an answer; the caller appends it to the log.

    Raises:
        BenchError: no person is named, the reason is missing, or the answer is not one of the options.
    """
    if resolution not in {option.resolution for option in question.options}:
        raise BenchError(f"{resolution!r} is no answer to {question.question_id}", remedy="answer upholds or dismissed")
    require_person(reviewer)
    if not reason.strip():
        raise BenchError(
            f"the answer to {question.question_id} needs a reason", remedy="say what in the documents decides"
        )
    return EvidenceAnswerRow(
        answer_id=new_answer_id(), evidence_id=question.question_id, text_sha256=question.text_sha256,
        resolution=resolution, reviewer=reviewer.strip(), reason=reason.strip(), seconds=seconds,
        decided_at=decided_at or datetime.now(UTC),
    )  # fmt: skip


def new_answer_id() -> str:
    """Id of a new answer."""
    return f"e-{uuid.uuid4().hex}"


def require_person(reviewer: str) -> None:
    """Refuses an answer without a person behind it; the review tool refuses the ids of known models as well.

    Raises:
        BenchError: the name is empty or has the form `vendor/model`.
    """
    if not reviewer.strip() or "/" in reviewer:
        raise BenchError(
            f"evidence review names no person: reviewer {reviewer!r}",
            remedy="record the reviewer's own id; a model cannot review",
        )


def resolve(answers: Sequence[EvidenceAnswerRow]) -> tuple[Resolution, str] | None:
    """What the answers that stand to one question, oldest first, amount to, and who gave them; None without any.

    Of one reviewer the latest counts. Over reviewers `upholds` outweighs `dismissed`: a label needs agreement.
    """
    latest = {row.reviewer.strip(): row.resolution for row in answers}
    if not latest:
        return None
    resolution: Resolution = "upholds" if "upholds" in latest.values() else "dismissed"
    return resolution, ", ".join(sorted(name for name, said in latest.items() if said == resolution))
