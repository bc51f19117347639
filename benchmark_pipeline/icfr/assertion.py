"""What one annual report states about ICFR, for one registrant, gathered from the readers into table rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from benchmark_pipeline.edgar.cover_page import CoverPage
from benchmark_pipeline.edgar.fiscal_year import fiscal_year_of
from benchmark_pipeline.edgar.jurisdiction import country
from benchmark_pipeline.edgar.sections import FilingDocument, Rejection, Section, Stretch, language
from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.disclosures import (
    Conclusion,
    Flag,
    IcfrAssertionRow,
    MaterialWeaknessRow,
    ScopeOut,
    SectionReject,
)

from .attestation import Attestation, read_attestation
from .auditees import firm_told
from .conclusion import WITHOUT_CONCLUSION, ManagementConclusion, read_conclusion
from .language import Sentence
from .periods import fiscal_year_start
from .registrants import Registrant, Voice
from .statements import Statements, read_statements
from .weaknesses import Weaknesses, read_weaknesses

EXTRACTOR_VERSION = "ex5"
"""Raised whenever a rule changes what is read."""
_AMENDED_RULES_FROM = date(2020, 4, 27)
"""Effective day of the accelerated-filer amendments (Release 34-88365)."""
_REPORT_CHARACTERS = 9_000


@dataclass(frozen=True)
class FilingInput:
    """What is known of one annual report before it is read."""

    accession: str
    form: str
    partition_fiscal_year: int
    filed_date: date
    period_of_report: date | None
    """As the header or the index states it."""
    registrants: tuple[Registrant, ...]
    """At least one; the first files for the others."""
    documents: tuple[FilingDocument, ...]
    """Usable documents, the primary one first; empty where the primary one is not usable."""
    unusable: tuple[SectionReject, str] | None = None
    """Why the primary document is not usable."""


@dataclass(frozen=True)
class Report:
    """One annual report as one registrant files it, with its section located."""

    filing: FilingInput
    registrant: Registrant
    voice: Voice
    cover: CoverPage
    """Of this registrant."""
    located: Section | Rejection
    period_end: date
    conflicts: list[str] = field(default_factory=list)
    """Disagreements seen before the section was read."""

    @property
    def stretches(self) -> list[Stretch]:
        """The texts that management's statements are read from."""
        return self.located.stretches if isinstance(self.located, Section) else []


@dataclass(frozen=True)
class ReadAssertion:
    """The rows of one registrant."""

    assertion: IcfrAssertionRow
    weaknesses: list[MaterialWeaknessRow]


def status(located: Section | Rejection) -> Literal["found", "followed_pointer", "rejected"]:
    """The extraction status of a section."""
    if isinstance(located, Rejection):
        return "rejected"
    return "followed_pointer" if located.followed_pointer else "found"


def read_assertion(report: Report) -> ReadAssertion:
    """Reads every fact of one registrant's report."""
    filing, cover, period_end = report.filing, report.cover, report.period_end
    management = _Management(report)
    names = [name for name in (*(filer.name for filer in filing.registrants), cover.entity_name) if name]
    attestation = read_attestation(filing.documents, period_end, report.voice, names)
    conflicts = [*report.conflicts, *management.conflicts, *attestation.conflicts]
    rules = [*management.rules, *attestation.rules]
    icfr = management.icfr
    not_assessed = management.new_registrant or management.reverse_merger
    if not_assessed is not None:
        # A weakness found in the audit is no assessment by management.
        if icfr == "absent" or (icfr == "ineffective" and WITHOUT_CONCLUSION in rules):
            icfr, management.icfr_span, management.as_of = "not_assessed", None, None
            rules.append("assessment_left_out")
        else:
            conflicts.append("no_assessment_stated_beside_a_conclusion")
    if {icfr, attestation.opinion} in ({"effective", "adverse"}, {"ineffective", "unqualified"}):
        conflicts.append(f"management_{icfr}_auditor_{attestation.opinion}")
    if management.no_attestation is not None and attestation.opinion != "none":
        conflicts.append("no_attestation_stated_beside_an_opinion")
    deficient = icfr in ("ineffective", "mixed") or attestation.opinion == "adverse"
    weaknesses, where = _weaknesses(report, attestation) if deficient else (None, None)
    if weaknesses is not None:
        conflicts += weaknesses.conflicts
        rules += weaknesses.rules
    chosen = attestation.chosen
    firm = (chosen.firm if chosen else None) or cover.auditor_name
    if chosen is not None and firm is None:
        firm = firm_told("\n".join(stretch.text for stretch in report.stretches))
        rules += ["firm_told_by_management"] if firm else []
    filer = report.registrant
    assertion = IcfrAssertionRow(
        accession=filing.accession,
        cik=filer.cik,
        form=filing.form,
        fiscal_year=_fiscal_year(cover.fiscal_year_focus, period_end),
        fiscal_year_focus=cover.fiscal_year_focus,
        partition_fiscal_year=filing.partition_fiscal_year,
        period_end=period_end,
        fy_start=fiscal_year_start(period_end),
        filed_date=filing.filed_date,
        company_name=filer.name or cover.entity_name or "",
        sic_at_filing=filer.sic,
        state_of_incorporation=filer.state_of_incorporation,
        jurisdiction=country(filer.state_of_incorporation or cover.jurisdiction),
        regime="sox_404",
        rule_regime="pre_2020" if filing.filed_date < _AMENDED_RULES_FROM else "2020_amended",
        filer_category=cover.filer_category,
        emerging_growth=_boolean(cover.emerging_growth),
        shell_company=_boolean(cover.shell_company),
        annual_report=_boolean(cover.annual_report),
        language=language(report.stretches[0].text) if report.stretches else None,
        extraction_status=status(report.located),
        extraction_reject=report.located.reason if isinstance(report.located, Rejection) else None,
        mgmt_conclusion=icfr,
        mgmt_conclusion_span=management.icfr_span,
        mgmt_as_of=management.as_of,
        framework=management.framework,
        dcp_conclusion=management.dcp,
        dcp_conclusion_span=management.dcp_span,
        weaknesses_stated=weaknesses.count if weaknesses is not None else (0 if icfr == "effective" else None),
        attest_flag=cover.attest_flag,
        attest_opinion=attestation.opinion,
        attest_opinion_span=chosen.span if chosen else None,
        auditor_name=firm,
        auditor_firm_id=cover.auditor_firm_id,
        opinion_date=chosen.signed if chosen else None,
        mgmt_says_no_attestation=management.no_attestation is not None,
        no_attestation_span=management.no_attestation,
        new_registrant_transition=management.new_registrant is not None,
        reverse_merger_no_assessment=management.reverse_merger is not None,
        not_assessed_span=not_assessed,
        scope_outs=management.scope_outs,
        prior_mw_remediated=management.prior_remediated is not None,
        prior_mw_span=management.prior_remediated,
        error_correction_flag=cover.error_correction_flag,
        recovery_flag=cover.recovery_flag,
        conflicts=conflicts,
        rules_fired=rules,
        extractor_version=EXTRACTOR_VERSION,
    )
    rows = _weakness_rows(report, weaknesses, where) if weaknesses is not None and where is not None else []
    return ReadAssertion(assertion, rows)


class _Management:
    """Management's statements over the section and the item that points to it."""

    def __init__(self, report: Report) -> None:
        self.conflicts: list[str] = []
        self.rules: list[str] = []
        self.icfr: Conclusion = "absent"
        self.icfr_span: Span | None = None
        self.as_of: date | None = None
        self.dcp: Conclusion = "absent"
        self.dcp_span: Span | None = None
        self.framework: str | None = None
        self.no_attestation: Span | None = None
        self.new_registrant: Span | None = None
        self.reverse_merger: Span | None = None
        self.prior_remediated: Span | None = None
        self.scope_outs: list[ScopeOut] = []
        for stretch in report.stretches:
            text = stretch.text
            self._conclude(stretch, read_conclusion(text, report.period_end, report.voice))
            self._state(stretch, read_statements(text, report.voice))

    def _conclude(self, stretch: Stretch, read: ManagementConclusion) -> None:
        self.conflicts += [conflict for conflict in read.conflicts if conflict not in self.conflicts]
        self.rules += [rule for rule in read.rules if rule not in self.rules]
        self.framework = self.framework or read.framework
        if self.icfr == "absent":
            self.icfr, self.as_of = read.icfr, read.as_of
            self.icfr_span = _span(stretch, read.icfr_sentence)
        elif read.icfr not in ("absent", self.icfr):
            self.conflicts.append(f"icfr_{self.icfr}_and_{read.icfr}_elsewhere")
            self.icfr = "mixed"
        if self.dcp == "absent":
            self.dcp, self.dcp_span = read.dcp, _span(stretch, read.dcp_sentence)
        elif read.dcp not in ("absent", self.dcp):
            self.conflicts.append(f"dcp_{self.dcp}_and_{read.dcp}_elsewhere")
            self.dcp = "mixed"

    def _state(self, stretch: Stretch, read: Statements) -> None:
        self.no_attestation = self.no_attestation or _span(stretch, read.no_attestation)
        self.new_registrant = self.new_registrant or _span(stretch, read.new_registrant)
        self.reverse_merger = self.reverse_merger or _span(stretch, read.reverse_merger)
        self.prior_remediated = self.prior_remediated or _span(stretch, read.prior_remediated)
        known = {(out.pct_assets, out.pct_revenue) for out in self.scope_outs}
        self.scope_outs += [out for out in read.scope_outs if (out.pct_assets, out.pct_revenue) not in known]


def _weaknesses(report: Report, attestation: Attestation) -> tuple[Weaknesses | None, Stretch | None]:
    """Weaknesses in management's text, else in the report of the auditor that found them."""
    read: Weaknesses | None = None
    for stretch in report.stretches:
        found = read_weaknesses(stretch.text)
        if found.found:
            return found, stretch
        read = read or found
    if attestation.opinion == "adverse" and attestation.chosen is not None:
        span = attestation.chosen.span
        document = next(d for d in report.filing.documents if d.sha256 == span.document_sha256)
        stretch = Stretch(document, span.start, min(len(document.text), span.end + _REPORT_CHARACTERS))
        found = read_weaknesses(stretch.text, by_auditor=True)
        if found.found:
            return found, stretch
    return read, None


def _weakness_rows(report: Report, weaknesses: Weaknesses, stretch: Stretch) -> list[MaterialWeaknessRow]:
    remediation = stretch.span(*weaknesses.remediation) if weaknesses.remediation else None
    rows = []
    for ordinal, weakness in enumerate(weaknesses.found, start=1):
        span = stretch.span(weakness.start, weakness.end)
        rows.append(
            MaterialWeaknessRow(
                weakness_id=f"{report.filing.accession}:{report.registrant.cik}:{ordinal}",
                accession=report.filing.accession,
                cik=report.registrant.cik,
                fiscal_year=report.filing.partition_fiscal_year,
                ordinal=ordinal,
                text=span.quote,
                span=span,
                coso_heading=weakness.component,
                kind=weakness.kind,
                remediation_span=remediation,
                extractor_version=EXTRACTOR_VERSION,
            )
        )
    return rows


def _span(stretch: Stretch, sentence: Sentence | None) -> Span | None:
    return None if sentence is None else stretch.span(sentence.start, sentence.end)


def _fiscal_year(focus: int | None, period_end: date) -> int:
    return focus if focus in (period_end.year, period_end.year - 1) else fiscal_year_of(period_end)


def _boolean(flag: Flag) -> bool | None:
    return {"true": True, "false": False}.get(flag)
