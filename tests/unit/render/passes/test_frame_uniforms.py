"""The bits of a march are the same here and in the shader."""

import re

import shaders
from render.passes.frame_uniforms import MarchEnd


def test_the_shader_counts_the_classes_alike() -> None:
    text = shaders.read("include/blocks.glsl")
    declared = re.search(r"const int (AIR = .*);", text)
    assert declared is not None
    theirs = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", declared.group(1))}
    assert theirs == {wanted.name: wanted.value for wanted in MarchEnd}
