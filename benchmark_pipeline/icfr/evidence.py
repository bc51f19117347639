"""All evidence on one registrant's clean labels (`find_evidence`); one module a family of codes.

| Code | Evidence | Module |
|---|---|---|
| E1 | amended annual report changes the conclusion | `evidence_amendments` |
| E2 | non-reliance notice overlaps the year | `evidence_notices` |
| E3, E4, E7, E8, E9 | later annual reports | `evidence_later_reports` |
| E5 | quarterly report names the year end | `evidence_interim` |
| E6 | auditor withdraws, or leaves over missing controls | `evidence_notices`, `evidence_auditor_change` |
| E10 | enforcement or litigation names the year: entered by a person | `evidence_review` |
| E11 | late-filing notice speaks of a weakness | `evidence_late_notice` |
"""

from __future__ import annotations

from datetime import date

from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow

from .evidence_amendments import amendment_evidence
from .evidence_auditor_change import auditor_change_evidence
from .evidence_interim import interim_evidence
from .evidence_late_notice import late_notice_evidence
from .evidence_later_reports import later_report_evidence, may_tell
from .evidence_notices import notice_evidence
from .registrant_record import EXTRACTOR_VERSION, Reader, RegistrantRecord

__all__ = ["EXTRACTOR_VERSION", "Reader", "RegistrantRecord", "find_evidence"]


def find_evidence(record: RegistrantRecord, reader: Reader, snapshot: date) -> list[ContradictingEvidenceRow]:
    """Every row of evidence about the registrant's annual reports, filed up to the snapshot date, ordered by identity.

    Non-reliance notices are matched to all of its reports. The other families read texts, and only a report whose
    management says effective can lose a clean label to them.
    """
    rows: list[ContradictingEvidenceRow] = []
    # Most registrants never report anything that could speak against a year: nothing of theirs is read.
    telling = any(may_tell(report) for report in record.assertions)
    for assertion in record.own:
        rows += notice_evidence(record, assertion)
        if assertion.mgmt_conclusion != "effective":
            continue
        rows += amendment_evidence(record, assertion, reader)
        if telling:
            rows += later_report_evidence(record, assertion, reader)
        rows += interim_evidence(record, assertion, reader)
        rows += auditor_change_evidence(record, assertion, reader)
        rows += late_notice_evidence(record, assertion, reader)
    unique = {row.evidence_id: row for row in rows if row.evidence_filed_date <= snapshot}
    return [unique[identity] for identity in sorted(unique)]
