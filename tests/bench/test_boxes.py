"""A box read at once beside its blocks read one by one. Target (issue 19): 32 x 32 x 80 blocks in less than 5 ms."""

from collections.abc import Callable, Iterator
from time import process_time

import pytest

from client.connection.connection import Connection
from tests.support.bench.gates import gate, gated
from tests.support.session.virtual import VirtualSession

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
