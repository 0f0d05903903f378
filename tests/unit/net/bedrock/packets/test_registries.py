"""Biome lists of servers nobody here wrote, from their recordings: read to the last byte."""

import pytest

from net.bedrock import BiomeDefinitionList
from net.bedrock.codec import Codec
from net.bedrock.packets.registries import BiomeDefinition, read_biome_definitions
from net.recording import ReceivedRecord, Recording
from tests.recordings import recording


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
