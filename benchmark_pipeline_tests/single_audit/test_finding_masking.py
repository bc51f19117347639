"""Masking of auditees, auditors and people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from single_audit_rows import general

from benchmark_pipeline.single_audit.masking import Masker, leaked, mask_people
from benchmark_pipeline.single_audit.records import Report


def masker(**changes: str) -> Masker:
    return Masker(Report.model_validate(general(**changes)))


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Quintard signs.",
        "Marlow Quintard signs.",
        "Marlow J. Quintard signs.",
        "QUINTARD, MARLOW signs.",
        "M. Quintard signs.",
    ],
)
def test_a_person_of_the_header_is_masked_in_every_form(text: str) -> None:
    assert "uintard" not in masker().mask(text).text.lower()
    assert "[PERSON]" in masker().mask(text).text


def test_the_auditee_is_masked_in_full_by_its_core_and_by_its_acronym() -> None:
    masked = masker(auditee_name="TESTERVILLE HOUSING CORPORATION, INC.").mask(
        "Testerville Housing Corporation (THC) owns it. THC and Testerville's staff agree; the Corporation pays."
    )
    assert masked.text == "[AUDITEE] ([AUDITEE]) owns it. [AUDITEE] and [AUDITEE] staff agree; the Corporation pays."


def test_a_generic_name_does_not_mask_generic_words() -> None:
    masked = masker(auditee_name="COMMUNITY HEALTH CENTER").mask("The health center is one of the community centers.")
    assert masked.text == "The health center is one of the community centers."


def test_the_audit_firm_is_masked() -> None:
    assert masker().mask("Harbor & Finch recommends it.").text == "[AUDITOR] recommends it."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Contact: Zephyrine Oakhollow, Deputy State Controller", "Contact: [PERSON], Deputy State Controller"),
        (
            "Contact Person: Tarquin OakleighPlanned completion date: May 1",
            "Contact Person: [PERSON]Planned completion date: May 1",
        ),
        ("Ulric Brandstatter, Director of Finance, will do it.", "[PERSON], Director of Finance, will do it."),
        ("Ms. Thornapple left in May.", "[PERSON] left in May."),
        ("Write to zo@demo.invalid or 207-555-0110.", "Write to [EMAIL] or [PHONE]."),
        ("Later Jennifer Whitlock-Ames and Oswin Tarrant agreed.", "Later [PERSON] and [PERSON] agreed."),
        ("Aurelio G. Pinkwater agreed.", "[PERSON] agreed."),
    ],
)
def test_people_are_masked_where_auditors_print_them(text: str, expected: str) -> None:
    assert mask_people(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "Condition: The Department of Education paid under the William D. Ford Federal Direct Loan Program.",
        "The Robert T. Stafford Disaster Relief Act and the Davis-Bacon Act apply.",
        "Pell Grant funds were drawn. Special Tests and Provisions; Uniform Guidance 2 CFR 200.303(a).",
        "Views of Responsible Officials: The County agrees. Contact: See F-9",
        "In June 2023 the Finance Director and the Executive Director met.",
    ],
)
def test_programs_statutes_and_offices_are_left_alone(text: str) -> None:
    assert mask_people(text).text == text


@given(st.text(alphabet=st.sampled_from("ABJabjonhs .,:;()[]-@0123456789\n\ue000’"), max_size=120))
def test_masking_a_masked_text_changes_nothing(text: str) -> None:
    once = masker().mask(text).text
    assert masker().mask(once).text == once


@given(
    first=st.from_regex(r"[A-Z][a-z]{2,8}", fullmatch=True),
    last=st.from_regex(r"[A-Z][a-z]{3,10}", fullmatch=True),
    line=st.sampled_from(["{} signed.", "Signed by {}.", "{}, Clerk, and the rest", "as told by\n{}\nto us", "({})"]),
)
def test_no_header_person_survives_whatever_the_name(first: str, last: str, line: str) -> None:
    name = f"{first} {last}"
    report = Report.model_validate(general(auditee_contact_name=name.upper()))
    masked = Masker(report).mask(line.format(name)).text
    # A contact whose "name" is an office or a common word ("The Board") names nobody.
    if Masker(report).mask(name).text != name:
        assert not leaked(masked, [name])
