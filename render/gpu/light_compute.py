"""The light kernels in compute shaders (GL 4.3): from block-ID bricks to light bricks, with a flag for each brick.

Theory. A cell's light is the maximum over all sources of the level that arrives by the cheapest path. Daylight of 15
exists only straight below the sky (``light_sky``); given that, every path loses at least 1 a cell and is at most 14
cells long. Cells that may have lost light, all within one sub-chunk of the change, restart with their own light; all
others keep their light, which is right (``light_start``). From there light only rises, brick by brick, to the same
fixed point as the CPU kernels', bit for bit and in any order (``light_rise``).

Rules:
1. Each pass of ``light_rise`` completes all paths that cross one more border than before. A path of 14 cells crosses at
   most 14, so ``PASSES`` always suffice. Each pass writes the list of bricks for the next; a pass with an empty list
   costs an empty dispatch.
2. A step reads nothing back. The flags (the value of a brick that is uniform) are read after a fence behind the step;
   until then the brick is kept.
3. The caller names the sub-chunks of a step: those that changed, and all that their light may reach.

Limits: 65,535 sub-chunks a step.
"""

from typing import Any, Final

import msgspec
import numpy as np

from client.light.tables import LightTables
from net.arrays import I32, U32
from render.gpu import gl
from render.gpu.brick_volume import PagedVolume
from render.gpu.device import Gpu, Unit
from render.gpu.textures import BufferTexture

PASSES: Final = 15
MOST_SEATS: Final = 65535
COLUMN_WORDS: Final = 11
SEAT_WORDS: Final = 10
SKY_WORDS: Final = 128
NO_BRICK: Final = 0xFFFFFFFF

RAISE: Final = 1
LOST: Final = 2
RESET: Final = 4

MIXED: Final = 0xFFFFFFFE
UNTOUCHED: Final = 0xFFFFFFFF

Words = U32


class LightComputeStep(msgspec.Struct, frozen=True):
    """What one step deals with; a seat is ``column * tall + section``, the lowest section first."""

    # int32[columns, 11] x, z, and the nine columns around by (dx + 1) * 3 + dz + 1, -1 for
    # none; those that changed come first
    columns: I32
    changed: int  # how many changed
    tall: int  # sections of each that take part, from the floor
    sections: int  # sections there are
    floor: int  # absolute y of the lowest, in sub-chunks
    # uint32[columns * tall, 10] brick, or ``NO_BRICK`` for what always stays dark; what it held
    # (``PagedVolume.hold``); daylight that enters its top, 16 words of 16 bits
    seats: Words
    modes: Words  # uint32[columns * tall] RAISE, LOST, RESET or nothing


class LightCompute:
    """Programs and buffers. Owner thread only."""

    def __init__(self, gpu: Gpu, blocks: PagedVolume, light: PagedVolume) -> None:
        """Compiles; ``gpu.capabilities.computes`` must hold. The volumes stay their owner's."""
        self._gpu = gpu
        self._blocks, self._light = blocks, light
        self._sky, self._start, self._rise = (gpu.compute(f"light_{stage}.comp") for stage in ("sky", "start", "rise"))
        self._traits: BufferTexture | None = None
        self._buffers: list[Any] = []
        self._free_flags: list[Any] = []

    def set_tables(self, tables: LightTables) -> None:
        """What each dense id passes on and sends out."""
        traits = np.empty((len(tables.packed), 2), np.uint32)
        traits[:, 0] = tables.packed
        low, high = tables.emission & 0x0F0F, tables.emission & 0xF0F0
        traits[:, 1] = low | high.astype(np.uint32) << 12 | tables.dims.astype(np.uint32) << 24
        if self._traits is not None and self._traits.bytes < traits.nbytes:
            self._traits.release()
            self._traits = None
        if self._traits is None:
            self._traits = BufferTexture(self._gpu, "light traits", Unit.LIGHT_TRAITS, gl.RG32UI, traits.nbytes)
        self._traits.write(traits, 0)

    def run(self, step: LightComputeStep) -> "LightComputeFlags":
        """Submits a step. Both page tables are flushed; ``set_tables`` was called."""
        assert self._traits is not None, "set_tables comes first"
        seats = len(step.seats)
        flags = self._bind(step)
        for program in (self._sky, self._start, self._rise):
            _set(program, "twin_light_mask", self._light.table_mask)
            _set(program, "twin_block_mask", self._blocks.table_mask)
            _set(program, "tall", step.tall)
            _set(program, "floor_section", step.floor)
        _set(self._sky, "sections", step.sections)
        _set(self._start, "changed_columns", step.changed)
        _set(self._rise, "seat_count", seats)
        barrier = self._gpu.ctx.memory_barrier
        self._sky.run(step.changed)
        barrier()
        self._start.run(seats)
        for number in range(PASSES):
            barrier()
            _set(self._rise, "pass_number", number)
            self._rise.run_indirect(self._buffers[5], number * 12)
        barrier()
        return LightComputeFlags(self._gpu, flags, seats, self._free_flags)

    def release(self) -> None:
        """Frees the buffers; every ``LightComputeFlags`` was read or dropped."""
        if self._traits is not None:
            self._traits.release()
        for buffer in (*self._buffers, *self._free_flags):
            buffer.release()

    def _bind(self, step: LightComputeStep) -> Any:
        """Writes what the step takes, binds everything; gives the buffer for its flags."""
        seats = len(step.seats)
        work = np.zeros((seats, 2), np.uint32)
        work[:, 0] = step.modes
        turns = np.ones((PASSES + 1, 3), np.uint32)
        turns[:, 0] = 0
        given: list[tuple[Words | None, int]] = [
            (np.ascontiguousarray(step.columns).view(np.uint32), step.columns.nbytes),
            (step.seats, step.seats.nbytes),
            (work, work.nbytes),
            (None, step.changed * step.tall * SKY_WORDS * 4),
            (None, seats * 8),
            (turns, turns.nbytes),
        ]
        for number, (content, size_bytes) in enumerate(given):
            if number == len(self._buffers):
                self._buffers.append(self._gpu.ctx.buffer(reserve=size_bytes, dynamic=True))
                self._buffers[number].label = f"light step {number}"
            elif self._buffers[number].size < size_bytes:
                self._buffers[number].orphan(size_bytes)
            if content is not None:
                self._buffers[number].write(content)
            self._buffers[number].bind_to_storage_buffer(number)
        if not self._free_flags:
            self._free_flags.append(self._gpu.ctx.buffer(reserve=seats * 4, dynamic=True))
            self._free_flags[-1].label = "light flags"
        flags = self._free_flags.pop()
        if flags.size < seats * 4:
            flags.orphan(seats * 4)
        flags.bind_to_storage_buffer(len(given))
        self._blocks.bind()
        self._light.bind()
        self._light.bind_image(0)
        assert self._traits is not None
        self._traits.bind()
        return flags


class LightComputeFlags:
    """Flags of one step on their way back; read or dropped once."""

    def __init__(self, gpu: Gpu, buffer: Any, seats: int, free: list[Any]) -> None:
        self._gpu, self._buffer, self._seats, self._free = gpu, buffer, seats, free
        self._fence = gpu.raw.fence()

    @property
    def arrived(self) -> bool:
        """Whether reading them would not wait."""
        return self._gpu.raw.passed(self._fence)

    def read(self) -> Words:
        """uint32[seats] a brick's one value, ``MIXED``, or ``UNTOUCHED`` where the step did not write."""
        if not self.arrived:
            self._gpu.wait()
        flags = np.frombuffer(self._buffer.read(self._seats * 4), np.uint32)
        self.drop()
        return flags

    def drop(self) -> None:
        """Gives the buffer back unread."""
        self._gpu.raw.delete_fence(self._fence)
        self._free.append(self._buffer)


def _set(program: Any, name: str, value: int | tuple[int, int, int]) -> None:
    """Sets a uniform that the compiler may have left out."""
    if name in program:
        program[name].value = value
