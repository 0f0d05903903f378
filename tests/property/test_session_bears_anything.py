"""Whatever messages come, in whatever order and with whatever values, the session bears them: it never raises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.session.config import SessionConfig
from client.session.lighting import LightKeeper
from client.session.session import Session
from client.session.spawn import SpawnPhase
from net import bedrock
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from tests.support.session.driven import received, start_game
from tests.support.session.messages import messages_of
from tests.support.session.virtual import palette

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
    session.dimension.store.stats()
    for column in list(session.dimension.store.row_of):
        session.dimension.store.block_entities(column)
        session.dimension.store.column_biomes(column)
