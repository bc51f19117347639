from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items import registry
from benchmark_pipeline.items.labels import load_labels

ENTRY: dict[str, Any] = {
    "source": {"accession": "0009000001-25-000001", "ordinal": 1},
    "component": "control_environment",
    "components_accepted": ["control_activities"],
    "citation": "COSO-4",
    "citations_accepted": ["COSO-4", "AS2201.69"],
    "evidence_quote": "did not employ enough people with training",
    "root_cause_stated": True,
    "touches_itgc": False,
    "drafted_by": "anthropic/claude",
}


def write(folder: Path, *entries: Any, name: str = "labels.yaml") -> Path:
    (folder / name).write_text(yaml.safe_dump(list(entries)), encoding="utf-8")
    return folder


def test_a_label_is_found_by_its_source_with_the_primary_first(tmp_path: Path) -> None:
    label = load_labels(write(tmp_path, ENTRY)).of_weakness("0009000001-25-000001", 1)
    assert label is not None
    assert label.components == ["control_environment", "control_activities"]
    assert label.citations == ["COSO-4", "AS2201.69"]
    assert load_labels(None).of_weakness("0009000001-25-000001", 1) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"component": "controls"}, "component"),
        ({"citation": "COSO-18"}, "COSO-18"),
        ({"citations_accepted": ["AS2201.99"]}, "AS2201.99"),
        ({"citation": "COSO-16"}, "monitoring_activities"),
        ({"evidence_quote": "too short"}, "2 words"),
        ({"evidence_quote": None}, "evidence_quote"),
        ({"colour": "red"}, "colour"),
        ({"drafted_by": ""}, "drafted_by"),
    ],
)
def test_a_wrong_entry_is_refused_by_file_and_number(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    other = {**ENTRY, "source": {"accession": "0009000002-25-000001", "ordinal": 1}, **change}
    with pytest.raises(BenchError) as error:
        load_labels(write(tmp_path, ENTRY, other))
    assert "labels.yaml, entry 2" in str(error.value)
    assert said in str(error.value)


def test_a_source_that_is_labelled_twice_is_refused_with_both_places(tmp_path: Path) -> None:
    write(tmp_path, ENTRY, name="a.yaml")
    with pytest.raises(BenchError, match=r"b\.yaml, entry 1.*a\.yaml, entry 1"):
        load_labels(write(tmp_path, ENTRY, name="b.yaml"))


@pytest.mark.parametrize("content", ["{a: 1}", "- [", "just words"])
def test_a_file_that_is_no_list_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(BenchError, match=r"x\.yaml"):
        load_labels(tmp_path)


def test_a_label_fits_only_the_passage_that_it_quotes(tmp_path: Path) -> None:
    label = load_labels(write(tmp_path, ENTRY)).of_weakness("0009000001-25-000001", 1)
    assert label is not None
    assert label.fits("We did not employ\n enough people with training in tax.")
    assert not label.fits("We did not reconcile cash.")


def test_seventeen_principles_stand_under_their_five_components() -> None:
    counts: dict[str, int] = {}
    for principle in registry.PRINCIPLES:
        counts[principle.component] = counts.get(principle.component, 0) + 1
    assert counts == {
        "control_environment": 5,
        "risk_assessment": 4,
        "control_activities": 3,
        "information_and_communication": 3,
        "monitoring_activities": 2,
    }
    assert registry.component_of_principle(8) == "risk_assessment"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("COSO-10", "COSO-10"), ("COSO-07", "COSO-7"), ("COSO-0", None), ("COSO-18", None), ("AS2201.69", "AS2201.69"),
        ("AS 2201.69", "AS2201.69"), ("AS2201.7", "AS2201.07"), ("AS2201.B17", "AS2201.B17"), ("AS2201.99", None),
        ("AS2201.A12", None), ("AS2201.D1", None), ("AS1305.4", None), ("", None), ("principle 10", None),
    ],
)  # fmt: skip
def test_a_reference_exists_only_where_the_standard_has_it(given: str, wanted: str | None) -> None:
    assert registry.canonical(given) == wanted


def test_every_reference_of_the_registry_is_its_own_canonical_form_and_has_a_topic() -> None:
    for citation in registry.all_citations():
        assert registry.canonical(citation) == citation
        assert registry.topic(citation)
    assert registry.component_of_citation("AS2201.69") is None
