"""At rest no ray ends where nothing is known, and nothing that a ray hits is left out of what is drawn.

Maze world: A world to look through: walls with a few holes, air, rock, at random; sight lines in it are long and
crooked.
"""

from functools import cache

import numpy as np
import pytest

from client.player import Eye, View
from client.session.config import SessionConfig
from client.streaming.anchors import Anchor
from client.streaming.limits import RequestLimits
from client.visibility.walk import Walk
from net.server.faults import ServerFaults
from net.server.options import ColumnMode, HostOptions
from net.server.worlds.world import GeneratedColumn, Spawn, subchunks_of, table_of
from net.space.dimensions import OVERWORLD
from net.space.positions import ColumnPos
from render.bench.rays import cast, sphere_rays
from tests.support.session.virtual import SWIFT, VirtualSession

# ---------------------------------------------------------------- maze world

BLOCKS = table_of("air bedrock")
ROCK = 1
TOP_SECTIONS = 7
"""Sub-chunks over the floor that may hold blocks."""


class MazeWorld:
    """Each column of its own chance; endless."""

    dimension = OVERWORLD
    states = tuple(BLOCKS.values())

    def __init__(self, seed: int) -> None:
        self.name = f"maze:{seed}"
        self._seed = seed
        self._column = cache(self._make)

    @property
    def spawn(self) -> Spawn:
        """At the origin, in whatever is there."""
        return Spawn((8.5, 8.0, 8.5), 0.0, 0.0)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """The column of a position."""
        return self._column(position)

    def _make(self, position: ColumnPos) -> GeneratedColumn:
        rng = np.random.default_rng([self._seed, position.x & 0xFFFF, position.z & 0xFFFF])
        blocks = np.zeros((16, 16, OVERWORLD.sections * 16), np.uint16)
        for section in range(int(rng.integers(0, TOP_SECTIONS + 1))):
            _fill(blocks[:, :, section * 16 : section * 16 + 16], rng)
        return GeneratedColumn(subchunks_of(blocks), None, np.ones(256, np.uint16))


def _fill(cells: np.ndarray, rng: np.random.Generator) -> None:
    kind = rng.random()
    if kind < 0.3:
        return
    if kind < 0.4:
        cells[:] = ROCK
        return
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(16))
        index: list[slice] = [slice(None)] * 3
        index[int(rng.integers(3))] = slice(at, at + 1)
        part = cells[tuple(index)]
        part[rng.random(part.shape) < 0.97] = ROCK


# ---------------------------------------------------------------- nothing in sight is left unasked

RADIUS = 2
POSES = 16
RAYS = sphere_rays(3000)


def poses(rng: np.random.Generator) -> list[Eye]:
    """In the maze, in the open above it, over the roof of the world and under its floor; some a step apart."""
    found = []
    for _ in range(POSES):
        y = rng.choice([rng.uniform(-64, 48), rng.uniform(-64, 48), rng.uniform(48, 310), rng.uniform(320, 400), -70.0])
        found.append(Eye(float(rng.uniform(-20, 36)), float(y), float(rng.uniform(-20, 36))))
    for at in range(1, POSES, 3):
        before = found[at - 1]
        found[at] = Eye(*(float(v + rng.uniform(-3, 3)) for v in (before.x, before.y, before.z)))
    return found


@pytest.mark.parametrize("mode", [ColumnMode.LIMITED, ColumnMode.LIMITLESS])
@pytest.mark.parametrize("seed", [1, 2])
def test_rays_from_anywhere_meet_no_placeholder(mode: ColumnMode, seed: int) -> None:
    config = SessionConfig(radius=RADIUS, player=SWIFT, limits=RequestLimits(ticking_radius=0))
    options = HostOptions(mode=mode, faults=ServerFaults(refuse_percent=20, refuse_times=1))
    virtual = VirtualSession(MazeWorld(seed), options, config)
    assert virtual.settle()
    walk, seen_rock = Walk(), 0
    for eye in poses(np.random.default_rng(seed)):
        virtual.session.set_view(View(eye))
        assert virtual.settle(), virtual.session.unsettled(virtual.now)
        store, player = virtual.session.dimension.store, virtual.session.movement.eye
        assert player == eye
        hits = cast(store, player, RAYS)
        within = Anchor.square(player.column, RADIUS).holds(store.columns[hits.places // store.dimension.sections])
        assert not (hits.in_holes & within).any(), f"holes seen from {player}"
        drawn = walk.run(store, player, RADIUS).places
        hit = np.unique(hits.places[hits.on_terrain & within])
        assert np.isin(hit, drawn).all(), f"what is hit from {player} is not drawn"
        seen_rock += len(hit)
    assert seen_rock > 10 * POSES
