"""Rules of generation in a biome list, which no capture holds, are read by npm minecraft-data's description."""

import json
import random

import pytest

from net.bedrock.packets.registries import read_biome_definitions
from tests.interop.test_packets import VERSIONS
from tests.support.reference.wire import of_description
from tests.support.servers.foreign import PACKAGES

pytestmark = pytest.mark.interop

TABLES = PACKAGES / "node_modules" / "minecraft-data" / "minecraft-data" / "data" / "bedrock"


@pytest.mark.parametrize("protocol", [protocol for protocol in VERSIONS if protocol >= 800])
def test_rules_of_generation_are_stepped_over_in_every_release(protocol: int) -> None:
    types = json.loads((TABLES / VERSIONS[protocol] / "protocol.json").read_text())["types"]
    chance = random.Random(protocol)
    for many in range(1, 20):
        rows = [bytearray(of_description(types, "BiomeDefinition", chance)) for _ in range(many)]
        for at, row in enumerate(rows):
            row[:2] = at.to_bytes(2, "little")
        strings = b"".join(b"\x02" + f"{at:02d}".encode() for at in range(many))
        content = bytes([many]) + b"".join(rows) + bytes([many]) + strings
        assert [b.name for b in read_biome_definitions(content, protocol)] == [f"{at:02d}" for at in range(many)]
