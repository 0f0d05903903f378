import io
import json
from typing import Any

import pytest

from net.server.lockstep import Lockstep, RememberedWorld, serve
from net.server.worlds import open_world
from net.space.positions import BlockPos, ColumnPos
from net.transport.lockstep import CROSS, FAILED, OPEN, STEP, pack_step, read_frame, unpack_datagrams, write_frame

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


def opened(lockstep: Lockstep, **more: Any) -> tuple[bytes, bytes]:
    return lockstep.answer(OPEN, json.dumps({**PLAIN, **more}).encode())


def edit(name: str, **states: Any) -> dict[str, Any]:
    return {"low": [0, -60, 0], "high": [1, -59, 0], "name": name, "states": states, "layer": 0}


def test_edits_are_set_before_anybody_joins() -> None:
    lockstep = Lockstep()
    assert opened(lockstep, edits=[edit("minecraft:lever", open_bit=1)]) == (OPEN, b"")
    assert lockstep.host is not None
    state = lockstep.host.block(BlockPos(1, -59, 0))
    assert state.name == "minecraft:lever"
    assert dict(state.states)["open_bit"]


def test_the_next_world_knows_nothing_of_the_one_before() -> None:
    lockstep = Lockstep()
    opened(lockstep, edits=[edit("minecraft:stone")])
    opened(lockstep)
    assert lockstep.host is not None
    assert lockstep.host.block(BlockPos(0, -60, 0)).name == "minecraft:air"


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
    for module in ("provider", "lockstep"):
        monkeypatch.setattr(f"net.server.{module}.MOST_CHANGED", 3)
    kind, body = opened(Lockstep(), **more)
    assert kind == FAILED
    assert words in body.decode()


def test_all_dimensions_are_open_and_one_may_begin_in_any() -> None:
    lockstep = Lockstep()
    below = {**edit("minecraft:glass"), "low": [0, 5, 0], "high": [0, 5, 0]}
    assert opened(lockstep, world="hills:1", number=2, edits=[below, {**below, "dimension": 1}]) == (OPEN, b"")
    assert lockstep.host is not None
    assert lockstep.host.realms.start.dimension.name == "end"
    names = [lockstep.host.block(BlockPos(0, 5, 0), dimension=number).name for number in (0, 1, 2, None)]
    assert names[1:] == ["minecraft:glass"] * 3
    assert names[0] != "minecraft:glass"
    kind, body = opened(lockstep, number=1)
    assert (kind, body) == (FAILED, b"flat:1 has no dimension nether")


def test_a_wish_to_cross_needs_a_player_and_a_dimension() -> None:
    lockstep = Lockstep()
    opened(lockstep)
    assert lockstep.answer(CROSS, b'{"dimension": 0, "feet": null}') == (FAILED, b"nobody plays")


def test_a_step_before_anything_is_open_fails() -> None:
    assert Lockstep().answer(STEP, pack_step(0.0, []))[0] == FAILED


def test_a_world_spawns_where_it_is_told_and_keeps_its_columns() -> None:
    world = RememberedWorld(open_world("flat:1"))
    there = world.spawning_at([1e6, 70.0, -3.0])
    assert there.spawn.feet == (1e6, 70.0, -3.0)
    assert world.spawn.feet != there.spawn.feet
    assert there.column(ColumnPos(3, 4)) is world.column(ColumnPos(3, 4))


def test_it_answers_until_nobody_asks() -> None:
    questions, answers = io.BytesIO(), io.BytesIO()
    write_frame(questions, OPEN, json.dumps(PLAIN).encode())
    write_frame(questions, STEP, pack_step(0.0, []))
    questions.seek(0)
    serve(questions, answers)
    answers.seek(0)
    assert read_frame(answers) == (OPEN, b"")
    kind, body = read_frame(answers)
    assert (kind, list(unpack_datagrams(body))) == (STEP, [])
    assert read_frame(answers) is None
