"""Requests name exactly what was wanted, once each, in offsets that fit a signed byte."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.streaming.planner import REACH, order, pack
from net.space.positions import SubChunkPos
from net.visibility import PlayerView, PriorityWeights, need


def looker(player: tuple[int, int, int]) -> PlayerView:
    x, y, z = player
    return PlayerView((x + 0.5, y + 0.5, z + 0.5))


position = st.tuples(st.integers(-400, 400), st.integers(-32, 32), st.integers(-400, 400))


@given(st.sets(position, max_size=300), position, st.integers(1, 64))
def test_batches_cover_exactly_the_wanted_set(
    wanted: set[tuple[int, int, int]], player: tuple[int, int, int], entries_per_packet: int
) -> None:
    positions = np.array(sorted(wanted), np.int32).reshape(-1, 3)
    positions = positions[order(positions, looker(player), PriorityWeights())]
    batches = pack(positions, SubChunkPos(*player), entries_per_packet)
    named = [tuple(p) for batch in batches for p in batch.positions.tolist()]
    assert len(named) == len(set(named))
    assert set(named) == wanted
    for batch in batches:
        assert (positions[batch.indices] == batch.positions).all()
        assert 1 <= len(batch.offsets) <= entries_per_packet
        assert batch.offsets.dtype == np.int8
        assert np.abs(batch.offsets.astype(int)).max() <= REACH


@given(st.sets(position, min_size=1, max_size=100), position)
def test_what_the_player_reaches_goes_around_the_player(
    wanted: set[tuple[int, int, int]], player: tuple[int, int, int]
) -> None:
    positions = np.array(sorted(wanted), np.int32)
    near = {p for p in wanted if max(abs(a - b) for a, b in zip(p, player, strict=True)) <= REACH}
    around = [b for b in pack(positions, SubChunkPos(*player), 512) if b.centre == player]
    named = {tuple(p) for batch in around for p in batch.positions.tolist()}
    assert near <= named


@given(st.lists(position, max_size=100, unique=True), position)
def test_near_comes_before_far_and_equals_by_position(
    wanted: list[tuple[int, int, int]], player: tuple[int, int, int]
) -> None:
    positions = np.array(wanted, np.int32).reshape(-1, 3)
    indices, needs = (
        order(positions, looker(player), PriorityWeights()),
        need(positions, looker(player), PriorityWeights()),
    )
    plain = sorted(range(len(wanted)), key=lambda i: (needs[i], wanted[i][0], wanted[i][2], wanted[i][1]))
    assert indices.tolist() == plain
    away = [sum((a - b) ** 2 for a, b in zip(wanted[i], player, strict=True)) for i in plain]
    assert away == sorted(away)


@given(st.permutations([(x, y, z) for x in range(3) for y in range(3) for z in range(3)]))
def test_the_order_does_not_depend_on_the_order_of_the_tables(wanted: list[tuple[int, int, int]]) -> None:
    def ordered(places: list[tuple[int, int, int]]) -> list[list[int]]:
        positions = np.array(places, np.int32)
        return positions[order(positions, looker((1, 1, 1)), PriorityWeights())].tolist()

    assert ordered(wanted) == ordered(sorted(wanted))
