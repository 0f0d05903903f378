"""A box read at once beside its blocks read one by one. Target (issue 19): 32 x 32 x 80 blocks in less than 5 ms.

Finding and comparing what is loaded. Targets (issue 24): find at radius 16 in 0.2 s, diff of 1,000 columns in 3 s.

Measured over fewer columns, of two worlds that differ almost everywhere, and scaled to that many.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from time import process_time

import pytest

from client.connection.boxes import count_blocks
from client.connection.connection import Connection
from client.options import USUAL_DIFF_ARRAYS, Options
from client.report.diff import Comparison, World
from client.session.config import SessionConfig
from net.server.host_options import HostOptions
from tests.support.bench.gates import gate, gated
from tests.support.session.virtual import SWIFT, VirtualSession

pytestmark = pytest.mark.bench

BOXES = {"aligned": (0, 0, 0, 32, 80, 32), "across": (5, -3, 7, 37, 77, 39)}
BLOCKS_MS = 5.0
LIGHT_MS = 20.0
FIND_MS = 100.0
ROUNDS = 9


@pytest.fixture(scope="module")
def world() -> Iterator[Connection]:
    with VirtualSession("hills:1").connection() as world:
        assert world.wait_settled()
        yield world


def best_ms(task: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = process_time()
        task()
        times.append(1000 * (process_time() - start))
    return min(times)


@pytest.mark.parametrize("where", BOXES)
@gated
def test_a_box_is_read_in_a_few_milliseconds(world: Connection, where: str) -> None:
    box = BOXES[where]
    blocks_ms, light_ms = best_ms(lambda: world.blocks(box)), best_ms(lambda: world.light(box))
    find_ms = best_ms(lambda: world.find("diamond_ore"))
    print(
        f"\n{where:<8} blocks {blocks_ms:.2f} ms, light {light_ms:.2f} ms; find in all that is known {find_ms:.2f} ms"
    )
    gate("blocks, ms", blocks_ms, BLOCKS_MS)
    gate("light, ms", light_ms, LIGHT_MS)
    gate("find, ms", find_ms, FIND_MS)


# --------------------------------------------------------------------- test find and diff


RADIUS = 5
FOUND_COLUMNS = 33 * 33
FIND_S = 0.2
DIFF_COLUMNS = 1000
DIFF_S = 3.0


@pytest.fixture(scope="module")
def worlds() -> Iterator[tuple[Connection, Connection]]:
    with ExitStack() as opened:
        joined = []
        for name in ("hills:1", "hills:2"):
            host, session = HostOptions(radius_max=RADIUS + 1), SessionConfig(radius=RADIUS, player=SWIFT)
            world = opened.enter_context(
                VirtualSession(name, host, session).connection(Options(radius=RADIUS, light=False))
            )
            assert world.wait_settled()
            joined.append(world)
        yield joined[0], joined[1]


@gated
def test_find_is_done_before_one_notices(worlds: tuple[Connection, Connection]) -> None:
    store, ids = worlds[0].session.dimension.store, worlds[0].ids("stone")
    start = process_time()
    found = count_blocks(store, ids, None, 0)
    seconds = (process_time() - start) * FOUND_COLUMNS / len(store.row_of)
    print(f"\nfind: {found.counts.sum()} blocks; {seconds:.3f} s at radius 16")
    gate("find, s", seconds, FIND_S)


@gated
def test_two_worlds_are_compared_in_seconds(worlds: tuple[Connection, Connection]) -> None:
    a, b = (World(each.session.dimension.store, each.session.dimension.light, {}, each.protocol) for each in worlds)
    start = process_time()
    comparison = Comparison(a, b)
    differences = [comparison.difference(what) for what in USUAL_DIFF_ARRAYS]
    seconds = (process_time() - start) * DIFF_COLUMNS / len(a.store.row_of)
    print(f"\ndiff: {differences[0].count} blocks differ; {seconds:.2f} s for {DIFF_COLUMNS} columns")
    gate("diff, s", seconds, DIFF_S)
