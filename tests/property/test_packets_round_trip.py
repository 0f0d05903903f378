"""Every packet says what it was given, in both profiles, and bad bytes are DecodeErrors and nothing else.

Nbt round trip: NBT comes back as it was written, in both flavours; bad bytes are DecodeErrors or limits.

Biome definitions: A server's biome list is read as it was written, to its last byte; a broken one is an error that says
where.
"""

import contextlib
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import astuple, replace

from net import bedrock
from net.bedrock import packets
from net.bedrock.packets.registries import BiomeDefinition, read_biome_definitions
from net.errors import DecodeError, LimitExceeded, RemoteProtocolError
from net.nbt import DISK, NETWORK, Compound, Flavour, Tag, encode_root, read_root
from net.releases import RELEASES, Release
from net.wire.cursor import Reader
from net.wire.fields import Dialect, Profile, select
from tests.support.reference.wire import read_roots, written
from tests.support.session.messages import ANY_MESSAGE, COMPOUNDS, I32, MESSAGES, messages_of

# ---------------------------------------------------------------- packets round trip

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


def ends_unparsed(message: bedrock.Message) -> bool:
    """Whether its end is kept as it came."""
    return isinstance(message, UNPARSED) or (isinstance(message, bedrock.InventoryTransaction) and message.use is None)


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_every_message_comes_back_in_both_profiles(kind: type, data: st.DataObject) -> None:
    message = data.draw(MESSAGES[kind])
    for codec in CODECS:
        assert codec.decode(codec.encode(message)) == message


def layout(part: Any) -> Any:
    """How a field is read and written, to be compared: a function by its code and by what it holds."""
    if isinstance(part, MethodType):
        return layout(part.__func__), layout(part.__self__)
    if isinstance(part, FunctionType):
        return part.__code__, part.__defaults__, tuple(layout(cell.cell_contents) for cell in part.__closure__ or ())
    if isinstance(part, tuple):
        return tuple(map(layout, part))
    if isinstance(part, Struct):
        return type(part), layout(astuple(part))
    return part


def layout_at(kind: type[bedrock.Message], protocol: int) -> Any:
    """A packet's layout; one that looks at the protocol itself is another in each."""
    looks = any("protocol" in hook.__code__.co_names for hook in (kind.from_values, kind.to_values))
    return protocol if looks else layout(select(kind.FIELDS, Dialect(protocol)))


def new_layouts() -> Iterator[tuple[Release, list[type[bedrock.Message]]]]:
    """Releases, each with the packets whose layout is another one than in the release before."""
    before: dict[type[bedrock.Message], Any] = {}
    for release in RELEASES:
        layouts = {kind: layout_at(kind, release.protocol) for kind in packets(release.protocol)}
        yield release, [kind for kind, found in layouts.items() if before.get(kind) != found]
        before = layouts


NEW_LAYOUTS = dict(new_layouts())


def test_a_layout_changes_where_a_field_comes_or_goes_or_its_parts_do() -> None:
    changed = {release.protocol: set(kinds) for release, kinds in NEW_LAYOUTS.items()}
    assert changed[486] == set(packets(486))
    for kind in {kind for protocol in changed for kind in packets(protocol)}:
        gates = {gate for field in kind.FIELDS for gate in (field.since, field.until)} & changed.keys()
        assert all(kind in changed[gate] for gate in gates), kind
    parts = {bedrock.AddPlayer: 534, bedrock.CommandOutput: 898, bedrock.ResourcePacksInfo: 618}
    assert all(kind in changed[protocol] for kind, protocol in parts.items())
    assert bedrock.SetTime not in changed[503]


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_every_message_of_every_layout_comes_back(release: Release, data: st.DataObject) -> None:
    codec = bedrock.Codec(release.protocol)
    for kind in NEW_LAYOUTS[release]:
        message = data.draw(messages_of(release.protocol)[kind])
        packet = codec.encode(message)
        assert codec.decode(packet) == message
        if not ends_unparsed(message):
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
        elif not ends_unparsed(cut):
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
    if not ends_unparsed(message):
        assert codec.decode(codec.encode(message) + tail) == message


# ---------------------------------------------------------------- nbt round trip

FLAVOURS = st.sampled_from([NETWORK, DISK])


def types(tag: Tag) -> object:
    """The tree of types: values compare equal across widths."""
    if isinstance(tag, dict):
        return {name: types(member) for name, member in tag.items()}
    return [types(element) for element in tag] if isinstance(tag, list) else type(tag)


@settings(max_examples=60, deadline=None)
@given(compound=COMPOUNDS, flavour=FLAVOURS)
def test_values_and_types_come_back(compound: Compound, flavour: Flavour) -> None:
    data = encode_root(compound, flavour)
    reader = Reader(data, "nbt")
    back = read_root(reader, flavour)
    assert back == compound
    assert types(back) == types(compound)
    assert reader.left == 0


@settings(max_examples=60, deadline=None)
@given(compounds=st.lists(COMPOUNDS, max_size=4), flavour=FLAVOURS)
def test_roots_follow_each_other(compounds: list[Compound], flavour: Flavour) -> None:
    assert read_roots(b"".join(encode_root(c, flavour) for c in compounds), flavour) == compounds


@settings(max_examples=60, deadline=None)
@given(compound=COMPOUNDS, flavour=FLAVOURS)
def test_a_root_cut_anywhere_is_a_decode_error(compound: Compound, flavour: Flavour) -> None:
    data = encode_root(compound, flavour)
    for size in range(len(data)):
        with pytest.raises(DecodeError):
            read_root(Reader(data[:size], "nbt"), flavour)


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=300), flavour=FLAVOURS)
def test_random_nbt_never_crashes(data: bytes, flavour: Flavour) -> None:
    for start in (b"", b"\x0a\x00", b"\x0a\x00\x00"):
        with contextlib.suppress(DecodeError, LimitExceeded):
            read_roots(start + data, flavour)


# ---------------------------------------------------------------- biome definitions

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
