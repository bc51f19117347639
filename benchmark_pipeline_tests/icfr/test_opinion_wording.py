"""Sentences of auditors on ICFR, of auditors who did not audit it, and of others who speak of opinions."""

import pytest

from benchmark_pipeline_tests.icfr.filings import ADVERSE, DCP, DUTY, EFFECTIVE, OPINION, assertion, audit_report

REFERENCE = (
    "We have also audited, in accordance with the standards of the Public Company Accounting Oversight Board (United "
    "States), the effectiveness of the Company's internal control over financial reporting as of December 31, 2023, "
    "based on the COSO criteria, and our report dated February 20, 2024 expressed "
)


def _opinion(*sentences):
    return assertion([DCP, DUTY, EFFECTIVE], item_8=audit_report(*sentences)).attest_opinion


@pytest.mark.parametrize(
    "sentence",
    [
        OPINION,
        REFERENCE + "an unqualified opinion thereon.",
        REFERENCE + "an opinion that the Company had maintained effective internal control over financial reporting.",
        "In our opinion, the Company's internal control over financial reporting was effective, in all material respects, as of December 31, 2023.",
        "In our opinion, the Company has, in all material respects, maintained effective internal control over financial reporting as of December 31, 2023.",
        "In our opinion, management’s assertion that Quillmere Bancorp maintained effective internal control over financial reporting as of December 31, 2023 is fairly stated.",
    ],
)  # fmt: skip
def test_an_unqualified_opinion_is_read(sentence):
    assert _opinion(sentence) == "unqualified"


@pytest.mark.parametrize(
    "sentence",
    [
        ADVERSE,
        REFERENCE + "an adverse opinion thereon.",
        REFERENCE + "an unqualified opinion on management's assessment and an adverse opinion on the effectiveness of internal control over financial reporting.",
        REFERENCE + "an opinion that the Company had not maintained effective internal control over financial reporting.",
        "In our opinion, the Company's internal control over financial reporting was not effective as of December 31, 2023.",
        "Also in our opinion, the Company did not maintain, in all material respects, effective internal control over financial reporting as of December 31, 2023 because material weaknesses existed.",
    ],
)  # fmt: skip
def test_an_adverse_opinion_is_read(sentence):
    assert _opinion(sentence) == "adverse"


@pytest.mark.parametrize(
    "sentence",
    [
        "We were not engaged to examine management's assertion about internal control over financial reporting and, accordingly, we do not express an opinion thereon.",
        "We considered internal control over financial reporting, but not for the purpose of expressing an opinion on its effectiveness. Accordingly, we express no such opinion.",
        "If our auditors are of the opinion that we have not maintained effective internal control over financial reporting, our shares may fall.",
    ],
)  # fmt: skip
def test_an_auditor_who_gave_no_opinion_gave_none(sentence):
    assert _opinion(sentence) == "none"


def test_words_on_remediation_do_not_turn_an_adverse_opinion_into_a_disclaimer():
    remediation = "We do not express an opinion or any other form of assurance on management's statement on remediation of internal control over financial reporting."
    assert _opinion(ADVERSE, remediation) == "adverse"
