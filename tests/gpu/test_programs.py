"""Shaders compile in every form that is drawn; a broken one names its file and line."""

import pytest

import shaders
from render.gpu import Gpu, ShaderError
from render.mesh import vertex_format
from render.passes.overlay import boxes

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("extra", [{}, {"CUTOUT": 1}, {"FLAT_LIGHT": 1}])
def test_terrain_programs_compile(gpu: Gpu, extra: dict[str, int]) -> None:
    defines = {**vertex_format.defines(), **extra}
    assert gpu.program("cube.vert", "terrain.frag", defines) is gpu.program("cube.vert", "terrain.frag", defines)
    gpu.program("model.vert", "terrain.frag", {**defines, "MODEL": 1})
    gpu.program("blend.vert", "terrain.frag", {**defines, "TRANSLUCENT": 1})


def test_sky_and_boxes_compile(gpu: Gpu) -> None:
    gpu.program("sky.vert", "sky.frag")
    gpu.program("boxes.vert", "boxes.frag", boxes.defines())


def test_a_broken_shader_names_file_and_line(gpu: Gpu) -> None:
    source = shaders.read("sky.frag").splitlines()
    line = next(number for number, text in enumerate(source, start=1) if "float halo" in text)
    with pytest.raises(ShaderError) as caught:
        gpu.program("sky.vert", "sky.frag", {"halo": "1 halo"})
    assert ("sky.frag", line) in [(message.file, message.line) for message in caught.value.messages]
    assert f"sky.frag:{line}:" in str(caught.value)


def test_a_broken_include_is_named_itself(gpu: Gpu) -> None:
    with pytest.raises(ShaderError) as caught:
        gpu.program("sky.vert", "sky.frag", {"band": "1 band"})
    assert caught.value.messages[0].file == "include/sky.glsl"
