"""A handler that answers as the FAC API does, over rows in memory or the demo's authored corpus.

It holds the subset of PostgREST that clients of the FAC meet: `select`, the filters `eq neq gt gte lt lte like ilike in
is`, `order`, `limit`, `offset`, `Range`, `Prefer: count=exact`, `Accept-Profile`, the key, and the silent cap on rows.
A misspelt column is an error, as there. Faults are played from a list, one a request.
"""

from __future__ import annotations

import fnmatch
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.resources.fac import ENDPOINTS

from .replay import ReplayRequest, ReplayResponse

Row = Mapping[str, Any]
FacFault = Literal[
    "too_many_requests", "request_timeout", "error_in_200", "html_page", "key_refused", "unavailable", "hour_spent"
]

PROFILES = ("api_v1_1_0", "api_v1_2_0", "api_v1_3_0")
ROW_CAP = 20_000
CORPUS = Path(__file__).resolve().parent / "fac_corpus"
_JSON = {"Content-Type": "application/json; charset=utf-8"}
_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "eq": lambda have, want: have == want,
    "neq": lambda have, want: have != want,
    "gt": lambda have, want: have > want,
    "gte": lambda have, want: have >= want,
    "lt": lambda have, want: have < want,
    "lte": lambda have, want: have <= want,
    "like": fnmatch.fnmatchcase,
    "ilike": lambda have, want: fnmatch.fnmatchcase(have.lower(), want.lower()),
}


class _BadRequestError(Exception):
    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.response = ReplayResponse(status, json.dumps({"code": code, "message": message}).encode(), dict(_JSON))


class FacReplay:
    """The handler; mount it at `/fac`. Thread-safe."""

    def __init__(
        self, tables: Mapping[str, Sequence[Row]], *, row_cap: int = ROW_CAP, faults: Sequence[FacFault] = ()
    ) -> None:
        """Serves these tables.

        Args:
            tables: endpoint name to rows, in the order of the server's internal id.
            row_cap: rows of an answer at most.
            faults: played one a request, in order, before the first good answer.
        """
        self._tables = {name: list(rows) for name, rows in tables.items()}
        # A server knows the columns of a table without rows; of a table with rows only those it holds.
        self._columns = {
            name: set().union(*(row.keys() for row in rows)) or set(ENDPOINTS[name].columns)
            for name, rows in self._tables.items()
        }
        self._row_cap = row_cap
        self._faults = list(faults)
        self._lock = threading.Lock()
        self.requests: list[ReplayRequest] = []

    @classmethod
    def of_corpus(cls, folder: Path = CORPUS) -> FacReplay:
        """Serves the authored corpus: one JSON file an endpoint."""
        return cls(load_corpus(folder))

    def __call__(self, request: ReplayRequest) -> ReplayResponse:
        """Answers one request."""
        with self._lock:
            self.requests.append(request)
            fault = self._faults.pop(0) if self._faults else None
        if fault is not None:
            return _FAULTS[fault]
        try:
            return self._answer(request)
        except _BadRequestError as error:
            return error.response

    def _answer(self, request: ReplayRequest) -> ReplayResponse:
        if not request.headers.get("x-api-key"):
            return _key_error("API_KEY_MISSING", "No api_key was supplied. Get one at https://api.data.gov:443")
        profile = request.headers.get("accept-profile", PROFILES[0])
        if profile not in PROFILES:
            raise _BadRequestError("PGRST106", f"The schema must be one of the following: {', '.join(PROFILES)}", 406)
        name = request.path.strip("/")
        if request.method != "GET" or name not in self._tables:
            raise _BadRequestError("42P01", f'relation "{profile}.{name}" does not exist', 404)
        query = list(request.query)
        rows = self._filtered(name, query)
        total = len(rows)
        given = dict(query)
        self._order(name, rows, given.get("order", ""))
        offset, limit = _window(given, request.headers.get("range"))
        # The cap cuts without a word: whoever asks for more gets 20,000 and no sign of it.
        page = rows[offset : offset + min(limit if limit is not None else self._row_cap, self._row_cap)]
        body = json.dumps([self._selected(name, row, given.get("select", "*")) for row in page]).encode()
        exact = "count=exact" in request.headers.get("prefer", "")
        span = f"{offset}-{offset + len(page) - 1}" if page else "*"
        headers = {**_JSON, "Content-Range": f"{span}/{total if exact else '*'}"}
        return ReplayResponse(206 if exact and len(page) < total else 200, body, headers)

    def _filtered(self, name: str, query: Sequence[tuple[str, str]]) -> list[Row]:
        rows = list(self._tables[name])
        for column, condition in query:
            if column in ("select", "order", "limit", "offset"):
                continue
            self._known(name, column)
            negated = condition.startswith("not.")
            operator, _, value = condition.removeprefix("not.").partition(".")
            rows = [row for row in rows if _holds(row.get(column), operator, value) is not negated]
        return rows

    def _order(self, name: str, rows: list[Row], order: str) -> None:
        for term in reversed([part for part in order.split(",") if part]):
            column, _, direction = term.partition(".")
            self._known(name, column)
            rows.sort(key=lambda row: _text(row.get(column)), reverse=direction.startswith("desc"))

    def _selected(self, name: str, row: Row, select: str) -> dict[str, Any]:
        if select == "*":
            return dict(row)
        columns = select.split(",")
        for column in columns:
            self._known(name, column)
        return {column: row.get(column) for column in columns}

    def _known(self, name: str, column: str) -> None:
        if column not in self._columns[name]:
            raise _BadRequestError("42703", f"column {name}.{column} does not exist")


def load_corpus(folder: Path = CORPUS) -> dict[str, list[dict[str, Any]]]:
    """The authored rows, by endpoint.

    Raises:
        BenchError: a file is missing or is no JSON list.
    """
    tables = {}
    for name in ENDPOINTS:
        path = folder / f"{name}.json"
        try:
            rows = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise BenchError(f"the demo's FAC corpus cannot be read: {path}: {error}") from error
        if not isinstance(rows, list):
            raise BenchError(f"the demo's FAC corpus is no list of rows: {path}")
        tables[name] = rows
    return tables


def _holds(value: object, operator: str, wanted: str) -> bool:
    if operator == "is":
        names = {"null": None, "true": True, "false": False}
        if wanted not in names:
            raise _BadRequestError("PGRST100", f"failed to parse filter (is.{wanted})")
        return value is names[wanted]
    if operator == "in":
        if not (wanted.startswith("(") and wanted.endswith(")")):
            raise _BadRequestError("PGRST100", f"failed to parse filter (in.{wanted})")
        return value is not None and _text(value) in {item.strip('"') for item in wanted[1:-1].split(",")}
    if operator not in _OPERATORS:
        raise _BadRequestError("PGRST100", f'"failed to parse filter ({operator}.{wanted})"')
    return value is not None and _OPERATORS[operator](_text(value), wanted)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _window(given: Mapping[str, str], range_header: str | None) -> tuple[int, int | None]:
    try:
        if range_header and "limit" not in given and "offset" not in given:
            first, _, last = range_header.removeprefix("rows=").partition("-")
            return int(first), int(last) - int(first) + 1 if last else None
        limit = given.get("limit")
        return int(given.get("offset", "0")), int(limit) if limit is not None else None
    except ValueError as error:
        raise _BadRequestError("22P02", f"invalid input syntax for type integer: {error}") from error


def _key_error(code: str, message: str) -> ReplayResponse:
    return ReplayResponse(403, json.dumps({"error": {"code": code, "message": message}}).encode(), dict(_JSON))


_OVER_LIMIT = json.dumps(
    {"error": {"code": "OVER_RATE_LIMIT", "message": "You have exceeded your rate limit."}}
).encode()
_FAULTS: dict[str, ReplayResponse] = {
    "too_many_requests": ReplayResponse(429, _OVER_LIMIT, {**_JSON, "Retry-After": "3"}),
    "hour_spent": ReplayResponse(429, _OVER_LIMIT, {**_JSON, "Retry-After": "1800"}),
    "request_timeout": ReplayResponse(408, b"Request Timeout", {"Content-Type": "text/plain"}),
    "error_in_200": ReplayResponse(200, _OVER_LIMIT, dict(_JSON)),
    "html_page": ReplayResponse(
        200, b"<html><body><h1>Over the limit</h1></body></html>", {"Content-Type": "text/html"}
    ),
    "key_refused": _key_error("API_KEY_INVALID", "An invalid api_key was supplied."),
    "unavailable": ReplayResponse(503, b"Service Unavailable", {"Content-Type": "text/plain"}),
}
