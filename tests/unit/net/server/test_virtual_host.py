from typing import Any

import pytest

from net.errors import NetError
from net.server.host import Host
from net.server.virtual_host import RememberedWorld, VirtualServer, even_entropy
from net.server.worlds import open_world
from net.space.positions import BlockPos, ColumnPos

PLAIN = {
    "world": "flat:1",
    "protocol": 486,
    "profile": "bedrock",
    "mode": "limited",
    "radius_max": 3,
    "time": 6000,
    "spawn": None,
    "edits": [],
}


def opened(server: VirtualServer, **more: Any) -> Host:
    return server.open({**PLAIN, **more})


def edit(name: str, **states: Any) -> dict[str, Any]:
    return {"low": [0, -60, 0], "high": [1, -59, 0], "name": name, "states": states, "layer": 0}


def test_edits_are_set_before_anybody_joins() -> None:
    host = opened(VirtualServer(), edits=[edit("minecraft:lever", open_bit=1)])
    state = host.block(BlockPos(1, -59, 0))
    assert state.name == "minecraft:lever"
    assert dict(state.states)["open_bit"]


def test_the_next_world_knows_nothing_of_the_one_before() -> None:
    server = VirtualServer()
    opened(server, edits=[edit("minecraft:stone")])
    assert opened(server).block(BlockPos(0, -60, 0)).name == "minecraft:air"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"world": "flet"}, "no world is called 'flet'"),
        ({"edits": [edit("minecraft:ston")]}, "no block minecraft:ston (did you mean minecraft:stone?)"),
        (
            {"edits": [edit("minecraft:stone", shape=3)]},
            "minecraft:stone has no state {'shape': 3}; its first ones are",
        ),
        ({"edits": [{**edit("minecraft:stone"), "low": [0, 400, 0], "high": [0, 400, 0]}]}, "is outside the overworld"),
        (
            {"edits": [{**edit("minecraft:stone"), "low": [at, 0, 0], "high": [at, 0, 0]} for at in range(0, 64, 16)]},
            "the edits reach over more than 3 columns",
        ),
    ],
)
def test_what_cannot_be_opened_is_one_sentence(
    more: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("column_provider", "virtual_host"):
        monkeypatch.setattr(f"net.server.{module}.MOST_CHANGED", 3)
    with pytest.raises((NetError, ValueError)) as refused:
        opened(VirtualServer(), **more)
    assert words in str(refused.value)


def test_all_dimensions_are_open_and_one_may_begin_in_any() -> None:
    server = VirtualServer()
    below = {**edit("minecraft:glass"), "low": [0, 5, 0], "high": [0, 5, 0]}
    host = opened(server, world="hills:1", number=2, edits=[below, {**below, "dimension": 1}])
    assert host.realms.start.dimension.name == "end"
    names = [host.block(BlockPos(0, 5, 0), dimension=number).name for number in (0, 1, 2, None)]
    assert names[1:] == ["minecraft:glass"] * 3
    assert names[0] != "minecraft:glass"
    with pytest.raises(ValueError, match="flat:1 has no dimension nether"):
        opened(server, number=1)


def test_a_world_spawns_where_it_is_told_and_keeps_its_columns() -> None:
    world = RememberedWorld(open_world("flat:1"))
    there = world.spawning_at([1e6, 70.0, -3.0])
    assert there.spawn.feet == (1e6, 70.0, -3.0)
    assert world.spawn.feet != there.spawn.feet
    assert there.column(ColumnPos(3, 4)) is world.column(ColumnPos(3, 4))


def test_entropy_is_even() -> None:
    one, same, other = even_entropy(1), even_entropy(1), even_entropy(2)
    first = [one(size) for size in (8, 3, 20)]
    assert [same(size) for size in (8, 3, 20)] == first
    assert [len(part) for part in first] == [8, 3, 20]
    assert other(8) != first[0]
