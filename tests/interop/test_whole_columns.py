"""Our client against servers that send whole columns, unencrypted, and have no sub-chunk requests."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from client.options import Box, Options
from client.report.dump import dump
from client.source import Remote
from client.world.lifecycle import SubChunkState
from net.palette import BlockState, Palette
from net.space import BlockPos
from tests.support.servers.foreign import (
    JsPrismarineServer,
    SerenityServer,
    add_every_state,
    random_world,
    states_as_settings,
)

pytestmark = pytest.mark.interop

RADIUS = 1


def places(palette: Palette) -> dict[tuple[str, str], int]:
    """Where each state stands, by its name and its values as a dump writes them."""
    return {(state.name, as_text(dict(state.states))): at for at, state in enumerate(palette.states)}


def as_text(states: dict[str, Any]) -> str:
    return json.dumps(states, sort_keys=True)


def palette_ids(arrays: Any, palette: Palette, layer: str) -> npt.NDArray[np.int64]:
    """Blocks of a dump by their place in a palette, whatever numbers they travelled under; -1 for none of it."""
    place, named = places(palette), zip(arrays["names"], arrays["states"], strict=True)
    return np.array([place.get((str(name), str(states)), -1) for name, states in named], np.int64)[arrays[layer]]


def unknown_to(server: SerenityServer, palette: Palette) -> npt.NDArray[np.bool_]:
    """By place in the palette: whether the server sends something else for that state."""
    place, strange = places(palette), np.zeros(len(palette), np.bool_)
    for event in server.events_called("unknown"):
        strange[place[event["name"], as_text(event["states"])]] = True
    return strange


def test_serenity_sends_hashed_ids_and_every_state_it_knows(tmp_path: Path) -> None:
    """It names 1341 blocks of its own in StartGame, spawns the player early and stops columns below the sky."""
    world = random_world(RADIUS, seed=975, protocol=975)
    add_every_state(world, 975)
    side = 16 * (RADIUS + 1)
    box = Box(BlockPos(16 - side, -64, 16 - side), BlockPos(side, 96, side))
    with SerenityServer(tmp_path, world=world.as_settings(), states=states_as_settings(975)) as server:
        report = dump(Remote("127.0.0.1", server.port), box, tmp_path / "dump.npz", Options(radius=RADIUS + 2))
        assert report.complete, report
    arrays = np.load(tmp_path / "dump.npz")
    truth, palette = world.expected(box), Palette.for_protocol(975)
    strange = unknown_to(server, palette)
    strange[palette.runtime_id_of(BlockState("minecraft:unknown"))] = True  # hashed like others; the game's is fixed
    assert strange.mean() < 0.02
    for layer in ("blocks", "layer1"):
        same = palette_ids(arrays, palette, layer) == truth[layer]
        assert (same | strange[truth[layer]]).all()


def test_jsprismarine_sends_sub_chunks_of_version_8_without_layers(tmp_path: Path) -> None:
    """Columns come twice and before they are asked for, among packets that nobody can read.

    Its ids are its own, so what is compared is numbers.
    """
    layers = [["minecraft:bedrock", 1], ["minecraft:dirt", 2], ["minecraft:stone", 20]]
    box = Box(BlockPos(-16, -64, -16), BlockPos(16, 48, 16))
    with JsPrismarineServer(tmp_path, layers=layers) as server:
        report = dump(Remote("127.0.0.1", server.port), box, tmp_path / "dump.npz", Options(radius=2))
        assert report.complete, report
    (said,) = server.events_called("layers")
    arrays = np.load(tmp_path / "dump.npz")
    runtime_ids = arrays["runtime_ids"].astype(np.int64)[arrays["blocks"]]
    from_y = -box.low.y
    for number, (_, thickness) in zip(said["ids"], layers, strict=True):
        assert (runtime_ids[:, :, from_y : from_y + thickness] == number).all()
        from_y += thickness
    air, its_air = Palette.for_protocol(748).air, said["air"]
    assert (runtime_ids[:, :, : -box.low.y] == air).all(), "sub-chunks without a layer are air"
    assert set(np.unique(runtime_ids[:, :, from_y:])) == {air, its_air}
    assert set(np.unique(arrays["known"])) <= {SubChunkState.DATA, SubChunkState.ALL_AIR, SubChunkState.KNOWN_AIR}
