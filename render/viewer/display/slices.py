"""Slices through a session for the map: a texel a sub-chunk, or a block where light is shown.

Theory: a slice consists of all places whose sub-chunk lies on the plane; each paints its square. Removed sub-chunks are
painted for ``FADE_S`` more, ever fainter, so that quick changes are visible.

Limits: sub-chunks at most ``REACH`` from the camera's on the map; a server may announce columns anywhere.
"""

import math
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.player import View
from client.session.join_steps import GRANTED, filled_radius
from client.session.session import Session
from client.world.lifecycle import STATES
from net.arrays import Places
from render.panels.slice_map import (
    LAST,
    MIDDLE,
    NEXT,
    NOTHING,
    OLD,
    OLD_S,
    UNWANTED,
    YOUNG,
    YOUNG_S,
    Paint,
    Plane,
    Ring,
    RingKind,
)
from render.passes.overlay.boxes import STYLES

FADE_S: Final = 3.0
REACH: Final = 127
BLOCKS: Final = 16
PLACEHOLDER: Final = np.array([0, 0, 0])

Cells = npt.NDArray[np.int32]
"""[n, 2] map coordinates of sub-chunks: a to the right, b down."""
Texels = npt.NDArray[np.uint8]
"""[n, side, side, 4] RGBA a sub-chunk, row 0 up."""


class Slice(msgspec.Struct, frozen=True):
    """One painted slice."""

    pixels: npt.NDArray[np.uint8]  # uint8[rows * side, columns * side, 4]
    origin: tuple[int, int]  # map coordinates of its upper left corner
    states: npt.NDArray[np.uint8]  # uint8[rows, columns] a SubChunkState each, NOTHING without a column


class Slicer:
    """Paints slices, and remembers removed sub-chunks."""

    def __init__(self) -> None:
        self._kind: object = None
        self._before: tuple[Cells, Texels] | None = None
        self._gone: list[tuple[float, Cells, Texels]] = []

    def paint(
        self, session: Session, plane: Plane, paint: Paint, level: int, now: float, view: View | None = None
    ) -> Slice:
        """The present slice, at block ``level`` of the axis that the plane leaves out, around ``view``."""
        store = session.dimension.store
        places = store.places_of_rows(store.announced_rows)
        positions = store.positions_of(places)
        on = positions[:, {Plane.LEVEL: 1, Plane.ALONG_X: 2, Plane.ALONG_Z: 0}[plane]] == level >> 4
        places, cells = places[on], cells_of(plane, positions[on])
        middle = np.floor(eye_on(plane, view or session.movement.view)[0]).astype(np.int64)
        near = (np.abs(cells - middle) <= REACH).all(axis=1)
        places, cells = places[near], cells[near]
        texels = painted(session, places, plane, paint, level, now)
        self._remember((plane, paint, level, store), cells, texels, now)
        return self._joined(cells, texels, store.state[places], now)

    def _remember(self, kind: object, cells: Cells, texels: Texels, now: float) -> None:
        if kind != self._kind:
            self._kind, self._before, self._gone = kind, None, []
        self._gone = [ghost for ghost in self._gone if now - ghost[0] < FADE_S]
        if self._before is not None:
            old, colours = self._before
            left = ~np.isin(_keys(old), _keys(cells))
            if left.any():
                self._gone.append((now, old[left], colours[left]))
        self._before = cells, texels

    def _joined(self, cells: Cells, texels: Texels, states: npt.NDArray[np.uint8], now: float) -> Slice:
        every = np.concatenate([cells, *(ghost[1] for ghost in self._gone)])
        if len(every) and (np.ptp(every.astype(np.int64), axis=0) > 2 * REACH).any():
            self._gone, every = [], cells  # the camera has moved away
        if not len(every):
            return Slice(np.zeros((1, 1, 4), np.uint8), (0, 0), np.full((1, 1), NOTHING, np.uint8))
        low, high = every.min(axis=0), every.max(axis=0) + 1
        columns, rows = (high - low).tolist()
        side = texels.shape[1]
        canvas = np.zeros((rows, columns, side, side, 4), np.uint8)
        for gone_at, old, colours in self._gone:
            faint = colours.copy()
            faint[..., 3] = faint[..., 3] * max(1.0 - (now - gone_at) / FADE_S, 0.0) * 0.6
            canvas[old[:, 1] - low[1], old[:, 0] - low[0]] = faint
        canvas[cells[:, 1] - low[1], cells[:, 0] - low[0]] = texels
        known = np.full((rows, columns), NOTHING, np.uint8)
        known[cells[:, 1] - low[1], cells[:, 0] - low[0]] = states
        pixels = canvas.transpose(0, 2, 1, 3, 4).reshape(rows * side, columns * side, 4)
        return Slice(np.ascontiguousarray(pixels), (int(low[0]), int(low[1])), known)


def cells_of(plane: Plane, positions: npt.NDArray[np.int32]) -> Cells:
    """Map coordinates of sub-chunks: int32[n, 3] positions."""
    x, y, z = positions[:, 0], positions[:, 1], positions[:, 2]
    return np.stack({Plane.LEVEL: (x, z), Plane.ALONG_X: (x, -y - 1), Plane.ALONG_Z: (z, -y - 1)}[plane], axis=1)


def eye_on(plane: Plane, view: View) -> tuple[tuple[float, float], tuple[float, float], int]:
    """The camera's position and direction on the map, and its block coordinate on the axis without extent."""
    eye, ahead = view.eye, view.forward
    match plane:
        case Plane.LEVEL:
            return (eye.x / 16, eye.z / 16), (ahead[0], ahead[2]), eye.block.y
        case Plane.ALONG_X:
            return (eye.x / 16, -eye.y / 16), (ahead[0], -ahead[1]), eye.block.z
        case Plane.ALONG_Z:
            return (eye.z / 16, -eye.y / 16), (ahead[2], -ahead[1]), eye.block.x


def rings_of(session: Session, plane: Plane, level: int) -> tuple[Ring, ...]:
    """The radii of the join on a slice at block ``level``; unknown ones are left out."""
    columns = {RingKind.REQUESTED: session.config.activity_radius}
    if session.dispatcher.steps.has(GRANTED):
        columns[RingKind.GRANTED] = session.dispatcher.granted
    columns[RingKind.RECEIVED] = filled_radius(session)
    dimension = session.dimension.store.dimension
    up_down = -dimension.roof_y_blocks / 16, -dimension.floor_y_blocks / 16

    def on_slice(x: float, z: float, reach: float, is_round: bool) -> tuple[float, float, float, float] | None:
        if plane is Plane.LEVEL:
            return x - reach, z - reach, x + reach, z + reach
        along, across = (x, z) if plane is Plane.ALONG_X else (z, x)
        away = abs((level >> 4) + 0.5 - across)
        if away > reach:
            return None
        half = math.sqrt(reach * reach - away * away) if is_round else reach
        return along - half, up_down[0], along + half, up_down[1]

    rings, centre, circle = [], session.movement.eye.column, session.dimension.terrain.staleness.publisher
    for kind, radius in columns.items():
        corners = on_slice(centre.x + 0.5, centre.z + 0.5, radius + 0.5, False)
        rings.append(Ring(kind, "none" if radius < 0 else f"{radius} columns", corners if radius >= 0 else None))
    if circle is not None:
        (x, z), blocks = circle.centre.column, circle.radius_blocks
        corners = on_slice(x + 0.5, z + 0.5, blocks / 16, True)
        rings.append(Ring(RingKind.PUBLISHED, f"{blocks} blocks", corners, plane is Plane.LEVEL))
    return tuple(rings)


def painted(session: Session, places: Places, plane: Plane, paint: Paint, level: int, now: float) -> Texels:
    """Squares of some places, all of one size."""
    store = session.dimension.store
    if paint is Paint.LIGHT:
        colours = lit(
            session.dimension.light.values[session.dimension.light.slots_of(places)[:, None], blocks_on(plane, level)]
        )
        colours[store.is_placeholder(places)] = PLACEHOLDER
        return _opaque(colours.reshape(-1, BLOCKS, BLOCKS, 3))
    if paint is Paint.STATE:
        flat = STATE_COLOURS[store.state[places]]
    elif paint is Paint.AGE:
        flat = aged(now - store.since[places])
    else:
        flat = ranked(places, session.dimension.requests.asking.wanted)
    return _opaque(flat.reshape(-1, 1, 1, 3))


def blocks_on(plane: Plane, level: int) -> npt.NDArray[np.int64]:
    """The 256 blocks of a sub-chunk on a plane, row by row of the map: int64[256] indices."""
    down, right = np.meshgrid(np.arange(BLOCKS), np.arange(BLOCKS), indexing="ij")
    at, up = level & 15, BLOCKS - 1 - down
    x, y, z = {
        Plane.LEVEL: (right, at, down), Plane.ALONG_X: (right, up, at), Plane.ALONG_Z: (at, up, right),
    }[plane]  # fmt: skip
    indices: npt.NDArray[np.int64] = np.broadcast_to(np.asarray(x) << 8 | np.asarray(z) << 4 | np.asarray(y), (16, 16))
    return indices.ravel()


def lit(values: npt.NDArray[np.uint16]) -> npt.NDArray[np.float64]:
    """Colours of light values, 0..255: block light in its own colours, daylight in grey below it."""
    channels = (values[..., None] >> np.array([0, 4, 8, 12], np.uint16) & np.uint16(15)).astype(np.float64)
    return np.maximum(channels[..., :3] * 17.0, channels[..., 3:] * 9.0)


def aged(seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Colours of ages: yellow, red, blue, by the logarithm."""
    share = np.log(np.clip(seconds, YOUNG_S, OLD_S) / YOUNG_S) / np.log(OLD_S / YOUNG_S)
    share = share[:, None]
    early, late = np.clip(2 * share, 0, 1), np.clip(2 * share - 1, 0, 1)
    young, middle, old = np.array([YOUNG, MIDDLE, OLD])
    colours: npt.NDArray[np.float64] = young + (middle - young) * early + (old - middle) * late
    return colours


def ranked(places: Places, plan: Places) -> npt.NDArray[np.float64]:
    """Colours by rank in a plan, its first the brightest; grey for places that are not in it."""
    rank = np.full(max(int(places.max(initial=0)), int(plan.max(initial=0))) + 1, -1, np.int64)
    rank[plan] = np.arange(len(plan))
    turn = rank[places][:, None]
    share = 1.0 - turn / max(len(plan), 1)
    bright = np.array(NEXT) * share + np.array(LAST) * (1 - share)
    return np.where(turn < 0, np.array(UNWANTED), bright)


def _opaque(colours: npt.NDArray[np.float64]) -> Texels:
    texels = np.full((*colours.shape[:3], 4), 255, np.uint8)
    texels[..., :3] = np.rint(colours)
    return texels


def _keys(cells: Cells) -> npt.NDArray[np.int64]:
    return cells[:, 0].astype(np.int64) << 32 | (cells[:, 1].astype(np.int64) & 0xFFFFFFFF)


def _state_colours() -> npt.NDArray[np.float64]:
    colours = np.zeros((STATES, 3))
    for state, style in STYLES.items():
        colours[state] = style.colour
    return colours * 255.0


STATE_COLOURS: Final = _state_colours()
"""float64[STATES, 3] by SubChunkState, 0..255; black where a state has no box."""
