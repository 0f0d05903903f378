"""A server nobody here wrote, as a child process: npm ``bedrock-protocol`` with ``prismarine-chunk``.

The world it is given is made here, so that a dump can be compared with it block by block. The child ends when its
stdin closes; without Node.js or the packages the test is skipped, or fails with ``CHUNKSCOPE_REQUIRE_PEERS=1``.
"""

import base64
import json
import os
import queue
import shutil
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pytest

SCRIPT = Path(__file__).parents[1] / "interop" / "bedrock_protocol" / "server.cjs"
PACKAGES = Path(os.environ.get("CHUNKSCOPE_NPM", Path(__file__).parents[2] / ".cache" / "npm"))
READY_WITHIN_S = 60.0
AIR = 134
"""Runtime id of air at 486 (wire.md 6.1)."""

Ids = npt.NDArray[np.uint32]


@dataclass(slots=True)
class GivenWorld:
    """What the server is given: runtime ids and biomes by sub-chunk, order x << 8 | z << 4 | y.

    Attributes:
        spawn: eye position in blocks.
        blocks: layer 0 of each sub-chunk that is not all air.
        liquids: layer 1 of those that have one.
        biomes: of each sub-chunk in ``blocks``; elsewhere the server sends biome 1.
    """

    spawn: tuple[float, float, float]
    blocks: dict[tuple[int, int, int], Ids] = field(default_factory=dict)
    liquids: dict[tuple[int, int, int], Ids] = field(default_factory=dict)
    biomes: dict[tuple[int, int, int], Ids] = field(default_factory=dict)

    def as_settings(self) -> dict[str, Any]:
        """The form the script reads."""
        return {"spawn": list(self.spawn), "sections": [self._section(at) for at in self.blocks]}

    def _section(self, at: tuple[int, int, int]) -> dict[str, Any]:
        layers = [self.blocks[at]] + ([self.liquids[at]] if at in self.liquids else [])
        return {
            **dict(zip("xyz", at, strict=True)),
            "layers": [_text(layer) for layer in layers],
            "biomes": _text(self.biomes[at]),
        }


def _text(ids: Ids) -> str:
    return base64.b64encode(np.ascontiguousarray(ids, "<u4").tobytes()).decode()


def random_world(radius: int, seed: int, states: int = 7946) -> GivenWorld:
    """Columns of every palette width, some with liquids in layer 1, biomes that change inside a sub-chunk."""
    rng = np.random.default_rng(seed)
    world = GivenWorld(spawn=(8.5, 100.0, 8.5))
    kinds = (1, 2, 3, 7, 15, 30, 60, 200, 400)
    for x in range(-radius, radius + 1):
        for z in range(-radius, radius + 1):
            for y in range(-4, int(rng.integers(0, 5))):
                at = (x, y, z)
                palette = rng.integers(0, states, kinds[int(rng.integers(len(kinds)))], dtype=np.uint32)
                palette[0] = AIR  # so that sight and request walk get through
                chosen = np.where(rng.random(4096) < 0.5, palette[0], rng.choice(palette, 4096))
                if (chosen == AIR).all():
                    chosen[0] = 7177
                world.blocks[at] = chosen.astype(np.uint32)
                if rng.random() < 0.3:
                    water = rng.random(4096) < 0.2
                    world.liquids[at] = np.where(water, 7666 + rng.integers(0, 16, 4096), AIR).astype(np.uint32)
                world.biomes[at] = rng.integers(0, 1 + int(rng.integers(1, 6)), 4096).astype(np.uint32)
    return world


class ForeignServer:
    """One running peer, as a context manager; ``address`` is where it listens."""

    def __init__(self, world: GivenWorld, folder: Path, version: str = "1.18.11", **settings: Any) -> None:
        """Prepares the settings file in ``folder``; the process starts on entering."""
        self._settings = folder / "settings.json"
        self._settings.write_text(json.dumps({"version": version, "world": world.as_settings(), **settings}))
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.events: list[dict[str, Any]] = []
        self.port = 0

    @property
    def source(self) -> str:
        """As SOURCE on a command line."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        node = shutil.which("node")
        if node is None or not (PACKAGES / "node_modules" / "bedrock-protocol").is_dir():
            reason = "npm bedrock-protocol is not installed (./check installs it where npm is)"
            if os.environ.get("CHUNKSCOPE_REQUIRE_PEERS") == "1":
                pytest.fail(reason)
            pytest.skip(reason)
        self._child = subprocess.Popen(
            [node, str(SCRIPT), str(self._settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "CHUNKSCOPE_NPM": str(PACKAGES)},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        while not self.port:
            self.port = json.loads(self._lines.get(timeout=READY_WITHIN_S)).get("port", 0)
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

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            if not line.startswith("{"):
                continue  # its native RakNet prints a harmless line about a socket
            said = json.loads(line)
            if "port" in said:
                self._lines.put(line)
            else:
                self.events.append(said)
