"""Writing decisions: one at a time, under a lock, durable before the reviewer sees the next item.

The log is append-only. Reviewers on one machine write at once without losing anything: each append holds an exclusive
lock, judges the record against the log as it then stands, and is on disk when the lock is released.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.icfr.evidence_review import LOG_NAME, read_answers, standing_rows
from benchmark_pipeline.icfr.questions import new_answer_id
from benchmark_pipeline.items.reviews import ReviewLog, is_model_id, read_reviews, require_valid, standing
from benchmark_pipeline.storage import AppendLog
from benchmark_pipeline.storage.files import replace_file, temporary_beside
from benchmark_pipeline.tables.clean_pool import EvidenceAnswerRow
from benchmark_pipeline.tables.items import ItemReviewRow

LOCK_SECONDS = 30
"""An append takes milliseconds; a lock held longer belongs to a process that hangs."""


class ReviewStore:
    """The review log of one profile.

    Args:
        folder: the log's folder.
        known_models: ids that may not review.
        now: the clock, for tests.
    """

    def __init__(
        self,
        folder: Path,
        known_models: frozenset[str] = frozenset(),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.folder = folder
        self.known_models = known_models
        self.now = now
        self._log = AppendLog(folder)
        self._evidence = AppendLog(folder / LOG_NAME)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.folder / ".lock", timeout=LOCK_SECONDS):
                yield
        except Timeout as error:
            raise BenchError(
                f"the review log is locked by another process for over {LOCK_SECONDS} seconds: {self.folder}",
                remedy="end the review or import that hangs; nothing was written",
            ) from error

    def read(self) -> ReviewLog:
        """The log as it stands."""
        return read_reviews(AppendLog(self.folder).read(), self.now(), self.known_models)

    def require_person(self, reviewer: str) -> str:
        """The reviewer's name, trimmed.

        Raises:
            BenchError: no name, or a model's.
        """
        name = " ".join(reviewer.split())
        if len(name) < 2 or len(name) > 80:
            raise BenchError("a reviewer needs a name of 2 to 80 characters", remedy="give your own name or staff id")
        if is_model_id(name, self.known_models):
            raise BenchError(f"{name!r} is the id of a model; a person decides", remedy="give your own name")
        return name

    def append(self, row: ItemReviewRow) -> None:
        """Writes one decision.

        Raises:
            BenchError: it is no person's decision, its id was used, or it takes back what is not there to take back.
        """
        with self._locked():
            require_valid(row, self.now(), self.known_models)
            decisions = self.read().decisions
            if any(old.decision_id == row.decision_id for old in decisions):
                raise BenchError(f"decision {row.decision_id} is in the log already", remedy="nothing was written")
            if row.decision == "undo" and not any(
                old.decision_id == row.voids and old.reviewer == row.reviewer for old in standing(decisions)
            ):
                raise BenchError(
                    f"{row.reviewer} has no standing decision {row.voids} to take back",
                    remedy="only one's own decision can be undone, and only once",
                )
            self._log.append(row.model_dump(mode="json"))

    def answers(self) -> list[EvidenceAnswerRow]:
        """Answers to questions on evidence, oldest first, those taken back and the skipped included.

        Raises:
            BenchError: the log holds a record that is no answer.
        """
        return read_answers(AppendLog(self.folder / LOG_NAME).read())

    def append_answer(self, row: EvidenceAnswerRow) -> None:
        """Writes one answer to a question on evidence.

        Raises:
            BenchError: it is no person's, or it takes back what is not there to take back.
        """
        with self._locked():
            self.require_person(row.reviewer)
            if row.resolution == "undo" and not any(
                old.answer_id == row.voids and old.reviewer == row.reviewer for old in standing_rows(self.answers())
            ):
                raise BenchError(
                    f"{row.reviewer} has no standing answer {row.voids} to take back",
                    remedy="only one's own answer can be undone, and only once",
                )
            self._evidence.append(row.model_dump(mode="json"))

    def undo_last(self, reviewer: str) -> str | None:
        """Takes back the reviewer's latest decision or answer that stands; returns what it was on, None without any."""
        mine: list[ItemReviewRow | EvidenceAnswerRow] = [
            row for row in standing(self.read().decisions) if row.reviewer == reviewer
        ]
        mine += [row for row in standing_rows(self.answers()) if row.reviewer == reviewer]
        last = max(mine, key=lambda row: row.decided_at, default=None)
        if isinstance(last, ItemReviewRow):
            self.append(last.model_copy(update={
                "decision_id": new_id(), "decision": "undo", "reason": None, "changes": None, "seconds": None,
                "decided_at": self.now(), "voids": last.decision_id,
            }))  # fmt: skip
            return last.item_id
        if isinstance(last, EvidenceAnswerRow):
            self.append_answer(last.model_copy(update={
                "answer_id": new_answer_id(), "resolution": "undo", "reason": "", "seconds": None,
                "decided_at": self.now(), "voids": last.answer_id,
            }))  # fmt: skip
            return last.evidence_id
        return None

    def append_all(self, rows: Sequence[ItemReviewRow], judge: Callable[[ReviewLog], list[str]]) -> list[str]:
        """Writes many decisions as one new file of the log, or none.

        Args:
            rows: decisions, each valid by itself.
            judge: problems of the whole against the log as it stands under the lock.

        Returns:
            The problems; where there is any, nothing was written.
        """
        with self._locked():
            if problems := judge(self.read()):
                return problems
            if rows:
                path = self.folder / f"{self.now().strftime('%Y%m%dT%H%M%S%f')}-import-{uuid.uuid4().hex[:6]}.jsonl"
                temporary = temporary_beside(path)
                lines = (json.dumps(row.model_dump(mode="json"), separators=(",", ":")) + "\n" for row in rows)
                temporary.write_text("".join(lines), encoding="ascii")
                replace_file(temporary, path)
        return []


def new_id() -> str:
    """Id of a new decision."""
    return f"d-{uuid.uuid4().hex}"
