"""Announcements, answers, edits, decisions, drains in any order: the store knows what a dictionary would."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.errors import WorldError
from client.world.changes import ChangeKind
from client.world.history import KEPT, NO_PACKET
from client.world.lifecycle import PLACEHOLDER_STATES, SubChunkState
from net.arrays import Places
from net.space import BlockPos, ColumnPos, SubChunkPos
from tests.support.reference import subchunk as twin
from tests.support.reference.store import Layers, Model, Position, air
from tests.support.worlds import store as w
from tests.support.worlds.store import SEVEN, StoreWorld, mixed

columns = st.tuples(st.integers(-1, 1), st.integers(-1, 0))
sections = st.integers(-2, 4)
decisions = st.sampled_from(
    [SubChunkState.UNKNOWN, SubChunkState.WANTED, SubChunkState.REQUESTED, SubChunkState.EVICTED]
)
actions = st.one_of(
    st.tuples(st.just("announce"), columns, st.one_of(st.none(), st.integers(0, 8))),
    st.tuples(st.just("answer"), columns, st.lists(st.tuples(sections, st.integers(0, 7)), max_size=6)),
    st.tuples(st.just("fill"), columns, st.integers(0, 9)),
    st.tuples(st.just("edit"), columns, st.tuples(sections, st.integers(0, 3), st.integers(0, 1))),
    st.tuples(st.just("mark"), columns, st.tuples(sections, decisions)),
    st.tuples(st.just("give up"), columns, sections),
    st.tuples(st.just("forget"), columns, st.none()),
    st.tuples(st.just("drain"), columns, st.none()),
    st.tuples(st.just("packet"), columns, st.none()),
)
Action = tuple[str, tuple[int, int], Any]  # Any: each action takes its own detail

CONTENTS: tuple[Layers, ...] = (
    [mixed(w.STONE, w.DIRT, w.LEAVES, seed=1), np.zeros(4096, np.uint16)],
    [mixed(w.SEAGRASS, w.WATER, w.LAVA, seed=2), mixed(w.AIR, w.WATER, seed=3)],
    [np.full(4096, w.GLASS, np.uint16), np.zeros(4096, np.uint16)],
    [mixed(w.AIR, w.TORCH, seed=4), np.zeros(4096, np.uint16)],
)
CELLS = (0, 4095, 77, 78)
"""Few, so that changes meet each other."""


def play(world: StoreWorld, model: Model, action: Action, step: int) -> None:
    name, (x, z), detail = action
    match name:
        case "announce":
            world.announce(x, z, detail)
            model.announce(x, z, detail, world.now)
        case "answer":
            answer(world, model, x, z, detail)
        case "fill":
            fill(world, model, x, z, detail, step)
        case "edit":
            edit(world, model, x, z, *detail, step)
        case "mark":
            mark(world, model, (x, detail[0], z), detail[1])
        case "give up":
            code = (0, 2)[step % 2]
            world.store.refuse(places_of(world, (x, detail, z)), np.array([code], np.uint8), world.tick())
            model.give_up((x, detail, z), code, world.now)
        case "forget":
            world.store.forget(ColumnPos(x, z))
            model.forget(x, z)
        case "packet":
            begin_packet(world, model, step)
        case _:
            world.store.finish_drain()
            model.packet = NO_PACKET
            world.pools.reclaim(world.pools.epoch)


def begin_packet(world: StoreWorld, model: Model, number: int) -> None:
    world.store.begin_packet(number, world.tick())
    model.packet = number


def places_of(world: StoreWorld, position: Position) -> Places:
    return world.store.places_of(np.array([position], np.int32))


def answer(world: StoreWorld, model: Model, x: int, z: int, entries: list[tuple[int, int]]) -> None:
    """Kinds 0..3: a content; 4: all air; 5: broken bytes; 6: code 5; 7: code 2."""
    sent, told = [], []
    for y, kind in entries:
        result = (1, 1, 1, 1, 6, 1, 5, 2)[kind]
        sent.append(((x, y, z), result, payload(world, kind, y)))
        blocks = [layer.copy() for layer in CONTENTS[kind]] if kind < 4 else air() if kind == 4 else None
        told.append(((x, y, z), result, blocks))
    report = world.answer(*sent)
    assert len(report.faults) == model.answer(told, world.now)


def payload(world: StoreWorld, kind: int, section: int) -> bytes:
    if kind < 4:
        return world.payload(*CONTENTS[kind], section)
    return b"\x09\x01\x00\x0f" if kind == 5 else b""


def fill(world: StoreWorld, model: Model, x: int, z: int, count: int, step: int) -> None:
    chosen = [(step + index) % len(CONTENTS) for index in range(count)]
    data = b"".join(payload(world, kind, 0) for kind in chosen)
    assert world.store.fill(ColumnPos(x, z), data + b"\x01\x04\x00", count, world.tick()).faults == ()
    model.fill(x, z, [CONTENTS[kind] for kind in chosen], world.now)


def edit(world: StoreWorld, model: Model, x: int, z: int, y: int, which: int, layer: int, step: int) -> None:
    begin_packet(world, model, step)  # a change has no time of its own, it is its packet's
    block, cell = (w.TORCH, w.STONE, w.AIR)[step % 3], CELLS[which]
    origin = SubChunkPos(x, y, z).origin
    at = BlockPos(origin.x + (cell >> 8), origin.y + (cell & 15), origin.z + (cell >> 4 & 15))
    place = model.places.get((x, y, z))
    expected = place is not None and place.edit(layer, cell, block, world.now, model.packet)
    assert world.store.update_block(at, layer, block) == expected


def mark(world: StoreWorld, model: Model, position: Position, wanted: SubChunkState) -> None:
    world.tick()
    if position not in model.places:
        return
    if model.mark(position, wanted, world.now):
        world.store.mark(places_of(world, position), wanted, world.now)
    else:
        with pytest.raises(WorldError):
            world.store.mark(places_of(world, position), wanted, world.now)


def check(world: StoreWorld, model: Model) -> None:
    store, pools = world.store, world.pools
    in_use: set[int] = set()
    for x in (-1, 0, 1):
        for z in (-1, 0):
            assert (ColumnPos(x, z) in store.row_of) == ((x, 0, z) in model.places)
    for position, known in model.places.items():
        place = store.place_of(SubChunkPos(*position))
        in_use.add(int(store.slot[place]))
        assert store.state[place] == known.state
        assert store.history.of(place) == known.kept_events()
        assert store.history.lost(place) == max(len(known.events) - KEPT, 0)
        assert (store.history.fault(place) is None) == (known.state is not SubChunkState.UNDECODABLE)
        assert bool(store.is_placeholder(np.array([place]))[0]) == (known.shown is None)
        assert (known.shown is None) == (known.state in PLACEHOLDER_STATES)
        if known.shown is not None:
            check_blocks(world, place, known.shown)
    assert len(store.kept_edits) == sum(len(known.waiting) for known in model.places.values())
    shared = sum(pools.shared[slot] for slot in range(pools.stats().slots + 16))
    assert pools.stats().slots == shared + sum(not pools.shared[slot] for slot in in_use)


def check_blocks(world: StoreWorld, place: int, expected: Layers) -> None:
    store, table, pools = world.store, world.table, world.pools
    assert not expected[0].any() or store.revision[place] > 0
    slot = int(store.slot[place])
    ids = pools.blocks[slot]
    np.testing.assert_array_equal(table.runtime_ids[ids], expected[0])
    second = pools.layer1[store.layer1_slot[place]]
    np.testing.assert_array_equal(table.runtime_ids[second], expected[1])
    first = table.first
    assert pools.kinds[slot] == twin.kinds(ids, first.liquid, first.placeholder, first.opaque)
    np.testing.assert_array_equal(pools.opaque[slot], twin.column_masks(ids >= first.placeholder))
    needed = int(np.bitwise_or.reduce(table.flags[np.unique(ids)]))
    assert pools.flags[slot] & needed == needed


@given(st.lists(actions, max_size=30))
@settings(max_examples=150, deadline=None)
def test_the_store_knows_what_a_dictionary_would(script: list[Action]) -> None:
    world, model = StoreWorld(SEVEN), Model()
    mirrored: dict[Position, int] = {}
    for step, action in enumerate(script):
        play(world, model, action, step)
    world.store.finish_drain()
    world.pools.reclaim(world.pools.epoch)
    check(world, model)
    batch = world.reader.drain()
    for index, position in enumerate(batch.positions.tolist()):
        x, y, z = position
        if batch.kinds[index] == ChangeKind.REMOVED:
            mirrored = {key: revision for key, revision in mirrored.items() if (key[0], key[2]) != (x, z)}
        elif batch.kinds[index] in (ChangeKind.DATA, ChangeKind.EDIT):
            assert batch.revisions[index] > mirrored.get((x, y, z), 0)
            mirrored[x, y, z] = int(batch.revisions[index])
    for position, revision in mirrored.items():
        assert world.store.revision[world.store.place_of(SubChunkPos(*position))] == revision
