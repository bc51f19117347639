"""A filing that takes too long is rejected with its reason and stops nothing."""

from datetime import date

import pytest

from benchmark_pipeline.assets import disclosures
from benchmark_pipeline.assets.time_limit import TimeLimitExceededError, time_limit
from benchmark_pipeline.edgar.sections import FilingDocument
from benchmark_pipeline.icfr.disclosure import FilingInput
from benchmark_pipeline.icfr.registrants import Registrant


def test_a_filing_over_the_limit_is_rejected_as_too_complex():
    body = b"<html><body>" + b"<p>Item 9A. Controls and Procedures</p><p>disclosure controls</p>" * 200_000
    filing = FilingInput(
        "0009990001-24-000001",
        "10-K",
        2023,
        date(2024, 2, 21),
        date(2023, 12, 31),
        (Registrant("0009990001", "Unnamed"),),
        (FilingDocument("report.htm", "10-K", body),),
    )
    result = disclosures.read_within_limit(filing, seconds=0.05)
    assert result.sections[0].reject_reason == "too_complex"
    assert result.assertions[0].mgmt_conclusion == "absent"


def test_work_over_the_limit_is_interrupted_and_later_work_is_not():
    with pytest.raises(TimeLimitExceededError), time_limit(0.02):
        while True:
            pass
    sum(range(1_000_000))
