"""Local servers for the tests of growing: an object store, Postgres, Redis. Each skips, saying so, where it is absent."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from benchmark_pipeline.storage.files import filesystem


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(what: str, ready: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if ready():
            return
        time.sleep(0.1)
    raise TimeoutError(f"{what} did not come within {seconds:g} s")


def listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def process(command: list[str], log: Path, **options: object) -> Iterator[subprocess.Popen[bytes]]:
    """A server in a process group of its own, which is ended as a whole: `dagster dev` leaves children otherwise."""
    with log.open("ab") as handle:
        running = subprocess.Popen(command, stdout=handle, stderr=handle, start_new_session=True, **options)  # type: ignore[call-overload]
        try:
            yield running
        finally:
            end_group(running)


def end_group(running: "subprocess.Popen[bytes]") -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(running.pid, sign)
        except ProcessLookupError:
            break
        try:
            running.wait(timeout=5)
        except subprocess.TimeoutExpired:
            continue
    running.wait(timeout=5)
    # The leader may have gone before its children.
    with suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)


@contextmanager
def object_store(folder: Path, bucket: str = "icfr") -> Iterator[dict[str, str]]:
    """An S3 server in memory with an empty bucket; yields the environment that leads there."""
    pytest.importorskip("obstore", reason="install the extra `scale`")
    command = Path(sys.executable).with_name("moto_server")
    if not command.exists():
        pytest.skip("moto_server is not installed: install the extra `scale-test`")
    port = free_port()
    with process([str(command), "-H", "127.0.0.1", "-p", str(port)], folder / "s3.log"):
        wait_until("the object store", lambda: listens(port))
        url = f"http://127.0.0.1:{port}"
        urllib.request.urlopen(urllib.request.Request(f"{url}/{bucket}", method="PUT")).close()
        # What speaks to a bucket is kept for its name, and would go on asking the server of an earlier test.
        filesystem(f"s3://{bucket}")[0].clear_instance_cache()
        yield {
            "AWS_ENDPOINT_URL": url,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
        }


def _as_postgres() -> dict[str, object]:
    """The server refuses to run as root."""
    return {"user": "postgres"} if os.getuid() == 0 else {}


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """A Postgres server on loopback; yields its URL."""
    pytest.importorskip("dagster_postgres", reason="install the extra `scale`")
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("initdb") or (str(binaries[-1] / "initdb") if binaries else None)
    if found is None:
        pytest.skip("Postgres is not installed: apt-get install postgresql")
    data = Path("/tmp") / f"icfr-pg-{os.getpid()}-{time.time_ns()}"  # a path that the user postgres may enter
    data.mkdir(mode=0o700)
    try:
        if os.getuid() == 0:
            shutil.chown(data, "postgres", "postgres")
        options = {"cwd": "/", **_as_postgres()}
        subprocess.run(
            [found, "-D", str(data), "-U", "icfr", "--auth=trust", "-N"], check=True, capture_output=True, **options
        )  # type: ignore[call-overload]
        port = free_port()
        server = [str(Path(found).with_name("postgres")), "-D", str(data), "-p", str(port), "-h", "127.0.0.1",
                  "-c", "unix_socket_directories=", "-c", "fsync=off"]  # fmt: skip
        with process(server, folder / "postgres.log", **options):
            import psycopg2

            address = f"://icfr@127.0.0.1:{port}/postgres"

            def ready() -> bool:
                try:
                    psycopg2.connect(f"postgresql{address}").close()
                except psycopg2.OperationalError:
                    return False
                return True

            wait_until("Postgres", ready)
            yield f"postgresql+psycopg2{address}"
    finally:
        shutil.rmtree(data, ignore_errors=True)


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """A Redis server on loopback that keeps nothing on disk; yields its URL."""
    command = shutil.which("redis-server")
    if command is None:
        pytest.skip("Redis is not installed: apt-get install redis-server")
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with process([command, *options], folder / "redis.log"):
        wait_until("Redis", lambda: listens(port))
        yield f"redis://127.0.0.1:{port}/0"
