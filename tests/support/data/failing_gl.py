"""A GL context that simulates a driver without memory, or without an entry point."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from render.gpu import Gpu
from render.gpu.gl import RESET_STATUS


class _Failing:
    """A moderngl context that reports one error for every 3D texture and buffer made, and is the real one otherwise."""

    def __init__(self, ctx: Any, buffers: bool) -> None:
        self._ctx, self._buffers = ctx, buffers
        self._error: str | None = None

    def texture3d(self, *arguments: Any, **options: Any) -> Any:
        """The texture, as if the driver had not found room for it."""
        self._error = "GL_OUT_OF_MEMORY"
        return self._ctx.texture3d(*arguments, **options)

    def buffer(self, *arguments: Any, **options: Any) -> Any:
        """The buffer, likewise."""
        if self._buffers:
            self._error = "GL_OUT_OF_MEMORY"
        return self._ctx.buffer(*arguments, **options)

    @property
    def error(self) -> str:
        """The error of the last call, once."""
        error, self._error = self._error, None
        return error or self._ctx.error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)


@contextmanager
def without_memory(gpu: Gpu, buffers: bool = True) -> Iterator[None]:
    """Inside, every new 3D texture fails with GL_OUT_OF_MEMORY, and every buffer, unless those are spared."""
    real = gpu.ctx
    gpu.ctx = _Failing(real, buffers)
    try:
        yield
    finally:
        gpu.ctx = real


@contextmanager
def reset(gpu: Gpu, status: int = 0x8255) -> Iterator[None]:
    """Inside, the driver says that it was reset."""
    real = dict(gpu.raw.entries)
    gpu.raw.entries[RESET_STATUS] = lambda: status
    try:
        yield
    finally:
        gpu.raw.entries.clear()
        gpu.raw.entries.update(real)


def without_copies(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """As below GL 4.3: textures are copied through the CPU."""
    monkeypatch.setattr(gpu.raw, "_copy", None)
    assert not gpu.raw.copies_images
