"""Checks for states that must never occur, run while a world is shown: each gives a count, and positions.

Each check has a test that creates the violation. Checks only read. They take turns, a little each frame.

Rules:
1. A repeated request is allowed after answers 0 or 2 and time-outs, after the received sub-chunk was evicted, after
   result 4, and after a new announcement.
2. An answer is unrequested if the place's history holds no request, or fewer requests than successes. For a place whose
   first events are no longer kept, only certain violations count: no false alarms.
3. Cells count as undrawn only while the scene has no work to do. A cell needs a mesh if it holds something to draw and
   its column is on the GPU, and its mesh must have faces if a side of a sub-chunk in it is wholly opaque and borders
   on air.
4. The light check reads the borders of sub-chunks, ``COLUMNS`` a call, where the light is final and up to date: of two
   neighbouring blocks each has at least the other's level less ``max(1, opacity)``; full daylight goes straight down
   through clear blocks without loss. Light that is too bright, and light made on the GPU, are not checked.
5. While a check has no result, its last positions stay, because the picture settles anew each time the camera goes to
   one of them. A change of dimension starts all checks anew.
"""

from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.light.light_map import LightMap
from client.session.session import Session
from client.world.block_pools import HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER
from client.world.block_table import BlockTable
from client.world.height_maps import HeightVerdict
from client.world.history import KEPT
from client.world.lifecycle import StateEvent
from client.world.places import AROUND
from client.world.store import Store
from net.arrays import I32, U8, Bools, Places
from net.space import BlockPos
from render.scene.cells import CellState
from render.scene.grid import CellIndices, shut_sides
from render.scene.jobs import drawable
from render.scene.scene import Scene
from render.scene.world_view import WorldView

Blocks = I32
"""int32[n, 3] positions of blocks: x, y, z."""
NOWHERE: Final[Blocks] = np.zeros((0, 3), np.int32)


class InvariantFinding(msgspec.Struct, frozen=True, eq=False):
    """The latest result of one check."""

    count: int | None  # number of violations; None while unknown
    places: Blocks = NOWHERE  # a block of each violation that has a position
    said: str = ""  # more information

    @property
    def blocks(self) -> tuple[BlockPos, ...]:
        """The positions, in the order in which they were found."""
        return tuple(BlockPos(*place) for place in self.places.tolist())


def middles(subchunks: I32) -> Blocks:
    """The middle blocks of sub-chunks, int32[n, 3]."""
    return subchunks * np.int32(16) + np.int32(8)


# ---------------------------------------------------------------- asking

ANSWERS: Final = (
    StateEvent.ANSWER_DATA,
    StateEvent.ANSWER_AIR,
    StateEvent.ANSWER_BROKEN,
    StateEvent.ANSWER_REFUSED,
    StateEvent.GIVEN_UP,
)
SUCCEEDING: Final = (StateEvent.ANSWER_DATA, StateEvent.ANSWER_AIR)
SUCCESSES: Final = (1, 6)
PLAYER_UNKNOWN: Final = 4


def asked_twice(session: Session) -> InvariantFinding:
    """Sub-chunks that were requested again without a reason."""
    store = session.dimension.store
    places = store.places_of_rows(store.announced_rows)
    again = places[session.ledger.entries.unexplained(places)]
    causes, codes, held = _events(session, again)
    let_go = ((causes == StateEvent.RELEASED) & held).any(axis=1)
    paused = ((causes == StateEvent.ANSWER_IGNORED) & (codes == PLAYER_UNKNOWN) & held).any(axis=1)
    forgotten = store.history.noted[again] > KEPT
    broken = again[~let_go & ~paused & ~forgotten]
    return InvariantFinding(len(broken), middles(store.positions_of(broken)))


def answered_unasked(session: Session) -> InvariantFinding:
    """Places with answers that no request explains (rule 2)."""
    store = session.dimension.store
    places = store.places_of_rows(store.announced_rows)
    noted = store.history.noted[places]
    places = places[(noted > 0) & (noted <= KEPT)]
    causes, codes, held = _events(session, places)
    ignored = (causes == StateEvent.ANSWER_IGNORED) & held
    repeats = session.dimension.store.history.repeats[places] * held
    succeeded = np.isin(causes, SUCCEEDING) | (ignored & np.isin(codes, SUCCESSES))
    more = (repeats * succeeded).sum(axis=1) > (repeats * (causes == StateEvent.REQUESTED)).sum(axis=1)
    repeated = more & (ignored & np.isin(codes, SUCCESSES)).any(axis=1)
    answered = ((np.isin(causes, ANSWERS) & held) | ignored).any(axis=1)
    asked = ((causes == StateEvent.REQUESTED) & held).any(axis=1)
    broken = places[repeated | (answered & ~asked)]
    return InvariantFinding(
        len(broken), middles(store.positions_of(broken)), f"{session.ledger.stats().unasked} in all"
    )


def _events(session: Session, places: Places) -> tuple[U8, npt.NDArray[np.int16], Bools]:
    """Causes and codes of the events of places, and a mask of the valid ones: [n, KEPT] each."""
    history = session.dimension.store.history
    held: Bools = np.arange(KEPT) < history.noted[places].astype(np.int64)[:, None]
    return history.causes[places], history.codes[places], held


# ---------------------------------------------------------------- drawing

UNSETTLED = "while the picture settles"
WITHOUT = np.isin(np.arange(len(CellState)), [CellState.ABSENT, CellState.DIRTY, CellState.READY, CellState.FAILED])
"""By state of a cell: whether it has no mesh, or an old one that will not be replaced."""


def stored_undrawn(scene: Scene) -> InvariantFinding:
    """Render cells whose content is not drawn (rule 3)."""
    if not scene.settled:
        return InvariantFinding(None, NOWHERE, UNSETTLED)
    attached = scene.attached
    rows = np.flatnonzero(attached.residency.shown)
    cells = attached.state.grid.cells_of_rows(rows)
    cells = cells[drawable(attached.world, attached.state.grid, cells)]
    picture = attached.state.cells.picture[cells]
    empty = cells[picture == CellState.EMPTY]
    broken = np.concatenate([cells[WITHOUT[picture]], empty[_has_faces(attached, empty)]])
    lower = attached.state.grid.own_places(broken)
    places = np.where(lower[:, 0] >= attached.state.grid.sections, lower[:, 0], lower[:, 1])
    return InvariantFinding(len(broken), middles(attached.world.positions_of(places)))


def _has_faces(attached: WorldView, cells: CellIndices) -> Bools:
    """Cells in which a wholly opaque side of a sub-chunk borders on a sub-chunk of only air: bool[n]."""
    world = attached.world
    own = attached.state.grid.own_places(cells)
    sides = shut_sides(world.pools, world.slot[own.ravel()].astype(np.int32)).reshape(own.shape)
    kinds = world.pools.kinds[world.slot]
    shut = np.unpackbits(sides[..., None], axis=2, count=6, bitorder="little") != 0
    beside = world.neighbours[own]
    air = (kinds[beside] & (HAS_OPAQUE | HAS_LIQUID | HAS_OTHER | IS_PLACEHOLDER) == 0) & (
        beside >= attached.state.grid.sections
    )
    solid = (kinds[own] & HAS_OPAQUE != 0) & (own >= attached.state.grid.sections)
    return (shut & air & solid[..., None]).any(axis=(1, 2))


def leaked_pages(scene: Scene) -> InvariantFinding:
    """Pages of the arena in use that belong to no mesh."""
    used, held = scene.stats().arena.pages_used, scene.attached.state.cells.pages_held
    return InvariantFinding(abs(used - held), NOWHERE, f"{used} in use, {held} held by meshes")


def height_contradictions(session: Session) -> InvariantFinding:
    """Sub-chunks whose last answer contradicts itself."""
    store = session.dimension.store
    places = store.places_of_rows(store.announced_rows)
    verdicts = store.attached.heights.verdict
    known = places[places < len(verdicts)]
    broken = known[verdicts[known] == np.uint8(HeightVerdict.CONTRADICTS)]
    return InvariantFinding(len(broken), middles(store.positions_of(broken)))


# ---------------------------------------------------------------- light

COLUMNS: Final = 4
SIDES: Final = (1, 3, 5)
"""Directions +x, +z and up, so that each border is checked once."""
BESIDE: Final = [AROUND.index((1, 0)), AROUND.index((0, 1))]
"""Columns towards +x and +z, in ``column_neighbours``."""
DAYLIGHT: Final = 3
FULL: Final = 15
UP: Final = 5
CELLS: Final = np.arange(4096).reshape(16, 16, 16)
"""By x, z, y."""
NEAR: Final = {1: CELLS[15].ravel(), 3: CELLS[:, 15].ravel(), 5: CELLS[:, :, 15].ravel()}
FAR: Final = {1: CELLS[0].ravel(), 3: CELLS[:, 0].ravel(), 5: CELLS[:, :, 0].ravel()}


Rows = I32
"""[n] rows of columns."""


class LightBorders:
    """Checks the light at borders, cycling through the columns of one scene."""

    def __init__(self) -> None:
        self._broken: dict[int, list[BlockPos]] = {}  # by row of a column
        self._world: Store | None = None
        self._next = 0
        self._rounds = 0
        self._on_gpu = False

    def step(self, scene: Scene, table: BlockTable, columns: int = COLUMNS) -> InvariantFinding:
        """Checks some more columns; returns the result so far."""
        if not scene.settled:
            return InvariantFinding(None, NOWHERE, UNSETTLED)
        world, light = scene.attached.world, scene.attached.state.light
        if world is not self._world:
            self._broken, self._world, self._next, self._rounds = {}, world, 0, 0
            self._on_gpu = scene.stats().gpu_light  # does not change during the scene's life
        if self._on_gpu:
            return InvariantFinding(None, NOWHERE, "light is computed on the GPU")
        rows = sorted(world.row_of.values())
        self._look(world, light, table, rows[self._next : self._next + columns])
        self._next += columns
        if self._next >= len(rows):
            self._next, self._rounds = 0, self._rounds + 1
            there = set(rows)
            self._broken = {row: blocks for row, blocks in self._broken.items() if row in there}
        found = [block for row in sorted(self._broken) for block in self._broken[row]]
        said = "" if self._rounds else f"{self._next} of {len(rows)} columns checked"
        return InvariantFinding(len(found), np.array(found, np.int32).reshape(-1, 3), said)

    def _look(self, world: Store, light: LightMap, table: BlockTable, rows: list[int]) -> None:
        for row in rows:
            self._broken.pop(row, None)
        for block, row in broken_in(world, light, table, np.array(rows, np.int32)):
            self._broken.setdefault(row, []).append(block)


def broken_in(world: Store, light: LightMap, table: BlockTable, rows: Rows) -> list[tuple[BlockPos, int]]:
    """For each border of these columns where light breaks off, one block beside it, and the column's row."""
    if not len(rows):
        return []
    sections = world.dimension.sections
    around = np.unique(np.append(rows, world.column_neighbours[rows][:, BESIDE]))
    final = np.zeros((int(around.max()) + 1, sections), np.bool_)
    final[around] = light.final(world, around.astype(np.int32))
    final[0] = False
    places = (rows[:, None] * sections + np.arange(sections, dtype=np.int32)).ravel()
    places = places[final.ravel()[places]]
    blocks = []
    for side in SIDES:
        beside = world.neighbours[places, side].astype(np.int32)
        both = final.ravel()[beside]
        blocks += _broken(world, light, table, places[both], beside[both], side)
    return blocks


def _broken(
    world: Store, light: LightMap, table: BlockTable, ours: Places, theirs: Places, side: int
) -> list[tuple[BlockPos, int]]:
    slots, beside = light.slots_of(ours), light.slots_of(theirs)
    some = slots != beside  # equal slots hold one value, all daylight or all dark
    ours, theirs, slots, beside = ours[some], theirs[some], slots[some], beside[some]
    if not len(ours):
        return []
    here, there = light.values[slots[:, None], NEAR[side]], light.values[beside[:, None], FAR[side]]
    block_here = world.pools.blocks[world.slot[ours][:, None], NEAR[side]]
    block_there = world.pools.blocks[world.slot[theirs][:, None], FAR[side]]
    wrong = np.zeros(here.shape, np.bool_)
    for channel in range(4):
        shift = np.uint16(4 * channel)
        one, two = (here >> shift & 15).astype(np.int16), (there >> shift & 15).astype(np.int16)
        into_here = table.opacity[channel][block_here].astype(np.int16)
        into_there = table.opacity[channel][block_there].astype(np.int16)
        wrong |= two < one - np.maximum(into_there, 1)
        loss = np.maximum(into_here, 1)
        if side == UP and channel == DAYLIGHT:
            loss[(two == FULL) & (into_here == 0)] = 0
        wrong |= one < two - loss
    blocks = []
    for index in np.flatnonzero(wrong.any(axis=1)).tolist():
        cell = int(NEAR[side][int(wrong[index].argmax())])
        row, section = divmod(int(ours[index]), world.dimension.sections)
        x, z = world.columns[row].tolist()
        y = section + world.dimension.floor_section
        blocks.append((BlockPos(16 * x + (cell >> 8), 16 * y + (cell & 15), 16 * z + (cell >> 4 & 15)), row))
    return blocks


# ---------------------------------------------------------------- watch

EVERY_S: Final = 0.2
"""Seconds between two checks that read everything."""
BORDERS_EVERY_S: Final = 0.05
"""Seconds between two steps of the light check: a round of radius 12 takes eight seconds."""
NAMES: Final = (
    "not meshed",
    "duplicate requests",
    "unsolicited answers",
    "light seams",
    "GPU pages leaked",
    "height contradictions",
)

UNSEEN: Final = InvariantFinding(None, NOWHERE, "not checked yet")


class InvariantWatch:
    """Runs all checks on one scene and the session that it shows. Owner thread only."""

    def __init__(self) -> None:
        self.found = dict.fromkeys(NAMES, UNSEEN)
        self._dimension: int | None = None
        self._borders = LightBorders()
        self._turn = 0
        self._looked_at: float | None = None
        self._bordered: float | None = None

    def step(self, session: Session, scene: Scene, now: float) -> None:
        """Runs the next part of the checks; ``now`` in monotonic seconds."""
        if (dimension := session.dimension.store.dimension.number) != self._dimension:
            self._dimension, self.found = dimension, dict.fromkeys(NAMES, UNSEEN)
        if self._bordered is None or now - self._bordered >= BORDERS_EVERY_S:
            self._bordered = now
            self._record("light seams", self._borders.step(scene, session.dimension.store.table))
        if self._looked_at is None or now - self._looked_at >= EVERY_S:
            self._looked_at = now
            checks = _checks(session, scene)
            name = list(checks)[self._turn % len(checks)]
            self._turn += 1
            self._record(name, checks[name]())

    def _record(self, name: str, finding: InvariantFinding) -> None:
        unknown = finding.count is None
        self.found[name] = replace(finding, places=self.found[name].places) if unknown else finding


def everything(session: Session, scene: Scene) -> dict[str, InvariantFinding]:
    """All checks over all columns in one call; slow."""
    found = {name: check() for name, check in _checks(session, scene).items()}
    found["light seams"] = LightBorders().step(
        scene, session.dimension.store.table, len(session.dimension.store.row_of) or 1
    )
    return {name: found[name] for name in NAMES}


def _checks(session: Session, scene: Scene) -> dict[str, Callable[[], InvariantFinding]]:
    return {
        "not meshed": lambda: stored_undrawn(scene),
        "duplicate requests": lambda: asked_twice(session),
        "unsolicited answers": lambda: answered_unasked(session),
        "GPU pages leaked": lambda: leaked_pages(scene),
        "height contradictions": lambda: height_contradictions(session),
    }
