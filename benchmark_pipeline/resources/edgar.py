"""The client of EDGAR: one for www, data and efts, under the SEC's fair-access rules.

What is asked once is not asked again: each answer is logged after its body is stored, and the log is the index from which
a later run resumes. Documents of filings never change and are final; indexes and submissions are asked again
conditionally, once a run, and not at all where the snapshot date lies before the day they were retrieved.
"""

from __future__ import annotations

import asyncio
import errno
import queue
import random
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from types import TracebackType
from typing import Any, Literal
from zoneinfo import ZoneInfo

import httpx

from benchmark_pipeline import progress
from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.evaluation.retry import retry_after_seconds
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import AppendLog, DocumentStore

from .connect import ConnectTo
from .download import Download, download_file, receive_file
from .edgar_answers import Expectation, Meaning, Verdict, a_document, decompressed, read_answer
from .request_rate import Place, RequestRate, shared_rate

Host = Literal["www", "data", "efts"]
Problem = Literal[
    "not_found", "access_denied", "truncated", "maintenance_page", "wrong_document", "undecodable", "empty", "too_large"
]

MAX_BODY_BYTES = 256 * 1024 * 1024
_ATTEMPTS = 7
_THRESHOLD_PAUSES = 3
_LONGEST_WAIT = 600.0
_KEPT_HEADERS = ("date", "last-modified", "etag", "content-type")
_PROBLEMS: dict[Meaning, Problem] = {
    "not_found": "not_found",
    "access_denied": "access_denied",
    "truncated": "truncated",
    "maintenance_page": "maintenance_page",
    "wrong_document": "wrong_document",
    "empty": "empty",
    "too_large": "too_large",
}
_FINAL_PROBLEMS = frozenset({"not_found", "too_large", "empty"})
"""Answers that a later run need not doubt; the others may have passed by then."""
_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[^@\s<>]+")
_EASTERN = ZoneInfo("America/New_York")


@dataclass(frozen=True)
class Wanted:
    """One thing to fetch."""

    host: Host
    path: str
    """Path below the host, starting with `/`."""
    expected: Expectation = a_document
    """Recognises the body."""
    mutable: bool = False
    """Indexes and submissions grow; documents of filings do not change."""
    changed_until: date | None = None
    """A mutable file that no longer changes after this day (a past quarter's index); null: it may change any day."""


@dataclass(frozen=True)
class Fetched:
    """What is known about one address: a stored body, or the reason why there is none."""

    url: str
    status: int | None
    sha256: str | None
    size_bytes: int | None
    headers: dict[str, str]
    retrieved_at: datetime | None
    problem: Problem | None
    detail: str
    from_log: bool
    """No request was made for it now."""


def require_identity(settings: Settings) -> str:
    """The User-Agent to send.

    Raises:
        ConfigurationError: no identity, or one without a name or an e-mail address.
    """
    identity = (settings.edgar_identity or "").strip()
    address = _EMAIL.search(identity)
    remedy = 'export ICFR_BENCH_EDGAR_IDENTITY="Jane Doe jane@example.org" with your own name and address'
    if address is None or not identity.replace(address.group(0), "").strip(" <>"):
        lack = "is not set" if not identity else f"names no person or no e-mail address: {identity!r}"
        raise ConfigurationError(
            f"the identity for EDGAR {lack}; the SEC's fair-access rules ask every automated client for a name and an "
            "e-mail address, and block the ones that give none",
            remedy=remedy,
        )
    if not identity.isascii() or not identity.isprintable():
        raise ConfigurationError(
            f"the identity for EDGAR has characters that no header can carry: {identity!r}", remedy=remedy
        )
    return identity


class EdgarClient:
    """Fetches from EDGAR into the document store. Use it as a context manager, from any one thread at a time."""

    def __init__(
        self,
        settings: Settings,
        documents: DocumentStore,
        *,
        connect_to: str | None = None,
        concurrency: int = 12,
        threshold_pause_seconds: float = 600.0,
        backoff_seconds: float = 1.0,
        rate: RequestRate | None = None,
    ) -> None:
        self._settings = settings
        self._documents = documents
        self._identity = require_identity(settings)
        self._hosts = {
            "www": settings.edgar_www_url, "data": settings.edgar_data_url, "efts": settings.edgar_efts_url
        }  # fmt: skip
        self._connect_to = connect_to or settings.connect_to
        # The SEC's rate is about the SEC's servers: nothing reaches them when another server is connected to.
        self._rate = rate or (None if self._connect_to else shared_rate("edgar", settings.edgar_requests_per_second))
        self._concurrency = concurrency
        self._threshold_pause = threshold_pause_seconds
        self._backoff = backoff_seconds
        self._log = AppendLog(settings.fetch_log_folder / "edgar")
        self._known: dict[str, Fetched] | None = None
        self._asked: set[str] = set()
        self._threshold_pauses = 0
        self._slots: asyncio.Semaphore | None = None
        self._http: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self.requests: Counter[str] = Counter()
        """Requests sent by this client, by host."""

    def __enter__(self) -> EdgarClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends connections, the event loop and the log file."""
        if self._loop is not None and self._thread is not None:
            if self._http is not None:
                asyncio.run_coroutine_threadsafe(self._http.aclose(), self._loop).result(timeout=10)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=10)
            self._loop.close()
            self._loop, self._thread, self._http, self._slots = None, None, None, None
        self._log.close()

    def url(self, host: Host, path: str) -> str:
        """Full address."""
        return f"{self._hosts[host]}{path}"

    def body(self, fetched: Fetched) -> bytes:
        """The stored body.

        Raises:
            BenchError: nothing was stored for this address.
        """
        if fetched.sha256 is None:
            raise BenchError(f"{fetched.url} was not retrieved: {fetched.problem} {fetched.detail}")
        return self._documents.get(fetched.sha256)

    def fetch(self, wanted: Sequence[Wanted], what: str) -> list[Fetched]:
        """What is known about each address, in order, asking only for what is not known yet.

        Args:
            wanted: what to fetch; an address may repeat.
            what: the name under which progress is told.

        Raises:
            ConfigurationError: EDGAR does not accept the identity.
            BenchError: EDGAR keeps throttling, or the disk is full.
        """
        known = self._known_answers()
        results: dict[str, Fetched] = {}
        missing: dict[str, Wanted] = {}
        for want in wanted:
            url = self.url(want.host, want.path)
            answer = known.get(url)
            if answer is not None and self._is_current(want, url, answer):
                results[url] = answer
            else:
                missing[url] = want
        total, done = len(results) + len(missing), len(results)
        progress.advance(what, done, total)
        if missing:
            for url, answer in self._run(missing):
                results[url] = known[url] = answer
                done += 1
                progress.advance(what, done, total)
        return [results[self.url(want.host, want.path)] for want in wanted]

    def known(self, want: Wanted) -> Fetched | None:
        """The last answer, however old, without any request; null where none is known or its body was lost."""
        answer = self._known_answers().get(self.url(want.host, want.path))
        if answer is None or (answer.sha256 is not None and answer.sha256 not in self._documents):
            return None
        return answer

    def downloaded(self, host: Host, path: str) -> Download | None:
        """The file of the last `download`, without any request; null where there is none."""
        answer = self._known_answers().get(self.url(host, path))
        file = download_file(self._settings, path)
        if answer is None or answer.sha256 is None or answer.retrieved_at is None or not file.is_file():
            return None
        if file.stat().st_size != answer.size_bytes:
            return None
        return Download(answer.url, file, answer.sha256, answer.retrieved_at, answer.headers)

    def download(self, host: Host, path: str, what: str) -> Download | None:
        """Brings a large archive to a file, never into memory; asked conditionally and once by one client.

        Returns:
            The file; null where the server has none at this address.

        Raises:
            BenchError: the archive cannot be had, or the disk is full.
        """
        url, earlier = self.url(host, path), self.downloaded(host, path)
        answered = self._known_answers().get(url)
        gone = answered is not None and answered.problem == "not_found"
        if url in self._asked or ((earlier is not None or gone) and self._is_past_snapshot(answered)):
            return earlier
        progress.advance(what, 0, 1)
        future = asyncio.run_coroutine_threadsafe(self._download(url, host, path, earlier), self._start_loop())
        try:
            answer = future.result()
        except OSError as error:
            raise self._no_space(error) from error
        progress.advance(what, 1, 1)
        if answer.problem is not None and answer.problem != "not_found":
            raise BenchError(
                f"the archive {url} cannot be used: {answer.problem} ({answer.detail})", remedy="run again later"
            )
        return self.downloaded(host, path)

    async def _download(self, url: str, host: Host, path: str, earlier: Download | None) -> Fetched:
        self._http = self._http or self._new_http()
        verdict, status = Verdict("busy", "never answered"), None
        attempt = 0
        while attempt < _ATTEMPTS:
            attempt += 1
            place = await self._take_place(host)
            headers = {"Accept-Encoding": "identity", **(_validators(earlier.headers) if earlier else {})}
            wait: str | None = None
            try:
                async with self._http.stream("GET", url, headers=headers, extensions=self._traced(place)) as answer:
                    status = answer.status_code
                    if status == 304 and earlier is not None:
                        known = self._known_answers()[url]
                        return self._remember(replace(known, retrieved_at=datetime.now(UTC), from_log=False))
                    if status == 200:
                        verdict, sha256, size = await receive_file(answer, download_file(self._settings, path))
                        if verdict.meaning == "ok":
                            kept = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
                            return self._remember(
                                Fetched(url, status, sha256, size, kept, datetime.now(UTC), None, "", False)
                            )
                    else:
                        verdict = read_answer(status, path, (await answer.aread())[:65536], a_document)
                        wait = answer.headers.get("retry-after")
            except httpx.TransportError as error:
                verdict, status = Verdict("busy", f"{type(error).__name__}: {error}"), None
            finally:
                self._sent(place)
            if verdict.meaning == "undeclared_tool":
                raise self._undeclared(url)
            if verdict.meaning == "rate_threshold":
                await self._hold_back()
                attempt -= 1
            elif verdict.meaning == "not_found" and (status != 403 or attempt > 1):
                break
            elif attempt < _ATTEMPTS:
                await asyncio.sleep(self._wait(attempt, wait))
        if verdict.meaning == "busy":
            raise self._too_often_busy(url, verdict)
        detail = verdict.detail[:500]
        return self._remember(
            Fetched(url, status, None, None, {}, datetime.now(UTC), _PROBLEMS[verdict.meaning], detail, False)
        )

    def _remember(self, fetched: Fetched) -> Fetched:
        self._known_answers()[fetched.url] = fetched
        return self._note(fetched)

    def _no_space(self, error: OSError) -> Exception:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return error
        return BenchError(
            f"no space left while storing documents below {self._settings.folder}",
            remedy="free some space and run again: what is stored is kept and not asked again",
        )

    def _undeclared(self, url: str) -> ConfigurationError:
        return ConfigurationError(
            f"EDGAR does not accept the identity {self._identity!r}: {url} answered that the tool is undeclared",
            remedy='export ICFR_BENCH_EDGAR_IDENTITY="Jane Doe jane@example.org" with your own name and address',
        )

    @staticmethod
    def _too_often_busy(url: str, verdict: Verdict) -> BenchError:
        return BenchError(
            f"{url} could not be fetched in {_ATTEMPTS} attempts: {verdict.detail}",
            remedy="run again later: what is stored is kept and not asked again",
        )

    def _is_current(self, want: Wanted, url: str, answer: Fetched) -> bool:
        if answer.sha256 is None:
            if answer.problem not in _FINAL_PROBLEMS or answer.retrieved_at is None:
                return url in self._asked and want.mutable
        elif answer.sha256 not in self._documents:
            return False
        if not want.mutable or url in self._asked:
            return True
        return self._is_past_snapshot(answer, want.changed_until)

    def _is_past_snapshot(self, answer: Fetched | None, changed_until: date | None = None) -> bool:
        """Whether an answer is as complete as the fixed snapshot (or the day of the last change) asks for."""
        if answer is None or answer.retrieved_at is None:
            return False
        seen = answer.retrieved_at.astimezone(_EASTERN).date()
        # EDGAR rebuilds its lists at night: a file is complete for a day once retrieved two days later.
        needed = min(self._settings.as_of, changed_until or date.max)
        fixed = self._settings.snapshot_date is not None or changed_until is not None
        return fixed and seen > needed + timedelta(days=1)

    def _known_answers(self) -> dict[str, Fetched]:
        if self._known is None:
            self._known = {}
            for line in self._log.read():
                try:
                    self._known[str(line["url"])] = _from_record(line)
                except (KeyError, TypeError, ValueError):
                    continue  # a record of another version: the address is asked again
        return self._known

    def _run(self, missing: dict[str, Wanted]) -> Iterator[tuple[str, Fetched]]:
        loop = self._start_loop()
        arrived: queue.SimpleQueue[tuple[str, Fetched] | None] = queue.SimpleQueue()
        future: Future[None] = asyncio.run_coroutine_threadsafe(self._fetch_all(missing, arrived), loop)
        future.add_done_callback(lambda _: arrived.put(None))
        try:
            while (answer := arrived.get()) is not None:
                yield answer
        finally:
            future.cancel()
        try:
            future.result()
        except OSError as error:
            raise self._no_space(error) from error

    def _start_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="edgar", daemon=True)
            self._thread.start()
        return self._loop

    async def _fetch_all(self, missing: dict[str, Wanted], arrived: queue.SimpleQueue[Any]) -> None:
        self._http = self._http or self._new_http()
        waiting = iter(missing.items())

        async def work() -> None:
            for url, want in waiting:
                arrived.put((url, await self._ask(url, want)))

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._concurrency, len(missing))):
                    group.create_task(work())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    def _new_http(self) -> httpx.AsyncClient:
        limits = httpx.Limits(max_connections=self._concurrency, max_keepalive_connections=self._concurrency)
        transport: httpx.AsyncBaseTransport = httpx.AsyncHTTPTransport(limits=limits)
        if self._connect_to:
            transport = ConnectTo(self._connect_to, transport)
        return httpx.AsyncClient(
            transport=transport,
            headers={"User-Agent": self._identity, "Accept-Encoding": "gzip, deflate"},
            timeout=httpx.Timeout(60.0, connect=20.0),
            follow_redirects=False,
        )

    async def _ask(self, url: str, want: Wanted) -> Fetched:
        known = self._known_answers().get(url)
        stored = known.sha256 if known and known.sha256 and known.sha256 in self._documents else None
        earlier = known if stored else None
        doubtful: bytes | None = None
        verdict, status = Verdict("busy", "never answered"), None
        attempt = 0
        while attempt < _ATTEMPTS:
            attempt += 1
            try:
                answer, body = await self._send(url, want, earlier)
            except httpx.TransportError as error:
                verdict, status = Verdict("busy", f"{type(error).__name__}: {error}"), None
                await asyncio.sleep(self._wait(attempt, None))
                continue
            status = answer.status_code
            if body is None:
                verdict = Verdict("too_large", f"more than {MAX_BODY_BYTES} bytes")
                break
            plain = decompressed(body, answer.headers.get("content-encoding", "")) if body else body
            if plain is None:
                verdict = Verdict("truncated", "the compressed body is cut short")
                await asyncio.sleep(self._wait(attempt, None))
                continue
            body = plain
            verdict = read_answer(status, want.path, body, want.expected)
            if verdict.meaning == "ok":
                return await self._store(url, answer, body)
            if verdict.meaning == "not_modified" and earlier is not None:
                return self._note(replace(earlier, retrieved_at=datetime.now(UTC), from_log=False))
            if verdict.meaning == "undeclared_tool":
                raise self._undeclared(url)
            if verdict.meaning == "rate_threshold":
                await self._hold_back()
                attempt -= 1
                continue
            if verdict.meaning == "not_found" and (status != 403 or attempt > 1):
                break  # a 403 for an index that exists comes and goes, so that one is asked twice
            if verdict.meaning == "empty" and attempt > 1:
                break
            if verdict.meaning == "truncated" and want.expected is a_document:
                if body == doubtful:
                    return await self._store(url, answer, body)  # the same bytes twice: as filed
                doubtful = body
            if attempt < _ATTEMPTS:
                await asyncio.sleep(self._wait(attempt, answer.headers.get("retry-after")))
        if verdict.meaning == "busy":
            raise self._too_often_busy(url, verdict)
        return self._note(
            Fetched(
                url, status, None, None, {}, datetime.now(UTC), _PROBLEMS[verdict.meaning], verdict.detail[:500], False
            )
        )

    async def _send(self, url: str, want: Wanted, earlier: Fetched | None) -> tuple[httpx.Response, bytes | None]:
        if self._http is None:
            raise RuntimeError("the client is closed")
        conditional = _validators(earlier.headers) if want.mutable and earlier is not None else {}
        place = await self._take_place(want.host)
        try:
            async with self._http.stream("GET", url, headers=conditional, extensions=self._traced(place)) as answer:
                parts, size = [], 0
                async for part in answer.aiter_raw():
                    size += len(part)
                    if size > MAX_BODY_BYTES:
                        return answer, None
                    parts.append(part)
            return answer, b"".join(parts)
        finally:
            self._sent(place)

    async def _take_place(self, host: str) -> Place | None:
        place = await self._rate.take() if self._rate is not None else None
        self.requests[host] += 1
        return place

    def _sent(self, place: Place | None) -> None:
        if self._rate is not None and place is not None:
            self._rate.sent(place)

    def _traced(self, place: Place | None) -> dict[str, Any]:
        async def trace(event: str, _: dict[str, Any]) -> None:
            if event == "http11.send_request_headers.complete":
                self._sent(place)

        return {"trace": trace}

    async def _store(self, url: str, answer: httpx.Response, body: bytes) -> Fetched:
        sha256 = await asyncio.to_thread(self._documents.put, body)
        headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
        return self._note(
            Fetched(url, answer.status_code, sha256, len(body), headers, datetime.now(UTC), None, "", False)
        )

    def _note(self, fetched: Fetched) -> Fetched:
        # After the body: a kill between the two costs one request, the other order would lose the document.
        self._log.append(_to_record(fetched))
        self._asked.add(fetched.url)
        return fetched

    async def _hold_back(self) -> None:
        self._threshold_pauses += 1
        if self._threshold_pauses > _THRESHOLD_PAUSES:
            raise BenchError(
                f"EDGAR still throttles this address after {_THRESHOLD_PAUSES} pauses of {self._threshold_pause:.0f} s",
                remedy="stop every other client behind this address, wait, and lower ICFR_BENCH_EDGAR_REQUESTS_PER_SECOND",
            )
        if self._rate is not None:
            self._rate.pause(self._threshold_pause)
            self._rate.halve()
        await asyncio.sleep(self._threshold_pause)

    def _wait(self, attempt: int, retry_after: str | None) -> float:
        told = retry_after_seconds(retry_after)
        if told is not None:
            return min(told, _LONGEST_WAIT)
        longest = min(self._backoff * float(2 ** (attempt - 1)), 60.0)
        return longest * (0.5 + random.random() / 2)  # noqa: S311 - jitter, so that waiters do not return together


def _validators(headers: dict[str, str]) -> dict[str, str]:
    """Request headers that ask only for what has changed since an answer with these headers."""
    if "etag" in headers:
        return {"If-None-Match": headers["etag"]}
    if "last-modified" in headers:
        return {"If-Modified-Since": headers["last-modified"]}
    return {}


def _to_record(fetched: Fetched) -> dict[str, Any]:
    return {
        "url": fetched.url,
        "status": fetched.status,
        "sha256": fetched.sha256,
        "size_bytes": fetched.size_bytes,
        "headers": fetched.headers,
        "retrieved_at": fetched.retrieved_at.isoformat() if fetched.retrieved_at else None,
        "problem": fetched.problem,
        "detail": fetched.detail,
    }


def _from_record(line: dict[str, Any]) -> Fetched:
    return Fetched(
        url=str(line["url"]),
        status=line["status"],
        sha256=line["sha256"],
        size_bytes=line["size_bytes"],
        headers=dict(line["headers"]),
        retrieved_at=datetime.fromisoformat(line["retrieved_at"]) if line["retrieved_at"] else None,
        problem=line["problem"],
        detail=str(line["detail"]),
        from_log=True,
    )
