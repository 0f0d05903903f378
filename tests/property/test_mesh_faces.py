"""Merging changes how many quads there are, never which faces show."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from render.mesh.mesh_kernels import WORST_CUBES
from render.mesh.mesher import MeshResult, Scratch, run
from render.mesh.vertex_format import CUBE_GROUPS, MODEL, Group, Words, read
from tests.support.reference.mesh import (
    CellTruth,
    Classes,
    Volume,
    batch_of,
    corner_number,
    cut_quads,
    face_key,
    looks_of,
    naive_faces,
    naive_models,
    naive_slopes,
    slopes_of,
)

CLASSES = Classes()


def random_volume(seed: int, share_of_air: float, coarse: int) -> Volume:
    """Noise, in cubes of ``coarse`` blocks, so that runs and steps occur; some sections uniform."""
    random = np.random.default_rng(seed)
    shape = [-(-n // coarse) for n in (48, 64, 48)]
    ids = random.integers(1, CLASSES.count, shape).astype(np.uint16)
    ids[random.random(shape) < share_of_air] = 0
    volume = ids.repeat(coarse, 0).repeat(coarse, 1).repeat(coarse, 2)[:48, :64, :48].copy()
    for _ in range(3):
        x, y, z = random.integers(0, (3, 4, 3)) * 16
        volume[x : x + 16, y : y + 16, z : z + 16] = random.choice(
            [0, CLASSES.placeholder, CLASSES.opaque, CLASSES.liquid]
        )
    return volume


def soaked(seed: int, share: float) -> Volume:
    """A second layer: water here and there, still or running, and things that are none."""
    random = np.random.default_rng(seed + 1)
    second = random.choice(np.array([7, 8, 1, 12], np.uint16), (48, 64, 48))
    second[random.random(second.shape) > share] = 0
    return second


def check(volume: Volume, result: MeshResult, mesh: int, second: Volume | None = None) -> None:
    cubes = result.cubes[result.cube_first[mesh] : result.cube_first[mesh + 1]]
    behind = int(result.model_first[mesh]) + int(result.counts[mesh, Group.MODEL])
    models = result.models[result.model_first[mesh] : behind]
    slopes = slopes_of(result.models[behind : result.model_first[mesh + 1]])
    assert len(slopes) == len(set(slopes)) == result.counts[mesh, Group.SLOPE], "a slope was drawn twice"
    assert set(slopes) == naive_slopes(volume, CLASSES, second)
    faces = cut_quads(cubes, CLASSES)
    assert len(faces) == len(set(faces)), "a face was drawn twice"
    assert set(faces) == naive_faces(volume, CLASSES, second)
    parts = [read(MODEL, models, name).tolist() for name in ("block_x", "block_y", "block_z", "face", "block")]
    assert set(zip(*parts, strict=True)) == naive_models(volume, CLASSES)
    assert len(models) == len(naive_models(volume, CLASSES))
    origin = [read(MODEL, models, name).tolist() for name in ("x", "y", "z")]
    assert origin == [[16 * n for n in part] for part in parts[:3]]


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32 - 1),
    share_of_air=st.sampled_from([0.02, 0.5, 0.95]),
    coarse=st.sampled_from([1, 2, 5, 16]),
)
def test_merged_quads_cut_into_faces_are_the_naive_faces(seed: int, share_of_air: float, coarse: int) -> None:
    volume = random_volume(seed, share_of_air, coarse)
    check(volume, run(batch_of([volume], CLASSES), Scratch()), 0)


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32 - 1),
    ids=st.sampled_from([[0, 11], [0, 7, 8], [0, 5], [10, 11, 12], [0, 3, 13], [7, 9], [0, 7, 8, 9, 5]]),
)
def test_worlds_of_two_or_three_blocks(seed: int, ids: list[int]) -> None:
    volume = np.random.default_rng(seed).choice(np.array(ids, np.uint16), (48, 64, 48))
    check(volume, run(batch_of([volume], CLASSES), Scratch()), 0)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.02, 0.5, 1.0]),
    ids=st.sampled_from([[0, 1], [1, 7], [1, 3, 5, 7, 8, 9], [0, 1, 9, 11], [1]]),
)
def test_water_of_the_second_layer_is_water_wherever_no_opaque_block_or_liquid_is(
    seed: int, share: float, ids: list[int]
) -> None:
    volume = np.random.default_rng(seed).choice(np.array(ids, np.uint16), (48, 64, 48))
    second = soaked(seed, share)
    check(volume, run(batch_of([volume], CLASSES, seconds=[second]), Scratch()), 0, second)


def test_a_fence_in_a_lake_leaves_no_hole_in_its_surface_and_no_wall_around_it() -> None:
    volume = np.full((48, 64, 48), CLASSES.opaque, np.uint16)
    volume[:, 20:25, :] = CLASSES.liquid
    volume[:, 25:, :] = 0
    second = np.zeros_like(volume)
    volume[24, 22:25, 24], second[24, 22:25, 24] = CLASSES.model, CLASSES.liquid
    result = run(batch_of([volume], CLASSES, seconds=[second]), Scratch())
    check(volume, result, 0, second)
    wet = [face for face in cut_quads(result.cubes, CLASSES) if face[0] == "liquid"]
    assert {face for _, _, _, _, face, _, _ in wet} == {5}
    assert len(wet) == 256


def test_lava_and_water_side_by_side_show_a_side_each_and_join_no_surface() -> None:
    volume = np.full((48, 64, 48), CLASSES.opaque, np.uint16)
    volume[:24, 24, :], volume[24:, 24, :] = CLASSES.liquid, CLASSES.lava
    volume[:, 25:, :] = 0
    result = run(batch_of([volume], CLASSES), Scratch())
    check(volume, result, 0)
    between = {(x, face, dense) for x, _, _, face, dense, _ in slopes_of(result.models) if face < 2}
    assert between == {(7, 1, CLASSES.liquid), (8, 0, CLASSES.lava)}


@pytest.mark.parametrize("coarse", [1, 2, 5])
def test_the_twin_of_whole_cells_is_that_of_single_faces(coarse: int) -> None:
    volume, second = random_volume(coarse, 0.3, coarse), soaked(coarse, 0.5)
    looks = looks_of(CLASSES)
    truth = CellTruth(volume, second, looks)
    faces = [face[1:] for face in naive_faces(volume, CLASSES, second)]
    assert truth.faces().tolist() == sorted(int(face_key(*face)) for face in faces)
    models = naive_models(volume, CLASSES)
    assert truth.models().tolist() == sorted(int(face_key(*model, 0)) for model in models)
    slopes = [
        [x, y, z, face, dense, *sorted(int(corner_number(*end)) for end in ends)]
        for x, y, z, face, dense, ends in naive_slopes(volume, CLASSES, second)
    ]
    assert truth.slopes().tolist() == sorted(slopes)
    assert len(faces) > 1000
    assert len(models) > 100
    assert len(slopes) > 100


def test_a_batch_that_outgrows_its_scratch_is_the_same_as_one_that_does_not() -> None:
    volumes = [random_volume(seed, 0.5, 1) for seed in range(5)]
    batch = batch_of(volumes, CLASSES)
    scratch = Scratch()
    scratch.models = scratch.models[:64].copy()
    scratch.cubes = scratch.cubes[: WORST_CUBES + 20_000]
    result = run(batch, scratch)
    assert len(result.models) > 1000
    assert result.counts[:, :CUBE_GROUPS].sum() > 2 * 20_000
    for mesh, volume in enumerate(volumes):
        check(volume, result, mesh)


def test_leaves_of_two_kinds_in_water_stay_within_the_room_that_every_mesh_has() -> None:
    odd = np.indices((48, 64, 48)).sum(axis=0) % 2
    leaves = np.where(odd, CLASSES.cutout, CLASSES.cutout + 1).astype(np.uint16)
    water = np.where(odd, CLASSES.liquid, 0).astype(np.uint16)
    alone = run(batch_of([leaves], CLASSES, seconds=[water]), Scratch())
    scratch = Scratch()
    room = np.zeros(3 * WORST_CUBES, np.uint64)
    scratch.cubes = room[: 2 * WORST_CUBES]
    batch = batch_of([leaves] * 4, CLASSES, seconds=[0 * water, 0 * water, water, water])
    result = run(batch, scratch)
    assert not room[2 * WORST_CUBES :].any(), "written behind the scratch"
    assert 6 * 8192 < len(alone.cubes) <= WORST_CUBES, "more quads than a cell has faces: those of water come on top"
    for mesh in (2, 3):
        assert np.array_equal(result.cubes[result.cube_first[mesh] : result.cube_first[mesh + 1]], alone.cubes)


def test_quads_stand_in_the_order_of_their_groups() -> None:
    volume = random_volume(3, 0.5, 2)
    result = run(batch_of([volume], CLASSES), Scratch())
    words = {"cutout": Group.CUTOUT, "translucent": Group.TRANSLUCENT, "liquid": Group.LIQUID}
    expected = np.repeat(np.arange(CUBE_GROUPS), result.counts[0, :CUBE_GROUPS])
    fields = [
        (name, face) for name, *_, face, _dense, _lowered in (cut_quads(q[None], CLASSES)[0] for q in result.cubes)
    ]
    assert [words.get(name, face) for name, face in fields] == expected.tolist()


@pytest.mark.parametrize("reverse", [False, True])
def test_results_stand_by_cell_whatever_the_order_of_the_batch(reverse: bool) -> None:
    batch = batch_of([random_volume(seed, 0.5, 5) for seed in range(3)], CLASSES)
    if reverse:
        batch = type(batch)(
            batch.cells[::-1].copy(),
            batch.slots[::-1].copy(),
            batch.layer1_slots[::-1].copy(),
            batch.revisions[::-1].copy(),
            batch.pools,
            batch.tables,
        )
    result = run(batch, Scratch())
    assert result.cells[:, 0].tolist() == [0, 1, 2]
    assert result.revisions.tolist() == [7, 8, 9]
    for mesh in range(3):
        check(random_volume(mesh, 0.5, 5), result, mesh)
        counts = result.counts[mesh]
        assert len(result.units(mesh)) == counts[:CUBE_GROUPS].sum() + 3 * counts[CUBE_GROUPS:].sum()


def pool(levels: dict[tuple[int, int], int]) -> Words:
    """The slopes over a floor of stone with liquids of these ids at x, z; all else is walled."""
    volume = np.full((48, 64, 48), CLASSES.opaque, np.uint16)
    volume[:, 25:, :] = 0
    volume[:, 24, :] = CLASSES.opaque
    for (x, z), dense in levels.items():
        volume[x + 16, 24, z + 16] = dense
    result = run(batch_of([volume], CLASSES), Scratch())
    check(volume, result, 0)
    assert not result.counts[0, Group.MODEL]
    return result.models


def test_the_picture_of_a_stream_runs_downhill() -> None:
    still, low = CLASSES.liquid, CLASSES.liquid + 1
    for (dx, dz), upstream in {
        (1, 0): (-16, 0), (-1, 0): (16, 0), (0, 1): (0, -16), (0, -1): (0, 16),
    }.items():  # fmt: skip
        models = pool({(8, 8): still, (8 + dx, 8 + dz): low})
        stream = [
            (vx, vz)
            for vx, vz, face, dense in zip(
                *(read(MODEL, models, name).tolist() for name in ("vx", "vz", "face", "block")), strict=True
            )
            if (face, dense) == (5, low)
        ]
        assert stream == [upstream], "V runs up the picture, so up the stream"


def test_flowing_liquid_shows_the_picture_of_a_side_and_still_liquid_its_own() -> None:
    models = pool({(8, 8): CLASSES.liquid, (9, 8): CLASSES.liquid + 1})
    top = read(MODEL, models, "face") == 5
    shown = (read(MODEL, models, "layer")[top] - 100) % 6
    assert dict(zip(read(MODEL, models, "block")[top].tolist(), shown.tolist(), strict=True)) == {7: 5, 8: 3}


def test_a_level_lake_has_no_slopes_and_one_quad() -> None:
    volume = np.full((48, 64, 48), CLASSES.opaque, np.uint16)
    volume[:, 24, :] = CLASSES.liquid
    volume[:, 25:, :] = 0
    result = run(batch_of([volume], CLASSES), Scratch())
    assert (result.counts[0, Group.LIQUID], result.counts[0, Group.SLOPE]) == (1, 0)
