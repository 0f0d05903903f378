"""Which numbers are spoken, and with whose packets.

Spoken: Whose protocol a client speaks, of its first bytes alone.

Documented profile: Payloads of the documented profile: palettes and heights turned, all else untouched.

Object limits: What a packet's lists may cost as objects, whatever they take on the wire.
"""

import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from net import bedrock, nbt
from net.bedrock import Unknown
from net.bedrock.batch import BatchWriter
from net.bedrock.codec import Codec
from net.bedrock.documented_profile import HEIGHTS_TO_BEDROCK, HEIGHTS_TO_DOCUMENTED, to_unsigned, to_zigzag
from net.bedrock.packets.login import Login, RequestNetworkSettings
from net.errors import DecodeError, LimitExceeded, LocalProtocolError
from net.nbt import NETWORK, Int, encode_root, read_root
from net.releases import (
    NEWEST,
    OLDEST,
    RELEASES,
    SETTINGS_FIRST,
    ProtocolRange,
    is_supported,
    readable_by,
    release_of,
)
from net.wire.cursor import ELEMENT_BYTES, NBT_VALUE_BYTES, OBJECTS_BYTES, PACKET_BYTES, Reader
from tests.support.reference.wire import le, uv, zz

# ---------------------------------------------------------------- releases

# ---------------------------------------------------------------- releases


def test_releases_ascend() -> None:
    numbers = [release.protocol for release in RELEASES]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize(("number", "release"), [(486, 486), (502, 486), (503, 503), (2000, 1001), (2192, 2169)])
def test_a_number_between_releases_has_the_packets_of_the_nearest_lower_one(number: int, release: int) -> None:
    codec = Codec(number)
    assert release_of(number).protocol == release == codec.release.protocol
    assert codec.protocol == number
    packet = codec.encode(Login(number, "{}", ""))
    assert packet == Codec(release).encode(Login(number, "{}", ""))


@pytest.mark.parametrize("number", [0, 485, 2194, -1])
def test_a_number_outside_is_one_sentence_with_the_range(number: int) -> None:
    assert not is_supported(number)
    with pytest.raises(LocalProtocolError, match=r"486 \(1\.18\.10\) to 2193 \(1\.26\.51\)"):
        release_of(number)


def test_raknet_11_comes_with_network_settings() -> None:
    assert [release_of(number).raknet_version for number in (486, 545, 554, 2193)] == [10, 10, 11, 11]


# ---------------------------------------------------------------- spoken


def first_batch(protocol: int, said: int | None = None, level: int = 6) -> bytes:
    """What a client of a protocol sends first; ``said`` is the number in it."""
    number = protocol if said is None else said
    old = protocol < SETTINGS_FIRST
    message = Login(number, "{}" * 400, "x" * 900) if old else RequestNetworkSettings(number)
    return BatchWriter(level, protocol).pack([Codec(protocol).encode(message)])


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: str(release.protocol))
@pytest.mark.parametrize("level", [0, 1, 9])
def test_each_release_is_known_by_its_first_batch(release: object, level: int) -> None:
    protocol = release.protocol
    assert readable_by(first_batch(protocol, level=level)) == protocol


@pytest.mark.parametrize(
    ("form", "said", "reads"),
    [
        (486, 400, OLDEST.protocol),
        (486, -7, OLDEST.protocol),
        (486, 2193, SETTINGS_FIRST - 1),
        (2193, 9999, NEWEST.protocol),
        (2193, 486, SETTINGS_FIRST),
    ],
)
def test_who_says_another_number_is_spoken_to_in_the_form_it_uses(form: int, said: int, reads: int) -> None:
    assert readable_by(first_batch(form, said)) == reads


@given(st.binary(max_size=64))
def test_nonsense_says_nothing_or_something_we_speak(payload: bytes) -> None:
    for first in (payload, b"\xfe" + payload):
        reads = readable_by(first)
        assert reads is None or OLDEST.protocol <= reads <= NEWEST.protocol


def test_a_range_is_one_of_protocols_that_are_spoken() -> None:
    assert 700 in ProtocolRange()
    assert 485 not in ProtocolRange()
    assert str(ProtocolRange.only(975)) == "protocol 975"
    assert str(ProtocolRange(486, 975)) == "protocols 486 (1.18.10) to 975 (1.26.20)"
    for lowest, highest in ((485, 486), (486, 2194), (975, 486)):
        with pytest.raises(LocalProtocolError):
            ProtocolRange(lowest, highest)


# ---------------------------------------------------------------- documented profile

WORDS = bytes(range(256)) * 2  # 512 bytes: one bit a block
ENTITY = encode_root({"id": "Sign", "x": Int(1)}, NETWORK)


def storage(number, ids: list[int]) -> bytes:
    if len(ids) == 1:
        return b"\x01" + number(ids[0])
    return b"\x03" + WORDS + number(len(ids)) + b"".join(map(number, ids))


def subchunk(number, version: int) -> bytes:
    layers = storage(number, [7177, 134]) + storage(number, [7666])
    head = {1: b"\x01", 8: b"\x08\x02", 9: b"\x09\x02\xfc"}[version]
    return head + (storage(number, [7177, 134]) if version == 1 else layers)


@pytest.mark.parametrize("version", [1, 8, 9])
def test_palettes_of_a_sub_chunk_are_turned_and_entities_kept(version: int) -> None:
    real, documented = subchunk(zz, version) + ENTITY, subchunk(uv, version) + ENTITY
    assert to_zigzag(documented, 1, biomes=False) == real
    assert to_unsigned(real, 1, biomes=False) == documented


def test_a_whole_column_with_biomes_border_and_entities() -> None:
    def column(number) -> bytes:
        biomes = storage(number, [44]) + b"\xff" + storage(number, [1, 2]) + b"\x00"
        return subchunk(number, 9) + subchunk(number, 8) + biomes + ENTITY

    assert to_zigzag(column(uv), 2, biomes=True) == column(zz)
    assert to_unsigned(column(zz), 2, biomes=True) == column(uv)


def test_a_legacy_sub_chunk_has_no_palette() -> None:
    legacy = b"\x00" + bytes(6144)
    assert to_zigzag(legacy + subchunk(uv, 9), 2, biomes=False) == legacy + subchunk(zz, 9)


def test_a_palette_of_compounds_turns_its_count_alone() -> None:
    entries = encode_root({"name": "minecraft:air"}, NETWORK) * 2
    turned = to_zigzag(b"\x01" + b"\x02" + WORDS + uv(2) + entries, 1, biomes=False)
    assert turned == b"\x01" + b"\x02" + WORDS + zz(2) + entries


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"\x63",
        b"\x09",
        b"\x01\x05" + bytes(9),
        b"\x01\xfd",
        b"\x01\x03" + WORDS + b"\x05\x01",
        b"\x01\x02" + WORDS + b"\x01\x08",
    ],
)
def test_what_makes_no_sense_is_left_as_it_is(broken: bytes) -> None:
    assert to_zigzag(broken, 1, biomes=True) == broken
    good = subchunk(uv, 9)
    assert to_zigzag(good + broken, 2, biomes=False) == subchunk(zz, 9) + broken


def test_ids_above_31_bits_keep_their_bits() -> None:
    assert to_unsigned(b"\x01\x01" + zz(-5), 1, biomes=False) == b"\x01\x01" + uv(0xFFFFFFFB)
    assert to_zigzag(b"\x01\x01" + uv(0xFFFFFFFB), 1, biomes=False) == b"\x01\x01" + zz(-5)


def test_heights_are_the_top_blocks_y_in_the_text_and_one_more_on_the_wire() -> None:
    documented = bytes([255, 0, 7, 15, 16])
    assert documented.translate(HEIGHTS_TO_BEDROCK) == bytes([0, 1, 8, 16, 16])
    assert bytes([255, 0, 1, 8, 16]).translate(HEIGHTS_TO_DOCUMENTED) == bytes([255, 255, 0, 7, 15])
    # Values that no server sends must not wrap into others.
    assert bytes([128, 127]).translate(HEIGHTS_TO_BEDROCK) == bytes([0, 16])


# ---------------------------------------------------------------- object limits

CODEC = bedrock.Codec()
MOST = OBJECTS_BYTES // ELEMENT_BYTES


def changes(count: int) -> bytes:
    """UpdateSubChunkBlocks with so many blocks of seven bytes."""
    return uv(172) + zz(0) * 3 + uv(count) + bytes(7 * count) + uv(0)


def refusals(count: int) -> bytes:
    return uv(174) + b"\0" + zz(0) * 4 + le(count, 4) + b"\0\0\0\2\0\0" * count


def hashes(count: int) -> bytes:
    return uv(135) + uv(count) + uv(0) + bytes(8 * count)


@pytest.mark.parametrize("packet", [changes, refusals, hashes])
def test_a_list_that_would_cost_too_much_is_refused_before_it_is_made(packet: Callable[[int], bytes]) -> None:
    tracemalloc.start()
    whole = packet(MOST + 1)
    before = tracemalloc.get_traced_memory()[0]
    with pytest.raises(DecodeError, match="bytes of objects"):
        CODEC.decode(whole)
    worst = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert worst < 2 * len(whole) + (1 << 20)


@pytest.mark.parametrize("packet", [changes, refusals, hashes])
def test_what_is_counted_for_a_list_covers_what_it_costs(packet: Callable[[int], bytes]) -> None:
    whole = packet(5000)
    reader = Reader(whole, "packet")
    tracemalloc.start()
    message = CODEC.read(reader)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert message is not None
    assert reader.objects_bytes == 5000 * ELEMENT_BYTES
    assert held < len(whole) + reader.objects_bytes


def test_all_roots_of_one_reader_share_the_bound() -> None:
    values = OBJECTS_BYTES // NBT_VALUE_BYTES // 2
    root = b"\x0a\0\x09\0\x01" + zz(values) + bytes(values) + b"\0"
    reader = Reader(root * 2, "test")
    read_root(reader, nbt.NETWORK)
    with pytest.raises(LimitExceeded, match="bytes of objects"):
        read_root(reader, nbt.NETWORK)


def test_a_packet_beyond_any_real_one_is_refused_by_name_unless_nobody_reads_it() -> None:
    with pytest.raises(DecodeError, match="bytes of LevelChunk"):
        CODEC.decode(uv(58) + bytes(PACKET_BYTES))
    assert CODEC.decode(uv(1000) + bytes(PACKET_BYTES)) == Unknown(1000, PACKET_BYTES + 2)
