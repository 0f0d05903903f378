"""Shader text is composed without a device, and reports are led back to files.

Targets: What is drawn over a picture goes to a window of the picture's size, whatever size the window was opened with.
"""

from types import SimpleNamespace
from typing import Any, cast

import pytest

import shaders
from render.gpu.programs import map_report
from render.gpu.targets import Presenter
from render.mesh import vertex_format

# ---------------------------------------------------------------- shader text

STAGES = (
    "cube.vert",
    "model.vert",
    "blend.vert",
    "terrain.frag",
    "full_screen.vert",
    "sky.frag",
    "cracks.vert",
    "cracks.frag",
    "weather.vert",
    "weather.frag",
    "boxes.vert",
    "boxes.frag",
    "particles.vert",
    "particles.frag",
    "drift.frag",
    "falls.frag",
    "lines.vert",
    "lines.frag",
    "surface.frag",
    "volume_read.frag",
    "splash.vert",
    "splash.frag",
    "quad_cracks.frag",
)


@pytest.mark.parametrize("name", STAGES)
def test_every_line_knows_where_it_came_from(name: str) -> None:
    composed = shaders.compose(name, vertex_format.defines())
    lines = composed.text.splitlines()
    assert len(lines) == len(composed.origins)
    for text, (file, number) in zip(lines, composed.origins, strict=True):
        if file != "<defines>":
            assert shaders.read(file).splitlines()[number - 1] == text


def test_an_include_is_taken_once_and_version_and_defines_lead() -> None:
    composed = shaders.compose("terrain.frag", {"B": 2, "A": 1})
    assert composed.text.startswith("#version 330 core\n#define A 1\n#define B 2\n")
    assert composed.text.count("uniform Frame {") == 1


def test_the_order_of_a_brick_is_said_once() -> None:
    said = [name for name in STAGES for line in shaders.read(name).splitlines() if ".yzx" in line]
    assert said == []
    assert shaders.read("include/bricks.glsl").count(".yzx;") == 1


@pytest.mark.parametrize(
    "report",
    [
        "fragment_shader\n===============\n0:{line}(7): error: `x' undeclared",
        "fragment_shader\n===============\n0({line}) : error C1503: undefined variable",
        "fragment_shader\n===============\nERROR: 0:{line}: 'x' : undeclared identifier",
    ],
)
def test_reports_of_all_drivers_are_understood(report: str) -> None:
    composed = shaders.compose("sky.frag")
    line = next(i for i, text in enumerate(composed.text.splitlines(), 1) if "vec3 sky_base" in text)
    stages = {"vertex_shader": shaders.compose("full_screen.vert"), "fragment_shader": composed}
    messages = map_report(report.format(line=line), stages)
    assert [message.file for message in messages] == ["include/sky.glsl"]
    assert "sky_base" in shaders.read("include/sky.glsl").splitlines()[messages[0].line - 1]


def test_a_missing_shader_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"no_such\.frag"):
        shaders.compose("no_such.frag")


# ---------------------------------------------------------------- targets


def test_the_window_is_left_with_its_size_and_the_picture_lies_where_panels_leave_room() -> None:
    used: list[tuple[int, ...]] = []
    cleared: list[tuple[float, ...]] = []
    blits: list[tuple[object, ...]] = []
    screen = SimpleNamespace(viewport=(0, 0, 640, 400), glo=0, clear=lambda *colour: cleared.append(colour))
    screen.use = lambda: used.append(screen.viewport)
    copied = SimpleNamespace(glo=7)
    context = SimpleNamespace(screen=screen, framebuffer=lambda _: copied)
    target: Any = SimpleNamespace(colour=None, size=(800, 500))
    raw = SimpleNamespace(stretch_colour=lambda *what: blits.append(what))
    Presenter(cast(Any, SimpleNamespace(ctx=context, raw=raw)), target).present((0, 280), (1280, 800))
    assert used == [(0, 0, 1280, 800)]
    assert cleared == [(0.0, 0.0, 0.0, 1.0)], "what panels cover of it is black below them"
    assert blits == [(7, (800, 500), 0, (800, 500), (0, 280))]
    assert copied.label
