"""Cover pages of annual reports, with the facts that the forms ask to be tagged."""

from __future__ import annotations

from .authored import Filing, Registrant, fiscal_year
from .prose import Node, long_date

ATTESTATION = (
    "Indicate by check mark whether the registrant has filed a report on and attestation to its management's assessment "
    "of the effectiveness of its internal control over financial reporting under Section 404(b) of the Sarbanes-Oxley "
    "Act (15 U.S.C. 7262(b)) by the registered public accounting firm that prepared or issued its audit report. "
)
CORRECTION = (
    "If securities are registered pursuant to Section 12(b) of the Act, indicate by check mark whether the financial "
    "statements of the registrant included in the filing reflect the correction of an error to previously issued "
    "financial statements. "
)
CATEGORIES = ("Large Accelerated Filer", "Accelerated Filer", "Non-accelerated Filer")
FROM_2023 = 2023


def attested(filing: Filing) -> bool:
    """The value of the attestation flag."""
    return filing.flag if filing.flag is not None else filing.icfr_opinion != "none"


def _yes_no(value: bool) -> str:
    return "Yes ☒ No ☐" if value else "Yes ☐ No ☒"


def hidden_facts(registrant: Registrant, filing: Filing) -> dict[str, str]:
    """Facts that no cover shows."""
    period = filing.period
    focus = filing.focus or fiscal_year(period)
    return {
        "EntityCentralIndexKey": registrant.cik,
        "AmendmentFlag": "true" if filing.form.endswith("/A") else "false",
        "DocumentFiscalYearFocus": str(focus),
        "DocumentFiscalPeriodFocus": "FY",
        "CurrentFiscalYearEndDate": f"--{registrant.fye[:2]}-{registrant.fye[2:]}",
    }


def cover_10k(registrant: Registrant, filing: Filing) -> list[Node]:
    """Cover of a 10-K, 10-KT or their amendments."""
    transition = filing.form.startswith("10-KT")
    start = registrant.fiscal_start(filing)
    nodes = [
        Node("title", "UNITED STATES"),
        Node("title", "SECURITIES AND EXCHANGE COMMISSION"),
        Node("center", "Washington, D.C. 20549"),
        Node("title", f"FORM [[DocumentType={filing.form}]]"),
    ]
    if filing.form.endswith("/A"):
        nodes.append(Node("center", "(Amendment No. 1)"))
    nodes += [
        Node("p", "(Mark One)"),
        Node("p", f"[[DocumentAnnualReport={'false' if transition else 'true'}]] ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934"),
        Node("center", "For the fiscal year ended " + ("________" if transition else f"[[DocumentPeriodEndDate={filing.period}]]")),
        Node("p", f"[[DocumentTransitionReport={'true' if transition else 'false'}]] TRANSITION REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934"),
        Node("center", f"For the transition period from {long_date(start)} to [[DocumentPeriodEndDate={filing.period}]]" if transition else "For the transition period from ________ to ________"),
        Node("center", f"Commission File Number: [[EntityFileNumber={registrant.file_number}]]"),
        Node("title", f"[[EntityRegistrantName={registrant.name}]]"),
        Node("center", "(Exact name of registrant as specified in its charter)"),
        Node("row", f"[[EntityIncorporationStateCountryCode={registrant.state_name}]] | [[EntityTaxIdentificationNumber={registrant.ein}]]"),
        Node("row", "(State or other jurisdiction of incorporation or organization) | (I.R.S. Employer Identification No.)"),
        Node("center", f"[[EntityAddressAddressLine1={registrant.street}]], [[EntityAddressCityOrTown={registrant.city}]], [[EntityAddressStateOrProvince={registrant.state_name}]] [[EntityAddressPostalZipCode={registrant.zip}]]"),
        Node("center", "(Address of principal executive offices) (Zip Code)"),
        Node("center", f"Registrant's telephone number, including area code: {registrant.phone}"),
    ]  # fmt: skip
    other = registrant.co_registrant
    if other:
        nodes += [
            Node("center", f"Commission File Number: [[EntityFileNumber@2={other.file_number}]]"),
            Node("title", f"[[EntityRegistrantName@2={other.name}]]"),
            Node("row", f"[[EntityIncorporationStateCountryCode@2={other.state_name}]] | [[EntityTaxIdentificationNumber@2={other.ein}]]"),
        ]  # fmt: skip
    nodes.append(Node("p", "Securities registered pursuant to Section 12(b) of the Act:"))
    if registrant.exchange:
        nodes.append(Node("row", f"[[Security12bTitle=Common Stock]] | [[TradingSymbol={registrant.stem.upper()}]] | [[SecurityExchangeName={registrant.exchange}]]"))  # fmt: skip
    else:
        nodes.append(Node("center", "None"))
    nodes += [
        Node("p", f"Indicate by check mark if the registrant is a well-known seasoned issuer, as defined in Rule 405 of the Securities Act. {_yes_no(False)}"),
        Node("p", f"Indicate by check mark whether the registrant (1) has filed all reports required to be filed by Section 13 or 15(d) of the Securities Exchange Act of 1934 during the preceding 12 months and (2) has been subject to such filing requirements for the past 90 days. {_yes_no(True)}"),
        *_status(registrant, filing),
    ]  # fmt: skip
    if registrant.shell:
        nodes.append(
            Node(
                "p",
                "Indicate by check mark whether the registrant is a shell company (as defined in Rule 12b-2 of the Act). Yes [[EntityShellCompany=true]] No ☐",
            )
        )
    else:
        nodes.append(
            Node(
                "p",
                "Indicate by check mark whether the registrant is a shell company (as defined in Rule 12b-2 of the Act). Yes ☐ No [[EntityShellCompany=false]]",
            )
        )
    return nodes


def _status(registrant: Registrant, filing: Filing) -> list[Node]:
    category = filing.category or registrant.category
    nodes = [Node("p", "Indicate by check mark whether the registrant is a large accelerated filer, an accelerated filer, a non-accelerated filer, a smaller reporting company, or an emerging growth company.")]  # fmt: skip
    for name in CATEGORIES:
        shown = f"[[EntityFilerCategory={name}]] | ☒" if name == category else f"{name} | ☐"
        nodes.append(Node("row", shown))
    nodes.append(
        Node("row", f"Emerging growth company | [[EntityEmergingGrowthCompany={str(registrant.emerging).lower()}]]")
    )
    if registrant.co_registrant:
        nodes += [
            Node("p", f"{registrant.co_registrant.name}:"),
            Node("row", f"[[EntityFilerCategory@2={registrant.co_registrant.category}]] | ☒"),
        ]
    flag = str(attested(filing)).lower()
    nodes.append(Node("p", f"{ATTESTATION}[[IcfrAuditorAttestationFlag={flag}]]"))
    if registrant.co_registrant:
        nodes += [
            Node("row", f"{registrant.name} | {'Yes' if flag == 'true' else 'No'}"),
            Node("row", f"{registrant.co_registrant.name} | No [[IcfrAuditorAttestationFlag@2=false]]"),
        ]
    if registrant.exchange and filing.filed.year >= FROM_2023:
        corrected = str(filing.error_correction).lower()
        nodes.append(Node("p", f"{CORRECTION}[[DocumentFinStmtErrorCorrectionFlag={corrected}]]"))
    return nodes


def cover_20f(registrant: Registrant, filing: Filing) -> list[Node]:
    """Cover of a 20-F or 20-F/A."""
    return [
        Node("title", "UNITED STATES SECURITIES AND EXCHANGE COMMISSION"),
        Node("center", "Washington, D.C. 20549"),
        Node("title", f"FORM [[DocumentType={filing.form}]]"),
        Node("p", "[[DocumentRegistrationStatement=false]] REGISTRATION STATEMENT PURSUANT TO SECTION 12(b) OR (g) OF THE SECURITIES EXCHANGE ACT OF 1934"),
        Node("p", "[[DocumentAnnualReport=true]] ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934"),
        Node("center", f"For the fiscal year ended [[DocumentPeriodEndDate={filing.period}]]"),
        Node("p", "[[DocumentTransitionReport=false]] TRANSITION REPORT PURSUANT TO SECTION 13 OR 15(d)"),
        Node("p", "[[DocumentShellCompanyReport=false]] SHELL COMPANY REPORT PURSUANT TO SECTION 13 OR 15(d)"),
        Node("center", f"Commission file number: [[EntityFileNumber={registrant.file_number}]]"),
        Node("title", f"[[EntityRegistrantName={registrant.name}]]"),
        Node("center", "(Exact name of Registrant as specified in its charter)"),
        Node("center", f"[[EntityIncorporationStateCountryCode={registrant.state_name}]]"),
        Node("center", "(Jurisdiction of incorporation or organization)"),
        Node("center", f"[[EntityAddressAddressLine1={registrant.street}]], [[EntityAddressCityOrTown={registrant.city}]] {registrant.zip}"),
        *_status(registrant, filing),
        Node("p", "Indicate by check mark which basis of accounting the registrant has used to prepare the financial statements included in this filing: U.S. GAAP ☐ [[DocumentAccountingStandard=International Financial Reporting Standards]] ☒ Other ☐"),
        Node("p", "If this is an annual report, indicate by check mark whether the registrant is a shell company (as defined in Rule 12b-2 of the Exchange Act). Yes ☐ No [[EntityShellCompany=false]]"),
    ]  # fmt: skip


def cover_40f(registrant: Registrant, filing: Filing) -> list[Node]:
    """Cover of a 40-F."""
    return [
        Node("title", "U.S. SECURITIES AND EXCHANGE COMMISSION"),
        Node("center", "Washington, D.C. 20549"),
        Node("title", f"FORM [[DocumentType={filing.form}]]"),
        Node("p", "[[DocumentRegistrationStatement=false]] Registration statement pursuant to Section 12 of the Securities Exchange Act of 1934"),
        Node("p", "[[DocumentAnnualReport=true]] Annual report pursuant to Section 13(a) or 15(d) of the Securities Exchange Act of 1934"),
        Node("center", f"For the fiscal year ended [[DocumentPeriodEndDate={filing.period}]]"),
        Node("center", f"Commission File Number [[EntityFileNumber={registrant.file_number}]]"),
        Node("title", f"[[EntityRegistrantName={registrant.name}]]"),
        Node("center", f"[[EntityIncorporationStateCountryCode={registrant.state_name}]]"),
        Node("center", f"[[EntityAddressAddressLine1={registrant.street}]], [[EntityAddressCityOrTown={registrant.city}]] {registrant.zip}"),
        *_status(registrant, filing)[1:],
    ]  # fmt: skip
