"""Worlds whose generated columns are cached on disk between runs, so that each is made once; a ``ServerWorld``.

Rules:
1. A cached column is not generated: it needs no steps of work and no neighbours.
2. A cached column is bit for bit what was generated. Deleting the cache changes only the time.
3. A cache belongs to one generator: ``stamp_of`` changes with its source code, its seed and its states.
4. The spawn is cached beside the columns, because generators search for it.
"""

import hashlib
from collections.abc import Iterator
from functools import cache, cached_property
from importlib import resources
from typing import Final

import msgspec
import numpy as np

from net.arrays import BlockIds
from net.server.worlds.world import GeneratedColumn, ServerWorld, Spawn, SteppedWorld
from net.space import BLOCKS_PER_SUBCHUNK, ColumnPos
from net.storage.generated_columns import GeneratedColumns

WIDE: Final = "<u2"
"""The type of stored ids, whatever machine reads them."""


class _Kept(msgspec.Struct, array_like=True):
    """A column as bytes: a fifth of what its arrays hold, which is unpacked and checked in a quarter of the time."""

    dtype: str  # of blocks: one byte each while all ids fit, else two
    layer0: bytes  # from the floor up to the highest section with a block
    layer1: bytes | None  # likewise
    biomes: bytes
    section_biomes: bytes | None
    entities: dict[int, dict[int, bytes]]


class KeptWorld:
    """See the module. ``world``: the generator. ``kept``: the cache, shared with its other dimensions."""

    def __init__(self, world: ServerWorld, kept: GeneratedColumns) -> None:
        self._world = world
        self._kept = kept
        self._stepped = world if isinstance(world, SteppedWorld) else None  # not per column: it costs 50 us
        self._space = f"{world.dimension.number} ".encode()
        self.name = world.name
        self.dimension = world.dimension
        self.states = world.states

    @cached_property
    def spawn(self) -> Spawn:
        key = self._space + b"spawn"
        found = self._kept.get(key)
        if found is None:
            found = msgspec.msgpack.encode(self._world.spawn)
            self._kept.put(key, found, once=True)
        return msgspec.msgpack.decode(found, type=Spawn)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        key = self._key(position)
        found = self._kept.get(key)
        if found is not None:
            return _read(found, self.dimension.sections)
        made = self._world.column(position)
        self._kept.put(key, _written(made))
        return made

    def steps(self, position: ColumnPos) -> Iterator[None]:
        if self._stepped is not None and not self._kept.holds(self._key(position)):
            yield from self._stepped.steps(position)

    def _key(self, position: ColumnPos) -> bytes:
        return self._space + f"{position.x} {position.z}".encode()


def _written(column: GeneratedColumn) -> bytes:
    layer1, below = column.layer1, column.section_biomes
    highest_id = max(int(layer.max()) for layer in (column.layer0, layer1) if layer is not None)
    dtype = "u1" if highest_id < 256 else WIDE
    return msgspec.msgpack.encode(
        _Kept(
            dtype,
            _up_to_the_highest(column.layer0).astype(dtype).tobytes(),
            None if layer1 is None else _up_to_the_highest(layer1).astype(dtype).tobytes(),
            column.biomes.astype(WIDE).tobytes(),
            None if below is None else below.astype(WIDE).tobytes(),
            {section: dict(entities) for section, entities in column.entities.items()},
        )
    )


def _read(data: bytes, sections: int) -> GeneratedColumn:
    kept = msgspec.msgpack.decode(data, type=_Kept)
    return GeneratedColumn(
        _sections(kept.layer0, kept.dtype, sections),
        None if kept.layer1 is None else _sections(kept.layer1, kept.dtype, sections),
        np.frombuffer(kept.biomes, WIDE).astype(np.uint16),
        None if kept.section_biomes is None else _sections(kept.section_biomes, WIDE, sections),
        kept.entities,
    )


def _up_to_the_highest(layer: BlockIds) -> BlockIds:
    filled = np.flatnonzero(layer.any(axis=1))
    return layer[: filled[-1] + 1] if len(filled) else layer[:0]


def _sections(data: bytes, dtype: str, sections: int) -> BlockIds:
    """The array of a layer; sections that are not in ``data`` are zero."""
    whole = np.zeros((sections, BLOCKS_PER_SUBCHUNK), np.uint16)
    found = np.frombuffer(data, dtype).reshape(-1, BLOCKS_PER_SUBCHUNK)
    whole[: len(found)] = found
    return whole


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
