"""Draw lists made by kernels equal plain ones: any cells, any eye, on borders and in symmetry, any look."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.visibility.frustum import Frustum
from render.camera import Camera
from render.mesh.quads import CUBE, GROUPS, MODEL, Group, pack
from render.passes.draw_list import CELL_SIZE, CellOrder, DrawList, nearest_first
from render.passes.frame_list import FrameList, Runs
from render.passes.near_quads import NONE, NearQuads, Shining, near_meshes, sort_near
from tests.support import draw_list_twin as plain

SEEDS = st.integers(0, 2**32 - 1)
AXES = st.one_of(st.integers(-6, 6).map(lambda step: step * 8.0), st.floats(-100.0, 100.0, width=32))
EYES = st.tuples(AXES, AXES, AXES)


def some_cells(rng: np.random.Generator, count: int = 60) -> np.ndarray:
    """Some cells around the origin, each once, in no order."""
    return rng.permutation(np.unique(rng.integers(-5, 5, (count, 3)).astype(np.int32), axis=0))


def some_meshes(rng: np.random.Generator, eye: tuple[float, float, float]) -> DrawList:
    """Meshes in their order, with gaps in the arena between them."""
    cells = some_cells(rng)
    cells = cells[nearest_first(cells, eye)]
    counts = rng.integers(0, 4, (len(cells), GROUPS)) * rng.integers(0, 2, (len(cells), GROUPS))
    return DrawList(cells, rng.permutation(len(cells)) * 640, counts.astype(np.int32), eye)


def pairs(runs: Runs) -> list[tuple[int, int]]:
    """Runs as first unit and quads."""
    return list(zip(runs[0].tolist(), runs[1].tolist(), strict=True))


def whole(meshes: DrawList) -> tuple[np.ndarray, ...]:
    """A draw list's arrays."""
    return meshes.cells, meshes.first_units, meshes.counts


def taken_by_turns(drawn: FrameList) -> list[tuple[tuple[int, int], str]]:
    """Translucent runs in the order in which steps draw them."""
    level, slopes = pairs(drawn.translucent), pairs(drawn.slopes)
    taken: list[tuple[tuple[int, int], str]] = []
    for first, count, slope, sloping in drawn.steps:
        taken += [(run, "level") for run in level[first : first + count]]
        taken += [(run, "slopes") for run in slopes[slope : slope + sloping]]
    return taken


@given(SEEDS, EYES)
def test_the_order_is_by_distance_then_by_position(seed: int, eye: tuple[float, float, float]) -> None:
    cells = some_cells(np.random.default_rng(seed), 200)
    assert np.array_equal(nearest_first(cells, eye), plain.nearest_first(cells, eye))
    assert not len(nearest_first(cells[:0], eye))


@given(SEEDS, EYES)
def test_a_look_draws_the_runs_of_what_it_shows(seed: int, eye: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(seed)
    meshes = some_meshes(rng, eye)
    rows = np.arange(len(meshes.cells))
    near = near_meshes(plain.mesh_table(meshes, rows), CellOrder.of(meshes.cells, rows, eye))
    assert near.tolist() == plain.near_meshes(meshes)
    shown = rng.random(len(meshes.cells)) < rng.random()
    eye_list = plain.eye_list(meshes, NearQuads(near, NONE.cubes, NONE.slopes, ()))
    drawn = eye_list.narrowed(shown)
    few = DrawList(meshes.cells[shown], meshes.first_units[shown], meshes.counts[shown], eye)
    assert (drawn.cells, drawn.quads) == (len(few.cells), int(few.counts.sum()))
    assert pairs(drawn.opaque) == plain.opaque(few)
    assert pairs(drawn.cutout) == [
        run for run in zip(*map(np.ndarray.tolist, few.group(Group.CUTOUT)), strict=True) if run[1]
    ]
    assert pairs(drawn.models) == [run for run in zip(*map(np.ndarray.tolist, few.models()), strict=True) if run[1]]
    assert all(np.array_equal(*part) for part in zip(whole(eye_list.drawn()), whole(few), strict=True))
    places = np.cumsum(shown) - 1
    assert taken_by_turns(drawn) == plain.blended(few, set(places[[mesh for mesh in near if shown[mesh]]].tolist()))
    assert sum(count for _, count, _, _ in drawn.steps) == len(drawn.translucent[0])
    assert all(step[3] for step in drawn.steps[:-1]), "no two steps that could be one"


@given(SEEDS, EYES, st.floats(-180.0, 180.0), st.floats(-90.0, 90.0))
def test_a_look_shows_what_its_frustum_does(
    seed: int, eye: tuple[float, float, float], yaw: float, pitch: float
) -> None:
    meshes = some_meshes(np.random.default_rng(seed), eye)
    planes = Camera(eye, yaw, pitch, 70.0, 1.6).planes()
    eye_list = plain.eye_list(meshes)
    drawn = eye_list.look(planes)
    assert np.array_equal(eye_list.shown, Frustum(planes).shows(meshes.cells * CELL_SIZE - np.array(eye), (16, 32, 16)))
    assert eye_list.look(planes) is drawn
    assert eye_list.narrowed(eye_list.shown.copy()) is drawn


@given(SEEDS, EYES)
def test_near_quads_are_drawn_in_the_plain_order(seed: int, eye: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(seed)
    cells = some_cells(rng, 8)
    cells = cells[nearest_first(cells, eye)]
    shining, unit = [], 0
    for _ in cells:
        cubes = rng.integers(0, 2**32, (rng.integers(0, 40), 2)).astype(np.uint32)
        cubes[:, 0] &= ~np.uint32(CUBE["face"].mask << CUBE["face"].shift)
        cubes |= pack(CUBE, len(cubes), face=rng.integers(0, 7, len(cubes)), width=1, height=1)
        slopes = rng.integers(0, 2**32, (rng.choice([0, 0, 1, 9, 30]), 6)).astype(np.uint32)
        shining.append(plain.PlainShining(cubes, int(rng.integers(0, len(cubes) + 1)), unit, slopes, unit + len(cubes)))
        unit += len(cubes) + 3 * len(slopes) + 64
    packed = [Shining.of(one.cubes, one.clear, one.first_cube, one.slopes, one.first_slope) for one in shining]
    for one, words in zip(packed, shining, strict=True):
        assert np.array_equal(one.cubes, plain.cube_middles(words.cubes))
        assert np.array_equal(one.slopes, plain.model_middles(words.slopes))
    quads = sort_near(np.arange(len(cells)), cells, packed, eye)
    drawn: list[tuple[int, str]] = []
    for first, count, slope, sloping in quads.steps:
        drawn += [(unit, "level") for unit in quads.cubes[first : first + count].tolist()]
        drawn += [(unit, "slopes") for unit in quads.slopes[slope : slope + sloping].tolist()]
    assert drawn == plain.near_quads(cells, shining, eye)
    assert all(step[3] for step in quads.steps[:-1])


def test_fields_of_models_lie_where_the_kernel_reads_them() -> None:
    sides = [MODEL[name] for name in ("ux", "uy", "uz", "vx", "vy", "vz")]
    assert [(field.word, field.bits) for field in sides] == [(1, 7)] * 3 + [(2, 7)] * 3
    assert [field.shift for field in sides[:3]] == [field.shift for field in sides[3:]]
