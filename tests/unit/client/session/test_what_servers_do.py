"""Orders and repetitions that real servers were seen to send (ecosystem.md 2.4), and ids of their own."""

import numpy as np
import pytest

from client.world.lifecycle import SubChunkState
from net.bedrock import (
    CustomBlock,
    LevelChunk,
    PlayStatus,
    RequestChunkRadius,
    SetLocalPlayerAsInitialized,
    SubChunk,
    SubChunkEntry,
)
from net.errors import DecodeError
from net.palette import BlockState
from net.peer import Faulty
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from tests.support.session.driven import HERE, TAIL, Driven, asked, skeleton, start_game
from tests.support.session.virtual import palette

STONE = BlockState("minecraft:stone", (("stone_type", "granite"),))
BROKEN = Faulty(DecodeError("SubChunk", "entries[0].payload", 3, "is cut off"), 5)


def uniform(runtime_id: int) -> bytes:
    """A version 8 sub-chunk of one block."""
    signed = int(np.int32(np.uint32(runtime_id)))
    zigzag, out = (signed << 1 ^ signed >> 31) & 0xFFFFFFFF, bytearray(b"\x08\x01\x01")
    while zigzag > 127:
        out.append(zigzag & 127 | 128)
        zigzag >>= 7
    return bytes([*out, zigzag])


def whole(*runtime_ids: int) -> LevelChunk:
    return LevelChunk(HERE, 0, len(runtime_ids), None, None, b"".join(map(uniform, runtime_ids)) + TAIL)


def id_of(state: BlockState) -> int:
    found = palette(486).runtime_id_of(state)
    assert found is not None
    return found


def name_at(driven: Driven, y: int) -> str:
    return driven.session.dimension.store.block(BlockPos(1, y, 1)).name


def test_the_player_may_be_let_in_before_any_column() -> None:
    driven = Driven()
    driven.hear(start_game(runtime_id=9))
    assert SetLocalPlayerAsInitialized(9) in driven.hear(PlayStatus(3))
    assert asked(driven.hear(skeleton())) == {(0, y, 0) for y in range(-4, 4)}


def test_columns_that_come_before_the_radius_was_asked_are_kept() -> None:
    driven = Driven()
    said = driven.hear(start_game(), skeleton(), skeleton(ColumnPos(1, 0)))  # nothing was taken out in between
    assert RequestChunkRadius(3) in said
    assert set(driven.session.dimension.store.row_of) == {HERE, ColumnPos(1, 0)}
    assert (0, 3, 0) in asked(said)


def test_a_skeleton_that_comes_twice_is_asked_for_once_more_and_no_more() -> None:
    driven = Driven()
    driven.join()
    assert len(asked(driven.hear(skeleton(), skeleton(), skeleton()))) == 8
    assert driven.session.ledger.outstanding == 8
    driven.hear(SubChunk(False, 0, SubChunkPos(0, 0, 0), tuple(SubChunkEntry(0, y, 0, 6) for y in range(-4, 4))))
    assert driven.session.ledger.outstanding == 0
    assert driven.state(0, -4, 0) is SubChunkState.ALL_AIR


def test_a_whole_column_that_comes_twice_shows_the_second() -> None:
    driven = Driven()
    driven.join()
    driven.hear(whole(id_of(STONE)), whole(id_of(STONE)))
    assert name_at(driven, -64) == STONE.name
    driven.hear(whole(0, id_of(STONE)))
    assert name_at(driven, -64) == palette(486).states[0].name
    assert name_at(driven, -48) == STONE.name
    stats = driven.session.stats(driven.now)
    assert (stats.columns, stats.terrain.columns, stats.terrain.faults) == (1, 3, 0)


def test_packets_that_do_not_decode_may_stand_between_all_others() -> None:
    driven = Driven()
    answers = SubChunk(False, 0, SubChunkPos(0, 0, 0), (SubChunkEntry(0, -4, 0, 1, uniform(id_of(STONE))),))
    for message in (start_game(), skeleton(limit=0), PlayStatus(3), answers):
        driven.session.handle(BROKEN, driven.now)
        driven.hear(message)
    assert name_at(driven, -64) == STONE.name
    assert driven.session.stats(driven.now).faulty_packets == 4


# ------------------------------------------------------------ ids


@pytest.mark.parametrize("hashed", [False, True], ids=["by order", "by hash"])
def test_custom_blocks_take_part_in_the_ids_of_terrain(hashed: bool) -> None:
    own = BlockState("acme:anvil")
    blocks = (CustomBlock(own.name),)
    spoken = (palette(486).hashed() if hashed else palette(486)).with_custom(blocks)
    numbers = [spoken.runtime_id_of(state) for state in (own, STONE)]
    assert numbers[0] is not None
    assert numbers[1] is not None
    assert hashed or numbers[1] == id_of(STONE) + 1  # it is sorted in before
    driven = Driven()
    driven.join(custom_blocks=blocks, ids_are_hashes=hashed)
    driven.hear(whole(numbers[0], numbers[1]))
    assert (name_at(driven, -64), name_at(driven, -48)) == (own.name, STONE.name)
    assert driven.session.dimension.store.stats().appended_ids == 0


def test_unknown_ids_are_shown_as_unknown_blocks_and_counted() -> None:
    driven = Driven()
    driven.join()
    driven.hear(whole(60000, 60001, 60000, id_of(STONE)))
    first, second, again = (driven.session.dimension.store.block(BlockPos(1, y, 1)) for y in (-64, -48, -32))
    assert first.name == second.name == "minecraft:unknown"
    assert first.dense == again.dense != second.dense
    assert (first.runtime_id, second.runtime_id) == (60000, 60001)
    assert name_at(driven, -16) == STONE.name
    assert driven.session.dimension.store.stats().appended_ids == 2
