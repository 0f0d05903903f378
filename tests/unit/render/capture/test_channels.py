"""Rows of a palette mean the same whatever a session met first."""

import numpy as np
import pytest

from client.world.block_table import BlockTable
from net.palette import Palette as WirePalette
from render.capture.channels import NO_RUNTIME_ID, ShotPalette


@pytest.fixture
def wire() -> WirePalette:
    return WirePalette.for_protocol(486)


def test_a_row_by_order_is_the_runtime_id(wire: WirePalette) -> None:
    table = BlockTable.build(wire)
    palette = ShotPalette.of(table)
    known = palette.runtime_ids[: len(wire)]
    assert (known == np.arange(len(wire))).all()
    assert palette.names[7] == wire.states[7].name
    assert (palette.runtime_ids[palette.row_of_dense] == table.runtime_ids[: len(table)] & 0xFFFFFFFF).all()


def test_unknown_ids_have_the_same_rows_whichever_came_first(wire: WirePalette) -> None:
    rows = []
    for order in ((90_001, 90_007), (90_007, 90_001)):
        table = BlockTable.build(wire)
        dense = {runtime_id: table.dense_of_id(runtime_id) for runtime_id in order}
        palette = ShotPalette.of(table)
        rows.append({runtime_id: int(palette.row_of_dense[dense[runtime_id]]) for runtime_id in order})
        assert palette.runtime_ids[rows[-1][90_007]] == 90_007
    assert rows[0] == rows[1]
    assert rows[0][90_001] == len(palette.names) - 2


def test_hashed_rows_ascend_and_a_state_without_an_id_says_so(wire: WirePalette) -> None:
    table = BlockTable.build(wire.hashed())
    palette = ShotPalette.of(table)
    ids = palette.runtime_ids[palette.runtime_ids != NO_RUNTIME_ID].astype(np.int64)
    assert (np.diff(ids) > 0).all()
    assert len(palette.names) == len(table)
