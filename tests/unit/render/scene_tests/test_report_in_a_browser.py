"""The report in a real browser: the slider moves, nothing is fetched, nothing complains, all of it can be read.

Browser: A real headless Chromium, driven through chromedriver's WebDriver protocol with nothing but the standard
library.

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
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace
from PIL import Image

from render.scene_tests.report_html import Case, write_report
from tests.support.data.scene_suites import BLUE, RED, case, hostile, plain
from tests.support.servers.foreign import missing_peer

# ---------------------------------------------------------------- browser

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


# ---------------------------------------------------------------- report in a browser

CASES = (
    case("a/same", plain(RED), plain(RED)),
    case("b/different", plain(RED), plain(BLUE), shows="A red wall."),
    Case("c/broken", None, error="The recording is cut short."),
    hostile(),
    case("e/another-size", plain(RED), plain(BLUE, (320, 100))),
)
SLIDER = ".slider"
RANGE = ".slider input"
HEAT = ".dimmed"
PICTURES = 20
"""How often one is taken until it shows anything: a busy browser was seen to give an empty one first."""
UNDER_POINTER = """
const svg = document.querySelector('.dimmed svg');
svg.scrollIntoView({block: 'center', behavior: 'instant'});
const now = svg.getBoundingClientRect(), scale = now.width / svg.viewBox.baseVal.width;
const found = document.elementFromPoint(now.left + arguments[0] * scale, now.top + arguments[1] * scale);
return found.tagName === 'rect' ? found.querySelector('title').textContent : '';
"""
"""What the heat map tells of a pixel of the picture that is pointed at."""
CLEARLY_SHOWN = """
const found = document.querySelector(arguments[0]);
return found.scrollHeight <= found.clientHeight && found.checkVisibility() ? found.innerText : '';
"""
"""The text of an element, if nothing of it is cut off."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Path:
    path = tmp_path / "report <&> ü.html"
    write_report(path, CASES)
    browser.requests()  # of the browser's own first page, and of tests before
    browser.console()
    browser.open(path)
    return path


def divided_at(browser: Browser) -> float:
    """The share of the slider's width up to which the expected picture is seen, told by its pixels."""
    for _ in range(PICTURES):
        row = browser.picture(SLIDER)[-8].astype(np.int16)
        red = np.abs(row - RED).sum(axis=1) < 30
        blue = np.abs(row - BLUE).sum(axis=1) < 30
        if (red | blue).any():
            break
    assert (red | blue).mean() > 0.97, "nothing but both pictures and the line"
    assert not (np.flatnonzero(red).max(initial=-1) > np.flatnonzero(blue).min(initial=len(row))), "red left of blue"
    return float(red.mean())


def test_nothing_is_fetched_and_nothing_complains(browser: Browser, page: Path) -> None:
    browser.click(".filters .failed")
    browser.drag(RANGE, (0, 0), (0.2, 0))
    asked = [url for url in browser.requests() if not url.startswith("data:")]
    assert set(asked) <= {page.as_uri()}
    assert browser.console() == []
    assert browser.run("return performance.getEntriesByType('resource').length") == 0


def test_a_request_or_a_complaint_would_be_noticed(browser: Browser, tmp_path: Path) -> None:
    loud = tmp_path / "loud.html"
    loud.write_text("<!DOCTYPE html><img src='http://127.0.0.1:9/picture'><script>console.error('loud')</script>")
    browser.open(loud)
    browser.run("return document.images[0].decode().catch(() => 0)")
    assert "http://127.0.0.1:9/picture" in browser.requests()
    assert any("loud" in message for message in browser.console())


def test_the_slider_follows_the_mouse(browser: Browser, page: Path) -> None:
    assert divided_at(browser) == pytest.approx(0.5, abs=0.02)
    browser.drag(RANGE, (0, 0.1), (-0.25, 0.1))
    assert divided_at(browser) == pytest.approx(0.25, abs=0.03)
    browser.drag(RANGE, (-0.25, 0.1), (0.3, 0.1))
    assert divided_at(browser) == pytest.approx(0.8, abs=0.03)


def test_the_slider_follows_the_keys(browser: Browser, page: Path) -> None:
    browser.press(RANGE, *["right"] * 10)
    assert divided_at(browser) == pytest.approx(0.6, abs=0.02)
    browser.press(RANGE, *["left"] * 30)
    assert divided_at(browser) == pytest.approx(0.3, abs=0.02)
    browser.press(RANGE, "home")
    assert divided_at(browser) == 0
    browser.press(RANGE, "end")
    assert divided_at(browser) == pytest.approx(1, abs=0.02)


def test_the_heat_map_lies_over_the_tile_that_differs(browser: Browser, tmp_path: Path) -> None:
    """Of a red wall with a blue patch in the tile at x 96, y 64: hot there, and nowhere two tiles away."""
    actual = plain(RED)
    actual[70:90, 100:124] = BLUE
    path = tmp_path / "heat.html"
    write_report(path, [case("a/patch", plain(RED), actual)])
    browser.open(path)
    seen = browser.picture(HEAT).astype(np.int16)
    scale = seen.shape[1] / actual.shape[1]
    hot, cold = (seen[round(y * scale), round(x * scale)] for x, y in ((112, 66), (240, 140)))
    assert np.abs(hot - cold).sum() > 60, "painted where it differs, and not elsewhere"
    assert np.abs(seen[round(20 * scale), round(20 * scale)] - cold).sum() < 20
    at = browser.run(UNDER_POINTER, 112, 80)
    assert at.startswith("x 96, y 64: 0."), at
    assert browser.run(UNDER_POINTER, 240, 140) == ""


def test_what_needs_a_look_comes_first_and_unfolded(browser: Browser, page: Path) -> None:
    cards = browser.run("return [...document.querySelectorAll('.card')].map(c => [c.dataset.standing, c.open])")
    assert cards == [["error", True], ["failed", True], ["failed", True], ["failed", True], ["partly", False]]
    assert browser.run("return document.querySelector('h1').textContent") == "4 views failed, 1 passed"


def test_an_open_failure_shows_its_whole_cause_above_the_slider_and_each_sentence_once(
    browser: Browser, tmp_path: Path
) -> None:
    failed = case("a/different", plain(RED), plain(BLUE))
    assert failed.verdict is not None
    cause = "the server sent other blocks " + "in 1 of 9 sub-chunks " * 20 + "the end"
    path = tmp_path / "cause.html"
    write_report(path, [replace(failed, verdict=replace(failed.verdict, cause=cause))])
    browser.open(path)
    assert browser.run(CLEARLY_SHOWN, ".cause") == f"Likely cause: {cause}."
    assert browser.run(
        "const [cause, slider] = ['.cause', '.slider'].map(s => document.querySelector(s).getBoundingClientRect());"
        "return cause.bottom <= slider.top"
    )
    colours = failed.verdict.layer("colour").words
    assert browser.run("return document.querySelector('.card').innerText").count(colours) == 1


def test_a_filter_shows_what_it_names(browser: Browser, page: Path) -> None:
    seen = "return [...document.querySelectorAll('.card')].filter(c => c.checkVisibility()).length"
    assert browser.run(seen) == len(CASES)
    for name, count in (("failed", 3), ("error", 1), ("partly", 1), ("all", 5)):
        browser.click(f".filters .{name}")
        assert browser.run(seen) == count
        assert browser.run(f"return document.querySelector('.filters .{name}').ariaPressed") == "true"


def test_a_dot_unfolds_its_card(browser: Browser, page: Path) -> None:
    browser.click(".dots a.partly")
    # The page hears of its new fragment some time after the click; the browser waits 30 s for a promise.
    assert browser.run(
        "return new Promise(seen => {"
        "  const card = document.querySelector('.card.partly'), look = () => card.open && seen(true);"
        "  card.addEventListener('toggle', look); look(); })"
    )


def test_texts_stay_texts(browser: Browser, page: Path) -> None:
    assert browser.run("return document.title") == "4 views failed, 1 passed - chunkscope test"
    assert browser.run("return document.querySelectorAll('img, iframe, object, script:not(:last-child)').length") == 0
    name = browser.run("return [...document.querySelectorAll('h2')].map(h => h.textContent).find(t => t.includes('<'))")
    assert '<script>document.title = "hacked"</script>' in name
    assert r"\x1b[31m \x00 \x202e \xd800" in name


def test_a_script_that_slipped_in_would_not_run(browser: Browser, page: Path, tmp_path: Path) -> None:
    spoilt = tmp_path / "spoilt.html"
    evil = "<script>document.title='hacked'</script><p onclick=\"document.title='hacked'\">x</p><main>"
    text = page.read_text(encoding="utf-8")
    assert "<main>" in text
    spoilt.write_text(text.replace("<main>", evil, 1), encoding="utf-8")
    browser.open(spoilt)
    browser.run("document.querySelector('p[onclick]').click()")
    assert "hacked" not in browser.run("return document.title")
    assert any("Content Security Policy" in message for message in browser.console())


CONTRAST = """
const parse = (c) => c.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
  if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
const worst = {};
for (const e of document.querySelectorAll('h1,h2,h3,p,dt,dd,code,button,b,.chip,.seconds,figcaption,.sign')) {
  if (!e.checkVisibility() || !e.textContent.trim()) continue;
  const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  const name = e.tagName + '.' + e.className + ' in ' + (e.closest('.layer, .card, header') || {}).className;
  worst[name] = Math.min(worst[name] ?? 99, ratio);
}
return worst;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read_by_day_and_by_night(browser: Browser, page: Path, scheme: str) -> None:
    browser.media("prefers-color-scheme", scheme)
    contrasts = browser.run(CONTRAST)
    assert len(contrasts) > 20
    assert {name: ratio for name, ratio in contrasts.items() if ratio < 4.5} == {}
    grounds = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, grounds[4:-1].split(","))) < 384) == (scheme == "dark")


def test_nothing_is_wider_than_a_small_window(browser: Browser, page: Path) -> None:
    params = {"width": 360, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    browser.command("Emulation.setDeviceMetricsOverride", params)
    try:
        assert browser.run("return document.documentElement.scrollWidth") <= 360
    finally:
        browser.command("Emulation.clearDeviceMetricsOverride", {})
