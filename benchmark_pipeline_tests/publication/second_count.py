"""A second way to every number of the report: plain loops over the lake's rows, matrices instead of closed formulas.

Nothing of `benchmark_pipeline.statistics` or `benchmark_pipeline.publication` is used here.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from datetime import date, timedelta
from typing import Any

import duckdb
import numpy as np
from scipy import stats

from benchmark_pipeline.storage import Lake

Row = dict[str, Any]
Pair = tuple[str, float, float]  # company, first's outcome, second's outcome
TIERS = ["control_deficiency", "significant_deficiency", "material_weakness"]


def table(lake: Lake, name: str) -> list[Row]:
    files = ", ".join(f"'{file}'" for file in lake.files(name))
    if not files:
        return []
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT * FROM read_parquet([{files}])")
        names = [column[0] for column in found.description or []]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


class Number:
    """What may be printed: the value, its interval, counts."""

    def __init__(self, value: float | None, low: float | None = None, high: float | None = None,
                 k: int | None = None, n: int | None = None, *, draws: Sequence[float] | None = None) -> None:  # fmt: skip
        self.value, self.low, self.high, self.k, self.n, self.draws = value, low, high, k, n, draws


def interval(outcomes: Sequence[tuple[str, bool]]) -> tuple[float | None, float | None]:
    """Korn-Graubard with Satterthwaite's degrees of freedom, from the residuals' covariance as a matrix."""
    companies = sorted({company for company, _ in outcomes})
    k = np.array([sum(o for c, o in outcomes if c == company) for company in companies], dtype=float)
    n = np.array([sum(1 for c, _ in outcomes if c == company) for company in companies], dtype=float)
    size, total = len(n), n.sum()
    if size < 2:
        return None, None
    rate = k.sum() / total
    variance = size / (size - 1) * sum((k - rate * n) ** 2) / total**2
    effect = 1.0 if rate in (0, 1) else variance / (rate * (1 - rate) / total)
    mean = (n**2).sum() / total
    alike = min(max((effect - 1) / (mean - 1), 0), 1) if mean > 1 else 0.0
    centre = np.eye(size) - np.outer(n / total, np.ones(size))
    covariance = centre @ np.diag(n * (1 + (n - 1) * alike)) @ centre.T
    freedom = np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
    shrink = (stats.t.ppf(0.025, total - 1) / stats.t.ppf(0.025, freedom)) ** 2
    effective = min(total, total / effect * shrink) if effect else total
    hits = rate * effective
    low = 0.0 if hits == 0 else stats.beta.ppf(0.025, hits, effective - hits + 1)
    high = 1.0 if rate == 1 else stats.beta.ppf(0.975, hits + 1, effective - hits)
    return float(low), float(high)


def resample(groups: Mapping[str, Sequence[Any]], statistic: Callable[[list[Any]], float | None]) -> list[float]:
    """The statistic on resampled companies, drawn one by one, with another generator; empty where there is no spread."""
    names = sorted(groups)
    if len(names) < 2:
        return []
    generator = np.random.default_rng(99)
    found = []
    for _ in range(400):
        drawn = [row for at in generator.integers(0, len(names), len(names)) for row in groups[names[at]]]
        value = statistic(drawn)
        if value is not None:
            found.append(value)
    return sorted(found) if found and min(found) != max(found) else []


def by_company(rows: Sequence[Any], company: Callable[[Any], str]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        groups[company(row)].append(row)
    return groups


class SecondCount:
    def __init__(self, lake: Lake, cutoffs: Mapping[str, date | None]) -> None:
        self.items = {row["item_id"]: row for row in table(lake, "labeled_items")}
        self.cutoffs = cutoffs
        self.pool = table(lake, "clean_pool")
        self.calls: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
        for answer in table(lake, "parsed_answers"):
            self.calls[answer["model_id"], answer["run_id"]][answer["item_id"]] = answer
        self.responses = {r["request_key"]: r for r in table(lake, "model_responses")}
        self.resampling = True

    def resample(
        self, groups: Mapping[str, Sequence[Any]], statistic: Callable[[list[Any]], float | None]
    ) -> list[float]:
        return resample(groups, statistic) if self.resampling else []

    def extremes(self, key: str) -> tuple[float, float]:
        """Lowest and highest value of a number over all answers that the failed calls of its run could have given."""
        run = (key.split("|")[-2], key.split("|")[-1])
        failed = {name: answer for name, answer in self.calls[run].items() if answer["outcome"] != "answered"}
        assert {answer["task"] for answer in failed.values()} == {"C"}
        asked = copy(self)
        asked.resampling, asked.calls, values = False, dict(self.calls), []
        for verdicts in itertools.product(("clean", "deficient"), repeat=len(failed)):
            given = {
                name: answer | {"outcome": "answered", "answer_icfr": verdict}
                for (name, answer), verdict in zip(failed.items(), verdicts, strict=True)
            }
            asked.calls[run] = self.calls[run] | given
            if (value := asked.number(key).value) is not None:
                values.append(value)
        return min(values), max(values)

    # Which items a split holds.

    def in_split(self, item: Row, by: str, split: str, model: str) -> bool:
        if by in ("all", "prevalence"):
            return item["arm"] == "verbatim"
        if by == "arm":
            return bool(item["arm"] == split)
        if item["arm"] != "verbatim":
            return False
        if by == "issuer":
            return item["form"] is not None and (split == "foreign") == (item["form"] in ("20-F", "40-F"))
        if by == "stratum":
            return split in item["strata"]
        if by == "touches_itgc":
            return (split == "yes") == item["touches_itgc"]
        if by == "training_cutoff":
            return self.side(item, self.cutoffs.get(model)) == split
        if by == "past_most_cutoffs":
            models = sorted({name for name, _ in self.calls if not name.startswith("baseline/")})
            stating = [name for name in models if self.cutoffs.get(name)]
            past = sum(self.side(item, self.cutoffs[name]) == "past" for name in stating)
            return (split == "yes") == (past > len(stating) / 2)
        column = {"gold": "gold_icfr"}.get(by, by)
        return item[column] is not None and str(item[column]) == split

    @staticmethod
    def side(item: Row, cutoff: date | None) -> str | None:
        ended = item["fiscal_year_end"]
        if cutoff is None or ended is None:
            return None
        if ended >= cutoff:
            return "past"
        return "before" if ended + timedelta(days=120) <= cutoff else None

    # What an answer is worth.

    def judged(self, task: str, metric: str, item: Row, answer: Row) -> tuple[bool, bool, bool]:
        """(the metric is about the item, the call is counted, it is a success)."""
        done = answer["outcome"] == "answered"
        kept = answer["outcome"] not in ("transport_fail", "not_run")
        flagged = answer["answer_icfr"] == "deficient"
        cited = answer["answer_citation"]
        known = cited is not None and bool(
            ((m := re.fullmatch(r"COSO-(\d+)", cited)) and 1 <= int(m[1]) <= 17) or cited.startswith("AS2201.")
        )
        gap_seen = done and item["gold_effective"] is False and answer["answer_effective"] is False
        severity = answer["answer_severity"] == item["gold_severity"] and (task == "A" or gap_seen)
        clean = item["gold_icfr"] == "clean"
        table: dict[str, tuple[bool, bool, bool]] = {
            "false_positive_rate": (clean and item["clean_rating"] == "attested", done, flagged),
            "false_positive_rate_management_only": (clean and item["clean_rating"] == "management_only", done, flagged),
            "recall": (item["gold_icfr"] == "deficient", kept, done and flagged),
            "accuracy": (True, kept, done and answer["answer_icfr"] == item["gold_icfr"]),
            "component_primary": (True, kept, done and answer["answer_component"] == item["gold_component"]),
            "component_accepted": (True, kept, done and answer["answer_component"] in item["gold_components_accepted"]),
            "severity": (item["gradient_bearing"] and item["gold_severity"] is not None, kept, done and severity),
            "verdict": (True, kept, done and answer["answer_effective"] == item["gold_effective"]),
            "gap_type": (item["gold_effective"] is False, gap_seen, answer["answer_gap_type"] == item["gold_gap_type"]),
            "citation_accepted": (True, kept, done and cited in item["gold_citations_accepted"]),
            "citation_exact": (True, kept, done and cited == item["gold_citation"]),
            "citation_hallucinated": (True, done, cited is not None and not known),
            "citation_abstained": (True, done, cited is None),
            "evidence_exact": (True, kept, done and (answer["answer_evidence"] or "?") in item["text"]),
            "evidence_hit": (bool(item["gold_evidence"]), kept, done and any(
                answer["answer_evidence"] == span["quote"] for span in item["gold_evidence"])),
        }  # fmt: skip
        return table[metric]

    def outcomes(self, key: Sequence[str]) -> list[tuple[str, bool]]:
        task, metric, by, split, model, run = key
        found = []
        for item_id, answer in self.calls[model, run].items():
            item = self.items[item_id]
            if item["task"] != task or not self.in_split(item, by, split, model):
                continue
            about, counted, success = self.judged(task, metric, item, answer)
            if about and counted:
                found.append((item["company_key"], bool(success)))
        return found

    def rate(self, key: Sequence[str]) -> Number:
        found = self.outcomes(key)
        k, n = sum(o for _, o in found), len(found)
        return Number(k / n if n else None, *interval(found), k, n)

    # Everything else that a table of metrics prints.

    def number(self, key: str) -> Number:
        task, metric, by, split, model, run = parts = key.split("|")
        if metric.endswith("_gap_difference"):
            return self.gap_difference(task, metric, model, run)
        if metric.endswith("_gap"):
            return self.gap(task, metric, by, split, model, run)
        if metric == "false_positive_rate_difference":
            return self.versus(model, run, *split.rsplit(" ", 1))
        if metric.startswith("pair_"):
            return self.pairs(metric, by, split, model, run)
        special: dict[str, Callable[[], Number]] = {
            "false_positive_rate_bootstrap": lambda: self.bootstrapped(by, split, model, run),
            "false_positive_rate_company_mean": lambda: self.company_mean(by, split, model, run),
            "macro_f1": lambda: self.macro_f1(by, split, model, run),
            "precision_at_prevalence": lambda: self.precision(float(split.removesuffix(" %")) / 100, model, run),
            "severity_quadratic_kappa": lambda: self.severity(task, kappa, by, split, model, run),
            "severity_mean_distance": lambda: self.severity(task, distance, by, split, model, run),
        }
        return special[metric]() if metric in special else self.rate(parts)

    def headline(self, model: str, run: str, by: str = "all", split: str = "all") -> list[tuple[str, bool]]:
        return self.outcomes(("C", "false_positive_rate", by, split, model, run))

    def bootstrapped(self, by: str, split: str, model: str, run: str) -> Number:
        found = self.headline(model, run, by, split)
        draws = self.resample(by_company(found, lambda row: row[0]), lambda rows: float(np.mean([o for _, o in rows])))
        k = sum(o for _, o in found)
        return Number(k / len(found), k=k, n=len(found), draws=draws)

    def company_mean(self, by: str, split: str, model: str, run: str) -> Number:
        found = self.headline(model, run, by, split)
        means = [np.mean([o for _, o in rows]) for rows in by_company(found, lambda row: row[0]).values()]
        return Number(float(np.mean(means)), k=sum(o for _, o in found), n=len(found))

    def verdicts(self, by: str, split: str, model: str, run: str) -> list[tuple[str, str, str | None]]:
        """Company, gold and answer of every Task C item as filed."""
        return [
            (item["company_key"], item["gold_icfr"], answer["answer_icfr"])
            for item_id, answer in self.calls[model, run].items()
            if (item := self.items[item_id])["task"] == "C" and self.in_split(item, by, split, model)
        ]

    def macro_f1(self, by: str, split: str, model: str, run: str) -> Number:
        def score(rows: Sequence[tuple[str, str, str | None]]) -> float:
            parts = []
            for label in ("clean", "deficient"):
                hits = sum(gold == given == label for _, gold, given in rows)
                told, true = sum(given == label for *_, given in rows), sum(gold == label for _, gold, _ in rows)
                parts.append(2 * hits / (told + true) if told + true else 0.0)
            return float(np.mean(parts))

        rows = self.verdicts(by, split, model, run)
        return Number(score(rows), n=len(rows), draws=self.resample(by_company(rows, lambda row: row[0]), score))

    def precision(self, share: float, model: str, run: str) -> Number:
        clean = {item["company_key"] for item in self.items.values() if item["clean_rating"] == "attested"}
        rows = [("fp", c, o) for c, o in self.headline(model, run)]
        rows += [("tp", c, o) for c, o in self.outcomes(("C", "recall", "all", "all", model, run))]
        assert clean

        def score(drawn: Sequence[tuple[str, str, bool]]) -> float | None:
            sides = [[o for kind, _, o in drawn if kind == wanted] for wanted in ("tp", "fp")]
            if not all(sides):
                return None
            right, false = share * float(np.mean(sides[0])), (1 - share) * float(np.mean(sides[1]))
            return right / (right + false) if right + false else None

        return Number(score(rows), draws=self.resample(by_company(rows, lambda row: row[1]), score))

    def severity(
        self, task: str, score: Callable[[list[Any]], float | None], by: str, split: str, model: str, run: str
    ) -> Number:
        rows = []
        for item_id, answer in self.calls[model, run].items():
            item = self.items[item_id]
            about = item["task"] == task and self.in_split(item, by, split, model)
            if not about or not self.judged(task, "severity", item, answer)[0]:
                continue
            gold = TIERS.index(item["gold_severity"])
            given = TIERS.index(answer["answer_severity"]) if answer["answer_severity"] else (0 if gold == 2 else 2)
            rows.append((item["company_key"], gold, given))
        return Number(score(rows), n=len(rows), draws=self.resample(by_company(rows, lambda row: row[0]), score))

    def pairs(self, metric: str, by: str, split: str, model: str, run: str) -> Number:
        halves: dict[str, dict[str, tuple[Row, bool]]] = defaultdict(dict)
        for item_id, answer in self.calls[model, run].items():
            item = self.items[item_id]
            if item["task"] == "B":
                right = answer["outcome"] == "answered" and answer["answer_effective"] == item["gold_effective"]
                halves[item["pair_id"]][item["pair_role"]] = (item, right)
        wanted = {"pair_accuracy": (True, True), "pair_only_control_right": (True, False),
                  "pair_only_variant_right": (False, True), "pair_both_wrong": (False, False)}[metric]  # fmt: skip
        found = [
            (roles["control"][0]["company_key"], (roles["control"][1], roles["variant"][1]) == wanted)
            for roles in halves.values()
            if self.in_split(roles["control"][0], by, split, model)
        ]
        k = sum(o for _, o in found)
        return Number(k / len(found), *interval(found), k, len(found))

    def twins(
        self, task: str, metric: str, by: str, split: str, model: str, run: str
    ) -> list[tuple[Row, float, float]]:
        """(original item, its outcome, the twin's outcome) where both were answered."""
        calls, found = self.calls[model, run], []
        for item_id, twin in calls.items():
            twin_item = self.items[item_id]
            original = calls.get(twin_item["twin_of"] or "")
            if twin_item["arm"] == "verbatim" or twin_item["task"] != task or original is None:
                continue
            item = self.items[twin_item["twin_of"]]
            if by == "arm" and twin_item["arm"] != split:
                continue
            if by in ("paraphrased_by", "training_cutoff", "label_source") and twin_item["arm"] != "paraphrase":
                continue
            if by == "label_source" and item["label_source"] != split:
                continue
            if by == "paraphrased_by" and twin_item["drafted_by"] != split:
                continue
            if by == "training_cutoff" and self.side(item, self.cutoffs.get(model)) != split:
                continue
            if original["outcome"] != "answered" or twin["outcome"] != "answered":
                continue
            if metric.startswith("false_positive"):
                if item["gold_icfr"] == "clean":
                    found.append((item, *(float(a["answer_icfr"] == "deficient") for a in (original, twin))))
            else:
                found.append((item, *(float(a["answer_icfr"] == item["gold_icfr"]) for a in (original, twin))))
        return found

    def gap(self, task: str, metric: str, by: str, split: str, model: str, run: str) -> Number:
        found = self.twins(task, metric, by, split, model, run)
        pairs = [(item["company_key"], first, second) for item, first, second in found]
        value = sum(a - b for _, a, b in pairs) / len(pairs) if pairs else None
        draws = self.resample(
            by_company(pairs, lambda row: row[0]), lambda rows: sum(a - b for _, a, b in rows) / len(rows)
        )
        return Number(value, n=len(pairs), draws=draws)

    def gap_difference(self, task: str, metric: str, model: str, run: str) -> Number:
        base = metric.removesuffix("_difference")
        rows = [
            (side, item["company_key"], a - b)
            for side in ("before", "past")
            for item, a, b in self.twins(task, base, "training_cutoff", side, model, run)
        ]

        def score(drawn: Sequence[tuple[str, str, float]]) -> float | None:
            sides = [[d for side, _, d in drawn if side == wanted] for wanted in ("before", "past")]
            return float(np.mean(sides[0]) - np.mean(sides[1])) if all(sides) else None

        return Number(score(rows), n=len(rows), draws=self.resample(by_company(rows, lambda row: row[1]), score))

    def shared(self, first: tuple[str, str], second: tuple[str, str]) -> list[Pair]:
        """Attested clean items that both runs answered."""
        found = []
        for item_id, one in self.calls[first].items():
            item, two = self.items[item_id], self.calls[second].get(item_id)
            about = item["task"] == "C" and item["arm"] == "verbatim" and item["clean_rating"] == "attested"
            if about and two and one["outcome"] == two["outcome"] == "answered":
                flags = [float(a["answer_icfr"] == "deficient") for a in (one, two)]
                found.append((item["company_key"], flags[0], flags[1]))
        return found

    def versus(self, model: str, run: str, other: str, other_run: str) -> Number:
        pairs = self.shared((model, run), (other, other_run))
        value = sum(a - b for _, a, b in pairs) / len(pairs)
        draws = self.resample(
            by_company(pairs, lambda row: row[0]), lambda rows: sum(a - b for _, a, b in rows) / len(rows)
        )
        return Number(value, n=len(pairs), draws=draws)

    @staticmethod
    def p_value(pairs: Sequence[Pair]) -> float:
        """Every sign of every company's sum, one after the other."""
        sums = [int(sum(a - b for _, a, b in rows)) for rows in by_company(pairs, lambda row: row[0]).values()]
        ways = Counter({0: 1})
        for size in sums:
            ways = _both_signs(ways, size)
        total = sum(ways.values())
        return sum(n for at, n in ways.items() if abs(at) >= abs(sum(sums))) / total


def _both_signs(ways: Counter[int], size: int) -> Counter[int]:
    found: Counter[int] = Counter()
    for (at, count), sign in itertools.product(ways.items(), (1, -1)):
        found[at + sign * size] += count
    return found


def kappa(rows: Sequence[tuple[str, int, int]]) -> float | None:
    """Quadratic weighted kappa: one less the observed squared distance over that of independent margins."""
    observed = sum((gold - given) ** 2 for _, gold, given in rows) / len(rows)
    by_chance = sum((one[1] - two[2]) ** 2 for one in rows for two in rows) / len(rows) ** 2
    return 1 - observed / by_chance if by_chance else None


def distance(rows: Sequence[tuple[str, int, int]]) -> float:
    return sum(abs(gold - given) for _, gold, given in rows) / len(rows)
