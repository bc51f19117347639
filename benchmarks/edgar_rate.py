"""Does the EDGAR client use the permitted rate, and never more, in any second?

    python benchmarks/edgar_rate.py [--seconds 20] [--rate 8] [--latency 0.15]

A local server counts arrivals. The sustained rate must reach 95 % of the permitted one, and in no window of one second may
more requests be sent than the rate. Arrivals are printed beside: on a busy machine the server itself stamps them late. An idle pause in the middle shows that the client does not burst after it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from datetime import date
from multiprocessing.connection import Connection
from pathlib import Path

from benchmark_pipeline.demo.replay import ReplayRequest, ReplayResponse, ReplayServer
from benchmark_pipeline.resources.edgar import EdgarClient, Wanted
from benchmark_pipeline.resources.request_rate import Place, RequestRate
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore


def busiest_second(arrivals: list[float]) -> int:
    """Most arrivals in any half-open window of one second."""
    best, start = 0, 0
    for end, moment in enumerate(arrivals):
        while moment - arrivals[start] >= 1.0:
            start += 1
        best = max(best, end - start + 1)
    return best


class RecordedRate(RequestRate):
    """Keeps the moment at which each request was written to its socket."""

    def __init__(self, rate: float) -> None:
        super().__init__(rate)
        self.moments: list[float] = []

    def sent(self, place: Place) -> None:
        first = place.sent is None
        super().sent(place)
        if first:
            self.moments.append(time.monotonic())


def narrowest_span(moments: list[float], count: int) -> float:
    """The shortest time in which `count` requests lie."""
    return min(later - earlier for earlier, later in zip(moments, moments[count - 1 :], strict=False))


def serve(folder: str, latency: float, pipe: Connection) -> None:
    """Answers every request after `latency` seconds, and tells the moments of arrival when asked to stop."""

    def page(request: ReplayRequest) -> ReplayResponse:
        time.sleep(latency)
        return ReplayResponse(200, f"<html>{request.path}</html>".encode() * 500)

    with ReplayServer(Path(folder), mounts={"/www/Archives": page}) as server:
        pipe.send(server.url)
        pipe.recv()
        pipe.send([arrival.monotonic for arrival in server.arrivals])


def main() -> int:
    """Runs the measurement; the exit code says whether both bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=8.0)
    parser.add_argument("--latency", type=float, default=0.15)
    options = parser.parse_args()

    half = int(options.seconds * options.rate / 2)
    # The server counts in a process of its own: in this one it would wait for the client's work.
    here, there = multiprocessing.Pipe()
    with tempfile.TemporaryDirectory() as folder:
        server = multiprocessing.Process(target=serve, args=(folder, options.latency, there), daemon=True)
        server.start()
        url = here.recv()
        settings = Settings.model_validate({
            "profile": "full",
            "data_root": Path(folder) / "data",
            "snapshot_date": date(2025, 6, 30),
            "edgar_identity": "Rate benchmark rate@benchmark.invalid",
            "edgar_www_url": f"{url}/www",
            "edgar_requests_per_second": options.rate,
        })  # fmt: skip
        rate = RecordedRate(options.rate)
        with EdgarClient(settings, DocumentStore(settings.storage_root), rate=rate) as client:
            client.fetch([Wanted("www", f"/Archives/{number}") for number in range(half)], "first half")
            time.sleep(3.0)
            client.fetch([Wanted("www", f"/Archives/{number}") for number in range(half, 2 * half)], "second half")
        here.send("stop")
        moments = sorted(here.recv())
        server.join(timeout=10)
    halves = (moments[:half], moments[half:])
    sustained = min((len(part) - 1) / (part[-1] - part[0]) for part in halves)
    sent = sorted(rate.moments)
    busiest = busiest_second(sent)
    good = sustained >= 0.95 * options.rate and busiest <= options.rate
    print(f"requests            {len(moments)}")
    print(f"permitted           {options.rate:.2f} a second")
    print(f"sustained           {sustained:.2f} a second ({sustained / options.rate:.1%})")
    over = int(options.rate) + 1
    print(
        f"{over} requests span    {narrowest_span(sent, over):.3f} s sent, {narrowest_span(moments, over):.3f} s arrived"
    )
    print(f"busiest second      {busiest} sent, {busiest_second(moments)} arrived")
    print(
        f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores (arrivals are late where it is high)"
    )
    print("both bounds hold" if good else "A BOUND IS BROKEN")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
