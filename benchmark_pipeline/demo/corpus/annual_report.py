"""Annual reports on Forms 10-K, 10-KT and 20-F: cover, table of contents, items, statements, signatures."""

from __future__ import annotations

from collections.abc import Iterable

from .auditor_report import icfr_report, statements_report
from .authored import Filing, Registrant, firms, fiscal_year
from .cover_page import cover_10k, cover_20f
from .prose import Node, fill, long_date, parse

ITEMS_10K: tuple[tuple[str, str, str], ...] = (
    ("PART I", "1", "Business"),
    ("", "1A", "Risk Factors"),
    ("", "1B", "Unresolved Staff Comments"),
    ("", "1C", "Cybersecurity"),
    ("", "2", "Properties"),
    ("", "3", "Legal Proceedings"),
    ("", "4", "Mine Safety Disclosures"),
    ("PART II", "5", "Market for Registrant's Common Equity, Related Stockholder Matters and Issuer Purchases of Equity Securities"),
    ("", "6", "[Reserved]"),
    ("", "7", "Management's Discussion and Analysis of Financial Condition and Results of Operations"),
    ("", "7A", "Quantitative and Qualitative Disclosures About Market Risk"),
    ("", "8", "Financial Statements and Supplementary Data"),
    ("", "9", "Changes in and Disagreements with Accountants on Accounting and Financial Disclosure"),
    ("", "9A", "Controls and Procedures"),
    ("", "9B", "Other Information"),
    ("", "9C", "Disclosure Regarding Foreign Jurisdictions that Prevent Inspections"),
    ("PART III", "10", "Directors, Executive Officers and Corporate Governance"),
    ("", "11", "Executive Compensation"),
    ("", "12", "Security Ownership of Certain Beneficial Owners and Management and Related Stockholder Matters"),
    ("", "13", "Certain Relationships and Related Transactions, and Director Independence"),
    ("", "14", "Principal Accountant Fees and Services"),
    ("PART IV", "15", "Exhibits and Financial Statement Schedules"),
    ("", "16", "Form 10-K Summary"),
)  # fmt: skip

ITEMS_20F: tuple[tuple[str, str, str], ...] = (
    ("PART I", "3", "Key Information"),
    ("", "4", "Information on the Company"),
    ("", "5", "Operating and Financial Review and Prospects"),
    ("", "8", "Financial Information"),
    ("PART II", "13", "Defaults, Dividend Arrearages and Delinquencies"),
    ("", "14", "Material Modifications to the Rights of Security Holders and Use of Proceeds"),
    ("", "15", "Controls and Procedures"),
    ("", "16A", "Audit Committee Financial Expert"),
    ("", "16C", "Principal Accountant Fees and Services"),
    ("PART III", "17", "Financial Statements"),
    ("", "18", "Financial Statements"),
    ("", "19", "Exhibits"),
)


def words(registrant: Registrant, filing: Filing) -> dict[str, str]:
    """Words that a passage may name in braces."""
    earlier = [f.period for f in registrant.annual() if f.period < filing.period]
    auditor = filing.auditor or registrant.auditor
    firm = firms()[auditor].name if auditor else ""
    year = fiscal_year(filing.period)
    return {
        "company": registrant.name,
        "as_of": long_date(filing.period),
        "year": str(year),
        "prior_year": str(year - 1),
        "prior_as_of": long_date(earlier[-1] if earlier else filing.period.replace(year=filing.period.year - 1)),
        "auditor": firm,
        **filing.words,
    }


def controls(registrant: Registrant, filing: Filing) -> list[Node]:
    """The controls section as authored."""
    passages = registrant.blocks | filing.blocks
    told = words(registrant, filing)
    nodes: list[Node] = []
    for name in filing.order or registrant.order:
        nodes += parse(fill(passages[name], told))
    if filing.opinion_in == "item9a" and filing.icfr_opinion != "none":
        nodes += icfr_report(registrant, filing)
    return nodes


def statements(registrant: Registrant, filing: Filing) -> list[Node]:
    """Reports and short statements of Item 8 or the F-pages."""
    nodes: list[Node] = []
    if filing.report_in_item8:
        nodes += parse(fill(filing.report_in_item8, words(registrant, filing)))
    if registrant.auditor:
        here = filing.icfr_opinion != "none" and filing.opinion_in == "item8"
        separate = registrant.look in {1, 3}  # one report for both, or two: firms do either
        if here and separate:
            nodes += [*statements_report(registrant, filing, False), *icfr_report(registrant, filing)]
        else:
            nodes += statements_report(registrant, filing, here)
    revenue, income, assets = filing.figures or (None, None, None)
    nodes.append(Node("title", "CONSOLIDATED FINANCIAL STATEMENTS"))
    nodes.append(Node("p", f"(in millions) As of and for the period ended {long_date(filing.period)}"))
    if revenue is not None:
        nodes += [
            Node("row", f"Revenues | $ [[usgaap_Revenues={revenue}]]"),
            Node("row", f"Net income (loss) | $ [[usgaap_NetIncomeLoss={income}]]"),
            Node("row", f"Total assets | $ [[usgaap_Assets={assets}]]"),
        ]
    notes = (registrant.blocks | filing.blocks).get("notes")
    if notes:
        nodes += parse(fill(notes, words(registrant, filing)))
    return nodes


def contents(items: Iterable[tuple[str, str, str]]) -> list[Node]:
    """The table of contents."""
    nodes = [Node("title", "TABLE OF CONTENTS")]
    for page, (part, number, title) in enumerate(items, 3):
        if part:
            nodes.append(Node("row", f"{part} | "))
        nodes.append(Node("row", f"Item {number}. | {title} | {page}"))
    return nodes


def report_10k(registrant: Registrant, filing: Filing) -> list[Node]:
    """A whole 10-K or 10-KT."""
    told = words(registrant, filing)
    passages = registrant.blocks | filing.blocks
    given = {
        "1": registrant.business,
        "1A": registrant.risk,
        "7": registrant.discussion,
    }
    short = {
        "1B": "None.",
        "1C": "The audit committee oversees risks from cybersecurity threats.",
        "2": f"Our principal offices are in {registrant.city}, {registrant.state_name}.",
        "3": "We are party to ordinary routine litigation incidental to the business.",
        "4": "Not applicable.",
        "5": "Holders of record and dividends are described in the notes to the financial statements.",
        "6": "",
        "7A": "See the discussion of market risk in Item 7.",
        "9": passages.get("item9", "None."),
        "9B": passages.get("item9b", "None."),
        "9C": "Not applicable.",
        "15": "The financial statements listed in Item 8 and the exhibits in the exhibit index are filed as part of this report.",
        "16": "None.",
    }
    items = [row for row in ITEMS_10K if _kept(row[1], registrant, filing)]
    nodes = [*cover_10k(registrant, filing), Node("page", ""), *contents(items), Node("page", "")]
    for part, number, title in items:
        if part:
            nodes.append(Node("part", part))
        heading = registrant.controls_heading if number == "9A" else title
        nodes.append(Node("item", heading, f"Item {number}."))
        if number == "8":
            nodes += [*statements(registrant, filing), Node("page", "")]
        elif number == "9A":
            nodes += controls(registrant, filing)
        elif number in given:
            nodes += [*parse(fill(given[number], told)), Node("page", "")]
        elif number in {"10", "11", "12", "13", "14"}:
            nodes.append(
                Node("p", "Incorporated by reference to the definitive proxy statement for the annual meeting.")
            )
        elif short[number]:
            nodes.append(Node("p", short[number]))
    return nodes + signatures(registrant, filing)


def _kept(number: str, registrant: Registrant, filing: Filing) -> bool:
    if number == "1C":
        return filing.period.year > 2023 or (filing.period.year == 2023 and filing.period.month == 12)
    return number != "9A" or bool(filing.order or registrant.order)


def report_20f(registrant: Registrant, filing: Filing) -> list[Node]:
    """A whole 20-F."""
    told = words(registrant, filing)
    given = {"3": registrant.risk, "4": registrant.business, "5": registrant.discussion}
    nodes = [*cover_20f(registrant, filing), Node("page", ""), *contents(ITEMS_20F), Node("page", "")]
    for part, number, title in ITEMS_20F:
        if part:
            nodes.append(Node("part", part))
        nodes.append(Node("item", registrant.controls_heading if number == "15" else title, f"Item {number}."))
        if number == "15":
            nodes += controls(registrant, filing)
        elif number in given:
            nodes += [*parse(fill(given[number], told)), Node("page", "")]
        elif number == "18":
            nodes.append(Node("p", "The financial statements begin on page F-1."))
        elif number == "16A":
            nodes.append(Node("p", "The board has determined that the audit committee has a financial expert."))
        else:
            nodes.append(Node("p", "Not applicable." if number in {"13", "14", "17"} else "See the statements."))
    return [*nodes, *signatures(registrant, filing), Node("page", ""), *statements(registrant, filing)]


def signatures(registrant: Registrant, filing: Filing) -> list[Node]:
    """The signature page, which names an office and no person."""
    return [
        Node("title", "SIGNATURES"),
        Node("p", "Pursuant to the requirements of Section 13 or 15(d) of the Securities Exchange Act of 1934, the registrant has duly caused this report to be signed on its behalf by the undersigned, thereunto duly authorized."),
        Node("p", registrant.name),
        *([Node("p", registrant.co_registrant.name)] if registrant.co_registrant else []),
        Node("p", f"Date: {long_date(filing.filed)}"),
        Node("p", "By: /s/ Chief Financial Officer"),
    ]  # fmt: skip
