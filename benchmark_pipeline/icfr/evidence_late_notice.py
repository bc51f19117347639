"""E11: a late-filing notice (NT 10-K, NT 20-F) for the same year speaks of a weakness, and the report then says effective."""

from __future__ import annotations

from collections.abc import Iterator

from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow

from .evidence_sentences import MATERIAL_WEAKNESS, NO_WEAKNESS, sentences
from .periods import same_period_end
from .registrant_record import Reader, RegistrantRecord, evidence_row
from .report_facts import Report


def late_notice_evidence(
    record: RegistrantRecord, assertion: Report, reader: Reader
) -> Iterator[ContradictingEvidenceRow]:
    """A soft signal: it marks a stratum and excludes nothing. A possible weakness counts as well as an admitted one."""
    for filing in record.with_role("late_notice"):
        if not (filing.accession and filing.filed_date and filing.period_of_report):
            continue
        if filing.filed_date > assertion.filed_date:
            continue
        if not same_period_end(filing.period_of_report, assertion.period_end):
            continue
        found = next(
            (
                sentence.span(document)
                for document in reader.documents(filing.accession)
                for sentence in sentences(document.text)
                if MATERIAL_WEAKNESS.search(sentence.text) and not NO_WEAKNESS.search(sentence.text)
            ),
            None,
        )
        if found:
            yield evidence_row(
                assertion, "E11", "soft", "same_period",
                accession=filing.accession, form=filing.form, filed=filing.filed_date, locator=found,
            )  # fmt: skip
