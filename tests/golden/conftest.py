"""One context and one darkroom a module, as in ``tests/gpu``: two contexts never live at a time.

``--accept`` writes pictures that are missing or differ.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from render.gpu import Gpu
from tests.support.golden_pictures import Goldens
from tests.support.scene_world import Darkroom

HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write the golden pictures that are missing or differ")


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


@pytest.fixture(scope="module")
def goldens(context: Gpu, pytestconfig: pytest.Config) -> Goldens:
    accept = bool(pytestconfig.getoption("--accept", default=False))
    return Goldens(HERE / "baselines", HERE / "failed", context, accept)
