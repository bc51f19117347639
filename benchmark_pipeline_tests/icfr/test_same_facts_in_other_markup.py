"""A report set in other markup states the same facts: edges, conclusions, opinion and number of weaknesses stay."""

import gzip
import html
import re
import textwrap
from datetime import date

import pytest

from benchmark_pipeline.edgar.sections import FilingDocument
from benchmark_pipeline.icfr.disclosure import FilingInput, read_disclosures
from benchmark_pipeline_tests.icfr.filings import (
    ADVERSE,
    DCP_NOT,
    DUTY,
    LIMITS,
    NOT_EFFECTIVE,
    ONE,
    audit_report,
    ten_k,
)

SECTION = [
    DCP_NOT, DUTY, NOT_EFFECTIVE[:-1] + " because of the following material weaknesses:", "• We lacked staff.",
    "• We did not maintain segregation of duties.", "Remediation", "• We will hire.", LIMITS, *audit_report(ADVERSE),
    "Changes in Internal Control over Financial Reporting", "There was no change in the company’s controls.",
]  # fmt: skip
REAL = (
    "filings/0001628280-24-007680/", "filings/0001193125-13-096241/", "filings/0001493152-21-032816/",
    "filings/10-k/GE-", "filings/noacc-nsc10k08s/",
)  # fmt: skip


def upper_case_tags(body):
    return re.sub(rb"<(/?)([a-z][a-z0-9]*)(?=[\s>/])", lambda tag: b"<" + tag[1] + tag[2].upper(), body)


def other_references(body):
    for old, new in (
        (b"&#160;", b"&nbsp;"),
        (b"&#8217;", b"&rsquo;"),
        ("’".encode(), b"&#x2019;"),
        (b"&nbsp;", b"&#xA0;"),
    ):
        body = body.replace(old, new)
    return body


def anchors_inside_words(body):
    return re.sub(rb"(?i)(>[^<>]*Proc)(edures)", rb'\1<a name="z"></a>\2', body)


def divisions_for_paragraphs(body):
    return re.sub(rb"(?i)<(/?)p(?=[\s>])", rb"<\1div", body)


def comments_before_ends(body):
    return re.sub(rb"(?i)</(p|div|tr)>", rb"<!-- page --></\1>", body)


def lines_of_other_systems(body):
    return body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def page_furniture_before_headings(body):
    heading = rb"(?i)(<(?:p|div)\b[^<>]*>(?:\s*<[^<>]*>)*\s*item(?:\s|&nbsp;|&#160;|<[^<>]*>)*(?:9B|10)\b)"
    return re.sub(heading, rb'<p>57</p><p><a href="#toc">Table of Contents</a></p><hr>\1', body)


def text_in_parts(body):
    half = rb"><span style='x'>\1</span><span>\2</span><"
    return re.sub(rb">([^<>]{20,40})([^<>]{20,})<", half, body)


def plain_text_in_short_lines(body):
    paragraphs = FilingDocument("report.htm", "10-K", body).text.split("\n")
    wrapped = [textwrap.fill(p, 78, break_long_words=False, break_on_hyphens=False) for p in paragraphs]
    return "\n\n".join(wrapped).encode()


def preformatted(body):
    return (
        b"<html><body><pre>" + html.escape(plain_text_in_short_lines(body).decode()).encode() + b"</pre></body></html>"
    )


CHANGES = [
    upper_case_tags, other_references, anchors_inside_words, divisions_for_paragraphs, comments_before_ends,
    lines_of_other_systems, page_furniture_before_headings, text_in_parts, plain_text_in_short_lines, preformatted,
]  # fmt: skip


def _facts(body, form, period):
    document = FilingDocument("report.htm", form, body)
    result = read_disclosures(
        FilingInput("0009990001-24-000001", form, period.year, date(2024, 2, 21), period, (ONE,), (document,))
    )
    (section,), (row,) = result.sections, result.assertions
    words = (section.text or "").split()
    return (section.status, words[:6], words[-6:], len(words), row.mgmt_conclusion, row.dcp_conclusion, row.attest_opinion,
            row.weaknesses_stated, row.auditor_name, row.mgmt_as_of, row.framework, row.opinion_date,
            row.mgmt_says_no_attestation, row.prior_mw_remediated, len(row.scope_outs))  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_markup_alone_changes_no_fact(change):
    body = ten_k(SECTION).body
    facts = _facts(body, "10-K", date(2023, 12, 31))
    assert facts[4:8] == ("ineffective", "ineffective", "adverse", 2)
    assert _facts(change(body), "10-K", date(2023, 12, 31)) == facts


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize("folder", REAL)
def test_markup_alone_changes_no_fact_of_a_real_report(folder, real_data):
    lines = (real_data / "edgar" / "MANIFEST.csv").read_text(encoding="utf-8").splitlines()
    path = next(line.split(",")[0] for line in lines if line.startswith(folder))
    raw = (real_data / "edgar" / path).read_bytes()
    body = gzip.decompress(raw) if path.endswith(".gz") else raw
    facts = _facts(body, "10-K", date(2023, 12, 31))
    for change in CHANGES:
        assert _facts(change(body), "10-K", date(2023, 12, 31)) == facts, change.__name__
