"""What entities cost a client: memory of ten thousand, and moves of a second beside what they replace.

Ceilings (issue 21): 10,000 tracked take less than 8 MB; 1,000 moves are applied in less than 3 ms. The first is
counted; of the second, which hangs on the machine, a ratio: a move with the rest costs a fraction of a move alone.
"""

import gc
import random
import time
import tracemalloc

import pytest

from client.entities.table import Entities
from net.bedrock import AddActor, EntityValue, MoveActorAbsolute
from net.bedrock.packets.entity_values import ValueType

pytestmark = [pytest.mark.bench, pytest.mark.counts]

TRACKED = 10_000
MOST_MB = 8.0
MOVES, TICKS = 1000, 20
TOGETHER = 0.5
"""Of what moves cost that are applied one by one."""
TYPES = ("cow", "pig", "sheep", "zombie", "bat")


def values(at: int) -> tuple[EntityValue, ...]:
    """Some forty values, as a vanilla server sends them; every tenth has a name."""
    name = f"number {at}" if at % 10 == 0 else ""
    return (
        EntityValue(0, ValueType.LONG, 1 << 14 | 1 << 47 | at % 3),
        EntityValue(4, ValueType.STRING, name),
        EntityValue(1, ValueType.INT, at % 20),
        *(EntityValue(key, ValueType.FLOAT, 0.9) for key in (38, 53, 54, 111)),
        *(EntityValue(key, ValueType.BYTE, 0) for key in range(60, 90)),
        EntityValue(56, ValueType.VECTOR, (0.0, 0.0, 0.0)),
        EntityValue(92, ValueType.LONG, 0),
    )


def filled() -> Entities:
    table, chance = Entities(486), random.Random(1)
    for at in range(10, TRACKED + 10):
        place = (chance.uniform(-50, 50), 64.0, chance.uniform(-50, 50))
        table.receive(AddActor(-at, at, f"minecraft:{TYPES[at % 5]}", place, metadata=values(at)), at, 0.0)
    return table


def test_ten_thousand_entities_take_less_than_eight_megabytes() -> None:
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    table = filled()
    gc.collect()
    taken_mb = (tracemalloc.get_traced_memory()[0] - before) / 1e6
    tracemalloc.stop()
    print(f"\n{len(table)} entities take {taken_mb:.2f} MB, and say {table.size_bytes / 1e6:.2f} MB")
    assert len(table) == TRACKED
    assert taken_mb < MOST_MB
    assert taken_mb * 0.7 < table.size_bytes / 1e6 < taken_mb * 1.3


def test_moves_are_applied_together() -> None:
    table, chance = filled(), random.Random(2)
    moves = [
        MoveActorAbsolute(chance.randrange(10, TRACKED + 10), (chance.uniform(-50, 50), 64.0, 0.0), 1.0, 2.0, 3.0)
        for _ in range(MOVES)
    ]

    def taken_s(batches: int) -> float:
        start = time.thread_time()
        size = MOVES // batches
        for batch in range(batches):
            for move in moves[batch * size : (batch + 1) * size]:
                table.receive(move, 1, batch * 0.05)
            table.apply()
        return time.thread_time() - start

    together = min(taken_s(TICKS) for _ in range(9))
    alone = min(taken_s(MOVES) for _ in range(3))
    print(f"\n1,000 moves a second: {together * 1e3:.2f} ms in {TICKS} batches, {alone * 1e3:.2f} ms one by one")
    assert table.moves >= MOVES
    assert together < alone * TOGETHER
