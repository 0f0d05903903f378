"""The Nether and the End beside the hills: what stands in them, and where players start.

Generation: Generation is deterministic and idempotent across processes (seed 003), whatever is asked first and how
often.

Bench: The bench world is the one that every figure was measured on, in states that protocol 486 has.
"""

import hashlib
import json
import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from net.palette import Palette
from net.releases import ProtocolRange
from net.server.host import Host
from net.server.host_options import HostOptions
from net.server.worlds import ServerWorld, open_worlds
from net.server.worlds.bench import BenchWorld
from net.space import BlockPos, ColumnPos
from tests.support.data.shared import form_of
from tests.support.session.plain_client import UNIX_TIME, entropy
from tests.support.worlds.server import PLACES, hash_of

# ---------------------------------------------------------------- generation

# ---------------------------------------------------------------- generated dimensions


@pytest.fixture(scope="module")
def worlds() -> tuple[ServerWorld, ...]:
    return open_worlds("hills:3")


def name_at(world: ServerWorld, position: BlockPos) -> str:
    index = (position.y >> 4) - world.dimension.floor_section
    return world.states[int(world.column(position.column).layer0[index, position.in_subchunk])].name[
        len("minecraft:") :
    ]


def test_the_hills_have_a_nether_and_an_end_and_other_worlds_have_not(worlds: tuple[ServerWorld, ...]) -> None:
    assert [world.dimension.name for world in worlds] == ["overworld", "nether", "end"]
    assert {world.name for world in worlds} == {"hills:3"}
    assert [len(open_worlds(name)) for name in ("flat", "bench:2")] == [1, 1]


def test_every_state_exists_at_486_and_today(worlds: tuple[ServerWorld, ...]) -> None:
    for world in worlds:
        assert len(form_of(Palette.for_protocol(486), world.states).runtime_ids) == len(world.states)
    first, *others = worlds
    host = Host(first, HostOptions(), ProtocolRange(), 0.0, UNIX_TIME, entropy("server"), beside=others)
    assert host.dimensions.unknown_states == []


@pytest.mark.parametrize("number", [1, 2])
def test_who_starts_there_stands_on_something_and_in_nothing(worlds: tuple[ServerWorld, ...], number: int) -> None:
    for world in (worlds[number], open_worlds("hills:77")[number]):
        feet = BlockPos.containing(*world.spawn.feet)
        assert name_at(world, feet._replace(y=feet.y - 1)) != "air"
        assert {name_at(world, feet._replace(y=feet.y + dy)) for dy in (0, 1)} == {"air"}


def test_the_nether_lies_between_two_layers_of_bedrock_over_a_sea_of_lava(worlds: tuple[ServerWorld, ...]) -> None:
    blocks = np.stack([worlds[1].column(ColumnPos(x, z)).layer0 for x in range(-3, 3) for z in range(-3, 3)])
    names = [state.name[len("minecraft:") :] for state in worlds[1].states]
    tall = blocks.reshape(-1, 8, 256, 16).transpose(0, 2, 1, 3).reshape(-1, 128)
    for y in (0, 127):
        assert {names[number] for number in np.unique(tall[:, y])} == {"bedrock"}
    assert {"lava", "netherrack"} <= {names[number] for number in np.unique(tall[:, 31])}
    assert not (tall[:, :32] == names.index("air")).any()
    assert not (tall[:, 32:] == names.index("lava")).any()
    hangs = np.argwhere(tall == names.index("glowstone"))
    above = tall[tuple((hangs + np.array([0, 1])).T)]
    lamps = hangs[:, 1] == 39
    assert {names[number] for number in np.unique(above[~lamps])} <= {
        "netherrack",
        "quartz_ore",
        "glowstone",
        "bedrock",
    }
    assert lamps.sum() == 4


def test_the_end_is_one_island_and_nothing_far_around_it(worlds: tuple[ServerWorld, ...]) -> None:
    end = worlds[2]
    filled = {at: bool(end.column(ColumnPos(at, 0)).layer0.any()) for at in range(-14, 15)}
    assert all(filled[at] for at in range(-3, 4))
    assert not any(filled[at] for at in (*range(-14, -8), *range(8, 15)))
    far = [end.column(ColumnPos(at, 40)).layer0.any() for at in range(-60, 60)]
    assert 5 < sum(far) < 115


@pytest.mark.parametrize("number", [1, 2])
def test_seeds_differ(worlds: tuple[ServerWorld, ...], number: int) -> None:
    other = open_worlds("hills:4")[number]
    places = [ColumnPos(30, z) for z in range(40)]
    assert any((other.column(at).layer0 != worlds[number].column(at).layer0).any() for at in places)


# ---------------------------------------------------------------- generation


@cache
def of_process(world: str, order: str, hash_seed: int, *again: str) -> dict[str, str]:
    """What a process of its own makes; its sets and dicts are in another order. Asked once."""
    command = [sys.executable, "-m", "tests.support.worlds.server", world, order, *again]
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    "world", ["hills:1", *(pytest.param(f"hills:77{at}", marks=pytest.mark.nightly) for at in ("", "/1", "/2"))]
)
def test_processes_that_ask_in_different_orders_make_the_same_blocks(world: str) -> None:
    rings, backwards = of_process(world, "rings", 1), of_process(world, "backwards", 2, "twice")
    assert len(rings) == len(PLACES)
    assert len(set(rings.values())) > len(PLACES) // 3  # they are not all alike, so equality says something
    assert rings == backwards == of_process(world, "shuffled", 3)


def test_one_column_alone_is_what_it_is_among_others() -> None:
    among = of_process("hills:1", "rings", 1)
    for x, z in ((-6, 5), (0, 0), (3, -4), (203, -297)):
        assert hash_of(open_worlds("hills:1")[0], ColumnPos(x, z)) == among[f"{x} {z}"]


# ---------------------------------------------------------------- bench

BLOCKS_AT_SEED_1 = "9a3dd09cb9e3a6933d0718c30cf0a402b0ceef0bf9ec7a2ba3a2443407f65f7c"
LAYER1_AT_SEED_1 = "4b7f2772cc2fe75276cfe541e221df9797f5abff98f579e58e6f7afb3640f114"


@pytest.fixture(scope="module")
def world_bench() -> BenchWorld:
    return BenchWorld()


def test_seed_1_gives_the_measured_blocks(world_bench: BenchWorld) -> None:
    blocks, layer1 = world_bench.layers()
    assert blocks.shape == layer1.shape == (272, 272, 384)
    assert hashlib.sha256(blocks.tobytes()).hexdigest() == BLOCKS_AT_SEED_1
    assert hashlib.sha256(layer1.tobytes()).hexdigest() == LAYER1_AT_SEED_1


def test_every_state_exists_at_486() -> None:
    states = BenchWorld().states
    assert len(states) == 64
    assert len(set(form_of(Palette.for_protocol(486), states).runtime_ids.tolist())) == 64


def test_a_column_is_cut_in_wire_order(world_bench: BenchWorld) -> None:
    blocks, _ = world_bench.layers()
    column = world_bench.column(ColumnPos(-8, 3))
    x, z, y = 5, 9, 100
    expected = blocks[x, (3 + 8) * 16 + z, y]
    assert column.layer0.shape == (24, 4096)
    assert column.layer0[y >> 4, x << 8 | z << 4 | y & 15] == expected
    whole = column.layer0.reshape(24, 16, 16, 16).transpose(1, 2, 0, 3).reshape(16, 16, 384)
    assert np.array_equal(whole, blocks[:16, 176:192])


def test_there_is_nothing_outside(world_bench: BenchWorld) -> None:
    for position in (ColumnPos(9, 0), ColumnPos(0, -9), ColumnPos(1000, 1000)):
        column = world_bench.column(position)
        assert not column.layer0.any()
        assert column.layer1 is None


def test_players_stand_on_the_ground_in_the_middle(world_bench: BenchWorld) -> None:
    x, y, z = world_bench.spawn.feet
    column = world_bench.column(ColumnPos(int(x) >> 4, int(z) >> 4))
    line = column.layer0.reshape(24, 16, 16, 16)[:, int(x) & 15, int(z) & 15].reshape(-1)
    assert line[int(y) + 63] != 0
    assert not line[int(y) + 64 :].any()
