"""What clients of our server see of each other, of animals and of blocks that fall."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from client.report.entities import entity_report
from net.bedrock import (
    AddActor,
    AddPlayer,
    Message,
    MoveActorAbsolute,
    MovePlayer,
    PlayerList,
    RemoveActor,
    UpdateBlock,
    UpdateBlockSynced,
)
from net.palette import BlockState, Palette
from net.server.entities import FALLING_BLOCK, FIRST_ANIMAL, FIRST_BOT, KEY_VARIANT, MOVES_A_TICK
from net.server.falling_blocks import MOST_FALLING
from net.server.host import Host
from net.server.host_options import HostOptions, IdForm
from net.server.worlds import open_worlds
from net.server.worlds.world import FlatWorld
from net.space import BlockPos
from tests.support.servers.building import open_host
from tests.support.session.plain_client import Talk, go_to, make_host
from tests.support.session.virtual import VirtualSession
from tests.support.worlds.server import three_dimensions

EYE_Y = -60 + 1.62


def pair(protocol: int = 486) -> tuple[Talk, Talk]:
    """Two clients of one host, beside each other."""
    one = Talk(make_host(FlatWorld(), protocol=protocol), protocol=protocol)
    one.join(2)
    other = Talk(one.host, protocol=protocol, port=50001, now=one.wire.now)
    other.join(2)
    one.rest(0.5)
    return one, other


def walk(talk: Talk, number: int, x: float) -> None:
    """A player goes there, in steps that are believed."""
    talk.wire.send(MovePlayer(number, (x, EYE_Y, 0.5), 10.0, 90.0, 90.0))
    talk.rest(0.5)


@pytest.mark.parametrize("protocol", [486, 534, 649, 2168, 2193])
def test_players_are_listed_added_moved_and_removed(protocol: int) -> None:
    one, other = pair(protocol)
    (listed,) = one.of(PlayerList)
    assert isinstance(listed, PlayerList)
    assert [entry.player.unique_id for entry in listed.entries if entry.player] == [2]
    (added,) = one.of(AddPlayer)
    assert isinstance(added, AddPlayer)
    assert (added.name, added.runtime_id, added.position[1]) == ("tester", 2, -60)
    assert [add.runtime_id for add in other.of(AddPlayer) if isinstance(add, AddPlayer)] == [1]
    walk(other, 2, 5.5)
    one.rest(0.3)
    move = one.of(MovePlayer)[-1]
    assert isinstance(move, MovePlayer)
    assert (move.runtime_id, move.position[0], move.yaw) == (2, 5.5, 90.0)
    assert other.of(MovePlayer) == []  # nobody is told of itself
    other.wire.close("gone")
    one.rest(1.0)
    assert one.of(RemoveActor) == [RemoveActor(2)]
    left = one.of(PlayerList)[-1]
    assert isinstance(left, PlayerList)
    assert [entry.player for entry in left.entries] == [None]


def test_who_leaves_the_columns_is_removed_and_added_again() -> None:
    one, other = pair()
    for x in (100.5, 200.5, 0.5):
        walk(other, 2, x)
        one.rest(0.5)
    assert one.of(RemoveActor) == [RemoveActor(2)]
    assert len(one.of(AddPlayer)) == 2


def test_who_crosses_into_another_dimension_is_gone_for_the_others() -> None:
    one = Talk(three_dimensions())
    one.join(2)
    other = Talk(one.host, port=50001, now=one.wire.now)
    other.join(2)
    one.rest(0.5)
    go_to(one.host, 2, 1)
    other.rest(1.0)
    one.rest(0.5)
    assert one.of(RemoveActor) == [RemoveActor(2)]
    assert other.of(RemoveActor) == []  # it dropped all it had


def test_moves_are_bounded() -> None:
    one, other = pair()
    before = len(one.of(MovePlayer))
    for step in range(100):
        other.wire.send(MovePlayer(2, (0.5 + step / 50, EYE_Y, 0.5), 0.0, 0.0, 0.0))
        other.rest(0.01)
    one.rest(0.5)
    assert 0 < len(one.of(MovePlayer)) - before <= 100 * 0.01 / 0.05 + 5
    assert MOVES_A_TICK >= 64


def animals_of(seconds: float) -> tuple[list[Message], list[Message]]:
    talk = Talk(make_host(open_worlds("hills:1")[0], HostOptions(animals=4)))
    talk.join(4)
    talk.rest(seconds)
    return talk.of(AddActor), talk.of(MoveActorAbsolute)


def test_animals_wander_the_same_way_every_time() -> None:
    added, moved = animals_of(4.0)
    assert {add.runtime_id for add in added} == {FIRST_ANIMAL + number for number in range(4)}  # type: ignore[attr-defined]
    assert {add.type for add in added} == {f"minecraft:{kind}" for kind in ("pig", "sheep", "cow", "chicken")}  # type: ignore[attr-defined]
    assert len(moved) > 20
    assert (added, moved) == animals_of(4.0)


def test_bots_walk_and_build_and_take_away_what_they_built() -> None:
    talk = Talk(make_host(FlatWorld(), HostOptions(bots=2)))
    talk.join(2)
    talk.ask_columns(range(-4, -2))
    talk.rest(10.0)
    names = {add.name for add in talk.of(AddPlayer) if isinstance(add, AddPlayer)}
    assert names == {"bot 1", "bot 2"}
    assert len(talk.of(MovePlayer)) > 100
    built = len(talk.of(UpdateBlockSynced))
    assert built > 20
    talk.rest(16.0)
    told = [message for message in talk.of(UpdateBlockSynced) if isinstance(message, UpdateBlockSynced)]
    assert len(told) > built
    assert {message.position.y for message in told} <= {-60, -59, -58}
    assert {message.actor_id for message in told} == {FIRST_BOT, FIRST_BOT + 1}


SAND, STONE = BlockState("minecraft:sand"), BlockState("minecraft:stone")
GRAVEL = BlockState("minecraft:gravel")
GROUND_Y = -61
SUPPORT = BlockPos(2, GROUND_Y + 9, 1)


def above(place: BlockPos, blocks: int) -> BlockPos:
    return place._replace(y=place.y + blocks)


def sand_of(protocol: int) -> BlockState:
    """As a release of that protocol calls it."""
    return next(state for state in Palette.for_protocol(protocol).states if state.name == SAND.name)


def fall(protocol: int) -> Sequence[Message]:
    """What a client hears of sand and gravel whose support is taken away."""
    talk = Talk(make_host(FlatWorld(), protocol=protocol), protocol=protocol)
    talk.join(2)
    talk.ask_columns(range(-4, -2))
    talk.rest(0.5)
    host, sand = talk.host, sand_of(protocol)
    for number, state in enumerate((STONE, sand, GRAVEL)):
        host.set_block(above(SUPPORT, number), state)
    talk.rest(0.5)
    assert talk.of(AddActor) == []  # it stands
    host.set_block(SUPPORT, BlockState("minecraft:air"))
    talk.rest(2.5)
    ground = SUPPORT._replace(y=GROUND_Y + 1)
    assert [host.dimensions.start.block(above(ground, number)) for number in (0, 1)] == [sand, GRAVEL]
    ids = [Palette.for_protocol(protocol).runtime_id_of(state) for state in (sand, GRAVEL)]
    added = [message for message in talk.of(AddActor) if isinstance(message, AddActor)]
    assert [add.type for add in added] == [FALLING_BLOCK] * 2
    assert [value.value for add in added for value in add.metadata if value.key == KEY_VARIANT] == ids
    assert talk.of(RemoveActor) == [RemoveActor(add.unique_id) for add in added]
    moved = [move.position[1] for move in talk.of(MoveActorAbsolute) if isinstance(move, MoveActorAbsolute)]
    assert min(moved) > ground.y + 0.49 > min(moved) - 1.0
    assert len(moved) > 20
    told = {(change.position, change.runtime_id) for change in talk.of(UpdateBlock) if isinstance(change, UpdateBlock)}
    assert (ground, ids[0]) in told
    return [message for message in talk.heard if isinstance(message, AddActor | MoveActorAbsolute | RemoveActor)]


@pytest.mark.parametrize("protocol", [486, 2193])
def test_what_nothing_holds_falls_as_an_entity_and_lands_as_a_block(protocol: int) -> None:
    heard = fall(protocol)
    if protocol == 486:
        assert heard == fall(protocol)


def ticked(host: Host, ticks: int) -> None:
    for number in range(ticks):
        host.tick(number * 0.05)


def test_few_fall_at_once_and_none_is_lost() -> None:
    host = make_host(FlatWorld())
    sand = sand_of(486)
    for number in range(2 * MOST_FALLING):
        host.set_block(BlockPos(number % 16, GROUND_Y + 20 + number // 256, number // 16), sand)
    ticked(host, 10)
    assert len(list(host._falling.entities())) == MOST_FALLING
    ticked(host, 100)
    there = (BlockPos(number % 16, GROUND_Y + 1, number // 16) for number in range(256))
    assert all(host.dimensions.start.block(place) == sand for place in there)


def test_it_lands_upon_what_was_placed_in_its_way() -> None:
    host, way = make_host(FlatWorld()), BlockPos(2, GROUND_Y + 10, 1)
    host.set_block(above(way, 9), sand_of(486))
    while next((entity.feet[1] for entity in host._falling.entities()), way.y + 9) >= way.y + 1:
        ticked(host, 1)
    host.set_block(way, STONE)
    ticked(host, 40)
    assert (host.dimensions.start.block(way), host.dimensions.start.block(above(way, 1))) == (STONE, sand_of(486))


@pytest.mark.parametrize("snapshot", [False, True])
def test_a_kill_at_any_tick_loses_nothing_that_falls(tmp_path: Path, snapshot: bool) -> None:
    """Each life ends without a word after so many ticks; the next one finds what was built."""
    sand = sand_of(486)
    for ticks in range(0, 30, 3):
        folder = tmp_path / str(ticks)
        host, files, _ = open_host(folder)
        for number in range(3):
            host.set_block(BlockPos(2, GROUND_Y + 12 + number, 1), sand)
        now = 0.0
        for number in range(ticks):
            now += 40.0 if snapshot and number == 7 else 0.05
            host.tick(now)
            if snapshot and number >= 7:
                assert all(storage.wait(60.0) for storage in files.storages.values())
                assert files.record.wait(60.0)
        host._saving.flush()  # type: ignore[union-attr]
        assert (files.record.tick > 0) == (snapshot and ticks > 8)
        files.close()
        later, files, _ = open_host(folder)
        heights = [y for y in range(GROUND_Y + 1, 0) if later.dimensions.start.block(BlockPos(2, y, 1)) == sand]
        assert len(heights) == 3, (ticks, heights)
        files.close()


@pytest.mark.parametrize(
    ("nethernet", "protocol", "ids"),
    [(False, 486, IdForm.ORDER), (True, 486, IdForm.ORDER), (False, 2193, IdForm.HASH)],
)
def test_our_client_sees_the_real_block_fall_and_land(nethernet: bool, protocol: int, ids: IdForm) -> None:
    virtual = VirtualSession("flat:1", HostOptions(ids=ids), protocol=protocol, nethernet=nethernet)
    assert virtual.settle()
    host, session, place = virtual.host, virtual.session, BlockPos(2, GROUND_Y + 5, 1)
    ground, seen = place._replace(y=GROUND_Y + 1), set[tuple[str, str]]()
    host.set_block(place, sand_of(protocol))

    def landed() -> bool:
        rows = entity_report(session, virtual.now).entities
        seen.update((row.type, row.block) for row in rows)
        assert all(place.y >= row.at[1] >= ground.y for row in rows)
        return host.dimensions.start.block(ground).name == SAND.name and not rows

    assert virtual.run(landed, 5.0)
    assert seen == {(FALLING_BLOCK, SAND.name)}
    assert session.dimension.store.block(ground).name == SAND.name
