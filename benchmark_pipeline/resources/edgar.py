"""The client of EDGAR: one for www, data and efts, under the SEC's fair-access rules.

What is asked once is not asked again: each answer is logged after its body is stored, and the log is the index from which
a later run resumes. Documents of filings never change and are final; indexes and submissions are asked again
conditionally, once a run, and not at all where the snapshot date lies before the day they were retrieved.
"""

from __future__ import annotations

import asyncio
import errno
import queue
import re
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

import httpx

from benchmark_pipeline import progress
from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore

from .closing import Closing
from .connect import ConnectTo
from .download import Download, download_file, receive_file
from .edgar_answers import Expectation, Meaning, Verdict, a_document, decompressed, is_asked_again, read_answer
from .fetch_log import FINAL_PROBLEMS, Fetched, FetchLog, Problem
from .request_rate import Place, RequestRate, shared_rate
from .retry import retry_after_seconds, wait_seconds
from .turn import EDGAR_TURN

__all__ = ["EdgarClient", "Fetched", "Host", "Wanted", "require_identity"]

Host = Literal["www", "data", "efts"]

MAX_BODY_BYTES = 256 * 1024 * 1024
_ATTEMPTS = 7
_THRESHOLD_PAUSES = 3
_LONGEST_WAIT = 600.0
"""Seconds; a service that asks for a longer pause ends the run, which goes on where it stopped."""
_LONGEST_BACKOFF = 60.0
_SPREAD_WITHIN = timedelta(days=7)
"""A filing's documents reach all of EDGAR's servers some time after it is listed: within days, at most."""
_SMALL_BODY_BYTES = 64 * 1024
"""Larger ones are decompressed on a thread."""
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
    filed: date | None = None
    """Day from which it must be there; null: long since. Soon after, that it is not there is not taken as final."""


class _Received(NamedTuple):
    """What came of one request: the meaning of the answer, and where its body was stored if it is what was asked."""

    verdict: Verdict
    sha256: str | None = None
    size_bytes: int | None = None


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


class EdgarClient(Closing):
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
        self._log = FetchLog(settings.fetch_log_folder / "edgar")
        self._threshold_pauses = 0
        self._has_turn = False
        self._http: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self.requests: Counter[str] = Counter()
        """Requests sent by this client, by host."""

    def close(self) -> None:
        """Ends connections, the event loop and the log file."""
        if self._loop is not None and self._thread is not None:
            if self._http is not None:
                asyncio.run_coroutine_threadsafe(self._http.aclose(), self._loop).result(timeout=10)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=10)
            self._loop.close()
            self._loop, self._thread, self._http = None, None, None
        if self._has_turn:
            EDGAR_TURN.give_back()
            self._has_turn = False
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
        results: dict[str, Fetched] = {}
        missing: dict[str, Wanted] = {}
        for want in wanted:
            url = self.url(want.host, want.path)
            answer = self._log.get(url)
            if answer is not None and self._is_current(want, url, answer):
                results[url] = answer
            else:
                missing[url] = want
        total, done = len(results) + len(missing), len(results)
        progress.advance(what, done, total)
        if missing:
            for url, answer in self._run(missing):
                results[url] = answer
                done += 1
                progress.advance(what, done, total)
        return [results[self.url(want.host, want.path)] for want in wanted]

    def known(self, want: Wanted) -> Fetched | None:
        """The last answer, however old, without any request; null where none is known or its body was lost."""
        answer = self._log.get(self.url(want.host, want.path))
        if answer is None or (answer.sha256 is not None and answer.sha256 not in self._documents):
            return None
        return answer

    def downloaded(self, host: Host, path: str) -> Download | None:
        """The file of the last `download`, without any request; null where there is none."""
        answer = self._log.get(self.url(host, path))
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
        answered = self._log.get(url)
        gone = answered is not None and answered.problem == "not_found"
        if url in self._log.asked or ((earlier is not None or gone) and self._is_past_snapshot(answered)):
            return earlier
        progress.advance(what, 0, 1)
        future = asyncio.run_coroutine_threadsafe(
            self._ask_archive(url, host, path, answered if earlier else None), self._start_loop()
        )
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

    def _is_current(self, want: Wanted, url: str, answer: Fetched) -> bool:
        if answer.sha256 is None:
            if answer.problem not in FINAL_PROBLEMS or answer.retrieved_at is None:
                return url in self._log.asked and want.mutable
            if want.filed is not None and answer.retrieved_at.date() < want.filed + _SPREAD_WITHIN:
                return url in self._log.asked
        elif answer.sha256 not in self._documents:
            return False
        if not want.mutable or url in self._log.asked:
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
        await self._take_turn()
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

    async def _take_turn(self) -> None:
        """Until the client is closed, no other process of this user asks EDGAR."""
        if self._rate is not None and not self._has_turn:
            await EDGAR_TURN.take()
            self._has_turn = True

    def _connections(self) -> httpx.AsyncClient:
        if self._http is None:
            limits = httpx.Limits(max_connections=self._concurrency, max_keepalive_connections=self._concurrency)
            transport: httpx.AsyncBaseTransport = httpx.AsyncHTTPTransport(limits=limits)
            if self._connect_to:
                transport = ConnectTo(self._connect_to, transport)
            self._http = httpx.AsyncClient(
                transport=transport,
                headers={"User-Agent": self._identity, "Accept-Encoding": "gzip, deflate"},
                timeout=httpx.Timeout(60.0, connect=20.0),
                # EDGAR's addresses are known beforehand: a redirect is an answer, and nobody is led elsewhere by one.
                follow_redirects=False,
            )
        return self._http

    async def _ask(self, url: str, want: Wanted) -> Fetched:
        known = self._log.get(url)
        earlier = known if known and known.sha256 and known.sha256 in self._documents else None
        doubtful: bytes | None = None

        async def receive(answer: httpx.Response) -> _Received:
            nonlocal doubtful
            verdict, body = await _read_body(answer, want)
            if verdict.meaning == "truncated" and want.expected is a_document and body:
                if body == doubtful:
                    verdict = Verdict("ok")  # the same bytes twice: as filed
                doubtful = body
            if verdict.meaning != "ok":
                return _Received(verdict)
            return _Received(verdict, await asyncio.to_thread(self._documents.put, body), len(body))

        asked = earlier.validators if want.mutable and earlier else {}
        return await self._ask_until_answered(url, want.host, asked, earlier, receive)

    async def _ask_archive(self, url: str, host: Host, path: str, earlier: Fetched | None) -> Fetched:
        async def receive(answer: httpx.Response) -> _Received:
            if answer.status_code == 200:
                return _Received(*await receive_file(answer, download_file(self._settings, path)))
            return _Received(read_answer(answer.status_code, path, (await answer.aread())[:65536], a_document))

        await self._take_turn()
        asked = {"Accept-Encoding": "identity", **(earlier.validators if earlier else {})}
        return await self._ask_until_answered(url, host, asked, earlier, receive)

    async def _ask_until_answered(
        self,
        url: str,
        host: Host,
        headers: Mapping[str, str],
        earlier: Fetched | None,
        receive: Callable[[httpx.Response], Awaitable[_Received]],
    ) -> Fetched:
        """Asks again as long as another answer may be hoped for, and logs what came of it."""
        meanings: Counter[Meaning] = Counter()
        while True:
            verdict, status, told, stored = await self._ask_once(url, host, headers, receive)
            now = datetime.now(UTC)
            if stored is not None:
                return await self._log.note(replace(stored, retrieved_at=now))
            if verdict.meaning == "not_modified" and earlier is not None:
                return await self._log.note(replace(earlier, retrieved_at=now, from_log=False))
            if verdict.meaning == "undeclared_tool":
                raise self._undeclared(url)
            if verdict.meaning == "rate_threshold":
                await self._hold_back()
                continue
            meanings[verdict.meaning] += 1
            attempts = meanings.total()
            if attempts == _ATTEMPTS or (told or 0) > _LONGEST_WAIT or not is_asked_again(verdict, status, meanings):
                break
            if status == 429 and told and self._rate is not None:
                self._rate.pause(told)  # what is asked of one is asked of all
            await asyncio.sleep(wait_seconds(attempts, told, base=self._backoff / 2, cap=_LONGEST_BACKOFF))
        if verdict.meaning in ("busy", "not_modified"):
            raise BenchError(
                f"{url} could not be fetched in {attempts} attempts: {verdict.detail}"
                + (f"; it asks for a pause of {told:.0f} s" if told else ""),
                remedy="run again later: what is stored is kept and not asked again",
            )
        problem, detail = _PROBLEMS[verdict.meaning], verdict.detail[:500]
        return await self._log.note(Fetched(url, status, None, None, {}, now, problem, detail, from_log=False))

    async def _ask_once(
        self,
        url: str,
        host: Host,
        headers: Mapping[str, str],
        receive: Callable[[httpx.Response], Awaitable[_Received]],
    ) -> tuple[Verdict, int | None, float | None, Fetched | None]:
        """Meaning, status, `Retry-After` in seconds, and the answer where its body was stored."""
        place = await self._rate.take() if self._rate is not None else None
        self.requests[host] += 1
        try:
            async with self._connections().stream(
                "GET", url, headers=dict(headers), extensions={"trace": self._at_the_socket(place)}
            ) as answer:
                verdict, sha256, size = await receive(answer)
        except httpx.TransportError as error:
            return Verdict("busy", f"{type(error).__name__}: {error}"), None, None, None
        finally:
            if self._rate is not None and place is not None:
                self._rate.sent(place)
        if sha256 is None:
            told = retry_after_seconds(answer.headers.get("retry-after"))
            return verdict, answer.status_code, told, None
        kept = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
        stored = Fetched(url, answer.status_code, sha256, size, kept, None, None, "", from_log=False)
        return verdict, answer.status_code, None, stored

    def _at_the_socket(self, place: Place | None) -> Callable[[str, dict[str, Any]], Awaitable[None]]:
        """Holds a request that is ready until its moment, and notes when it is written."""

        async def trace(event: str, _: dict[str, Any]) -> None:
            if self._rate is None or place is None:
                return
            if event == "http11.send_request_headers.started":
                await self._rate.until_due(place)
            elif event == "http11.send_request_headers.complete":
                self._rate.sent(place)

        return trace

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


async def _read_body(answer: httpx.Response, want: Wanted) -> tuple[Verdict, bytes]:
    """The body without its content encoding, and what it means; nothing is kept of one that is too large."""
    parts, size = [], 0
    async for part in answer.aiter_raw():
        size += len(part)
        if size > MAX_BODY_BYTES:
            return Verdict("too_large", f"more than {MAX_BODY_BYTES} bytes"), b""
        parts.append(part)
    body, encoding = b"".join(parts), answer.headers.get("content-encoding", "")
    if encoding and body:
        if size > _SMALL_BODY_BYTES:
            plain = await asyncio.to_thread(decompressed, body, encoding, MAX_BODY_BYTES)
        else:
            plain = decompressed(body, encoding, MAX_BODY_BYTES)
        if isinstance(plain, Verdict):
            return plain, b""
        body = plain
    return read_answer(answer.status_code, want.path, body, want.expected), body
