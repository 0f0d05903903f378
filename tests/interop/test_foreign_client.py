"""A client nobody here wrote joins our server: what prismarine-chunk decodes is what the world's generator made.

Clients nobody here wrote see each other and our animals, and build on our server.
"""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from net.arrays import RuntimeIds
from net.palette import BlockState, Palette
from net.server.host_options import ColumnMode, HostOptions, IdForm
from net.server.worlds import ServerWorld, open_worlds
from net.server.worlds.world import FlatWorld
from net.space import ColumnPos
from tests.support.data.shared import form_of
from tests.support.servers.foreign import PACKAGES, SCRIPTS, ForeignProcess, node_command
from tests.support.servers.process import threaded_server

pytestmark = pytest.mark.interop

WORLD = "hills:1"
RADIUS = 2
VERSIONS = {
    486: "1.18.11",
    527: "1.19.1",
    582: "1.19.80",
    649: "1.20.61",
    686: "1.21.2",
    819: "1.21.93",
    944: "1.26.10",
    1001: "1.26.30",
    2169: "1.26.45",
    2193: "1.26.51",
}
"""minecraft-data's name of each release that is tried."""
BORROWED_NAMES = {2169, 2193}
"""Where minecraft-data has the block states of 1001: its names belong to other ids."""
MODES = [mode.value for mode in ColumnMode]
BY_ORDER = [(486, mode) for mode in MODES] + [(late, MODES[at % 3]) for at, late in enumerate(VERSIONS) if late > 486]
BY_HASH = [(late, MODES[(at + 1) % 3]) for at, late in enumerate(VERSIONS) if late >= 582]
CASES = [(*case, IdForm.ORDER) for case in BY_ORDER] + [(*case, IdForm.HASH) for case in BY_HASH]
OF_A_RUN = {(486, IdForm.ORDER), (686, IdForm.ORDER), (582, IdForm.HASH), (1001, IdForm.HASH), (2193, IdForm.HASH)}
"""Releases that each run tries; the others are tried at night."""


@pytest.mark.parametrize(
    ("protocol", "mode", "ids"),
    [pytest.param(*case, marks=[] if case[::2] in OF_A_RUN else pytest.mark.nightly) for case in CASES],
)
def test_what_it_decodes_is_what_was_generated(tmp_path: Path, protocol: int, mode: str, ids: IdForm) -> None:
    world, palette = open_worlds(WORLD)[0], Palette.for_protocol(protocol)
    if ids is IdForm.HASH:
        palette = palette.hashed()
    centre = ColumnPos(int(world.spawn.feet[0] // 16), int(world.spawn.feet[2] // 16))
    steps = range(-RADIUS, RADIUS + 1)
    wanted = [ColumnPos(centre.x + dx, centre.z + dz) for dx in steps for dz in steps]
    with threaded_server(world, protocol, HostOptions(mode=ColumnMode(mode), ids=ids)) as port:
        decoded = join(tmp_path, port, protocol, wanted)
    assert {ColumnPos(column["x"], column["z"]) for column in decoded["columns"]} == set(wanted)
    runtime_ids = form_of(palette, world.states).runtime_ids
    for column in decoded["columns"]:
        assert column["mode"] == mode
        compare(world, column, runtime_ids)
    assert decoded["hashed"] is (ids is IdForm.HASH)
    assert decoded["items"]
    names = {int(number): normal(block_state(**state)) for number, state in decoded["names"].items()}
    assert len(names) > 20
    if ids is IdForm.HASH or protocol not in BORROWED_NAMES:  # a hash belongs to a name, wherever it is listed
        assert names == {number: normal(known(palette, number)) for number in names}
    if protocol == 486:
        assert set(names.values()) <= {normal(state) for state in world.states}


@pytest.mark.parametrize(("protocol", "number", "name"), [(486, 1, "nether"), (1001, 2, "the_end")])
def test_it_crosses_into_another_dimension_and_decodes_what_is_there(
    tmp_path: Path, protocol: int, number: int, name: str
) -> None:
    worlds = open_worlds(WORLD)
    there = worlds[number]
    x, y, z = there.spawn.feet
    steps = range(-RADIUS, RADIUS + 1)
    wanted = [ColumnPos(int(x // 16) + dx, int(z // 16) + dz) for dx in steps for dz in steps]
    with threaded_server(worlds[0], protocol, HostOptions(), worlds[1:]) as port:
        crossing = {"dimension": number, "command": f"/dimension {name}"}
        decoded, events = join_and_tell(tmp_path, port, protocol, wanted, crossing)
    told = [event for event in events if event.get("event") in {"dimension", "output", "action"}]
    place = {"x": x, "y": pytest.approx(y + 1.62), "z": z}
    changed = {"event": "dimension", "dimension": number, "position": place, "screen": 1 if protocol >= 712 else None}
    output = {"event": "output", "line": f"You are going to the {there.dimension.name}.", "request": "cross"}
    done = [{"event": "action", "action": "dimension_change_ack"}] if protocol >= 560 else []
    assert told == [output, changed, *done]
    assert {ColumnPos(column["x"], column["z"]) for column in decoded["columns"]} == set(wanted)
    runtime_ids = form_of(Palette.for_protocol(protocol), there.states).runtime_ids
    for column in decoded["columns"]:
        compare(there, column, runtime_ids)


def join(folder: Path, port: int, protocol: int, columns: list[ColumnPos]) -> Any:
    """Runs the client to its end and reads what it wrote."""
    return join_and_tell(folder, port, protocol, columns, {})[0]


def join_and_tell(
    folder: Path, port: int, protocol: int, columns: list[ColumnPos], more: dict[str, Any]
) -> tuple[Any, list[dict[str, Any]]]:
    """The same with other settings, and all that it said."""
    settings = {
        "version": VERSIONS[protocol],
        "port": port,
        "radius": RADIUS + 2,
        "columns": columns,
        "out": str(folder / "decoded.json"),
        **more,
    }
    (folder / "client.json").write_text(json.dumps(settings))
    script = SCRIPTS / "bedrock_protocol" / "client.cjs"
    command, environment = node_command(script, PACKAGES, "bedrock-protocol", str(folder / "client.json"))
    with ForeignProcess(command, folder, environment) as client:
        client.wait_ended(60)
        assert not client.events_called("error"), client.events_called("error")[:3]
        assert client.events_called("done"), client.log()
        told = client.events
    return json.loads((folder / "decoded.json").read_text()), told


def known(palette: Palette, number: int) -> BlockState:
    """The state of an id that the palette must hold."""
    state = palette.state_of(number)
    assert state is not None, number
    return state


def block_state(name: str, states: dict[str, Any]) -> BlockState:
    """A state of minecraft-data's list as ours are written."""
    return BlockState(f"minecraft:{name}", tuple(states.items()))


def normal(state: BlockState) -> str:
    """A state as text, its values in the order of their names; a byte is its number."""
    values = sorted((key, int(value) if isinstance(value, bool) else value) for key, value in state.states)
    return json.dumps([state.name, values])


def ids(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(base64.b64decode(text), "<u4")


def compare(world: ServerWorld, column: dict[str, Any], runtime_ids: RuntimeIds) -> None:
    """One decoded column with the generator's, block by block and biome by biome."""
    made = world.column(ColumnPos(column["x"], column["z"]))
    floor = world.dimension.floor_section
    for index, section in enumerate(made.layer0):
        layers = [section] if made.layer1 is None or not made.layer1[index].any() else [section, made.layer1[index]]
        got = column["sections"].get(str(floor + index), [])
        biomes = ids(column["biomes"][index])
        assert (biomes.reshape(256, 16) == made.biomes[:, None]).all()
        if not got and not section.any() and len(layers) == 1:
            continue  # air, or above what was announced
        for layer, text in zip(layers, got, strict=True):
            assert (ids(text) == runtime_ids[layer]).all(), (column["x"], floor + index, column["z"])


# --------------------------------------------------------------------- test foreign builders


GLASS = BlockState("minecraft:glass")
GRASS_Y = -61


def client(folder: Path, port: int, protocol: int, name: str, block: int) -> ForeignProcess:
    """One that builds, where it is given a block."""
    settings = {
        "version": VERSIONS[protocol],
        "port": port,
        "name": name,
        "block": block,
        "place": [2, GRASS_Y, 1],
        "eye": [0.5, GRASS_Y + 2.62, 0.5],
        "new_items": protocol >= 1001,
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps(settings))
    script = SCRIPTS / "bedrock_protocol" / "builder.cjs"
    command, environment = node_command(script, PACKAGES, "bedrock-protocol", str(path))
    return ForeignProcess(command, folder, environment)


@pytest.mark.parametrize("protocol", [486, 649, 819, 944, 1001, 2193])
def test_it_sees_others_and_animals_and_builds(tmp_path: Path, protocol: int) -> None:
    glass = Palette.for_protocol(protocol).runtime_id_of(GLASS) or 0
    options = HostOptions(mode=ColumnMode.FULL, animals=4)
    with (
        threaded_server(FlatWorld(), protocol, options) as port,
        client(tmp_path, port, protocol, "watcher", 0) as watcher,
    ):
        watcher.wait_event("animal", 60)
        with client(tmp_path, port, protocol, "builder", glass) as builder:
            for name in ("listed", "player", "block"):
                watcher.wait_event(name, 60)
            builder.wait_event("player", 60)
            builder.wait_event("block", 60)
            place = {"x": 2, "y": GRASS_Y + 1, "z": 1, "layer": 0}
            assert watcher.events_called("block")[0] == {"event": "block", **place, "id": glass}
            assert watcher.events_called("player")[0]["name"] == "builder"
            assert watcher.events_called("animal")[0]["type"].startswith("minecraft:")
            assert watcher.events_called("error") == builder.events_called("error") == []
        watcher.wait_event("wandered", 60)
