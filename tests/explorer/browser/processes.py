"""Starts the browser and the server. docs/screenshots.py uses them, too."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

from tests.conftest import command, measured_environment

ARGUMENTS = ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu", "hide-scrollbars", "lang=en")
# Whatever is asked of another machine fails; the tests also look at the addresses that were requested.
OFFLINE = ("proxy-server=127.0.0.1:9", "proxy-bypass-list=127.0.0.1")


def browser_path() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def browser_is_there() -> bool:
    return browser_path() is not None and shutil.which("chromedriver") is not None


def start_browser() -> Chrome:
    """Start a browser without a window. Its driver is named, so that selenium does not download one."""
    options = ChromeOptions()
    options.binary_location = browser_path() or ""
    for argument in ARGUMENTS + OFFLINE:
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return Chrome(options=options, service=Service(shutil.which("chromedriver")))


@contextmanager
def running(*arguments: str | Path) -> Iterator[str]:
    """Run `polyseme explore` on a free port and give its address."""
    process = subprocess.Popen(
        command("explore", *arguments, "--no-browser", "--port", "0"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=measured_environment(),
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+/", line):
                yield found[0]
                break
        else:
            raise RuntimeError("the server ended before it printed its address")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
