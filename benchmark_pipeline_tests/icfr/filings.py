"""Small fictional annual reports for the tests of this folder."""

from datetime import date

from benchmark_pipeline.edgar.sections import FilingDocument
from benchmark_pipeline.icfr.disclosure import FilingInput, read_disclosures
from benchmark_pipeline.icfr.registrants import Registrant

YEAR_END = date(2023, 12, 31)
ONE = Registrant("0009990001", "Quillmere Pumps Inc", "3561", "DE")
DCP = "Our officers concluded that our disclosure controls and procedures were effective as of December 31, 2023."
DCP_NOT = (
    "Our officers concluded that our disclosure controls and procedures were not effective as of December 31, 2023."
)
DUTY = "Management is responsible for establishing and maintaining adequate internal control over financial reporting."
EFFECTIVE = (
    "Using the criteria of COSO (2013), management concluded that our internal control over financial reporting was "
    "effective as of December 31, 2023."
)
NOT_EFFECTIVE = EFFECTIVE.replace("was effective", "was not effective")
LIMITS = (
    "Because of its inherent limitations, internal control over financial reporting may not prevent or detect "
    "misstatements, and projections of any evaluation of effectiveness to future periods are subject to risk."
)
DEFINITION = (
    "A material weakness is a deficiency, or a combination of deficiencies, in internal control over financial reporting "
    "such that there is a reasonable possibility that a material misstatement will not be prevented or detected."
)
NO_ATTESTATION = (
    "This annual report does not include an attestation report of our registered public accounting firm regarding "
    "internal control over financial reporting."
)
OPINION = (
    "In our opinion, the Company maintained, in all material respects, effective internal control over financial "
    "reporting as of December 31, 2023, based on the COSO criteria."
)
ADVERSE = (
    "In our opinion, because of the effect of the material weakness described below, the Company has not maintained "
    "effective internal control over financial reporting as of December 31, 2023, based on the COSO criteria."
)
SIGNED = ["/s/ Brackwell Thorne LLP", "Duluth, Minnesota", "February 20, 2024"]


def ten_k(section, item_8=(), item_1a=()):
    """A 10-K document around the blocks of Item 9A."""
    blocks = [
        "Item 9A. Controls and Procedures 40", "Item 9B. Other Information 41",
        "Item 1A. Risk Factors", *item_1a, "Item 8. Financial Statements", *item_8,
        "Item 9A. Controls and Procedures", *section, "Item 9B. Other Information", "None.", "SIGNATURES",
    ]  # fmt: skip
    return FilingDocument("q10k.htm", "10-K", "".join(f"<p>{block}</p>" for block in blocks).encode())


def read(section, item_8=(), item_1a=(), registrants=(ONE,), period=YEAR_END):
    """All rows read from one report."""
    return read_disclosures(
        FilingInput(
            "0009990001-24-000001",
            "10-K",
            2023,
            date(2024, 2, 21),
            period,
            registrants,
            (ten_k(section, item_8, item_1a),),
        )
    )


def assertion(section, item_8=(), item_1a=(), **more):
    """The assertion row of a report of one registrant."""
    (row,) = read(section, item_8, item_1a, **more).assertions
    return row


def audit_report(*sentences):
    """Blocks of an auditor's report."""
    return [
        "Report of Independent Registered Public Accounting Firm",
        "To the Shareholders and the Board of Directors of Quillmere Pumps Inc",
        "We have audited the internal control over financial reporting of Quillmere Pumps Inc as of December 31, 2023.",
        *sentences,
        *SIGNED,
    ]
