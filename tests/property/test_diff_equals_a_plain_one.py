"""Two made-up worlds, of two palettes and two heights, are compared as a loop over their sub-chunks compares them."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.light.light_map import LightMap
from client.options import Box
from client.report.diff import Comparison, World, positions_of
from client.visibility import derive_connectivity
from client.world.store import Store
from client.world.store_state import SHOWS
from net.palette import BlockState, Palette
from net.space import BlockPos, Dimension, SubChunkPos
from tests.support.worlds.store import NAMES, StoreWorld, mixed

DIMENSIONS = Dimension(0, "low", -1, 3, True), Dimension(0, "high", 0, 4, True)
PALETTES = [
    Palette([BlockState(f"minecraft:{name}") for name in names]) for names in (NAMES, (*NAMES[::-1], "granite"))
]
ANSWERS = st.sampled_from((1, 1, 1, 1, 5, 6))
"""Blocks, a refusal, all air."""
PLACES = st.tuples(st.integers(0, 1), st.integers(-1, 3), st.integers(0, 1))
TOLD = st.dictionaries(PLACES, st.tuples(ANSWERS, st.integers(0, 3), st.booleans()), max_size=12)
"""What a server says of sub-chunks: an answer, which of four contents, and whether one block of it is another."""
CORNERS = st.tuples(*(st.tuples(st.integers(-5, 30), st.integers(1, 40)) for _ in "xyz"))
BOXES = st.none() | CORNERS.map(
    lambda axes: Box(BlockPos(*(low for low, _ in axes)), BlockPos(*(low + size for low, size in axes)))
)


def world(side: int, told: dict[tuple[int, int, int], tuple[int, int, bool]]) -> World:
    made = StoreWorld(DIMENSIONS[side], palette=PALETTES[side])
    for x, z in sorted({(x, z) for x, _, z in told}):
        made.announce(x, z)
    for at, (result, content, changed) in told.items():
        if not DIMENSIONS[side].holds_section(at[1]):
            continue
        blocks = np.full(4096, content, np.uint16) if content < 2 else mixed(1, 2, 7, seed=content)
        if changed:
            blocks[77] = 9
        ids = blocks if side == 0 else (len(NAMES) - 1 - blocks).astype(np.uint16)
        second = (
            np.where(blocks == 2, ids[np.argmax(blocks == 1)], ids[np.argmax(blocks == 1)]) if content == 3 else None
        )
        made.answer((at, result, made.payload(ids, second, at[1]) if result == 1 else b""))
    slots = made.store.finish_drain()
    derive_connectivity(made.store.pools, slots)
    return World(made.store, LightMap(made.store, 64), {}, 486)


def known(store: Store, at: SubChunkPos) -> bool:
    if not store.dimension.holds_section(at.y):
        return True  # air
    return at.column in store.row_of and bool(SHOWS[store.state[store.place_of(at)]])


@given(TOLD, TOLD, BOXES)
def test_a_comparison_equals_a_loop(
    told_a: dict[tuple[int, int, int], tuple[int, int, bool]],
    told_b: dict[tuple[int, int, int], tuple[int, int, bool]],
    box: Box | None,
) -> None:
    a, b = world(0, told_a), world(1, told_b)
    if not len(positions_of(a.store, b.store, None)) and box is None:
        return
    floor, roof = -16, 64
    if box is not None and (box.high.y <= floor or box.low.y >= roof):
        return
    comparison, total = Comparison(a, b, box), 0
    for what in ("blocks", "layer1"):
        counts: Counter[SubChunkPos] = Counter()
        changes: Counter[tuple[str, str]] = Counter()
        equal, unknown = 0, []
        for at in (SubChunkPos(*each) for each in comparison.positions.tolist()):
            sides = known(a.store, at), known(b.store, at)
            if not all(sides):
                unknown += [at] * (box is not None or any(sides))
                continue
            names = []
            for store in (a.store, b.store):
                ids = store.blocks_of(at) if what == "blocks" else store.layer1_of(at)
                names.append(store.table.names[ids])
            cells = np.arange(4096)
            corner = at.origin
            inside = np.ones(4096, np.bool_)
            if box is not None:
                for axis, low, high in zip(
                    (corner.x + (cells >> 8), corner.y + (cells & 15), corner.z + (cells >> 4 & 15)),
                    box.low,
                    box.high,
                    strict=True,
                ):
                    inside &= (axis >= low) & (axis < high)
            differs = (names[0] != names[1]) & inside
            counts[at] = int(differs.sum())
            equal += not differs.any()
            changes.update(zip(names[0][differs].tolist(), names[1][differs].tolist(), strict=True))
        found = comparison.difference(what)
        assert {each.at: each.count for each in found.different} == +counts
        assert (found.count, found.equal) == (counts.total(), equal)
        assert list(found.unknown) == unknown
        assert found.unknown_a + found.unknown_b + found.unknown_both == len(unknown)
        assert {(each.a, each.b): each.count for each in found.changes} == changes
        assert found.other_changes == 0
        total += counts.total()
        assert comparison.map.different.sum() == total


@given(TOLD)
def test_a_world_compared_with_itself_differs_nowhere(
    told: dict[tuple[int, int, int], tuple[int, int, bool]],
) -> None:
    one = world(0, told)
    if told:
        comparison = Comparison(one, one)
        for what in ("blocks", "layer1", "light", "states", "biomes"):
            found = comparison.difference(what)
            assert (found.count, found.unknown_a, found.unknown_b) == (0, 0, 0), what
