"""What is made for whom, in which order; and that nobody sees the cache.

Column snapshots: Snapshots of columns: what of block entities outlives edits and saves.

Openings: Through which faces sections let sight, as they are made and after edits.
"""

import numpy as np
import pytest

from net.bedrock import LevelChunk, MovePlayer, RequestChunkRadius
from net.palette import BlockState
from net.server.block_ids import LocalStates
from net.server.column_provider import ColumnProvider
from net.server.column_snapshots import ColumnSnapshot, SectionBlocks, SectionVersion, openings_of
from net.server.generation_queue import GenerationQueue
from net.server.host_options import Bucket, ColumnMode, HostOptions
from net.server.worlds.hills import HillsWorld
from net.server.worlds.world import GeneratedColumn
from net.space import OVERWORLD, ColumnPos, Dimension, SubChunkPos
from tests.support.reference.visibility import flood_connectivity
from tests.support.session.plain_client import Talk, make_host
from tests.support.worlds.server import CaveWorld

# ---------------------------------------------------------------- generation queue

ADA, BOB = 1, 2


def at(x: int, z: int = 0) -> ColumnPos:
    return ColumnPos(x, z)


def plenty(columns: float = 1000.0) -> Bucket:
    return Bucket(0.0, columns, 0.0)


def make(most_requests: int = 64) -> tuple[GenerationQueue, ColumnProvider, CaveWorld]:
    world = CaveWorld()
    provider = ColumnProvider(world, LocalStates(world.states), 1000)
    return GenerationQueue(provider, most_requests), provider, world


def test_the_best_wish_of_anybody_counts() -> None:
    provision, _, world = make()
    provision.want(ADA, {at(0): 1.0, at(40): 9.0}, plenty())
    provision.want(BOB, {at(20): 3.0, at(40): 0.5}, plenty())
    assert not provision.work(10, 0.0)
    assert world.made == [at(40), at(0), at(20)]


def test_a_column_that_many_want_is_made_once() -> None:
    provision, _, world = make()
    for player in range(8):
        provision.want(player, {at(0): 1.0, at(9 + 8 * player): 2.0}, plenty())
    provision.work(100, 0.0)
    provision.work(100, 0.0)
    assert world.made.count(at(0)) == 1
    assert len(world.made) == provision.made == 9


def test_what_nobody_wants_any_more_is_not_made() -> None:
    provision, _, world = make()
    provision.want(ADA, {at(0): 1.0}, plenty())
    provision.want(BOB, {at(20): 1.0, at(40): 2.0}, plenty())
    provision.want(BOB, {at(40): 2.0}, plenty())
    provision.leave(ADA)
    provision.work(10, 0.0)
    assert world.made == [at(40)]


def test_a_call_makes_no_more_than_it_may_and_says_that_there_is_more() -> None:
    provision, _, world = make()
    provision.want(ADA, {at(8 * x): float(x) for x in range(5)}, plenty())
    assert provision.work(2, 0.0)
    assert world.made == [at(0), at(8)]
    assert provision.work(2, 0.0)
    assert not provision.work(2, 0.0)
    assert len(world.made) == 5


def test_wanted_columns_of_one_group_are_made_together() -> None:
    provision, _, world = make()
    provision.want(ADA, {at(0, 0): 1.0, at(4, 0): 2.0, at(3, 3): 3.0, at(-1, 0): 4.0}, plenty())
    provision.work(10, 0.0)
    assert world.made == [at(0, 0), at(3, 3), at(4, 0), at(-1, 0)]


def test_wishes_are_bounded_to_the_best() -> None:
    provision, _, world = make(most_requests=3)
    provision.want(ADA, {at(8 * x): float(9 - x) for x in range(9)}, plenty())
    provision.work(100, 0.0)
    assert world.made == [at(64), at(56), at(48)]


def test_who_has_no_quota_left_holds_nobody_up() -> None:
    provision, _, world = make()
    provision.want(ADA, {at(8 * x): 0.0 for x in range(9)}, plenty(2.0))
    provision.want(BOB, {at(64): 5.0, at(80): 6.0}, plenty())
    provision.work(3, 0.0)
    assert not provision.work(100, 0.0)
    assert len(world.made) == 4
    assert world.made[-2:] == [at(64), at(80)]


def test_what_was_forgotten_is_made_again_while_it_is_wanted() -> None:
    provision, provider, world = make()
    provision.want(ADA, {at(0): 1.0}, plenty())
    provision.work(10, 0.0)
    provider.forget()
    provision.work(10, 0.0)
    assert world.made == [at(0), at(0)]


def stepped() -> tuple[GenerationQueue, ColumnProvider, HillsWorld]:
    world = HillsWorld(seed=6)
    provider = ColumnProvider(world, LocalStates(world.states), 1000)
    return GenerationQueue(provider), provider, world


def test_a_world_that_takes_long_is_asked_one_step_a_call() -> None:
    provision, provider, _ = stepped()
    steps = len(list(HillsWorld(seed=6).steps(at(100))))
    provision.want(ADA, {at(100): 1.0, at(101): 2.0}, plenty())
    for _ in range(steps):
        assert provision.work(10, 0.0)
        assert not provider.holds(at(100))
    assert not provision.work(10, 0.0)
    assert provider.holds(at(100))
    assert provider.holds(at(101))


def test_what_was_begun_is_finished_first_and_dropped_when_nobody_wants_it() -> None:
    provision, provider, _ = stepped()
    provision.want(ADA, {at(100): 5.0}, plenty())
    assert provision.work(1, 0.0)
    provision.want(BOB, {at(200): 0.0}, plenty())
    while not provider.holds(at(100)):
        assert provision.work(1, 0.0)
    assert not provider.holds(at(200))
    provision.want(ADA, {at(300): 0.0}, plenty())
    provision.work(1, 0.0)
    provision.want(BOB, {at(200): 0.0, at(300): 1.0}, plenty())
    provision.leave(ADA)
    provision.want(BOB, {at(400): 0.0}, plenty())
    while provision.work(1, 0.0):
        pass
    assert [x for x in (200, 300, 400) if provider.holds(at(x))] == [400]


# ---------------------------------------------------------------- sessions


def test_players_side_by_side_share_what_is_made() -> None:
    world = CaveWorld()
    host = make_host(world)
    talks = [Talk(host, port=50001 + at_once) for at_once in range(3)]
    for talk in talks:
        talk.wire.now = max(each.wire.now for each in talks)
        talk.join(3)
    assert len(world.made) == 49
    assert all(len(talk.columns) == 49 for talk in talks)


def seen(mode: ColumnMode, *, forgetting: bool, kept_columns: int = 2048) -> tuple[list[LevelChunk], dict]:
    """What a client is told on one way through the hills; every tick may drop the cache."""
    host = make_host(HillsWorld(), HostOptions(mode=mode, kept_columns=kept_columns))
    talk = Talk(host)
    talk.join(2)
    for step in range(1, 4):
        talk.wire.send(MovePlayer(1, (16.0 * step, 80.0, 8.0), 0.0, -90.0, -90.0))
        for _ in range(8):
            if forgetting:
                host.dimensions.start.provider.forget()
            talk.rest(0.03)
        if mode is not ColumnMode.FULL:
            talk.ask(SubChunkPos(step, 4, 0), [(dx, dy, 0) for dx in (-1, 0, 1) for dy in range(-3, 3)])
    talk.wire.send(RequestChunkRadius(3))
    talk.rest(1.0)
    return sorted(talk.columns.values(), key=lambda column: column.column), talk.entries


@pytest.mark.parametrize("mode", [ColumnMode.FULL, ColumnMode.LIMITED])
def test_dropping_the_cache_at_any_moment_changes_nothing_that_a_client_sees(mode: ColumnMode) -> None:
    kept = seen(mode, forgetting=False)
    assert len(kept[0]) >= 49
    assert seen(mode, forgetting=True) == kept


def test_a_cache_of_one_column_serves_all_the_same() -> None:
    assert seen(ColumnMode.LIMITED, forgetting=False, kept_columns=1) == seen(ColumnMode.LIMITED, forgetting=False)


# ---------------------------------------------------------------- column snapshots

# ---------------------------------------------------------------- snapshots

STATES = LocalStates([BlockState("minecraft:air"), BlockState("minecraft:glass"), BlockState("minecraft:chest")])
GLASS, CHEST = 1, 2


def test_what_ended_by_a_block_of_another_name_stays_ended_whatever_stands_there_later() -> None:
    blocks = np.full((OVERWORLD.sections, 4096), CHEST, np.uint16)
    made = GeneratedColumn(blocks, None, np.zeros(256, np.uint16), entities={0: {5: b"a", 6: b"b"}})
    kept = blocks[0].copy()
    kept[5] = GLASS
    loaded = ColumnSnapshot(made, STATES, OVERWORLD, {0: SectionBlocks(kept, None, SectionVersion(1, 1))})
    assert (loaded.entities(0), loaded.section(0).ended) == (b"b", {5}), "a save of before tells by its blocks alone"
    edited = loaded.edited(0, 5, 0, CHEST, 2)
    assert (edited.entities(0), edited.section(0).ended) == (b"b", {5})
    again = ColumnSnapshot(made, STATES, OVERWORLD, {0: edited.section(0)})
    assert (again.entities(0), again.section(0).ended) == (b"b", {5})
    last = again.edited(0, 6, 0, GLASS, 3).edited(0, 6, 0, CHEST, 4)
    assert (last.entities(0), last.section(0).ended) == (b"", {5, 6})
    assert again.entities(0) == b"b", "a snapshot never changes"


def test_a_turned_block_and_what_holds_no_entity_end_nothing() -> None:
    blocks = np.full((OVERWORLD.sections, 4096), CHEST, np.uint16)
    made = GeneratedColumn(blocks, None, np.zeros(256, np.uint16), entities={0: {5: b"a"}})
    edited = ColumnSnapshot(made, STATES, OVERWORLD).edited(0, 5, 0, CHEST, 1).edited(0, 7, 0, GLASS, 2)
    assert (edited.edited(0, 5, 1, GLASS, 3).entities(0), edited.section(0).ended) == (b"a", frozenset())


# ---------------------------------------------------------------- openings

THREE = Dimension(1, "three", 0, 3, False)
OPENINGS_STATES = LocalStates([BlockState(f"minecraft:{name}") for name in ("air", "stone", "glass")])
AIR, STONE, OPENINGS_GLASS = range(3)
EDITS = 300


def column(density: float) -> ColumnSnapshot:
    """Noise below, stone with a shaft in the middle, air above."""
    rng = np.random.default_rng(7)
    layer0 = np.zeros((3, 16, 16, 16), np.uint16)
    layer0[0] = np.where(rng.random((16, 16, 16)) < density, STONE, OPENINGS_GLASS)
    layer0[1] = STONE
    layer0[1, 4, 9, :] = AIR
    made = GeneratedColumn(layer0.reshape(3, 4096), None, np.zeros(256, np.uint16))
    return ColumnSnapshot(made, OPENINGS_STATES, THREE)


def flooded(snapshot: ColumnSnapshot) -> list[int]:
    """The same, cell by cell."""
    solid = (OPENINGS_STATES.stops_sight[snapshot.section(index).layer0] for index in range(3))
    return [flood_connectivity(np.packbits(each, bitorder="little").view("<u2")) for each in solid]


def test_they_equal_a_flood() -> None:
    for density in (0.0, 0.3, 0.65, 1.0):
        made = column(density)
        assert made.openings.tolist() == flooded(made)


def test_they_follow_edits_and_older_snapshots_keep_theirs() -> None:
    rng = np.random.default_rng(8)
    first = made = column(0.65)
    before = first.openings.tolist()
    for tick in range(EDITS):
        section, cell, layer = int(rng.integers(3)), int(rng.integers(4096)), int(rng.random() < 0.1)
        made = made.edited(section, cell, layer, int(rng.integers(3)), tick)
    assert made.openings.tolist() == flooded(made)
    assert first.openings.tolist() == before != made.openings.tolist()


def test_few_and_many_local_ids_are_read_alike() -> None:
    stops = np.array([False, True])
    blocks = np.random.default_rng(9).integers(0, 2, 4096)
    few, many = openings_of([blocks.astype(np.uint8), None, blocks.astype(np.uint16)], stops)[[0, 2]]
    assert few == many
