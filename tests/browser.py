"""A browser for tests of pages: headless Chromium, spoken to over a pipe."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="needs chromium (Debian's package `chromium`)"
)
"""Skips a test where there is no browser."""

SECONDS = 60.0
"""How long an answer may take."""

KEYS = {"Tab": 9, "Enter": 13, "Space": 32, "ArrowRight": 39, "ArrowDown": 40, "End": 35}
"""Keys, and the codes that browsers know them by."""


class Browser:
    """A running browser with one page; keeps what the page said and asked for."""

    def __init__(self, into: int, out: int) -> None:
        """Speak over two ends of pipes (Chromium's remote debugging protocol)."""
        self.into, self.out = into, out
        self.received = b""
        self.number = 0
        self.session: str | None = None
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> Any:
        """Give an order, and wait for the answer."""
        self.number += 1
        order = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            order["sessionId"] = self.session
        os.write(self.into, json.dumps(order).encode() + b"\0")
        while True:
            message = self.next()
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]
            self.note(message)

    def next(self) -> dict[str, Any]:
        """Wait for a message."""
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self.received:
            ready = select.select([self.out], [], [], deadline - time.monotonic())[0]
            assert ready, "the browser does not answer"
            self.received += os.read(self.out, 1 << 20)
        text, self.received = self.received.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        return message

    def note(self, message: dict[str, Any]) -> None:
        """Keep errors and requests."""
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.errors.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(str(parameters["entry"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def open(self, file: Path, width: int, height: int = 900) -> None:
        """Open a page in a window of a width, and wait until its pictures are drawn."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.ask("Emulation.setDeviceMetricsOverride", **metrics, mobile=width < 600)
        self.ask("Page.navigate", url=file.resolve().as_uri())
        self.wait("document.readyState === 'complete'")
        self.drawn()

    def drawn(self) -> None:
        """Wait until all pictures that can be seen are drawn."""
        self.wait(
            "[...document.querySelectorAll('figure.picture:not([hidden])')]"
            ".filter((it) => !it.closest('details:not([open])'))"
            ".every((it) => it.querySelector('.drawing svg, .drawing canvas'))"
        )

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        deadline = time.monotonic() + SECONDS
        while not self.evaluate(condition):
            assert time.monotonic() < deadline, condition
            time.sleep(0.05)

    def evaluate(self, expression: str) -> Any:
        """Evaluate an expression in the page."""
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        result = self.ask("Runtime.evaluate", **asked)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key."""
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        name = " " if key == "Space" else key
        event = {"key": name, "code": key, "windowsVirtualKeyCode": KEYS[key], "text": text}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **event)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **event)

    def click(self, selector: str) -> None:
        """Click the middle of the first element that a selector finds."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.evaluate(f"{found}.scrollIntoView({{block: 'center'}})")
        where = self.evaluate(
            f"(() => {{ const it = {found}.getBoundingClientRect();"
            " return [it.x + it.width / 2, it.y + it.height / 2]; })()"
        )
        event = {"x": where[0], "y": where[1], "button": "left", "clickCount": 1}
        self.ask("Input.dispatchMouseEvent", type="mousePressed", **event)
        self.ask("Input.dispatchMouseEvent", type="mouseReleased", **event)

    def screenshot(self, file: Path) -> None:
        """Save the whole page as PNG."""
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        file.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def running(profile: Path) -> Iterator[Browser]:
    """Start a browser with an empty profile, and end it."""
    assert CHROMIUM is not None
    to_read, into = os.pipe()
    out, to_write = os.pipe()
    command = [
        CHROMIUM,
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-component-update"),
        *("--disable-background-networking", "--no-first-run", "--hide-scrollbars"),
        *("--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"),
    ]
    # Chromium reads from descriptor 3 and writes to 4.
    arguments = ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "bash", *command]
    process = subprocess.Popen(arguments, pass_fds=(to_read, to_write), stderr=subprocess.DEVNULL)
    os.close(to_read)
    os.close(to_write)
    try:
        yield Browser(into, out)
    finally:
        process.kill()
        process.wait()
        os.close(into)
        os.close(out)
