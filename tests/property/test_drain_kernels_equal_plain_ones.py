"""Notes of a drain, numbers of its content, and the sorting of answers and of scanned rows equal plain loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.world.answers import RESULT_ALL_AIR, RESULT_DATA, RETRIED_RESULTS, select
from client.world.changes import ChangeKind
from client.world.lifecycle import NEEDS_REQUEST, SubChunkState
from client.world.places import PlaceTables
from client.world.state_machine import Pending
from net.space.dimensions import OVERWORLD
from net.space.positions import ColumnPos
from net.subchunk import decode_kernels as columns
from net.subchunk.decode import Scanned
from net.subchunk.storage import SubChunkFault

HEIGHT = OVERWORLD.sections
ROWS = 3
KINDS = st.sampled_from([ChangeKind.STATE, ChangeKind.EDIT, ChangeKind.DATA])
SOME_PLACES = st.lists(st.integers(HEIGHT, (ROWS + 1) * HEIGHT - 1), max_size=8)
STEPS = st.lists(st.tuples(KINDS, SOME_PLACES) | st.integers(1, ROWS), max_size=12)


def tables() -> PlaceTables:
    made = PlaceTables(OVERWORLD)
    for row in range(ROWS):
        assert made.add(ColumnPos(row, -row)) == row + 1
    return made


@given(st.lists(STEPS, max_size=4))
def test_a_place_is_told_once_a_drain_with_the_heaviest_kind(
    drains: list[list[tuple[ChangeKind, list[int]] | int]],
) -> None:
    world, pending, last = tables(), Pending(), 0
    for steps in drains:
        plain: dict[int, ChangeKind] = {}
        removed: list[int] = []
        for step in steps:
            if isinstance(step, int):
                pending.remove(step, ColumnPos(step - 1, 1 - step), world.places_of_row(step))
                plain = {place: kind for place, kind in plain.items() if place // HEIGHT != step}
                removed += [step] if step not in removed else []
            else:
                pending.note(np.array(step[1], np.int32), step[0])
                for place in step[1]:
                    plain[place] = max(plain.get(place, step[0]), step[0])
        content = sorted(place for place, kind in plain.items() if kind > ChangeKind.STATE)
        assert pending.number_content(world.revision, last) == last + len(content)
        assert world.revision[content].tolist() == list(range(last + 1, last + 1 + len(content)))
        last += len(content)
        batch = pending.take(world)
        assert batch.places.tolist() == [row * HEIGHT for row in removed] + sorted(plain)
        assert batch.kinds[len(removed) :].tolist() == [plain[place] for place in sorted(plain)]
        told = batch.positions[len(removed) :]
        assert (told == world.positions_of(batch.places[len(removed) :])).all()
        whole = batch.boxes.tolist() == [
            [0, 0, 0, 16, 16, 16] if kind == ChangeKind.DATA else [0] * 6 for kind in batch.kinds.tolist()
        ]
        assert whole


@given(
    st.lists(st.tuples(st.integers(0, (ROWS + 1) * HEIGHT - 1), st.integers(0, 7)), max_size=24),
    st.lists(st.sampled_from(SubChunkState), min_size=HEIGHT, max_size=HEIGHT),
)
def test_entries_are_sorted_as_a_plain_loop_does(entries: list[tuple[int, int]], states: list[SubChunkState]) -> None:
    world = tables()
    for row in range(1, ROWS + 1):
        world.state[world.places_of_row(row)] = np.roll(np.array(states, np.uint8), row)
    places = [place if place >= HEIGHT else 0 for place, _ in entries]
    world.places_of = lambda _: np.array(places, np.int32)
    results = np.array([result for _, result in entries], np.uint8)
    found = select(world, np.zeros((len(entries), 3), np.int32), results)
    used: dict[int, int] = {}
    for at, (place, result) in enumerate(zip(places, results.tolist(), strict=True)):
        state = SubChunkState(int(world.state[place]))
        if (
            place
            and result in (RESULT_DATA, RESULT_ALL_AIR)
            and (state in NEEDS_REQUEST or state is SubChunkState.KNOWN_AIR)
        ):
            used.setdefault(place, at)
    closing = [
        at
        for at, (place, result) in enumerate(zip(places, results.tolist(), strict=True))
        if place and place not in used and result not in (RESULT_DATA, RESULT_ALL_AIR, *RETRIED_RESULTS)
        if SubChunkState(int(world.state[place])) in NEEDS_REQUEST
    ]
    taken = sorted(used.values())
    assert found.used.tolist() == taken
    assert found.data.tolist() == [at for at in taken if results[at] == RESULT_DATA]
    assert found.air.tolist() == [at for at in taken if results[at] == RESULT_ALL_AIR]
    assert found.closing.tolist() == closing
    assert found.ignored.tolist() == [at for at, place in enumerate(places) if place and at not in taken + closing]
    assert found.unannounced == places.count(0)
    assert found.known_air == sum(world.state[places[at]] == SubChunkState.KNOWN_AIR for at in taken)
    assert not world.scratch.any()


@given(
    st.lists(
        st.tuples(st.sampled_from(SubChunkFault), st.integers(0, 3), st.sampled_from([-1, 0, 1, 4, 16]), st.booleans()),
        max_size=24,
    )
)
def test_rows_are_sorted_as_a_plain_loop_does(rows: list[tuple[SubChunkFault, int, int, bool]]) -> None:
    table = np.zeros((len(rows), columns.COLUMNS), np.int64)
    for at, (fault, layers, bits, _) in enumerate(rows):
        table[at, [columns.STATUS, columns.LAYERS, columns.LAYER + columns.BITS, columns.END]] = fault, layers, bits, 10
    limits = np.array([10 + rest for *_, rest in rows], np.int64)
    none = np.zeros(0, np.int64)
    found = Scanned(np.zeros(1, np.uint8), np.zeros(len(rows), np.int64), limits, table, none).sort()
    sound = [at for at, (fault, *_) in enumerate(rows) if fault is SubChunkFault.NONE]
    layered = [at for at in sound if rows[at][1]]
    named = [at for at, (fault, *_) in enumerate(rows) if fault is SubChunkFault.NAMED_PALETTE]
    assert found.indexed.tolist() == [at for at in layered if rows[at][2] > 0]
    assert found.single.tolist() == [at for at in layered if rows[at][2] == 0]
    assert found.empty.tolist() == [at for at in sound if not rows[at][1]]
    assert found.rare.tolist() == sorted(named + [at for at in layered if rows[at][2] == columns.LEGACY])
    assert found.second.tolist() == [at for at in sound if rows[at][1] > 1]
    assert found.with_rest.tolist() == [at for at in sound if rows[at][3]]
