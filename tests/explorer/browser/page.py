"""Drives the page of the explorer in a browser, the way a person would."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from selenium.common.exceptions import JavascriptException, StaleElementReferenceException
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.remote.webelement import WebElement

WAIT = 20.0  # seconds until a condition counts as never met
READY = "return Boolean(document.documentElement.dataset.ready) && !document.querySelector('.busy, [aria-busy]')"


class Page:
    """A browser that shows the explorer at an address."""

    def __init__(self, driver: Chrome, address: str) -> None:
        self.driver = driver
        self.address = address

    def open(self, fragment: str) -> None:
        """Load the page anew, at a view."""
        self.driver.get("about:blank")
        self.driver.get(self.address + fragment)
        self.ready()

    def ready(self) -> None:
        self.driver.execute_async_script("setTimeout(arguments[0], 10)")  # after a change of the address was noticed
        self.wait(lambda: self.js(READY), "the view to be there")

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        """Return the first true value of a condition."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            try:
                if value := condition():
                    return value
            except (StaleElementReferenceException, JavascriptException, IndexError):
                pass  # the view is being replaced
            time.sleep(0.03)
        raise AssertionError(f"waited for {what} at {self.driver.current_url}")

    def js(self, script: str, *values: object) -> Any:
        return self.driver.execute_script(script, *values)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> WebElement:
        """The first element that matches, as soon as there is one."""
        found: WebElement = self.wait(lambda: next(iter(self.all(selector)), None), selector)
        return found

    def click(self, selector: str) -> None:
        """Scroll an element to the middle, where no bar covers it, and click it."""

        def clicked() -> bool:
            element = self.one(selector)
            self.js("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", element)
            element.click()
            return True

        self.wait(clicked, f"{selector} to be clicked")

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return list(self.js(script, selector))

    def text(self, selector: str = "main") -> str:
        return self.one(selector).text

    def press(self, *keys: str) -> None:
        """Press keys one after another, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def chord(self, modifier: str, key: str) -> None:
        ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def fragment(self) -> str:
        return str(self.js("return location.hash"))

    def at(self, fragment: str) -> None:
        """Wait until the address is that of a view, and the view is there."""
        self.wait(lambda: self.fragment() == fragment, f"the address {fragment}")
        self.ready()

    def hover(self, selector: str) -> None:
        ActionChains(self.driver).move_to_element(self.one(selector)).perform()

    def emulate(self, *, theme: str = "light", width: int = 1280, height: int = 900, scale: float = 1) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        )
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def console(self) -> list[str]:
        """Warnings and errors of the browser since the last call, among them violations of the security policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]

    def requested(self) -> list[str]:
        """The addresses that were requested since the last call."""
        events = [
            json.loads(entry["message"])["message"]
            for entry in self.driver.get_log("performance")  # type: ignore[no-untyped-call]
        ]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
