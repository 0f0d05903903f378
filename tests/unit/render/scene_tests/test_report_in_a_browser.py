"""The report in a real browser: the slider moves, nothing is fetched, nothing complains, all of it can be read."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from render.scene_tests.report_html import Case, write_report
from tests.support.browser import Browser
from tests.support.report_cases import BLUE, RED, case, hostile, plain

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
UNDER_POINTER = """
const svg = document.querySelector('.dimmed svg');
svg.scrollIntoView({block: 'center', behavior: 'instant'});
const now = svg.getBoundingClientRect(), scale = now.width / svg.viewBox.baseVal.width;
const found = document.elementFromPoint(now.left + arguments[0] * scale, now.top + arguments[1] * scale);
return found.tagName === 'rect' ? found.querySelector('title').textContent : '';
"""
"""What the heat map tells of a pixel of the picture that is pointed at."""


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
    row = browser.picture(SLIDER)[-8].astype(np.int16)
    red = np.abs(row - RED).sum(axis=1) < 30
    blue = np.abs(row - BLUE).sum(axis=1) < 30
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
    assert browser.run("return document.querySelector('h1').textContent") == "4 of 5 views failed"


def test_a_filter_shows_what_it_names(browser: Browser, page: Path) -> None:
    seen = "return [...document.querySelectorAll('.card')].filter(c => c.checkVisibility()).length"
    assert browser.run(seen) == len(CASES)
    for name, count in (("failed", 3), ("error", 1), ("partly", 1), ("all", 5)):
        browser.click(f".filters .{name}")
        assert browser.run(seen) == count
        assert browser.run(f"return document.querySelector('.filters .{name}').ariaPressed") == "true"


def test_a_dot_unfolds_its_card(browser: Browser, page: Path) -> None:
    browser.click(".dots a.partly")
    assert browser.run("return document.querySelector('.card.partly').open")


def test_texts_stay_texts(browser: Browser, page: Path) -> None:
    assert browser.run("return document.title") == "4 of 5 views failed - chunkscope test"
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
