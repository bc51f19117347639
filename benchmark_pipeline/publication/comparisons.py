"""Two models on the same attested clean items: the difference of their rates, and the family of tests over all pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import combinations

from benchmark_pipeline.statistics.paired import PairedDifference, mcnemar, paired_counts
from benchmark_pipeline.statistics.ranking import benjamini_hochberg, holm
from benchmark_pipeline.tables.publication import MetricRow

from .cutoffs import past, past_most
from .measures import FALSE_POSITIVE_RATE, bounds_of, counts_of, headline_selection, select
from .metric_builder import Bounds, Cell, MetricBuilder, difference_bounds
from .results import Run


def comparison_rows(builders: Sequence[MetricBuilder]) -> list[MetricRow]:
    """One row a pair of comparable models with equal versions: the first less the second, Holm over all pairs."""
    groups: dict[tuple[str, str, str], list[MetricBuilder]] = defaultdict(list)
    for builder in builders:
        if builder.run.kind == "model" and builder.comparable:
            groups[builder.run.identity.versions].append(builder)
    return [row for members in groups.values() for row in _family(members)]


def _family(members: Sequence[MetricBuilder]) -> Iterable[MetricRow]:
    cell = headline_selection(FALSE_POSITIVE_RATE, members[0].run.items)
    pairs = []
    for one, two in combinations(members, 2):
        first, second = (m.run.verdict("flagged_deficient")[cell.positions] for m in (one, two))
        both = (first >= 0) & (second >= 0)
        if both.any():
            found = paired_counts(cell.company[both], first[both] == 1, second[both] == 1)
            failed = (m.run.failed[cell.positions] for m in (one, two))
            bounds = difference_bounds(*zip((first, second), failed, strict=True))
            pairs.append((one, two, found, bounds))
    adjusted = holm([1.0 if found.p_value is None else found.p_value for _, _, found, _ in pairs])
    for (one, two, found, bounds), p_value in zip(pairs, adjusted, strict=True):
        other = two.run.identity
        independent = (
            f"; McNemar {mcnemar(found.only_first, found.only_second):.3g}" if found.clusters == found.n else ""
        )
        yield one.row(
            Cell("C", "false_positive_rate_difference", "versus", f"{other.model_id} {other.run_id}"),
            cell.positions,
            estimate=found.difference,
            interval=found.interval,
            bounds=bounds,
            n=found.n,
            clusters=found.clusters,
            note=f"only this one flags {found.only_first}, only the other {found.only_second}; p {p_value:.3g} "
            f"(Holm over {len(pairs)} pair{'s' if len(pairs) > 1 else ''}){independent}{_flips(found, bounds)}",
        )


def _flips(found: PairedDifference, bounds: Bounds | None) -> str:
    """Says so where failed answers alone could turn the order of two models."""
    if not found.difference or bounds is None or bounds[0] * found.difference > 0 < bounds[1] * found.difference:
        return ""
    return "; the failed answers could turn this order"


def cutoff_rows(builders: Sequence[MetricBuilder], cutoffs: Mapping[str, date | None]) -> list[MetricRow]:
    """The headline rate on items past a model's own cutoff, and past the cutoff of most models that were run."""
    if not builders:
        return []
    runs: list[Run] = [builder.run for builder in builders]
    items = runs[0].items
    cell = headline_selection(FALSE_POSITIVE_RATE, items)
    most = past_most(items, runs, cutoffs)
    late = most.items[cell.positions]
    found = []
    for builder in builders:
        if not builder.run.asks("C"):
            continue
        cutoff = cutoffs.get(builder.run.identity.model_id)
        before, after = past(items, cutoff)
        own, others = f"cutoff {cutoff}", most.note
        for by, split, chosen, note in (
            ("training_cutoff", "before", before[cell.positions], own),
            ("training_cutoff", "past", after[cell.positions], own),
            ("past_most_cutoffs", "yes", late, others),
            ("past_most_cutoffs", "no", ~late, others),
        ):
            if chosen.any() and (by == "training_cutoff" or most.stating):
                part = select(items, cell.positions[chosen], by, split)
                counts = counts_of(FALSE_POSITIVE_RATE, builder.run, part)
                where = Cell("C", "false_positive_rate", by, split)
                bounds = bounds_of(FALSE_POSITIVE_RATE, builder.run, part, counts)
                found.append(builder.rate(where, part.positions, counts, note, bounds))
    return found


def with_false_discovery_rate(rows: Sequence[MetricRow]) -> list[MetricRow]:
    """Exploratory p-values of each group of equal versions with their Benjamini-Hochberg value added to the note."""
    family: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        if row.note and "; exploratory, p " in row.note:
            family[row.dataset_version, row.prompt_version, row.scoring_version].append(index)
    done = list(rows)
    for members in family.values():
        values = [float((rows[index].note or "").rsplit(" ", 1)[1]) for index in members]
        for index, value in zip(members, benjamini_hochberg(values), strict=True):
            note = f"{rows[index].note} ({value:.3g} after Benjamini-Hochberg over {len(members)})"
            done[index] = rows[index].model_copy(update={"note": note})
    return done
