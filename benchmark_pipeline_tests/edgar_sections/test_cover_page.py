"""Cover-page facts: the transform decides, absence is not false, a co-registrant keeps its own."""

from datetime import date

import pytest

from benchmark_pipeline.edgar.cover_page import boolean, read_cover_pages
from benchmark_pipeline.edgar.text import normalise


def _fact(name, value, fmt="", context="c-1"):
    form = f' format="{fmt}"' if fmt else ""
    return f'<ix:nonNumeric contextRef="{context}" name="dei:{name}"{form}>{value}</ix:nonNumeric>'


def _read(*facts, prefix=""):
    body = f"<html><body>{prefix}<p>{''.join(facts)}</p></body></html>".encode()
    return read_cover_pages(body, normalise(body))


@pytest.mark.parametrize(
    ("value", "transform", "expected"),
    [
        ("☒", "ixt:fixed-true", "true"), ("☒", "ixt:booleanfalse", "false"), ("No", "ixt:fixed-false", "false"),
        ("þ", "ixt:fixed-true", "true"), ("x", "ixt:booleantrue", "true"), ("☑", "ixt-sec:boolballotbox", "true"),
        ("☐", "ixt-sec:boolballotbox", "false"), ("true", "", "true"), ("false", "", "false"),
        ("þ", "", "unknown"), ("", "", "unknown"), ("perhaps", "ixt-sec:boolballotbox", "unknown"),
    ],
)  # fmt: skip
def test_a_boolean_is_read_from_its_transform_before_its_glyph(value, transform, expected):
    assert boolean(value, transform) == expected


def test_a_ticked_box_beside_the_word_no_is_false_when_tagged_false():
    (page,) = _read(_fact("IcfrAuditorAttestationFlag", "&#x2612;", "ixt:booleanfalse"))
    assert page.attest_flag == "false"


def test_an_absent_fact_is_absent_and_two_values_that_differ_are_unknown():
    (page,) = _read(
        _fact("EntityShellCompany", "false"),
        _fact("IcfrAuditorAttestationFlag", "true"),
        _fact("IcfrAuditorAttestationFlag", "false"),
    )
    assert page.error_correction_flag == "absent"
    assert page.shell_company == "false"
    assert page.attest_flag == "unknown"


def test_a_date_with_a_nested_fact_is_read_whole():
    inner = _fact("CurrentFiscalYearEndDate", "December 31", "ixt:date-monthname-day-en")
    (page,) = _read(_fact("DocumentPeriodEndDate", f"{inner}, 2023", "ixt:date-monthname-day-year-en"))
    assert page.period_end == date(2023, 12, 31)


def test_a_co_registrant_has_a_cover_page_of_its_own():
    context = (
        '<ix:header><xbrli:context id="c-2"><xbrli:entity><xbrli:identifier scheme="http://www.sec.gov/CIK">0000000222'
        '</xbrli:identifier><xbrli:segment><xbrldi:explicitMember dimension="dei:LegalEntityAxis">a:B</xbrldi:explicitMember>'
        "</xbrli:segment></xbrli:entity></xbrli:context></ix:header>"
    )
    main, other = _read(
        _fact("EntityCentralIndexKey", "0000000111"),
        _fact("IcfrAuditorAttestationFlag", "☒", "ixt:fixed-true"),
        _fact("IcfrAuditorAttestationFlag", "☐", "ixt:fixed-false", "c-2"),
        prefix=context,
    )
    assert (main.cik, main.attest_flag) == ("0000000111", "true")
    assert (other.cik, other.attest_flag) == ("0000000222", "false")


def test_an_untagged_cover_gives_its_period_and_no_guess_of_its_boxes():
    body = b"ANNUAL REPORT\n\nFor the fiscal year ended September 29, 2007\n\nShell company: Yes [ ] No [X]\n"
    (page,) = read_cover_pages(body, normalise(body))
    assert (page.period_end, page.source, page.shell_company) == (date(2007, 9, 29), "text", "absent")


@pytest.mark.parametrize(
    "line",
    [
        "For the fiscal year ended September 29, 2007",
        "For fiscal year ended September 29, 2007",
        "FOR THE YEAR ENDED: SEPTEMBER 29, 2007",
        "For its financial year ended 29 September 2007",
        "For the fiscal year ending September 29, 2007   Commission file number 0-99999",
        "For the fiscal year ended\nSeptember 29, 2007",
    ],
)
def test_the_period_of_an_untagged_cover_is_read_however_its_line_is_worded(line: str) -> None:
    body = f"FORM 20-F\n\n{line}\n\nShell company: Yes [ ] No [X]\n".encode()
    (page,) = read_cover_pages(body, normalise(body))
    assert page.period_end == date(2007, 9, 29)
