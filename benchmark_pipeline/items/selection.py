"""Which candidates become items: one company, one observation; recent years first; a seeded, stable choice.

Nothing here depends on the order of the input or on a random state: every choice is ranked by a hash of seed and item,
so that the order of the input moves nothing. A build keeps every item that the build before chose and that is still a
candidate: adding a fiscal year adds items and reshuffles none. No rule without that memory could: with one item a company
and recent years first, a new year would take the place of an old one. The sampling frame is the table of candidates itself:
every eligible filing, weakness and finding with its inclusion probability, or the reason why it was left out.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.tables.items import ItemReject, ItemRow

from .near_duplicates import SAME_COMPANY_THRESHOLD, THRESHOLD, near_duplicates

SEED = "icfr-bench/selection/1"
"""Changing it makes another sample, and with it another dataset version."""
TARGETS: dict[str, int] = {
    "C/attested": 300,
    "C/management_only": 100,
    "C/deficient": 250,
    "A/sec_annual_report": 250,
    "A/single_audit": 250,
    "D": 250,
}
"""Items wanted by kind: 300 attested clean items give a 95 % interval of about 7 to 14 % at a rate of 10 %; with all
three kinds of Task C filled 62 % of its items are clean. Fewer candidates than that are all taken."""


HARD_SHARE = 0.30
"""Of the attested clean items at least, where there are enough: texts that a reader of cues takes for deficient."""
CHOICES: frozenset[str | None] = frozenset({None, "near_duplicate", "registrant_already_used", "not_sampled"})
"""Reject reasons that say that another item was preferred, and not that this one is unusable."""


@dataclass(frozen=True)
class Keep:
    """Items chosen before, by an earlier build or release."""

    ids: frozenset[str] = frozenset()
    """They stay chosen."""
    chances: Mapping[str, float] = field(default_factory=dict)
    """Inclusion probability that each candidate of the earlier build had, those left out among them."""

    def __contains__(self, item_id: object) -> bool:
        return item_id in self.ids


NOTHING_KEPT = Keep()


def rank(*parts: str) -> int:
    """Pseudo-random rank of an item, the same in every process."""
    return int.from_bytes(hashlib.sha256("\x1f".join((SEED, *parts)).encode()).digest()[:8], "big")


def preference(item: ItemRow, keep: Keep = NOTHING_KEPT) -> tuple[bool, int, int]:
    """Order of choice: items chosen before, then recent years (past most training cutoffs), then the seeded rank."""
    return (item.item_id not in keep, -(item.fiscal_year or 0), rank(item.task, item.source_ref))


def reject(item: ItemRow, reason: ItemReject, detail: str) -> ItemRow:
    """The candidate, left out with a reason."""
    return item.model_copy(update={"reject_reason": reason, "reject_detail": detail})


def kept_items(earlier: Iterable[ItemRow], released: Iterable[str] = ()) -> Keep:
    """What the build before and a release chose.

    Args:
        earlier: candidates of the build before.
        released: ids of a release's items.
    """
    rows = list(earlier)
    chosen = {item.item_id for item in rows if item.reject_reason is None and item.arm == "verbatim"}
    chances = {item.item_id: item.inclusion_probability for item in rows if item.inclusion_probability is not None}
    return Keep(frozenset(chosen | set(released)), chances)


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


def select(items: Iterable[ItemRow], per_registrant: int, keep: Keep = NOTHING_KEPT) -> list[ItemRow]:
    """Applies, in order: near duplicates, one item an accession, items a registrant.

    Near duplicates go first, so that a registrant whose newest text repeats another's can still give an older one.

    Args:
        items: candidates of one task and arm; those already rejected pass through.
        per_registrant: items that one company may give.
        keep: ids chosen before: they come first, so that a later year displaces none of them.

    Returns:
        every candidate in order of preference, those left out with a reason.
    """
    candidates = sorted(items, key=lambda item: preference(item, keep))
    usable = [item for item in candidates if item.reject_reason is None]
    repeats = near_duplicates(
        [item.text for item in usable],
        [item.company_key for item in usable],
        THRESHOLD if per_registrant == 1 else SAME_COMPANY_THRESHOLD,
    )
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


def displaced(items: Iterable[ItemRow], keep: Keep) -> list[str]:
    """Kept items that gave way to another item; those that became unusable are not among them."""
    return sorted(
        item.item_id
        for item in items
        if item.item_id in keep and item.reject_reason is not None and item.reject_reason in CHOICES
    )


def sample_usable(selected: Sequence[ItemRow], target: int, stratum: Callable[[ItemRow], Hashable],
                  keep: Keep = NOTHING_KEPT) -> list[ItemRow]:  # fmt: skip
    """`sample` over the candidates that are not rejected yet; the others pass through."""
    drawn = sample([item for item in selected if item.reject_reason is None], target, stratum, keep=keep)
    decided = {item.item_id: item for item in drawn}
    return [decided.get(item.item_id, item) for item in selected]


def sample(items: Sequence[ItemRow], target: int, stratum: Callable[[ItemRow], Hashable],
           like: Sequence[ItemRow] = (), keep: Keep = NOTHING_KEPT) -> list[ItemRow]:  # fmt: skip
    """A seeded stratified sample; those not drawn are left out as `not_sampled`.

    Args:
        items: candidates without a reject reason.
        target: items wanted.
        stratum: cell of an item.
        like: items whose distribution over the cells the sample follows (deficient items, for clean ones), so that
            form, year, industry and length cannot tell the classes apart. Cells without any get weight a half.
        keep: what was chosen before: all of it is drawn, and the others of its cell share what is left of the quota.
            The inclusion probability is that of either lottery: p + (1 - p) q, p of the earlier one and q of this.

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
        probability = (given[cell] - kept[cell]) / others if others else 0.0
        drawn = sorted(members, key=lambda item: (item.item_id not in keep, rank("sample", item.task, item.source_ref)))
        for position, item in enumerate(drawn):
            before = keep.chances.get(item.item_id, 1.0 if position < kept[cell] else 0.0)
            chance = before + (1 - before) * probability if keep.ids else probability
            item = item.model_copy(update={"inclusion_probability": chance})  # noqa: PLW2901 - same item, completed
            if position >= given[cell]:
                item = reject(item, "not_sampled", f"others of {cell} are drawn")  # noqa: PLW2901
            decided[item.item_id] = item
    return [decided[item.item_id] for item in items]


def with_hard_items(items: Sequence[ItemRow], drawn: Sequence[ItemRow], is_hard: Callable[[ItemRow], bool],
                    draw: Callable[[Sequence[ItemRow], int], list[ItemRow]]) -> list[ItemRow]:  # fmt: skip
    """The sample, drawn again with the hard items as a stratum of their own where too few of them came out.

    Args:
        items: candidates without a reject reason.
        drawn: the sample of them.
        is_hard: whether an item belongs to a hard stratum.
        draw: draws a number of items from a part of the candidates.
    """
    chosen = [item for item in drawn if item.reject_reason is None]
    hard = [item for item in items if is_hard(item)]
    wanted = min(len(hard), math.ceil(HARD_SHARE * len(chosen)))
    if sum(map(is_hard, chosen)) >= wanted:
        return list(drawn)
    easy = [item for item in items if not is_hard(item)]
    parts = {item.item_id: item for item in (*draw(hard, wanted), *draw(easy, len(chosen) - wanted))}
    return [parts[item.item_id] for item in items]
