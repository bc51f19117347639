"""What tells one weakness from several, this year's from an earlier one's, and a count from a guess."""

import pytest

from benchmark_pipeline_tests.icfr.filings import DCP_NOT, DEFINITION, DUTY, LIMITS, NOT_EFFECTIVE, read

ACCESS = "We did not restrict access to payroll."
COUNTS = "We did not count the stock held by dealers."


def _read(*blocks):
    result = read([DCP_NOT, DUTY, NOT_EFFECTIVE, *blocks, LIMITS])
    (row,) = result.assertions
    assert row.mgmt_conclusion == "ineffective"
    return row, [weakness.text for weakness in result.weaknesses]


@pytest.mark.parametrize(
    ("blocks", "starts"),
    [
        (["We identified a material weakness related to leases, and an additional material weakness related to payroll."], ["We identified", "an additional"]),
        (["We identified a material weakness related to leases. Another material weakness relates to payroll, where access was not restricted."], ["We identified", "Another"]),
        (["We had two material weaknesses, one relating to a lack of reviewers and the other to access to payroll."], ["We had two", "the other"]),
        (["We identified two material weaknesses. The first material weakness relates to leases. The second material weakness relates to payroll."], ["The first", "The second"]),
        (["We identified material weaknesses.", "First, nobody reviewed the leases.", "Second, the board had no audit committee.", "Finally, payroll lacked controls over access."], ["First", "Second", "Finally"]),
        ([ACCESS + " This constituted a material weakness.", COUNTS[:-1] + ", which we also determined to be a material weakness."], ["We did not restrict", "We did not count"]),
        (["Control environment. We did not have an effective board, which constituted a material weakness.", "Monitoring. We did not have an effective internal audit, which constituted a material weakness."], ["Control environment", "Monitoring"]),
        (["The following material weaknesses existed: 1) no close checklist, 2) no review of leases, and 3) no policy on access."], ["no close", "no review", "no policy"]),
        (["The material weaknesses relate to the following: I. Staff – our staff is small. II. Audit committee – we have none."], ["Staff", "Audit committee"]),
        (["We identified the following material weaknesses.", "Lack of segregation of duties", "Lack of an audit committee", "We are committed to improving our organization."], ["Lack of seg", "Lack of an"]),
        (["These matters are considered to be material weaknesses.", "We do not have an audit committee. One person is the board.", "Lack of segregation of duties within accounting."], ["We do not have", "Lack of"]),
        (["We identified the following material weaknesses:", "Access to Systems", "We did not maintain controls over:", "• changes to programs;", "• access by users.", "Revenue", ACCESS], ["Access to Systems", "Revenue"]),
        (["Material Weaknesses in Internal Control over Financial Reporting", DEFINITION, "Access to Systems", ACCESS, "Stock", COUNTS], ["Access to", "Stock"]),
        (["We identified the following material weaknesses:", "1. Lack of an audit committee", "We have no such committee.", "2. Segregation of duties", "One person does all.", "3. Equity", "Grants were not recorded."], ["1. Lack", "2. Seg", "3. Equity"]),
        (["As of December 31, 2023, we did not control grants. Accordingly, management has determined that this control deficiency constitutes a material weakness.", "As of December 31, 2023, we did not control cash. Since cash is pervasive, management has determined that this circumstance constitutes a material weakness."], ["As of"] * 2),
        (["A material weakness related to a lack of reviewers, first told in 2021, was not cured. In 2023 a new material weakness emerged concerning excise taxes."], ["A material", "In 2023"]),
        (["We tell each one with our plan.", "Material Weakness – Leases", "Nobody reviewed them.", "Remediation – Leases", "We hired a reviewer.", "Material Weakness – Taxes", "Nobody checked them.", "Remediation – Taxes", "We hired an adviser."], ["Material Weakness – L", "Material Weakness – T"]),
        (["Some material weaknesses found in 2022 persist:", "- Leases were not reviewed", "- Stock was not counted", "Other material weaknesses found in 2022 were remediated:", "- Cash was not counted"], ["- Leases", "- Stock"]),
        (["The following material weaknesses were found:", "1. Segregation of duties", "• one person does all;", "• no second signature.", "2. Access to systems", "• shared passwords."], ["1. Seg", "2. Access"]),
        (["We identified the following material weaknesses:", "• Segregation of duties", "• Written policies"], ["• Seg", "• Written"]),
        (["We identified the following material weaknesses:", "a. Nobody reviewed the leases.", "b. Nobody counted the stock.", "The effects of these weaknesses include the following:", "a. Errors in revenue.", "b. Late reports."], ["a. Nobody", "b. Nobody"]),
        (["We identified two material weaknesses. They relate to: (A) the board; and (B) the tax office."], ["the board", "the tax office"]),
        (["We had a material weakness over revenue in Peru, and a material weakness in access to systems."], ["We had", "a material weakness in access"]),
        (["Control Environment and Risk Assessment: the material weaknesses are told below by component.", "Control Environment and Risk Assessment", "We did not keep competent staff.", "Monitoring", "We did not follow up deficiencies."], ["We did not keep", "We did not follow"]),
        (["The following material weaknesses existed:", "Staff: we lacked accountants.", "Review: nobody reviewed leases.", "The staff material weakness contributed to the following material weaknesses:", "Revenue: prices were not reviewed.", "Stock: counts were not observed."], ["Staff", "Review", "Revenue", "Stock"]),
        (["We identified two material weaknesses, described as follows.", "Board. All directors are officers.", "Treasury. Our chief executive alone may sign."], ["Board", "Treasury"]),
        (["We identified a material weakness in access to payroll.", "Additionally, we identified a material weakness in the review of leases."], ["We identified", "Additionally"]),
        (["No one reviews the leases, which is a material weakness. We have no audit committee, which is a material weakness."], ["No one", "We have no"]),
        (["We identified two material weaknesses:", ACCESS, COUNTS, "Based on this, management concluded that our internal control over financial reporting was not effective."], ["We did not restrict", "We did not count"]),
    ],
)  # fmt: skip
def test_weaknesses_told_apart_are_counted_apart(blocks, starts):
    row, texts = _read(*blocks)
    assert row.weaknesses_stated == len(starts)
    assert [text.startswith(start) for text, start in zip(texts, starts, strict=True)] == [True] * len(starts)


@pytest.mark.parametrize(
    ("blocks", "start"),
    [
        (["We identified these deficiencies, which in the aggregate constitute a material weakness:", "• No review of journal entries", "• No reconciliation of accounts"], "• No review"),
        (["Our control over the accounting for warrants was not effectively designed. This material weakness resulted in a restatement."], "Our control over"),
        (["One person keeps all the books. This weakness is a material weakness."], "One person"),
        (["We had one material weakness: our sole officer has sole control of cash."], "We had"),
        (["We lacked a controller. We regard this as a material weakness."], "We lacked"),
        (["A material weakness existed, consisting of the following deficiencies:", "– no code of conduct;", "– no minutes of the board."], "– no code"),
        (["We identified deficiencies at our subsidiaries that constituted a material weakness. They did not reconcile accounts."], "We identified deficiencies"),
        (["The Company identified a material weakness because it did not maintain enough staff."], "The Company identified"),
        (["As disclosed in our 2022 Form 10-K, we identified a material weakness related to stock. The material weakness has been remediated.", "We identified a material weakness related to goodwill."], "We identified a material weakness related to goodwill"),
        (["We identified a material weakness related to payables, and the following significant deficiencies:", "• lack of documents", "• inadequate passwords"], "We identified"),
    ],
)  # fmt: skip
def test_what_is_one_weakness_is_counted_once(blocks, start):
    row, texts = _read(*blocks)
    assert row.weaknesses_stated == 1
    assert [text.startswith(start) for text in texts] == [True]


@pytest.mark.parametrize(
    ("blocks", "conflict"),
    [
        (["The lack of reviewers, of an audit committee and of written policies is each considered a material weakness."], "weaknesses_each_called_one_counted_1"),
        (["As of December 31, 2022, we reported three material weaknesses: (i) revenue, (ii) stock and (iii) taxes.", "We remediated the material weaknesses over revenue and stock."], "weaknesses_of_an_earlier_year_partly_remediated"),
        (["We identified the following material weakness:", "• " + ACCESS, "• " + COUNTS], "weakness_named_in_the_singular_counted_2"),
        (["There is no committee. There is only one director. Management deems these conditions to be material weaknesses."], "weaknesses_named_in_the_plural_counted_1"),
        (["The lack of reviewers is a material weakness, as is the lack of a committee."], "weaknesses_each_called_one_counted_1"),
        (["Our lack of a committee leaves no oversight, and our lack of reviewers leaves errors uncaught; these are material weaknesses."], "weaknesses_named_in_the_plural_counted_1"),
        (["We identified a material weakness in each of the following: payroll, treasury and tax."], "weaknesses_each_called_one_counted_1"),
        (["A material weakness is the lack of review of revenue (the “Revenue Material Weakness”) and of access (the “IT Material Weakness”)."], "weaknesses_named_apart_counted_1"),
        (["The lack of a controller is a material weakness. Having one officer is a material weakness, too."], "weakness_told_apart_not_counted"),
        (["We identified the following material weaknesses:", "• " + ACCESS, "• " + COUNTS, "Our branch in Chile contributed the following material weaknesses:", "Payroll, tax and leases."], "weaknesses_led_in_not_counted"),
        (["We identified the following material weaknesses:", "• " + ACCESS, "• " + COUNTS, "In our plant in Peru we found another material weakness."], "weakness_named_as_another_not_counted"),
    ],
)  # fmt: skip
def test_a_count_that_cannot_be_told_is_left_out_with_a_conflict(blocks, conflict):
    row, texts = _read(*blocks)
    assert row.weaknesses_stated is None
    assert conflict in row.conflicts
    assert texts


def test_a_row_of_a_table_that_pairs_weakness_and_remedy_gives_no_count_of_one():
    head = "Material Weakness Remediation"
    row, _ = _read(head, "We lack reviewers. We will hire two.", "We have no audit committee. We will appoint one.")
    assert row.weaknesses_stated is None


@pytest.mark.parametrize(
    "lead", ["The causes of the material weaknesses were:", "As a result of the material weaknesses, we restated:"]
)
def test_causes_and_effects_of_weaknesses_are_not_counted(lead):
    row, texts = _read(lead, "• growth by purchases", "• lack of training")
    assert (row.weaknesses_stated, texts) == (None, [])
