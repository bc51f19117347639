"""The review page: a local web application for people.

It listens on 127.0.0.1 only and answers only to that name, so that no other machine and no foreign page can reach it.
Every form carries a token of this process. The page loads nothing from elsewhere and runs no script but its own.
"""

from __future__ import annotations

import secrets
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.agreement import agreement_by_task
from benchmark_pipeline.items.reviews import readers_needed
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake

from .decide import REJECT_REASONS, decide, decide_question
from .guide import guide_html
from .marks import highlight, word_differences
from .material import Material, Reader, load_material
from .queue import SUBJECT_NAMES, SUBJECTS, Entry, build_queue
from .store import ReviewStore
from .words import GAPS, SEVERITIES, answer_words, choices, components_in_words

COOKIE = "icfr_bench_reviewer"
HOSTS = ("127.0.0.1", "localhost")
POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"  # fmt: skip
NEEDS = {"open": "Waiting for me", "adjudication": "Readers disagree", "mine": "Decided by me", "all": "Everything"}
_MAX_FORM_BYTES = 64 * 1024


class OwnPagesOnly(BaseHTTPMiddleware):
    """Refuses a form that was not sent by a page of this process, and keeps every answer out of frames and caches."""

    def __init__(self, app: Any, token: str) -> None:
        super().__init__(app)
        self._token = token

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        """Checks, then answers."""
        if request.method == "POST":
            origin = request.headers.get("origin")
            if origin and (
                urlsplit(origin).hostname not in HOSTS or urlsplit(origin).netloc != request.headers.get("host")
            ):
                return Response("This form was not sent by the review page.", 403)
            body = await request.body()
            if len(body) > _MAX_FORM_BYTES:
                return Response("This form is too large.", 413)
            form = parse_form(body)
            if not secrets.compare_digest(form.get("token", "").encode(), self._token.encode()):
                return Response("This page is out of date: open the queue again.", 403)
        response = await call_next(request)
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "same-origin"
        if not request.url.path.startswith("/static/"):
            response.headers["Cache-Control"] = "no-store"
        return response


def parse_form(body: bytes) -> dict[str, str]:
    """Fields of an urlencoded form; of a repeated field the last."""
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=100)
    return {name: values[-1] for name, values in fields.items()}


class ReviewPages:
    """The pages over one profile's items and log."""

    def __init__(self, settings: Settings, store: ReviewStore, reviewer: str | None = None) -> None:
        self.settings = settings
        self.store = store
        self.material: Material = load_material(Lake(settings.storage_root))
        self.items = self.material.by_id
        self.questions = {question.question_id: question for question in self.material.questions}
        self.reader = Reader(settings)
        self.token = secrets.token_urlsafe(32)
        self.given_reviewer = reviewer
        self._pages = Environment(
            loader=PackageLoader("benchmark_pipeline.review"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip

    def app(self) -> Starlette:
        """The ASGI application."""
        routes = [
            Route("/", self.start, methods=["GET", "POST"]),
            Route("/queue", self.show_queue),
            Route("/review/{key:path}", self.show, methods=["GET"]),
            Route("/review/{key:path}", self.record, methods=["POST"]),
            Route("/undo", self.undo, methods=["POST"]),
            Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
        ]
        middleware = [
            Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS), www_redirect=False),
            Middleware(OwnPagesOnly, token=self.token),
        ]
        return Starlette(routes=routes, middleware=middleware, exception_handlers={BenchError: self._failed})

    # Pages

    async def start(self, request: Request) -> Response:
        """Asks for the reviewer's name."""
        problem = ""
        if request.method == "POST":
            try:
                name = self.store.require_person(parse_form(await request.body()).get("reviewer", ""))
            except BenchError as error:
                problem = error.what
            else:
                response = RedirectResponse("/queue", 303)
                response.set_cookie(COOKIE, quote(name), httponly=True, samesite="strict", max_age=30 * 86_400)
                return response
        return self._page(
            "start.html", 422 if problem else 200, problem=problem, reviewer=self._reviewer(request) or ""
        )

    async def show_queue(self, request: Request) -> Response:
        """What waits, by task, stratum and need."""
        reviewer = self._reviewer(request)
        if reviewer is None:
            return RedirectResponse("/", 303)
        queue = self._queue(reviewer)
        chosen = _filters(request)
        shown = _filtered(queue, chosen)
        return self._page(
            "queue.html", entries=shown, chosen=chosen, needs=NEEDS, reviewer=reviewer, rows=_summary(queue),
            strata=sorted({e.stratum for e in queue if chosen["task"] in ("", e.subject)}), items=self.items,
            material=self.material, agreement=self._agreement(), query=urlencode(chosen), notice=_notice(request),
        )  # fmt: skip

    async def show(self, request: Request) -> Response:
        """One entry."""
        reviewer = self._reviewer(request)
        if reviewer is None:
            return RedirectResponse("/", 303)
        return self._entry_page(request, reviewer, request.path_params["key"])

    async def record(self, request: Request) -> Response:
        """Writes a decision and goes on to the next entry."""
        reviewer = self._reviewer(request)
        if reviewer is None:
            return RedirectResponse("/", 303)
        key, form, chosen = request.path_params["key"], parse_form(await request.body()), _filters(request)
        queue = self._queue(reviewer)
        following = _after(_filtered(queue, chosen), key)
        entry = next((e for e in queue if e.key == key), None)
        if entry is None:
            raise BenchError(f"there is no {key} to review", remedy="open the queue again")
        try:
            if entry.kind == "clean_pool":
                self.store.append_answer(decide_question(self.questions[key], form, reviewer, datetime.now(UTC)))
            else:
                self.store.append(decide(entry, self.items[key], form, reviewer, datetime.now(UTC)))
        except BenchError as error:
            return self._entry_page(request, reviewer, key, problem=f"{error.what}. {error.remedy or ''}")
        query = urlencode(chosen)
        target = f"/review/{quote(following, safe='')}?{query}" if following else f"/queue?{query}&done=1"
        return RedirectResponse(target, 303)

    async def undo(self, request: Request) -> Response:
        """Takes back the reviewer's last decision and shows that entry again."""
        reviewer = self._reviewer(request)
        if reviewer is None:
            return RedirectResponse("/", 303)
        undone = self.store.undo_last(reviewer)
        query = urlencode(_filters(request))
        if undone is None:
            return RedirectResponse(f"/queue?{query}&undone=0", 303)
        if undone not in self.items and undone not in self.questions:  # on an item of an earlier build
            return RedirectResponse(f"/queue?{query}&undone=1", 303)
        return RedirectResponse(f"/review/{quote(undone, safe='')}?{query}&undone=1", 303)

    # Parts

    def _entry_page(self, request: Request, reviewer: str, key: str, problem: str = "") -> Response:
        queue, chosen = self._queue(reviewer), _filters(request)
        entry = next((e for e in queue if e.key == key), None)
        if entry is None:
            raise BenchError(f"there is no {key} to review", remedy="open the queue again")
        shown = _filtered(queue, chosen)
        subject = [e for e in queue if e.subject == entry.subject]
        query = urlencode(chosen)

        def link(other: str | None) -> str:
            return f"/review/{quote(other, safe='')}?{query}" if other else f"/queue?{query}"

        common = {
            "entry": entry, "reviewer": reviewer, "problem": problem, "query": query, "guide": guide_html(entry.subject),
            "subject_name": SUBJECT_NAMES[entry.subject], "notice": _notice(request), "reasons": REJECT_REASONS,
            "mine_done": sum(e.mine is not None for e in subject), "settled": sum(e.need == "nothing" for e in subject),
            "total": len(subject), "waiting": sum(e.open for e in subject),
            "agreement": next((a for a in self._agreement() if a["task"] == entry.subject), None),
            "previous": link(_before(shown, key)), "next": link(_after(shown, key)),
            "reveal": entry.need == "adjudication" or entry.mine is not None,
        }  # fmt: skip
        status = 422 if problem else 200
        if entry.kind == "clean_pool":
            question = self.questions[key]
            return self._page("evidence.html", status, item=question, company=self.material.companies.get(question.accession, ""),
                              excerpt=self.reader.evidence(question), **common)  # fmt: skip
        item = self.items[key]
        if entry.kind == "paraphrase":
            original = self.items[item.twin_of or ""]
            old, new = word_differences(original.text, item.text)
            checks = self.material.twins[key].invariants
            return self._page("paraphrase.html", status, item=item, original=original, old=old, new=new, checks=checks,
                              company=self.material.companies.get(item.accession or "", ""), **common)  # fmt: skip
        return self._page(
            "item.html", status, item=item, passage=self.reader.passage(item, blind=entry.blind),
            surroundings=[] if entry.kind == "scenario_half" else self.reader.surroundings(item, blind=entry.blind),
            company=self.material.companies.get(item.accession or "", ""), needed=readers_needed(item),
            answer=answer_words(item), choices=choices(item), components=components_in_words(), gaps=GAPS, severities=SEVERITIES, **common,
        )  # fmt: skip

    def _queue(self, reviewer: str) -> list[Entry]:
        decisions = self.store.read().decisions
        return build_queue(self.material.items, self.material.questions, decisions, self.store.answers(), reviewer)

    def _agreement(self) -> list[dict[str, Any]]:
        return [t.as_row() for t in agreement_by_task(self.store.read().decisions, self.material.items)]

    def _reviewer(self, request: Request) -> str | None:
        name = unquote(request.cookies.get(COOKIE, "")) or self.given_reviewer
        try:
            return self.store.require_person(name) if name else None
        except BenchError:
            return None

    def _page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        values = {"token": self.token, "profile": self.settings.profile, "highlight": highlight,
                  "names": SUBJECT_NAMES, **values}  # fmt: skip
        return HTMLResponse(self._pages.get_template(template).render(values), status)

    async def _failed(self, request: Request, error: Exception) -> Response:
        what, remedy = (error.what, error.remedy) if isinstance(error, BenchError) else (str(error), None)
        return self._page("problem.html", 404, what=what, remedy=remedy or "", reviewer=self._reviewer(request) or "")


def _filters(request: Request) -> dict[str, str]:
    query = request.query_params
    task, need = query.get("task", ""), query.get("need", "open")
    return {
        "task": task if task in SUBJECTS else "",
        "stratum": query.get("stratum", "")[:80],
        "need": need if need in NEEDS else "open",
    }


def _filtered(queue: list[Entry], chosen: dict[str, str]) -> list[Entry]:
    return [
        e for e in queue
        if _wanted(e, chosen["need"]) and chosen["task"] in ("", e.subject) and chosen["stratum"] in ("", e.stratum)
    ]  # fmt: skip


def _wanted(entry: Entry, need: str) -> bool:
    if need == "open":
        return entry.open
    if need == "adjudication":
        return entry.need == "adjudication"
    return need == "all" or entry.mine is not None


def _after(entries: list[Entry], key: str) -> str | None:
    keys = [e.key for e in entries]
    if key not in keys:
        return keys[0] if keys else None
    position = keys.index(key)
    return keys[position + 1] if position + 1 < len(keys) else None


def _before(entries: list[Entry], key: str) -> str | None:
    keys = [e.key for e in entries]
    return keys[keys.index(key) - 1] if key in keys and keys.index(key) > 0 else None


def _summary(queue: list[Entry]) -> list[dict[str, Any]]:
    rows = []
    for subject in SUBJECTS:
        entries = [e for e in queue if e.subject == subject]
        if entries:
            needs = Counter(e.need for e in entries)
            rows.append({
                "subject": subject, "name": SUBJECT_NAMES[subject], "total": len(entries), "settled": needs["nothing"],
                "second": needs["second_reader"], "disputed": needs["adjudication"],
                "mine": sum(e.mine is not None for e in entries), "open": sum(e.open for e in entries),
            })  # fmt: skip
    return rows


def _notice(request: Request) -> str:
    query = request.query_params
    if query.get("undone") == "1":
        return "Your last decision was taken back."
    if query.get("undone") == "0":
        return "There is no decision of yours to take back."
    return "Nothing more waits for you here." if query.get("done") else ""
