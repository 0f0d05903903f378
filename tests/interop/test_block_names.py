"""What blocks of 1.18.10 are called today, against two tables that nobody here wrote.

worldupgrader (of dragonfly) brings states up to date by pmmp's schemas, made by comparing what the vendor's servers
read and write. minecraft-data says for each release which block of the Java edition a state is (Geyser's mappings): a
state and what it became are the same one.
"""

import json
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from net.palette import BlockState, Palette, ReleaseWords
from tests.support.servers.foreign import built_in_go, minecraft_data

pytestmark = pytest.mark.interop

OLD = 486
TODAY = 2193
BITS_OF_FACES = ("glow_lichen", "sculk_vein")
"""Their bits changed in 1.18.10 itself: both tables take states of this release for older ones."""
OTHERWISE_IN_JAVA = {
    "brown_mushroom_block": "the later file shows other faces for the same bits",
    "red_mushroom_block": "the same",
    "flower_pot": "the plant is a block entity",
    "jigsaw": "the earlier file has one row for all",
    "noteblock": "the tune is a block entity",
    "sculk_sensor": "the earlier file has one row for all",
    "skull": "the kind is a block entity",
}
RENAMED_IN_JAVA = {"minecraft:chain": "minecraft:iron_chain", "minecraft:grass": "minecraft:short_grass"}


@cache
def _become(protocol: int) -> Callable[[BlockState], BlockState | None]:
    palette = Palette.for_protocol(protocol)
    words = ReleaseWords(palette)

    def become(state: BlockState) -> BlockState | None:
        found = words.find(state)
        return None if found is None else palette.state_of(found)

    return become


def _bare(state: BlockState) -> str:
    return state.name.removeprefix("minecraft:")


def _typed(value: int | str | bool) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"type": "byte", "value": int(value)}
    return {"type": "int" if isinstance(value, int) else "string", "value": value}


def test_each_state_becomes_what_worldupgrader_says() -> None:
    states = [state for state in Palette.for_protocol(OLD).states if _bare(state) not in BITS_OF_FACES]
    said = [{"name": _bare(state), "states": {key: _typed(value) for key, value in state.states}} for state in states]
    program = [built_in_go("dragonfly2168"), "--upgrade"]
    done = subprocess.run(program, input=json.dumps(said), capture_output=True, text=True, check=True, timeout=60)
    become = _become(TODAY)
    wrong = []
    for state, today in zip(states, json.loads(done.stdout), strict=True):
        values = {key: value["value"] for key, value in today["states"].items()}
        found = become(state)
        if found is None or (_bare(found), dict(found.states)) != (today["name"], values):
            wrong.append((str(state), str(found), today))
    assert wrong == []


def test_each_state_stays_the_block_that_it_is_in_the_java_edition() -> None:
    before, after = (minecraft_data(version, "blocksB2J.json") for version in ("1.18.11", "1.26.30"))
    become = _become(1001)
    wrong, compared = [], 0
    for state in Palette.for_protocol(OLD).states:
        if _bare(state) in OTHERWISE_IN_JAVA or _bare(state) in BITS_OF_FACES:
            continue
        found = become(state)
        assert found is not None, state
        if (old := before.get(_row(state))) and (new := after.get(_row(found))):
            compared += 1
            (old_name, old_values), (new_name, new_values) = _java(old), _java(new)
            shared = old_values.keys() & new_values.keys()
            if old_name != new_name or any(old_values[key] != new_values[key] for key in shared):
                wrong.append((str(state), str(found), old, new))
    assert wrong == []
    assert compared > 6000


def _row(state: BlockState) -> str:
    values = (f"{key}={value if isinstance(value, str) else int(value)}" for key, value in state.states)
    return f"{state.name}[{','.join(values)}]"


def _java(row: str) -> tuple[str, Mapping[str, str]]:
    name, _, values = row.removesuffix("]").partition("[")
    return RENAMED_IN_JAVA.get(name, name), dict(value.split("=") for value in values.split(",") if value)
