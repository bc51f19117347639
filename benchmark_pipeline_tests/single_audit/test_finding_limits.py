"""Texts of the greatest length that the FAC takes, made to be hard for patterns, end in bounded work."""

from __future__ import annotations

import pytest
from single_audit_rows import general

from benchmark_pipeline.single_audit.masking import Masker
from benchmark_pipeline.single_audit.records import Report
from benchmark_pipeline.single_audit.sections import cut
from benchmark_pipeline.single_audit.text import unusable


# A quadratic pattern takes more than half a minute on these; the suite's own timeout ends the test then.
@pytest.mark.timeout(25)
@pytest.mark.parametrize(
    "piece", ["Aa-", "J. ", " ", "\n", "Condition ", "Alpha ", "[AUDITEE] (", "a@", "Contact person "]
)
def test_a_text_of_32000_characters_is_masked_and_cut(piece: str) -> None:
    text = piece * (32_000 // len(piece))
    masked = Masker(Report.model_validate(general())).mask(text)
    assert len(masked.text) <= len(text)
    assert cut(text).condition is None
    unusable(text)
