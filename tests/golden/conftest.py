"""One context and one darkroom a module, as in ``tests/gpu``: two contexts never live at a time."""

from collections.abc import Iterator

import pytest

from render.gpu import Gpu
from tests.support.worlds.scene import Darkroom


@pytest.fixture(scope="module")
def context() -> Iterator[Gpu]:
    gpu = Gpu.standalone()
    yield gpu
    gpu.release()


@pytest.fixture(scope="module")
def open_darkroom(context: Gpu) -> Iterator[Darkroom]:
    darkroom = Darkroom(context)
    yield darkroom
    darkroom.release()
    context.check()
    assert context.leaks() == 0


@pytest.fixture
def darkroom(open_darkroom: Darkroom, context: Gpu) -> Iterator[Darkroom]:
    context.check()
    yield open_darkroom
    context.check()
    assert context.leaks() == 0
