"""At any moment of a session every place has one sentence, lines and JSON, and they agree with the store."""

import json
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from client.connection.opening import open_replay
from client.recording.replay import Replay
from client.report.why import WhyReport, facts_of
from client.report.why_text import verdict
from client.world.lifecycle import SubChunkState
from net.space import BlockPos
from render.cli.report import json_of
from tests.recordings import recording

STARTS = {
    SubChunkState.UNKNOWN: ("Not requested", "Requested "),
    SubChunkState.KNOWN_AIR: ("Known air",),
    SubChunkState.WANTED: ("Not requested yet", "Requested "),
    SubChunkState.REQUESTED: ("Requested ",),
    SubChunkState.DATA: ("Received: ", "Unknown blocks: "),
    SubChunkState.ALL_AIR: ("All air",),
}


@cache
def replay_of(name: str) -> Replay:
    return open_replay(recording(name))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["bedrock-protocol-486", "bedrock-protocol-582-hashed", "jsprismarine-748"]),
    st.integers(0, 120),
    st.lists(st.tuples(st.integers(-90, 90), st.integers(-64, 319), st.integers(-90, 90)), min_size=1, max_size=20),
)
def test_every_place_has_a_sentence_that_agrees_with_the_store(
    name: str, packets: int, blocks: list[tuple[int, int, int]]
) -> None:
    replay = replay_of(name)
    replay.seek_packet(packets)
    while replay.on_the_way is not None:
        replay.run()
    session = replay.session
    now = session.started_at + replay.position.time_s
    for block in map(BlockPos._make, blocks):
        facts = facts_of(session, block, now)
        sentence, known = verdict(facts), session.dimension.store.block(block)
        assert facts.knowledge is known.knowledge
        assert sentence.startswith(STARTS[known.knowledge] if facts.column else "Never sent")
        assert sentence.endswith(".")
        assert (facts.block_facts is None) == (known.name == "minecraft:client_request_placeholder_block")
        assert all(event.at_s <= facts.now_s + 1e-3 for event in facts.history)
        if facts.history:
            assert facts.history[-1].after == facts.state
        report = WhyReport(sentence, facts, complete=True, waiting_for="")
        assert json.loads(json_of(report))["facts"]["state"] == facts.state
        assert report.text().startswith(f"{sentence}\n\nplace ")
