"""E6: a change of auditors (8-K Item 4.01) that says controls were missing in the year, or takes the ICFR opinion back.

Source: Regulation S-K Item 304(a)(1)(v)(A): the accountant advised that the internal controls necessary to develop
reliable financial statements do not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow

from .affected_periods import NamedPeriods, parse_periods
from .date_lists import date_lists
from .eight_k_items import item_section
from .evidence_sentences import HYPOTHETICAL, MATERIAL_WEAKNESS, NO_WEAKNESS, DocumentText, Sentence, sentences
from .onset import weak_at
from .periods import same_period_end, strongest_match, within_unparsed_window
from .registrant_record import Reader, RegistrantRecord, evidence_row
from .report_facts import Report

_CONTROLS_MISSING = re.compile(
    r"\binternal\s+controls?\b[^.;]{0,120}\b(?:do|does|did)\s+not\s+exist\b|\black(?:ed|s|ing)?\b[^.;]{0,40}\binternal\s+controls?\b",
    re.I,
)
_OPINION_WITHDRAWN = re.compile(
    r"\b(?:opinion|report)s?\b[^;]{0,200}\binternal\s+control\s+over\s+financial\s+reporting\b[^;]{0,120}"
    r"\b(?:withdrawn|withdraws|withdrew|no\s+longer\s+be\s+relied|not\s+be\s+relied)\b"
    r"|\b(?:withdrawn|withdraws|withdrew|withdrawing)\b[^;]{0,120}\b(?:opinion|report)s?\b[^;]{0,120}\binternal\s+control\s+over\b",
    re.I,
)


def auditor_change_evidence(
    record: RegistrantRecord, assertion: Report, reader: Reader
) -> Iterator[ContradictingEvidenceRow]:
    """One row for each later 8-K whose Item 4.01 names a weakness of the year.

    A reportable event without a period is ambiguous for every year ending in the 36 months before it.
    """
    for filing in record.with_role("item_401"):
        if not (filing.accession and filing.filed_date) or filing.filed_date <= assertion.filed_date:
            continue
        for document in reader.documents(filing.accession):
            section = item_section(document, "4.01")
            if section is None:
                continue
            found = _event(section, record, assertion)
            if found is None and within_unparsed_window(assertion.period_end, filing.filed_date):
                found = _undated_event(section, record)
                strength, match = "ambiguous", "period_unparsed"
            else:
                strength, match = "direct", "named_year"
            if found:
                yield evidence_row(
                    assertion, "E6", strength, match,
                    accession=filing.accession, form=filing.form, filed=filing.filed_date, locator=found.span(section),
                    icfr_reports_withdrawn=bool(_OPINION_WITHDRAWN.search(found.text)),
                )  # fmt: skip
            break


def _event(section: DocumentText, record: RegistrantRecord, assertion: Report) -> Sentence | None:
    year = (record.fy_start(assertion), assertion.period_end)
    for sentence in _events(section):
        named = _after_the_event(sentence.text, record)
        if weak_at(sentence.text, assertion.period_end) or strongest_match(named.periods, *year) == "annual_overlap":
            return sentence
        missing = _CONTROLS_MISSING.search(sentence.text) or _OPINION_WITHDRAWN.search(sentence.text)
        if missing and _dated(sentence.text, assertion.period_end):
            return sentence
    return None


def _dated(text: str, day: date) -> bool:
    return any(same_period_end(found, day) for named in date_lists(text) for found in named.dates)


def _undated_event(section: DocumentText, record: RegistrantRecord) -> Sentence | None:
    for sentence in _events(section):
        if not parse_periods(sentence.text, record.calendar).periods and "20" not in sentence.text:
            return sentence
    return None


def _after_the_event(text: str, record: RegistrantRecord) -> NamedPeriods:
    """Periods tied to the weakness itself.

    "During the years ended 2023 and 2022 there were no reportable events, except a weakness as of 2023" ties it to 2023
    only: where the words after the weakness name a period, those before it do not count.
    """
    weakness = MATERIAL_WEAKNESS.search(text) or _CONTROLS_MISSING.search(text)
    after = parse_periods(text[weakness.start() :], record.calendar) if weakness else NamedPeriods(())
    return after if after.periods else parse_periods(text, record.calendar)


def _events(section: DocumentText) -> Iterator[Sentence]:
    for sentence in sentences(section.text):
        text = sentence.text
        if HYPOTHETICAL.search(text) or NO_WEAKNESS.search(text):
            continue
        if MATERIAL_WEAKNESS.search(text) or _CONTROLS_MISSING.search(text) or _OPINION_WITHDRAWN.search(text):
            yield sentence
