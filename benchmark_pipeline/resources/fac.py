"""The Federal Audit Clearinghouse API: a PostgREST service behind api.data.gov.

Facts that shape this client: every answer is cut at 20,000 rows without a word; an overload may answer 200 with an error
object or an HTML page, so only a JSON list is a success; without `Accept-Profile` the server picks a schema itself;
offsets shift when the data is refreshed, so every page is ordered by a key that ties no two rows. Pages are stored as
received before they are read, and each is noted in a fetch log, so that a run of a past snapshot never asks twice.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlencode

import httpx

from benchmark_pipeline import progress
from benchmark_pipeline.errors import BenchError, ConfigurationError, CorruptFileError
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import AppendLog, DocumentStore

from .closing import Closing
from .connect import ConnectToSync
from .retry import retry_after_seconds

PROFILE = "api_v1_1_0"
"""The schema; sent with every request, because the server's default may change."""
ROW_CAP = 20_000
"""Rows of an answer at most, whatever `limit` says; the cut is silent."""
PAGE_SIZE = 5_000
_ATTEMPTS = 6
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT = 120.0
_BATCH = 50
"""Report ids in one `in.(…)` filter: a query string of about 1,400 characters."""
_KEY_REMEDY = (
    "get a free key at https://api.data.gov/signup/ and set ICFR_BENCH_FAC_API_KEY (DEMO_KEY is enough for a trial)"
)


@dataclass(frozen=True)
class Endpoint:
    """An endpoint: the columns that are asked for by name, and an order in which no two different rows tie."""

    columns: tuple[str, ...]
    order: tuple[str, ...]
    several_rows_a_finding: bool = False
    """Several rows may belong to one reference, and then their order as served carries meaning."""


_COMMON = ("report_id", "auditee_uei", "audit_year", "fac_accepted_date")
ENDPOINTS: dict[str, Endpoint] = {
    "general": Endpoint(
        (
            *_COMMON, "auditee_ein", "auditee_name", "auditee_certify_name", "auditee_contact_name", "auditor_firm_name",
            "auditor_certify_name", "auditor_contact_name", "entity_type", "fy_start_date", "fy_end_date", "is_public",
            "data_source", "is_internal_control_deficiency_disclosed",
            "is_internal_control_material_weakness_disclosed", "resubmission_version", "resubmission_status",
        ),
        ("report_id",),
    ),
    "findings": Endpoint(
        (
            *_COMMON, "award_reference", "reference_number", "type_requirement", "is_modified_opinion",
            "is_other_matters", "is_material_weakness", "is_significant_deficiency", "is_other_findings",
            "is_questioned_costs", "is_repeat_finding", "prior_finding_ref_numbers",
        ),
        ("report_id", "reference_number", "award_reference"),
    ),
    "findings_text": Endpoint(
        (*_COMMON, "finding_ref_number", "contains_chart_or_table", "finding_text"),
        ("report_id", "finding_ref_number", "finding_text"),
        several_rows_a_finding=True,
    ),
    "corrective_action_plans": Endpoint(
        (*_COMMON, "finding_ref_number", "contains_chart_or_table", "planned_action"),
        ("report_id", "finding_ref_number", "planned_action"),
        several_rows_a_finding=True,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class FacPage:
    """One page of an endpoint, as received."""

    endpoint: str
    url: str
    sha256: str
    """Key of the page's bytes in the document store."""
    rows: list[Any]
    retrieved_at: datetime
    from_store: bool
    """No request was made for it."""


class FacClient(Closing):
    """Reads audit years from the API; one client a run, not shared between threads."""

    def __init__(
        self,
        settings: Settings,
        documents: DocumentStore,
        *,
        connect_to: str | None = None,
        transport: httpx.BaseTransport | None = None,
        page_size: int = PAGE_SIZE,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Connects lazily: a client that is never asked needs no key.

        Args:
            settings: base address, key, snapshot date and log folder.
            documents: where pages are stored.
            connect_to: address of a replay server or mirror that answers in place of the API's host; addresses in logs
                and tables stay the API's.
            transport: replaces the network.
            page_size: rows asked for at once, at most 20,000.
            sleep: waits between attempts.

        Raises:
            ConfigurationError: a page size beyond the server's cap, which would lose rows.
        """
        if not 1 <= page_size <= ROW_CAP:
            raise ConfigurationError(
                f"page size {page_size}: the FAC cuts every answer at {ROW_CAP} rows",
                remedy=f"choose a page size from 1 to {ROW_CAP}",
            )
        self._settings = settings
        self._documents = documents
        self._page_size = page_size
        self._sleep = sleep
        self._log = AppendLog(settings.fetch_log_folder / "fac")
        self._known: dict[str, dict[str, Any]] | None = None
        inner = transport or httpx.HTTPTransport(retries=2)
        self._http = httpx.Client(
            transport=ConnectToSync(connect_to, inner) if connect_to else inner,
            timeout=httpx.Timeout(120, connect=20),
            headers={"Accept": "application/json", "Accept-Profile": PROFILE},
        )
        self.requests = 0
        """Requests made, attempts included."""

    def close(self) -> None:
        """Closes connections and the log."""
        self._http.close()
        self._log.close()

    def audit_year(self, year: int) -> Iterator[FacPage]:
        """All pages of one audit year: reports, findings, texts and plans accepted up to the snapshot date.

        Where several texts belong to one reference, the pages of the report are asked for again without an order,
        because only the served order says how they continue each other; those pages replace the ordered rows.
        """
        for done, (name, endpoint) in enumerate(ENDPOINTS.items()):
            progress.advance(f"FAC audit year {year}", done, len(ENDPOINTS))
            pages = list(self.pages(name, {"audit_year": f"eq.{year}"}))
            if endpoint.several_rows_a_finding:
                pages = self._in_served_order(name, pages)
            yield from pages
        progress.advance(f"FAC audit year {year}", len(ENDPOINTS), len(ENDPOINTS))

    def pages(self, name: str, filters: Mapping[str, str]) -> Iterator[FacPage]:
        """Pages of one endpoint, until a page is short.

        Args:
            name: a key of `ENDPOINTS`.
            filters: PostgREST filters, such as `{"audit_year": "eq.2023"}`.

        Raises:
            BenchError: the service keeps failing, or answers what cannot be right.
            ConfigurationError: there is no key, or the service refuses it.
        """
        endpoint = ENDPOINTS[name]
        offset = 0
        while True:
            page = self._page(
                name,
                {
                    "select": ",".join(endpoint.columns),
                    **filters,
                    "fac_accepted_date": f"lte.{self._settings.as_of.isoformat()}",
                    "order": ",".join(f"{column}.asc" for column in endpoint.order),
                    "limit": str(self._page_size),
                    "offset": str(offset),
                },
            )
            if len(page.rows) > self._page_size:
                raise BenchError(f"the FAC answered {len(page.rows)} rows to a limit of {self._page_size}: {page.url}")
            yield page
            if len(page.rows) < self._page_size:
                return
            # The step is the limit, not the limit plus one: two of the FAC's own examples lose a row a page.
            offset += self._page_size

    def received(self, name: str, year: int) -> Iterator[FacPage]:
        """Pages of an endpoint and audit year that any run has received, from the store; no request is made."""
        for entry in self._log.read():
            url = str(entry.get("url"))
            if f"/{name}?" in url and f"audit_year=eq.{year}&" in url:
                body = self._documents.get(str(entry["sha256"]))
                retrieved = datetime.fromisoformat(str(entry["retrieved_at"]))
                yield FacPage(name, url, str(entry["sha256"]), json.loads(body), retrieved, from_store=True)

    def _in_served_order(self, name: str, pages: Sequence[FacPage]) -> list[FacPage]:
        rows = [row for page in pages for row in page.rows if isinstance(row, dict)]
        counts = Counter((row.get("report_id"), row.get("finding_ref_number")) for row in rows)
        several = sorted({str(key[0]) for key, count in counts.items() if count > 1 and key[0]})
        if not several:
            return list(pages)
        again = [
            page
            for start in range(0, len(several), _BATCH)
            for page in self._as_served(name, several[start : start + _BATCH])
        ]
        replaced = set(several)
        kept = [
            FacPage(
                page.endpoint,
                page.url,
                page.sha256,
                [row for row in page.rows if not (isinstance(row, dict) and row.get("report_id") in replaced)],
                page.retrieved_at,
                page.from_store,
            )
            for page in pages
        ]
        return kept + again

    def _as_served(self, name: str, reports: Sequence[str]) -> list[FacPage]:
        """Rows of some reports without an order; asked for in halves where the server's cap may have cut the answer."""
        page = self._page(
            name,
            {
                "select": ",".join(ENDPOINTS[name].columns),
                "report_id": f"in.({','.join(reports)})",
                "fac_accepted_date": f"lte.{self._settings.as_of.isoformat()}",
                "limit": str(ROW_CAP),
            },
        )
        if len(page.rows) < ROW_CAP:
            return [page]
        if len(reports) == 1:
            raise BenchError(
                f"{reports[0]} has {ROW_CAP} rows of {name} or more, and the FAC cuts an answer there",
                remedy="read this audit year from the FAC's bulk CSV files",
            )
        middle = len(reports) // 2
        return [*self._as_served(name, reports[:middle]), *self._as_served(name, reports[middle:])]

    def _page(self, name: str, query: Mapping[str, str]) -> FacPage:
        url = f"{self._settings.fac_url.rstrip('/')}/{name}?{urlencode(query, safe=',.()')}"
        stored = self._stored(name, url)
        if stored is not None:
            return stored
        body = self._get(url)
        sha256 = self._documents.put(body)
        now = datetime.now(UTC)
        rows = json.loads(body)
        self._log.append(
            {"url": url, "profile": PROFILE, "sha256": sha256, "rows": len(rows), "retrieved_at": now.isoformat()}
        )
        return FacPage(name, url, sha256, rows, now, from_store=False)

    def _stored(self, name: str, url: str) -> FacPage | None:
        """The page as an earlier run received it; only a snapshot in the past cannot have changed since."""
        snapshot = self._settings.snapshot_date
        if snapshot is None or snapshot >= datetime.now(UTC).date():
            return None
        if self._known is None:
            self._known = {str(entry.get("url")): entry for entry in self._log.read()}
        entry = self._known.get(url)
        if entry is None or entry.get("profile") != PROFILE or not _after(entry, snapshot):
            return None
        try:
            rows = json.loads(self._documents.get(str(entry["sha256"])))
        except CorruptFileError:
            return None
        retrieved = datetime.fromisoformat(str(entry["retrieved_at"]))
        return FacPage(name, url, str(entry["sha256"]), rows, retrieved, from_store=True)

    def _get(self, url: str) -> bytes:
        seen, wait, attempt = "no answer", 0.0, 0
        for attempt in range(_ATTEMPTS):
            wait = min(2.0**attempt, _LONGEST_WAIT)
            try:
                self.requests += 1
                response = self._http.get(url, headers={"X-Api-Key": self._key()})
                body = response.content
            except httpx.HTTPError as error:
                seen = f"{type(error).__name__}: {error}"
            else:
                seen, retry = _judge(response, body)
                if not seen:
                    return body
                # An error message may repeat what it refuses; ours ends up in logs.
                seen = seen.replace(self._key(), "[key]")
                if not retry:
                    raise _refusal(response, url, seen)
                wait = retry_after_seconds(response.headers.get("Retry-After")) or wait
                if wait > _LONGEST_WAIT:
                    break
            if attempt + 1 < _ATTEMPTS:
                self._sleep(wait)
        pause = f"; it asks for a pause of {wait:.0f} seconds" if wait > _LONGEST_WAIT else ""
        raise BenchError(
            f"the FAC did not answer {url} in {attempt + 1} attempts; last: {seen}{pause}",
            remedy="run again later: pages that were received are kept. A key of your own allows 1,000 requests an hour",
        )

    def _key(self) -> str:
        key = self._settings.fac_api_key
        if key is None or not key.get_secret_value().strip():
            raise ConfigurationError("there is no key for the FAC API", remedy=_KEY_REMEDY)
        return key.get_secret_value().strip()


def _judge(response: httpx.Response, body: bytes) -> tuple[str, bool]:
    """What is wrong with an answer (nothing: an empty text) and whether asking again may help."""
    if response.is_success:
        try:
            parsed = json.loads(body)
        except ValueError:
            return f"HTTP {response.status_code} with {_excerpt(body)}, which is not JSON", True
        if isinstance(parsed, list):
            return "", False
        return f"HTTP {response.status_code} with {_excerpt(body)}, which is no list of rows", not _bad_key(body)
    return f"HTTP {response.status_code} {_excerpt(body)}", response.status_code in _RETRIED


def _bad_key(body: bytes) -> bool:
    return any(code in body for code in (b"API_KEY_MISSING", b"API_KEY_INVALID", b"API_KEY_DISABLED"))


def _refusal(response: httpx.Response, url: str, seen: str) -> BenchError:
    if response.status_code in (401, 403) or _bad_key(response.content):
        return ConfigurationError(f"the FAC API refuses the key: {seen}", remedy=_KEY_REMEDY)
    return BenchError(
        f"the FAC API refuses {url}: {seen}",
        remedy=f"a column or the schema {PROFILE} may have changed: compare with https://www.fac.gov/api/dictionary/",
    )


def _excerpt(body: bytes) -> str:
    return repr(body[:160].decode("utf-8", "replace"))


def _after(entry: Mapping[str, Any], snapshot: date) -> bool:
    try:
        return datetime.fromisoformat(str(entry["retrieved_at"])).date() > snapshot
    except (KeyError, ValueError):
        return False
