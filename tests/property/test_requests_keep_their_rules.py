"""Wherever the player goes and however the server answers: requests keep to the rules of the wire and to their own."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.player import Eye, View
from client.session.config import SessionConfig
from client.streaming.limits import RequestLimits
from net.bedrock import SubChunk, SubChunkRequest
from net.peer import Received
from net.server.faults import ServerFaults
from net.server.options import ColumnMode, HostOptions
from tests.support.session.virtual import SWIFT, VirtualSession

Place = tuple[int, ...]

moves = st.lists(
    st.tuples(st.floats(-40, 40), st.floats(-90, 340), st.floats(-40, 40), st.floats(-180, 180)), min_size=1, max_size=5
)
faults = st.builds(
    ServerFaults,
    refuse_percent=st.integers(0, 50),
    refuse_times=st.integers(1, 3),
    delay_s=st.floats(0, 0.8),
    reverse=st.booleans(),
)


def named(request: SubChunkRequest) -> list[Place]:
    return [tuple(place) for place in (request.offsets.astype(np.int64) + np.asarray(request.centre)).tolist()]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(moves, faults, st.sampled_from([ColumnMode.LIMITED, ColumnMode.LIMITLESS]), st.integers(20, 400))
def test_every_request_keeps_the_rules(
    ways: list[tuple[float, float, float, float]], faults: ServerFaults, mode: ColumnMode, outstanding: int
) -> None:
    limits = RequestLimits(outstanding=outstanding, entries_per_packet=64)
    config = SessionConfig(radius=1, player=SWIFT, limits=limits)
    virtual = VirtualSession("hills:1", HostOptions(mode=mode, faults=faults), config)
    held: set[Place] = set()
    for way in [None, *ways]:
        if way is not None:
            x, y, z, yaw_deg = way
            virtual.session.set_view(View(Eye(x, y, z), yaw_deg, 0.0))
        for _ in range(120):
            _turn(virtual, held, limits)
    end = virtual.now + 120.0
    while virtual.session.unsettled(virtual.now) is not None and virtual.now < end:
        _turn(virtual, held, limits)
    assert virtual.session.unsettled(virtual.now) is None
    assert not held
    assert virtual.session.ledger.stats().timed_out == 0
    assert virtual.session.ledger.outstanding == 0


def _turn(virtual: VirtualSession, held: set[Place], limits: RequestLimits) -> None:
    already = len(virtual.sent)
    for event in virtual.turn():
        if isinstance(event, Received) and isinstance(event.message, SubChunk):
            centre = event.message.centre
            held -= {tuple(a + b for a, b in zip(entry[:3], centre, strict=True)) for entry in event.message.entries}
    store, player = virtual.session.dimension.store, virtual.session.movement.eye.subchunk
    held -= {place for place in held if (place[0], place[2]) not in store.row_of}  # let go: an "unrequest"
    for message in virtual.sent[already:]:
        if isinstance(message, SubChunkRequest):
            places = named(message)
            assert len(set(places)) == len(places) <= limits.entries_per_packet
            assert not held & set(places)
            assert message.dimension == store.dimension.number
            assert np.abs(message.offsets.astype(int)).max() <= 127
            for x, y, z in places:
                assert store.dimension.holds_section(y)
                assert max(abs(x - player.x), abs(z - player.z)) <= 2
            held |= set(places)
    assert len(held) <= limits.outstanding
