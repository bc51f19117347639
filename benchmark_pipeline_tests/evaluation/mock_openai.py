"""A local server in the form of the OpenAI chat-completions API that answers as told: well, badly, late or not at all.

It runs on a thread of the test, or as a process of its own that prints its URL and serves until it is ended:

    python mock_openai.py [--port 0] [--latency 0.02] [--model NAME] [--faults 429=0.1,500=0.02,hang=0.01]

The faults that can be named are those of `FAULTS`; each befalls its share of requests, drawn at random with a fixed seed.
`/counts` tells how many answers were given.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

GOOD = '{"icfr": "clean"}'


@dataclass
class Behaviour:
    """One reply. The default is a well-formed answer."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content: str | None = GOOD
    finish_reason: str = "stop"
    refusal: str | None = None
    model: str | None = None
    """Model named in the reply; null repeats the one asked for."""
    body: bytes | None = None
    """Sent instead of a completion."""
    latency: float = 0.0
    hang: bool = False
    reset: bool = False


FAULTS: dict[str, Behaviour] = {
    "429": Behaviour(status=429),
    "429_retry_after": Behaviour(status=429, headers={"retry-after": "0.2"}),
    "500": Behaviour(status=500),
    "hang": Behaviour(hang=True),
    "reset": Behaviour(reset=True),
    "garbage": Behaviour(body=b"<html>Bad gateway</html>"),
    "empty": Behaviour(content=""),
    "fenced": Behaviour(content=f"```json\n{GOOD}\n```"),
    "prose": Behaviour(content="It is clean."),
    "truncated": Behaviour(content='{"icfr": "cl', finish_reason="length"),
    "refusal": Behaviour(content=None, refusal="I cannot help with that."),
    "filtered": Behaviour(content=None, finish_reason="content_filter"),
    "wrong_schema": Behaviour(content='{"verdict": "clean"}'),
    "drift": Behaviour(model="another-model-2026-06-30"),
    "bad_key": Behaviour(status=401),
}
"""Faults by name. Those that are replies of the model are its results, the others are tried again."""

Script = Callable[[str, int], Behaviour]
"""Called with the prompt and the number of earlier requests with the same prompt."""


def faulty(shares: str, otherwise: Behaviour, seed: int = 20261130) -> Script:
    """A script that gives each fault of `<fault>=<share>,...` to its share of requests."""
    chance = random.Random(seed)
    told = [(FAULTS[name], float(share)) for name, _, share in (one.partition("=") for one in shares.split(",") if one)]

    def script(prompt: str, earlier: int) -> Behaviour:
        draw = chance.random()
        for fault, share in told:
            draw -= share
            if draw < 0:
                return fault
        return otherwise

    return script


class MockOpenAI:
    """The server, as a context manager; `requests` keeps what arrived."""

    def __init__(self, script: Script | None = None, *, latency: float = 0.0, keep: bool = True) -> None:
        self._script = script or (lambda prompt, earlier: Behaviour(latency=latency))
        self._keep = keep
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.asked: Counter[str] = Counter()
        """Requests by prompt."""
        self.answers = 0
        """Completions given, whatever stands in them."""
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.batch_status = "completed"
        """How a batch ends at its second poll; `validating` never ends."""
        self.batch_created_delay = 0.0
        """Seconds between the creation of a batch and the reply that tells of it."""
        self.in_flight = 0
        self.most_in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.url = ""

    def __enter__(self) -> MockOpenAI:
        self._thread.start()
        self._started.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self.start(0))
        self._started.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        await self._runner.cleanup()
        hanging = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)

    async def start(self, port: int) -> None:
        app = web.Application()
        app.router.add_get("/counts", self._counts)
        app.router.add_post("/v1/chat/completions", self._answer)
        app.router.add_post("/v1/messages", self._answer)
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._download)
        app.router.add_post("/v1/batches", self._create_batch)
        app.router.add_get("/v1/batches", self._list_batches)
        app.router.add_get("/v1/batches/{id}", self._retrieve_batch)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"

    async def _counts(self, _: web.Request) -> web.StreamResponse:
        return web.json_response({"requests": sum(self.asked.values()), "answers": self.answers})

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        name, body = f"file-{len(self.files)}", form["file"].file.read()  # type: ignore[union-attr]
        self.files[name] = body
        return web.json_response({"id": name, "object": "file", "bytes": len(body), "created_at": 1_700_000_000,
                                  "filename": "b.jsonl", "purpose": "batch", "status": "processed"})  # fmt: skip

    async def _download(self, request: web.Request) -> web.StreamResponse:
        return web.Response(body=self.files[request.match_info["id"]])

    async def _create_batch(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {
            "id": name, "object": "batch", "endpoint": asked["endpoint"], "input_file_id": asked["input_file_id"],
            "completion_window": "24h", "status": "validating", "created_at": 1_700_000_000,
            "metadata": asked.get("metadata"), "output_file_id": None, "error_file_id": None,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }  # fmt: skip
        await asyncio.sleep(self.batch_created_delay)
        return web.json_response(self.batches[name])

    async def _list_batches(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"object": "list", "data": list(self.batches.values()), "has_more": False})

    async def _retrieve_batch(self, request: web.Request) -> web.StreamResponse:
        batch = self.batches[request.match_info["id"]]
        if batch["status"] == "validating":
            batch["status"] = "in_progress" if self.batch_status != "validating" else "validating"
        elif batch["status"] == "in_progress":
            self._end_batch(batch)
        return web.json_response(batch)

    def _end_batch(self, batch: dict[str, Any]) -> None:
        batch["status"] = self.batch_status
        if self.batch_status == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": "m", "message": "no such model", "line": 1}]}
            return
        good, bad = [], []
        for line in self.files[batch["input_file_id"]].splitlines():
            asked = json.loads(line)
            prompt = asked["body"]["messages"][-1]["content"]
            told = self._script(prompt, self.asked[prompt])
            self.asked[prompt] += 1
            if told.hang:  # the window closed before this one
                continue
            error = {"error": {"message": f"told to answer {told.status}", "type": "mock", "code": None}}
            body = _completion(told, asked["body"]) if told.status == 200 else error
            reply = {"id": "r", "custom_id": asked["custom_id"], "error": None,
                     "response": {"status_code": told.status, "request_id": "req-b", "body": body}}  # fmt: skip
            (good if told.status == 200 else bad).append(json.dumps(reply))
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                batch[name] = f"file-{len(self.files)}"
                self.files[batch[name]] = "\n".join(lines).encode()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        prompt = asked["messages"][-1]["content"]
        prompt = prompt if isinstance(prompt, str) else prompt[-1]["text"]
        earlier = self.asked[prompt]
        self.asked[prompt] += 1
        if self._keep:
            self.requests.append(asked)
            self.headers.append(dict(request.headers))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._behave(self._script(prompt, earlier), asked, request)
        finally:
            self.in_flight -= 1

    async def _behave(self, told: Behaviour, asked: dict[str, Any], request: web.Request) -> web.StreamResponse:
        if told.hang:
            await asyncio.sleep(3600)
        if told.latency:
            await asyncio.sleep(told.latency)
        if told.reset and request.transport is not None:
            request.transport.abort()
            return web.Response(status=500)  # never sent
        headers = {"x-request-id": f"req-{sum(self.asked.values())}", **told.headers}
        if told.body is not None:
            return web.Response(
                status=told.status, body=told.body, headers={"Content-Type": "application/json", **headers}
            )
        if told.status != 200:
            error = {"error": {"message": f"told to answer {told.status}", "type": "mock", "code": None}}
            return web.json_response(error, status=told.status, headers=headers)
        self.answers += 1
        if request.path == "/v1/messages":
            return web.json_response(_anthropic_form(told, asked), headers=headers)
        completion = _completion(told, asked)
        return web.Response(
            status=200, body=json.dumps(completion).encode(), headers={"Content-Type": "application/json", **headers}
        )


def _completion(told: Behaviour, asked: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": told.content}
    if told.refusal is not None:
        message["refusal"] = told.refusal
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": told.model or asked["model"],
        "system_fingerprint": "fp_mock",
        "choices": [{"index": 0, "message": message, "finish_reason": told.finish_reason}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 8, "total_tokens": 708},
    }


def _anthropic_form(told: Behaviour, asked: dict[str, Any]) -> dict[str, Any]:
    tools = asked.get("tools")
    content: list[dict[str, Any]] = [{"type": "text", "text": told.content or ""}]
    if tools and told.content:
        content = [{"type": "tool_use", "id": "t1", "name": tools[0]["name"], "input": json.loads(told.content)}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": told.model or asked["model"],
        "content": content,
        "stop_reason": told.finish_reason,
        "usage": {"input_tokens": 700, "output_tokens": 8},
    }


def main() -> None:
    """Serves until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--model", help="model named in every reply; the one asked for if left out")
    parser.add_argument("--faults", default="", help=f"shares of: {', '.join(FAULTS)}")
    arguments = parser.parse_args()
    good = Behaviour(latency=arguments.latency, model=arguments.model)

    async def serve() -> None:
        server = MockOpenAI(faulty(arguments.faults, good), keep=False)
        await server.start(arguments.port)
        print(server.url, flush=True)
        await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
