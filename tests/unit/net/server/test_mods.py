"""Mods: what they change, and what becomes of those that raise or never return."""

from collections.abc import Callable
from pathlib import Path

import pytest

from net.palette import BlockState
from net.releases import ProtocolRange
from net.server.host import Host
from net.server.host_options import HostOptions
from net.server.mods import LimitedCaller, Mod, ModColumn, ModEdit, Mods, TookTooLong
from net.server.worlds.world import FlatWorld
from net.space import BlockPos, ColumnPos
from tests.support.session.plain_client import UNIX_TIME, entropy

GRASS_Y = -61
GLASS = BlockState("minecraft:glass")
EXAMPLE = Path(__file__).parents[4] / "docs" / "examples" / "mods" / "hidden_chests.py"


def host_with(told: list[str], *functions: dict[str, Callable[..., None]]) -> Host:
    mods = Mods([Mod(f"mod{at}.py", each, LimitedCaller(f"mod{at}"), told.append) for at, each in enumerate(functions)])
    return Host(FlatWorld(), HostOptions(), ProtocolRange.only(486), 0.0, UNIX_TIME, entropy("server"), mods=mods)


def chest(column: ModColumn) -> None:
    column.set_block(column.x * 16, column.ground(column.x * 16, column.z * 16) - 1, column.z * 16, "chest")


def raises(column: ModColumn) -> None:
    column.set_block(column.x * 16, column.low_y, column.z * 16, "glass")
    raise RuntimeError("no luck")


def never_returns(_column: object) -> None:
    while True:
        pass


def test_the_example_hides_a_chest_in_every_column_the_same_every_time() -> None:
    scope: dict[str, Callable[..., None]] = {}
    exec(compile(EXAMPLE.read_text(encoding="utf-8"), str(EXAMPLE), "exec"), scope)
    told: list[str] = []

    def chests(host: Host) -> set[BlockPos]:
        blocks = (BlockPos(x, y, z) for x in range(32) for z in range(32) for y in range(-64, -59))
        return {place for place in blocks if host.dimensions.start.block(place).name == "minecraft:chest"}

    host = host_with(told, {"generated": chest}, scope)
    found = chests(host)
    host.dimensions.start.provider.forget()
    assert chests(host) == found
    assert {place.column for place in found} == {ColumnPos(x, z) for x in (0, 1) for z in (0, 1)}
    place = min(found)
    host.set_block(place._replace(y=place.y + 1), BlockState("minecraft:air"))
    assert host.dimensions.start.block(place._replace(y=place.y + 1)).name == "minecraft:torch"
    assert told == []


@pytest.mark.parametrize(("bad", "why"), [(raises, "RuntimeError: no luck"), (never_returns, "took longer than")])
def test_one_that_raises_or_never_returns_is_named_and_left_out(bad: Callable[..., None], why: str) -> None:
    told: list[str] = []
    host = host_with(told, {"generated": bad}, {"generated": chest})
    for x in range(3):
        assert host.dimensions.start.block(BlockPos(x * 16, GRASS_Y - 1, 0)).name == "minecraft:chest"
        assert host.dimensions.start.block(BlockPos(x * 16, -64, 0)).name == "minecraft:bedrock"
    (sentence,) = told
    assert "mod0.py" in sentence
    assert why in sentence


def test_what_a_mod_does_after_an_edit_is_an_edit() -> None:
    def tower(edit: ModEdit) -> None:
        edit.set_block(edit.x, edit.y + 1, edit.z, "glass")

    told: list[str] = []
    host = host_with(told, {"edited": tower})
    host.set_block(BlockPos(0, 0, 0), GLASS)
    assert [host.dimensions.start.block(BlockPos(0, y, 0)) == GLASS for y in range(3)] == [True, True, False]

    def greedy(edit: ModEdit) -> None:
        for y in range(100):
            edit.set_block(0, y, 1, "glass")

    host = host_with(told, {"edited": greedy})
    host.set_block(BlockPos(0, 0, 0), GLASS)
    assert host.dimensions.start.block(BlockPos(0, 5, 1)).name == "minecraft:air"
    assert len(told) == 1


def test_a_call_that_is_given_up_ends_its_thread() -> None:
    caller = LimitedCaller("late")
    with pytest.raises(TookTooLong):
        caller.call(lambda: never_returns(None), 0.01)
    assert caller._thread is not None
    caller._thread.join(60.0)
    assert not caller._thread.is_alive()
