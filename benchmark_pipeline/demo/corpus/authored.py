"""What an author writes: a registrant, its filings, and how a careful reader would decide each annual report."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from benchmark_pipeline import yaml_text
from benchmark_pipeline.tables.clean_pool import Decision, EvidenceCode, ExclusionReason

SOURCES = Path(__file__).parent

ANNUAL_FORMS = ("10-K", "10-KT", "20-F", "40-F")

Opinion = Literal["unqualified", "adverse", "none"]


class Authored(BaseModel):
    """Base of all authored records: an unknown key is a spelling mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Firm(Authored):
    """A fictional auditing firm and its own way of writing the paragraphs of a report."""

    name: str
    firm_id: str
    """PCAOB firm id as tagged (of a range that the PCAOB has not reached)."""
    city: str
    opinion: str
    """Opinion on the statements."""
    icfr_unqualified: str
    icfr_adverse: str
    basis: str
    icfr_basis: str
    definition: str
    no_icfr_audit: str
    """Said where the firm was not engaged to audit ICFR."""


class Expectation(Authored):
    """The decision of a careful reader on one annual report of one registrant."""

    cik: str | None = None
    """Null: the registrant of the file."""
    decision: Decision
    reason: ExclusionReason | None = None
    evidence: list[EvidenceCode] = Field(default_factory=list)
    note: str = ""


class Attachment(Authored):
    """A further document of a filing."""

    type: str
    name: str
    description: str
    title: str
    body: str
    auditor_report: bool = False
    """The auditor's report stands at the end of this document."""


def _identity(data: dict[str, Any]) -> dict[str, str]:
    """Identity facts that nobody reads, made from the CIK: none can belong to a real company."""
    cik = str(data.get("cik", "0" * 10))
    return {
        "street": f"{int(cik[-3:])} Example Avenue",
        "zip": f"00{cik[-3:]}",
        "phone": f"555-01{cik[-2:]}",
        "ein": f"00-{cik[-7:]}",
        "file_number": f"001-9{cik[-4:]}",
    }


class Filing(Authored):
    """One filing: form, dates and text."""

    form: str
    period: date
    """Fiscal year end of an annual report, quarter end, date of the event."""
    filed: date
    start: date | None = None
    """First day of the fiscal year; null: the day after the previous annual period, or a year back."""
    items: list[str] = Field(default_factory=list)
    """8-K items."""
    blocks: dict[str, str] = Field(default_factory=dict)
    """Passages that differ from the registrant's own of the same name."""
    order: list[str] | None = None
    """Passages of the controls section, in order."""
    body: str = ""
    """Text of any form but an annual report."""
    words: dict[str, str] = Field(default_factory=dict)
    """Further words that the passages may name in braces."""
    auditor: str | None = None
    """Another firm than the registrant's usual one."""
    icfr_opinion: Opinion = "none"
    auditor_weaknesses: str = ""
    """What the adverse opinion lists."""
    opinion_in: Literal["item8", "item9a", "absent"] = "item8"
    flag: bool | None = None
    """IcfrAuditorAttestationFlag as tagged; null: as the opinion says."""
    error_correction: bool = False
    category: str | None = None
    focus: int | None = None
    """DocumentFiscalYearFocus; null: year of (period end less five months)."""
    report_in_item8: str = ""
    """Management's report, where the statements' pages hold it."""
    figures: tuple[float, float, float] | None = None
    """Revenue, net income and total assets, millions."""
    attachments: list[Attachment] = Field(default_factory=list)
    expect: list[Expectation] = Field(default_factory=list)


class Registrant(Authored):
    """A fictional registrant as it stands on EDGAR."""

    drafted_by: str
    cik: str = Field(pattern=r"^0009\d{6}$")
    name: str
    stem: str
    """Prefix of its file names, as a ticker would be."""
    sic: str
    industry: str
    state: str
    """Two-character EDGAR code: a state, or a country such as L2."""
    state_name: str
    city: str
    street: str
    zip: str
    phone: str
    ein: str
    file_number: str
    fye: str
    """MMDD."""
    category: str = "Large Accelerated Filer"
    emerging: bool = False
    shell: bool = False
    exchange: str | None = "NYSE"
    auditor: str | None
    format: Literal["inline", "html", "text"] = "inline"
    look: int = 0
    dialect: int = 0
    agent: str | None = None
    """Accession prefix where a filing agent submits for it; null: its own CIK."""
    abs_class: str | None = None
    former_names: list[tuple[str, date]] = Field(default_factory=list)
    co_registrant: CoRegistrant | None = None
    older_page_before: date | None = None
    """Filings before this day are on the older page of the submissions list."""
    business: str
    risk: str
    discussion: str
    blocks: dict[str, str] = Field(default_factory=dict)
    order: list[str] = Field(default_factory=list)
    controls_heading: str = "Controls and Procedures"
    filings: list[Filing]

    @model_validator(mode="before")
    @classmethod
    def _fill_identity(cls, data: dict[str, Any]) -> dict[str, Any]:
        return _identity(data) | data

    def annual(self) -> list[Filing]:
        """Annual reports, oldest first."""
        return sorted((f for f in self.filings if f.form in ANNUAL_FORMS), key=lambda f: f.period)

    def accession(self, filing: Filing) -> str:
        """Accession number: a function of prefix, day and registrant, so that adding a filing moves no other."""
        same_day = sorted((f for f in self.filings if f.filed == filing.filed), key=lambda f: (f.form, f.period))
        number = filing.filed.timetuple().tm_yday * 1000 + int(self.cik) % 1000 + same_day.index(filing)
        return f"{self.agent or self.cik}-{filing.filed:%y}-{number:06d}"

    def fiscal_start(self, filing: Filing) -> date:
        """First day of the fiscal year of an annual report."""
        if filing.start:
            return filing.start
        earlier = [f.period for f in self.annual() if f.period < filing.period]
        if earlier and (filing.period - earlier[-1]).days < 380:
            return earlier[-1] + timedelta(days=1)
        back = filing.period + timedelta(days=1)
        return back.replace(year=back.year - 1)


class CoRegistrant(Authored):
    """A second registrant of the same filings."""

    cik: str = Field(pattern=r"^0009\d{6}$")
    name: str
    sic: str
    industry: str
    state: str
    state_name: str
    ein: str
    file_number: str
    category: str = "Non-accelerated Filer"

    @model_validator(mode="before")
    @classmethod
    def _fill_identity(cls, data: dict[str, Any]) -> dict[str, Any]:
        made = _identity(data)
        return {"ein": made["ein"], "file_number": made["file_number"]} | data


def fiscal_year(period: date) -> int:
    """The fiscal year of a period end: year of the day five months before it."""
    return period.year if period.month > 5 else period.year - 1


@cache
def firms() -> dict[str, Firm]:
    """The auditing firms, by key."""
    data = yaml_text.load((SOURCES / "firms.yaml").read_text(encoding="utf-8"))
    return {key: Firm.model_validate(value) for key, value in data["firms"].items()}


@cache
def registrants() -> tuple[Registrant, ...]:
    """All registrants, by CIK."""
    found = [
        Registrant.model_validate(document)
        for path in sorted((SOURCES / "registrants").glob("*.yaml"))
        for document in yaml_text.load_all(path.read_text(encoding="utf-8"))
    ]
    return tuple(sorted(found, key=lambda r: r.cik))
