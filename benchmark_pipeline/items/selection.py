"""Which candidates become items: one company, one observation; recent years first; a seeded, stable choice.

Nothing here depends on the order of the input or on a random state: every choice is ranked by a hash of seed and item,
so that the order of the input moves nothing. A later build that names an earlier release keeps every item of it that is
still a candidate: adding a fiscal year adds items and reshuffles none. The sampling frame is the table of candidates
itself: every eligible filing, weakness and finding with its inclusion probability, or the reason why it was left out.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.items import ItemReject, ItemRow

from .near_duplicates import near_duplicates

SEED = "icfr-bench/selection/1"
"""Changing it makes another sample, and with it another dataset version."""
TARGETS: dict[str, int] = {
    "C/attested": 300,
    "C/management_only": 150,
    "C/deficient": 300,
    "A/sec_annual_report": 250,
    "A/single_audit": 250,
    "D": 250,
}
"""Items wanted by kind: 300 attested clean items give a 95 % interval of about 7 to 14 % at a rate of 10 %; with all
three kinds of Task C filled 60 % of its items are clean. Fewer candidates than that are all taken."""


def rank(*parts: str) -> int:
    """Pseudo-random rank of an item, the same in every process."""
    return int.from_bytes(hashlib.sha256("\x1f".join((SEED, *parts)).encode()).digest()[:8], "big")


def preference(item: ItemRow, keep: Collection[str] = ()) -> tuple[bool, int, int]:
    """Order of choice: an earlier release's items, then recent years (past most training cutoffs), then the seeded rank."""
    return (item.item_id not in keep, -(item.fiscal_year or 0), rank(item.task, item.source_ref))


def reject(item: ItemRow, reason: ItemReject, detail: str) -> ItemRow:
    """The candidate, left out with a reason."""
    return item.model_copy(update={"reject_reason": reason, "reject_detail": detail})


def released_items(folder: Path | None) -> frozenset[str]:
    """Ids of the items of a release, from `data/task_*/*.jsonl`; None gives none.

    Raises:
        BenchError: the folder is no release.
    """
    if folder is None:
        return frozenset()
    files = sorted(folder.glob("data/task_*/*.jsonl"))
    if not files:
        raise BenchError(
            f"{folder} holds no data/task_*/*.jsonl", remedy="point ICFR_BENCH_KEEP_ITEMS_OF at the folder of a release"
        )
    lines = (line for path in files for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return frozenset(str(json.loads(line)["item_id"]) for line in lines)


def select(items: Iterable[ItemRow], per_registrant: int, keep: Collection[str] = ()) -> list[ItemRow]:
    """Applies, in order: near duplicates, one item an accession, items a registrant.

    Near duplicates go first, so that a registrant whose newest text repeats another's can still give an older one.

    Args:
        items: candidates of one task and arm; those already rejected pass through.
        per_registrant: items that one company may give.
        keep: ids that an earlier release chose: they come first, so that a later year displaces none of them.

    Returns:
        every candidate in order of preference, those left out with a reason.
    """
    candidates = sorted(items, key=lambda item: preference(item, keep))
    usable = [item for item in candidates if item.reject_reason is None]
    repeats = near_duplicates([item.text for item in usable], [item.company_key for item in usable])
    decided: dict[str, ItemRow] = {
        usable[index].item_id: reject(
            usable[index], "near_duplicate", f"Jaccard {similarity:.2f} with {usable[kept].item_id}"
        )
        for index, (kept, similarity) in repeats.items()
    }
    used: Counter[str] = Counter()
    filings: dict[str, str] = {}
    for item in usable:
        if item.item_id in decided:
            continue
        if item.accession is not None and item.accession in filings:
            decided[item.item_id] = reject(
                item, "registrant_already_used", f"{item.accession} gives {filings[item.accession]}"
            )
        elif used[item.company_key] >= per_registrant:
            decided[item.item_id] = reject(
                item, "registrant_already_used", f"{per_registrant} items of {item.company_key} are taken"
            )
        else:
            used[item.company_key] += 1
            if item.accession is not None:
                filings[item.accession] = item.item_id
    return [decided.get(item.item_id, item) for item in candidates]


def allocate(
    sizes: dict[Hashable, int],
    wanted: dict[Hashable, float],
    target: int,
    least: Mapping[Hashable, int] = MappingProxyType({}),
) -> dict[Hashable, int]:
    """Sample sizes of strata: `least` first, the rest in proportion to `wanted`, capped by `sizes`.

    They add up to min(target, all), or to the sum of `least` where that is more. What a full stratum cannot take goes to
    the others, by largest remainder.
    """
    given: dict[Hashable, int] = {key: least.get(key, 0) for key in sizes}
    total = max(min(target, sum(sizes.values())), sum(given.values()))
    while (left := total - sum(given.values())) > 0:
        open_strata = [key for key in sizes if given[key] < sizes[key]]
        weight = sum(wanted.get(key, 0.0) for key in open_strata)
        share = {key: left * (wanted.get(key, 0.0) / weight if weight else 1 / len(open_strata)) for key in open_strata}
        whole = {key: min(int(share[key]), sizes[key] - given[key]) for key in open_strata}
        if not any(whole.values()):
            order = sorted(open_strata, key=lambda key: (-(share[key] % 1), rank(repr(key))))
            whole = dict.fromkeys(order[:left], 1)
        for key, count in whole.items():
            given[key] += count
    return given


def sample_usable(selected: Sequence[ItemRow], target: int, stratum: Callable[[ItemRow], Hashable],
                  keep: Collection[str] = ()) -> list[ItemRow]:  # fmt: skip
    """`sample` over the candidates that are not rejected yet; the others pass through."""
    drawn = sample([item for item in selected if item.reject_reason is None], target, stratum, keep=keep)
    decided = {item.item_id: item for item in drawn}
    return [decided.get(item.item_id, item) for item in selected]


def sample(items: Sequence[ItemRow], target: int, stratum: Callable[[ItemRow], Hashable],
           like: Sequence[ItemRow] = (), keep: Collection[str] = ()) -> list[ItemRow]:  # fmt: skip
    """A seeded stratified sample; those not drawn are left out as `not_sampled`.

    Args:
        items: candidates without a reject reason.
        target: items wanted.
        stratum: cell of an item.
        like: items whose distribution over the cells the sample follows (deficient items, for clean ones), so that
            form, year, industry and length cannot tell the classes apart. Cells without any get weight a half.
        keep: ids that an earlier release chose: all are drawn, with probability 1 given that choice, and the others of
            their cell share what is left of its quota.

    Returns:
        every candidate, with its inclusion probability.
    """
    cells: dict[Hashable, list[ItemRow]] = defaultdict(list)
    for item in items:
        cells[stratum(item)].append(item)
    pattern = Counter(stratum(item) for item in like)
    wanted = {cell: (pattern[cell] or 0.5) if like else float(len(members)) for cell, members in cells.items()}
    kept = {cell: sum(item.item_id in keep for item in members) for cell, members in cells.items()}
    given = allocate({cell: len(members) for cell, members in cells.items()}, wanted, target, kept)
    decided: dict[str, ItemRow] = {}
    for cell, members in cells.items():
        others = len(members) - kept[cell]
        probability = (given[cell] - kept[cell]) / others if others else 1.0
        drawn = sorted(members, key=lambda item: (item.item_id not in keep, rank("sample", item.task, item.source_ref)))
        for position, item in enumerate(drawn):
            chance = 1.0 if position < kept[cell] else probability
            item = item.model_copy(update={"inclusion_probability": chance})  # noqa: PLW2901 - same item, completed
            if position >= given[cell]:
                item = reject(item, "not_sampled", f"{given[cell]} of {len(members)} drawn in {cell}")  # noqa: PLW2901
            decided[item.item_id] = item
    return [decided[item.item_id] for item in items]
