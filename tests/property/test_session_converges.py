"""Whatever network and server do to answers: the session ends with the same world and asks nothing twice at once."""

from functools import cache

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.session.config import SessionConfig
from client.streaming.limits import RequestLimits
from net.bedrock import SubChunk, SubChunkRequest
from net.peer import Received
from net.server.faults import ServerFaults
from net.server.options import ColumnMode, HostOptions
from net.server.worlds import ServerWorld, open_world
from net.transport import faulty
from tests.support.session.virtual import SWIFT, VirtualSession

CONFIG = SessionConfig(radius=1, player=SWIFT)


def content(virtual: VirtualSession) -> dict[tuple[int, ...], tuple[int, bytes]]:
    """What is known, by column: states, and the blocks that are shown."""
    store, found = virtual.session.dimension.store, {}
    sections = store.dimension.sections
    for column, row in store.row_of.items():
        places = slice(row * sections, (row + 1) * sections)
        names = [store.table.states[dense].name for dense in store.pools.blocks[store.slot[places], 77]]
        found[tuple(column)] = (store.state[places].tobytes(), ",".join(names).encode())
    return found


def settled(
    options: HostOptions, wire: faulty.WireFaults, seed: int, world: str | ServerWorld = "hills:1"
) -> VirtualSession:
    virtual = VirtualSession(world, options, CONFIG, up=faulty.Wire(wire, seed), down=faulty.Wire(wire, seed + 1))
    assert virtual.settle(300.0), virtual.session.unsettled(virtual.now)
    return virtual


@cache
def expected() -> dict[tuple[int, ...], tuple[int, bytes]]:
    """What a perfect wire and an honest server give."""
    return content(settled(HostOptions(), faulty.PERFECT, 0))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.builds(
        ServerFaults,
        refuse_percent=st.integers(0, 60),
        refuse_times=st.integers(1, 4),
        delay_s=st.floats(0, 3),
        reverse=st.booleans(),
    ),
    st.builds(
        faulty.WireFaults,
        loss=st.floats(0, 0.1),
        repetition=st.floats(0, 0.1),
        delay_s=st.floats(0, 0.2),
        jitter_s=st.floats(0, 0.1),
    ),
    st.integers(1, 200),
    st.integers(0, 1000),
)
def test_every_order_of_arrival_ends_in_the_same_world(
    faults: ServerFaults, wire: faulty.WireFaults, entries_a_packet: int, seed: int
) -> None:
    options = HostOptions(faults=faults, entries_a_packet=entries_a_packet)
    assert content(settled(options, wire, seed)) == expected()


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([ColumnMode.LIMITED, ColumnMode.LIMITLESS]),
    st.integers(1, 64),
    st.integers(1, 300),
    st.floats(0, 0.5),
)
def test_requests_keep_their_limits_and_no_place_is_asked_while_it_is_outstanding(
    mode: ColumnMode, entries_per_packet: int, outstanding: int, delay_s: float
) -> None:
    limits = RequestLimits(entries_per_packet=entries_per_packet, outstanding=outstanding)
    config = SessionConfig(radius=1, player=SWIFT, limits=limits)
    virtual = VirtualSession("hills:1", HostOptions(mode=mode, faults=ServerFaults(delay_s=delay_s)), config)
    held: set[tuple[int, ...]] = set()
    times: list[float] = []
    while virtual.session.unsettled(virtual.now) is not None:
        already = len(virtual.sent)
        for event in virtual.turn():
            if isinstance(event, Received) and isinstance(event.message, SubChunk):
                centre = event.message.centre
                held -= {tuple(a + b for a, b in zip(e[:3], centre, strict=True)) for e in event.message.entries}
        for message in virtual.sent[already:]:
            if isinstance(message, SubChunkRequest):
                places = {tuple(p) for p in (message.offsets.astype(int) + message.centre).tolist()}
                assert len(places) == len(message.offsets) <= entries_per_packet
                assert not places & held
                held |= places
                times.append(virtual.now)
        assert len(held) <= outstanding
        assert virtual.now < 300.0
    for first, fifth in zip(times, times[5:], strict=False):
        assert fifth - first >= 0.05 - 1e-6  # a burst of four, then one a tick
    assert not held


def test_the_same_inputs_send_the_same_messages() -> None:
    faults = faulty.WireFaults(loss=0.05, jitter_s=0.05)
    # A world of its own each: what a generator keeps is made in fewer steps.
    first, second = (settled(HostOptions(), faults, 7, open_world("hills:1")) for _ in range(2))
    assert first.sent == second.sent
    assert first.now == second.now
