"""The frame's constants lie where the shaders look for them."""

import re

import numpy as np
import pytest

import shaders
from render.gpu import Gpu
from render.passes.frame import FIELDS

pytestmark = pytest.mark.gpu

KINDS = {"mat4": ("<f4", (4, 4)), "vec4": ("<f4", (4,)), "ivec4": ("<i4", (4,))}


def test_names_kinds_and_order_are_those_of_the_shader() -> None:
    block = re.search(r"uniform Frame \{(.*?)\};", shaders.read("include/frame.glsl"), re.DOTALL)
    assert block is not None
    declared = re.findall(r"^\s*(\w+) (\w+);", block.group(1), re.MULTILINE)
    packed = [(name, FIELDS[name].base.str, FIELDS[name].shape) for name in FIELDS.names or ()]
    assert [(name, *KINDS[kind]) for kind, name in declared] == packed


def test_the_driver_sees_a_block_of_that_size(gpu: Gpu) -> None:
    assert gpu.program("sky.vert", "sky.frag")["Frame"].size == FIELDS.itemsize
    assert all(FIELDS.fields[name][1] % 16 == 0 for name in FIELDS.names or ())  # type: ignore[index]
    assert np.dtype(FIELDS).isalignedstruct is False
