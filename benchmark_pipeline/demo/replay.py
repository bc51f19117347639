"""A local server that answers as EDGAR does, from a folder of files.

`ReplayServer(site)` serves `<site>/www`, `<site>/data` and `<site>/efts` under `/www`, `/data` and `/efts`, on 127.0.0.1
and a free port. A file kept as `<name>.gz` is served as `<name>`, with `Content-Encoding: gzip` where the client takes
it. What is missing answers as on EDGAR: an index 403 with a small XML, a filing 404. Other services are mounted by
prefix: `mounts={"/fac": handler}`, where a handler takes a `ReplayRequest` and returns a `ReplayResponse`.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from .faults import (
    ACCESS_DENIED_XML,
    MAINTENANCE_PAGE,
    NO_SUCH_KEY_XML,
    RATE_THRESHOLD_PAGE,
    UNDECLARED_TOOL_PAGE,
    WRONG_BODY,
    Fault,
    FaultPlan,
)

_INDEX_OBJECT = re.compile(r"^/www/Archives/edgar/(full|daily)-index/")
_PAGES = {
    "undeclared_tool": (403, UNDECLARED_TOOL_PAGE, "text/html"),
    "rate_threshold": (403, RATE_THRESHOLD_PAGE, "text/html"),
    "access_denied": (403, ACCESS_DENIED_XML, "application/xml"),
    "not_found": (404, NO_SUCH_KEY_XML, "application/xml"),
    "too_many_requests": (429, b"Too Many Requests", "text/plain"),
    "unavailable": (503, b"Service Unavailable", "text/plain"),
    "maintenance_page": (200, MAINTENANCE_PAGE, "text/html"),
    "wrong_body": (200, WRONG_BODY, "text/html"),
}


@dataclass(frozen=True)
class ReplayRequest:
    """One request, as a mounted handler sees it."""

    method: str
    path: str
    """Path below the mount, starting with `/`."""
    query: list[tuple[str, str]]
    """Query pairs in order, decoded."""
    headers: Mapping[str, str]
    """Header names in lower case."""
    body: bytes = b""


@dataclass(frozen=True)
class ReplayResponse:
    """One answer."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


Handler = Callable[[ReplayRequest], ReplayResponse]


@dataclass(frozen=True)
class Arrival:
    """One request that reached the server."""

    monotonic: float
    path: str
    status: int
    user_agent: str
    fault: str | None


class ReplayServer:
    """Serves a site tree until closed; use it as a context manager."""

    def __init__(
        self,
        site: Path,
        mounts: Mapping[str, Handler] | None = None,
        faults: FaultPlan | None = None,
        port: int = 0,
    ) -> None:
        self.site = site
        self.mounts = dict(mounts or {})
        self.faults = faults
        self.arrivals: list[Arrival] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _handler_class(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Base address, without a slash at its end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def counts(self) -> Counter[str]:
        """Requests by path (with the query)."""
        with self._lock:
            return Counter(arrival.path for arrival in self.arrivals)

    def __enter__(self) -> ReplayServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def note(self, arrival: Arrival) -> None:
        """Counts a request."""
        with self._lock:
            self.arrivals.append(arrival)

    def answer(self, request: ReplayRequest) -> ReplayResponse:
        """The answer without any fault."""
        for prefix, handler in self.mounts.items():
            if request.path == prefix or request.path.startswith(f"{prefix}/"):
                inner = request.path[len(prefix) :] or "/"
                return handler(ReplayRequest(request.method, inner, request.query, request.headers, request.body))
        if request.method not in ("GET", "HEAD"):
            return ReplayResponse(405, b"Method Not Allowed")
        return self._file(request)

    def _file(self, request: ReplayRequest) -> ReplayResponse:
        target = self._locate(request.path)
        if target is None:
            return _missing(request.path)
        stored = target.read_bytes()
        compressed = target.suffix == ".gz" and not request.path.endswith(".gz")
        plain = gzip.decompress(stored) if compressed else stored
        headers = {
            "Content-Type": mimetypes.guess_type(request.path)[0] or "text/plain",
            "ETag": f'"{hashlib.sha256(plain).hexdigest()[:32]}"',
            "Last-Modified": formatdate(target.stat().st_mtime, usegmt=True),
            "Vary": "Accept-Encoding",
        }
        if _unchanged(request.headers, headers):
            return ReplayResponse(304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", "") and len(plain) > 512:
            body = stored if compressed else gzip.compress(plain, compresslevel=1, mtime=0)
            return ReplayResponse(200, body, {**headers, "Content-Encoding": "gzip"})
        return ReplayResponse(200, plain, headers)

    def _locate(self, path: str) -> Path | None:
        parts = [part for part in path.split("/") if part]
        if not parts or parts[0] not in ("www", "data", "efts") or any(part in (".", "..") for part in parts):
            return None
        plain = self.site.joinpath(*parts)
        packed = plain.with_name(plain.name + ".gz")
        return next((candidate for candidate in (plain, packed) if candidate.is_file()), None)


def _missing(path: str) -> ReplayResponse:
    if _INDEX_OBJECT.match(path):
        return ReplayResponse(403, ACCESS_DENIED_XML, {"Content-Type": "application/xml"})
    return ReplayResponse(404, NO_SUCH_KEY_XML, {"Content-Type": "application/xml"})


def _unchanged(asked: Mapping[str, str], have: Mapping[str, str]) -> bool:
    if "if-none-match" in asked:
        return have["ETag"] in (tag.strip().removeprefix("W/") for tag in asked["if-none-match"].split(","))
    if "if-modified-since" in asked:
        try:
            return parsedate_to_datetime(have["Last-Modified"]) <= parsedate_to_datetime(asked["if-modified-since"])
        except ValueError:
            return False
    return False


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no event worth a traceback."""


def _handler_class(server: ReplayServer) -> type[BaseHTTPRequestHandler]:
    class _RequestHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        timeout = 60

        def do_GET(self) -> None:
            self._serve()

        def do_HEAD(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def log_message(self, format: str, *args: Any) -> None:
            return

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length") or 0))
            request = ReplayRequest(
                self.command, unquote(parts.path), parse_qsl(parts.query, keep_blank_values=True), headers, body
            )
            now = time.monotonic()
            fault = server.faults.draw(self.path) if server.faults else None
            response = self._faulty(fault, request) if fault else server.answer(request)
            kind = fault.kind if fault else None
            server.note(Arrival(now, self.path, response.status, headers.get("user-agent", ""), kind))
            self._send(response, kind)

        def _faulty(self, fault: Fault, request: ReplayRequest) -> ReplayResponse:
            if fault.kind == "slow":
                time.sleep(fault.seconds)
            if fault.kind in _PAGES:
                status, page, content_type = _PAGES[fault.kind]
                extra = {"Retry-After": fault.retry_after} if fault.retry_after is not None else {}
                return ReplayResponse(status, page, {"Content-Type": content_type, **extra})
            if fault.kind == "cut_body":
                # Uncompressed, so that half a body is a body and not a broken gzip stream.
                bare = {name: value for name, value in request.headers.items() if name != "accept-encoding"}
                full = server.answer(ReplayRequest(request.method, request.path, request.query, bare, request.body))
                return ReplayResponse(full.status, full.body[: len(full.body) // 2], full.headers)
            return server.answer(request)

        def _send(self, response: ReplayResponse, fault: str | None) -> None:
            if fault == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.rfile.close()  # it shares the socket: only the last close sends the RST
                self.connection.close()
                self.close_connection = True
                return
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            if response.status != 304:
                self.send_header("Content-Length", str(len(response.body)))
            if fault == "truncated":
                self.send_header("Connection", "close")
            self.end_headers()
            if self.command == "HEAD" or response.status == 304:
                return
            if fault == "truncated":
                self.wfile.write(response.body[: len(response.body) // 2])
                self.close_connection = True
                return
            self.wfile.write(response.body)

    return _RequestHandler
