"""Hashes of columns that one process makes: ``python -m tests.support.world_hashes WORLD ORDER``.

``WORLD`` is that of the server, ``hills:1``, or another dimension of it, ``hills:1/2``. ``ORDER`` is ``rings``,
``backwards`` or a seed of a shuffle; with ``twice`` after it each column is made again at the end, after others have
gone through the generator's caches. One line of JSON: hash by column, the same for the same blocks and biomes.
"""

import hashlib
import json
import random
import sys

from net.server.worlds import ServerWorld, open_worlds
from net.space.positions import ColumnPos

PLACES = [(x, z) for x in range(-6, 6) for z in range(-6, 6)] + [
    (200 + x, -300 + z) for x in range(4) for z in range(4)
]
"""Around the spawn with its landmarks, and far from it; trees and houses cross the borders of regions of 4 x 4."""


def opened(name: str) -> ServerWorld:
    """The world of such a name."""
    world, _, number = name.partition("/")
    return open_worlds(world)[int(number or 0)]


def hash_of(world: ServerWorld, position: ColumnPos) -> str:
    """Of names and states, not of numbers: what a player sees."""
    column = world.column(position)
    made = hashlib.blake2b(digest_size=16)
    for state in world.states:
        made.update(repr(state).encode())
    made.update(column.layer0.astype("<u2").tobytes())
    made.update(b"none" if column.layer1 is None else column.layer1.astype("<u2").tobytes())
    made.update(column.biomes.astype("<u2").tobytes())
    return made.hexdigest()


def in_order(order: str) -> list[tuple[int, int]]:
    """The places as one process asks for them."""
    if order == "rings":
        return PLACES
    if order == "backwards":
        return PLACES[::-1]
    return random.Random(order).sample(PLACES, len(PLACES))


def main() -> None:
    name, order, *again = sys.argv[1:]
    world = opened(name)
    hashes = {f"{x} {z}": hash_of(world, ColumnPos(x, z)) for x, z in in_order(order)}
    for x, z in in_order("again") if again else ():
        assert hash_of(world, ColumnPos(x, z)) == hashes[f"{x} {z}"], (x, z)
    sys.stdout.write(json.dumps(hashes) + "\n")


if __name__ == "__main__":
    main()
