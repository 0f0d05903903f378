import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from client.player import Eye, View
from render.capture.channels import NO_BLOCK, NO_CELL, Shot, ShotPalette
from render.scene_tests.compact import compacted, packed, unpacked

SIZE = (7, 5)
STATES = 40


@st.composite
def shots(draw: st.DrawFn) -> Shot:
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = SIZE[::-1]
    eye = Eye(*(draw(st.floats(-3e7, 3e7)) for _ in range(3)))
    nothing = chance.random(shape) < 0.3
    block = np.where(nothing, NO_BLOCK, chance.integers(0, STATES, shape)).astype(np.uint32)
    mirror = block if draw(st.booleans()) else np.where(nothing, NO_BLOCK, 3).astype(np.uint32)
    near = chance.integers(-2000, 2000, (*shape, 3)) + np.floor(np.array(eye)).astype(np.int64)
    palette = ShotPalette(
        np.array([f"minecraft:{number}" for number in range(STATES)]),
        np.array(["{}"] * STATES),
        np.arange(STATES, dtype=np.uint32),
        np.arange(STATES, dtype=np.uint32),
    )
    return Shot(
        View(eye, 10.0, -20.0, 70.0),
        SIZE,
        palette,
        depth=np.where(nothing, np.inf, chance.random(shape) * 900).astype(np.float32),
        block=block,
        face=chance.integers(0, 7, shape).astype(np.uint8),
        light=chance.integers(0, 1 << 16, shape).astype(np.uint16),
        state=chance.integers(0, 10, shape).astype(np.uint8),
        cell=np.where(nothing[..., None], NO_CELL, near).astype(np.int32),
        mirror=mirror,
    )


def names(shot: Shot, channel: str) -> np.ndarray:
    assert shot.palette is not None
    rows = getattr(shot, channel)
    return np.where(rows == NO_BLOCK, "", shot.palette.names[np.where(rows == NO_BLOCK, 0, rows)])


@given(shots())
def test_a_packed_shot_comes_back_but_for_the_last_bits_of_depths(shot: Shot) -> None:
    back = unpacked(packed(shot))
    assert back.view == shot.view
    assert back.size_px == shot.size_px
    for name in ("face", "light", "state", "cell"):
        np.testing.assert_array_equal(getattr(back, name), getattr(shot, name))
    for name in ("block", "mirror"):
        np.testing.assert_array_equal(names(back, name), names(shot, name))
    np.testing.assert_allclose(back.depth, shot.depth, rtol=1 / 1024, atol=1e-6)


@given(shots())
def test_a_compacted_shot_shows_the_same_states_with_no_others_in_its_palette(shot: Shot) -> None:
    small = compacted(shot)
    assert small.palette is not None
    for name in ("block", "mirror"):
        np.testing.assert_array_equal(names(small, name), names(shot, name))
    shown = {name for channel in ("block", "mirror") for name in names(shot, channel).ravel() if name}
    assert set(small.palette.names.tolist()) == shown


@given(shots())
def test_channels_that_were_not_taken_stay_away(shot: Shot) -> None:
    one = replace(shot, palette=None, block=None, mirror=None, depth=None, cell=None)
    assert set(unpacked(packed(one)).arrays) == {"face", "light", "state"}


def test_something_else_is_no_shot() -> None:
    with pytest.raises(ValueError, match="no shot"):
        unpacked({"size": np.array([1, 2])})
    with pytest.raises(ValueError, match="not 2 x 1"):
        unpacked({"size": np.array([1, 2]), "view": np.zeros(6), "face": np.zeros((3, 3), np.uint8)})
