"""At rest no ray ends where nothing is known, and nothing that a ray hits is left out of what is drawn."""

import numpy as np
import pytest

from client.player import Eye, View
from client.session.config import SessionConfig
from client.streaming.anchors import Anchor
from client.streaming.limits import RequestLimits
from client.visibility.walk import Walk
from net.server.faults import ServerFaults
from net.server.options import ColumnMode, HostOptions
from render.bench.rays import cast, sphere_rays
from tests.support.maze_world import MazeWorld
from tests.support.virtual_session import SWIFT, VirtualSession

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
