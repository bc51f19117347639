"""The log of what was fetched: the index from which a later run resumes.

An answer is logged after its body is stored: a kill between the two costs one request, the other order would lose the
document.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from benchmark_pipeline.storage import AppendLog

Problem = Literal[
    "not_found", "access_denied", "truncated", "maintenance_page", "wrong_document", "undecodable", "empty", "too_large"
]
FINAL_PROBLEMS = frozenset({"not_found", "too_large", "empty"})
"""Answers that a later run need not doubt; the others may have passed by then."""


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

    @property
    def validators(self) -> dict[str, str]:
        """Request headers that ask only for what has changed since this answer."""
        if "etag" in self.headers:
            return {"If-None-Match": self.headers["etag"]}
        if "last-modified" in self.headers:
            return {"If-Modified-Since": self.headers["last-modified"]}
        return {}


class FetchLog:
    """The last answer of every address; a folder of JSON Lines."""

    def __init__(self, folder: Path) -> None:
        self._log = AppendLog(folder)
        self._known: dict[str, Fetched] | None = None
        self.asked: set[str] = set()
        """Addresses that were answered through this object, not read from its folder."""

    def get(self, url: str) -> Fetched | None:
        """The last answer, however old."""
        return self._answers().get(url)

    async def note(self, fetched: Fetched) -> Fetched:
        """Writes an answer to disk. On a thread: a disk that is slow to sync must not hold up the next request."""
        answers = self._answers()
        await asyncio.to_thread(self._log.append, _to_record(fetched))
        answers[fetched.url] = fetched
        self.asked.add(fetched.url)
        return fetched

    def close(self) -> None:
        """Closes the file of this process."""
        self._log.close()

    def _answers(self) -> dict[str, Fetched]:
        if self._known is None:
            self._known = {}
            for line in self._log.read():
                try:
                    self._known[str(line["url"])] = _from_record(line)
                except (KeyError, TypeError, ValueError):
                    continue  # a record of another version: the address is asked again
        return self._known


def _to_record(fetched: Fetched) -> dict[str, Any]:
    record = asdict(fetched)
    del record["from_log"]
    return {**record, "retrieved_at": fetched.retrieved_at.isoformat() if fetched.retrieved_at else None}


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
