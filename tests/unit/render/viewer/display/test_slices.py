"""Slices through a session: each square is its sub-chunk's, and what goes fades."""

import numpy as np
import pytest

from client.connection.connection import Connection
from client.player import Eye, View
from client.session.config import SessionConfig
from client.session.publisher_area import Publisher
from client.world.lifecycle import SubChunkState
from net.server.faults import ServerFaults
from net.server.host_options import HostOptions
from net.space import BlockPos, ColumnPos, SubChunkPos
from render.panels.slice_map import NOTHING, Paint, Plane, RingKind, subchunk_at
from render.passes.overlay.boxes import STYLES
from render.viewer.display.slices import FADE_S, REACH, Slice, Slicer, aged, cells_of, eye_on, ranked, rings_of
from tests.support.session.virtual import SWIFT, VirtualSession

GROUND = 70


@pytest.fixture(scope="module")
def connection() -> Connection:
    connection = VirtualSession("hills:1", config=SessionConfig(radius=3, player=SWIFT)).connection()
    assert connection.wait_settled()
    return connection


def sliced(connection: Connection, plane: Plane, paint: Paint, level: int) -> Slice:
    return Slicer().paint(connection.session, plane, paint, level, connection.now)


@pytest.mark.parametrize(("plane", "level"), [(Plane.LEVEL, GROUND), (Plane.ALONG_X, -3), (Plane.ALONG_Z, 17)])
def test_each_square_shows_the_state_of_its_sub_chunk(connection: Connection, plane: Plane, level: int) -> None:
    store = connection.session.dimension.store
    made = sliced(connection, plane, Paint.STATE, level)
    rows, columns = made.states.shape
    assert made.pixels.shape == (rows, columns, 4)
    assert len(np.unique(made.states)) > 1
    for row in range(rows):
        for column in range(columns):
            place = store.place_of(
                SubChunkPos(*subchunk_at(plane, level, column + made.origin[0], row + made.origin[1]))
            )
            assert made.states[row, column] == store.state[place]
            colour = np.rint(np.array(STYLES[SubChunkState(int(store.state[place]))].colour) * 255)
            assert made.pixels[row, column].tolist() == [*colour, 255]


@pytest.mark.parametrize(("plane", "level"), [(Plane.LEVEL, GROUND), (Plane.ALONG_X, -3), (Plane.ALONG_Z, 17)])
def test_light_is_shown_block_by_block(connection: Connection, plane: Plane, level: int) -> None:
    made = sliced(connection, plane, Paint.LIGHT, level)
    store = connection.session.dimension.store
    assert made.pixels.shape == (made.states.shape[0] * 16, made.states.shape[1] * 16, 4)
    assert len(np.unique(made.pixels.reshape(-1, 4), axis=0)) > 3
    chance = np.random.default_rng(5)
    for row, column in chance.integers(0, made.pixels.shape[:2], (200, 2)).tolist():
        a, b = column + 16 * made.origin[0], row + 16 * made.origin[1]
        block = {
            Plane.LEVEL: (a, level, b), Plane.ALONG_X: (a, -b - 1, level), Plane.ALONG_Z: (level, -b - 1, a),
        }[plane]  # fmt: skip
        light = connection.light(block)
        expected = [max(17 * one, 9 * light.daylight) for one in (light.red, light.green, light.blue)]
        if store.is_placeholder(np.array([store.place_of(BlockPos(*block).subchunk)]))[0]:
            expected = [0, 0, 0]
        assert made.pixels[row, column].tolist() == [*expected, 255]


def test_what_goes_fades_and_is_gone(connection: Connection) -> None:
    session, slicer = connection.session, Slicer()
    now = connection.now
    whole = slicer.paint(session, Plane.LEVEL, Paint.STATE, GROUND, now)
    store = session.dimension.store
    row_of = dict(store.row_of)
    gone = min(row_of)
    del store.row_of[gone]
    try:
        alphas = []
        for later in (0.1, FADE_S / 2, FADE_S + 0.2):
            made = slicer.paint(session, Plane.LEVEL, Paint.STATE, GROUND, now + later)
            at = gone.z - made.origin[1], gone.x - made.origin[0]
            assert made.states[at] == NOTHING
            alphas.append(int(made.pixels[at][3]))
    finally:
        store.row_of.clear()
        store.row_of.update(row_of)
    assert whole.states[gone.z - whole.origin[1], gone.x - whole.origin[0]] != NOTHING
    assert 255 > alphas[0] > alphas[1] > alphas[2] == 0


def test_another_slice_remembers_nothing_of_the_one_before(connection: Connection) -> None:
    slicer = Slicer()
    slicer.paint(connection.session, Plane.LEVEL, Paint.STATE, GROUND, connection.now)
    again = slicer.paint(connection.session, Plane.ALONG_X, Paint.STATE, 0, connection.now + 0.1)
    assert np.array_equal(again.states, sliced(connection, Plane.ALONG_X, Paint.STATE, 0).states)
    assert set(np.unique(again.pixels[..., 3])) <= {0, 255}


def test_nothing_announced_is_one_empty_texel() -> None:
    made = Slicer().paint(VirtualSession("flat:1").session, Plane.LEVEL, Paint.AGE, 0, 0.0)
    assert made.pixels.shape == (1, 1, 4)
    assert made.states.tolist() == [[NOTHING]]


def test_ages_and_turns_have_colours_of_their_own(connection: Connection) -> None:
    young, middle, old = aged(np.array([0.0, 3.1, 1e9]))
    assert young[1] > middle[1] > old[0]
    assert old[2] > young[2]
    colours = ranked(np.array([3, 4, 5], np.int32), np.array([5, 4], np.int32))
    assert colours[0].tolist() == [70, 70, 70]
    assert colours[2].sum() > colours[1].sum()
    assert sliced(connection, Plane.LEVEL, Paint.PRIORITY, GROUND).pixels.shape[2] == 4


def test_the_camera_lies_where_its_sub_chunk_does() -> None:
    view = View(Eye(-20.0, 70.5, 40.0), 0.0, 45.0)
    for plane in Plane:
        (a, b), ahead, level = eye_on(plane, view)
        cell = cells_of(plane, np.array([view.eye.block.subchunk], np.int32))[0]
        assert (np.floor([a, b]) == cell).all()
        assert subchunk_at(plane, level, *cell.tolist()) == tuple(view.eye.block.subchunk)
        assert ahead[1] >= 0


def test_columns_far_apart_make_no_large_picture_and_those_near_the_camera_are_on_it() -> None:
    session, slicer = VirtualSession("flat:1").session, Slicer()
    edge = (1 << 27) - 1
    places = [ColumnPos(0, 0), ColumnPos(62_500_000, -3), ColumnPos(edge, -edge), ColumnPos(-edge, 5)]
    for place in places:
        session.dimension.store.announce(place, None, b"", 0.0)
    session.dimension.store.finish_drain()
    for now, at in enumerate([*places, places[0]]):
        view = View(Eye(at.x * 16.0, 0.0, at.z * 16.0))
        for plane in Plane:
            level = {Plane.ALONG_X: at.z * 16, Plane.ALONG_Z: at.x * 16}.get(plane, 0)
            made = slicer.paint(session, plane, Paint.STATE, level, now + 0.1, view)
            assert max(made.states.shape) <= 2 * REACH + 1
            assert (made.states != NOTHING).any()


def test_rings_are_what_was_requested_granted_received_and_published() -> None:
    options = HostOptions(radius_max=3, faults=ServerFaults(columns_within=1))
    connection = VirtualSession("flat:1", options, config=SessionConfig(radius=4, player=SWIFT)).connection()
    connection.wait_for(lambda _now: "more columns", 2.0)
    session = connection.session
    x, z = session.movement.eye.column
    rings = {ring.kind: ring for ring in rings_of(session, Plane.LEVEL, GROUND)}
    assert list(rings) == list(RingKind)
    radii = {RingKind.REQUESTED: 5, RingKind.GRANTED: 3, RingKind.RECEIVED: 1}
    for kind, radius in radii.items():
        assert rings[kind].radius == f"{radius} columns"
        assert rings[kind].corners == (x - radius, z - radius, x + radius + 1, z + radius + 1)
    circle = rings[RingKind.PUBLISHED]
    assert circle.is_round
    published = session.dimension.terrain.staleness.publisher
    assert published is not None
    assert circle.radius == f"{published.radius_blocks} blocks"
    assert circle.corners is not None
    assert circle.corners[2] - circle.corners[0] == published.radius_blocks / 8
    for plane, along, across in ((Plane.ALONG_X, x, z), (Plane.ALONG_Z, z, x)):
        upright = {ring.kind: ring for ring in rings_of(session, plane, 16 * (across + 3) + 5)}
        assert upright[RingKind.GRANTED].corners == (along - 3, -20.0, along + 4, 4.0)
        assert upright[RingKind.RECEIVED].corners is None, "the slice lies beside it"
        assert not upright[RingKind.PUBLISHED].is_round
        half = (published.radius_blocks**2 / 256 - 9) ** 0.5
        assert upright[RingKind.PUBLISHED].corners == pytest.approx(
            (along + 0.5 - half, -20.0, along + 0.5 + half, 4.0)
        )


def test_a_ring_that_nobody_has_named_is_left_out() -> None:
    session = VirtualSession("flat:1").session
    rings = {ring.kind: ring for ring in rings_of(session, Plane.LEVEL, GROUND)}
    assert list(rings) == [RingKind.REQUESTED, RingKind.RECEIVED]
    assert (rings[RingKind.RECEIVED].radius, rings[RingKind.RECEIVED].corners) == ("none", None)
    session.dimension.terrain.staleness.publish(Publisher(BlockPos(160, 70, -320), 96))
    circle = rings_of(session, Plane.LEVEL, GROUND)[-1]
    assert (circle.kind, circle.radius, circle.corners) == (RingKind.PUBLISHED, "96 blocks", (4.5, -25.5, 16.5, -13.5))
