"""One context a module, and after every test: no GL error left behind, nothing dropped without release."""

from collections.abc import Iterator

import pytest

from render.gpu import Gpu


@pytest.fixture(scope="module")
def context() -> Iterator[Gpu]:
    gpu = Gpu.standalone()
    yield gpu
    gpu.release()


@pytest.fixture
def gpu(context: Gpu) -> Iterator[Gpu]:
    context.check()
    yield context
    context.check()
    assert context.leaks() == 0
