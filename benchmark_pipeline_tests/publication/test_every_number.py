"""Every number that the report prints, counted a second time from the lake by an independent path."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest
from drawn_charts import drawn
from published_corpus import VERSION, full_corpus
from second_count import Number, SecondCount, interval, table

from benchmark_pipeline.publication.report import write_report
from benchmark_pipeline.resources.warehouse import WarehousePublisher
from benchmark_pipeline.storage import Lake

CUTOFFS = {"vendor/alpha-2026-01-15": date(2023, 6, 30), "vendor/beta-2025-11-03": date(2024, 6, 30)}
VOID = ("meta", "wbr", "br", "line", "circle", "rect")


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parts: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.parts).split())

    def all(self, name: str) -> list[Element]:
        own = [self] if name in self.attributes or name == self.tag else []
        return own + [found for child in self.children for found in child.all(name)]


class Tree(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.stack = [Element("page", {})]
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            element = Element(tag, {name: value or "" for name, value in attrs})
            self.stack[-1].children.append(element)
            self.stack.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self.stack.pop()

    def handle_data(self, data: str) -> None:
        for element in self.stack:
            element.parts.append(data)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """The corpus with two filings a company here and there, and with year ends on both sides of two cutoffs."""
    corpus = full_corpus()
    for at, row in enumerate(corpus.items):
        if row.task == "C":
            number = int(row.item_id[-4:], 16)
            ended = date(2022, 12, 31) if number % 2 else date(2024, 12, 31)
            company = f"{min(number, 33 if number < 35 else number) // (1 if number > 12 else 2)}-{row.clean_rating}"
            corpus.items[at] = row.model_copy(update={"fiscal_year_end": ended, "company_key": company})
    # Eleven reasons make two sheets of bars.
    reasons = [
        "shell",
        "shell",
        "language",
        "as_of_mismatch",
        "mixed_conclusion",
        "conclusion_conflict",
        *(f"contradicted_E{at}" for at in range(1, 7)),
    ]
    for number, reason in enumerate(reasons):
        corpus.pool.append(corpus.pool[0].model_copy(update={
            "accession": f"0009999999-25-{number:06d}", "cik": f"{9_999_000 + number:010d}", "decision": "excluded",
            "reason": reason, "attest_basis": None, "attest_opinion_span": None,
        }))  # fmt: skip
    return corpus.write(str(tmp_path_factory.mktemp("numbers")), CUTOFFS)


@pytest.fixture(scope="module")
def html(lake: Lake) -> str:
    root = Path(lake.root)
    warehouse = WarehousePublisher(root / "warehouse.duckdb", VERSION).publish(lake).path
    write_report(warehouse, root / "index.html", VERSION)
    return (root / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Element:
    return Tree(html).stack[0]


@pytest.fixture(scope="module")
def second(lake: Lake) -> SecondCount:
    return SecondCount(lake, CUTOFFS)


def percent(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def floats(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"[+-]?\d+(?:\.\d+)?", text.replace("−", "-"))]


def test_every_cell_of_every_table_of_metrics_is_counted_again(page: Element, second: SecondCount) -> None:
    """Rates and their intervals to the printed digit; resampled intervals within the noise of 400 draws."""
    cells = page.all("data-metric")
    seen: Counter[str] = Counter()
    bounded: Counter[str] = Counter()
    for cell in cells:
        key = cell.attributes["data-metric"]
        metric = key.split("|")[1]
        found = second.number(key)
        assert found.value is not None, key
        seen[metric] += 1
        text, failures, bounds = _without_bounds(cell)
        _compare(text, found, key, metric)
        if bounds:
            low, high = second.extremes(key)
            signed, plain = _signed(metric), _plain(metric)
            scale, digits = (1, 2) if plain else (100, 1)
            assert floats(bounds) == pytest.approx(
                [round(scale * low, digits), round(scale * high, digits)], abs=1e-9
            ), key
            bounded[metric] += failures
            assert signed == ("+" in bounds or "−" in bounds or floats(bounds) == [0, 0]), key
    assert len(cells) > 200
    assert {
        "false_positive_rate", "recall", "macro_f1", "precision_at_prevalence", "false_positive_rate_bootstrap",
        "false_positive_rate_company_mean",
    } <= set(bounded)  # fmt: skip
    assert {
        "false_positive_rate", "false_positive_rate_bootstrap", "false_positive_rate_company_mean", "recall",
        "macro_f1", "precision_at_prevalence", "severity_quadratic_kappa", "severity_mean_distance", "pair_accuracy",
        "accuracy_gap", "false_positive_rate_gap", "accuracy_gap_difference", "false_positive_rate_gap_difference",
        "false_positive_rate_difference", "citation_hallucinated", "gap_type",
    } <= set(seen)  # fmt: skip


def _signed(metric: str) -> bool:
    return "_gap" in metric or metric.endswith("_rate_difference")


def _plain(metric: str) -> bool:
    return metric in ("severity_quadratic_kappa", "severity_mean_distance")


def _without_bounds(cell: Element) -> tuple[str, int, str]:
    """A cell's text without the line on failed calls; how many failed, and the bounds that it gives."""
    found = re.fullmatch(r"(.*?)(?: (\d+) failed: (.*))?", cell.text)
    assert found is not None
    return found[1], int(found[2] or 0), found[3] or ""


def _compare(text: str, found: Number, key: str, metric: str) -> None:
    plain, signed = _plain(metric), _signed(metric)
    numbers = floats(text)
    scale, digits = (1, 2) if plain else (100, 1)
    assert numbers[0] == pytest.approx(round(scale * (found.value or 0), digits), abs=1e-9), key
    counts = [value for value in (None if signed else found.k, found.n) if value is not None]
    if metric == "false_positive_rate_difference":
        counts = []  # a column of its own
    if counts:
        assert numbers[-len(counts) :] == counts, key
    ends = numbers[1 : len(numbers) - len(counts)]
    if found.draws:
        assert len(ends) == 2, key
        half = 0.5 * 10.0**-digits if signed or plain else 0.5
        low, high = ((end + sign * half) / scale for end, sign in zip(ends, (1, -1), strict=True))
        # Of 400 draws 10 lie beyond each end, give or take four standard errors; the accelerated ends may be moved.
        allowed = len(found.draws) * (0.12 if metric.endswith("_bootstrap") else 0.057)
        assert sum(draw < low - 2 * half / scale for draw in found.draws) <= allowed, key
        assert sum(draw > high + 2 * half / scale for draw in found.draws) <= allowed, key
        assert found.draws[0] <= low and found.draws[-1] >= high, key
    elif found.low is None or found.high is None:
        assert ends == [], key
    else:
        assert ends == pytest.approx([round(100 * found.low), round(100 * found.high)], abs=1e-9), key


@pytest.mark.parametrize(
    "text", ["8.9 % 2 % to 24 % 3/34", "8.8 % 1 % to 24 % 3/34", "8.8 % 2 % to 25 % 3/34", "8.8 % 2 % to 24 % 3/35"]
)
def test_a_digit_that_is_off_by_one_is_seen(text: str) -> None:
    counted = Number(3 / 34, 0.018, 0.24, 3, 34)
    _compare("8.8 % 2 % to 24 % 3/34", counted, "key", "recall")
    with pytest.raises(AssertionError):
        _compare(text, counted, "key", "recall")


def test_the_headline_table_is_counted_again(page: Element, second: SecondCount) -> None:
    rows = page.all("data-headline")
    assert len(rows) == 4
    for row in rows:
        model, run = row.attributes["data-headline"].split("|")
        cells = [cell.text for cell in row.all("td")]
        attested = second.headline(model, run)
        management = second.outcomes(("C", "false_positive_rate_management_only", "all", "all", model, run))
        recall = second.outcomes(("C", "recall", "all", "all", model, run))
        for cell, found in ((cells[0], attested), (cells[1], management)):
            k, n = sum(o for _, o in found), len(found)
            low, high = interval(found)
            assert cell == f"{percent(k / n)} {percent(low)} to {percent(high)} {k}/{n}"
        assert cells[2] == str(len({company for company, _ in attested}))
        k, n = sum(o for _, o in recall), len(recall)
        assert cells[5] == f"{percent(k / n)} {k}/{n}"
        asked = [
            answer
            for item_id, answer in second.calls[model, run].items()
            if (item := second.items[item_id])["clean_rating"] == "attested" and item["arm"] == "verbatim"
        ]
        failed = sum(answer["outcome"] != "answered" for answer in asked)
        assert cells[4] == f"{failed} {percent(failed / len(asked))} of {len(asked)}"


def test_the_cards_say_the_same_with_the_bounds_of_failures(page: Element, second: SecondCount) -> None:
    cards = page.all("data-run")
    assert len(cards) == 3
    for card in cards:
        model, run = card.attributes["data-run"].split("|")
        found = second.headline(model, run)
        k, n, planned = sum(o for _, o in found), len(found), 34
        low, high = interval(found)
        assert f"{percent(k / n)} 95 % interval {percent(low)} to {percent(high)}" in card.text
        assert f"call about {round(100 * k / n)} deficient" in card.text
        assert f"Flagged of answered {k} of {n}" in card.text
        assert f"flagged {percent(k / planned)} / {percent((k + planned - n) / planned)}" in card.text


def test_rank_groups_and_tests_between_models_follow_from_every_sign_of_every_company(
    page: Element, second: SecondCount
) -> None:
    alpha, beta = (("vendor/alpha-2026-01-15", "r1"), ("vendor/beta-2025-11-03", "r1"))
    pairs = second.shared(alpha, beta)
    p = second.p_value(pairs)
    only = [sum(a > b for _, a, b in pairs), sum(b > a for _, a, b in pairs)]
    (row,) = [row for row in page.all("tr") if "only this one flags" in row.text]
    assert f"only this one flags {only[0]}, only the other {only[1]}; p {p:.3g} (Holm over 1 pair)" in row.text
    assert p < 0.05
    ranks = {row.attributes["data-headline"].split("|")[0]: row.all("td")[-1].text for row in page.all("data-headline")}
    # Gamma is not comparable: more than 2 % of its answers are unusable.
    assert (ranks[alpha[0]], ranks[beta[0]], ranks["vendor/gamma-2026-02-01"]) in {("1", "2", "–"), ("–", "–", "–")}


def test_outcomes_and_confusion_matrices_are_counted_again(page: Element, second: SecondCount) -> None:
    outcomes = page.all("data-outcome")
    for cell in outcomes:
        task, _, _, split, model, run = cell.attributes["data-outcome"].split("|")
        ends = Counter(
            "parse_fail/fenced" if second.responses[a["request_key"]]["outcome_detail"] == "fenced" else a["outcome"]
            for item_id, a in second.calls[model, run].items()
            if a["task"] == task and second.items[item_id]["arm"] == "verbatim"
        )
        assert int(cell.text) == ends[split], cell.attributes
    confusion, total = page.all("data-confusion"), 0
    columns = {"icfr": "icfr", "component": "component", "severity": "severity", "gap_type": "gap_type"}
    for cell in confusion:
        task, what, gold, given, model, run = cell.attributes["data-confusion"].split("|")
        count = 0
        for item_id, answer in second.calls[model, run].items():
            item = second.items[item_id]
            if item["task"] != task or item["arm"] != "verbatim":
                continue
            if what == "design":
                truth, said = item["gold_effective"], answer["answer_effective"]
                truth, said = ({True: "effective", False: "gap", None: None}[value] for value in (truth, said))
            else:
                truth, said = item[f"gold_{columns[what]}"], answer[f"answer_{columns[what]}"]
            if what == "severity" and not item["gradient_bearing"]:
                continue
            said = "" if answer["outcome"] != "answered" else said or "none given"
            count += truth == gold and said == given
        assert int(cell.text) == count, cell.attributes
        total += count
    assert len(outcomes) > 10 and len(confusion) > 40 and total > 3 * 62


def test_funnel_pool_items_runs_and_flags_are_counted_again(page: Element, second: SecondCount, lake: Lake) -> None:
    pool = Counter(row["decision"] for row in second.pool)
    assert {e.attributes["data-pool"]: int(e.all("td")[-1].text) for e in page.all("data-pool")} == dict(pool)
    reasons = Counter(row["reason"] for row in second.pool if row["decision"] == "excluded")
    assert {e.attributes["data-excluded"]: int(e.all("td")[-1].text) for e in page.all("data-excluded")} == reasons
    funnel = {e.attributes["data-funnel"]: int(e.all("td")[-1].text) for e in page.all("data-funnel")}
    annual = {r["accession"] for r in table(lake, "raw_filings") if r["role"] == "annual"}
    assert funnel == {"2|": len(annual), "3|": len(annual), "4|": pool["clean_attested"], "6|": 34}
    for row in page.all("data-items"):
        task, arm, population = row.attributes["data-items"].split("|")
        members = [
            i for i in second.items.values() if (i["task"], i["arm"], i["population"]) == (task, arm, population)
        ]
        clusters = len({i["company_key"] for i in members})
        assert [cell.text for cell in row.all("td")][2:] == [str(len(members)), str(clusters)]
    for row in page.all("data-run-of"):
        model, run = row.attributes["data-run-of"].split("|")
        made = [r for r in second.responses.values() if (r["model_id"], r["run_id"]) == (model, run)]
        cells = [cell.text for cell in row.all("td")]
        assert cells[2] == str(len(made))
        assert cells[4] == f"{sum(r['prompt_tokens'] for r in made)} / {sum(r['completion_tokens'] for r in made)}"
    flagged = {
        f"{item_id}|{model}|{run}"
        for (model, run), calls in second.calls.items()
        for item_id, answer in calls.items()
        if not model.startswith("baseline/") and answer["answer_icfr"] == "deficient"
        and second.items[item_id]["clean_rating"] == "attested" and second.items[item_id]["arm"] == "verbatim"
    }  # fmt: skip
    listed = [element.attributes["data-flag"] for element in page.all("data-flag")]
    assert len(listed) == len(set(listed)) and set(listed) == flagged


def test_charts_print_and_draw_the_numbers_that_are_counted_again(
    html: str, page: Element, second: SecondCount
) -> None:
    """In each layout: bars as long as the counts beside them, and dots and intervals at the rates counted again."""
    figures = re.findall(r'<figure class="bars" data-chart="(\w+)">(.*?)</figure>', html, re.DOTALL)
    assert {name for name, _ in figures} == {"funnel", "pool", "excluded"}
    for name, figure in figures:
        counts = [int(row.all("td")[0].text) for row in page.all(f"data-{name}")]
        labels = "".join(row.all("th")[0].text for row in page.all(f"data-{name}"))
        layouts = re.findall(r'<div class="layout [a-z ]+">(.*?)</div>', figure, re.DOTALL)
        assert len(layouts) == 2
        for layout in layouts:
            charts = [drawn(sheet) for sheet in re.findall(r"<svg.*?</svg>", layout, re.DOTALL)]
            assert len(charts) == 1 + (name == "excluded")
            assert [int(value) for chart in charts for value in chart.texts("values")] == counts
            printed = "".join(text for chart in charts for text in chart.texts("labels"))
            assert printed.replace(" ", "") == labels.replace(" ", "")
            marks = [mark for chart in charts for mark in chart.layer("bars")]
            lengths = [float(re.findall(r"h([\d.]+)", mark.attrib["d"])[0]) for mark in marks]
            assert [length / max(lengths) for length in lengths] == pytest.approx(
                [count / max(counts) for count in counts], abs=2e-3
            )
    (figure,) = re.findall(r'<figure class="forest">(.*?)</figure>', html, re.DOTALL)
    runs = [row.attributes["data-headline"].split("|") for row in page.all("data-headline")]
    layouts = re.findall(r"<svg.*?</svg>", figure, re.DOTALL)
    assert len(layouts) == 3 and len(runs) == 4
    for chart in map(drawn, layouts):
        assert "".join(chart.texts("labels")) == "".join(model for model, _ in runs)
        last, end = list(chart.ticks.items())[-1]
        unit = end / (float(last.removesuffix(" %")) / 100)
        outcomes = [second.headline(model, run) for model, run in runs]
        rates = [sum(o for _, o in found) / len(found) for found in outcomes]
        assert chart.texts("values") == [percent(rate) for rate in rates]
        assert [x / unit for x, _ in chart.places("rates")] == pytest.approx(rates)
        spans = [(x / unit, (x + float(mark.get("x2", "nan"))) / unit)
                 for mark, (x, _) in zip(chart.layer("intervals"), chart.places("intervals"), strict=True)]  # fmt: skip
        assert spans == [pytest.approx(interval(found), abs=1e-6) for found in outcomes]
        weaker = [second.outcomes(("C", "false_positive_rate_management_only", "all", "all", *run)) for run in runs]
        assert [x / unit for x, _ in chart.places("weaker")] == pytest.approx(
            [sum(o for _, o in found) / len(found) for found in weaker]
        )


def test_no_table_of_the_page_holds_a_number_that_is_not_counted_again(page: Element) -> None:
    """Every body cell with a digit stands in one of the elements above, or in the power table and the prompt hashes."""
    known = ("data-metric", "data-headline", "data-outcome", "data-confusion", "data-items", "data-run-of",
             "data-readers", "data-power", "data-prompt", "data-cutoff", "data-funnel", "data-pool", "data-excluded")  # fmt: skip

    def loose(element: Element, inside: bool) -> list[str]:
        inside = inside or any(name in element.attributes for name in known)
        found = [element.text] if element.tag == "td" and not inside and re.search(r"\d", element.text) else []
        return found + [text for child in element.children for text in loose(child, inside)]

    left = loose(page, False)
    # Counts beside a compared pair are part of its row, which is checked with its tests.
    assert all(re.fullmatch(r"\d+ \d+ companies|only this one flags .*|0", text) for text in left), left
