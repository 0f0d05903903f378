"""GL contexts of simulated drivers: one that is out of memory, one that was reset, one without image copies."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from render.gpu import Gpu
from render.gpu.gl import RESET_STATUS


class _Failing:
    """A moderngl context that reports an error after each new 3D texture or buffer; otherwise the real context."""

    def __init__(self, ctx: Any, buffers: bool) -> None:
        self._ctx, self._buffers = ctx, buffers
        self._error: str | None = None

    def texture3d(self, *arguments: Any, **options: Any) -> Any:
        """Creates the texture and reports that memory ran out."""
        self._error = "GL_OUT_OF_MEMORY"
        return self._ctx.texture3d(*arguments, **options)

    def buffer(self, *arguments: Any, **options: Any) -> Any:
        """Creates the buffer and reports that memory ran out, unless buffers are exempt."""
        if self._buffers:
            self._error = "GL_OUT_OF_MEMORY"
        return self._ctx.buffer(*arguments, **options)

    @property
    def error(self) -> str:
        """The error of the last call; reading it clears it."""
        error, self._error = self._error, None
        return error or self._ctx.error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)


@contextmanager
def without_memory(gpu: Gpu, buffers: bool = True) -> Iterator[None]:
    """Within this context each new 3D texture fails with GL_OUT_OF_MEMORY; so do buffers unless excluded."""
    real = gpu.ctx
    gpu.ctx = _Failing(real, buffers)
    try:
        yield
    finally:
        gpu.ctx = real


@contextmanager
def reset(gpu: Gpu, status: int = 0x8255) -> Iterator[None]:
    """Within this context the driver reports a reset."""
    real = dict(gpu.raw.entries)
    gpu.raw.entries[RESET_STATUS] = lambda: status
    try:
        yield
    finally:
        gpu.raw.entries.clear()
        gpu.raw.entries.update(real)


def without_copies(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulates a GL below 4.3, where textures are copied through the CPU."""
    monkeypatch.setattr(gpu.raw, "_copy", None)
    assert not gpu.raw.copies_images
