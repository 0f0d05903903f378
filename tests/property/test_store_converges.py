"""However answers are late, doubled, lost or overtaken by changes: the store ends with an honest server's world.

What the protocol promises, and no more: changes and announcements come in the order in which the server made them, an
answer comes at any time after the server read the sub-chunk, once, several times or never, and no answer that was read
before an announcement comes after it. Blocks that an announcement replaces need no change to say so.

Block entities: No block entity outlives its block, whatever comes in whatever order: a dictionary of blocks says who
may stand.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from client.world.block_entities import EACH_BYTES, BlockEntities
from client.world.lifecycle import NEEDS_REQUEST, SubChunkState
from client.world.places import PlaceTables
from net.nbt import NETWORK, Compound, Int, encode_root
from net.space import BlockPos, ColumnPos, SubChunkPos
from tests.support.reference.store import Layers, air
from tests.support.worlds import store as w
from tests.support.worlds.store import SEVEN, StoreWorld, mixed

# ---------------------------------------------------------------- store converges

SECTIONS = (0, 1, 2)
CELLS = (0, 77, 4095)
DATA, MISSING, ALL_AIR = 1, 2, 6
CONTENTS: tuple[Callable[[], Layers], ...] = (
    air,
    lambda: [mixed(w.STONE, w.DIRT, seed=1), np.zeros(4096, np.uint16)],
    lambda: [mixed(w.SEAGRASS, w.WATER, seed=2), mixed(w.AIR, w.WATER, seed=3)],
    lambda: [np.full(4096, w.GLASS, np.uint16), np.zeros(4096, np.uint16)],
)

sections = st.sampled_from(SECTIONS)
steps = st.one_of(
    st.tuples(st.just("change"), sections, st.tuples(st.sampled_from(CELLS), st.integers(0, 1), st.integers(0, 2))),
    st.tuples(st.just("ask"), sections, st.none()),
    st.tuples(st.sampled_from(["deliver", "repeat", "lose"]), sections, st.integers(0, 5)),
    st.tuples(st.just("fail"), sections, st.none()),
    st.tuples(st.just("announce"), sections, st.tuples(st.integers(0, 3), st.booleans())),
    st.tuples(st.just("evict"), sections, st.none()),
    st.tuples(st.just("drain"), sections, st.none()),
)
Step = tuple[str, int, Any]  # Any: each step takes its own detail


@dataclass
class Server:
    """What is true, and answers that are under way: position's y and the bytes read then, None for air."""

    truth: dict[int, Layers] = field(default_factory=lambda: {y: CONTENTS[y + 1]() for y in SECTIONS})
    under_way: list[tuple[int, bytes | None]] = field(default_factory=list)

    def read(self, world: StoreWorld, y: int) -> None:
        layers = self.truth[y]
        empty = not (layers[0].any() or layers[1].any())
        self.under_way.append((y, None if empty else world.payload(*layers, y)))


def play(world: StoreWorld, server: Server, step: Step) -> None:
    name, y, detail = step
    match name:
        case "change":
            cell, layer, which = detail
            block = (w.AIR, w.TORCH, w.WATER)[which]
            server.truth[y][layer][cell] = block
            origin = SubChunkPos(0, y, 0).origin
            at = BlockPos(origin.x + (cell >> 8), origin.y + (cell & 15), origin.z + (cell >> 4 & 15))
            world.store.update_block(at, layer, block)
        case "ask":
            server.read(world, y)
        case "fail":
            world.answer(((0, y, 0), MISSING, b""))
        case "announce":
            which, limited = detail
            server.truth[y] = CONTENTS[which]()
            server.under_way.clear()
            announce(world, server, limited)
        case "evict":
            evict(world, server, y)
        case "drain":
            world.store.finish_drain()
        case _ if server.under_way:
            index = detail % len(server.under_way)
            section, payload = server.under_way[index] if name == "repeat" else server.under_way.pop(index)
            if name != "lose":
                world.answer(((0, section, 0), ALL_AIR if payload is None else DATA, payload or b""))


def announce(world: StoreWorld, server: Server, limited: bool) -> None:
    """With a limit only where all above it is air, as a server may say it."""
    filled = [y for y in SECTIONS if server.truth[y][0].any() or server.truth[y][1].any()]
    world.announce(limit=max(filled, default=-2) + 2 if limited else None)


def evict(world: StoreWorld, server: Server, y: int) -> None:
    """As the session does, and never while an answer is under way."""
    held = any(section == y for section, _ in server.under_way)
    if not held and world.state((0, y, 0)) in (SubChunkState.DATA, SubChunkState.RESET):
        places = world.store.places_of(np.array([[0, y, 0]], np.int32))
        world.store.mark(places, SubChunkState.EVICTED, world.tick())


@given(st.lists(steps, max_size=40))
@settings(max_examples=200, deadline=None)
def test_every_way_of_arriving_ends_in_the_servers_world(script: list[Step]) -> None:
    world, server = StoreWorld(), Server()
    world.announce()
    for step in script:
        play(world, server, step)
    for y in SECTIONS:  # what is lost is asked again
        if world.state((0, y, 0)) in NEEDS_REQUEST:
            play(world, server, ("ask", y, None))
    while server.under_way:
        play(world, server, ("deliver", 0, 0))
    world.store.finish_drain()
    for y in SECTIONS:
        for layer, ids in enumerate((world.store.blocks_of, world.store.layer1_of)):
            shown = world.table.runtime_ids[ids(SubChunkPos(0, y, 0))]
            np.testing.assert_array_equal(shown, server.truth[y][layer])
    assert len(world.store.kept_edits) == 0


# ---------------------------------------------------------------- block entities

BLOCK_ENTITIES_CELLS = st.integers(0, 3)
BLOCK_ENTITIES_SECTIONS = st.integers(0, 2)

steps_block_entities = st.one_of(
    st.tuples(st.just("data"), BLOCK_ENTITIES_SECTIONS, st.lists(BLOCK_ENTITIES_CELLS, max_size=4)),
    st.tuples(st.just("packet"), BLOCK_ENTITIES_SECTIONS, BLOCK_ENTITIES_CELLS),
    st.tuples(st.just("change"), BLOCK_ENTITIES_SECTIONS, BLOCK_ENTITIES_CELLS),
    st.tuples(st.just("turn"), BLOCK_ENTITIES_SECTIONS, BLOCK_ENTITIES_CELLS),
    st.tuples(st.just("gone"), BLOCK_ENTITIES_SECTIONS, st.booleans()),
)


@dataclass
class Model:
    """Numbers of the entities that should stand, and that should wait; sections that show blocks."""

    standing: dict[tuple[int, int], int] = field(default_factory=dict)
    waiting: dict[tuple[int, int], int] = field(default_factory=dict)
    shows: set[int] = field(default_factory=set)

    def clear(self, found: dict[tuple[int, int], int], section: int) -> None:
        for key in [key for key in found if key[0] == section]:
            del found[key]


class Told:
    """The same told to block entities, as the store does."""

    def __init__(self) -> None:
        self.tables = PlaceTables(SEVEN, 4)
        self.tables.add(ColumnPos(0, 0))
        self.entities = BlockEntities(self.tables)

    def place(self, section: int) -> int:
        return self.tables.place_of(SubChunkPos(0, section, 0))

    def places(self, section: int) -> np.ndarray:
        return np.array([self.place(section)], np.int32)


def entity(section: int, cell: int, number: int) -> Compound:
    return {"x": Int(0), "y": Int(16 * section + cell), "z": Int(0), "number": Int(number)}


def play_block_entities(told: Told, model: Model, step: tuple[str, int, object], number: int) -> None:
    name, section, detail = step
    entities, places = told.entities, told.places(section)
    if name == "data":
        cells: list[int] = detail
        entities.drop(places)
        model.clear(model.standing, section)
        roots = [entity(section, cell, number + index) for index, cell in enumerate(cells)]
        assert entities.take(int(places[0]), b"".join(encode_root(root, NETWORK) for root in roots)) == ()
        model.standing.update({(section, cell): number + index for index, cell in enumerate(cells)})
        entities.release(places)
        model.standing.update({key: value for key, value in model.waiting.items() if key[0] == section})
        model.clear(model.waiting, section)
        model.shows.add(section)
        return
    if name == "gone":
        entities.drop(places)
        model.clear(model.standing, section)
        model.shows.discard(section)
        if detail:
            entities.drop_waiting(places)
            model.clear(model.waiting, section)
        return
    cell = int(detail)
    shown = section in model.shows
    if name == "packet":
        (entities.put if shown else entities.hold)(int(places[0]), cell, entity(section, cell, number))
        (model.standing if shown else model.waiting)[section, cell] = number
    elif shown:
        entities.ending(places, np.array([cell]), np.array([name == "change"]))
        if name == "change":
            model.standing.pop((section, cell), None)
    else:
        entities.ending_unseen(places, np.array([cell]))
        model.waiting.pop((section, cell), None)


@given(st.lists(steps_block_entities, max_size=40))
@settings(max_examples=150, deadline=None)
def test_those_that_stand_are_those_of_a_dictionary(script: list[tuple[str, int, object]]) -> None:
    told, model = Told(), Model()
    for number, step in enumerate(script):
        play_block_entities(told, model, step, 100 * number)
        for section in range(3):
            for cell in range(4):
                found = told.entities.at(told.place(section), cell)
                expected = model.standing.get((section, cell))
                assert (None if found is None else found["number"]) == expected
        assert len(told.entities) == len(model.standing)
        assert told.entities.waiting == len(model.waiting)
        each = [entity(*key, number) for key, number in (model.standing | model.waiting).items()]
        if not model.standing.keys() & model.waiting.keys():
            sizes = [len(encode_root(root, NETWORK)) + EACH_BYTES for root in each]
            assert told.entities.used_bytes == sum(sizes)
