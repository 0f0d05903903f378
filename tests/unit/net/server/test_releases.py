"""Clients of several releases on one host: each reads one world in its own words.

Releases: Our own server at other releases: its worlds are spelled in their words, and our client shows the same blocks.

Join packets: What a client is told first, by every release's rules.
"""

import numpy as np
import pytest

from net.bedrock import (
    DimensionData,
    DimensionDefinition,
    ItemRegistry,
    PlayStatus,
    PlayStatusCode,
    StartGame,
    UpdateBlock,
)
from net.errors import LocalProtocolError
from net.palette import BlockState, Palette, UnknownState
from net.releases import ProtocolRange
from net.server.block_ids import BlockIdForms, LocalStates, word_lists
from net.server.client_session import LOGIN_S, JoinPhase
from net.server.column_provider import ColumnProvider
from net.server.column_snapshots import KEPT_FORMS
from net.server.host import Host
from net.server.host_options import ColumnMode, HostOptions, IdForm
from net.server.worlds import open_worlds
from net.server.worlds.world import FlatWorld, ServerWorld
from net.space import END, BlockPos, ColumnPos, Dimension, SubChunkPos
from tests.support.data.shared import form_of
from tests.support.session.plain_client import UNIX_TIME, Talk, entropy, make_host, plain_subchunk
from tests.support.worlds.server import TallWorld

# ---------------------------------------------------------------- releases

# ---------------------------------------------------------------- many releases

RELEASES = (486, 527, 700, 975, 2193)
PLACE = SubChunkPos(0, -4, 0)
GRASS_Y = -61
GRANITE = BlockState("minecraft:stone", (("stone_type", "granite"),))
LATE = BlockState("minecraft:resin_block")


def host_of(spoken: ProtocolRange | None = None, mode: ColumnMode = ColumnMode.LIMITED) -> Host:
    """A flat host of all protocols, unless told otherwise."""
    return Host(FlatWorld(), HostOptions(mode=mode), spoken or ProtocolRange(), 0.0, UNIX_TIME, entropy("server"))


def talks_on(host: Host, releases: tuple[int, ...] = RELEASES) -> dict[int, Talk]:
    """A client of each release, with all columns of radius 1."""
    talks = {release: Talk(host, port=50000 + at, protocol=release) for at, release in enumerate(releases)}
    for talk in talks.values():
        talk.join(1)
    return talks


def told_of(talk: Talk) -> int:
    """The id of the one block that a client is told to change."""
    assert talk.run(lambda: bool(talk.of(UpdateBlock)))
    (told,) = talk.of(UpdateBlock)
    assert isinstance(told, UpdateBlock)
    return told.runtime_id


def test_each_client_reads_the_same_blocks_in_its_own_words() -> None:
    made = FlatWorld().column(ColumnPos(0, 0)).layer0[0]
    for release, talk in talks_on(host_of()).items():
        talk.ask(PLACE, [(0, 0, 0)])
        talk.rest(0.5)
        _, layers, _ = plain_subchunk(talk.entries[PLACE].payload)
        form = form_of(Palette.for_protocol(release), FlatWorld().states)
        np.testing.assert_array_equal(layers[0], form.runtime_ids[made])


def test_a_change_reaches_everybody_in_the_ids_of_its_release() -> None:
    host = host_of(mode=ColumnMode.FULL)
    talks = talks_on(host)
    host.set_block(BlockPos(1, GRASS_Y, 1), GRANITE)
    for release, talk in talks.items():
        assert told_of(talk) == form_of(Palette.for_protocol(release), (GRANITE,)).runtime_ids[0]


def test_a_block_that_an_older_release_does_not_have_is_an_unknown_one_to_its_clients_alone() -> None:
    host = host_of(mode=ColumnMode.FULL)
    talks = talks_on(host, (486, 2193))
    host.set_block(BlockPos(1, GRASS_Y, 1), LATE)
    names = {}
    for release, talk in talks.items():
        state = Palette.for_protocol(release).state_of(told_of(talk))
        assert state is not None
        names[release] = state.name
    assert names == {486: "minecraft:unknown", 2193: LATE.name}
    with pytest.raises(UnknownState):
        host_of(ProtocolRange.only(486)).set_block(BlockPos(1, GRASS_Y, 1), LATE)


@pytest.mark.parametrize(
    ("spoken", "client", "status"),
    [
        (ProtocolRange.only(486), 527, PlayStatusCode.SERVER_TOO_OLD),
        (ProtocolRange.only(527), 486, PlayStatusCode.CLIENT_TOO_OLD),
        (ProtocolRange.only(486), 2193, PlayStatusCode.SERVER_TOO_OLD),
        (ProtocolRange.only(975), 2193, PlayStatusCode.SERVER_TOO_OLD),
        (ProtocolRange.only(975), 700, PlayStatusCode.CLIENT_TOO_OLD),
        (ProtocolRange(582), 554, PlayStatusCode.CLIENT_TOO_OLD),
    ],
)
def test_who_speaks_another_protocol_is_told_in_its_own(
    spoken: ProtocolRange, client: int, status: PlayStatusCode
) -> None:
    talk = Talk(host_of(spoken), protocol=client)
    assert talk.run(lambda: talk.closed is not None)
    assert talk.of(PlayStatus) == [PlayStatus(status)]


@pytest.mark.parametrize("client", [486, 545])
def test_clients_without_cookies_are_told_by_the_version_of_raknet_where_none_is_served(client: int) -> None:
    talk = Talk(host_of(ProtocolRange.only(975)), protocol=client)
    assert talk.run(lambda: talk.closed is not None)
    assert talk.closed == f"the server speaks a newer version than protocol {client}"


def test_bytes_are_kept_for_a_few_forms() -> None:
    world = FlatWorld()
    states = LocalStates(world.states)
    forms = BlockIdForms(states, ProtocolRange(), 24, word_lists())
    snapshot = ColumnProvider(world, states, 4).snapshot(ColumnPos(0, 0))
    releases = (486, 527, 700, 975, 2193)
    assert len(releases) > KEPT_FORMS
    first = snapshot.subchunk(0, forms.of(486))
    assert snapshot.subchunk(0, forms.of(486)) is first
    for release in releases[1:]:
        snapshot.subchunk(0, forms.of(release))
    again = snapshot.subchunk(0, forms.of(486))
    assert again == first
    assert again is not first
    assert len(snapshot._encoded) == KEPT_FORMS


def test_who_joins_and_asks_for_no_radius_loses_its_place_to_others_in_time() -> None:
    host = host_of()
    talk = Talk(host)
    assert talk.run(lambda: bool(host.sessions) and host.sessions[0].phase is JoinPhase.WAITING)
    joined = talk.wire.now
    talk.rest(LOGIN_S - 1.0)
    assert host.sessions
    assert talk.run(lambda: not host.sessions, LOGIN_S)
    assert talk.wire.now >= joined + LOGIN_S
    assert "no chunk radius was requested within 30 s" in (talk.closed or "")


@pytest.mark.parametrize("first", [b"\xfe", b"\xfe\x06\xc1\x01", b"\x80nonsense", b"\xfe" + bytes(range(256))])
def test_who_says_nonsense_first_loses_its_place_to_others_in_time(
    first: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = host_of()
    talk = Talk(host)
    link = talk.wire._client._link
    send = link.send
    monkeypatch.setattr(link, "send", lambda _payload: send(first))
    assert talk.run(lambda: not host.sessions and talk.wire.now > 1.0, 2 * LOGIN_S)
    assert talk.wire.now > LOGIN_S
    other = Talk(host, port=50001, now=talk.wire.now)
    other.join(1)


# ---------------------------------------------------------------- releases


@pytest.mark.parametrize("protocol", [486, 503, 527, 582, 618, 649, 686, 712, 819, 944, 1001, 2193])
@pytest.mark.parametrize("world", ["hills:1", "bench:1", "flat"])
def test_every_block_of_every_world_exists_at_every_release(protocol: int, world: str) -> None:
    palette = Palette.for_protocol(protocol)
    world_states = open_worlds(world)[0].states
    form = form_of(palette, world_states)
    for state in world_states:
        form.check(state)
    assert all(palette.state_of(number) is not None for number in form.runtime_ids.tolist())


def test_a_block_is_served_under_the_name_of_the_release() -> None:
    palette = Palette.for_protocol(2193)
    air, granite, oak = (
        BlockState("minecraft:air"),
        stone("granite"),
        BlockState("minecraft:planks", (("wood_type", "oak"),)),
    )
    form = form_of(palette, (air, granite, oak))
    names = [palette.state_of(number) for number in form.runtime_ids.tolist()]
    assert names == [air, BlockState("minecraft:granite"), BlockState("minecraft:oak_planks")]


def test_a_block_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownState, match="no such"):
        form_of(Palette.for_protocol(2193), (BlockState("minecraft:air"),)).check(BlockState("minecraft:no such"))


def stone(kind: str) -> BlockState:
    return BlockState("minecraft:stone", (("stone_type", kind),))


# ---------------------------------------------------------------- join packets


def told(protocol: int, world: ServerWorld | None = None, ids: IdForm = IdForm.ORDER) -> Talk:
    talk = Talk(make_host(world or FlatWorld(), HostOptions(ids=ids), protocol=protocol), protocol=protocol)
    assert talk.run(lambda: any(type(message).__name__ == "SetTime" for message in talk.heard))
    return talk


@pytest.mark.parametrize(("protocol", "registries"), [(486, 0), (766, 0), (776, 1), (2193, 1)])
def test_the_item_registry_comes_where_start_game_has_no_items(protocol: int, registries: int) -> None:
    talk = told(protocol)
    assert talk.of(ItemRegistry) == [ItemRegistry(b"\x00")] * registries
    names = [type(message).__name__ for message in talk.heard]
    assert not registries or names.index("ItemRegistry") == names.index("StartGame") + 1


@pytest.mark.parametrize("ids", IdForm, ids=lambda ids: ids.value)
def test_start_game_says_what_ids_are(ids: IdForm) -> None:
    (start,) = told(582, ids=ids).of(StartGame)
    assert isinstance(start, StartGame)
    assert start.ids_are_hashes is (ids is IdForm.HASH)


def test_a_usual_height_is_not_told() -> None:
    assert not told(2193).of(DimensionData)


@pytest.mark.parametrize("protocol", [503, 975, 2168, 2193])
def test_another_height_is_told_before_the_game_starts(protocol: int) -> None:
    talk = told(protocol, TallWorld())
    assert talk.of(DimensionData) == [DimensionData((DimensionDefinition("minecraft:overworld", -128, 512),))]
    names = [type(message).__name__ for message in talk.heard]
    assert names.index("DimensionData") < names.index("StartGame")


@pytest.mark.parametrize(
    ("protocol", "ids", "world", "reason"),
    [
        (575, IdForm.HASH, FlatWorld(), "protocol 575 has no hashed block ids; they start with 582"),
        (
            486,
            IdForm.ORDER,
            TallWorld(),
            "protocol 486 cannot announce that dimension overworld reaches from -128 to 512",
        ),
        (
            *(944, IdForm.ORDER, TallWorld(Dimension(7, "attic", 0, 4, True))),
            "protocol 944 cannot announce that dimension attic reaches from 0 to 64",
        ),
    ],
)
def test_what_a_protocol_cannot_say_is_refused(protocol: int, ids: IdForm, world: ServerWorld, reason: str) -> None:
    with pytest.raises(LocalProtocolError, match=reason):
        make_host(world, HostOptions(ids=ids), protocol=protocol)


def test_a_usual_end_can_be_told_by_all() -> None:
    (start,) = told(486, TallWorld(END)).of(StartGame)
    assert isinstance(start, StartGame)
    assert start.dimension == END.number
