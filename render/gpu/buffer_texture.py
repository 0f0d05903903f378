"""A buffer that shaders read by index, growing without losing what it holds (GL 3.1: glTexBuffer)."""

from typing import Any

import numpy as np
import numpy.typing as npt

from render.gpu.device import Gpu, Unit
from render.gpu.errors import OutOfMemory


class BufferTexture:
    """One buffer and the texture that shows it."""

    def __init__(self, gpu: Gpu, label: str, unit: Unit, internal_format: int, size_bytes: int) -> None:
        """An uninitialised buffer of texels like ``gl.RG32UI``. Raises OutOfMemory: the driver has none."""
        self._gpu = gpu
        self._label = label
        self._unit = unit
        self._format = internal_format
        self._texture = gpu.raw.make_buffer_texture()
        self._buffer: Any = self._allocate(size_bytes)
        gpu.raw.label_texture(self._texture, label)
        self.bytes = size_bytes  # its present size

    def _allocate(self, size_bytes: int) -> Any:
        buffer = self._gpu.ctx.buffer(reserve=size_bytes, dynamic=True)
        buffer.label = self._label
        try:
            self._gpu.check()
        except OutOfMemory:
            buffer.release()
            raise
        self._gpu.raw.attach_buffer(self._unit, self._texture, self._format, buffer.glo)
        return buffer

    def grow(self, size_bytes: int) -> None:
        """Makes it larger; the content stays. Raises OutOfMemory: the driver has none; the old buffer goes on."""
        old = self._buffer
        self._buffer = self._allocate(size_bytes)
        self._gpu.ctx.copy_buffer(self._buffer, old, size=self.bytes)
        old.release()
        self.bytes = size_bytes
        self._gpu.check()

    def write(self, content: npt.NDArray[Any], offset_bytes: int) -> None:
        """Puts a contiguous array at an offset."""
        if content.nbytes:
            self._buffer.write(content, offset=offset_bytes)

    def read(self, size_bytes: int, offset_bytes: int = 0) -> npt.NDArray[np.uint8]:
        """Bytes back from the GPU, for tests and checks."""
        self._gpu.wait()
        return np.frombuffer(self._buffer.read(size_bytes, offset=offset_bytes), np.uint8)

    def bind(self) -> None:
        """Binds it to its unit."""
        self._gpu.raw.bind_buffer_texture(self._unit, self._texture)

    def release(self) -> None:
        """Frees both GL objects."""
        self._gpu.raw.delete_texture(self._texture)
        self._buffer.release()
