"""A packet is one class: who defines one has told the codec, the list, the recordings and the tests of all packets."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from net import bedrock
from net.bedrock import Blocks, Codec, Message, Sender, SetTime, Unknown, packets
from net.bedrock.packets import packet as module
from net.bedrock.packets.packet import packet
from net.errors import LocalProtocolError
from net.releases import RELEASES
from net.space import BlockPos, ColumnPos
from net.wire.fields import BLOCK_POS, F32LE, STRING, UV32, ZZ64, Dialect, Field, listed, optional, record, select, wire
from tests.support.session.messages import messages_like

SINCE, NUMBER = 503, 1000


class Part(msgspec.Struct, frozen=True):
    """What a test's packet lists."""

    name: Annotated[str, STRING]
    speed: Annotated[float | None, optional(F32LE)]


PARTS = listed(record(Part), UV32)


class Tower(Message, frozen=True):
    """A packet of a test: it stands nowhere else."""

    actor: Annotated[int, ZZ64]
    position: Annotated[BlockPos, BLOCK_POS]
    parts: Annotated[tuple[Part, ...], wire(PARTS, since=544)] = ()

    def columns(self) -> tuple[ColumnPos, ...]:
        """The tower's."""
        return (self.position.column,)


@pytest.fixture(autouse=True)
def own_list(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Other tests do not see the packets of these."""
    monkeypatch.setattr(module, "_PACKETS", dict(module._PACKETS))
    return


@pytest.fixture
def _defined(own_list: None) -> None:
    packet(NUMBER, Sender.SERVER, since=SINCE, blocks=Blocks.CHANGED)(Tower)


@pytest.mark.usefixtures("_defined")
def test_a_packet_that_is_defined_is_spoken_by_the_releases_that_have_it() -> None:
    message = Tower(-5, BlockPos(-17, 64, 33))
    for release in RELEASES:
        codec = Codec(release.protocol)
        has_it = release.protocol >= SINCE
        assert (Tower in packets(release.protocol)) == has_it
        if has_it:
            assert codec.decode(codec.encode(message)) == message
            continue
        assert isinstance(codec.decode(Codec(SINCE).encode(message)), Unknown)
        with pytest.raises(LocalProtocolError, match=f"Tower is not a packet of protocol {release.protocol}"):
            codec.encode(message)


@pytest.mark.usefixtures("_defined")
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_its_round_trip_is_made_of_its_fields(data: st.DataObject) -> None:
    for protocol in (SINCE, 544):
        message = data.draw(messages_like(Tower, protocol))
        codec = Codec(protocol)
        assert codec.decode(codec.encode(message)) == message


@pytest.mark.usefixtures("_defined")
def test_it_says_itself_what_it_is_about() -> None:
    assert (Tower.ID, Tower.SENDER, Tower.BLOCKS) == (NUMBER, Sender.SERVER, Blocks.CHANGED)
    assert Tower(1, BlockPos(-17, 64, 33)).columns() == (ColumnPos(-2, 2),)
    assert SetTime(5).columns() is None


@pytest.mark.usefixtures("_defined")
def test_a_number_means_one_packet() -> None:
    class Castle(Message, frozen=True):
        """Another one of the same number."""

    with pytest.raises(ValueError, match="packet 1000 is both Tower and Castle"):
        packet(NUMBER, Sender.SERVER, since=SINCE + 1)(Castle)


def test_every_module_of_packets_is_public() -> None:
    """Names that stand in a module's ``__all__`` are those of the package, and no module is forgotten."""
    folder = Path(module.__file__).parent
    names = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    seen = "import sys, net.bedrock; print(*(name for name in sys.modules if name.startswith('net.bedrock.packets.')))"
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert {name.rpartition(".")[2] for name in done.stdout.split()} == names
    for name in names:
        topic = sys.modules[f"net.bedrock.packets.{name}"]
        assert all(getattr(bedrock, public) is getattr(topic, public) for public in topic.__all__)
    assert all(kind.__name__ in sys.modules[kind.__module__].__all__ for kind in packets())


class Moved(Message, frozen=True):
    """A packet of a test: the wire's first field is its last one from protocol 600 on."""

    place: Annotated[str, wire(STRING, until=600)]
    count: Annotated[int, wire(UV32, until=550), wire(ZZ64, since=550)]


@pytest.mark.parametrize(
    ("protocol", "fields"),
    [
        (549, [("place", STRING), ("count", UV32)]),
        (599, [("place", STRING), ("count", ZZ64)]),
        (600, [("count", ZZ64), ("place", STRING)]),
    ],
)
def test_annotations_are_the_fields_and_those_that_moved_follow(protocol: int, fields: list[object]) -> None:
    packet(NUMBER, Sender.SERVER, moved=(Field("place", STRING, since=600),))(Moved)
    assert [(field.name, field.kind) for field in select(Moved.FIELDS, Dialect(protocol))] == fields
    message = Moved("here", 7)
    assert Codec(protocol).decode(Codec(protocol).encode(message)) == message


class Listed(Message, frozen=True):
    """A packet of a test, whose wire has another order than its attributes."""

    first: int
    second: Annotated[int, UV32] = 0

    FIELDS = (Field("second", UV32), Field("first", ZZ64))


def test_a_list_of_fields_stands_for_annotations() -> None:
    packet(NUMBER, Sender.SERVER)(Listed)
    assert [field.name for field in Listed.FIELDS] == ["second", "first"]
