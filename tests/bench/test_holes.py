"""Holes at rest on the bench world, radius 12: from 64 poses no ray of a full sphere may end in a placeholder.

Each pose is one of a client's that has seen little else: eight clients join at eight places, and go to seven more
beside. A third of the poses stands on the ground, a third 40 blocks above, a third in the caves below.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from client.player import Eye, View
from net.server.worlds.bench import FLOOR_Y, BenchWorld
from render.bench.streaming import SPHERE_RAYS, holes
from tests.support.session.virtual import StreamedWorld

pytestmark = [pytest.mark.bench, pytest.mark.counts]

RADIUS = 12
COLUMNS = 2 * RADIUS + 5
CLIENTS, POSES_EACH = 8, 8
ABOVE_BLOCKS = 40
EYE_BLOCKS = 1.62
STEP_BLOCKS = 11


@pytest.fixture(scope="module")
def world() -> BenchWorld:
    return BenchWorld(1, COLUMNS)


def open_at(world: BenchWorld, x: int, z: int, kind: int) -> float:
    """Height of an eye in the air of a block column: on its ground, above, or in its deepest cave."""
    blocks = world.layers()[0][x + COLUMNS // 2 * 16, z + COLUMNS // 2 * 16]
    ground = int(np.flatnonzero(blocks)[-1]) + FLOOR_Y + 1
    caves = np.flatnonzero((blocks[1:-1] == 0) & (blocks[2:] == 0)) + 1 + FLOOR_Y
    caves = caves[caves < ground - 4]
    deepest = int(caves[0]) if len(caves) else ground
    return (ground, ground + ABOVE_BLOCKS, deepest)[kind] + EYE_BLOCKS


def poses(world: BenchWorld, client: int) -> Iterator[View]:
    """The places of one client, a few blocks apart, in an eighth of the middle of the world."""
    at_x, at_z = (client % 4 - 2) * 44, (client // 4 - 1) * 88
    for number, (dx, dz) in enumerate(product(range(4), range(2))):
        x, z = at_x + dx * STEP_BLOCKS, at_z + dz * 4 * STEP_BLOCKS
        yield View(Eye(x + 0.5, open_at(world, x, z, (client + number) % 3), z + 0.5))


@pytest.mark.parametrize("mode", ["limited", "limitless"])
def test_at_rest_no_ray_from_64_poses_ends_in_a_placeholder(world: BenchWorld, mode: str) -> None:
    found = {}
    for client in range(CLIENTS):
        streamed = StreamedWorld(world, RADIUS, mode, 0.05)
        connection = streamed.connection
        for view in poses(world, client):
            connection.look(view)
            assert connection.wait_settled(120.0)
            assert connection.session.movement.eye == view.eye
            found[view.eye] = holes(connection.session.dimension.store, view, connection.session.radius)
    print(f"\n{mode}: {sum(found.values())} of {len(found) * SPHERE_RAYS} rays from {len(found)} poses end in a hole")
    assert len(found) == CLIENTS * POSES_EACH
    assert not any(found.values()), {eye: count for eye, count in found.items() if count}
