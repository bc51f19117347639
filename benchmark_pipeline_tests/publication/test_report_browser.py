"""The page in headless Chromium: three widths, nothing wider than the window, nothing loaded from anywhere."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from published_corpus import VERSION

from benchmark_pipeline.publication.report import write_report

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no headless Chromium on this machine"),
]
WIDTHS = (390, 820, 1280)
# Each frame also says how many charts do not show exactly one layout, and how many letters of charts are under 9.5 px.
# A frame of each width, because a headless window has a least width; its page says what is wider than it, in the title.
FRAMES = """<!doctype html><title>…</title><body>{frames}<script>
onload = () => {{
  const said = [...document.querySelectorAll("iframe")].map(frame => {{
    const page = frame.contentDocument, wide = page.documentElement.scrollWidth;
    page.querySelectorAll("details").forEach(d => d.open = true);
    const open = page.documentElement.scrollWidth;
    const split = [...page.querySelectorAll("thead th.model")].filter(th => /[A-Za-z0-9]/.test(th.textContent) && th.scrollWidth > th.clientWidth + 1);
    const charts = [...page.querySelectorAll("figure.forest, figure.bars")];
    const shown = charts.filter(chart => [...chart.querySelectorAll(".layout")].filter(l => l.clientWidth > 0).length === 1);
    const letters = charts.flatMap(chart => [...chart.querySelectorAll("text")]).filter(text => text.getScreenCTM() && text.getBoundingClientRect().width > 0);
    const small = letters.filter(text => parseFloat(frame.contentWindow.getComputedStyle(text).fontSize) * text.getScreenCTM().a < 9.5);
    return `${{frame.dataset.width}}:${{wide}}:${{open}}:${{split.length}}:${{charts.length - shown.length}}:${{letters.length > 20}}:${{small.length}}`;
  }});
  document.title = said.join(" ");
}};</script>"""


class Served:
    """The page on a local port, with every path that was asked for."""

    def __init__(self, pages: dict[str, str]) -> None:
        asked = self.asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                body = pages.get(self.path, "").encode()
                self.send_response(200 if self.path in pages else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()


def chromium(folder: Path, *arguments: str) -> str:
    found = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         f"--user-data-dir={folder / 'profile'}", *arguments],
        capture_output=True, text=True, timeout=100, check=True,
    )  # fmt: skip
    return found.stdout


@pytest.fixture(scope="module")
def page(warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    target = tmp_path_factory.mktemp("report") / "index.html"
    write_report(warehouse, target, VERSION)
    return target.read_text(encoding="utf-8")


def test_nothing_is_wider_than_a_phone_a_tablet_or_a_desk_and_nothing_is_loaded(page: str, tmp_path: Path) -> None:
    frames = "".join(
        f'<iframe src="/report" data-width="{w}" style="width:{w}px;height:900px;border:0"></iframe>' for w in WIDTHS
    )
    with Served({"/frames": FRAMES.format(frames=frames), "/report": page}) as served:
        dom = chromium(
            tmp_path, "--virtual-time-budget=5000", "--window-size=1400,1000", "--dump-dom", served.url + "/frames"
        )
    title = re.search(r"<title>(.*?)</title>", dom)
    assert title is not None
    assert title[1] == " ".join(f"{w}:{w}:{w}:0:0:true:0" for w in WIDTHS)
    assert set(served.asked) <= {"/frames", "/report", "/favicon.ico"}


@pytest.mark.parametrize("width", [820, 1280])
def test_a_screenshot_of_the_page_shows_more_than_a_blank_ground(page: str, tmp_path: Path, width: int) -> None:
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    chromium(
        tmp_path,
        f"--window-size={width},1400",
        f"--screenshot={tmp_path / 'page.png'}",
        (tmp_path / "index.html").as_uri(),
    )
    image = (tmp_path / "page.png").read_bytes()
    assert struct.unpack(">II", image[16:24]) == (width, 1400)
    assert len(image) > 40_000


def test_the_page_prints_to_a_pdf_of_several_pages(page: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    chromium(
        tmp_path,
        "--no-pdf-header-footer",
        f"--print-to-pdf={tmp_path / 'page.pdf'}",
        (tmp_path / "index.html").as_uri(),
    )
    pdf = (tmp_path / "page.pdf").read_bytes()
    assert pdf.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 3
