"""What holds for all tests.

Property tests get other examples each time, unless ``--hypothesis-profile repeatable`` says otherwise, as ``./check``
does; ``--examples`` multiplies how many (tests/support/data/examples.py).
"""

import gc
import signal
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

from client import embedded_server
from client.connection import opening
from client.kernel_cache.cache import image_file
from net.kernels import jit  # before a test sets the image: this process keeps Numba's kernels
from net.kernels.place import IMAGE_VARIABLE, is_checked
from render.settings.file import FILE_VARIABLE
from tests.support.data.examples import leave_out_constants_of_modules, multiply_examples, register_profiles

if is_checked():  # before anything of what is tested allocates
    from net.kernels.checked import guard_memory

    guard_memory()
register_profiles()
IMAGE: Final = image_file()
KILLED_WAIT_S: Final = 60.0
"""A killed process takes longer to go on a busy machine; one that still runs is a warning in whichever test is next."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--examples", metavar="FACTOR", type=float, default=1, help="that many times the examples of each property test"
    )


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """By now the profile is chosen."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell; processes would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    embedded_server.KILLED_WAIT_S = KILLED_WAIT_S  # type: ignore[misc] # a constant
    if settings().derandomize:
        leave_out_constants_of_modules()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files of few tests first, which are those of long ones: processes that share files end together."""
    multiply_examples(items, config.getoption("examples"))
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: tests[item.path])


def pytest_collection_finish() -> None:
    """Tests whose garbage is collected do not look through 450 modules each time: a seventh of their processor time."""
    gc.freeze()


@pytest.fixture(scope="session")
def cache_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One folder for each test, the next whenever it is asked; pytest's own numbers look through all that there are."""
    parent = tmp_path_factory.mktemp("caches", numbered=False)
    return (parent / str(number) for number in count())


@pytest.fixture(autouse=True)
def own_cache_folder(cache_folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test finds the terrain of another one, or leaves any to the user."""
    # Processes that a test starts find compiled kernels as a user's do; this one has Numba's (a test may change it).
    monkeypatch.setenv(IMAGE_VARIABLE, str(IMAGE) if jit.IMAGE is None and IMAGE.exists() else "")
    folder = next(cache_folders)
    folder.mkdir()
    monkeypatch.setenv(FILE_VARIABLE, str(folder / "config.toml"))  # nor do a person's settings change what is tested
    monkeypatch.setattr(opening, "cache_folder", lambda: folder)
    monkeypatch.setattr(embedded_server, "cache_folder", lambda: folder.parent)  # our own worlds are always the same
    return folder


@pytest.fixture(autouse=is_checked())
def memory_is_whole() -> Iterator[None]:
    """With ``CHUNKSCOPE_CHECKED=1``: no test writes beside an array."""
    yield
    from net.kernels.checked import guard_memory  # noqa: PLC0415 - Numba

    assert not (found := guard_memory().damage()), found
