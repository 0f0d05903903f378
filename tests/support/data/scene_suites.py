"""Small scenes of the flat world, and cases for reports: made pictures, and texts that try to inject markup."""

from pathlib import Path

import numpy as np
from msgspec.structs import replace

from client.player import Eye, View
from render.capture.channels import Shot
from render.scene_tests import SceneFile, read_scene
from render.scene_tests.compare import Rgb, compare
from render.scene_tests.report_html import Case
from render.scene_tests.verdict import Layer, LayerOutcome, Verdict
from render.scene_tests.views import CapturedView, Renderer

# ---------------------------------------------------------------- scene files

FLAT = """
source = "embedded:flat:1"
radius = 1
{more}

[[view]]
name = "front"
at = [0.5, -58.4, 0.5]
look = [0, 20]
size = [64, 48]
"""


def write_scene(folder: Path, name: str, more: str = "") -> Path:
    """Writes a scene file of the flat world; ``more`` is inserted before its view."""
    path = folder / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FLAT.format(more=more), encoding="utf-8")
    return path


def flat_scene(folder: Path, name: str, more: str = "") -> SceneFile:
    """Writes such a scene file and reads it."""
    return read_scene(write_scene(folder, name, more), folder)


PASSED = Verdict((Layer("data", LayerOutcome.PASSED, "the same", {}),))

# ---------------------------------------------------------------- report cases

EXACT = Renderer("llvmpipe-avx2", 22, "llvmpipe (LLVM 15.0.6, 256 bits); Mesa/X.org; 4.5 Mesa 22.3.6")
RED, BLUE = (200, 30, 30), (30, 30, 200)
SIZE_PX = 320, 180

HOSTILE = (
    '<script>document.title = "hacked"</script>',
    "\"'><img src=http://127.0.0.1:9/a onerror=\"document.title='hacked'\">",
    "</style></script><svg onload=\"document.title='hacked'\">",
    "&lt;b&gt; \x1b[31m \x00 \u202e \ud800 ",
    "javascript:alert(1)",
)


def plain(colour: tuple[int, int, int], size_px: tuple[int, int] = SIZE_PX) -> Rgb:
    return np.full((size_px[1], size_px[0], 3), colour, np.uint8)


def take(picture: Rgb) -> CapturedView:
    rgba = np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)])
    return CapturedView(Shot(View(Eye(0.0, 64.0, 0.0)), (picture.shape[1], picture.shape[0]), colour=rgba), None, EXACT)


def case(name: str, expected: Rgb | None, actual: Rgb | None, **texts: str) -> Case:
    takes = [None if picture is None else take(picture) for picture in (expected, actual)]
    verdict = compare(takes[0], takes[1]) if takes[0] and takes[1] else None
    said = {
        "view": "--at 0.5,81.62,-5.5 --look 0,6",
        "source": "embedded:hills:1",
        "source_hash": "7d0c2f41a9be5566",
        "command": f"chunkscope test scenes --only {name}",
        **texts,
    }
    return Case(name, verdict, expected=takes[0], actual=takes[1], seconds=0.5, **said)


def hostile() -> Case:
    words = " ".join(HOSTILE)
    return replace(
        case(
            words,
            plain(RED),
            plain(BLUE),
            **dict.fromkeys(("shows", "view", "source", "source_hash", "command"), words),
        ),
        error=words,
        warnings=HOSTILE,
    )
