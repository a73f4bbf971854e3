"""Takes the pictures of `docs/howto/notebooks.md`: the tutorial notebook in JupyterLab, used by mouse and keyboard.

Needs a separate environment with JupyterLab, and Chromium:

    python -m venv /tmp/lab
    /tmp/lab/bin/pip install jupyterlab playwright -e '.[notebook]'
    /tmp/lab/bin/python tools/docs/notebook_pictures.py docs/web

It also checks the board in JupyterLab: moves, the agent's answers, hints, undo and redo, and their effects in Python.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tutorials" / "notebook.ipynb"
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
CHECK = "print(board.position.ply, board.hints)"
SIZE = {"width": 1200, "height": 800}
expect.set_options(timeout=180_000)


@contextmanager
def jupyter_lab(folder: Path) -> Iterator[tuple[str, str]]:
    """Address and token of a JupyterLab on loopback whose files and settings are all in `folder`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTERLAB_SETTINGS_DIR")
    own = {name: str(folder / name.lower()) for name in names}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}", "--LabApp.news_url=None"]
    log = (folder / "lab.log").open("w")
    server = subprocess.Popen(command, env=os.environ | own, cwd=folder, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_up(f"{address}/api?token={token}")
        yield address, token
    finally:
        server.terminate()
        server.wait(30)
        log.close()


def wait_until_up(url: str) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(url, timeout=2).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
        else:
            return


def write_notebook(folder: Path) -> None:
    """The tutorial, and a last cell that reports the state of the board."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    empty = {"metadata": {}, "outputs": [], "execution_count": None}
    notebook["cells"].append({"cell_type": "code", "id": "check", "source": CHECK, **empty})
    (folder / "notebook.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


def write_settings(folder: Path, theme: str) -> None:
    """Sets the theme, and turns off news and update checks."""
    root = folder / "jupyterlab_settings_dir" / "@jupyterlab" / "apputils-extension"
    root.mkdir(parents=True, exist_ok=True)
    (root / "themes.jupyterlab-settings").write_text(f'{{"theme": "{theme}"}}')
    (root / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')


def open_notebook(browser: Browser, address: str, token: str, scheme: str) -> Page:
    """The notebook with all cells run and the side bar closed."""
    page = browser.new_page(viewport=SIZE, color_scheme=scheme)
    page.set_default_timeout(120_000)
    page.goto(f"{address}/lab/tree/notebook.ipynb?token={token}&reset")
    expect(page.locator(".jp-Notebook")).to_be_visible()
    if page.locator(".jp-FileBrowser").is_visible():
        page.keyboard.press("Control+b")
    page.get_by_text(re.compile(r"Python 3.*\| Idle")).wait_for()  # earlier runs of cells are lost
    page.locator("li.lm-MenuBar-item", has_text="Run").click()
    page.locator("li.lm-Menu-item", has_text=re.compile("^Run All Cells$")).click()
    return page


def board_of(page: Page, number: int) -> Locator:
    """A board of the notebook, scrolled into view; distant cells are not in the page."""
    board = page.locator(".inarow-board").nth(number)
    board.scroll_into_view_if_needed()
    return board


def stones(board: Locator) -> Locator:
    return board.locator(".stones .stone")


def play(page: Page) -> None:
    """Makes moves by mouse and keyboard, uses hints, undo and redo, and checks the board after each action."""
    board = board_of(page, 0)
    status, cells = board.locator(".status"), page.locator(".jp-Cell").count()
    expect(stones(board)).to_have_count(6)  # a later cell played a move, and the agent answered
    board.get_by_role("button", name=re.compile("^Column 4")).click()
    expect(stones(board)).to_have_count(8)
    expect(status).to_have_text("X (you) to move")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(stones(board)).to_have_count(10)
    board.get_by_role("button", name="Undo").click()
    expect(stones(board)).to_have_count(8)
    board.get_by_role("button", name="Undo").click()
    expect(stones(board)).to_have_count(6)
    board.get_by_role("button", name="Redo").click()
    expect(stones(board)).to_have_count(8)
    board.get_by_role("button", name="Hints").click()
    expect(board.locator(".chip").first).to_be_visible()
    expect(page.locator(".jp-Cell")).to_have_count(cells)  # no key of the board was a command of the notebook


def check_python(page: Page) -> None:
    """Checks that the kernel has the game shown on the board."""
    cell = page.locator(".jp-CodeCell", has_text=CHECK)
    cell.scroll_into_view_if_needed()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(cell.locator(".jp-OutputArea-output")).to_have_text("8 True")


def take(page: Page, path: Path) -> None:
    """Takes a picture that begins with the heading above the board."""
    page.get_by_role("heading", name="Exact scores").scroll_into_view_if_needed()
    board_of(page, 0)
    page.mouse.move(5, 5)
    page.wait_for_timeout(800)  # until all animations have ended
    page.screenshot(path=path)


def main() -> None:
    target = Path(sys.argv[1])
    chromium = shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme, theme in THEMES.items():
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                write_notebook(folder)
                write_settings(folder, theme)
                with jupyter_lab(folder) as (address, token):
                    page = open_notebook(browser, address, token, scheme)
                    play(page)
                    check_python(page)
                    take(page, target / f"notebook-{scheme}.png")
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
