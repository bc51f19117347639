"""What surrounds a registrant's annual reports: reports, notices and forms of its own and of its successors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from benchmark_pipeline.tables.sources import EightK402Row

from .decision_order import AnnualFiling, PoolContext
from .evidence_notices import watched
from .registrant_record import RegistrantRecord
from .report_facts import Report
from .strata import first_attested_year, followup, followup_ended, nonreliance_channel

PERIODIC_ROLES = ("annual", "quarterly", "foreign_report")
"""Reports that show that reporting goes on."""


@dataclass(frozen=True)
class Surroundings:
    """Facts about one registrant that its filings' follow-up, channel and strata are told from."""

    reports: tuple[Report, ...] = ()
    """Annual reports read, or tried to be."""
    notices: tuple[EightK402Row, ...] = ()
    forms: frozenset[str] = frozenset()
    """Forms filed."""
    last_quarterly: date | None = None
    last_periodic: date | None = None
    """When the last annual, quarterly or 6-K report was filed."""
    endings: tuple[tuple[str, date], ...] = ()
    """(form, date filed) of what ends reporting."""

    @classmethod
    def of(cls, record: RegistrantRecord) -> Surroundings:
        """From the record of a registrant, successors included."""
        own = [row for row in record.filings if record.cik in (row.cik, *row.ciks)]
        ending = [
            row for row in record.filings if row.role == "reporting_ended" and (row not in own or not record.succeeded)
        ]
        return cls(
            reports=record.assertions,
            notices=record.notices,
            forms=frozenset(row.form for row in record.filings),
            last_quarterly=_last(row.filed_date for row in record.filings if row.role == "quarterly"),
            last_periodic=_last(row.filed_date for row in record.filings if row.role in PERIODIC_ROLES),
            endings=tuple(sorted((row.form, row.filed_date) for row in ending if row.filed_date)),
        )

    @cached_property
    def reports_read(self) -> tuple[Report, ...]:
        """Annual reports whose controls section could be read."""
        return tuple(row for row in self.reports if row.extraction_status != "rejected")

    @cached_property
    def ends_read(self) -> tuple[tuple[date, date], ...]:
        """(period end, date filed) of these."""
        return tuple((row.period_end, row.filed_date) for row in self.reports_read)

    def followed_by(self, successors: Sequence[Surroundings]) -> Surroundings:
        """With what the successors filed. A Form 15 of a company that was succeeded does not end the reporting."""
        if not successors:
            return self
        everyone = (self, *successors)
        return replace(
            self,
            reports=tuple(report for one in everyone for report in one.reports),
            notices=tuple(notice for one in everyone for notice in one.notices),
            forms=frozenset().union(*(one.forms for one in everyone)),
            last_quarterly=_last(one.last_quarterly for one in everyone),
            last_periodic=_last(one.last_periodic for one in everyone),
            endings=tuple(sorted(ending for one in successors for ending in one.endings)),
        )


def _last(days: Iterable[date | None]) -> date | None:
    return max((day for day in days if day), default=None)


def pool_context(around: Surroundings | None, filing: AnnualFiling, snapshot: date) -> PoolContext:
    """What surrounds one annual filing on the snapshot date."""
    read = filing.assertion
    if around is None or filing.period_end is None:
        return PoolContext(snapshot)
    return PoolContext(
        snapshot_date=snapshot,
        nonreliance_channel=nonreliance_channel(filing.form, around.forms),
        followup=followup(filing.period_end, filing.filed_date, around.ends_read, around.last_quarterly),
        followup_ended=followup_ended(filing.filed_date, around.endings, around.last_periodic),
        watch=read is not None and watched(around.notices, filing.filed_date, read.period_end),
        first_attested_year=first_attested_year(read, around.reports_read) if read else None,
    )
