"""The servers that are recorded: how each is started, which box is asked for, and what is true of it."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Final
from unittest.mock import patch

import msgspec
import numpy as np
import numpy.typing as npt

from client.connection import opening
from client.connection.opening import session_config
from client.options import Box, Options
from client.report.record import record
from client.session.config import SessionConfig
from client.source import Remote, Source
from net.palette import BlockState, Palette
from net.recording.file import Recording, RecordingWriter
from net.recording.records import OmittedRecord, ReceivedRecord, TimedRecord
from net.space import BlockPos
from net.wire.cursor import Reader
from tests.recordings import PATIENT_S, RADIUS, Arrays, dumped
from tests.support.servers.foreign import (
    ForeignProcess,
    ForeignServer,
    GivenWorld,
    GoServer,
    JsPrismarineServer,
    SerenityServer,
    random_world,
    states_as_settings,
)

BOX: Final = Box(BlockPos(-16, -64, -16), BlockPos(32, 96, 32))
LAYERS: Final = [["minecraft:bedrock", 1], ["minecraft:dirt", 2], ["minecraft:stone", 20]]

ENTITIES_S: Final = 4.0
QUIET_S: Final = 4.0
"""How long no column comes until there are no more."""
PACKET_IDS: Final = 0x3FF
RECIPES: Final = 52
"""The packet's id."""

Check = Callable[[Arrays, ForeignProcess], None]


class Recorded(msgspec.Struct, frozen=True):
    """One server, not started yet."""

    server: ForeignProcess  # started on entering
    check: Check  # fails where a dump is not what the server was given
    box: Box = BOX  # that is dumped
    seconds: float | None = None  # how long it is recorded; None: until everything is settled


def server(name: str, folder: Path) -> Recorded:
    """The server of a recording's name; ``folder`` is its own."""
    kind, protocol = kind_of(name)
    return MAKERS[kind](protocol, folder)


def made(name: str, folder: Path) -> tuple[Path, Arrays, Box]:
    """Records a server anew into ``folder``: the file, a dump of it that is what the server was given, and its box."""
    chosen, path = server(name, folder), folder / "session.cscope"
    with chosen.server as process:
        where, options = Remote("127.0.0.1", process.port), Options(radius=RADIUS, timeout_s=PATIENT_S)
        until = "settled" if chosen.seconds is None else "interrupted"
        with patch.object(opening, "session_config", _patient):
            report = record(where, path, options, until, chosen.seconds, chosen.box)
        assert report.complete, report
        arrays = dumped(path, chosen.box)
        chosen.check(arrays, process)
    leave_out_recipes(path)
    return path, arrays, chosen.box


def _patient(source: Source, options: Options, protocol: int) -> SessionConfig:
    """A server on a busy machine pauses between columns: without the last ones, light at the edge is another."""
    return msgspec.structs.replace(session_config(source, options, protocol), quiet_s=QUIET_S)


def leave_out_recipes(path: Path) -> None:
    """Takes recipes, which no viewer reads, out of a recording: half of what a server says at the start."""
    with Recording.open(path) as recording:
        header, entries = recording.header, list(recording.entries())
    writer = RecordingWriter(header)
    for entry in entries:
        packet = entry.record.packet if isinstance(entry.record, ReceivedRecord) else b""
        recipes = packet and Reader(packet, "packet").uv32() & PACKET_IDS == RECIPES
        writer.add(TimedRecord(entry.time_us, OmittedRecord(1)) if recipes else entry)
    path.write_bytes(writer.front + writer.flush())


def kind_of(name: str) -> tuple[str, int]:
    """The server's key in ``MAKERS``, and its protocol."""
    kind, _, protocol = name.removesuffix("-hashed").rpartition("-")
    return kind, int(protocol)


def nine_columns(seed: int, protocol: int, *, hashed: bool = False) -> GivenWorld:
    """``random_world`` in the middle and the corners; of the columns between them the lowest sub-chunk alone."""
    world = random_world(1, seed, protocol, hashed=hashed)
    for sections in (world.blocks, world.liquids, world.biomes):
        for at in [at for at in sections if (at[0] + at[2]) % 2 and at[1] > -4]:
            del sections[at]
    return world


def flat_world(protocol: int) -> GivenWorld:
    """Sixteen layers of stone in nine columns, four blocks below the player."""
    palette = Palette.for_protocol(protocol)
    world = GivenWorld(spawn=(8.5, 4.0, 8.5), air=palette.air)
    stone = palette.runtime_id_of(BlockState("minecraft:stone"))
    for x, z in itertools.product((-1, 0, 1), repeat=2):
        world.blocks[x, -1, z] = np.full(4096, stone, np.uint32)
        world.biomes[x, -1, z] = np.ones(4096, np.uint32)
    return world


def _npm(protocol: int, folder: Path) -> Recorded:
    """By order, limited; hashed ones without limit, split, in reverse and one in ten "not found" at first."""
    version = {486: "1.18.11", 582: "1.19.80", 1001: "1.26.30", 2193: "1.26.51"}[protocol]
    hashed = protocol == 582
    world = nine_columns(seed=protocol, protocol=protocol, hashed=hashed)
    faults = {"split": 3, "reverse": True, "missingShare": 0.1, "seed": 3} if hashed else {}
    mode = "limitless" if hashed else "limited"
    return Recorded(
        ForeignServer(world, folder, version=version, mode=mode, faults=faults, hashed=hashed), _as_given(world)
    )


def _gophertunnel(protocol: int, folder: Path) -> Recorded:
    world = nine_columns(seed=11, protocol=protocol)
    settings = {"world": world.as_settings(), "mode": "limited", "limitForm": "index"}
    return Recorded(GoServer(f"gophertunnel{protocol}", folder, **settings), _as_given(world))


def _dragonfly(protocol: int, folder: Path) -> Recorded:
    world = nine_columns(seed=protocol, protocol=protocol)
    settings = {"world": world.as_settings(), "states": states_as_settings(protocol)}
    return Recorded(GoServer(f"dragonfly{protocol}", folder, **settings), _as_given(world))


def _dragonfly_entities(protocol: int, folder: Path) -> Recorded:
    settings = {"world": flat_world(protocol).as_settings(), "states": states_as_settings(protocol), "entities": True}
    return Recorded(GoServer(f"dragonfly{protocol}", folder, **settings), _anything, seconds=ENTITIES_S)


def _serenity_entities(protocol: int, folder: Path) -> Recorded:
    settings = {"world": flat_world(protocol).as_settings(), "states": states_as_settings(protocol), "entities": True}
    return Recorded(SerenityServer(folder, **settings), _anything, seconds=ENTITIES_S)


def _anything(_arrays: Arrays, _process: ForeignProcess) -> None:
    """What these recordings are about are entities; a test of the client looks at them."""


def _serenity(protocol: int, folder: Path) -> Recorded:
    """It numbers states by hashes, so that names are what is compared, but for the few that it has not."""
    world = nine_columns(seed=protocol, protocol=protocol)
    palette = Palette.for_protocol(protocol)

    def check(arrays: Arrays, process: ForeignProcess) -> None:
        truth = world.expected(BOX)
        strange = {event["name"] for event in process.events_called("unknown")} | {"minecraft:unknown"}
        expected = np.array([state.name for state in palette.states])[truth["blocks"]]
        assert ((arrays["names"][arrays["blocks"]] == expected) | np.isin(expected, list(strange))).all()

    settings = {"world": world.as_settings(), "states": states_as_settings(protocol)}
    return Recorded(SerenityServer(folder, **settings), check)


def _jsprismarine(_protocol: int, folder: Path) -> Recorded:
    """Its ids are its own, so that numbers are what is compared."""
    box = Box(BlockPos(-16, -64, -16), BlockPos(16, 48, 16))

    def check(arrays: Arrays, process: ForeignProcess) -> None:
        (said,) = process.events_called("layers")
        numbers = arrays["runtime_ids"].astype(np.int64)[arrays["blocks"]]
        at = -box.low.y
        for number, (_, thickness) in zip(said["ids"], LAYERS, strict=True):
            assert (numbers[:, :, at : at + thickness] == number).all()
            at += thickness

    return Recorded(JsPrismarineServer(folder, layers=LAYERS), check, box)


def _as_given(world: GivenWorld) -> Check:
    def check(arrays: Arrays, _process: ForeignProcess) -> None:
        truth, numbers = world.expected(BOX), arrays["runtime_ids"].astype(np.int64)
        for layer in ("blocks", "layer1"):
            got: npt.NDArray[np.int64] = numbers[arrays[layer]]
            assert (got == truth[layer]).all(), layer
        assert (arrays["biomes"] == truth["biomes"]).all()

    return check


MAKERS: Final[dict[str, Callable[[int, Path], Recorded]]] = {
    "bedrock-protocol": _npm,
    "gophertunnel": _gophertunnel,
    "dragonfly": _dragonfly,
    "serenity": _serenity,
    "jsprismarine": _jsprismarine,
    "dragonfly-entities": _dragonfly_entities,
    "serenity-entities": _serenity_entities,
}
