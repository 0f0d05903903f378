"""No block entity outlives its block, whatever comes in whatever order: a dictionary of blocks says who may stand."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from client.world.block_entities import EACH_BYTES, BlockEntities
from client.world.places import PlaceTables
from net.nbt import NETWORK, Compound, Int, encode_root
from net.space.positions import ColumnPos, SubChunkPos
from tests.support.worlds.store import SEVEN

CELLS = st.integers(0, 3)
SECTIONS = st.integers(0, 2)

steps = st.one_of(
    st.tuples(st.just("data"), SECTIONS, st.lists(CELLS, max_size=4)),
    st.tuples(st.just("packet"), SECTIONS, CELLS),
    st.tuples(st.just("change"), SECTIONS, CELLS),
    st.tuples(st.just("turn"), SECTIONS, CELLS),
    st.tuples(st.just("gone"), SECTIONS, st.booleans()),
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


def play(told: Told, model: Model, step: tuple[str, int, object], number: int) -> None:
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


@given(st.lists(steps, max_size=40))
@settings(max_examples=150, deadline=None)
def test_those_that_stand_are_those_of_a_dictionary(script: list[tuple[str, int, object]]) -> None:
    told, model = Told(), Model()
    for number, step in enumerate(script):
        play(told, model, step, 100 * number)
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
