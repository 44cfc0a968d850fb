"""Drive Chromium over a pipe with the DevTools protocol: no driver, no package, no network."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_PATIENCE = 60  # seconds
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def executable() -> str | None:
    """The browser of this machine; the variable `CHROMIUM` names another one."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A page in a browser without a window.

    Attributes:
      faults: what the page wrote to the console as warnings or errors, and errors of its scripts.
      requests: what it asked the network for.
    """

    def __init__(self, writing: int, reading: int) -> None:
        self._writing, self._reading = writing, reading
        self._number = 0
        self._buffer = b""
        self._session: str | None = None
        self._seen: set[str] = set()
        self.faults: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        found = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol, and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        for answer in self._messages():
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
        raise RuntimeError(f"{method}: the browser has ended")

    def _messages(self) -> Iterator[Mapping[str, Any]]:
        while True:
            while b"\0" not in self._buffer:
                if not select.select([self._reading], [], [], _PATIENCE)[0]:
                    raise TimeoutError(f"the browser says nothing for {_PATIENCE} seconds")
                part = os.read(self._reading, 1 << 16)
                if not part:
                    return
                self._buffer += part
            text, _, self._buffer = self._buffer.partition(b"\0")
            message = json.loads(text)
            self._note(message)
            yield message

    def _note(self, message: Mapping[str, Any]) -> None:
        method, given = message.get("method", ""), message.get("params", {})
        self._seen.add(method)
        if method == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.faults.append(str(details.get("exception", details).get("description", details)))
        elif method == "Log.entryAdded" and given["entry"]["level"] in ("warning", "error"):
            self.faults.append(given["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("warning", "error"):
            self.faults.append(str(given["args"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])

    def open(
        self, path: Path, width: int, height: int = 900, *, dark: bool = False, script: bool = True
    ) -> float:
        """Open a file at a size and in a color scheme; return the seconds until it was loaded and drawn."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.faults.clear()
        self.requests.clear()
        self._seen.clear()
        start = time.monotonic()
        self.call("Page.navigate", url=path.resolve().as_uri())
        for _ in self._until("Page.loadEventFired"):
            pass
        if script:
            self.run(
                "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
        return time.monotonic() - start

    def _until(self, method: str) -> Iterator[None]:
        while method not in self._seen:
            next(iter(self._messages()))
            yield

    def run(self, script: str) -> Any:
        """Evaluate an expression in the page, and return its value."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"]["exception"]["description"])
        return found["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press keys: characters, or names such as `Tab`, `Enter`, `Escape`, `ArrowDown`."""
        codes = {
            "Tab": 9,
            "Enter": 13,
            "Escape": 27,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
            "Space": 32,
        }
        for key in keys:
            text = {"Enter": "\r", "Space": " "}.get(key, key if len(key) == 1 else "")
            given = {
                "key": " " if key == "Space" else key,
                "windowsVirtualKeyCode": codes.get(key, 0),
            }
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **given)
            self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def wait(self, script: str, seconds: float = 5) -> Any:
        """Wait until an expression is true, and return its value."""
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            if time.monotonic() > end:
                raise TimeoutError(f"{script} is still {value!r} after {seconds} seconds")
            time.sleep(0.02)
        return value

    def picture(self, *, whole: bool = False) -> bytes:
        """Return a PNG of the window, or of the whole page."""
        given: dict[str, Any] = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            given["clip"] = {**size, "scale": 1}
        return base64.b64decode(self.call("Page.captureScreenshot", **given)["data"])


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser with a profile of its own, and end it."""
    name = executable()
    assert name is not None, "no browser is installed"
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [
                "bash",
                "-c",
                f'exec "$0" "$@" 3<&{to_read} 4>&{from_write}',
                name,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-extensions",
                "--force-color-profile=srgb",
                "--font-render-hinting=none",
                f"--user-data-dir={profile}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            pass_fds=(to_read, from_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        try:
            yield Browser(to_write, from_read)
        finally:
            os.close(to_write)
            process.terminate()
            process.wait()
            os.close(from_read)
