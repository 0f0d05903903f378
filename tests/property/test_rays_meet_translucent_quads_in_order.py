"""What a ray meets first is drawn last: any glass, panes and liquids, any eye, near or far, merged or not."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.world.block_table import BlockTable
from net.palette import Palette
from render.materials.materials import Materials
from render.mesh.mesher import AppearanceTables, Scratch, appearance_tables, run
from render.mesh.vertex_format import Group
from tests.support.data.shared import StateValue
from tests.support.reference.mesh import Classes, Volume, batch_of
from tests.support.reference.rays import Quads, drawn_places, out_of_order, stopped_at

NAMES: tuple[tuple[str, dict[str, StateValue]], ...] = (
    ("stained_glass", {"color": "red"}), ("stained_glass", {"color": "blue"}), ("glass", {}), ("ice", {}),
    ("slime", {}), ("water", {"liquid_depth": 0}), ("flowing_water", {"liquid_depth": 3}),
    ("lava", {"liquid_depth": 0}), ("stained_glass_pane", {"color": "red"}),
    ("stained_glass_pane", {"color": "lime"}), ("stone", {}),
)  # fmt: skip
SHAPES = ("noise", "boxes", "lake", "rooms")
SEEDS = st.integers(0, 2**32 - 1)


def ids_of(table: BlockTable) -> list[int]:
    """Dense ids of ``NAMES``."""
    return [
        next(
            dense
            for dense, state in enumerate(table.states)
            if state.name == f"minecraft:{name}" and states.items() <= dict(state.states).items()
        )
        for name, states in NAMES
    ]


def volume_of(rng: np.random.Generator, shape: str, ids: list[int]) -> Volume:
    """Some blocks in a mesh and around it, few kinds or many."""
    kinds = rng.choice(ids, rng.integers(1, len(ids) + 1), replace=False)
    volume = np.zeros((48, 64, 48), np.uint16)
    if shape == "noise":
        volume = rng.choice(kinds, volume.shape).astype(np.uint16)
        volume[rng.random(volume.shape) < rng.random()] = 0
    elif shape == "lake":
        volume[:, : rng.integers(18, 46)] = rng.choice(ids)
    for _ in range(0 if shape == "noise" else rng.integers(1, 40)):
        low = rng.integers((8, 8, 8), (36, 52, 36))
        high = low + rng.integers(1, (14, 20, 14))
        box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
        volume[box] = rng.choice(kinds)
        if shape == "rooms":
            volume[tuple(slice(a + 1, b - 1) for a, b in zip(low, high, strict=True))] = 0
    return volume


class Blocks(msgspec.Struct, frozen=True):
    """What meshes are made with: ids of ``NAMES``, their looks and classes."""

    ids: list[int]
    looks: AppearanceTables
    classes: Classes


@pytest.fixture(scope="module")
def blocks() -> Blocks:
    table = BlockTable.build(Palette.for_protocol(486))
    looks, first, ids = appearance_tables(Materials.build(table), table), table.first, ids_of(table)
    bounds = first.model, first.cutout, first.translucent, first.liquid, first.placeholder, first.opaque
    return Blocks(ids, looks, Classes(*bounds, len(looks.faces), ids[7]))


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, shape=st.sampled_from(SHAPES))
def test_what_a_ray_meets_first_is_drawn_last(seed: int, shape: str, blocks: Blocks) -> None:
    rng = np.random.default_rng(seed)
    volume = volume_of(rng, shape, blocks.ids)
    result = run(batch_of([volume], blocks.classes, blocks.looks), Scratch())
    counts = result.counts[0]
    cubes, models = result.cubes[counts[: Group.TRANSLUCENT].sum() :], result.models[counts[Group.MODEL] :]
    quads, opaque = Quads.of(cubes, models), volume[16:32, 16:48, 16:32] >= blocks.classes.opaque
    for _ in range(4):
        eye = rng.uniform((-30, -30, -30), (46, 62, 46)) if rng.random() < 0.7 else rng.uniform(0, (16, 32, 16))
        block = np.floor(eye).astype(int)
        if ((block >= 0) & (block < opaque.shape)).all() and opaque[tuple(block)]:
            continue
        places = drawn_places(cubes, models, (eye[0], eye[1], eye[2]))
        for ray in rng.uniform(0, (16, 32, 16), (40, 3)) - eye:
            wrong = out_of_order(quads.met(eye, ray), places, stopped_at(opaque, eye, ray))
            assert not wrong, [quads.corners[list(pair)].tolist() for pair in wrong]
