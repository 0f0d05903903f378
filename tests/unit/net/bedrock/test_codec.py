"""Packets as bytes: headers, the layouts that the design rests on, and real captures."""

from pathlib import Path

import numpy as np
import pytest

from net import bedrock
from net.bedrock import packets
from net.errors import DecodeError, LocalProtocolError
from net.space import BlockPos, ColumnPos, SubChunkPos
from net.wire.fields import Profile
from tests.support.data.shared import shared_data
from tests.support.reference.wire import (
    HEIGHTS,
    buffer,
    capture,
    le,
    level_chunk_packet,
    sized,
    subchunk_packet,
    uv,
    zz,
)

CODEC = bedrock.Codec()
DOCUMENTED = bedrock.Codec(486, Profile.DOCUMENTED)
REQUEST = bedrock.SubChunkRequest(0, SubChunkPos(3, -4, -2), np.array([[0, 1, -1], [-127, 0, 127]], np.int8))


def test_a_request_at_486() -> None:
    expected = uv(175) + zz(0) + zz(3) + zz(-4) + zz(-2) + le(2, 4) + bytes([0, 1, 255, 129, 0, 127])
    assert CODEC.encode(REQUEST) == expected
    assert CODEC.decode(expected) == REQUEST


def test_a_documented_request_is_4_12_4_and_3_bytes_an_entry() -> None:
    expected = uv(175) + le(0, 4) + le(3, 4) + le(-4, 4) + le(-2, 4) + le(2, 4) + bytes([0, 1, 255, 129, 0, 127])
    assert DOCUMENTED.encode(REQUEST) == expected
    assert len(expected) - 2 == 4 + 12 + 4 + 3 * 2
    assert DOCUMENTED.decode(expected) == REQUEST


def test_requests_compare_by_value() -> None:
    other = bedrock.SubChunkRequest(0, REQUEST.centre, REQUEST.offsets.copy())
    assert other == REQUEST
    assert hash(other) == hash(REQUEST)
    assert bedrock.SubChunkRequest(0, REQUEST.centre, REQUEST.offsets[:1]) != REQUEST
    assert REQUEST != "a request"


def test_offsets_of_another_type_are_refused() -> None:
    with pytest.raises(LocalProtocolError, match=r"int32\(1, 3\)"):
        CODEC.encode(bedrock.SubChunkRequest(0, REQUEST.centre, np.zeros((1, 3), np.int32)))


@pytest.mark.parametrize(
    ("inline", "limit", "mark", "documented"),
    [
        (None, None, "ffffffff0f", "ffffffff"),
        (None, 15, "feffffff0f0f00", "feffffff0f00"),
        (3, None, "03", "03000000"),
    ],
)
def test_skeletons_carry_their_mark(inline: int | None, limit: int | None, mark: str, documented: str) -> None:
    message = bedrock.LevelChunk(ColumnPos(1, -1), 0, inline, limit, None, b"")
    tail = b"\x00\x00"
    assert CODEC.encode(message) == b"\x3a\x02\x01" + bytes.fromhex(mark) + tail
    assert DOCUMENTED.encode(message) == b"\x3a\x02\x01" + bytes.fromhex(documented) + tail


@pytest.mark.parametrize(("inline", "limit"), [(3, 4), (0xFFFFFFFE, None)])
def test_a_column_that_cannot_be_said_is_refused(inline: int, limit: int | None) -> None:
    with pytest.raises(LocalProtocolError):
        CODEC.encode(bedrock.LevelChunk(ColumnPos(0, 0), 0, inline, limit, None, b""))


def test_a_raw_capture_of_a_column() -> None:
    data = shared_data("captures/level_chunk-8.bin").read_bytes()
    message = CODEC.decode(data)
    assert isinstance(message, bedrock.LevelChunk)
    assert (message.column, message.inline_count, message.limit, message.blob_ids) == (
        ColumnPos(1, 0),
        None,
        None,
        None,
    )
    assert CODEC.encode(message) == data


def captures(pattern: str) -> list[Path]:
    return sorted(shared_data("captures").glob(pattern))


def test_captured_columns_are_read_and_written_alike() -> None:
    found = [path for path in captures("bedrock_1.1[89]*/level_chunk *") if "Miss" not in path.name]
    assert len(found) == 4
    for path in found:
        fields = capture(path)
        packet = level_chunk_packet(fields)
        message = CODEC.decode(packet)
        assert isinstance(message, bedrock.LevelChunk)
        assert message.payload == buffer(fields["payload"])
        assert message.limit == fields.get("highest_subchunk_count")
        assert (message.blob_ids is not None) == fields["cache_enabled"]
        assert CODEC.encode(message) == packet


def test_captured_answers_are_read_and_written_alike() -> None:
    found = [path for path in captures("bedrock_1.19*/subchunk *") if "Miss" not in path.name]
    assert len(found) == 2
    for path in found:
        fields = capture(path)
        packet = subchunk_packet(fields)
        message = CODEC.decode(packet)
        assert isinstance(message, bedrock.SubChunk)
        assert message.centre == SubChunkPos(4, 0, 10)
        for entry, told in zip(message.entries, fields["entries"], strict=True):
            assert (entry.dx, entry.dy, entry.dz) == (told["dx"], told["dy"], told["dz"])
            assert entry.height_kind == HEIGHTS[told["heightmap_type"]]
            assert entry.payload == (buffer(told["payload"]) if "payload" in told else b"")
            assert entry.blob_id == (int(told["blob_id"]) if fields["cache_enabled"] else None)
            assert entry.heights == (buffer(told["heightmap"]) if "heightmap" in told else None)
        assert CODEC.encode(message) == packet


def test_captured_content_is_the_same_through_both_profiles() -> None:
    paths = captures("bedrock_1.19*/subchunk *4,10,0.json") + captures("bedrock_1.1[89]*/level_chunk *")
    for path in paths:
        if "Miss" in path.name:
            continue
        fields = capture(path)
        message = CODEC.decode((subchunk_packet if "subchunk " in path.name else level_chunk_packet)(fields))
        assert isinstance(message, bedrock.LevelChunk | bedrock.SubChunk)
        documented = DOCUMENTED.encode(message)
        back = DOCUMENTED.decode(documented)
        if isinstance(message, bedrock.SubChunk):
            assert isinstance(back, bedrock.SubChunk)
            told = [entry._replace(heights=None) for entry in message.entries]
            assert [entry._replace(heights=None) for entry in back.entries] == told
            for before, after in zip(message.entries, back.entries, strict=True):
                # -1 and 0 both say that the column's top is below; the text has one value for them.
                assert np.array_equal(signed(before.heights).clip(0), signed(after.heights))
        else:
            assert back == message


def signed(heights: bytes | None) -> np.ndarray:
    return np.frombuffer(heights or b"", np.int8)


@pytest.mark.parametrize("codec", [CODEC, DOCUMENTED], ids=["bedrock", "documented"])
def test_a_bad_answer_names_the_entry_and_the_part(codec: bedrock.Codec) -> None:
    entries = (bedrock.SubChunkEntry(0, 0, 0, 1, b"abc", 2), bedrock.SubChunkEntry(0, 1, 0, 1, b"abc", 1, bytes(256)))
    packet = codec.encode(bedrock.SubChunk(False, 0, SubChunkPos(0, 0, 0), entries))
    with pytest.raises(DecodeError) as caught:
        codec.decode(packet[:-1])
    assert (caught.value.packet, caught.value.field) == ("SubChunk", "entries[1].heights")
    kind_at = len(packet) - 257
    with pytest.raises(DecodeError, match="height map of kind 9") as caught:
        codec.decode(packet[:kind_at] + b"\x09" + packet[kind_at + 1 :])
    assert (caught.value.field, caught.value.offset) == ("entries[1].height_kind", kind_at)


def test_an_answer_cannot_announce_more_than_it_holds() -> None:
    packet = CODEC.encode(bedrock.SubChunk(False, 0, SubChunkPos(0, 0, 0), ()))
    with pytest.raises(DecodeError, match="announces 4294967295 elements") as caught:
        CODEC.decode(packet[:-4] + b"\xff" * 4)
    assert caught.value.field == "entries"


def test_only_an_air_entry_with_the_cache_on_has_no_payload() -> None:
    def size(cached: bool, result: int) -> int:
        entry = bedrock.SubChunkEntry(0, 0, 0, result, blob_id=0 if cached else None)
        return len(CODEC.encode(bedrock.SubChunk(cached, 0, SubChunkPos(0, 0, 0), (entry,))))

    none = size(False, 6)
    assert {size(False, result) for result in range(7)} == {none}
    assert size(True, 2) == none + 8
    assert size(True, 6) == none + 8 - 1


def test_an_entry_that_cannot_be_said_is_refused() -> None:
    for entry in (
        bedrock.SubChunkEntry(128, 0, 0, 1),
        bedrock.SubChunkEntry(0, 0, 0, 256),
        bedrock.SubChunkEntry(0, 0, 0, 1, b"", bedrock.HeightKind.DATA, bytes(255)),
        bedrock.SubChunkEntry(0, 0, 0, 1, b"", bedrock.HeightKind.DATA, None),
    ):
        with pytest.raises(LocalProtocolError, match=r"SubChunk.entries\[0\]"):
            CODEC.encode(bedrock.SubChunk(False, 0, SubChunkPos(0, 0, 0), (entry,)))


def test_a_block_update_at_486() -> None:
    message = bedrock.UpdateBlock(BlockPos(-1, -60, 2), 7177, 3, 1)
    assert CODEC.encode(message) == b"\x15" + zz(-1) + bytes.fromhex("c4ffffff0f") + zz(2) + uv(7177) + b"\x03\x01"


def test_a_header_carries_sub_clients_that_are_ignored() -> None:
    body = CODEC.encode(bedrock.SetTime(6000))[1:]
    assert CODEC.decode(uv(10 | 1 << 10 | 2 << 12) + body) == bedrock.SetTime(6000)


def test_an_unknown_number_is_a_message() -> None:
    assert CODEC.decode(uv(0x3FF) + b"abc") == bedrock.Unknown(0x3FF, 5)
    with pytest.raises(LocalProtocolError, match="Unknown is not a packet"):
        CODEC.encode(bedrock.Unknown(1, 2))


def test_numbers_and_messages_are_listed_once() -> None:
    numbers = [packet.ID for packet in packets()]
    assert numbers == sorted(set(numbers))
    assert all(getattr(bedrock, packet.__name__) is packet for packet in packets())


def test_a_protocol_without_tables_is_refused() -> None:
    for number in (1, 485, 2194):
        told = rf"protocol {number} is not supported; supported are 486 \(1\.18\.10\) to 2193 \(1\.26\.51\)"
        with pytest.raises(LocalProtocolError, match=told):
            bedrock.Codec(number)


@pytest.mark.parametrize(
    ("tokens", "field", "words"),
    [
        (le(-1, 4), "chain", "announces -1 bytes"),
        (le(5, 4) + b"abc", "chain", "announces 5 bytes, but 3 are left"),
        (le(1, 4) + b"\xff" + le(0, 4), "chain", "is not UTF-8"),
        (le(0, 4) + le(9, 4), "client_token", "announces 9 bytes, but 0 are left"),
    ],
)
def test_a_login_with_lying_lengths_names_the_token(tokens: bytes, field: str, words: str) -> None:
    with pytest.raises(DecodeError, match=words) as caught:
        CODEC.decode(uv(1) + (486).to_bytes(4, "big") + sized(tokens))
    assert (caught.value.packet, caught.value.field) == ("Login", field)


def test_a_start_game_keeps_what_came_before_a_fault_in_its_tail() -> None:
    message = bedrock.StartGame(
        entity_unique_id=-5,
        runtime_id=7,
        position=(0.5, 64.0, 0.5),
        time=1234,
        custom_blocks=(bedrock.CustomBlock("acme:anvil"),),
        game_rules=(bedrock.GameRule("dodaylightcycle", False, True), bedrock.GameRule("speed", True, 3)),
    )
    packet = CODEC.encode(message)
    whole = CODEC.decode(packet)
    assert whole == message
    cut = CODEC.decode(packet[:-1])
    assert isinstance(cut, bedrock.StartGame)
    assert cut.custom_blocks == message.custom_blocks
    assert cut.tail_fault is not None
    assert "StartGame.block_checksum" in cut.tail_fault


def test_a_game_rule_of_unknown_kind_is_fatal_because_its_length_is_unknown() -> None:
    message = bedrock.StartGame(
        entity_unique_id=1, runtime_id=1, position=(0, 0, 0), game_rules=(bedrock.GameRule("speed", True, 3),)
    )
    packet = CODEC.encode(message).replace(b"\x05speed\x01\x02\x03", b"\x05speed\x01\x09\x03")
    with pytest.raises(DecodeError, match="kind 9") as caught:
        CODEC.decode(packet)
    assert caught.value.field == "game_rules[0]"


def test_a_teleport_has_a_cause_and_other_moves_have_none() -> None:
    move = bedrock.MovePlayer(1, (0, 0, 0), 0, 0, 0, bedrock.MoveMode.NORMAL, cause=3)
    jump = bedrock.MovePlayer(1, (0, 0, 0), 0, 0, 0, bedrock.MoveMode.TELEPORT, cause=3)
    assert len(CODEC.encode(jump)) == len(CODEC.encode(move)) + 8
    assert CODEC.decode(CODEC.encode(jump)) == jump
    back = CODEC.decode(CODEC.encode(move))
    assert isinstance(back, bedrock.MovePlayer)
    assert back.cause == 0


def test_who_gives_a_command_is_a_number_at_486_and_a_word_at_898() -> None:
    origin = bedrock.CommandOrigin("scripting", "11111111-2222-3333-4444-555555555555", "a", 0)
    request = bedrock.CommandRequest("/x", origin)
    old, new = (bedrock.Codec(protocol).encode(request) for protocol in (486, 898))
    assert old.startswith(uv(77) + b"\x02/x" + uv(14))
    assert new.startswith(uv(77) + b"\x02/x" + b"\x09scripting")
    assert new.endswith(b"\0" + b"\x06latest")
    with pytest.raises(DecodeError, match=r"CommandRequest\.origin\.kind at byte 4: is 16, not one of 0\.\.15"):
        CODEC.decode(old[:5].replace(uv(14), uv(16)) + old[5:])
    with pytest.raises(LocalProtocolError, match=r"CommandRequest\.origin\.kind is 'nobody', not one of player, "):
        CODEC.encode(bedrock.CommandRequest("/x", bedrock.CommandOrigin("nobody")))
