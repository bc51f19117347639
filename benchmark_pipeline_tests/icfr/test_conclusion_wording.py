"""Ways in which management concludes, and sentences that only look like a conclusion: each with its one reading."""

from datetime import date

import pytest

from benchmark_pipeline.icfr.conclusion import framework, read_conclusion

YEAR_END = date(2023, 12, 31)
EFFECTIVE = [
    "Based on this assessment, management determined that, as of December 31, 2023, our internal control over financial reporting is effective.",
    "As of December 31, 2022, our internal control over financial reporting was not effective. As of December 31, 2023, our internal control over financial reporting was effective.",
    "In our Annual Report for the year ended December 31, 2022, management concluded that our internal control over financial reporting was not effective. Management has concluded that as of December 31, 2023 internal control over financial reporting was effective.",
    "Management's assessment identified no material weaknesses and concluded that the internal control over financial reporting was operating effectively as of December 31, 2023.",
    "Management has assessed the effectiveness of our internal control over financial reporting as of December 31, 2023. Based on this assessment, management has concluded that it was effective.",
    "Based on such evaluation, management has concluded that such internal controls were effective as of December 31, 2023. Our internal control over financial reporting is a process.",
    "As a result of the remediation, management concluded that our internal control over financial reporting is now effective.",
    "Management concluded that internal control over financial reporting was effective as of December 31, 2023, excluding the operations of Acme Corp., acquired in 2023.",
    "In the opinion of management, the Company's internal control over financial reporting as of December 31, 2023 was effective.",
    "Management believes that, as of December 31, 2023, the Company's internal control over financial reporting is effective based on those criteria.",
    "Management asserts that the Company maintained effective internal control over financial reporting as of December 31, 2023.",
    "Management has determined that the Company's internal control over financial reporting met the criteria and was effective as of December 31, 2023.",
    "Management concluded that the Company's internal control over financial reporting, as of December 31, 2023, was designed and operating effectively.",
    "Management found the Company's internal control over financial reporting to be effective.",
    "MANAGEMENT CONCLUDED THAT OUR INTERNAL CONTROL OVER FINANCIAL REPORTING WAS EFFECTIVE AS OF DECEMBER 31, 2023.",
    "Based on our assessment, our internal control over financial reporting, which excluded Acme, was effective as of December 31, 2023.",
    "Management concluded the Company maintained, in all material respects, effective internal control over financial reporting as of December 31, 2023.",
    "Our management has concluded that our internal control over financial reporting was effective as of the end of the period covered by this report.",
]
INEFFECTIVE = [
    "Management concluded that the Company's internal control over financial reporting was not effective as of December 31, 2023 due to the material weakness described below.",
    "Management previously concluded that internal control over financial reporting was effective as of December 31, 2023. Management has since reassessed and concluded that internal control over financial reporting was not effective as of December 31, 2023.",
    "Because of this material weakness, management concluded that we did not maintain effective internal control over financial reporting as of December 31, 2023, based on criteria established in Internal Control-Integrated Framework.",
    "We have concluded that our internal controls over financial reporting are ineffective.",
    "Our internal control over financial reporting is not effective at a reasonable assurance level.",
    "Management does not believe that our internal control over financial reporting was effective as of December 31, 2023.",
    "We do not believe our internal control over financial reporting is effective.",
    "Management concluded that our internal control over financial reporting was not fully effective as of December 31, 2023.",
    "Management concluded that our internal control over financial reporting was less than effective.",
    "Based on this evaluation, our management concluded that there was a material weakness in our internal control over financial reporting and it was therefore not effective as of December 31, 2023.",
    "Management has identified certain material weaknesses in our internal control over financial reporting as of December 31, 2023.",
    "Management concluded that our internal control over financial reporting did not operate effectively as of December 31, 2023.",
    "The Company's internal control over financial reporting was, in management's view, not effective.",
    "Our CEO concluded that the design and operation of our internal control over financial reporting were not effective as of December 31, 2023.",
    "The Company has not maintained effective internal control over financial reporting.",
    "Management has concluded that the Company's internal control over financial reporting was NOT EFFECTIVE as of December 31, 2023.",
    "Management concluded that our internal control over financial reporting contained material weaknesses and was not effective.",
    "Management believes the Company's internal control over financial reporting needs improvement and is not effective.",
    "Our internal control over financial reporting was determined by management not to be effective.",
    "Management's assessment concluded that controls were not adequate and our internal control over financial reporting was inadequate as of December 31, 2023.",
    "We concluded that our internal controls over financial reporting were not adequate.",
    "The Company's internal controls are not effective for the following reasons:",
    "Based on its evaluation, management concluded that, as of December 31, 2023, the Company did not have effective internal control over financial reporting.",
    "Management concluded we do not have effective internal controls over financial reporting.",
    "Management concluded that we lacked effective internal control over financial reporting.",
    "Management concluded that there is no effective internal control over financial reporting.",
]
NOTHING = [
    "We have not yet completed our assessment of whether our internal control over financial reporting is effective.",
    "It does not mean that our internal control over financial reporting was not effective.",
    "We are not required to assess whether our internal control over financial reporting is effective.",
    "Beginning next year, management will be required to report on whether our internal control over financial reporting is effective.",
    "The material weakness in our internal control over financial reporting identified in 2022 has been fully remediated.",
    "No change in our internal control over financial reporting occurred that has materially affected our effective internal control over financial reporting.",
    "Following the remediation we will test the controls to ensure that our internal control over financial reporting is effective.",
    "The new controls must operate for a period before management can conclude that they are effective. Our internal control over financial reporting continues to be improved.",
    "The material weakness will not be considered remediated until the controls are operating effectively and management has concluded that these controls are effective.",
    "Management has not completed its assessment; therefore no conclusion on the effectiveness of internal control over financial reporting is expressed.",
    "Notwithstanding the material weaknesses, management believes the financial statements are fairly stated.",
    "We believe that the actions will remediate the material weakness and make our internal control over financial reporting effective.",
    "No assurance is given that our internal control over financial reporting is effective.",
]
NEVER_EFFECTIVE = [
    "Management cannot conclude that internal control over financial reporting was effective as of December 31, 2023.",
    "Management was unable to conclude that our internal control over financial reporting was effective as of December 31, 2023.",
    "Management could not conclude that our internal control over financial reporting is effective.",
    "Management has not concluded that our internal control over financial reporting is effective.",
    "Our management concluded that, other than the material weakness described below, our internal control over financial reporting was effective.",
    "With the exception of the material weakness noted, our internal control over financial reporting was effective.",
    "Management concluded that our internal control over financial reporting was effective, subject to the matters noted below.",
    "Our internal control over financial reporting was effective in certain areas but not effective in others.",
    "Management concluded that our internal control over financial reporting was partially effective.",
    "Management concluded that our internal control over financial reporting was effective as of December 31, 2022 and was not effective as of December 31, 2023.",
    "Our chief executive officer concluded that our disclosure controls and procedures were effective, except that internal control over financial reporting was not effective.",
    "The Company's internal controls over financial reporting lacked effectiveness.",
    "Our internal control over financial reporting cannot be considered effective.",
    "Our internal control over financial reporting may not be considered effective as of December 31, 2023.",
    "Management is not able to conclude that its internal control over financial reporting is effective.",
    "Our internal control over financial reporting of our Chinese subsidiary was not effective.",
    "Our predecessor auditor concluded in 2021 that internal control over financial reporting was not effective.",
    "Management concluded that the Company's internal control over financial reporting was effective; however, due to the material weakness noted below, management revised its conclusion to not effective.",
    "Management's conclusion that internal control over financial reporting was effective should no longer be relied upon.",
    "Our previously issued conclusion that our internal control over financial reporting was effective was incorrect.",
    "We are unable to report that our internal control over financial reporting is effective.",
    "We can not state that our internal control over financial reporting is effective.",
]
BOTH_KINDS = [
    (
        "Based on that evaluation, our CEO and CFO concluded that our disclosure controls and procedures and internal control over financial reporting were not effective as of December 31, 2023.",
        "ineffective",
        "ineffective",
    ),
    (
        "Based on that evaluation, our CEO and CFO concluded that our disclosure controls and procedures are effective in timely alerting them to material information.",
        "absent",
        "effective",
    ),
    (
        "Our management, including our CEO, does not expect that our disclosure controls or our internal control over financial reporting will prevent all errors.",
        "absent",
        "absent",
    ),
    (
        "In light of the material weakness in our internal control over financial reporting, our disclosure controls and procedures were not effective.",
        "absent",
        "ineffective",
    ),
    (
        "XYZ LLP, an independent registered public accounting firm, has audited the effectiveness of our internal control over financial reporting as of December 31, 2023, as stated in their report which expresses an unqualified opinion on the effectiveness of internal control over financial reporting.",
        "absent",
        "absent",
    ),
    (
        "XYZ LLP has issued an adverse opinion on the effectiveness of our internal control over financial reporting.",
        "absent",
        "absent",
    ),
    (
        "A company's internal control over financial reporting can be effective only if its management sets the tone.",
        "absent",
        "absent",
    ),
    (
        "If we are unable to conclude that our internal control over financial reporting is effective, our stock price could fall.",
        "absent",
        "absent",
    ),
    (
        "There can be no assurance that our internal control over financial reporting will be effective in the future.",
        "absent",
        "absent",
    ),
    ("We cannot assure you that our internal control over financial reporting is effective.", "absent", "absent"),
    (
        "Effective internal control over financial reporting is necessary for us to provide reliable financial reports.",
        "absent",
        "absent",
    ),
    (
        "The objective of our audit was to determine whether internal control over financial reporting was effective.",
        "absent",
        "absent",
    ),
    (
        "Any system of internal control over financial reporting, even one determined to be effective, may not prevent misstatements.",
        "absent",
        "absent",
    ),
    (
        "All internal control systems, no matter how well designed, have inherent limitations. Therefore, even those systems determined to be effective can provide only reasonable assurance.",
        "absent",
        "absent",
    ),
    (
        "Although management concluded that our disclosure controls and procedures were not effective, management concluded that our internal control over financial reporting was effective as of December 31, 2023.",
        "effective",
        "ineffective",
    ),
    (
        "Our disclosure controls and procedures were not effective solely because our internal control over financial reporting was not effective.",
        "ineffective",
        "ineffective",
    ),
    (
        "Our CEO and CFO have concluded that our disclosure controls and procedures were not effective as of December 31, 2023. Management's report: management concluded that internal controls over financial reporting were effective.",
        "effective",
        "ineffective",
    ),
    (
        "We concluded that our disclosure controls and procedures were effective. We also concluded that the restatement does not change our conclusion that our internal control over financial reporting was effective.",
        "effective",
        "effective",
    ),
    (
        "We did not identify any material weakness, and there were no changes. We believe our internal control over financial reporting is effective, and that our disclosure controls and procedures are effective.",
        "effective",
        "effective",
    ),
    ("These controls were effective as of December 31, 2023.", "absent", "absent"),
    (
        "Based on the evaluation, neither our disclosure controls and procedures nor our internal control over financial reporting were effective as of December 31, 2023.",
        "ineffective",
        "ineffective",
    ),
    (
        "Neither our internal control over financial reporting nor our disclosure controls and procedures was effective.",
        "ineffective",
        "ineffective",
    ),
    (
        "Both our disclosure controls and procedures and our internal control over financial reporting were effective as of December 31, 2023.",
        "effective",
        "effective",
    ),
    (
        "Our disclosure controls and procedures, including our internal control over financial reporting, were effective as of December 31, 2023.",
        "absent",
        "effective",
    ),
    (
        "Our disclosure controls and procedures, which include internal control over financial reporting, were not effective.",
        "absent",
        "ineffective",
    ),
    (
        "We evaluated our disclosure controls and procedures and internal control over financial reporting and concluded that our disclosure controls and procedures were not effective as of December 31, 2023.",
        "absent",
        "ineffective",
    ),
    (
        "We assessed our disclosure controls and procedures and determined that our internal control over financial reporting was effective as of December 31, 2023.",
        "effective",
        "absent",
    ),
]
_ASSESSED = "Management assessed our internal control over financial reporting as of December 30, 2023."
_FRAMEWORK = "It used the criteria of Internal Control\u2014Integrated Framework (2013)."
_CONCLUDED = "Management concluded that our internal control over financial reporting was effective"
AS_OF = [
    (f"{_CONCLUDED} as of the end of the fiscal year.", YEAR_END),
    (f"{_CONCLUDED} as of the end of the period covered by this report.", YEAR_END),
    (f"{_CONCLUDED} at fiscal year-end.", YEAR_END),
    (f"{_CONCLUDED} as of the end of our most recently completed fiscal year.", YEAR_END),
    (f"{_CONCLUDED} as of the end of the fiscal year, December 31, 2022.", date(2022, 12, 31)),
    (f"{_CONCLUDED} as of year-end 2022.", None),
    (f"{_CONCLUDED} as of the end of the prior fiscal year.", None),
    (f"{_CONCLUDED} throughout the year.", None),
    (f"{_ASSESSED} {_FRAMEWORK}\n{_CONCLUDED}.", date(2023, 12, 30)),
]


@pytest.mark.parametrize("text", EFFECTIVE)
def test_an_effective_conclusion_is_read(text):
    assert read_conclusion(text, YEAR_END).icfr == "effective"


@pytest.mark.parametrize("text", INEFFECTIVE)
def test_an_ineffective_conclusion_is_read(text):
    assert read_conclusion(text, YEAR_END).icfr == "ineffective"


@pytest.mark.parametrize("text", NOTHING)
def test_doubt_duty_definition_and_outlook_conclude_nothing(text):
    assert read_conclusion(text, YEAR_END).icfr == "absent"


@pytest.mark.parametrize("text", NEVER_EFFECTIVE)
def test_a_reserved_or_withdrawn_conclusion_is_never_read_as_effective(text):
    assert read_conclusion(text, YEAR_END).icfr != "effective"


@pytest.mark.parametrize(("text", "icfr", "dcp"), BOTH_KINDS)
def test_disclosure_controls_and_icfr_are_told_apart(text, icfr, dcp):
    read = read_conclusion(text, YEAR_END)
    assert (read.icfr, read.dcp) == (icfr, dcp)


@pytest.mark.parametrize(("text", "as_of"), AS_OF)
def test_the_day_of_a_conclusion_is_read_from_its_words_or_from_the_assessment(text, as_of):
    read = read_conclusion(text, YEAR_END)
    assert (read.icfr, read.as_of) == ("effective", as_of)
    assert ("icfr_as_of_in_words" in read.rules) == (as_of == YEAR_END)


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("Management used the criteria in Internal Control—Integrated Framework (2013) issued by COSO.", "COSO 2013"),
        ("Management used the 2013 Internal Control-Integrated Framework of the Treadway Commission.", "COSO 2013"),
        ("Management used the criteria issued by the Committee of Sponsoring Organizations of the Treadway Commission (1992 framework).", "COSO 1992"),
        ("Management used the COSO criteria, as updated in 2013.", "COSO 2013"),
        ("Management used COSO. The criteria of COSO (2013) were followed everywhere.", "COSO 2013"),
        ("As of December 31, 2013, management used Internal Control-Integrated Framework of COSO.", "COSO"),
        ("Management used the COSO criteria for the fiscal year 2013 and for 31 December 2013.", "COSO"),
        ("Management used the COSO criteria. In 2013 we bought a pump works.", "COSO"),
        ("Management used the COSO criteria. Since then 2013 units were sold.", "COSO"),
        ("Management evaluated the controls in fiscal 2013 by the COSO criteria.", "COSO"),
        ("Management used the Turnbull guidance.", "Turnbull"),
        ("Management used criteria of its own in 2013.", None),
    ],
)  # fmt: skip
def test_the_framework_is_named_with_its_edition_and_not_with_the_year_that_was_audited(sentence, named):
    assert framework(sentence) == named


def test_the_sentence_taken_is_the_one_in_which_somebody_concludes():
    design = "Our disclosure controls and procedures are designed to give reasonable assurance and are effective in ensuring that information is told in time."
    conclusion = "Based on this evaluation, our officers concluded that our disclosure controls and procedures are effective at that level."
    read = read_conclusion(f"{design} {conclusion}", YEAR_END)
    assert (read.dcp, read.dcp_sentence.text) == ("effective", conclusion)
