"""What a client is told first, by every release's rules."""

import pytest

from net.bedrock import DimensionData, DimensionDefinition, ItemRegistry, StartGame
from net.errors import LocalProtocolError
from net.server.options import HostOptions, IdForm
from net.server.worlds.flat import FlatWorld
from net.server.worlds.world import ServerWorld
from net.space.dimensions import END, Dimension
from tests.support.session.plain_client import Talk, make_host
from tests.support.worlds.server import TallWorld


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
        (575, IdForm.HASH, FlatWorld(), "protocol 575 has no block ids by hash; they begin with 582"),
        (486, IdForm.ORDER, TallWorld(), "protocol 486 cannot say that dimension overworld reaches from -128 to 512"),
        (
            *(944, IdForm.ORDER, TallWorld(Dimension(7, "attic", 0, 4, True))),
            "protocol 944 cannot say that dimension attic reaches from 0 to 64",
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
