"""Whatever messages come, in whatever order and with whatever values, the session bears them: it never raises.

Session converges: Whatever network and server do to answers: the session ends with the same world and asks nothing
twice at once.
"""

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.connection.live import LightKeeper
from client.session.config import SessionConfig
from client.session.session import Session
from client.session.spawn import SpawnPhase
from client.streaming.limits import RequestLimits
from net import bedrock
from net.bedrock import SubChunk, SubChunkRequest
from net.peer import Received
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import ColumnMode, HostOptions
from net.server.worlds import ServerWorld, open_worlds
from net.space import BlockPos, ColumnPos, SubChunkPos
from net.transport import faulty
from tests.support.session.driven import received, start_game
from tests.support.session.messages import messages_of
from tests.support.session.virtual import SWIFT, VirtualSession, palette

# ---------------------------------------------------------------- session bears anything

CODECS = {protocol: bedrock.Codec(protocol) for protocol in (486, 2193)}
TAIL = b"\x01\x02" * 25 + b"\x00"
NEAR = st.integers(-1, 1)
BLOCK = st.builds(BlockPos, st.integers(-20, 20), st.integers(-70, 330), st.integers(-20, 20))
SOUND = b"\x08\x01\x01\x04"
PAYLOAD = st.sampled_from([SOUND, b"", b"\x08\x00", b"\x08\x01\x0f", SOUND + b"\x0a\x00\x00", b"\x00" * 6145, b"\x0c"])
KIND = st.sampled_from([0, 2, 3])
ENTRY = st.tuples(NEAR, st.integers(-6, 21), NEAR, st.integers(0, 8), PAYLOAD, KIND).map(
    lambda parts: bedrock.SubChunkEntry(*parts)
)

BORDER = st.integers(-2100, 2100) | st.sampled_from([-64, -1, 0, 48, 320, 1 << 30])
RANGES = st.builds(
    bedrock.DimensionData,
    st.lists(
        st.builds(
            bedrock.DimensionDefinition,
            st.sampled_from(["minecraft:overworld", "minecraft:nether", "minecraft:the_end", "own:attic", ""]),
            BORDER,
            BORDER,
            st.integers(0, 6),
            st.integers(-1, 4),
        ),
        max_size=3,
    ).map(tuple),
)
LIKELY = st.one_of(
    RANGES,
    st.builds(
        bedrock.LevelChunk,
        st.builds(ColumnPos, NEAR, NEAR),
        st.just(0),
        st.none(),
        st.none() | st.integers(0, 30),
        st.none(),
        st.sampled_from([TAIL, b"", b"\x05"]),
    ),
    st.builds(
        bedrock.LevelChunk,
        st.builds(ColumnPos, NEAR, NEAR),
        st.just(0),
        st.integers(0, 30),
        st.none(),
        st.none(),
        st.lists(PAYLOAD, max_size=30).map(b"".join),
    ),
    st.builds(
        bedrock.SubChunk,
        st.just(False),
        st.integers(0, 1),
        st.just(SubChunkPos(0, 0, 0)),
        st.lists(ENTRY, max_size=20).map(tuple),
    ),
    st.builds(bedrock.UpdateBlock, BLOCK, st.integers(0, 9000), st.just(3), st.integers(0, 2)),
    st.builds(bedrock.PlayStatus, st.integers(0, 8)),
    st.builds(bedrock.NetworkChunkPublisherUpdate, BLOCK, st.integers(0, 200)),
    st.builds(bedrock.ChangeDimension, st.integers(0, 4), st.just((8.0, 70.0, 8.0)), st.booleans()),
)
"""Messages that hit what is there; wholly random ones mostly miss."""
WILD = {
    protocol: st.one_of(
        [strategy for kind, strategy in messages_of(protocol).items() if kind is not bedrock.Disconnect]
    )
    for protocol in CODECS
}


@st.composite
def conversations(draw: st.DrawFn, protocol: int) -> list[bedrock.Message]:
    """Any messages; a function of its own, as hypothesis prints a strategy that it discards, and this one is long."""
    return draw(st.lists(LIKELY | WILD[protocol], max_size=25))


@pytest.mark.parametrize("protocol", CODECS)
@settings(max_examples=20, deadline=None)
@given(conversation=st.data(), started=st.booleans(), every=st.integers(1, 5))
def test_a_session_never_raises(protocol: int, conversation: st.DataObject, started: bool, every: int) -> None:
    messages = conversation.draw(conversations(protocol))
    session = Session(SessionConfig(radius=1, protocol=protocol), palette(protocol), 0.0)
    light = LightKeeper(session)
    opening: list[bedrock.Message] = [start_game(), bedrock.PlayStatus(3)] if started else []
    for number, message in enumerate([*opening, *messages]):
        now = number * 0.05
        session.handle(received(message, now), now)
        if number % every == 0:
            session.tick(now, 0.01)
            light.step(4)
            session.unsettled(now)
            for outgoing in session.outbox.take():
                CODECS[protocol].encode(outgoing)
    assert session.stats(9.9).phase in {phase.value for phase in SpawnPhase}
    for column in list(session.dimension.store.row_of):
        session.dimension.store.block_entities(column)
        session.dimension.store.surface_biomes(column)


# ---------------------------------------------------------------- session converges

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
        refusals=st.tuples(st.builds(RefusalFault, st.just(2), st.floats(0, 0.6), st.integers(1, 4))),
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
    first, second = (settled(HostOptions(), faults, 7, open_worlds("hills:1")[0]) for _ in range(2))
    assert first.sent == second.sent
    assert first.now == second.now
