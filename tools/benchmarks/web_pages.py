"""Pictures of the web lab for the documentation, and the size and load times of its pages.

    python tools/benchmarks/web_pages.py > tools/benchmarks/web_pages.json

Starts its own lab, uses it with Chromium and writes `docs/web/*.png`. The paint time is that of a second visit with a
warm cache: from the start of the navigation until the board is on the page.
"""

from __future__ import annotations

import io
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from inarow import __version__

PICTURES = Path(__file__).parents[2] / "docs" / "web"
PLAY = "#/play?board=6x7x4&moves=445352264&first=human&second=mcts:simulations=400000&seed=3"
AGENTS = ["random", "winblock", "minimax:depth=3", "mcts:simulations=200", "solver:level=5"]
WATCH_BOARD = """addEventListener("DOMContentLoaded", () => new MutationObserver((_, observer) => {
    if (document.querySelector(".board .disc")) { globalThis.boardAt = performance.now(); observer.disconnect(); }
}).observe(document.body, { childList: true, subtree: true }))"""
VISITS = 5


@contextmanager
def lab() -> Iterator[str]:
    """The address of a lab that is ready."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "inarow", "serve", "--port", "0", "--runs", folder]
        process = subprocess.Popen([*command, "--store", f"{folder}/lab.sqlite"], stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            address = re.search(r"http://\S+:\d+", process.stdout.readline())[0]  # type: ignore[index]
            while not httpx.get(f"{address}/api/health").json()["ready"]:
                time.sleep(0.2)
            yield address
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


def run_jobs(address: str) -> None:
    """A finished tournament, and a training run with a curve."""
    arena = {"kind": "arena", "agents": AGENTS, "games": 10, "seed": 7}
    document = {"learner": "q", "board": "4x4x4", "phases": [{"episodes": 600_000, "random_starts": 0.2}]}
    document["report"] = 20_000
    document["exploration"] = {"start": 0.6, "decay": 0.99999}
    train = {"kind": "train", "name": "four-by-four", "document": document}
    jobs = [httpx.post(f"{address}/api/jobs", json=plan, timeout=60).json()["id"] for plan in (arena, train)]
    for job in jobs:
        while httpx.get(f"{address}/api/jobs/{job}").json()["status"] in ("waiting", "running"):
            time.sleep(0.5)


def with_hints(page: Page) -> None:
    page.locator(".player.next .state", has_text="thinking").wait_for(state="detached")
    page.locator(".evidence tbody tr").first.wait_for()
    page.keyboard.press("h")
    page.locator(".advice", has_text=" with ").wait_for()


def analysed(page: Page) -> None:
    page.locator(".moves .blunder").nth(2).wait_for()
    page.locator(".moves button").nth(14).click()


def curves_drawn(page: Page) -> None:
    page.locator(".curve canvas").nth(3).wait_for()


SHOTS: dict[str, tuple[str, Callable[[Page], None]]] = {
    "play": (PLAY, with_hints),
    "analyse": ("#/analyse", analysed),
    "arena": ("#/arena", lambda page: page.locator(".cross").wait_for()),
    "train": ("#/train", curves_drawn),
}


def save(page: Page, name: str) -> None:
    """Writes a small PNG: these pictures have few colours."""
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image.quantize(160, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)


def take_pictures(browser: Browser, address: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    sizes = {"": (1280, 880), "-phone": (390, 844)}
    for kind, (width, height) in sizes.items():
        for scheme in ("light", "dark"):
            for name, (path, prepare) in SHOTS.items():
                if kind and name != "play":
                    continue
                with browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme) as context:  # type: ignore[arg-type]
                    page = context.new_page()
                    page.goto(f"{address}/{path}")
                    prepare(page)
                    page.wait_for_timeout(1500)
                    save(page, f"{name}{kind}-{scheme}")


def measure(browser: Browser, address: str) -> dict[str, object]:
    asked: set[str] = set()
    paints = []
    with browser.new_context() as context:
        page = context.new_page()
        page.add_init_script(WATCH_BOARD)
        page.on("request", lambda request: asked.add(request.url))
        for name in ("train", "arena", "analyse", "play"):
            page.goto(f"{address}/#/{name}")
            page.locator(f".page.{name} h2").first.wait_for()
            page.wait_for_timeout(1500)
        page.goto(f"{address}/#/play?board=6x7x4&moves=44&first=human&second=human")
        for _ in range(VISITS):
            page.reload()
            page.locator(".board .disc").first.wait_for()
            paints.append(float(page.evaluate("boardAt")))
    return {
        "version": __version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "browser": browser.version,
        "all_pages_bytes": sum(len(httpx.get(url).content) for url in asked),
        "board_on_page_milliseconds": round(statistics.median(paints), 1),
        "load_average": [round(load, 2) for load in os.getloadavg()],
    }


def main() -> None:
    with sync_playwright() as playwright, lab() as address:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-background-networking"]
        )
        run_jobs(address)
        take_pictures(browser, address)
        result = measure(browser, address)
        browser.close()
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
