"""Join information: what the vendor's services know of a server. A viewer reads it to get behind it."""

from typing import Final

from net.frozen import frozen
from net.wire.fields import STRING, UUID, Field, Record, optional

NOBODY: Final = "00000000-0000-0000-0000-000000000000"


@frozen
class Gathering:
    """An event that players are invited to.

    Attributes:
        experience_id: a text at protocol 924, a UUID from 944 on.
        experience_name: of the event.
        world_id: a text at 924, a UUID from 944, and may be missing from 2168 on, as all that say ``| None``.
        world_name: of its world.
        creator_id: who made it.
        store_id: at 924 only.
        target_id: a UUID; this and what follows from 944 on.
        scenario_id: of its scenario.
        server_id: of its server.
    """

    experience_id: str = NOBODY
    experience_name: str = ""
    world_id: str | None = NOBODY
    world_name: str | None = ""
    creator_id: str = ""
    store_id: str = ""
    target_id: str | None = NOBODY
    scenario_id: str | None = ""
    server_id: str | None = ""


@frozen
class StoreEntry:
    """The vendor's shop.

    Attributes:
        identifier: of the shop page.
        name: of the shop page.
    """

    identifier: str
    name: str


@frozen
class Presence:
    """What friends are shown.

    Attributes:
        experience_name: of the event; may be missing from protocol 1001 on, as the others.
        world_name: of its world.
        rich_id: of the text; from protocol 1001.
    """

    experience_name: str | None = ""
    world_name: str | None = ""
    rich_id: str | None = None


@frozen
class JoinInfo:
    """All of it.

    Attributes:
        gathering: an event, or None.
        store: from protocol 944.
        presence: from protocol 944.
    """

    gathering: Gathering | None = None
    store: StoreEntry | None = None
    presence: Presence | None = None


TEXT_OR_NONE = optional(STRING)
UUID_OR_NONE = optional(UUID)

GATHERING = Record(
    Gathering,
    (
        Field("experience_id", STRING, until=944),
        Field("experience_id", UUID, since=944),
        Field("experience_name", STRING),
        Field("world_id", STRING, until=944),
        Field("world_id", UUID, since=944, until=2168),
        Field("world_id", UUID_OR_NONE, since=2168),
        Field("world_name", STRING, until=2168),
        Field("world_name", TEXT_OR_NONE, since=2168),
        Field("creator_id", STRING),
        Field("store_id", STRING, until=944),
        Field("target_id", UUID, since=944, until=2168),
        Field("target_id", UUID_OR_NONE, since=2168),
        Field("scenario_id", STRING, since=944, until=2168),
        Field("scenario_id", TEXT_OR_NONE, since=2168),
        Field("server_id", STRING, since=944, until=2168),
        Field("server_id", TEXT_OR_NONE, since=2168),
    ),
).kind
STORE = Record(StoreEntry, (Field("identifier", STRING), Field("name", STRING))).kind
PRESENCE = Record(
    Presence,
    (
        Field("experience_name", STRING, until=1001),
        Field("experience_name", TEXT_OR_NONE, since=1001),
        Field("world_name", STRING, until=1001),
        Field("world_name", TEXT_OR_NONE, since=1001),
        Field("rich_id", TEXT_OR_NONE, since=1001),
    ),
).kind
JOIN_INFO = Record(
    JoinInfo,
    (
        Field("gathering", optional(GATHERING)),
        Field("store", optional(STORE), since=944),
        Field("presence", optional(PRESENCE), since=944),
    ),
).kind
GATHERING_OR_NONE = optional(GATHERING)
JOIN_INFO_OR_NONE = optional(JOIN_INFO)
