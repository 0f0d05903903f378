"""What clients of our server see of each other, and of animals."""

import pytest

from net.bedrock import (
    AddActor,
    AddPlayer,
    MoveActorAbsolute,
    MovePlayer,
    PlayerList,
    RemoveActor,
    UpdateBlockSynced,
)
from net.server.entities import FIRST_ANIMAL, FIRST_BOT, MOVES_A_TICK
from net.server.options import HostOptions
from net.server.worlds import open_world
from net.server.worlds.world import FlatWorld
from tests.support.session.plain_client import Talk, make_host
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
    one.host.cross(2, 1)
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


def animals_of(seconds: float) -> tuple[list[object], list[object]]:
    talk = Talk(make_host(open_world("hills:1"), HostOptions(animals=4)))
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
