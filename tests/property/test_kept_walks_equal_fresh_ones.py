"""What is kept of the walks of player and look-outs is what walking anew would find, whatever happened to the world."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from client.player import Eye
from client.session.request_visibility import RequestVisibility, VisibilityChanges
from client.streaming.anchors import Anchor, AnchorClaim
from client.visibility import walk
from client.visibility.walk import Walk
from net.space.layout import Places
from net.space.positions import ColumnPos
from tests.support.worlds.store import AIR, SEVEN, STONE, StoreWorld

REACH = 4
SECTIONS = range(SEVEN.floor_section, SEVEN.floor_section + SEVEN.sections)
SPOTS = [Eye(8.0, 40.0, 8.0), Eye(9.0, 40.0, 8.0), Eye(-20.0, 8.0, 24.0), Eye(8.0, 200.0, 8.0)]


class Watched(StoreWorld):
    """A world, and those who look at it."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(SEVEN)
        self.rng = rng
        self.watch = VisibilityChanges(self.store)
        self.vistas = RequestVisibility(self.store, Walk())
        self.eye, self.radius = SPOTS[0], 2
        self.pins: dict[str, AnchorClaim] = {}

    def happen(self) -> bool:
        """Something of all that changes a world or who looks at it; whether it is no edit."""
        x, z = (int(v) for v in self.rng.integers(-REACH, REACH + 1, 2))
        position = (x, int(self.rng.choice(SECTIONS)), z)
        known = ColumnPos(x, z) in self.store.row_of
        match int(self.rng.integers(10)):
            case 0:
                self.store.forget(ColumnPos(x, z))
            case 1 | 2:
                self.announce(x, z, None if self.rng.random() < 0.5 else int(self.rng.integers(SEVEN.sections)))
            case 3 | 4 | 5 if known:
                self.answer((position, 6, b"") if self.rng.random() < 0.4 else (position, 1, self.payload(self.rock())))
            case 6 | 7 if known:
                self.dig(position)
                return False
            case 8:
                self.eye, self.radius = SPOTS[int(self.rng.integers(len(SPOTS)))], int(self.rng.integers(1, 4))
            case 9:
                self.pin(x, z)
        return True

    def rock(self) -> np.ndarray:
        """Walls with holes, or all of stone."""
        cells = np.full((16, 16, 16), AIR, np.uint16)
        if self.rng.random() < 0.3:
            cells[:] = STONE
        index = [slice(None)] * 3
        index[int(self.rng.integers(3))] = slice(7, 8)
        cells[tuple(index)] = STONE
        if self.rng.random() < 0.5:
            cells[7, 7, :] = AIR
        return cells.reshape(4096)

    def dig(self, position: tuple[int, int, int]) -> None:
        """A tunnel, or a pillar, of one to sixteen blocks."""
        low = np.array(position) * 16
        cells = low + np.array([[int(self.rng.integers(16))] * 3]) * [1, 0, 1] + np.arange(16)[:, None] * [0, 1, 0]
        cells = cells[: int(self.rng.integers(1, 17))].astype(np.int32)
        layers = np.zeros(len(cells), np.int64)
        packets = np.zeros(len(cells), np.int32)
        block = AIR if self.rng.random() < 0.5 else STONE
        self.store.update_blocks(cells, layers, np.full(len(cells), block, np.int64), packets)

    def pin(self, x: int, z: int) -> None:
        name = "ab"[int(self.rng.integers(2))]
        if self.rng.random() < 0.3:
            self.pins.pop(name, None)
        else:
            eye = Eye(x * 16 + 8.0, float(self.rng.integers(-40, 120)), z * 16 + 8.0)
            self.pins[name] = AnchorClaim(Anchor.square(ColumnPos(x, z), int(self.rng.integers(3))), eye)

    def drain(self) -> bool:
        """Ends a drain; whether somebody looks at what it changed."""
        walk.derive_connectivity(self.store.pools, self.store.finish_drain())
        turn = self.watch.look()
        return self.vistas.note(turn.columns) or turn.ground


def places(vistas: RequestVisibility, world: Watched) -> Places:
    return np.unique(vistas.look(world.eye, world.radius, world.pins))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32))
def test_what_is_kept_is_what_is_there(seed: int) -> None:
    world = Watched(np.random.default_rng(seed))
    for x in range(-2, 3):
        for z in range(-2, 3):
            world.announce(x, z)
    world.drain()
    before = places(world.vistas, world)
    for _ in range(40):
        told = sum(world.happen() for _ in range(int(world.rng.integers(1, 3))))
        concerned = world.drain()
        fresh = places(RequestVisibility(world.store, Walk()), world)
        if not (concerned or told):  # of all but edits the session hears by itself
            assert before.tolist() == fresh.tolist()
        before = places(world.vistas, world)
        assert before.tolist() == fresh.tolist()
