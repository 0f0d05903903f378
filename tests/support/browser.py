"""A real headless Chromium, driven through chromedriver's WebDriver protocol with nothing but the standard library.

Rules:
1. Each ``Browser`` has a profile of its own, gone when it is left; nothing is fetched that the page does not name.
2. Where Chromium or its driver is missing the test is skipped with the reason; ``CHUNKSCOPE_REQUIRE_PEERS=1`` fails it.
3. ``console`` and ``requests`` give what came since they were last asked.
"""

import base64
import io
import json
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from PIL import Image

from tests.support.foreign_process import missing_peer

ANSWER_WITHIN_S = 200.0
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key under which WebDriver names an element."""

STILL = """
arguments[0].scrollIntoView({block: "center", behavior: "instant"});
const pictures = [...document.querySelectorAll("img, image")].map((one) => one.decode().catch(() => 0));
const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
return Promise.all(pictures).then(frame).then(frame);
"""
"""Until an element stands where it will and a frame shows it: a screenshot at once may be of the frame before."""

Keys = {"left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010"}


class Browser:
    """One browser with one tab, as a context manager."""

    def __init__(self, size_px: tuple[int, int] = (1240, 900)) -> None:
        self._size_px = size_px
        self._programs = tuple(shutil.which(name) for name in ("chromium", "chromedriver"))
        if None in self._programs:
            missing_peer("chromium and chromium-driver are not installed")

    def __enter__(self) -> Self:
        self._profile = tempfile.TemporaryDirectory()
        self._driver = subprocess.Popen(
            [str(self._programs[1]), "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            self._base = f"http://127.0.0.1:{self._port()}"
            wanted = {
                "goog:chromeOptions": {
                    "binary": self._programs[0],
                    "args": [*QUIET, f"--user-data-dir={self._profile.name}", f"--window-size={_words(self._size_px)}"],
                },
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }
            session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self._base += f"/session/{session['sessionId']}"
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._call("DELETE", "")
        finally:
            self._end()

    def _end(self) -> None:
        self._driver.kill()
        self._driver.communicate()
        self._profile.cleanup()

    def _port(self) -> int:
        assert self._driver.stdout is not None
        for line in self._driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                return int(found.group(1))
        raise AssertionError("chromedriver ended before it listened")

    # ------------------------------------------------------------ pages

    def open(self, page: Path) -> None:
        """Loads a file and waits until it is there."""
        self._call("POST", "/url", {"url": page.as_uri()})

    def run(self, script: str, *values: object) -> Any:
        """Runs JavaScript in the page; ``arguments`` are the values, ``return`` gives the answer."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(values)})

    def media(self, feature: str, value: str) -> None:
        """Has the page believe a media feature, ``prefers-color-scheme`` for one."""
        self.command("Emulation.setEmulatedMedia", {"features": [{"name": feature, "value": value}]})

    def command(self, name: str, params: dict[str, object]) -> None:
        """One command of the DevTools protocol."""
        self._call("POST", "/goog/cdp/execute", {"cmd": name, "params": params})

    def picture(self, selector: str) -> npt.NDArray[np.uint8]:
        """What an element looks like, its pictures decoded: uint8[height, width, 3]."""
        self.run(STILL, {ELEMENT: self._find(selector)})
        shot = self._call("GET", f"/element/{self._find(selector)}/screenshot")
        with Image.open(io.BytesIO(base64.b64decode(shot))) as image:
            return np.asarray(image.convert("RGB")).copy()

    # ------------------------------------------------------------ hands

    def click(self, selector: str) -> None:
        """A click of the mouse on the middle of the first that fits."""
        self._call("POST", f"/element/{self._find(selector)}/click", {})

    def drag(self, selector: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Presses the mouse on an element, moves it, lets go; places are shares of its size from its middle."""
        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", {ELEMENT: self._find(selector)})
        box = self._call("GET", f"/element/{self._find(selector)}/rect")
        origin = {ELEMENT: self._find(selector)}

        def move(share: tuple[float, float]) -> dict[str, object]:
            x, y = (round(part * box[side]) for part, side in zip(share, ("width", "height"), strict=True))
            return {"type": "pointerMove", "duration": 20, "origin": origin, "x": x, "y": y}

        press = [{"type": "pointerDown", "button": 0}, move(end), {"type": "pointerUp", "button": 0}]
        mouse = {
            "type": "pointer",
            "id": "mouse",
            "parameters": {"pointerType": "mouse"},
            "actions": [move(start), *press],
        }
        self._call("POST", "/actions", {"actions": [mouse]})

    def press(self, selector: str, *keys: str) -> None:
        """Keys, by the names in ``Keys``, to an element, which gets the focus."""
        text = "".join(Keys[key] for key in keys)
        self._call("POST", f"/element/{self._find(selector)}/value", {"text": text})

    # ------------------------------------------------------------ what it said

    def console(self) -> list[str]:
        """Messages of the console: errors, warnings, what the content policy forbade."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """Addresses that pages asked for, their own among them; not what the browser's own first page did."""
        events = [
            json.loads(entry["message"])["message"] for entry in self._call("POST", "/se/log", {"type": "performance"})
        ]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return [params["request"]["url"] for params in sent if not params["documentURL"].startswith("chrome://")]

    def _find(self, selector: str) -> str:
        found = self._call("POST", "/element", {"using": "css selector", "value": selector})
        return str(found[ELEMENT])

    def _call(self, method: str, path: str, body: object = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._base + path, content, {"Content-Type": "application/json"}, method=method
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=ANSWER_WITHIN_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None


def _words(size_px: tuple[int, int]) -> str:
    return ",".join(map(str, size_px))
