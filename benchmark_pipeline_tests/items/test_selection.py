from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from item_rows import SECTIONS, filing

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.candidates import accepted, build_candidates, hard_items_left_out, hard_share
from benchmark_pipeline.items.labels import Labels
from benchmark_pipeline.items.near_duplicates import jaccard, near_duplicates
from benchmark_pipeline.items.selection import (
    TARGETS,
    Keep,
    allocate,
    displaced,
    kept_items,
    released_items,
    sample,
    sample_usable,
    select,
    with_hard_items,
)
from benchmark_pipeline.items.task_c import build_task_c, section_item
from benchmark_pipeline.tables.items import ItemRow


def made(text: str, number: int, year: int = 2024) -> ItemRow:
    item = section_item(
        filing(text, number, fiscal_year=year, period_end=date(year, 12, 31), accession=f"{9000000 + number:010d}-{year % 100}-000001")
    )  # fmt: skip
    assert item is not None
    return item


def test_the_recent_year_of_a_company_is_chosen_first() -> None:
    older, newer = made(SECTIONS[0], 1, 2022), made(SECTIONS[1], 1, 2024)
    chosen = [item for item in select([older, newer], 1) if item.reject_reason is None]
    assert [item.fiscal_year for item in chosen] == [2024]
    assert len([item for item in select([older, newer], 2) if item.reject_reason is None]) == 2


def test_one_of_two_companies_with_one_text_is_left_out() -> None:
    selected = select([made(SECTIONS[0], 1), made(SECTIONS[0] + " Signed.", 2)], 1)
    assert Counter(item.reject_reason for item in selected) == {None: 1, "near_duplicate": 1}


def test_the_two_registrants_of_one_filing_give_one_item() -> None:
    one, two = made(SECTIONS[0], 1), made(SECTIONS[1], 2)
    two = two.model_copy(update={"accession": one.accession})
    assert Counter(item.reject_reason for item in select([one, two], 5)) == {None: 1, "registrant_already_used": 1}


@given(st.permutations(range(6)))
def test_the_choice_does_not_depend_on_the_order_of_the_input(order: list[int]) -> None:
    items = [made(SECTIONS[index % 3] + f" {index}" * 30, index // 2, 2020 + index) for index in range(6)]
    assert select([items[index] for index in order], 1) == select(items, 1)


def test_jaccard_and_minhash_agree_on_what_repeats() -> None:
    base = " ".join(f"w{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(200))
    near = base.replace("wab", "zz")
    assert near_duplicates(
        [base, near, "another text of a wholly different kind altogether"], ["a", "b", "c"]
    ).keys() == {1}
    assert near_duplicates([base, base], ["a", "a"]) == {1: (0, 1.0)}
    assert jaccard(set(), set()) == 0.0


def test_the_next_year_of_a_company_may_keep_its_template() -> None:
    texts = [f"As of December 31, {year} this holds. {SECTIONS[0]} Signed in March {year}." for year in (2023, 2024)]
    assert near_duplicates(texts, ["a", "b"]) != {}
    assert near_duplicates(texts, ["a", "a"]) == {}


@given(st.dictionaries(st.integers(), st.integers(1, 30), min_size=1, max_size=8), st.integers(0, 100))
def test_allocation_fills_the_target_and_no_stratum_over(sizes: dict[int, int], target: int) -> None:
    given_sizes = allocate(dict(sizes), {key: float(size) for key, size in sizes.items()}, target)
    assert sum(given_sizes.values()) == min(target, sum(sizes.values()))
    assert all(0 <= given_sizes[key] <= sizes[key] for key in sizes)


def test_a_sample_follows_the_distribution_of_the_other_class() -> None:
    clean = [made(SECTIONS[0] + f" {index}", index, 2023 + index % 2) for index in range(40)]
    like = [made(SECTIONS[1], 100 + index, 2024) for index in range(9)] + [made(SECTIONS[1], 200, 2023)]
    drawn = sample(clean, 10, lambda item: item.fiscal_year, like=like)
    kept = Counter(item.fiscal_year for item in drawn if item.reject_reason is None)
    assert kept == {2024: 9, 2023: 1}
    assert {item.inclusion_probability for item in drawn if item.fiscal_year == 2024} == {9 / 20}
    assert {item.reject_reason for item in drawn} == {None, "not_sampled"}


def distinct(number: int, year: int) -> str:
    words = (f"{chr(97 + number)}{chr(97 + year - 2020)}{chr(97 + place)}" for place in range(9))
    return f"{SECTIONS[number % 3]} " + " ".join(f"They were at the {word} and it was of no use." for word in words)


POOL = [made(distinct(number, year), number, year) for number in range(12) for year in (2022, 2023, 2024)]


def chosen(years: set[int], target: int, keep: frozenset[str] = frozenset()) -> frozenset[str]:
    selected = select([item for item in POOL if item.fiscal_year in years], 1, Keep(keep))
    drawn = sample_usable(selected, target, lambda item: (item.fiscal_year, item.gold_icfr), Keep(keep))
    assert all(item.inclusion_probability is not None for item in drawn if item.reject_reason is None)
    return frozenset(item.item_id for item in drawn if item.reject_reason is None)


@settings(max_examples=20, deadline=None)  # near duplicates over three dozen texts take their time on a busy machine
@given(st.sets(st.sampled_from([2022, 2023, 2024]), min_size=1), st.integers(1, 12), st.integers(1, 12))
def test_a_fiscal_year_added_later_moves_no_item_of_an_earlier_release(
    years: set[int], first: int, second: int
) -> None:
    before = chosen(years, first)
    after = chosen({2022, 2023, 2024}, second, before)
    assert before <= after
    assert len(after) == max(second, len(before))


def test_without_a_release_to_keep_a_new_year_takes_the_place_of_the_old() -> None:
    assert not chosen({2022}, 12) <= chosen({2022, 2024}, 12)


def built(years: set[int], earlier: list[ItemRow], target: int) -> list[ItemRow]:
    filings = [FILINGS[number, year] for number, year in FILINGS if year in years]
    return build_candidates(
        decisions=[f.decision for f in filings],
        assertions=[f.assertion for f in filings if f.assertion],
        sections=[f.section for f in filings if f.section],
        weaknesses=[], findings=[], scenarios=[], labels=Labels({}), items_per_registrant=1,
        targets={**TARGETS, "C/attested": target}, earlier=earlier, keep=kept_items(earlier),
    )  # fmt: skip


FILINGS = {
    (number, year): filing(
        distinct(number, year), number, fiscal_year=year, period_end=date(year, 12, 31),
        accession=f"{9000000 + number:010d}-{year % 100}-000001",
    )
    for number in range(10) for year in (2022, 2023, 2024)
}  # fmt: skip


@pytest.mark.parametrize("order", [(2022, 2023, 2024), (2024, 2023, 2022), (2023, 2024, 2022)])
def test_years_built_one_after_another_never_lose_an_item_whatever_their_order(order: tuple[int, ...]) -> None:
    earlier: list[ItemRow] = []
    before: set[str] = set()
    for count in (1, 2, 3):
        items = built(set(order[:count]), earlier, 4 + count)
        chosen_now = {item.item_id for item in accepted(items)}
        assert before <= chosen_now and len(chosen_now) == 4 + count
        assert displaced(items, kept_items(earlier)) == []
        # Building the same again changes nothing: ids, chances and reasons.
        assert built(set(order[:count]), items, 4 + count) == items
        earlier, before = items, chosen_now
    assert all(0 < (item.inclusion_probability or 0) <= 1 for item in accepted(earlier))


def test_a_build_that_loses_nothing_does_not_depend_on_what_was_before() -> None:
    first = built({2024}, [], 10)
    assert built({2022, 2023, 2024}, first, 10) == built({2022, 2023, 2024}, [], 10)


def test_the_chance_of_an_item_counts_both_lotteries() -> None:
    first = sample(POOL[:10], 4, lambda item: item.task)
    keep = kept_items(first)
    again = {item.item_id: item for item in sample(POOL[:20], 9, lambda item: item.task, keep=keep)}
    # 4 of 10 in the first; of the 16 others 5 in the second.
    assert {round(again[item.item_id].inclusion_probability or 0, 6) for item in POOL[:10]} == {
        round(0.4 + 0.6 * 5 / 16, 6)
    }
    assert {again[item.item_id].inclusion_probability for item in POOL[10:20]} == {5 / 16}


def test_hard_items_make_up_thirty_percent_where_there_are_enough() -> None:
    pool = [made(distinct(number, 2024), number) for number in range(20)]
    hard = {item.item_id for item in pool[:2]}

    def draw(part: Sequence[ItemRow], target: int) -> list[ItemRow]:
        return sample(part, target, lambda item: item.form)

    def is_hard(item: ItemRow) -> bool:
        return item.item_id in hard

    for enough in (2, 3, 8):
        hard |= {item.item_id for item in pool[:enough]}
        drawn = with_hard_items(pool, draw(pool, 10), is_hard, draw)
        chosen_items = [item for item in drawn if item.reject_reason is None]
        assert len(drawn) == 20 and len(chosen_items) == 10
        assert sum(map(is_hard, chosen_items)) >= min(enough, 3)
        assert all(item.inclusion_probability is not None for item in drawn)


@pytest.mark.parametrize("rating", ["attested", "management_only"])
def test_each_rating_of_clean_items_takes_its_share_of_hard_ones(rating: str) -> None:
    filings = [
        filing(distinct(number, 2024).replace("material weakness", "gap"), number, decision=f"clean_{rating}",
               scope_out=number >= 16)
        for number in range(20)
    ]  # fmt: skip
    every = {"C/deficient": 0, "C/attested": 20, "C/management_only": 20}
    assert hard_share(build_task_c(filings, 1, every), rating) == 0.2
    items = build_task_c(filings, 1, {"C/deficient": 0, "C/attested": 10, "C/management_only": 10})
    assert hard_share(items, rating) == 0.3
    assert hard_items_left_out(items, rating) == []


def test_every_candidate_left_out_says_why() -> None:
    drawn = sample_usable(select(POOL, 1), 4, lambda item: item.fiscal_year)
    assert Counter(item.reject_reason for item in drawn) == {
        None: 4, "not_sampled": 8, "registrant_already_used": 24,
    }  # fmt: skip
    assert all(item.reject_detail for item in drawn if item.reject_reason)


def test_the_items_of_a_release_are_read_from_its_data_files(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "task_c"
    folder.mkdir(parents=True)
    (folder / "test.jsonl").write_text(
        '{"item_id": "C-1", "text": "a"}\n{"item_id": "C-2", "text": "b"}\n', encoding="utf-8"
    )
    assert released_items(tmp_path) == {"C-1", "C-2"}
    assert released_items(None) == frozenset()
    with pytest.raises(BenchError, match="holds no data"):
        released_items(folder)
