"""Every packet says what it was given, in both profiles, and bad bytes are DecodeErrors and nothing else."""

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from net import bedrock
from net.bedrock.releases import RELEASES, Release
from net.errors import DecodeError, LimitExceeded
from net.wire.dialect import Profile
from tests.support.session.messages import ANY_MESSAGE, I32, MESSAGES, messages_of

BEDROCK = bedrock.Codec(486)
DOCUMENTED = bedrock.Codec(486, Profile.DOCUMENTED)
CODECS = (BEDROCK, DOCUMENTED)
ALL_CODECS = (DOCUMENTED, *(bedrock.Codec(release.protocol) for release in RELEASES))

UNPARSED = (
    bedrock.BiomeDefinitionList,
    bedrock.AvailableEntityIdentifiers,
    bedrock.CreativeContent,
    bedrock.ItemRegistry,
    bedrock.LevelEventGeneric,
)
"""Their content is whatever is left: a cut one is a shorter one."""


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_every_message_comes_back_in_both_profiles(kind: type, data: st.DataObject) -> None:
    message = data.draw(MESSAGES[kind])
    for codec in CODECS:
        assert codec.decode(codec.encode(message)) == message


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_every_message_of_every_release_comes_back(release: Release, data: st.DataObject) -> None:
    codec = bedrock.Codec(release.protocol)
    for strategy in messages_of(release.protocol).values():
        message = data.draw(strategy)
        packet = codec.encode(message)
        assert codec.decode(packet) == message
        if not isinstance(message, UNPARSED):
            assert codec.decode(packet + b"more") == message


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_terrain_of_the_documented_profile_is_the_same_in_every_release(release: Release, data: st.DataObject) -> None:
    codec = bedrock.Codec(release.protocol, Profile.DOCUMENTED)
    for kind in (bedrock.LevelChunk, bedrock.SubChunk, bedrock.SubChunkRequest):
        message = data.draw(MESSAGES[kind])
        if isinstance(message, bedrock.LevelChunk) and release.protocol >= 649:
            message = replace(message, dimension=data.draw(I32))
        assert codec.decode(codec.encode(message)) == message
        if kind is not bedrock.LevelChunk:
            assert codec.encode(message) == DOCUMENTED.encode(message)


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_only_three_packets_differ_between_profiles(kind: type, data: st.DataObject) -> None:
    message = data.draw(MESSAGES[kind])
    differs = kind in {bedrock.LevelChunk, bedrock.SubChunk, bedrock.SubChunkRequest}
    assert differs or BEDROCK.encode(message) == DOCUMENTED.encode(message)


@settings(max_examples=60, deadline=None)
@given(message=ANY_MESSAGE, codec=st.sampled_from(CODECS))
def test_a_packet_cut_anywhere_is_a_decode_error(message: Any, codec: bedrock.Codec) -> None:
    packet = codec.encode(message)
    for size in range(len(packet)):
        try:
            cut = codec.decode(packet[:size])
        except DecodeError:
            continue
        if isinstance(cut, bedrock.StartGame):
            assert cut.tail_fault is not None
        elif not isinstance(cut, UNPARSED):
            # A header cut between its bytes is another number; nothing else may be read from less.
            assert size < 2, f"{size} of {len(packet)} bytes were read as {cut}"


@settings(deadline=None, max_examples=300)
@given(packet=st.binary(max_size=200), codec=st.sampled_from(ALL_CODECS))
def test_random_bytes_never_crash(packet: bytes, codec: bedrock.Codec) -> None:
    with contextlib.suppress(DecodeError, LimitExceeded):
        codec.decode(packet)


@settings(max_examples=60, deadline=None)
@given(message=ANY_MESSAGE, codec=st.sampled_from(CODECS), data=st.data())
def test_a_flipped_byte_never_crashes(message: Any, codec: bedrock.Codec, data: st.DataObject) -> None:
    packet = bytearray(codec.encode(message))
    at = data.draw(st.integers(0, len(packet) - 1))
    packet[at] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(DecodeError, LimitExceeded):
        codec.decode(bytes(packet))


@settings(max_examples=60, deadline=None)
@given(message=ANY_MESSAGE, tail=st.binary(min_size=1, max_size=9), codec=st.sampled_from(CODECS))
def test_bytes_behind_the_last_field_are_ignored(message: Any, tail: bytes, codec: bedrock.Codec) -> None:
    if not isinstance(message, UNPARSED):
        assert codec.decode(codec.encode(message) + tail) == message
