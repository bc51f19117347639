"""All other documents: 40-F with its exhibits, amendments, quarterly and current reports, late notices, 6-K."""

from __future__ import annotations

from .annual_report import controls, report_10k, report_20f, signatures, statements, words
from .auditor_report import icfr_report
from .authored import Attachment, Filing, Registrant
from .cover_page import cover_10k, cover_20f, cover_40f
from .prose import Node, fill, long_date, parse

ITEM_TITLES = {
    "2.02": "Results of Operations and Financial Condition",
    "4.01": "Changes in Registrant's Certifying Accountant",
    "4.02": "Non-Reliance on Previously Issued Financial Statements or a Related Audit Report or Completed Interim Review",
    "8.01": "Other Events",
    "9.01": "Financial Statements and Exhibits",
}


def primary_document(registrant: Registrant, filing: Filing) -> list[Node]:
    """The parts of the primary document of any filing."""
    if filing.body:
        builders = {
            "8-K": current_report,
            "10-Q": quarterly_report,
            "NT 10-K": late_notice,
            "6-K": foreign_report,
            "DEF 14A": proxy_statement,
        }
        base = filing.form.removesuffix("/A") if filing.form.startswith("8-K") else filing.form
        if base in builders:
            return builders[base](registrant, filing)
        if filing.form in {"10-K", "10-KT"}:
            return [*cover_10k(registrant, filing), *_body(registrant, filing), *signatures(registrant, filing)]
        return amendment(registrant, filing)
    if filing.form == "20-F":
        return report_20f(registrant, filing)
    if filing.form == "40-F":
        return report_40f(registrant, filing)
    return report_10k(registrant, filing)


def _body(registrant: Registrant, filing: Filing) -> list[Node]:
    """An authored body, in which `## 9A Title` heads an item and `@audit` stands for the auditor's reports."""
    nodes: list[Node] = []
    for chunk in fill(filing.body, words(registrant, filing)).split("\n\n"):
        text = chunk.strip()
        if text.startswith("## "):
            number, _, title = text[3:].partition(" ")
            nodes.append(Node("item", title, f"Item {number}."))
        elif text == "@audit":
            nodes += statements(registrant, filing)
        elif text == "@icfr_audit":
            nodes += icfr_report(registrant, filing)
        elif text == "@controls":
            nodes += controls(registrant, filing)
        elif text:
            nodes += parse(text)
    return nodes


def report_40f(registrant: Registrant, filing: Filing) -> list[Node]:
    """The main document of a 40-F; statements and discussion are its exhibits."""
    return [
        *cover_40f(registrant, filing),
        Node("page", ""),
        Node("title", "ANNUAL INFORMATION FORM, AUDITED STATEMENTS AND MD&A"),
        *parse(registrant.business),
        Node("title", registrant.controls_heading.upper()),
        *controls(registrant, filing),
        Node("title", "CODE OF ETHICS"),
        Node("p", "A code of ethics applies to all directors, officers and employees."),
        *signatures(registrant, filing),
    ]


def attachment_document(registrant: Registrant, filing: Filing, attachment: Attachment) -> list[Node]:
    """The parts of a further document."""
    nodes = [Node("title", attachment.title), *parse(fill(attachment.body, words(registrant, filing)))]
    return nodes + (statements(registrant, filing) if attachment.auditor_report else [])


def amendment(registrant: Registrant, filing: Filing) -> list[Node]:
    """An amended annual report."""
    cover = cover_20f if filing.form.startswith("20-F") else cover_10k
    return [*cover(registrant, filing), *_body(registrant, filing), *signatures(registrant, filing)]


def current_report(registrant: Registrant, filing: Filing) -> list[Node]:
    """An 8-K."""
    return [
        Node("title", "UNITED STATES"),
        Node("title", "SECURITIES AND EXCHANGE COMMISSION"),
        Node("center", "WASHINGTON, D.C. 20549"),
        Node("title", f"FORM [[DocumentType={filing.form}]]"),
        Node("title", "CURRENT REPORT"),
        Node("center", "Pursuant to Section 13 or 15(d) of the Securities Exchange Act of 1934"),
        Node("center", f"Date of Report (Date of earliest event reported): [[DocumentPeriodEndDate={filing.period}]]"),
        Node("title", f"[[EntityRegistrantName={registrant.name}]]"),
        Node("row", f"{registrant.state_name} | {registrant.file_number} | {registrant.ein}"),
        Node("center", f"{registrant.street}, {registrant.city}, {registrant.state_name} {registrant.zip}"),
        *_items(registrant, filing),
        Node("title", "SIGNATURES"),
        Node("p", "Pursuant to the requirements of the Securities Exchange Act of 1934, the registrant has duly caused this report to be signed on its behalf by the undersigned hereunto duly authorized."),
        Node("p", registrant.name),
        Node("p", f"Date: {long_date(filing.filed)}"),
    ]  # fmt: skip


def _items(registrant: Registrant, filing: Filing) -> list[Node]:
    nodes: list[Node] = []
    text = fill(filing.body, words(registrant, filing))
    for number, passage in zip(filing.items, text.split("\n====\n"), strict=True):
        nodes += [Node("item", f"{ITEM_TITLES[number]}.", f"Item {number}"), *parse(passage)]
    return nodes


def quarterly_report(registrant: Registrant, filing: Filing) -> list[Node]:
    """A short 10-Q: Part I, Item 4 is the authored text."""
    return [
        Node("title", "UNITED STATES"),
        Node("title", "SECURITIES AND EXCHANGE COMMISSION"),
        Node("title", f"FORM [[DocumentType={filing.form}]]"),
        Node("p", "[[DocumentQuarterlyReport=true]] QUARTERLY REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934"),
        Node("center", f"For the quarterly period ended [[DocumentPeriodEndDate={filing.period}]]"),
        Node("title", f"[[EntityRegistrantName={registrant.name}]]"),
        Node("part", "PART I. FINANCIAL INFORMATION"),
        Node("item", "Financial Statements", "Item 1."),
        Node("p", "The condensed statements and notes are unaudited."),
        Node("item", "Management's Discussion and Analysis of Financial Condition and Results of Operations", "Item 2."),
        *parse(registrant.discussion.split("\n\n")[0]),
        Node("item", "Quantitative and Qualitative Disclosures About Market Risk", "Item 3."),
        Node("p", "There was no material change."),
        Node("item", "Controls and Procedures", "Item 4."),
        *parse(fill(filing.body, words(registrant, filing))),
        Node("part", "PART II. OTHER INFORMATION"),
        Node("item", "Legal Proceedings", "Item 1."),
        Node("p", "None."),
        *signatures(registrant, filing),
    ]  # fmt: skip


def late_notice(registrant: Registrant, filing: Filing) -> list[Node]:
    """An NT 10-K (Form 12b-25): Part III is the authored text."""
    return [
        Node("title", "UNITED STATES"),
        Node("title", "SECURITIES AND EXCHANGE COMMISSION"),
        Node("title", "FORM 12b-25"),
        Node("title", "NOTIFICATION OF LATE FILING"),
        Node("p", "(Check one): ☒ Form 10-K ☐ Form 20-F ☐ Form 11-K ☐ Form 10-Q"),
        Node("p", f"For Period Ended: {long_date(filing.period)}"),
        Node("part", "PART I - REGISTRANT INFORMATION"),
        Node("p", registrant.name),
        Node("p", f"{registrant.street}, {registrant.city}, {registrant.state_name} {registrant.zip}"),
        Node("part", "PART III - NARRATIVE"),
        *parse(fill(filing.body, words(registrant, filing))),
        Node("part", "PART IV - OTHER INFORMATION"),
        Node("p", f"Name and telephone number of person to contact: Chief Financial Officer, {registrant.phone}"),
        Node("p", f"Date: {long_date(filing.filed)}"),
    ]


def foreign_report(registrant: Registrant, filing: Filing) -> list[Node]:
    """A 6-K, which has no item codes."""
    return [
        Node("title", "UNITED STATES SECURITIES AND EXCHANGE COMMISSION"),
        Node("title", "FORM 6-K"),
        Node("center", "REPORT OF FOREIGN PRIVATE ISSUER PURSUANT TO RULE 13a-16 OR 15d-16 UNDER THE SECURITIES EXCHANGE ACT OF 1934"),
        Node("center", f"For the month of {filing.filed:%B %Y}"),
        Node("title", registrant.name),
        Node("p", "Indicate by check mark whether the registrant files or will file annual reports under cover of Form 20-F or Form 40-F. Form 20-F ☒ Form 40-F ☐"),
        *parse(fill(filing.body, words(registrant, filing))),
        *signatures(registrant, filing),
    ]  # fmt: skip


def proxy_statement(registrant: Registrant, filing: Filing) -> list[Node]:
    """A DEF 14A: of no interest to the benchmark, as most of what an index lists."""
    return [
        Node("title", "SCHEDULE 14A"),
        Node("center", "Proxy Statement Pursuant to Section 14(a) of the Securities Exchange Act of 1934"),
        Node("title", registrant.name),
        *parse(fill(filing.body, words(registrant, filing))),
    ]
