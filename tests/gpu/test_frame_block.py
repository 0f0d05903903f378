"""The frame's constants lie where the shaders look for them."""

import re

import numpy as np
import pytest
from msgspec.structs import replace

import shaders
from client.session.weather import Weather
from render.camera import Camera
from render.gpu import Gpu
from render.passes.atmosphere import WATER, atmosphere_at
from render.passes.frame_uniforms import FIELDS, FrameSettings, Volume, pack

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
    assert all(FIELDS.fields[name][1] % 16 == 0 for name in FIELDS.names or ())
    assert np.dtype(FIELDS).isalignedstruct is False


def test_what_is_packed_lies_in_the_field_it_is_meant_for() -> None:
    camera = Camera((-3.25, 64.75, 20.5), 33.0, 12.0, 70.0, 1.75)
    air = atmosphere_at(13000, True, weather=Weather(0.5, 0.25))
    loaded = (-96.0, -80.0, 96.0, 112.0)
    medium = replace(WATER, surface_y_blocks=70.5)
    volume = Volume(-64, 320, 0xF000, 7, 90.0, 140.0, 30.0, loaded, (31, 15, 63), (1, 2, 3), 511, medium)
    look = FrameSettings(seconds=3603.5, gamma=2.0, weather=Weather(0.5, 0.25))
    record = np.frombuffer(pack(camera, air, volume, look, 240), FIELDS)[0]
    assert np.array_equal(record["view_projection"], camera.view_projection())
    expected = {
        "eye_block": (-4, 64, 20, 0),
        "eye_fraction": (0.75, 0.75, 0.5, 0.0),
        "ray_forward": (*camera.rays[0], camera.far_blocks),
        "ray_right": (*camera.rays[1], camera.near_blocks),
        "ray_up": (*camera.rays[2], 2 * np.tan(np.radians(35.0)) / 240),
        "sun": (*air.sun, air.day),
        "zenith": (*air.zenith, air.stars),
        "horizon": (*air.horizon, 1.0),
        "glow": (*air.glow, air.glow_strength),
        "daylight": (*air.daylight, air.drown),
        "fog": (90.0, 140.0, air.haze_per_block, 30.0),
        "loaded": (-92.0, -100.0, 100.0, 92.0),
        "bounds": (-64, 320, 0xF000, 7),
        "light_mask": (31, 15, 63, 511),
        "block_mask": (1, 2, 3, 0),
        "weather": (0.5, 0.25, 3.5, 0.5),
        "moon": (1.0, 0.0, air.clear, 6.5),
        "medium": (*WATER.colour, WATER.density_per_block),
        "least_light": (*air.least_light, 0.0),
    }
    assert set(expected) | {"view_projection"} == set(FIELDS.names or ())
    for name, values in expected.items():
        assert record[name].tolist() == pytest.approx(list(values), rel=1e-6, abs=1e-7), name
