from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from item_rows import SECTIONS, filing

from benchmark_pipeline.items.identity import item_id, link_replacements, pair_text_sha256
from benchmark_pipeline.items.task_c import section_item


def test_the_same_task_source_and_text_always_give_the_same_id() -> None:
    assert item_id("C", "0009000001-25-000001 section", "We conclude.") == "C-86b5a25b942c618c"


@given(st.text(), st.text(), st.text())
def test_task_source_text_and_arm_each_change_the_id(source: str, text: str, other: str) -> None:
    first = item_id("A", source, text)
    assert first != item_id("D", source, text)
    assert first != item_id("A", source, text, "paraphrase")
    if other != text:
        assert first != item_id("A", source, other)
    if other != source:
        assert first != item_id("A", other, text)


def test_a_changed_text_is_a_new_item_that_replaces_the_old_one() -> None:
    old, new = section_item(filing(SECTIONS[0])), section_item(filing(SECTIONS[0] + " Corrected."))
    assert old is not None and new is not None
    [linked] = link_replacements([new], [old])
    assert linked.item_id != old.item_id
    assert linked.replaces == old.item_id


def test_building_again_keeps_the_link_and_changes_nothing() -> None:
    old, new = section_item(filing(SECTIONS[0])), section_item(filing(SECTIONS[0] + " Corrected."))
    assert old is not None and new is not None
    first = link_replacements([new], [old])
    assert link_replacements([new], first) == first


def test_the_hash_of_a_pair_does_not_depend_on_the_order_of_its_halves() -> None:
    one, two = section_item(filing(SECTIONS[0])), section_item(filing(SECTIONS[1]))
    assert one is not None and two is not None
    assert pair_text_sha256([one, two]) == pair_text_sha256([two, one])
    assert pair_text_sha256([one, two]) != pair_text_sha256([one])
