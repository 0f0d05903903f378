"""Generation is deterministic and idempotent across processes (seed 003), whatever is asked first and how often."""

import json
import subprocess
import sys

import pytest

from net.server.worlds import open_world
from net.space.positions import ColumnPos
from tests.support.world_hashes import PLACES, hash_of


def of_process(world: str, order: str, hash_seed: int, *again: str) -> dict[str, str]:
    """What a process of its own makes; its sets and dicts of strings are in another order."""
    command = [sys.executable, "-m", "tests.support.world_hashes", world, order, *again]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": str(hash_seed)})
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("world", ["hills:1", "hills:77", "hills:77/1", "hills:77/2"])
def test_processes_that_ask_in_different_orders_make_the_same_blocks(world: str) -> None:
    rings, backwards = of_process(world, "rings", 1), of_process(world, "backwards", 2, "twice")
    assert len(rings) == len(PLACES)
    assert len(set(rings.values())) > len(PLACES) // 3  # they are not all alike, so equality says something
    assert rings == backwards == of_process(world, "shuffled", 3)


def test_one_column_alone_is_what_it_is_among_others() -> None:
    among = of_process("hills:1", "rings", 4)
    for x, z in ((-6, 5), (0, 0), (3, -4), (203, -297)):
        assert hash_of(open_world("hills:1"), ColumnPos(x, z)) == among[f"{x} {z}"]
