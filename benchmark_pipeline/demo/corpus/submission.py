"""Submissions as EDGAR stores them: SGML header, full-submission text, header page, folder listing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from html import escape
from zoneinfo import ZoneInfo

from . import html, plain_text
from .authored import ANNUAL_FORMS, Filing, Registrant, fiscal_year
from .cover_page import hidden_facts
from .other_reports import ITEM_TITLES, attachment_document, primary_document

NEW_YORK = ZoneInfo("America/New_York")
UNTAGGED_FORMS = ("NT 10-K", "6-K", "DEF 14A")


@dataclass(frozen=True)
class Document:
    """One document of a submission."""

    type: str
    sequence: int
    name: str
    description: str
    body: bytes


@dataclass(frozen=True)
class Submission:
    """One filing, ready to be written."""

    registrant: Registrant
    filing: Filing
    accession: str
    documents: list[Document]

    @property
    def accepted(self) -> datetime:
        """Acceptance instant, New York; after the close, as most."""
        shift = int(self.accession[-6:]) * 37 % 5000
        return datetime.combine(self.filing.filed, time(16, 2), NEW_YORK) + timedelta(seconds=shift)

    @property
    def ciks(self) -> list[str]:
        """All registrants."""
        other = self.registrant.co_registrant
        return [self.registrant.cik, *([other.cik] if other else [])]

    @property
    def inline(self) -> bool:
        """Whether the primary document is inline XBRL."""
        return b"ix:header" in self.documents[0].body


def build(registrant: Registrant, filing: Filing) -> Submission:
    """All documents of a filing."""
    stem = f"{registrant.stem}-{filing.period:%Y%m%d}"
    suffix = {"10-K": "", "10-KT": "", "20-F": "", "40-F": "", "8-K": ""}.get(
        filing.form, f"x{filing.form.lower().replace('/', '').replace(' ', '').replace('-', '')}"
    )
    name = f"{stem}{suffix}"
    documents = [
        Document(
            filing.form,
            1,
            f"{name}.{'txt' if registrant.format == 'text' else 'htm'}",
            filing.form,
            _primary(registrant, filing, name),
        )
    ]
    for sequence, attachment in enumerate(filing.attachments, 2):
        nodes = attachment_document(registrant, filing, attachment)
        body = html.render(nodes, registrant.look, None, attachment.name).encode()
        documents.append(Document(attachment.type, sequence, attachment.name, attachment.description, body))
    return Submission(registrant, filing, registrant.accession(filing), documents)


def _primary(registrant: Registrant, filing: Filing, name: str) -> bytes:
    nodes = primary_document(registrant, filing)
    if registrant.format == "text":
        text = plain_text.render(nodes)
        return text.replace("’", "'").encode("latin-1", "replace")
    if registrant.format == "html" or filing.form in UNTAGGED_FORMS:
        return html.render(nodes, registrant.look, None, name).encode("ascii", "xmlcharrefreplace")
    annual = filing.form.removesuffix("/A") in ANNUAL_FORMS
    other = registrant.co_registrant
    facts = html.Facts(
        ciks=(registrant.cik, *([other.cik] if other else [])),
        start=registrant.fiscal_start(filing) if annual else filing.period,
        end=filing.period,
        taxonomy_year=min(fiscal_year(filing.period), 2024),
        dialect=registrant.dialect,
        stem=name,
        hidden=hidden_facts(registrant, filing)
        if annual
        else {"EntityCentralIndexKey": registrant.cik, "AmendmentFlag": str(filing.form.endswith("/A")).lower()},
    )
    return html.render(nodes, registrant.look, facts, name).encode("ascii", "xmlcharrefreplace")


def text_header(submission: Submission) -> str:
    """The header of the full-submission text."""
    filing, registrant = submission.filing, submission.registrant
    lines = [
        f"<SEC-HEADER>{submission.accession}.hdr.sgml : {filing.filed:%Y%m%d}",
        f"<ACCEPTANCE-DATETIME>{submission.accepted:%Y%m%d%H%M%S}",
        f"ACCESSION NUMBER:\t\t{submission.accession}",
        f"CONFORMED SUBMISSION TYPE:\t{filing.form}",
        f"PUBLIC DOCUMENT COUNT:\t\t{len(submission.documents)}",
        f"CONFORMED PERIOD OF REPORT:\t{filing.period:%Y%m%d}",
        *(f"ITEM INFORMATION:\t\t{ITEM_TITLES[item]}" for item in filing.items),
        f"FILED AS OF DATE:\t\t{filing.filed:%Y%m%d}",
        f"DATE AS OF CHANGE:\t\t{filing.filed:%Y%m%d}",
    ]
    if registrant.abs_class:
        lines.append(f"ABS ASSET CLASS:             \t{registrant.abs_class}")
    for cik, name, sic, industry, state, ein, number in _filers(registrant):
        lines += [
            "", "FILER:", "", "\tCOMPANY DATA:\t",
            f"\t\tCOMPANY CONFORMED NAME:\t\t\t{name.upper()}",
            f"\t\tCENTRAL INDEX KEY:\t\t\t{cik}",
            f"\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\t{industry.upper()} [{sic}]",
            f"\t\tIRS NUMBER:\t\t\t\t{ein.replace('-', '')}",
            f"\t\tSTATE OF INCORPORATION:\t\t\t{state}",
            f"\t\tFISCAL YEAR END:\t\t\t{registrant.fye}",
            "", "\tFILING VALUES:", f"\t\tFORM TYPE:\t\t{filing.form}", "\t\tSEC ACT:\t\t1934 Act",
            f"\t\tSEC FILE NUMBER:\t{number}", f"\t\tFILM NUMBER:\t\t{submission.accession[-8:].replace('-', '')}",
            "", "\tBUSINESS ADDRESS:\t", f"\t\tSTREET 1:\t\t{registrant.street.upper()}", f"\t\tCITY:\t\t\t{registrant.city.upper()}",
            f"\t\tSTATE:\t\t\t{registrant.state}", f"\t\tZIP:\t\t\t{registrant.zip}", f"\t\tBUSINESS PHONE:\t\t{registrant.phone}",
        ]  # fmt: skip
        for former, changed in registrant.former_names if cik == registrant.cik else []:
            lines += ["", "\tFORMER COMPANY:\t", f"\t\tFORMER CONFORMED NAME:\t{former.upper()}", f"\t\tDATE OF NAME CHANGE:\t{changed:%Y%m%d}"]  # fmt: skip
    lines.append("</SEC-HEADER>")
    return "\n".join(lines) + "\n"


def _filers(registrant: Registrant) -> list[tuple[str, str, str, str, str, str, str]]:
    one = registrant
    found = [(one.cik, one.name, one.sic, one.industry, one.state, one.ein, one.file_number)]
    other = registrant.co_registrant
    if other:
        found.append((other.cik, other.name, other.sic, other.industry, other.state, other.ein, other.file_number))
    return found


def _tag_header(submission: Submission) -> str:
    filing, registrant = submission.filing, submission.registrant
    lines = [
        f"<SEC-HEADER>{submission.accession}.hdr.sgml : {filing.filed:%Y%m%d}",
        f"<ACCEPTANCE-DATETIME>{submission.accepted:%Y%m%d%H%M%S}",
        f"<ACCESSION-NUMBER>{submission.accession}",
        f"<TYPE>{filing.form}",
        f"<PUBLIC-DOCUMENT-COUNT>{len(submission.documents)}",
        f"<PERIOD>{filing.period:%Y%m%d}",
        *(f"<ITEMS>{item}" for item in filing.items),
        f"<FILING-DATE>{filing.filed:%Y%m%d}",
        f"<DATE-OF-FILING-DATE-CHANGE>{filing.filed:%Y%m%d}",
    ]
    if registrant.abs_class:
        lines.append(f"<ABS-ASSET-CLASS>{registrant.abs_class}")
    for cik, name, sic, _, state, ein, number in _filers(registrant):
        lines += [
            "<FILER>", "<COMPANY-DATA>", f"<CONFORMED-NAME>{name.upper()}", f"<CIK>{cik}", f"<ASSIGNED-SIC>{sic}",
            f"<IRS-NUMBER>{ein.replace('-', '')}", f"<STATE-OF-INCORPORATION>{state}", f"<FISCAL-YEAR-END>{registrant.fye}",
            "</COMPANY-DATA>", "<FILING-VALUES>", f"<FORM-TYPE>{filing.form}", "<ACT>34", f"<FILE-NUMBER>{number}", "</FILING-VALUES>",
            "<BUSINESS-ADDRESS>", f"<STREET1>{registrant.street.upper()}", f"<CITY>{registrant.city.upper()}",
            f"<STATE>{registrant.state}", f"<ZIP>{registrant.zip}", f"<PHONE>{registrant.phone}", "</BUSINESS-ADDRESS>",
        ]  # fmt: skip
        for former, changed in registrant.former_names if cik == registrant.cik else []:
            lines += ["<FORMER-COMPANY>", f"<FORMER-CONFORMED-NAME>{former.upper()}", f"<DATE-CHANGED>{changed:%Y%m%d}", "</FORMER-COMPANY>"]  # fmt: skip
        lines.append("</FILER>")
    return "\n".join([*lines, "</SEC-HEADER>"]) + "\n"


def _head(document: Document) -> str:
    return (
        f"<DOCUMENT>\n<TYPE>{document.type}\n<SEQUENCE>{document.sequence}\n<FILENAME>{document.name}\n"
        f"<DESCRIPTION>{document.description.upper()}\n<TEXT>\n"
    )


def full_submission(submission: Submission) -> bytes:
    """`<accession>.txt`: the header and all documents."""
    opening = f"<SEC-DOCUMENT>{submission.accession}.txt : {submission.filing.filed:%Y%m%d}\n{text_header(submission)}"
    parts = [opening.encode("latin-1", "replace")]
    for document in submission.documents:
        xbrl = b"ix:header" in document.body
        parts += [
            _head(document).encode("latin-1", "replace"),
            b"<XBRL>\n" if xbrl else b"",
            document.body,
            b"</XBRL>\n" if xbrl else b"",
            b"</TEXT>\n</DOCUMENT>\n",
        ]
    return b"".join([*parts, b"</SEC-DOCUMENT>\n"])


def index_headers(submission: Submission) -> bytes:
    """`<accession>-index-headers.html`: tag header in a comment, text header and document list in PRE."""
    listed = "".join(
        escape(_head(d), quote=False)
        + f'<a href="{d.name}">Document {d.sequence} - file: {d.name}</a><br>\n&lt;/DOCUMENT&gt;\n'
        for d in submission.documents
    )
    text = escape(
        f"<SEC-DOCUMENT>{submission.accession}-index.html : {submission.filing.filed:%Y%m%d}\n{text_header(submission)}",
        quote=False,
    )
    page = (
        f"<HTML><HEAD><TITLE>SEC EDGAR Submission {submission.accession}</TITLE>\n<!--\n{_tag_header(submission)}-->\n"
        f"</HEAD><BODY>\n<PRE>{text}{listed}&lt;/SEC-DOCUMENT&gt;\n</PRE></BODY></HTML>\n"
    )
    return page.encode("latin-1", "xmlcharrefreplace")


def index_json(submission: Submission) -> bytes:
    """`index.json` of the folder."""
    stamp = f"{submission.accepted:%Y-%m-%d %H:%M:%S}"
    names = [(f"{submission.accession}-index-headers.html", ""), (f"{submission.accession}.txt", "")]
    names += [(d.name, str(len(d.body))) for d in submission.documents]
    items = [{"last-modified": stamp, "name": name, "type": "text.gif", "size": size} for name, size in names]
    folder = f"/Archives/edgar/data/{int(submission.registrant.cik)}"
    name = f"{folder}/{submission.accession.replace('-', '')}"
    return json.dumps({"directory": {"item": items, "name": name, "parent-dir": folder}}, indent=2).encode()


def filed_quarter(day: date) -> tuple[int, int]:
    """Year and quarter of the index that lists a filing."""
    return day.year, (day.month - 1) // 3 + 1
