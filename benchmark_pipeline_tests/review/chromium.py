"""A headless Chromium driven over its DevTools protocol: keys, page text, screenshots. No driver binary is needed."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect


def find_chromium() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Chromium:
    """One tab."""

    def __init__(self, profile: Path, width: int = 1280, height: int = 800) -> None:
        self._profile = profile
        self._size = (width, height)
        self._count = 0
        self._socket: ClientConnection | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Chromium:
        binary = find_chromium()
        assert binary
        self._profile.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [binary, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={self._profile}",
             f"--window-size={self._size[0]},{self._size[1]}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        port_file = self._profile / "DevToolsActivePort"
        self.wait(lambda: port_file.is_file() and port_file.read_text().count("\n") >= 1, "Chromium starts")
        port = port_file.read_text().split("\n")[0]
        pages = httpx.get(f"http://127.0.0.1:{port}/json/list", trust_env=False).json()
        page = next(page for page in pages if page["type"] == "page")
        self._socket = self._stack.enter_context(connect(page["webSocketDebuggerUrl"], max_size=None, proxy=None))
        self.zoom(1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        self._process.terminate()
        self._process.wait(20)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        assert self._socket
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=30))
            if message.get("id") == self._count:
                assert "error" not in message, message
                return message["result"]

    def zoom(self, factor: float) -> None:
        """What a user gets by zooming: fewer CSS pixels, each of them larger."""
        width, height = self._size
        self.call("Emulation.setDeviceMetricsOverride", width=int(width / factor), height=int(height / factor),
                  deviceScaleFactor=factor, mobile=False)  # fmt: skip

    def open(self, url: str) -> None:
        self.run("window.left = true")
        self.call("Page.navigate", url=url)
        self.settle()

    def settle(self) -> None:
        """Waits until a new page has come and has loaded."""
        self.wait(lambda: self.run("document.readyState === 'complete' && !window.left"), "the page loads")

    def run(self, script: str) -> Any:
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        return result.get("result", {}).get("value")

    def press(self, key: str, *, loads: bool = False) -> None:
        if loads:
            self.run("window.left = true")
        code = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9}.get(key, ord(key[0].upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        if loads:
            self.settle()

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    @staticmethod
    def wait(met: Any, what: str, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while True:
            try:
                if met():
                    return
            except AssertionError:
                pass  # the page is changing under the question
            assert time.monotonic() < end, f"not within {seconds} s: {what}"
            time.sleep(0.05)
