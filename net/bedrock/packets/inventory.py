"""InventoryTransaction: the player uses an item: places a block with it, breaks one (minecraft-data, gophertunnel).

| protocol | what changes |
|---|---|
| 486 | request, kind, changed slots, then the use |
| 712 | trigger and prediction in the use |
| 944 | cooldown |
| 1001 | items, faces and numbers of other widths; request, kind and slots are each optional |
| 2168 | an item's stack id has no kind any more; PlayerAuthInput has the optional form, too |
| 2193 | only the slots of the request are optional; the hand |

Of other transactions than the use of an item, the kind and the raw bytes are kept.
"""

from typing import Annotated, Final, TypeVar

import msgspec

from net.bedrock.packets.entity_values import NEW_FORMS, NEW_ITEM, NO_ITEM, OLD_ITEM, ItemStack, whole_item
from net.bedrock.packets.packet import Message, Sender, packet
from net.space import BlockPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    BLOCK_POS,
    BYTE_STRING,
    I8,
    REST,
    U8,
    UV32,
    VEC3,
    ZZ32,
    Field,
    Kind,
    Record,
    Values,
    by_dialect,
    listed,
    optional,
    record,
    wire,
)

Value = TypeVar("Value")

__all__ = ["InventoryTransaction", "ItemUse", "SlotChange", "UseItem"]

FIXED_ITEMS_SINCE: Final = 1001
"""From here on transactions write complete items, also for an empty slot."""
PLAIN_SINCE: Final = 2193
CLICK_BLOCK: Final = 0
BREAK_BLOCK: Final = 2
USE_ITEM: Final = 2
"""Kind of a transaction."""


KINDED_ITEM: Final = whole_item(kinded=True)
FIXED_ITEM: Final = by_dialect(lambda d: NEW_ITEM if d.protocol >= NEW_FORMS else KINDED_ITEM)
"""Before protocol 2168 a stack's id has a kind."""
ITEM: Final = by_dialect(lambda d: FIXED_ITEM.of(d) if d.protocol >= FIXED_ITEMS_SINCE else OLD_ITEM)


class SlotChange(msgspec.Struct, frozen=True):
    """One slot that the transaction changes."""

    source: int  # 0 container, 1 global, 2 the world, 3 creative, 100 and 99999 crafting
    window: int | None = None  # of a container
    flags: int | None = None  # of the world; the action of crafting
    slot: int = 0
    before: ItemStack = NO_ITEM
    after: ItemStack = NO_ITEM


FLAGGED: Final = (2, 100, 99999)
"""Sources that have ``flags``."""


def _twice_optional(kind: Kind[int]) -> Kind[int | None]:
    inner = optional(kind)

    def read(reader: Reader) -> int | None:
        return inner.read(reader) if reader.boolean() else None

    def write(writer: Writer, value: int | None) -> None:
        writer.boolean(True)
        inner.write(writer, value)

    return Kind(read, write)


def _old_change(item: Kind[ItemStack]) -> Record[SlotChange]:
    return Record(
        SlotChange,
        (
            Field("source", UV32),
            Field("window", ZZ32, when=lambda values: values["source"] == 0),
            Field("flags", UV32, when=lambda values: values["source"] in FLAGGED),
            Field("slot", UV32),
            Field("before", item),
            Field("after", item),
        ),
    )


NEW_CHANGE: Final = Record(
    SlotChange,
    (
        Field("source", UV32),
        Field("window", _twice_optional(I8), until=PLAIN_SINCE),
        Field("window", optional(I8), since=PLAIN_SINCE),
        Field("flags", _twice_optional(UV32), until=PLAIN_SINCE),
        Field("flags", optional(UV32), since=PLAIN_SINCE),
        Field("slot", UV32),
        Field("before", FIXED_ITEM),
        Field("after", FIXED_ITEM),
    ),
)
OLD_CHANGES: Final = listed(_old_change(OLD_ITEM).kind, UV32)
NEW_CHANGES: Final = listed(NEW_CHANGE.kind, UV32)


class RequestedSlots(msgspec.Struct, frozen=True):
    """Slots of one container that the server is to send again."""

    container: Annotated[int, U8]
    slots: Annotated[bytes, BYTE_STRING]


SLOTS: Final = listed(record(RequestedSlots), UV32)


class UseItem(msgspec.Struct, frozen=True):
    """The use of an item."""

    # 0 on a block, 1 in the air, 2 breaks a block, 3 attacks
    action: Annotated[int, wire(UV32, until=FIXED_ITEMS_SINCE), wire(ZZ32, since=FIXED_ITEMS_SINCE)]
    position: Annotated[BlockPos, BLOCK_POS]  # of the target block
    # of that block: 0 down, 1 up, 2 -z, 3 +z, 4 -x, 5 +x
    face: Annotated[int, wire(ZZ32, until=FIXED_ITEMS_SINCE), wire(U8, since=FIXED_ITEMS_SINCE)]
    held: Annotated[ItemStack, ITEM] = NO_ITEM
    player: Annotated[tuple[float, float, float], VEC3] = (0.0, 0.0, 0.0)  # eyes
    click: Annotated[tuple[float, float, float], VEC3] = (0.5, 0.5, 0.5)  # position on the block
    block: Annotated[int, UV32] = 0  # runtime id of that block
    slot: Annotated[int, ZZ32] = 0  # of the hot bar
    # 1 the player's input, 2 a tick
    trigger: Annotated[int, wire(UV32, since=712, until=FIXED_ITEMS_SINCE), wire(U8, since=FIXED_ITEMS_SINCE)] = 1
    # whether the client predicts success
    prediction: Annotated[int, wire(UV32, since=712, until=FIXED_ITEMS_SINCE), wire(U8, since=FIXED_ITEMS_SINCE)] = 1
    cooldown: Annotated[int, wire(U8, since=944)] = 0
    hand: Annotated[int, wire(U8, since=PLAIN_SINCE)] = 0  # 0 the main one


USE: Final = record(UseItem, (
    "action", "trigger", "position", "face", "slot", "hand", "held", "player", "click", "block", "prediction",
    "cooldown",
))  # fmt: skip


def _requested(values: Values) -> bool:
    return bool(values["request"])


def _marked(kind: Kind[Value], none: Value, marks: int) -> Kind[Value]:
    """A value after ``marks`` bools, all true; ``none`` if one is false."""
    if (settle := kind.settle) is not None:
        return by_dialect(lambda dialect: _marked(settle(dialect), none, marks))

    def read(reader: Reader) -> Value:
        return kind.read(reader) if all(reader.boolean() for _ in range(marks)) else none

    def write(writer: Writer, value: Value) -> None:
        for _ in range(marks):
            writer.boolean(True)
        kind.write(writer, value)

    return Kind(read, write)


OPTIONAL_SLOTS: Final = optional(SLOTS)


class ItemUse(msgspec.Struct, frozen=True):
    """The use of an item inside PlayerAuthInput."""

    use: Annotated[UseItem, USE]
    request: Annotated[int, ZZ32] = 0  # number of a request that the server answers, 0 for none
    # of that request
    slots: Annotated[
        tuple[RequestedSlots, ...] | None,
        wire(SLOTS, until=NEW_FORMS, when=_requested),
        wire(OPTIONAL_SLOTS, since=NEW_FORMS),
    ] = None
    # of slots
    changes: Annotated[
        tuple[SlotChange, ...],
        wire(OLD_CHANGES, until=NEW_FORMS),
        wire(_marked(NEW_CHANGES, (), 2), since=NEW_FORMS, until=PLAIN_SINCE),
        wire(NEW_CHANGES, since=PLAIN_SINCE),
    ] = ()


ITEM_USE: Final = record(ItemUse, ("request", "slots", "changes", "use"))


def _is_use(values: Values) -> bool:
    return bool(values["kind"] == USE_ITEM)


def _is_other(values: Values) -> bool:
    return not _is_use(values)


@packet(30, Sender.EITHER)
class InventoryTransaction(Message, frozen=True):
    """The player uses an item."""

    kind: int = USE_ITEM  # 0 normal, 1 mismatch, 2 use, 3 use on an entity, 4 release
    use: UseItem | None = None  # for that kind only
    request: int = 0  # as in ``ItemUse``
    slots: tuple[RequestedSlots, ...] | None = None  # as in ``ItemUse``
    changes: tuple[SlotChange, ...] = ()  # as in ``ItemUse``
    other: bytes = b""  # raw bytes of other kinds

    FIELDS = (
        Field("request", ZZ32),
        Field("slots", SLOTS, until=FIXED_ITEMS_SINCE, when=_requested),
        Field("slots", OPTIONAL_SLOTS, since=FIXED_ITEMS_SINCE),
        Field("kind", UV32, until=FIXED_ITEMS_SINCE),
        Field("kind", _marked(UV32, 0, 1), since=FIXED_ITEMS_SINCE, until=PLAIN_SINCE),
        Field("kind", UV32, since=PLAIN_SINCE),
        Field("changes", OLD_CHANGES, until=FIXED_ITEMS_SINCE),
        Field("changes", _marked(NEW_CHANGES, (), 1), since=FIXED_ITEMS_SINCE, until=PLAIN_SINCE),
        Field("changes", NEW_CHANGES, since=PLAIN_SINCE),
        Field("use", USE, when=_is_use),
        Field("other", REST, when=_is_other),
    )
