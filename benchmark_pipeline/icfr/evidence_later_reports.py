"""E3, E4, E7, E8, E9: what later annual reports say about the earlier year.

A later report that names the earlier year end as a date of weakness is direct (E3), and so is one that ties a weakness to
the restated statements of that year (E4). Of the next report's other weaknesses, those that an event after the year end
made are counter-evidence (E7), and those whose beginning is not told are ambiguous (E8).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import lru_cache

from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow

from .affected_periods import parse_periods
from .date_lists import date_lists
from .evidence_sentences import (
    ERROR,
    HYPOTHETICAL,
    NO_WEAKNESS,
    RESTATEMENT,
    WEAKNESS,
    DocumentText,
    Sentence,
    admits_weakness,
    concludes_ineffective,
    sentences,
)
from .onset import Onset, onset
from .periods import same_period_end, strongest_match
from .registrant_record import Reader, RegistrantRecord, evidence_row
from .report_facts import Report

_ALL_WEAKNESSES = re.compile(
    r"^\W*(?:each\s+of\s+|all\s+of\s+|both\s+of\s+)?(?:these|this|the|all|both)\s+(?:\w+\s+)?(?:material\s+weakness(?:es)?|deficienc(?:y|ies))\b",
    re.I,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_THAT_YEAR = re.compile(r"\b(?:that|the\s+same|such)\s+(?:fiscal\s+)?(?:year|date|period)\b", re.I)
_Found = tuple[DocumentText, Sentence]


def later_report_evidence(
    record: RegistrantRecord, assertion: Report, reader: Reader
) -> Iterator[ContradictingEvidenceRow]:
    """Rows from every later annual report; E7 to E9 only from the next one.

    A report was the next one if, when it was filed, no report on an earlier year had been: one that is filed late for a
    year in between does not take its evidence back.
    """
    later = record.later_reports(assertion)
    for position, report in enumerate(later):
        is_next = all(other.filed_date > report.filed_date for other in later[:position]
                      if not same_period_end(other.period_end, report.period_end))  # fmt: skip
        speaks = _speaks(report)
        if is_next and report.error_correction_flag == "true" and not speaks:
            yield _row(assertion, report, "E9", "little_r", "next_annual", None)
        if not (speaks or report.prior_mw_remediated):
            continue
        section = reader.section(report.accession, report.cik)
        passages = _passages(record, report, section)
        existed, caused = _direct(record, assertion, section, passages)
        if existed:
            yield _row(assertion, report, "E3", "direct", "named_year", existed)
        if caused:
            yield _row(assertion, report, "E4", "direct", "named_year", caused)
        if is_next and not existed and not caused:
            yield from _of_next(record, assertion, report, section, passages)


def may_tell(report: Report) -> bool:
    """Whether an annual report can hold evidence about an earlier year at all."""
    return _speaks(report) or report.prior_mw_remediated or report.error_correction_flag == "true"


def _speaks(report: Report) -> bool:
    return report.mgmt_conclusion in ("ineffective", "mixed") or report.attest_opinion == "adverse"


def _row(  # noqa: PLR0917
    assertion: Report, report: Report, code: str, strength: str, match: str,
    found: _Found | None, ordinal: int | None = None,
) -> ContradictingEvidenceRow:  # fmt: skip
    return evidence_row(
        assertion, code, strength, match,  # type: ignore[arg-type]
        accession=report.accession, form=report.form, filed=report.filed_date,
        locator=found[1].span(found[0]) if found else None, ordinal=ordinal,
    )  # fmt: skip


def _passages(record: RegistrantRecord, report: Report, section: DocumentText | None) -> list[list[_Found]]:
    """The sentences of each weakness passage; where none was split, the section's sentences on weaknesses as one."""
    rows = sorted(record.weaknesses.get(report.accession, ()), key=lambda row: row.ordinal)
    split = [
        [(document, sentence) for sentence in sentences(document.text)]
        for row in rows
        for document in [DocumentText(row.span.document_sha256, row.span.quote, row.span.start)]
    ]
    if split or section is None:
        return split
    whole = [(section, sentence) for sentence in _admissions(section)]
    return [whole] if whole else []


@lru_cache(maxsize=64)
def _sentences(section: DocumentText) -> tuple[Sentence, ...]:
    return tuple(sentences(section.text))


@lru_cache(maxsize=1024)
def _admissions(section: DocumentText) -> tuple[Sentence, ...]:
    """Sentences that admit a weakness. Cached: one report is compared with every earlier year of its registrant."""
    return tuple(sentence for sentence in _sentences(section) if admits_weakness(sentence.text))


def _direct(
    record: RegistrantRecord,
    assertion: Report,
    section: DocumentText | None,
    passages: Sequence[Sequence[_Found]],
) -> tuple[_Found | None, _Found | None]:
    """The sentence that says the weakness existed at the year end, and the one that ties it to that year's error."""
    existed: _Found | None = None
    caused: _Found | None = None
    year = (record.fy_start(assertion), assertion.period_end)
    everywhere = [found for passage in passages for found in passage if _names_year(found[1].text)]
    if section is not None:
        everywhere += [(section, sentence) for sentence in _dated_on_weakness(section)]
    for found in everywhere:
        text = found[1].text
        if existed is None and _existed(text, assertion.period_end, record):
            existed = found
        if caused is None and _ties_error(text, year, record):
            caused = found
    return existed, caused


@lru_cache(maxsize=1024)
def _dated_on_weakness(section: DocumentText) -> tuple[Sentence, ...]:
    """Sentences that name a year and stand in or beside a statement of weakness: only they can speak of an earlier year."""
    listed = _sentences(section)
    weak = [bool(WEAKNESS.search(sentence.text)) for sentence in listed]
    return tuple(
        sentence
        for position, sentence in enumerate(listed)
        if _YEAR.search(sentence.text)
        and (any(weak[max(0, position - 1) : position + 2]) or concludes_ineffective(sentence.text))
        and not NO_WEAKNESS.search(sentence.text)
    )


# One report is compared with every earlier year of its registrant: what a sentence says by itself is asked once.
@lru_cache(maxsize=16_384)
def _denies(text: str) -> bool:
    return bool(NO_WEAKNESS.search(text))


@lru_cache(maxsize=16_384)
def _restates(text: str) -> bool:
    """Whether the sentence speaks of an error or of statements that are restated, as a fact."""
    if HYPOTHETICAL.search(text) or not RESTATEMENT.search(text):
        return False
    return bool(ERROR.search(text) or WEAKNESS.search(text) or "statements" in text.lower())


@lru_cache(maxsize=16_384)
def _names_year(text: str) -> bool:
    return bool(_YEAR.search(text))


def _existed(text: str, year_end: date, record: RegistrantRecord) -> bool:
    if _denies(text):
        return False
    return onset(text, year_end, record.calendar) == "existed"


def _ties_error(text: str, year: tuple[date, date], record: RegistrantRecord) -> bool:
    """Whether the sentence speaks of an error in, or the restatement of, statements inside that year."""
    if not _restates(text):
        return False
    if _THAT_YEAR.search(text) and any(
        same_period_end(day, year[1]) for named in date_lists(text) for day in named.dates
    ):
        return True
    return strongest_match(parse_periods(text, record.calendar).periods, *year) is not None


def _of_next(
    record: RegistrantRecord,
    assertion: Report,
    report: Report,
    section: DocumentText | None,
    passages: Sequence[Sequence[_Found]],
) -> Iterator[ContradictingEvidenceRow]:
    """E7 or E8 for each weakness of the next report."""

    def told(sentence: str) -> Onset:
        return onset(sentence, assertion.period_end, record.calendar, next_report_end=report.period_end)

    unstated: list[_Found | None] = []
    general = _later_for_all(section, told)
    for ordinal, passage in enumerate(passages, start=1):
        later = next((found for found in passage if told(found[1].text) == "later"), None) or general
        if later:
            yield _row(assertion, report, "E7", "counter_evidence", "next_annual", later, ordinal)
        else:
            unstated.append(passage[0] if passage else None)
    if unstated:
        yield _row(assertion, report, "E8", "ambiguous", "next_annual", unstated[0])
    elif not passages:
        # The conclusion says ineffective (or an old weakness remediated) and no passage could be read.
        yield _row(assertion, report, "E8", "ambiguous", "next_annual", None)


def _later_for_all(section: DocumentText | None, told: Callable[[str], Onset]) -> _Found | None:
    """A sentence outside the passages that dates all weaknesses at once ("These material weaknesses arose …")."""
    if section is None:
        return None
    return next(((section, sentence) for sentence in _on_all(section) if told(sentence.text) == "later"), None)


@lru_cache(maxsize=1024)
def _on_all(section: DocumentText) -> tuple[Sentence, ...]:
    return tuple(sentence for sentence in _sentences(section) if _ALL_WEAKNESSES.search(sentence.text))
