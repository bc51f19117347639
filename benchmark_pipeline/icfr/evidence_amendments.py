"""E1: an amended annual report for the same year changes a conclusion to not effective."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow

from .date_lists import date_lists
from .evidence_sentences import DocumentText, Sentence, concludes_ineffective, sentences
from .onset import weak_at
from .periods import same_period_end
from .registrant_record import Reader, RegistrantRecord, evidence_row
from .report_facts import Report


def amendment_evidence(
    record: RegistrantRecord, assertion: Report, reader: Reader
) -> Iterator[ContradictingEvidenceRow]:
    """One row for each amendment that says ICFR was not effective at the fiscal year end.

    An amendment that repeats "effective" is no evidence of cleanliness: a restatement does not oblige management to revise
    its conclusion.
    """
    for filing in record.with_role("amendment"):
        same_form = filing.form.removesuffix("/A") == assertion.form
        if not (same_form and filing.accession and filing.filed_date and filing.period_of_report):
            continue
        if filing.filed_date < assertion.filed_date:
            continue
        if not same_period_end(filing.period_of_report, assertion.period_end):
            continue
        found = _ineffective(reader.documents(filing.accession), assertion)
        if found:
            document, sentence = found
            yield evidence_row(
                assertion, "E1", "direct", "same_period",
                accession=filing.accession, form=filing.form, filed=filing.filed_date, locator=sentence.span(document),
            )  # fmt: skip


def _ineffective(documents: Sequence[DocumentText], assertion: Report) -> tuple[DocumentText, Sentence] | None:
    """The first sentence that concludes ineffective, undated or dated at this fiscal year end."""
    for document in documents:
        for sentence in sentences(document.text):
            if weak_at(sentence.text, assertion.period_end):
                return document, sentence
            if concludes_ineffective(sentence.text) and not list(date_lists(sentence.text)):
                return document, sentence
    return None
