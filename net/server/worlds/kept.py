"""Worlds whose generated columns are cached on disk between runs, so that each is made once; a ``ServerWorld``.

Rules:
1. A cached column is not generated: it needs no steps of work and no neighbours.
2. A cached column is bit for bit what was generated. Deleting the cache changes only the time.
3. A cache belongs to one generator: ``stamp_of`` changes with its source code, its seed and its states.
4. Values calculated once for a world (``once``) are cached beside the columns.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib import resources
from typing import Protocol

import msgspec
import numpy as np

from net.palette import BlockState
from net.server.worlds.world import GeneratedColumn, ServerWorld, Spawn, SteppedWorld
from net.space import BLOCKS_PER_SUBCHUNK, BlockIds, ColumnPos, Dimension


class KeptBytes(Protocol):
    """The cache of a world: ``net.storage.generated_columns``."""

    def get(self, key: bytes) -> bytes | None:
        """The content under a key; None if there is none any more."""

    def holds(self, key: bytes) -> bool:
        """Whether the key has content, damaged or not."""

    def put(self, key: bytes, content: bytes, *, once: bool = False) -> None:
        """Stores content; ``once``: it is one for the whole world, not for a column."""


class _Kept(msgspec.Struct, array_like=True):
    """A column as bytes."""

    layer0: bytes
    layer1: bytes
    biomes: bytes
    section_biomes: bytes
    entities: dict[int, dict[int, bytes]]


class KeptWorld:
    """See the module. ``world``: the generator. ``kept``: the cache, shared with its other dimensions."""

    def __init__(self, world: ServerWorld, kept: KeptBytes) -> None:
        self._world = world
        self._kept = kept
        self._space = f"{world.dimension.number} ".encode()

    @property
    def name(self) -> str:
        return self._world.name

    @property
    def dimension(self) -> Dimension:
        return self._world.dimension

    @property
    def states(self) -> tuple[BlockState, ...]:
        return self._world.states

    @cached_property
    def spawn(self) -> Spawn:
        """See ``ServerWorld``; cached because generators search for it."""
        found = self.once("spawn", lambda: msgspec.msgpack.encode(self._world.spawn))
        return msgspec.msgpack.decode(found, type=Spawn)

    def once(self, name: str, calculate: Callable[[], bytes]) -> bytes:
        """A cached value for the whole world; calculated if it is missing."""
        key = self._space + name.encode()
        found = self._kept.get(key)
        if found is None:
            found = calculate()
            self._kept.put(key, found, once=True)
        return found

    def column(self, position: ColumnPos) -> GeneratedColumn:
        key = self._key(position)
        found = self._kept.get(key)
        if found is not None:
            return _read(found)
        made = self._world.column(position)
        self._kept.put(key, _written(made))
        return made

    def steps(self, position: ColumnPos) -> Iterator[None]:
        if isinstance(self._world, SteppedWorld) and not self._kept.holds(self._key(position)):
            yield from self._world.steps(position)

    def _key(self, position: ColumnPos) -> bytes:
        return self._space + f"{position.x} {position.z}".encode()


def _written(column: GeneratedColumn) -> bytes:
    layer1, below = column.layer1, column.section_biomes
    return msgspec.msgpack.encode(
        _Kept(
            column.layer0.astype("<u2").tobytes(),
            b"" if layer1 is None else layer1.astype("<u2").tobytes(),
            column.biomes.astype("<u2").tobytes(),
            b"" if below is None else below.astype("<u2").tobytes(),
            {section: dict(entities) for section, entities in column.entities.items()},
        )
    )


def _read(data: bytes) -> GeneratedColumn:
    kept = msgspec.msgpack.decode(data, type=_Kept)
    layer0 = _sections(kept.layer0)
    return GeneratedColumn(
        layer0,
        _sections(kept.layer1) if kept.layer1 else None,
        np.frombuffer(kept.biomes, "<u2").astype(np.uint16),
        _sections(kept.section_biomes) if kept.section_biomes else None,
        kept.entities,
    )


def _sections(data: bytes) -> BlockIds:
    return np.frombuffer(data, "<u2").astype(np.uint16).reshape(-1, BLOCKS_PER_SUBCHUNK)


def stamp_of(world: ServerWorld) -> str:
    """A hash that changes with everything that changes the columns of a world."""
    return hashlib.sha256(f"{world.name} {world.states} {_program()}".encode()).hexdigest()


@cache
def _program() -> str:
    """Hash of the source code of all generators."""
    found = hashlib.sha256()
    folder = resources.files("net.server.worlds")
    for part in (folder, folder / "hills"):
        for file in sorted(part.iterdir(), key=lambda one: one.name):
            if file.name.endswith(".py"):
                found.update(file.read_bytes())
    return found.hexdigest()
