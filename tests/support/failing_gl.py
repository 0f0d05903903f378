"""A context whose driver has no memory, or lacks an entry point: what a GPU under load does, on one that is not."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from render.gpu import Gpu


class _Failing:
    """A moderngl context that reports one error for every texture made, and is the real one otherwise."""

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx
        self._error: str | None = None

    def texture3d(self, *arguments: Any, **options: Any) -> Any:
        """The texture, as if the driver had not found room for it."""
        self._error = "GL_OUT_OF_MEMORY"
        return self._ctx.texture3d(*arguments, **options)

    @property
    def error(self) -> str:
        """The error of the last call, once."""
        error, self._error = self._error, None
        return error or self._ctx.error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)


@contextmanager
def without_memory(gpu: Gpu) -> Iterator[None]:
    """Inside, every new 3D texture fails with GL_OUT_OF_MEMORY."""
    real = gpu.ctx
    gpu.ctx = _Failing(real)
    try:
        yield
    finally:
        gpu.ctx = real


def without_copies(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """As below GL 4.3: textures are copied through the CPU."""
    monkeypatch.setattr(gpu.raw, "_copy", None)
    assert not gpu.raw.copies_images
