"""E5, E7, E8 from quarterly reports that were filed after the annual report and before the next one.

A weakness that a quarterly report puts at the earlier year end is direct (E5). One that an event after the year end made
is counter-evidence (E7). A quarterly report that says ineffective and not since when is ambiguous (E8), as the next annual
report would be: the weakness may be gone by then, and the question about the year end stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow
from benchmark_pipeline.tables.sources import FilingIndexRow

from .date_lists import date_lists
from .evidence_sentences import (
    HYPOTHETICAL,
    MATERIAL_WEAKNESS,
    NO_WEAKNESS,
    NOT_EFFECTIVE,
    DocumentText,
    Sentence,
    sentences,
)
from .onset import onset
from .periods import same_period_end
from .registrant_record import Reader, RegistrantRecord, evidence_row
from .report_facts import Report

_Found = tuple[DocumentText, Sentence]


def interim_evidence(record: RegistrantRecord, assertion: Report, reader: Reader) -> Iterator[ContradictingEvidenceRow]:
    """At most one row a quarterly report, the strongest that its sentences give."""
    if not record.with_role("quarterly"):
        return
    following = record.later_reports(assertion)
    until = following[0].filed_date if following else None
    for filing in record.with_role("quarterly"):
        if not (filing.accession and filing.filed_date) or filing.filed_date <= assertion.filed_date:
            continue
        if until is not None and filing.filed_date >= until:
            continue
        found = _strongest(record, assertion, filing, _weakness_sentences(reader.documents(filing.accession)))
        if found:
            code, strength, (document, sentence) = found
            yield evidence_row(
                assertion, code, strength, "named_year" if code != "E8" else "next_annual",  # type: ignore[arg-type]
                accession=filing.accession, form=filing.form, filed=filing.filed_date, locator=sentence.span(document),
            )  # fmt: skip


def _weakness_sentences(documents: Sequence[DocumentText]) -> list[_Found]:
    return [
        (document, sentence)
        for document in documents
        if MATERIAL_WEAKNESS.search(document.text)
        for sentence in sentences(document.text)
        if not NO_WEAKNESS.search(sentence.text) and not HYPOTHETICAL.search(sentence.text)
    ]


def _strongest(
    record: RegistrantRecord, assertion: Report, filing: FilingIndexRow, found: Sequence[_Found]
) -> tuple[str, str, _Found] | None:
    told = {"existed": None, "later": None, "ineffective": None}  # type: dict[str, _Found | None]
    for position, entry in enumerate(found):
        text = entry[1].text
        near = " ".join(other[1].text for other in found[max(0, position - 1) : position + 2])
        if not MATERIAL_WEAKNESS.search(near):
            continue
        since = onset(text, assertion.period_end, record.calendar)
        if since != "unstated":
            told[since] = told[since] or entry
        if _ineffective_now(text, filing):
            told["ineffective"] = told["ineffective"] or entry
    if told["existed"]:
        return "E5", "direct", told["existed"]
    if told["later"]:
        return "E7", "counter_evidence", told["later"]
    return ("E8", "ambiguous", told["ineffective"]) if told["ineffective"] else None


def _ineffective_now(text: str, filing: FilingIndexRow) -> bool:
    """Whether the sentence says ineffective for a weakness, undated or at the quarter's end."""
    if not (NOT_EFFECTIVE.search(text) and "control" in text.lower()):
        return False
    dates = [day for listed in date_lists(text) for day in listed.dates]
    end = filing.period_of_report
    return not dates or (end is not None and any(same_period_end(day, end) for day in dates))
