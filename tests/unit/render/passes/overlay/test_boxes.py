"""Boxes: what shaders are told, which are in sight, and in which order they are blended.

State styles: States are told apart by shape, not by colour alone.
"""

import itertools
import re
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import shaders
from client.world.lifecycle import PLACEHOLDER_STATES, SubChunkState
from render.camera import Camera
from render.overlays.states import PAINTED
from render.passes.overlay.boxes import (
    AHEAD_BLOCKS,
    AHEAD_DEG,
    FIRST_BARE,
    RING_BIT,
    STYLES,
    UNLIT,
    Boxes,
    Hatch,
    Outline,
    Sighted,
    Style,
    defines,
    no_boxes,
    packed,
    share_used,
)
from tests.support.reference.overlay_marks import plain_grid

# ---------------------------------------------------------------- boxes

PAINTS = (*STYLES.values(), Style("filled", (1.0, 0.5, 0.0), Outline.HEAVY, Hatch.UPRIGHT, 0.25, 0.5))
CAMERA = Camera((8.0, 8.0, 8.0), 30.0, 20.0, 70.0, 1.5)


def some_boxes(seed: int = 2) -> Boxes:
    rng = np.random.default_rng(seed)
    lows = np.unique(rng.integers(-90, 90, (300, 3)), axis=0)
    sizes = rng.integers(1, 40, lows.shape)
    return Boxes.of(lows, rng.integers(0, len(PAINTS), len(lows)), PAINTS, sizes, rng.random(len(lows)))


def test_the_shader_unpacks_what_is_packed_and_knows_all_shapes_by_name() -> None:
    unpacking, painting = shaders.read("boxes.vert"), shaders.read("boxes.frag")
    for words in (
        "line = box.w & 255;",
        "hatch = box.w >> 8 & 255;",
        "fill = float(box.w >> 16 & 255) / 255.0;",
        f"ring = box.w >> {RING_BIT} & 1;",
        f"box.w >> ({FIRST_BARE} + face) & 1",
        "size = vec3(paint.y & 0xffff, paint.z & 0xffff, paint.y >> 16 & 0xffff);",
        "share = float(paint.z >> 16 & 255) / 255.0;",
    ):
        assert words in unpacking
    used = set(re.findall(r"\b(?:LINE|HATCH)_[A-Z]+", painting))
    assert used == set(defines()) - {"HATCH_NONE"}  # which paints nothing


def test_a_box_is_packed_as_the_shader_unpacks_it() -> None:
    boxes = Boxes.of([(-5, 70, 31)], len(PAINTS) - 1, PAINTS, (16, 300, 2), 0.5, True, 0b100001)
    x, y, z, look, tone, across, tall, _ = packed(boxes)[0].tolist()
    assert (x, y, z) == (-5, 70, 31)
    assert (look & 255, look >> 8 & 255, look >> 16 & 255) == (Outline.HEAVY, Hatch.UPRIGHT, 128)
    assert (look >> RING_BIT & 1, look >> FIRST_BARE & 63) == (1, 0b100001)
    assert [tone >> 8 * at & 255 for at in range(4)] == [255, 128, 0, 64]
    assert (across & 0xFFFF, across >> 16, tall & 0xFFFF, tall >> 16) == (16, 2, 300, 128)


def test_boxes_in_sight_stand_far_to_near_and_equal_ones_as_given() -> None:
    boxes = some_boxes()
    rows = Sighted(boxes).rows(CAMERA)
    assert (plain_grid(boxes) == 1).all()
    sizes = np.column_stack([rows[:, 5] & 0xFFFF, rows[:, 6] & 0xFFFF, rows[:, 5] >> 16])
    away = rows[:, :3] + sizes / 2 - np.array(CAMERA.eye_block) - 0.5
    sideways = (away[:, ::2] ** 2).sum(axis=1)
    assert 0 < len(rows) < len(boxes)
    assert (np.diff(sideways) <= 0).all()
    alike = replace(boxes, sizes=np.full_like(boxes.sizes, 16))
    begin = (np.floor(np.array(CAMERA.eye) / plain_grid(alike)) + 0.5) * plain_grid(alike)
    squares = ((Sighted(alike).rows(CAMERA)[:, :3] + 8 - begin) ** 2).sum(axis=1)
    assert (np.diff(squares) <= 0).all()
    twins = Boxes.of(np.repeat([(0, 0, 30), (5, 5, 60), (-5, 0, 60)], 2, axis=0), [0, 1] * 3, PAINTS)
    ahead = Sighted(twins).rows(Camera((0.0, 0.0, 0.0), 0.0, 0.0, 70.0, 1.0))
    tones = packed(twins)[:2, 4].tolist()
    pairs = [(a, b) for a, b in itertools.pairwise(ahead.tolist()) if a[:3] == b[:3]]
    assert len(pairs) == 3
    assert all([a[4], b[4]] == tones for a, b in pairs)


def test_where_sight_is_parallel_boxes_stand_far_to_near_along_it() -> None:
    turned = replace(CAMERA, ortho_blocks=64.0, near_blocks=-1024.0, far_blocks=1024.0)
    boxes = some_boxes()
    for camera in (turned, replace(turned, yaw_deg=-100.0)):
        sighted = Sighted(replace(boxes, sizes=np.full_like(boxes.sizes, 16)))
        sighted.rows(replace(camera, yaw_deg=77.0))
        rows = sighted.rows(camera)
        depths = (rows[:, :3] + 8) @ np.array(camera.forward)
        assert len(rows) > 20
        assert (np.diff(depths) <= 0.01).all()


def columns(rng: np.random.Generator) -> Boxes:
    """Columns from floor to roof as one box, among others of sub-chunks."""
    whole = rng.random((5, 5)) < 0.3
    lows = [(x * 16, y * 16, z * 16) for x, z in np.argwhere(~whole) for y in range(-4, 20)]
    tall = [(x * 16, -64, z * 16) for x, z in np.argwhere(whole)]
    return Boxes.of(
        np.array(lows + tall), 0, PAINTS, [(16, 16, 16)] * len(lows) + [(16, 384, 16)] * len(tall)
    )  # fmt: skip


@given(st.integers(0, 1 << 30), st.floats(-180, 180), st.floats(-90, 90), st.booleans())
def test_no_box_covers_one_that_is_nearer_whatever_their_heights(
    seed: int, yaw: float, pitch: float, parallel: bool
) -> None:
    rng = np.random.default_rng(seed)
    eye = rng.uniform((0, -64, 0), (80, 320, 80))
    camera = Camera((eye[0], eye[1], eye[2]), yaw, pitch, 70.0, 1.5)
    if parallel:
        camera = replace(camera, ortho_blocks=64.0, near_blocks=-1024.0, far_blocks=1024.0)
    rows = Sighted(columns(rng)).rows(camera)
    sizes = np.column_stack([rows[:, 5] & 0xFFFF, rows[:, 6] & 0xFFFF, rows[:, 5] >> 16])
    for _ in range(20):
        way = np.array(camera.forward) if parallel else np.array(camera.forward) + rng.uniform(-0.3, 0.3, 3)
        begin = eye + rng.uniform(-30, 30, 3) - way * 1000 if parallel else eye
        with np.errstate(divide="ignore", over="ignore"):
            sides = np.stack([(rows[:, :3] + 0.1 - begin) / way, (rows[:, :3] + sizes - 0.1 - begin) / way])
        enters, leaves = sides.min(axis=0).max(axis=1), sides.max(axis=0).min(axis=1)
        hit = (enters < leaves) & (enters > 0)
        assert (np.diff(enters[hit]) < 0).all()


@given(st.integers(0, 1000), st.floats(-180, 180), st.floats(-90, 90))
def test_no_box_with_a_corner_in_the_picture_is_left_out(seed: int, yaw: float, pitch: float) -> None:
    boxes, camera = some_boxes(seed), Camera((1.5, 2.5, -3.5), yaw, pitch, 70.0, 1.5)
    which = np.arange(8)[:, None] >> np.arange(3) & 1
    corners = boxes.lows[:, None] + boxes.sizes[:, None] * which - np.array(camera.eye)
    inside = (corners @ camera.planes()[:, :3].T + camera.planes()[:, 3] > 1e-9).all(axis=2).any(axis=1)
    drawn = set(map(tuple, Sighted(boxes).rows(camera)[:, :3].tolist()))
    assert set(map(tuple, boxes.lows[inside].tolist())) <= drawn


def test_what_was_sent_ahead_does_for_a_camera_that_turned_or_went_a_little() -> None:
    for used, camera in (
        (0.0, CAMERA),
        (1.0, replace(CAMERA, yaw_deg=CAMERA.yaw_deg - AHEAD_DEG)),
        (1.0, replace(CAMERA, yaw_deg=CAMERA.yaw_deg + 360.0 + AHEAD_DEG / 2, pitch_deg=20.0 - AHEAD_DEG / 2)),
        (0.5, replace(CAMERA, eye=(8.0, 8.0, 8.0 + AHEAD_BLOCKS / 2))),
        (inf, replace(CAMERA, fov_deg=71.0)),
        (inf, replace(CAMERA, aspect=1.6)),
        (inf, replace(CAMERA, yaw_deg=31.0, ortho_blocks=64.0)),
    ):
        assert share_used(camera, CAMERA) == pytest.approx(used)


def test_the_order_is_that_of_all_eyes_in_a_cell_of_the_boxes() -> None:
    tall = Boxes.of([(0, 32, 48), (-16, 64, 16)], 0, PAINTS, (16, 32, 16))
    sighted = Sighted(tall)
    sighted.rows(replace(CAMERA, eye=(0.5, 33.0, -0.5)))
    assert sighted.in_order_for(replace(CAMERA, eye=(15.5, 63.5, -15.5)))
    for eye in ((-0.5, 33.0, -0.5), (0.5, 31.5, -0.5), (0.5, 33.0, 0.5)):
        assert not sighted.in_order_for(replace(CAMERA, eye=eye))


def test_no_boxes_are_none() -> None:
    assert len(no_boxes()) == 0
    assert packed(no_boxes()).shape == (0, 8)


# ---------------------------------------------------------------- state styles


def test_every_state_but_outside_has_a_style_of_its_own_shape() -> None:
    assert set(STYLES) == set(SubChunkState) - {SubChunkState.OUTSIDE}
    shapes = [(style.line, style.hatch) for style in PAINTED]
    assert len(set(shapes)) == len(shapes)
    assert len({style.colour for style in STYLES.values()}) == len(STYLES)


def test_what_is_not_lit_stands_out_from_black_and_from_received() -> None:
    assert max(UNLIT.colour) == 1.0
    assert UNLIT.line is Outline.HEAVY
    assert max(abs(a - b) for a, b in zip(UNLIT.colour, STYLES[SubChunkState.DATA].colour, strict=True)) > 0.3


def test_placeholders_are_hatched_and_air_and_data_are_not() -> None:
    assert all(STYLES[state].hatch is not Hatch.NONE for state in PLACEHOLDER_STATES)
    for state in (SubChunkState.KNOWN_AIR, SubChunkState.ALL_AIR, SubChunkState.DATA):
        assert STYLES[state].hatch is Hatch.NONE
    assert STYLES[SubChunkState.ALL_AIR].line is Outline.DOTTED
