"""Packets of entities: those of real servers are read to their last byte, and a lie in one is a fault of that one.

Biome lists of servers nobody here wrote, from their recordings: read to the last byte.
"""

import math
import struct

import pytest

from net import bedrock
from net.bedrock import (
    BiomeDefinitionList,
    Codec,
    EntityLink,
    EntityValue,
    ListedPlayer,
    PlayerListEntry,
    Skin,
    SkinImage,
)
from net.bedrock.packets.entity_values import ITEM, MOST_VALUES, NO_ITEM, ValueType
from net.bedrock.packets.player_list import IMAGE_BYTES
from net.bedrock.packets.registries import BiomeDefinition, read_biome_definitions
from net.errors import DecodeError, LocalProtocolError
from net.recording.file import Recording
from net.recording.records import ReceivedRecord
from net.wire.cursor import Reader, Writer
from net.wire.fields import Dialect
from tests.recordings import recording

UUID = "01234567-89ab-cdef-0123-456789abcdef"
HERE = (1.5, 64.0, -2.5)
NAME = EntityValue(4, ValueType.STRING, "Bessie")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dragonfly-527", {"PlayerList", "SetActorMotion", "SetActorData"}),
        ("jsprismarine-748", {"PlayerList", "SetActorData"}),
        ("serenity-975", {"PlayerList", "SetActorData", "MoveActorDelta"}),
        ("dragonfly-2168", {"PlayerList", "SetActorData", "SetActorMotion"}),
        ("dragonfly-entities-2168", {"AddPlayer", "AddActor", "AddItemActor", "RemoveActor", "MoveActorAbsolute"}),
        ("serenity-entities-975", {"AddActor", "AddItemActor", "MoveActorDelta"}),
    ],
)
def test_what_real_servers_send_of_entities_is_read_to_its_end_and_written_as_it_was(
    name: str, expected: set[str]
) -> None:
    found = set()
    with Recording.open(recording(name)) as opened:
        codec = Codec(opened.header.protocol)
        for entry in opened.entries():
            if isinstance(entry.record, ReceivedRecord):
                reader = Reader(entry.record.packet, "packet")
                message = codec.read(reader)
                if type(message).__name__ in expected:
                    found.add(type(message).__name__)
                    assert reader.left == 0
                    assert codec.encode(message) == entry.record.packet
    assert found == expected


def cow(velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> bedrock.AddActor:
    return bedrock.AddActor(unique_id=-7, runtime_id=7, type="minecraft:cow", position=HERE, velocity=velocity)


@pytest.mark.parametrize("protocol", [486, 557, 2168, 2193])
def test_a_list_of_metadata_that_announces_more_than_follows_is_a_fault(protocol: int) -> None:
    codec = Codec(protocol)
    packet = codec.encode(bedrock.SetActorData(7, (NAME,)))
    assert packet[2] == 1  # the length of the list, behind number and runtime id
    with pytest.raises(DecodeError, match=r"SetActorData\.metadata"):
        codec.decode(packet[:2] + b"\xff\xff\x03" + packet[3:])


@pytest.mark.parametrize("protocol", [486, 2193])
def test_a_text_in_metadata_that_is_longer_than_its_packet_is_a_fault(protocol: int) -> None:
    codec = Codec(protocol)
    packet = codec.encode(bedrock.SetActorData(7, (NAME,)))
    at = packet.index(b"\x06Bessie")
    with pytest.raises(DecodeError, match=r"SetActorData\.metadata\[0\].*needs 127 bytes"):
        codec.decode(packet[:at] + b"\x7f" + packet[at + 1 :])


@pytest.mark.parametrize("protocol", [486, 2193])
def test_a_type_of_metadata_that_nobody_knows_is_a_fault(protocol: int) -> None:
    codec = Codec(protocol)
    packet = codec.encode(bedrock.SetActorData(7, (NAME,)))
    with pytest.raises(DecodeError, match="unknown type 9"):
        codec.decode(packet[:4] + b"\x09" + packet[5:])


def test_more_values_than_any_release_has_keys_are_a_fault() -> None:
    codec = Codec(486)
    with pytest.raises(DecodeError, match="values of metadata"):
        codec.decode(codec.encode(bedrock.SetActorData(7, (NAME,) * (MOST_VALUES + 1))))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 3e9])
@pytest.mark.parametrize("protocol", [486, 2193])
def test_a_position_that_is_none_is_a_fault_of_its_packet(protocol: int, bad: float) -> None:
    codec = Codec(protocol)
    good = struct.pack("<f", 64.0)
    for message in (cow(), bedrock.MoveActorAbsolute(7, HERE), bedrock.MoveActorDelta(7, y=64.0)):
        with pytest.raises(DecodeError, match="in a world"):
            codec.decode(codec.encode(message).replace(good, struct.pack("<f", bad), 1))


def test_a_velocity_that_is_none_costs_nobody_the_entity() -> None:
    codec = Codec(2193)
    decoded = codec.decode(codec.encode(cow(velocity=(math.nan, 0.0, 0.0))))
    assert isinstance(decoded, bedrock.AddActor)
    assert decoded.position == HERE


def test_a_skin_whose_image_is_too_large_is_a_fault() -> None:
    writer = Writer("image")
    for number in (1, 1):
        writer.i32le(number)
    writer.byte_string(bytes(IMAGE_BYTES + 1))
    codec = Codec(486)
    packet = codec.encode(bedrock.PlayerSkin(UUID, Skin(image=SkinImage(1, 1, b"here"))))
    start = packet.index(b"\x01\0\0\0\x01\0\0\0\x04here")
    with pytest.raises(DecodeError, match="bytes of a skin's image"):
        codec.decode(packet[:start] + writer.take() + packet[start + 13 :])


@pytest.mark.parametrize("protocol", [486, 649, 800, 1001])
def test_a_list_adds_or_removes_players_before_2168(protocol: int) -> None:
    codec = Codec(protocol)
    both = (PlayerListEntry(UUID, ListedPlayer(-7, "Ann")), PlayerListEntry(UUID))
    with pytest.raises(LocalProtocolError, match="cannot both add and remove players"):
        codec.encode(bedrock.PlayerList(both))
    for entries in (both[:1], both[1:], ()):
        assert codec.decode(codec.encode(bedrock.PlayerList(entries))) == bedrock.PlayerList(entries)


def test_a_list_does_both_from_2168_on() -> None:
    codec = Codec(2168)
    both = bedrock.PlayerList((PlayerListEntry(UUID), PlayerListEntry(UUID, ListedPlayer(-7, "Ann"))))
    assert codec.decode(codec.encode(both)) == both


def test_a_plain_skin_can_be_said_in_every_release() -> None:
    for protocol in (486, 567, 2168):
        codec = Codec(protocol)
        said = codec.decode(codec.encode(bedrock.PlayerSkin(UUID, Skin())))
        assert isinstance(said, bedrock.PlayerSkin)
        assert said.skin == Skin()


def test_bytes_of_known_packets() -> None:
    """As minecraft-data's tables lay them out, by hand."""
    old, new = Codec(486), Codec(2193)
    assert old.encode(bedrock.RemoveActor(-2)).hex() == "0e03"
    assert old.encode(bedrock.MoveActorAbsolute(5, (0.0, 1.0, 0.0), 90.0, 180.0, 270.0, flags=3)).hex() == (
        "1205" + "03" + "00000000" + "0000803f" + "00000000" + "40" + "80" + "c0"
    )
    move = bedrock.MoveActorDelta(5, y=1.0, yaw=180.0, on_ground=True, teleport=True)
    assert old.encode(move).hex() == "6f05" + "d200" + "0000803f" + "80"
    assert new.encode(move).hex() == "6f05" + "00" + "010000803f" + "00" + "00" + "0180" + "00" + "01" + "000000" + "00"
    link = bedrock.SetActorLink(EntityLink(-1, 1, 1, by_rider=True))
    assert old.encode(link).hex() == "29" + "01" + "02" + "01" + "00" + "01"
    assert new.encode(link).hex() == "29" + "01" + "02" + "01" + "00" + "01" + "00000000"
    said = bedrock.SetActorData(5, (EntityValue(38, ValueType.FLOAT, 1.0),))
    assert old.encode(said).hex() == "2705" + "01" + "2603" + "0000803f" + "00"
    assert new.encode(said).hex() == "2705" + "01" + "260303" + "0000803f" + "00" + "00" + "00"
    where = bedrock.PlayerLocation(3, (0.0, 0.0, 1.0))
    assert Codec(800).encode(where).hex() == "c602" + "00000000" + "06" + "00000000" * 2 + "0000803f"
    assert new.encode(where).hex() == "c602" + "06" + "00" + "00" + "00000000" * 2 + "0000803f"
    assert new.encode(bedrock.PlayerLocation(3)).hex() == "c602" + "06" + "01" + "00"


def test_nothing_in_a_hand_says_nothing_further() -> None:
    """What follows would be read as a shield's where a server names no items (gophertunnel)."""
    writer = Writer("item")
    ITEM.of(Dialect(2168)).write(writer, NO_ITEM)
    assert writer.take() == bytes(8)


# --------------------------------------------------------------------- test registries


@pytest.mark.parametrize(
    ("name", "many", "some"),
    [
        ("gophertunnel-486", 71, "bamboo_jungle"),
        ("dragonfly-527", 82, "mesa"),
        ("jsprismarine-748", 86, "bamboo_jungle"),
        ("serenity-975", 87, "minecraft:pale_garden"),
        ("dragonfly-2168", 88, "jagged_peaks"),
    ],
)
def test_what_real_servers_send_is_read_to_its_end(name: str, many: int, some: str) -> None:
    with Recording.open(recording(name)) as opened:
        codec = Codec(opened.header.protocol)
        packets = [entry.record.packet for entry in opened.entries() if isinstance(entry.record, ReceivedRecord)]
        messages = [codec.decode(packet) for packet in packets]
        (told,) = [message for message in messages if isinstance(message, BiomeDefinitionList)]
        assert told.content is not None
        biomes = read_biome_definitions(told.content, opened.header.protocol)
    assert len({biome.name for biome in biomes}) == many
    assert BiomeDefinition(some) in biomes
    assert all(biome.number is None for biome in biomes)  # usual ones need none
