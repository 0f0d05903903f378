"""Announcements, answers, edits, evictions, drains in any order: the store shows what a dictionary of blocks would."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from client.world.changes import ChangeKind
from client.world.lifecycle import NEEDS_REQUEST, Knowledge
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from tests.support import store_world as w
from tests.support import subchunk_twin as twin
from tests.support.store_world import SEVEN, StoreWorld, mixed

Layers = list[npt.NDArray[np.uint16]]
Position = tuple[int, int, int]

columns = st.tuples(st.integers(-1, 1), st.integers(-1, 0))
sections = st.integers(-2, 4)
actions = st.one_of(
    st.tuples(st.just("announce"), columns, st.one_of(st.none(), st.integers(0, 8))),
    st.tuples(st.just("answer"), columns, st.lists(st.tuples(sections, st.integers(0, 7)), max_size=6)),
    st.tuples(st.just("fill"), columns, st.integers(0, 9)),
    st.tuples(st.just("edit"), columns, st.tuples(sections, st.integers(0, 4095), st.integers(0, 1))),
    st.tuples(st.just("evict"), columns, sections),
    st.tuples(st.just("forget"), columns, st.none()),
    st.tuples(st.just("drain"), columns, st.none()),
)

CONTENTS: tuple[Layers, ...] = (
    [mixed(w.STONE, w.DIRT, w.LEAVES, seed=1), np.zeros(4096, np.uint16)],
    [mixed(w.SEAGRASS, w.WATER, w.LAVA, seed=2), mixed(w.AIR, w.WATER, seed=3)],
    [np.full(4096, w.GLASS, np.uint16), np.zeros(4096, np.uint16)],
    [mixed(w.AIR, w.TORCH, seed=4), np.zeros(4096, np.uint16)],
)


def air() -> Layers:
    return [np.zeros(4096, np.uint16), np.zeros(4096, np.uint16)]


@dataclass
class Model:
    """What should be known: a state and, where something is shown, the runtime ids of both layers."""

    states: dict[Position, Knowledge] = field(default_factory=dict)
    shown: dict[Position, Layers] = field(default_factory=dict)

    def column(self, x: int, z: int) -> list[Position]:
        return [(x, y, z) for y in range(-2, 5)]

    def announce(self, x: int, z: int, limit: int | None) -> None:
        for index, position in enumerate(self.column(x, z)):
            if limit is not None and index > limit:
                self.states[position], self.shown[position] = Knowledge.KNOWN_AIR, air()
            else:
                self.states[position] = Knowledge.RESET if position in self.shown else Knowledge.UNKNOWN

    def needs(self, position: Position) -> bool:
        state = self.states.get(position)
        return state in NEEDS_REQUEST or state is Knowledge.KNOWN_AIR


def play(world: StoreWorld, model: Model, action: tuple[str, tuple[int, int], object], step: int) -> None:
    name, (x, z), detail = action
    if name == "announce":
        world.announce(x, z, detail)  # type: ignore[arg-type]
        model.announce(x, z, detail)  # type: ignore[arg-type]
    elif name == "answer":
        answer(world, model, x, z, detail)  # type: ignore[arg-type]
    elif name == "fill":
        fill(world, model, x, z, int(detail), step)  # type: ignore[call-overload]
    elif name == "edit":
        edit(world, model, x, z, *detail, step)  # type: ignore[misc]
    elif name == "evict":
        position = (x, int(detail), z)  # type: ignore[call-overload]
        if model.states.get(position) in (Knowledge.DATA, Knowledge.ALL_AIR, Knowledge.RESET):
            places = world.store.places_of(np.array([position], np.int32))
            world.store.mark(places, Knowledge.EVICTED, world.tick())
            model.states[position] = Knowledge.EVICTED
            model.shown.pop(position, None)
    elif name == "forget":
        world.store.forget(ColumnPos(x, z))
        for position in model.column(x, z):
            model.states.pop(position, None)
            model.shown.pop(position, None)
    else:
        world.store.finish_drain()
        world.pools.reclaim(world.pools.epoch)


def answer(world: StoreWorld, model: Model, x: int, z: int, entries: list[tuple[int, int]]) -> None:
    """Kinds 0..3: a content; 4: all air; 5: broken bytes; 6: code 5; 7: code 2. The first success of a place counts."""
    sent = []
    used: set[Position] = set()
    closed: list[Position] = []
    for y, kind in entries:
        position = (x, y, z)
        result = (1, 1, 1, 1, 6, 1, 5, 2)[kind]
        sent.append((position, result, payload(world, kind, y)))
        if result == 5 and model.states.get(position) in NEEDS_REQUEST:
            closed.append(position)
    for position in closed:  # failures are noted before successes are used
        model.states[position] = Knowledge.REFUSED
    for y, kind in entries:
        position = (x, y, z)
        if kind > 5 or position in used or not model.needs(position):
            continue
        used.add(position)
        if kind == 5:
            model.states[position] = Knowledge.UNDECODABLE
        else:
            model.states[position] = Knowledge.ALL_AIR if kind == 4 else Knowledge.DATA
            model.shown[position] = air() if kind == 4 else [layer.copy() for layer in CONTENTS[kind]]
    report = world.answer(*sent)
    assert len(report.faults) == sum(
        model.states.get((x, y, z)) is Knowledge.UNDECODABLE and (x, y, z) in used for y in {y for y, _ in entries}
    )


def payload(world: StoreWorld, kind: int, section: int) -> bytes:
    if kind < 4:
        return world.payload(*CONTENTS[kind], section)
    return b"\x09\x01\x00\x0f" if kind == 5 else b""


def fill(world: StoreWorld, model: Model, x: int, z: int, count: int, step: int) -> None:
    chosen = [(step + index) % len(CONTENTS) for index in range(count)]
    data = b"".join(payload(world, kind, 0) for kind in chosen)
    assert world.store.fill(ColumnPos(x, z), data + b"\x01\x04\x00", count, world.tick()).faults == ()
    for index, position in enumerate(model.column(x, z)):
        if index < count:
            model.states[position] = Knowledge.DATA
            model.shown[position] = [layer.copy() for layer in CONTENTS[chosen[index]]]
        else:
            model.states[position], model.shown[position] = Knowledge.ALL_AIR, air()


def edit(world: StoreWorld, model: Model, x: int, z: int, y: int, cell: int, layer: int, step: int) -> None:
    position, block = (x, y, z), (w.TORCH, w.STONE, w.AIR)[step % 3]
    origin = SubChunkPos(*position).origin
    at = BlockPos(origin.x + (cell >> 8), origin.y + (cell & 15), origin.z + (cell >> 4 & 15))
    shown = model.shown.get(position)
    changes = shown is not None and int(shown[layer][cell]) != block
    assert world.store.update_block(at, layer, block) == changes
    if shown is not None and changes:
        shown[layer][cell] = block
        if model.states[position] in (Knowledge.KNOWN_AIR, Knowledge.ALL_AIR):
            model.states[position] = Knowledge.DATA


def check(world: StoreWorld, model: Model) -> None:
    store, table, pools = world.store, world.table, world.pools
    in_use: set[int] = set()
    for x in (-1, 0, 1):
        for z in (-1, 0):
            assert (ColumnPos(x, z) in store.row_of) == ((x, 0, z) in model.states)
            for position in model.column(x, z):
                if position not in model.states:
                    continue
                place = store.place_of(SubChunkPos(*position))
                slot = int(store.slot[place])
                in_use.add(slot)
                assert store.state[place] == model.states[position]
                expected = model.shown.get(position)
                assert bool(store.is_placeholder(np.array([place]))[0]) == (expected is None)
                if expected is None:
                    continue
                assert not expected[0].any() or store.revision[place] > 0
                ids = pools.blocks[slot]
                np.testing.assert_array_equal(table.runtime_ids[ids], expected[0])
                second = pools.layer1[store.layer1_slot[place]]
                np.testing.assert_array_equal(table.runtime_ids[second], expected[1])
                first = table.first
                assert pools.kinds[slot] == twin.kinds(ids, first.liquid, first.placeholder, first.opaque)
                np.testing.assert_array_equal(pools.opaque[slot], twin.column_masks(ids >= first.placeholder))
                needed = int(np.bitwise_or.reduce(table.flags[np.unique(ids)]))
                assert pools.flags[slot] & needed == needed
    shared = sum(pools.is_shared(slot) for slot in range(pools.stats().slots + 16))
    assert pools.stats().slots == shared + sum(not pools.is_shared(slot) for slot in in_use)


@given(st.lists(actions, max_size=30))
@settings(max_examples=60, deadline=None)
def test_the_store_shows_what_a_dictionary_would(script: list[tuple[str, tuple[int, int], object]]) -> None:
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
