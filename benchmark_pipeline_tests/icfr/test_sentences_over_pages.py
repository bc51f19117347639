"""A sentence that runs over the end of a page is read as one, whatever the running head or foot says."""

import pytest
from filings import DCP, EFFECTIVE, assertion

from benchmark_pipeline.icfr.regions import reading_view

FURNITURE = [
    ["34"],
    ["K-34"],
    ["Page 34 of 60"],
    ["- 34 -", "QUILLMERE PUMPS INC 10-K 2023"],
    ["Quillmere Pumps Inc 2023 Form 10-K 34"],
    ["34 Quillmere Pumps Inc Annual Report"],
    ["Table of Contents", "Quillmere Pumps Inc"],
]


@pytest.mark.parametrize("furniture", FURNITURE)
def test_a_conclusion_broken_by_a_page_is_read(furniture):
    first, last = EFFECTIVE.split("over financial", 1)
    row = assertion([DCP, first + "over", *furniture, "financial" + last])
    assert row.mgmt_conclusion == "effective"


def test_a_list_in_lower_case_keeps_each_of_its_lines():
    text = "we lacked controls over\nLeases under ASC 842\ninventory counts"
    assert reading_view(text) == text
