"""Servers and clients of other projects as child processes, controlled with lines of JSON.

Rules:
1. The process prints {"port": N} on stdout once it listens, and one line {"event": ...} for each event that a test
   reads; other lines are log output and are skipped.
2. It ends when its stdin closes; after ten seconds it is killed.
3. If a tool or package that it needs is missing, the test is skipped with the reason; with
   ``CHUNKSCOPE_REQUIRE_PEERS=1`` it fails.

- ``ForeignServer``: npm ``bedrock-protocol`` with ``prismarine-chunk`` (tests/interop/bedrock_protocol).
- ``GoServer``: gophertunnel's listener and dragonfly (tests/interop/<name>). ``./check`` builds them into
  ``.cache/go/bin``; tests only run what is there.
- ``SerenityServer`` and ``JsPrismarineServer``: complete servers from npm (tests/interop/<name>).
- ``GivenWorld``: a world that a test makes and passes to such a server as JSON, and the expected content of its dump.
"""

import base64
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pytest

from client.options import Box
from net.palette import Palette

# ---------------------------------------------------------------- foreign process

READY_WITHIN_S = 200.0
CACHE = Path(__file__).parents[3] / ".cache"


def missing_peer(reason: str) -> None:
    """Skips the test, or fails it if peers are required."""
    if os.environ.get("CHUNKSCOPE_REQUIRE_PEERS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


class ForeignProcess:
    """One running peer, as a context manager."""

    def __init__(
        self, command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """The process starts on entering.

        Args:
            command: program and arguments.
            folder: working directory.
            environment: variables added to those of this process.
        """
        self._command = list(command)
        self._folder = folder
        self._environment = {**os.environ, **(environment or {})}
        self._ports: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._log = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - closed on leaving
        self.events: list[dict[str, Any]] = []
        self._told = threading.Condition()  # notified of each event
        self.port = 0

    @property
    def source(self) -> str:
        """Its address as SOURCE of a command."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._child = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        port = self._ports.get(timeout=READY_WITHIN_S)
        if port is None:
            log = self.log()
            self.__exit__(None, None, None)
            pytest.fail(f"{self._command[0]} ended before it listened:\n{log}")
        self.port = port
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        try:
            self._child.wait(10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._reader.join()
        self._child.stdout.close()
        self._log.close()

    def log(self) -> str:
        """Its stderr so far."""
        self._log.seek(0)
        return self._log.read()

    def events_called(self, name: str) -> list[dict[str, Any]]:
        """The events of that name so far."""
        return [event for event in self.events if event["event"] == name]

    def wait_event(self, name: str, within_s: float = READY_WITHIN_S) -> None:
        """Waits for an event of that name."""
        with self._told:
            assert self._told.wait_for(lambda: self.events_called(name), within_s), f"no '{name}':\n{self.log()}"

    def wait_ended(self, within_s: float) -> None:
        """Waits until it has ended by itself and all its events are in ``events``."""
        self._child.wait(within_s)
        self._reader.join()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            if not line.startswith("{"):
                continue  # a native RakNet prints a harmless line about a socket
            try:
                said = json.loads(line)
            except ValueError:
                continue  # a log that looks like JSON
            if "port" in said:
                self._ports.put(said["port"])
            elif "event" in said:
                with self._told:
                    self.events.append(said)
                    self._told.notify_all()
        self._ports.put(None)


# ---------------------------------------------------------------- go server

BINARIES = Path(os.environ.get("CHUNKSCOPE_GO", CACHE / "go" / "bin"))


def built_in_go(name: str) -> Path:
    """The built program of one of those folders; skips or fails the test if it is missing."""
    program = BINARIES / name
    if not program.is_file():
        missing_peer(f"{name} is not built in {BINARIES} (./check builds it where Go is)")
    return program


class GoServer(ForeignProcess):
    """A server in Go, by the name of its folder in tests/interop."""

    def __init__(self, name: str, folder: Path, **settings: Any) -> None:
        """Writes the settings file into ``folder``, which the server also runs in; it starts on entering."""
        path = folder / "settings.json"
        path.write_text(json.dumps(settings))
        super().__init__([str(built_in_go(name)), str(path)], folder)


# ---------------------------------------------------------------- given world

AIR = 134
"""Runtime id of air at 486 (wire.md 6.1)."""

Ids = npt.NDArray[np.uint32]


@dataclass(slots=True)
class GivenWorld:
    """A world for a foreign server: runtime ids and biomes by sub-chunk, in the order x << 8 | z << 4 | y."""

    spawn: tuple[float, float, float]  # eye position in blocks
    # layer 0 of each sub-chunk that is not all air
    blocks: dict[tuple[int, int, int], Ids] = field(default_factory=dict)
    liquids: dict[tuple[int, int, int], Ids] = field(default_factory=dict)  # layer 1, if there is one
    # biomes of each sub-chunk in ``blocks``; elsewhere the server sends biome 1
    biomes: dict[tuple[int, int, int], Ids] = field(default_factory=dict)
    air: int = AIR  # runtime id of air

    def as_settings(self) -> dict[str, Any]:
        """The world as the JSON that servers read."""
        return {"spawn": list(self.spawn), "air": self.air, "sections": [self._section(at) for at in self.blocks]}

    def _section(self, at: tuple[int, int, int]) -> dict[str, Any]:
        layers = [self.blocks[at]] + ([self.liquids[at]] if at in self.liquids else [])
        return {
            **dict(zip("xyz", at, strict=True)),
            "layers": [_text(layer) for layer in layers],
            "biomes": _text(self.biomes[at]),
        }

    def expected(self, box: Box) -> dict[str, npt.NDArray[np.int64]]:
        """Runtime ids of both layers and biomes of a box, indexed [x, z, y]."""
        whole = {
            "blocks": np.full(box.shape, self.air, np.int64),
            "layer1": np.full(box.shape, self.air, np.int64),
            "biomes": np.full(box.shape, 1, np.int64),
        }
        for name, sections in (("blocks", self.blocks), ("layer1", self.liquids), ("biomes", self.biomes)):
            for (x, y, z), ids in sections.items():
                low = np.array((x * 16 - box.low.x, z * 16 - box.low.z, y * 16 - box.low.y))
                if (low >= 0).all() and (low + 16 <= box.shape).all():
                    part = tuple(slice(at, at + 16) for at in low)
                    whole[name][part] = ids.reshape(16, 16, 16)
        return whole


def _text(ids: Ids) -> str:
    return base64.b64encode(np.ascontiguousarray(ids, "<u4").tobytes()).decode()


def random_world(radius: int, seed: int, protocol: int = 486, *, hashed: bool = False) -> GivenWorld:
    """Columns of every palette width, some with liquids in layer 1, biomes that change inside a sub-chunk.

    ``hashed`` says whether ids are hashes.
    """
    rng = np.random.default_rng(seed)
    states = Palette.for_protocol(protocol)
    states = states.hashed() if hashed else states
    stone, water = _ids_of(states, "minecraft:stone")[0], _ids_of(states, "minecraft:water")
    world = GivenWorld(spawn=(8.5, 100.0, 8.5), air=states.air)
    kinds = (1, 2, 3, 7, 15, 30, 60, 200, 400)
    for x in range(-radius, radius + 1):
        for z in range(-radius, radius + 1):
            for y in range(-4, int(rng.integers(0, 5))):
                at = (x, y, z)
                palette = states.runtime_ids[rng.integers(0, len(states), kinds[int(rng.integers(len(kinds)))])]
                palette[0] = states.air  # so that rays and the request walk get through
                chosen = np.where(rng.random(4096) < 0.5, palette[0], rng.choice(palette, 4096))
                if (chosen == states.air).all():
                    chosen[0] = stone
                world.blocks[at] = chosen.astype(np.uint32)
                if rng.random() < 0.3:
                    wet = rng.random(4096) < 0.2
                    world.liquids[at] = np.where(wet, rng.choice(water, 4096), states.air).astype(np.uint32)
                world.biomes[at] = rng.integers(0, 1 + int(rng.integers(1, 6)), 4096).astype(np.uint32)
    return world


def add_every_state(world: GivenWorld, protocol: int) -> None:
    """Puts each state of a palette once into the lowest sub-chunks of column 0, 0."""
    states = Palette.for_protocol(protocol)
    everything = np.full(-(-len(states) // 4096) * 4096, states.air, np.uint32)
    everything[: len(states)] = np.arange(len(states))
    for y, ids in enumerate(everything.reshape(-1, 4096), -4):
        world.blocks[0, y, 0] = ids
        world.biomes[0, y, 0] = np.ones(4096, np.uint32)
        world.liquids.pop((0, y, 0), None)


def states_as_settings(protocol: int) -> list[dict[str, Any]]:
    """Name and values of each state by runtime id, for a server that looks states up in its own palette."""
    return [{"name": state.name, "states": dict(state.states)} for state in Palette.for_protocol(protocol).states]


def _ids_of(palette: Palette, name: str) -> npt.NDArray[np.uint32]:
    named = np.array([state.name == name for state in palette.states])
    return palette.runtime_ids[named].astype(np.uint32)


# ---------------------------------------------------------------- foreign server

SCRIPTS = Path(__file__).parents[2] / "interop"
PACKAGES = Path(os.environ.get("CHUNKSCOPE_NPM", CACHE / "npm"))


def node_command(script: Path, packages: Path, package: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """The command and the environment of a Node.js peer; skips where Node.js or its package is missing.

    Args:
        script: the program.
        packages: folder that contains ``node_modules``.
        package: the package that it needs.
        arguments: arguments of the script.
    """
    node = shutil.which("node")
    if node is None or not (packages / "node_modules" / package).is_dir():
        missing_peer(f"npm {package} is not installed in {packages} (./check installs it where npm is)")
    return [str(node), str(script), *arguments], {"CHUNKSCOPE_NPM": str(packages)}


def minecraft_data(version: str, name: str) -> Any:
    """A table of npm minecraft-data, which bedrock-protocol brings along; skips where it is missing."""
    path = PACKAGES / "node_modules/minecraft-data/minecraft-data/data/bedrock" / version / name
    if not path.is_file():
        missing_peer(f"{path} is missing (./check installs npm bedrock-protocol, which brings it, where npm is)")
    return json.loads(path.read_text())


class ForeignServer(ForeignProcess):
    """A server of npm bedrock-protocol with a given world."""

    def __init__(self, world: GivenWorld, folder: Path, version: str = "1.18.11", **settings: Any) -> None:
        """Writes the settings file into ``folder``; the process starts on entering."""
        path = folder / "settings.json"
        path.write_text(json.dumps({"version": version, "world": world.as_settings(), **settings}))
        script = SCRIPTS / "bedrock_protocol" / "server.cjs"
        command, environment = node_command(script, PACKAGES, "bedrock-protocol", str(path))
        super().__init__(command, folder, environment)


# ---------------------------------------------------------------- npm server


class SerenityServer(ForeignProcess):
    """SerenityJS of 1.26.20 (975)."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        """Writes the settings file into ``folder``; it starts on entering."""
        super().__init__(*_command("serenity/server.cjs", "@serenityjs/core", folder, settings))


class JsPrismarineServer(ForeignProcess):
    """JSPrismarine of 1.21.40 (748)."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        """Writes the settings file into ``folder``, where the server keeps its own files too."""
        super().__init__(*_command("jsprismarine/server.mjs", "@jsprismarine/server", folder, settings))


def _command(
    script: str, package: str, folder: Path, settings: dict[str, Any]
) -> tuple[list[str], Path, dict[str, str]]:
    path = folder / "settings.json"
    path.write_text(json.dumps(settings))
    packages = CACHE / f"npm-{script.partition('/')[0]}"
    command, environment = node_command(SCRIPTS / script, packages, package, str(path))
    return command, folder, environment
