"""The report of a suite: one self-contained HTML file.

Rules:
1. The file refers to nothing outside of itself: pictures are ``data:`` URIs, style and script are inline, and a content
   security policy blocks everything else, even if a text injects markup. Only ``text`` and ``element`` make markup.
2. The order is errors, failures, views compared in part, then the rest; each group is sorted by name.
3. Everything can be read without the script, which only moves sliders and filters the list.
4. Each picture is stored once, in a hidden SVG with an id, and is shown by other SVGs that refer to that id.
5. The colour of a heat map tile is its mean difference relative to the limit: faint yellow below it, orange at the
   limit, deep red at four times the limit. Tiles without a difference are transparent.
"""

import base64
import hashlib
import html
import io
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import xxhash
from PIL import Image

from client.connection.opening import counted
from client.source import WorldFile
from net.files import whole
from net.space import SubChunkPos, coordinates
from render.capture.image_files import picture_of_channel
from render.scene_tests.compare import (
    CHANNEL_NAMES,
    COMPARED,
    TILE_PX,
    FlipMissing,
    Rgb,
    Tiles,
    channel_steps,
    flip_errors,
    tile_means,
    tile_starts,
)
from render.scene_tests.compare_data import KINDS
from render.scene_tests.scene import BadScene, SceneFile, SceneResult, SceneView
from render.scene_tests.verdict import COLOUR, DATA, SEMANTIC, TILE_FLIP, TITLES, Layer, LayerOutcome, Verdict
from render.scene_tests.views import CapturedView


class CaseStatus(Enum):
    """The result of a case, in the order in which the report lists them."""

    ERROR = "error"  # nothing could be compared
    FAILED = "failed"
    SKIPPED = "partly"  # passed, with layers that were not compared
    PASSED = "passed"


class Case(msgspec.Struct, frozen=True):
    """The result of one view: texts and takes. Texts may contain any characters; the report escapes them."""

    name: str  # scene and view
    verdict: Verdict | None  # of the comparison; None where there was none
    error: str = ""  # why there was none; empty otherwise
    expected: CapturedView | None = None  # what was accepted; None for nothing
    actual: CapturedView | None = None  # what was taken; None for nothing
    shows: str = ""  # what a person must see in it
    view: str = ""  # where from and which way, as options of the command line
    source: str = ""  # where the world comes from
    source_hash: str = ""  # of the file or world that the source names
    command: str = ""  # what does it again
    seconds: float = 0.0  # that it took
    warnings: tuple[str, ...] = ()  # our own warnings during the scene

    @property
    def standing(self) -> CaseStatus:
        if self.verdict is None:
            return CaseStatus.ERROR
        if not self.verdict.passed:
            return CaseStatus.FAILED
        skipped = any(layer.outcome is LayerOutcome.SKIPPED for layer in self.verdict.layers)
        return CaseStatus.SKIPPED if skipped else CaseStatus.PASSED


# ---------------------------------------------------------------- markup

VOID: Final = ("input",)
"""The void elements that we use: they have no content and no end tag."""


def text(words: object) -> str:
    """Escaped for content and for attributes in double quotes; control characters are shown, not obeyed."""
    shown = "".join(
        letter if letter.isprintable() or letter == "\n" else f"\\x{ord(letter):02x}" for letter in str(words)
    )
    return html.escape(shown, quote=True)


def element(name: str, content: str = "", /, **attributes: object) -> str:
    """``<name attributes>content</name>``, values escaped; ``class_`` is ``class``, _ a dash, True the name alone."""
    written = "".join(
        f" {_attribute(key)}" if value is True else f' {_attribute(key)}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return f"<{name}{written}>" if name in VOID else f"<{name}{written}>{content}</{name}>"


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def picture_uri(pixels: npt.NDArray[Any]) -> str:
    """A lossless WebP as a ``data:`` URI without alpha: three quarters of a PNG's bytes, as fast (measured)."""
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels[..., :3])).save(file, format="WEBP", lossless=True, method=2)
    return f"data:image/webp;base64,{base64.b64encode(file.getvalue()).decode()}"


class Gallery:
    """The pictures of one report, as they are asked for."""

    def __init__(self) -> None:
        self._ids: dict[bytes, str] = {}
        self._images: list[str] = []

    def show(self, picture: Rgb, label: str, over: str = "") -> str:
        """Markup of a picture in full width with the SVG ``over`` on top; ``label`` is for screen readers."""
        height, width = picture.shape[:2]
        used = element("use", href=f"#{self._id_of(picture)}")
        return element(
            "svg", used + over, viewBox=f"0 0 {width} {height}", class_="picture", role="img", aria_label=label
        )

    def store(self) -> str:
        """Hidden markup that stores all pictures that ``show`` refers to."""
        images = element("defs", "".join(self._images))
        return element("svg", images, class_="store", width=0, height=0, aria_hidden="true")

    def _id_of(self, picture: Rgb) -> str:
        whole = np.ascontiguousarray(picture)
        digest = hashlib.blake2b(whole.tobytes(), digest_size=16, salt=str(whole.shape).encode()[:16]).digest()
        known = self._ids.setdefault(digest, f"picture-{len(self._ids)}")
        if len(self._ids) > len(self._images):
            height, width = picture.shape[:2]
            self._images.append(element("image", id=known, width=width, height=height, href=picture_uri(whole)))
        return known


# ---------------------------------------------------------------- heat

RAMP: Final = ((0.0, (253, 224, 120)), (1.0, (249, 136, 40)), (2.0, (224, 48, 48)), (4.0, (128, 10, 60)))
"""Colours by multiples of the limit."""
OPACITY: Final = (0.25, 0.8)


class Heat(msgspec.Struct, frozen=True):
    """Means of a difference over tiles."""

    tiles: Tiles  # float32[rows, columns]
    measure: str  # what was measured, for people

    @classmethod
    def of(cls, expected: Rgb, actual: Rgb) -> "Heat":
        """By FLIP, or where that is not installed by the largest channel's difference, of two pictures of one size."""
        try:
            return cls(tile_means(flip_errors(expected, actual)), "mean FLIP error")
        except FlipMissing:
            steps = channel_steps(expected, actual).astype(np.float32) / 255
            return cls(tile_means(steps), "mean difference of the worst channel, 0 to 1")


def heat_map(heat: Heat, size_px: tuple[int, int]) -> str:
    """SVG to draw over the picture: one square for each tile that differs, with its figures as a tooltip."""
    columns, rows = (tile_starts(side) for side in size_px)
    squares = [
        _square(columns[column], rows[row], size_px, float(heat.tiles[row, column]))
        for row, column in np.argwhere(heat.tiles > 0).tolist()
    ]
    return element("g", "".join(squares), class_="heat")


def _square(x: int, y: int, size_px: tuple[int, int], value: float) -> str:
    times = value / TILE_FLIP
    stops = [stop for stop, _ in RAMP]
    colour = [round(float(np.interp(times, stops, [part[1][channel] for part in RAMP]))) for channel in range(3)]
    width, height = (min(TILE_PX, side) for side in size_px)
    fill, opacity = f"rgb({colour[0]} {colour[1]} {colour[2]})", f"{np.interp(times, (0, 1), OPACITY):.2f}"
    title = element("title", f"x {x}, y {y}: {value:.4f}")
    return element("rect", title, x=x, y=y, width=width, height=height, fill=fill, fill_opacity=opacity)


# ---------------------------------------------------------------- pictures

MIDDLE: Final = 50
"""First position of a slider, in percent of the width."""


def pictures(case: Case, gallery: Gallery) -> str:
    """All pictures of a case; one alone where both are equal or there is only one."""
    expected, actual = _shown(case.expected), _shown(case.actual)
    if expected is not None and actual is not None:
        if expected.shape != actual.shape:
            pair = _still(gallery, expected, "expected") + _still(gallery, actual, "actual")
            return element("div", pair, class_="pair")
        if not np.array_equal(expected, actual):
            return _compared(gallery, expected, actual)
    label = "actual" if expected is None else "expected and actual"
    for picture, name in ((actual, label), (expected, "expected")):
        if picture is not None:
            return element("div", _still(gallery, picture, name), class_="one")
    return element("p", "The picture is missing.", class_="nothing")


def _shown(take: CapturedView | None) -> Rgb | None:
    """Colour; where that was not accepted or not asked for, blocks in false colours."""
    if take is None:
        return None
    if take.shot.colour is not None:
        return np.asarray(take.shot.colour[..., :3])
    if take.shot.block is not None and take.shot.palette is not None:
        return np.asarray(picture_of_channel(take.shot, "block")[..., :3])
    return None


def _compared(gallery: Gallery, expected: Rgb, actual: Rgb) -> str:
    size_px = expected.shape[1], expected.shape[0]
    heat = Heat.of(expected, actual)
    tiles = gallery.show(actual, "tiles that differ", heat_map(heat, size_px))
    small = (
        _figure(gallery.show(expected, "expected"), "expected"),
        _figure(gallery.show(actual, "actual"), "actual"),
        _figure(element("div", tiles, class_="dimmed"), f"tiles that differ ({heat.measure})"),
    )
    slider = _slider(gallery.show(expected, "expected"), gallery.show(actual, "actual"))
    return element("div", slider + element("div", "".join(small), class_="small"), class_="compared")


def _slider(expected: str, actual: str) -> str:
    """Expected on the left of the line, actual on its right; a range input takes mouse, touch and keys."""
    parts = (
        actual,
        element("div", expected, class_="left"),
        element("span", "expected", class_="tag tag-left"),
        element("span", "actual", class_="tag tag-right"),
        element("span", class_="line"),
        element("input", type="range", min=0, max=100, step=1, value=MIDDLE, aria_label="expected against actual"),
    )
    caption = "expected | actual: drag the line, or use the arrow keys"
    return _figure(element("div", "".join(parts), class_="slider"), caption)


def _still(gallery: Gallery, picture: Rgb, label: str) -> str:
    return _figure(gallery.show(picture, label), f"{label}, {picture.shape[1]} x {picture.shape[0]}")


def _figure(content: str, caption: str) -> str:
    return element("figure", content + element("figcaption", text(caption)))


# ---------------------------------------------------------------- card

LISTED_SUBCHUNKS: Final = 24
"""Of those that changed; the others are counted."""
OPEN: Final = (CaseStatus.ERROR, CaseStatus.FAILED)
LEAST_SECONDS: Final = 0.05
"""Shorter times are not shown: they would read as 0.0 s."""
NUMBERS: Final[Mapping[str, Mapping[str, str]]] = {
    DATA: {
        **{name: f"{kind}s that have {what}, expected or actual" for name, (what, kind) in KINDS.items()},
        **{f"{name}_differing": f"{kind}s with different {what}" for name, (what, kind) in KINDS.items()},
    },
    SEMANTIC: {
        "pixels": "pixels",
        "inner": "pixels inside faces of blocks (not at edges)",
        "inner_differing": "inside faces, pixels that differ",
        "edges_differing": "at edges, pixels that differ",
        "edges_most": "at edges, pixels that may differ",
        **{f"{name}_differing": f"inside faces, another {CHANNEL_NAMES.get(name, name)}" for name in COMPARED},
    },
    COLOUR: {
        "pixels": "pixels",
        "differing": "pixels whose colour differs",
        "largest": "largest difference in red, green or blue (0 to 255)",
        "worst_tile": "FLIP error of the worst tile (0 to 1)",
        "worst_tile_most": "highest FLIP error that passes",
        "worst_tile_x": "x of the worst tile",
        "worst_tile_y": "y of the worst tile",
    },
}
"""What each number of a layer counts."""
SIGNS: Final = {LayerOutcome.PASSED: "✓", LayerOutcome.FAILED: "✗", LayerOutcome.SKIPPED: "○"}


def card(case: Case, number: int, gallery: Gallery) -> str:
    """Folded unless it failed; ``number`` is its place in the report, which links name; pictures go to the gallery."""
    standing = case.standing
    head = (
        element("span", text(standing.value), class_="chip"),
        element("h2", text(case.name)),
        element("span", f"{case.seconds:.1f} s", class_="seconds") if case.seconds >= LEAST_SECONDS else "",
        element("p", text(case.error if case.verdict is None else case.verdict.words), class_="words"),
    )
    cause = case.verdict.cause if case.verdict else ""
    body = (
        element("p", text(case.shows), class_="shows") if case.shows else "",
        element("p", f"<b>Likely cause:</b> {text(cause)}.", class_="cause") if cause else "",
        _layers(case),
        pictures(case, gallery),
        _facts(case),
    )
    return element(
        "details",
        element("summary", "".join(head)) + element("div", "".join(body), class_="body"),
        id=anchor(number),
        class_=f"card {standing.value}",
        data_standing=standing.value,
        open=standing in OPEN,
    )


def anchor(number: int) -> str:
    return f"case-{number}"


def _layers(case: Case) -> str:
    if case.verdict is None:
        return ""
    return element("div", "".join(map(_layer, case.verdict.layers)), class_="layers")


def _layer(layer: Layer) -> str:
    numbers = "".join(
        element("div", element("dt", text(NUMBERS[layer.name].get(name, name))) + element("dd", _number(value)))
        for name, value in layer.numbers.items()
    )
    sign = element("span", SIGNS[layer.outcome], class_="sign", aria_hidden="true")
    content = element("h3", sign + text(TITLES[layer.name])) + element("p", text(layer.words))
    if numbers:
        content += element("details", "<summary>Numbers</summary>" + element("dl", numbers), class_="numbers")
    return element("section", content, class_=f"layer {layer.outcome.value}", aria_label=f"layer {layer.name}")


def _number(value: float) -> str:
    return f"{int(value):,}" if float(value).is_integer() else f"{value:.4f}"


def _facts(case: Case) -> str:
    changed = case.verdict.changed_subchunks if case.verdict else ()
    rows = [
        ("Sub-chunks whose pixels differ", _subchunks(changed) if changed else ""),
        ("View", _code(case.view)),
        ("Source", _code(case.source)),
        ("Hash", _code(case.source_hash)),
        ("Drawn by", text(case.actual.renderer.words) if case.actual else ""),
        ("Accepted on", text(case.expected.renderer.words) if case.expected else ""),
        ("Warnings", "<br>".join(map(text, case.warnings))),
        ("Again", _code(case.command)),
    ]
    said = "".join(element("dt", name) + element("dd", value) for name, value in rows if value)
    return element("dl", said, class_="facts") if said else ""


def _subchunks(changed: tuple[SubChunkPos, ...]) -> str:
    listed = " ".join(element("code", coordinates(at)) for at in changed[:LISTED_SUBCHUNKS])
    more = len(changed) - LISTED_SUBCHUNKS
    return f"{listed} and {more} more" if more > 0 else listed


def _code(words: str) -> str:
    return element("code", text(words), class_="whole") if words else ""


# ---------------------------------------------------------------- report page

TITLE: Final = "chunkscope test"
LABELS: Final = {
    CaseStatus.ERROR: "errors",
    CaseStatus.FAILED: "failed",
    CaseStatus.SKIPPED: "partly compared",
    CaseStatus.PASSED: "passed",
}


def report_html(cases: Sequence[Case]) -> str:
    order = list(CaseStatus)
    told = sorted(cases, key=lambda case: (order.index(case.standing), case.name))
    own = files("render.scene_tests")
    style, script = (own.joinpath(name).read_text("utf-8") for name in ("report.css", "report.js"))
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<link rel="icon" href="data:,">'
        f"<title>{text(_headline(cases))} - {TITLE}</title><style>{style}</style>"
    )
    gallery = Gallery()
    cards = "".join(card(case, number, gallery) for number, case in enumerate(told))
    body = _header(told) + gallery.store() + element("main", cards) + f"<script>{script}</script>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def write_report(path: Path, cases: Sequence[Case]) -> None:
    """Writes the file completely or not at all. Raises OSError: it cannot be written."""
    with whole(path) as temporary:
        temporary.write_text(report_html(cases), encoding="utf-8", newline="\n")


def _header(told: Sequence[Case]) -> str:
    renderers = sorted({case.actual.renderer.words for case in told if case.actual})
    seconds = sum(case.seconds for case in told)
    parts = (
        element("p", TITLE, class_="overline"),
        element("h1", text(_headline(told))),
        *(element("p", text(words), class_="by") for words in renderers or ["Nothing was drawn."]),
        element("p", text(f"{seconds:.1f} s of computation"), class_="by") if seconds >= LEAST_SECONDS else "",
        element("nav", _filters(told), class_="filters", aria_label="views to show"),
        element("div", "".join(_dot(case, number) for number, case in enumerate(told)), class_="dots"),
    )
    return element("header", "".join(parts))


def _headline(cases: Sequence[Case]) -> str:
    bad = sum(case.standing in (CaseStatus.ERROR, CaseStatus.FAILED) for case in cases)
    if not cases:
        return "No views"
    passed = len(cases) - bad
    if not bad:
        return f"{counted(passed, 'view')} passed"
    return f"{counted(bad, 'view')} failed" + (f", {passed} passed" if passed else "")


def _filters(told: Sequence[Case]) -> str:
    counts = Counter(case.standing for case in told)
    buttons = [("all", "all", len(told))] + [
        (standing.value, LABELS[standing], counts[standing]) for standing in CaseStatus if counts[standing]
    ]
    written = ""
    for value, label, count in buttons:
        words, pressed = f"{text(label)} <b>{count}</b>", "true" if value == "all" else "false"
        written += element("button", words, type="button", class_=value, data_show=value, aria_pressed=pressed)
    return written


def _dot(case: Case, number: int) -> str:
    standing = case.standing.value
    return element(
        "a", href=f"#{anchor(number)}", class_=standing, title=f"{case.name}: {standing}", data_standing=standing
    )


def _policy(style: str, script: str) -> str:
    """The content security policy: allows only the inline script and style, by their hashes."""
    return (
        f"default-src 'none'; img-src data:; style-src '{_sha256(style)}';"
        f" script-src '{_sha256(script)}'; base-uri 'none'; form-action 'none'"
    )


def _sha256(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


# ---------------------------------------------------------------- cases


def cases_of(results: Sequence[SceneResult], bad: Sequence[BadScene]) -> tuple[Case, ...]:
    return (*map(_case, results), *(Case(mistake.place, None, error=str(mistake)) for mistake in bad))


def _case(result: SceneResult) -> Case:
    scene = result.scene
    return Case(
        name=result.name,
        verdict=result.verdict,
        error=result.error,
        expected=result.expected,
        actual=result.actual,
        shows=scene.shows.strip(),
        view=_view(result.view),
        source=str(scene.source),
        source_hash=_hash(scene),
        command=f"chunkscope test {shlex.quote(str(scene.path))}",
        seconds=result.seconds,
        warnings=result.warnings,
    )


def _view(view: SceneView) -> str:
    """As options of ``chunkscope shot``."""
    at = "" if view.at is None else f"--at {','.join(f'{part:g}' for part in view.at)} "
    look = "" if view.look_deg is None else f"--look {','.join(f'{part:g}' for part in view.look_deg)} "
    lens = f"--fov {view.fov_deg:g}" if view.ortho_blocks is None else f"--ortho {view.ortho_blocks:g}"
    if view.cut is not None:
        lens += f" --cut={view.cut.low},{view.cut.high}"
    return f"{at}{look}{lens} --size {view.size_px[0]}x{view.size_px[1]}"


def _hash(scene: SceneFile) -> str:
    """Of the scene's file, and of the recording or saved world where it has one: the same hash is the same input."""
    files = [scene.path, *([scene.source.path] if isinstance(scene.source, WorldFile) else [])]
    return " ".join(_digest(path) for path in files)


def _digest(path: Path) -> str:
    try:
        digest = xxhash.xxh3_64()
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                digest.update(file.read_bytes())
        return f"{path.name} xxh3:{digest.hexdigest()}"
    except OSError:
        return f"{path.name} unreadable"
