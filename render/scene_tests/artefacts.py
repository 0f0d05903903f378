"""Writes the results of a run: pictures of the views that failed, and JUnit XML for continuous integration.

A view that failed leaves three files side by side in one folder, the picture, the accepted one, and their difference:

    NAME.VIEW.actual.png   NAME.VIEW.expected.png   NAME.VIEW.difference.png

A view that cannot be accepted because two runs drew it differently leaves ``first``, ``second`` and ``difference``.
Slashes in a scene's name become dots. Files that an earlier run left for the same views are removed first.

The XML has the schema that Jenkins' xunit plug-in and GitLab check: ``testsuites`` > ``testsuite`` >
``testcase`` with at most one of ``failure``, ``error``, ``skipped``. A view is a test case, and its class is the scene.
A view that differs is a failure. A view that could not be compared, or an invalid scene file, is an error.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import numpy as np
from PIL import Image, ImageDraw

from net.files import whole
from render.gpu.targets import Pixels
from render.gpu.textures import write_png
from render.scene_tests.scene import BadScene, SceneResult
from render.scene_tests.verdict import LayerOutcome
from render.scene_tests.views import CapturedView

AMPLIFIED: Final = 8
"""How much brighter differences are shown than they are."""
COMPARED: Final = ("actual", "expected", "difference")
UNSTABLE: Final = ("first", "second", "difference")


def write_artefacts(folder: Path, results: Iterable[SceneResult]) -> tuple[Path, ...]:
    """Writes the pictures of what failed, and gives them. Raises OSError: the place cannot be written."""
    return _write(folder, results, COMPARED, lambda result: not result.passed)


def write_unstable(folder: Path, results: Iterable[SceneResult]) -> tuple[Path, ...]:
    """Writes both pictures of what two runs do not show alike, and gives them. Raises OSError: it cannot."""
    return _write(folder, results, UNSTABLE, lambda result: result.expected is not None)


def _write(
    folder: Path, results: Iterable[SceneResult], kinds: tuple[str, ...], shown: Callable[[SceneResult], bool]
) -> tuple[Path, ...]:
    written = []
    for result in results:
        for kind in {*COMPARED, *UNSTABLE} if folder.is_dir() else ():
            (folder / _name(result, kind)).unlink(missing_ok=True)
        if not shown(result) or result.actual is None or result.actual.shot.colour is None:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for kind, pixels in zip(kinds, _pictures(result.actual, result.expected), strict=False):
            path = folder / _name(result, kind)
            write_png(path, pixels, {"Scene": result.name, "Renderer": result.actual.renderer.words})
            written.append(path)
    return tuple(written)


def _name(result: SceneResult, kind: str) -> str:
    return f"{result.scene.name.replace('/', '.')}.{result.view.name}.{kind}.png"


def _pictures(actual: CapturedView, expected: CapturedView | None) -> Iterable[Pixels]:
    """One, the other, and how far apart they are: as many as there can be."""
    assert actual.shot.colour is not None, "asked before"
    yield actual.shot.colour
    if expected is None or expected.shot.colour is None:
        return
    yield expected.shot.colour
    if expected.shot.colour.shape == actual.shot.colour.shape:
        apart = np.abs(actual.shot.colour.astype(np.int16) - expected.shot.colour)
        yield np.minimum(apart * AMPLIFIED, 255).astype(np.uint8)


TILE_PX: Final = (320, 180)
LABEL_PX: Final = 14
GAP_PX: Final = 4
COLUMNS: Final = 5
PAPER: Final = (24, 24, 28)
INK: Final = (235, 235, 235)


def write_contact_sheet(path: Path, pictures: Sequence[tuple[str, Pixels]]) -> None:
    """Writes the sheet as a PNG, row by row in the order given. Raises OSError: the place cannot be written."""
    columns = min(COLUMNS, len(pictures))
    rows = -(-len(pictures) // columns)
    step = TILE_PX[0] + GAP_PX, TILE_PX[1] + LABEL_PX + GAP_PX
    sheet = Image.new("RGB", (columns * step[0] + GAP_PX, rows * step[1] + GAP_PX), PAPER)
    draw = ImageDraw.Draw(sheet)
    for number, (name, pixels) in enumerate(pictures):
        row, column = divmod(number, columns)
        x, y = GAP_PX + column * step[0], GAP_PX + row * step[1]
        small = Image.fromarray(np.ascontiguousarray(pixels[..., :3]))
        small.thumbnail(TILE_PX, Image.Resampling.LANCZOS)
        sheet.paste(small, (x, y + LABEL_PX))
        draw.text((x, y), name[: TILE_PX[0] // 6], fill=INK)
    opaque = np.dstack([np.asarray(sheet), np.full(sheet.size[::-1], 255, np.uint8)])
    write_png(path, opaque, {"Software": "chunkscope"})


# --------------------------------------------------------------------- junit

NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may hold, not even escaped."""


def write_junit(path: Path, results: Sequence[SceneResult], bad: Sequence[BadScene] = ()) -> None:
    """Writes the file completely or not at all. Raises OSError: it cannot be written."""
    suite = ElementTree.Element("testsuite", name="chunkscope")
    for result in results:
        _case(suite, result)
    for mistake in bad:
        case = ElementTree.SubElement(suite, "testcase", classname="scenes", name=_clean(mistake.place), time="0")
        ElementTree.SubElement(case, "error", message=_clean(str(mistake)), type="BadScene")
    _count(suite)
    root = ElementTree.Element("testsuites", suite.attrib)
    root.append(suite)
    ElementTree.indent(root)
    with whole(path) as temporary:
        ElementTree.ElementTree(root).write(temporary, encoding="utf-8", xml_declaration=True)


def _case(suite: ElementTree.Element, result: SceneResult) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=_clean(result.scene.name), name=result.view.name, time=f"{result.seconds:.3f}"
    )
    lines = [f"warning: {words}" for words in result.warnings]
    if result.verdict is None:
        ElementTree.SubElement(case, "error", message=_clean(result.error), type="SceneFailed")
        _system_out(case, lines)
        return
    lines = [f"{layer.name}: {layer.outcome.value}: {layer.words}" for layer in result.verdict.layers] + lines
    if not result.verdict.passed:
        failed = [layer.name for layer in result.verdict.layers if layer.outcome is LayerOutcome.FAILED]
        failure = ElementTree.SubElement(
            case, "failure", message=_clean(result.words), type=" ".join(failed) or "nothing was compared"
        )
        failure.text = _clean("\n".join(lines))
    _system_out(case, lines)


def _system_out(case: ElementTree.Element, lines: Sequence[str]) -> None:
    if lines:
        ElementTree.SubElement(case, "system-out").text = _clean("\n".join(lines))


def _count(suite: ElementTree.Element) -> None:
    cases = suite.findall("testcase")
    seconds = sum(float(case.attrib["time"]) for case in cases)
    suite.attrib.update(
        tests=str(len(cases)),
        failures=str(len(suite.findall("testcase/failure"))),
        errors=str(len(suite.findall("testcase/error"))),
        skipped="0",
        time=f"{seconds:.3f}",
    )


def _clean(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
