"""The report as text; how it behaves is ``test_report_in_a_browser``'s matter."""

import re
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from client.player import Eye, View
from net.space import SubChunkPos
from render.capture.channels import Shot
from render.scene_tests.compare import Rgb
from render.scene_tests.report_html import Case, CaseStatus, Heat, element, heat_map, report_html, text, write_report
from render.scene_tests.verdict import Layer, LayerOutcome, Verdict
from render.scene_tests.views import CapturedView
from tests.support.data.scene_suites import BLUE, EXACT, HOSTILE, RED, case, hostile, plain, take

MOST_BYTES = 10_000_000


def test_errors_and_failures_come_first_then_by_name() -> None:
    cases = [case("z", plain(RED), plain(BLUE)), case("b", plain(RED), plain(RED)), case("a", plain(RED), plain(RED))]
    page = report_html([*cases, Case("m", None, error="It ended."), case("c", plain(RED), plain(BLUE))])
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["m", "c", "z", "a", "b"]
    assert re.findall(r'<details id="[^"]*" class="card (\w+)"', page) == [
        "error",
        "failed",
        "failed",
        "partly",
        "partly",
    ]
    assert "<h1>3 views failed, 2 passed</h1>" in page


@pytest.mark.parametrize(
    ("cases", "headline"),
    [
        ([], "No views"),
        ([case("a", plain(RED), plain(RED))], "1 view passed"),
        ([case("a", plain(RED), plain(BLUE))], "1 view failed"),
    ],
)
def test_the_headline_counts(cases: list[Case], headline: str) -> None:
    assert f"<h1>{headline}</h1>" in report_html(cases)


def test_everything_that_helps_is_told() -> None:
    layers = (
        Layer("data", LayerOutcome.FAILED, "blocks of 1 sub-chunk differ (0 4 1).", {"storages_differing": 1}),
        Layer("semantic", LayerOutcome.PASSED, "All the same.", {}),
        Layer("colour", LayerOutcome.SKIPPED, "No picture was accepted.", {"worst_tile": 0.0123}),
    )
    verdict = Verdict(layers, tuple(SubChunkPos(x, 4, 1) for x in range(30)), "1 sub-chunk went away")
    page = report_html([replace(case("scene/view", plain(RED), plain(BLUE), shows="A wall."), verdict=verdict)])
    for words in (
        "scene/view",
        "blocks of 1 sub-chunk differ (0 4 1).",
        "No picture was accepted.",
        "0.0123",
        "--at 0.5,81.62,-5.5 --look 0,6",
        "embedded:hills:1",
        "7d0c2f41a9be5566",
        "chunkscope test scenes --only scene/view",
        EXACT.words,
        "<code>0,4,1</code>",
        "<dt>sub-chunks with different blocks</dt><dd>1</dd>",
        "<b>Likely cause:</b> 1 sub-chunk went away.</p>",
        "and 6 more",
        "A wall.",
    ):
        assert words in page


def test_no_text_becomes_markup() -> None:
    page = report_html([hostile()])
    assert not [words for words in HOSTILE if "<" in words and words in page]
    assert "onerror" not in re.sub(r"onerror=&quot;", "", page)
    assert page.count("<script>") == 1
    page.encode("utf-8")


def test_text_shows_what_cannot_be_seen() -> None:
    assert text('<a href="x">\x00\x1b\u202e') == r"&lt;a href=&quot;x&quot;&gt;\x00\x1b\x202e"
    assert text("two\nlines, ü, 世界") == "two\nlines, ü, 世界"


def test_attributes_are_escaped_and_left_out() -> None:
    assert element("p", "x", title='"', class_="a", data_it=3, hidden=True, id=None) == (
        '<p title="&quot;" class="a" data-it="3" hidden>x</p>'
    )


def test_no_address_stands_in_it() -> None:
    page = report_html([case("a", plain(RED), plain(BLUE))])
    addresses = re.findall(r'(?:src|href|url\(|action)=?["\']?([^"\'\s>)]+)', page)
    assert addresses
    assert all(address.startswith(("data:", "#")) for address in addresses)
    assert "http" not in re.sub(r'http-equiv="Content-Security-Policy"|data:[^"]*', "", page)


def grain(seed: int) -> Rgb:
    """A picture of 480 x 270 whose bytes are as many as those of a real one, 52 to 142 KB (measured on five)."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (64, 3)).astype(np.uint8)[rng.integers(0, 64, (270, 480))]


def test_thirty_failures_fit_into_ten_megabytes() -> None:
    a_third = report_html([case(f"scene-{n}", grain(n), grain(n + 1000)) for n in range(10)])
    assert MOST_BYTES / 2 < 3 * len(a_third.encode()) < MOST_BYTES


def test_a_picture_stands_in_it_once() -> None:
    page = report_html([case("a", plain(RED), plain(BLUE)), case("b", plain(RED), plain(RED))])
    assert page.count("data:image/") == 2


def test_blocks_stand_in_for_a_picture_that_was_not_accepted() -> None:
    nothing = CapturedView(Shot(View(Eye(0.0, 0.0, 0.0)), (4, 4)), None, EXACT)
    page = report_html([replace(case("a", None, plain(RED)), expected=nothing)])
    assert page.count("data:image/") == 1
    assert "The picture is missing." in report_html([Case("a", None, error="No.", expected=nothing)])


def test_the_heat_map_marks_the_tile_that_differs() -> None:
    expected, actual = plain(RED, (96, 64)), plain(RED, (96, 64))
    actual[40:44, 70:74] = BLUE
    heat = Heat.of(expected, actual)
    assert heat.tiles.argmax() == 5
    squares = re.findall(r'<rect x="(\d+)" y="(\d+)"', heat_map(heat, (96, 64)))
    assert ("64", "32") in squares
    assert len(squares) < 6


def test_how_a_case_stands() -> None:
    assert case("a", plain(RED), plain(BLUE)).standing is CaseStatus.FAILED
    assert Case("a", None, error="No.").standing is CaseStatus.ERROR
    same = case("a", plain(RED), plain(RED))
    assert same.standing is CaseStatus.SKIPPED, "without digests data was not compared"
    assert same.verdict is not None
    whole = replace(same.verdict, layers=(same.verdict.layer("colour"),))
    assert replace(same, verdict=whole).standing is CaseStatus.PASSED


def test_the_file_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    write_report(path, [Case("a", None, error="One.")])
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write_report(path, [case("b", plain(RED), take(plain(RED)).shot.colour)])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
