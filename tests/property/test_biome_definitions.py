"""A server's biome list is read as it was written, to its last byte; a broken one is an error that says where."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from net.bedrock.packets.registries import BiomeDefinition, read_biome_definitions
from net.bedrock.releases import RELEASES
from net.errors import RemoteProtocolError
from tests.support.reference.wire import written

NAMES = st.text(st.characters(categories=["L", "N"], include_characters=":_"), min_size=1, max_size=20)
BIOMES = st.dictionaries(NAMES, st.none() | st.integers(0, 65534), max_size=12).map(lambda found: list(found.items()))
PROTOCOLS = st.sampled_from([release.protocol for release in RELEASES])


@settings(max_examples=200, deadline=None)
@given(biomes=BIOMES, protocol=PROTOCOLS, tags=st.integers(0, 3))
def test_names_and_numbers_come_back_in_every_release(
    biomes: list[tuple[str, int | None]], protocol: int, tags: int
) -> None:
    content = written(biomes, protocol, tags)
    assert read_biome_definitions(content, protocol) == tuple(BiomeDefinition(*biome) for biome in biomes)


@settings(max_examples=200, deadline=None)
@given(biomes=BIOMES, protocol=PROTOCOLS, data=st.data())
def test_a_list_cut_anywhere_or_with_more_behind_it_is_an_error(
    biomes: list[tuple[str, int | None]], protocol: int, data: st.DataObject
) -> None:
    content = written(biomes, protocol)
    cut = content[: data.draw(st.integers(0, len(content) - 1))]
    for broken in (cut, content + b"\0"):
        with pytest.raises(RemoteProtocolError, match="BiomeDefinitionList"):
            read_biome_definitions(broken, protocol)


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=200), protocol=PROTOCOLS)
def test_any_bytes_are_biomes_or_an_error_of_the_wire(content: bytes, protocol: int) -> None:
    try:
        biomes = read_biome_definitions(content, protocol)
    except RemoteProtocolError:
        return
    assert all(biome.number is None or 0 <= biome.number < 65535 for biome in biomes)


def test_a_name_beyond_the_strings_is_named() -> None:
    content = written([("a", 1), ("b", 2)], 975, tags=0)
    with pytest.raises(RemoteProtocolError, match=r"definitions\[1\]\.name at byte \d+: is string 1 of 1"):
        read_biome_definitions(content[:-5] + b"\x01\x01a", 975)
