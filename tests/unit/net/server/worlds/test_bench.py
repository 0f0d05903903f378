"""The bench world is the one that every figure was measured on, in states that protocol 486 has."""

import hashlib

import numpy as np
import pytest

from net.palette import Palette
from net.server.worlds.bench import BenchWorld
from net.space.positions import ColumnPos
from tests.support.data.shared import form_of

BLOCKS_AT_SEED_1 = "9a3dd09cb9e3a6933d0718c30cf0a402b0ceef0bf9ec7a2ba3a2443407f65f7c"
LAYER1_AT_SEED_1 = "4b7f2772cc2fe75276cfe541e221df9797f5abff98f579e58e6f7afb3640f114"


@pytest.fixture(scope="module")
def world() -> BenchWorld:
    return BenchWorld()


def test_seed_1_gives_the_measured_blocks(world: BenchWorld) -> None:
    blocks, layer1 = world.layers()
    assert blocks.shape == layer1.shape == (272, 272, 384)
    assert hashlib.sha256(blocks.tobytes()).hexdigest() == BLOCKS_AT_SEED_1
    assert hashlib.sha256(layer1.tobytes()).hexdigest() == LAYER1_AT_SEED_1


def test_every_state_exists_at_486() -> None:
    states = BenchWorld().states
    assert len(states) == 64
    assert len(set(form_of(Palette.for_protocol(486), states).runtime_ids.tolist())) == 64


def test_a_column_is_cut_in_wire_order(world: BenchWorld) -> None:
    blocks, _ = world.layers()
    column = world.column(ColumnPos(-8, 3))
    x, z, y = 5, 9, 100
    expected = blocks[x, (3 + 8) * 16 + z, y]
    assert column.layer0.shape == (24, 4096)
    assert column.layer0[y >> 4, x << 8 | z << 4 | y & 15] == expected
    whole = column.layer0.reshape(24, 16, 16, 16).transpose(1, 2, 0, 3).reshape(16, 16, 384)
    assert np.array_equal(whole, blocks[:16, 176:192])


def test_there_is_nothing_outside(world: BenchWorld) -> None:
    for position in (ColumnPos(9, 0), ColumnPos(0, -9), ColumnPos(1000, 1000)):
        column = world.column(position)
        assert not column.layer0.any()
        assert column.layer1 is None


def test_players_stand_on_the_ground_in_the_middle(world: BenchWorld) -> None:
    x, y, z = world.spawn.feet
    column = world.column(ColumnPos(int(x) >> 4, int(z) >> 4))
    line = column.layer0.reshape(24, 16, 16, 16)[:, int(x) & 15, int(z) & 15].reshape(-1)
    assert line[int(y) + 63] != 0
    assert not line[int(y) + 64 :].any()
