"""What stops bodies and drops: cubes wholly, models as high as they reach, liquids drops alone."""

import numpy as np
from msgspec.structs import replace

from render.mesh.vertex_format import MODEL, NO_FACE, pack
from render.passes.particles import STOP_MASK, STOPS_DROPS, WHOLE, stop_values
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import painted_mesh_tables, painted_table


def test_cubes_and_placeholders_stop_bodies_and_liquids_only_drops() -> None:
    values = stop_values(painted_mesh_tables(), painted_table().obstructs)
    assert [values[block] for block in (paint.LEAVES, paint.GLASS, paint.PLACEHOLDER, paint.STONE)] == [WHOLE] * 4
    assert values[paint.WATER] & STOP_MASK == 0
    assert values[paint.WATER] & STOPS_DROPS
    assert [values[block] for block in (paint.AIR, paint.FLOWER)] == [0, 0]


def test_models_stop_bodies_as_high_as_their_highest_corner() -> None:
    def quad(**edges: int) -> np.ndarray:
        return pack(MODEL, 1, face=NO_FACE, layer=0, block=0, **edges)

    slab = [quad(x=0, y=8, z=0, ux=16, vz=16), quad(x=0, y=0, z=0, ux=16, vy=8)]
    tables = painted_mesh_tables()
    everywhere = np.ones(len(paint.NAMES), np.bool_)
    for words, height in (
        (slab, 8),
        ([quad(x=0, y=14, z=0, ux=4, vy=12)], WHOLE),
        ([quad(x=0, y=0, ux=16, vz=16)], WHOLE),
    ):
        rows = tables.model_rows.copy()
        rows[paint.FLOWER] = 0, len(words)
        model = replace(tables, model_rows=rows, model_quads=np.concatenate(words).view(np.uint64).reshape(-1, 3))
        assert stop_values(model, everywhere)[paint.FLOWER] == height


def test_a_model_without_quads_that_bodies_do_not_pass_stops_them_wholly() -> None:
    tables = painted_mesh_tables()
    bare = replace(tables, model_rows=np.zeros_like(tables.model_rows))
    assert stop_values(bare, np.ones(len(paint.NAMES), np.bool_))[paint.FLOWER] == WHOLE
