"""Which reports are older versions of another report.

Until 2026 a correction was simply a second report of the same auditee and year (one or two of a hundred). Since then the
FAC links them and marks the older ones; unlinked pairs still exist, so both rules are applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Literal, NamedTuple

from .records import Report


class Superseded(NamedTuple):
    """Why a report is not the current one."""

    reason: Literal["superseded", "duplicate_submission"]
    detail: str


def superseded(reports: Iterable[Report]) -> dict[str, Superseded]:
    """Reports that another one replaces, by report id.

    Reports of one auditee (EIN, UEI and name), audit year and fiscal year end are versions of each other; the one
    accepted last is current. Where two were accepted on the same day the higher report id wins, and the other is a
    duplicate submission rather than a correction.
    """
    found: dict[str, Superseded] = {}
    groups: dict[tuple[object, ...], list[Report]] = {}
    for report in {report.report_id: report for report in reports}.values():
        if (report.resubmission_status or "").startswith("deprecated"):
            found[report.report_id] = Superseded("superseded", f"resubmission status {report.resubmission_status}")
            continue
        identity = (report.auditee_ein, report.auditee_uei)
        # Without any identifier two reports of one name may be two auditees: nothing is merged by name alone.
        if identity != (None, None):
            name = re.sub(r"\W+", "", report.auditee_name or "").lower()
            key = (*identity, name, report.audit_year, report.fy_end_date)
            groups.setdefault(key, []).append(report)
    for versions in groups.values():
        *older, current = sorted(versions, key=lambda report: (report.fac_accepted_date or date.min, report.report_id))
        for report in older:
            same_day = report.fac_accepted_date == current.fac_accepted_date
            found[report.report_id] = Superseded(
                "duplicate_submission" if same_day else "superseded",
                f"{current.report_id}, accepted {current.fac_accepted_date}, is the auditee's later report of the year",
            )
    return found
