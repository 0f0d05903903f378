"""Every fuzz target bears its seeds, its findings, and a little of what hypothesis makes of the seeds."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from net.bedrock import Unknown, packets
from net.raknet import Limits
from net.raknet.connection import RaknetSession
from net.raknet.frame import Fragment, Frame, Reliability, write_frame
from net.subchunk.decode import scan
from net.subchunk.storage import SubChunkFault
from net.wire.fields import Profile
from tests.fuzz import databases, datagrams, minimise
from tests.fuzz.__main__ import NAMES
from tests.fuzz.recordings import recordings
from tests.fuzz.seeds import SEEDS, conversation
from tests.fuzz.targets import DIALECTS, TARGETS, codec

FINDINGS = Path(__file__).parents[1] / "fuzz" / "findings"
CORPUS = FINDINGS.parent / "corpus"
FOUND = sorted(path for path in FINDINGS.glob("*/*") if path.is_file())


@pytest.fixture(scope="module")
def seeds() -> dict[str, list[bytes]]:
    """Made before hypothesis runs a test: it makes some of them itself."""
    return {target: make() for target, make in SEEDS.items()}


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_bears_its_seeds(seeds: dict[str, list[bytes]], target: str) -> None:
    for seed in seeds[target]:
        TARGETS[target](seed)


def test_what_was_found_once_is_borne() -> None:
    for path in FOUND:
        TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_bears_what_earlier_runs_reached(target: str) -> None:
    kept = sorted((CORPUS / target).glob("*"))
    for path in kept:
        TARGETS[target](path.read_bytes())
    assert sum(path.stat().st_size for path in kept) <= minimise.MOST_BYTES


def test_a_corpus_keeps_what_reaches_more_and_the_smallest_of_it() -> None:
    sound = databases.seeds()
    kept = minimise.chosen(databases.databases, sound[:1], [*sound, sound[0] + b"more", bytes(5000)])
    assert 0 < len(kept) < len(sound)
    assert set(kept) < set(sound)
    assert minimise.chosen(databases.databases, sound, sound) == []


def test_every_target_has_seeds_and_is_run() -> None:
    assert set(TARGETS) == set(SEEDS) == set(NAMES)


@pytest.mark.parametrize("target", TARGETS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_target_bears_damaged_seeds(seeds: dict[str, list[bytes]], target: str, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(seeds[target]))
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 4)) if damaged else 0):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    TARGETS[target](bytes(damaged))


def test_seeds_hold_every_packet_and_inputs_reach_every_dialect(seeds: dict[str, list[bytes]]) -> None:
    assert len(DIALECTS) <= 256, "one byte chooses"
    assert {profile for _, profile in DIALECTS} == set(Profile)
    told = {type(codec(seed[0]).decode(seed[1:])) for seed in seeds["packets"]}
    assert told - {Unknown} == set(packets())


@pytest.mark.parametrize("kind", datagrams.LISTENERS)
def test_seeds_of_datagrams_connect_and_are_heard(kind: int) -> None:
    _, down = conversation(kind)
    client = datagrams.new_client()
    for datagram, _, now in datagrams.steps(datagrams.story(1, down)):
        client.receive(datagram, now)
        client.datagrams(now)
    assert client.connected
    assert client.next_payload() is not None


def test_seeds_of_sub_chunks_are_sound(seeds: dict[str, list[bytes]]) -> None:
    statuses = {SubChunkFault(int(status)) for status in scan(seeds["subchunks"]).status}
    assert {SubChunkFault.NONE, SubChunkFault.NAMED_PALETTE} <= statuses


def frame(at: int, size: int, fragment: Fragment | None = None) -> Frame:
    return Frame(b"\xfe" * size, Reliability.RELIABLE_ORDERED, at, 0, at, 0, fragment)


BREAKING = {
    "a payload that never comes": lambda at: (at, frame(at + 1, 900)),
    "a payload of too many pieces": lambda at: (at, frame(at, 900, Fragment(16, 1, at % 15))),
    "too many payloads in pieces": lambda at: (at, frame(at, 1, Fragment(16, at, 0))),
    "payloads that were not collected": lambda at: (at, frame(at, 900)),
    "gaps": lambda at: (2 * at, frame(at, 1)),
}


@pytest.mark.parametrize("how", BREAKING)
def test_a_limit_that_does_not_hold_is_a_finding(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    said = [BREAKING[how](at) for at in range(datagrams.MOST_STEPS)]
    wire = [b"\x84" + number.to_bytes(3, "little") + write_frame(one) for number, one in said]
    story = datagrams.story(0, wire, datagrams.LEAVES)
    datagrams.datagrams(story)
    monkeypatch.setattr(datagrams, "new_session", lambda: RaknetSession(Limits(), 576, 0.0))
    with pytest.raises(AssertionError):
        datagrams.datagrams(story)


def test_a_header_that_says_infinity_is_no_recording() -> None:
    recordings(b'\1{"protocol": 1e999, "profile": "a", "source": "b"}')
