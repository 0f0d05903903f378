"""Packets of entities, one after the other, and the table that takes them: whatever they say, it stays whole."""

from functools import cache
from typing import Final

import numpy as np

from client.entities.table import ALL_METADATA_BYTES, HANDLERS, MOST_ENTITIES, Entities
from net.bedrock import (
    AddActor,
    AddItemActor,
    AddPainting,
    AddPlayer,
    Codec,
    EntityLink,
    EntityValue,
    ItemStack,
    MoveActorAbsolute,
    MoveActorDelta,
    MovePlayer,
    RemoveActor,
    SetActorData,
    SetActorLink,
    SetActorMotion,
    TakeItemActor,
)
from net.bedrock.packets.entity_values import ValueType
from net.errors import DecodeError
from net.releases import RELEASES
from net.space import ColumnPos
from tests.fuzz.checks import check

DROPPED: Final = 255
"""A length that stands for no packet: columns around the origin go instead."""


@cache
def codec(at: int) -> Codec:
    """Of a release, by its place among all."""
    return Codec(RELEASES[at].protocol)


def entities(data: bytes) -> None:
    """A byte for the release; then lengths of a byte, each with so many bytes of a packet."""
    ends = codec(data[0] % len(RELEASES) if data else 0)
    table = Entities(ends.protocol)
    at, packet = 1, 0
    while at < len(data):
        size, at, packet = data[at], at + 1, packet + 1
        if size == DROPPED:
            table.columns_gone(np.array([ColumnPos(x, z) for x in (-1, 0) for z in (-1, 0)], np.int32), packet * 0.05)
            continue
        try:
            message = ends.decode(data[at : at + size])
        except DecodeError:
            continue
        finally:
            at += size
        if type(message) in HANDLERS:
            table.receive(message, packet, packet * 0.05)
    whole(table)


def whole(table: Entities) -> None:
    """Rows, maps and texts agree, and all that is drawn can be drawn."""
    drawn, known = table.picture(), table.rows(0.0, 0.0)
    count = len(table)
    check(count == len(known) == len(drawn.rows) == len(drawn.name) == len(drawn.painting), "rows are missing")
    check(count <= MOST_ENTITIES, "more entities than are tracked")
    check(len({one.runtime_id for one in known}) == count, "two entities have one runtime id")
    check(len(set(drawn.rows.tolist())) == count, "two entities have one number")
    for array in (drawn.position, drawn.before, drawn.angles, drawn.angles_before, drawn.size):
        check(bool(np.isfinite(array).all()), "something that is drawn is no number")
    check(bool((drawn.kind < max(len(drawn.kinds), 1)).all()), "a type is in no list")
    check(table.size_bytes <= (ALL_METADATA_BYTES << 1) + count * 1000, "the table takes more than it may")


def seeds() -> list[bytes]:
    """One life of some entities in every eighth release, and in the newest."""
    here = (1.5, 64.0, 2.5)
    values = (
        EntityValue(0, ValueType.LONG, 1 << 15),
        EntityValue(4, ValueType.STRING, "Ada"),
        EntityValue(2, ValueType.INT, 7),
        *(EntityValue(key, ValueType.FLOAT, 1.5) for key in (38, 53, 54)),
        EntityValue(56, ValueType.VECTOR, here),
        EntityValue(118, ValueType.COMPOUND, {"name": "box"}),
    )
    story = (
        AddPlayer("01234567-89ab-cdef-0123-456789abcdef", "Ada", -1, 1, here, metadata=values),
        AddActor(-2, 2, "minecraft:falling_block", here, metadata=values),
        AddActor(-3, 3, "minecraft:boat", here, links=(EntityLink(-3, -1, 1),)),
        AddItemActor(-4, 4, ItemStack(5, 1, block=7), here),
        AddPainting(-5, 5, here, 3, "Kebab"),
        MovePlayer(1, here, 1.0, 2.0, 3.0),
        MoveActorAbsolute(3, (9.5, 64.0, 2.5), 90.0),
        MoveActorDelta(3, x=2.5, yaw=90.0),
        SetActorData(2, values[:3]),
        SetActorMotion(4, here),
        SetActorLink(EntityLink(-3, -1, 0)),
        TakeItemActor(4, 1),
        AddActor(-2, 9, "acme:robot", here),
    )
    found = []
    for at in sorted({*range(0, len(RELEASES), 8), len(RELEASES) - 1}):
        said = [codec(at).encode(message) for message in story]
        whole_story = b"".join(bytes((len(packet),)) + packet for packet in said)
        last = codec(at).encode(RemoveActor(-3))
        gone = bytes((DROPPED, len(last))) + last
        found += [bytes((at,)) + whole_story, bytes((at,)) + whole_story + gone]
    return found
