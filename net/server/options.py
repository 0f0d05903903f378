"""How a host serves: frozen, chosen once.

Quota: How much one client may cost: what its quota is, and the buckets that count it.
1. A bucket holds so many tokens at most and gains so many a second. Who finds too few waits or is ignored; nothing is
   owed.
2. Time is passed in and never runs backwards here: an older ``now`` gains nothing.
3. A quota bounds what one connection costs. A viewer that plays fair never feels it: it is twice what our own client
   asks for at most, and a whole join at the largest usual radius (32) fits into what may be had at once.

Limits: a client that connects anew has a new quota; what a login costs both ends, and ``MOST_PLAYERS``, bound that.
"""

from enum import Enum

import msgspec

from net.peer import Transports
from net.server.faults import ServerFaults


class Bucket:
    """Tokens of one kind; full at first. ``gain`` is tokens a second."""

    def __init__(self, gain: float, most: float, now: float) -> None:
        self._gain = gain
        self._most = most
        self._held = most
        self._at = now

    def held(self, now: float) -> float:
        """How many tokens there are."""
        if now > self._at:
            self._held = min(self._most, self._held + self._gain * (now - self._at))
            self._at = now
        return self._held

    def take(self, tokens: float, now: float) -> bool:
        """Takes them all, or none where there are not so many."""
        if self.held(now) < tokens:
            return False
        self._held -= tokens
        return True


CROSSINGS_AT_ONCE = 4


class ClientQuota(msgspec.Struct, frozen=True):
    """What one client may have; each "at once" is what a bucket holds."""

    entries_a_second: float = 20_000.0  # sub-chunks answered, refusals included
    entries_at_once: float = 65_536.0  # the same
    columns_a_second: float = 128.0  # columns made for it, generated or loaded; what others had made is free
    columns_at_once: float = 8_192.0  # the same
    radius_a_second: float = 4.0  # changes of its radius; of those beyond, the last is granted when it may be
    # steps into other columns that the publisher follows at once; beyond, it follows later
    moves_a_second: float = 80.0
    replies_a_second: float = 64.0  # small answers (clock, keep-alive, corrections); what is beyond is ignored
    crossings_a_second: float = 0.5  # into other dimensions, by the player's own command; what is beyond is refused
    builds_a_second: float = 40.0  # blocks that it breaks and places; what is beyond is refused
    builds_at_once: float = 80.0  # the same
    commands_a_second: float = 2.0  # that change the world; what is beyond is refused
    # level speed that is believed; a step that is longer than twice this is a jump and is refused. Our own viewer flies
    # at 1,000 through its embedded server.
    speed_blocks_s: float = 1_100.0


class Quota:
    """The buckets of one client."""

    def __init__(self, of: ClientQuota, now: float) -> None:
        self.entries = Bucket(of.entries_a_second, of.entries_at_once, now)
        self.columns = Bucket(of.columns_a_second, of.columns_at_once, now)
        self.radius = Bucket(of.radius_a_second, 2 * of.radius_a_second, now)
        self.moves = Bucket(of.moves_a_second, of.moves_a_second, now)
        self.replies = Bucket(of.replies_a_second, 2 * of.replies_a_second, now)
        self.builds = Bucket(of.builds_a_second, of.builds_at_once, now)
        self.commands = Bucket(of.commands_a_second, 2 * of.commands_a_second, now)
        self.crossings = Bucket(of.crossings_a_second, CROSSINGS_AT_ONCE, now)
        self.travel = Bucket(of.speed_blocks_s, 2 * of.speed_blocks_s, now)


class ColumnMode(Enum):
    """How columns are sent. The value is the word users type after ``--mode``."""

    LIMITED = "limited"  # skeletons that name their highest sub-chunk with blocks (mark 0xfffffffe)
    LIMITLESS = "limitless"  # skeletons without a limit (mark 0xffffffff)
    FULL = "full"  # whole columns, nothing to ask for


class LimitForm(Enum):
    """What the number in a limited skeleton means. The value is the word users type after ``--limit-form``."""

    INDEX = "index"  # of the highest sub-chunk that is not air, as the vendor's text says
    COUNT = "count"  # one more, as some servers send


class IdForm(Enum):
    """What a block id is. The value is the word users type after ``--ids``."""

    ORDER = "order"  # its place in the release's list of states
    HASH = "hash"  # of the state, from protocol 582 on (wire.md 6.2)


class HostOptions(msgspec.Struct, frozen=True):
    """What may be chosen about a host."""

    mode: ColumnMode = ColumnMode.LIMITED  # how columns are sent
    limit_form: LimitForm = LimitForm.INDEX  # what the limit means in ``LIMITED``
    ids: IdForm = IdForm.ORDER  # what block ids are
    radius_max: int = 32  # largest chunk radius granted, in columns
    time: int = 6000  # time of day at the start, in ticks; 6000 is noon
    time_runs: bool = False  # whether the clock advances, one tick every 50 ms
    name: str = "chunkscope"  # what pings are told
    bytes_a_tick: int = 1 << 20  # budget of chunk data for one client in one tick (50 ms), before compression
    columns_a_turn: int = 16  # columns one client is sent in one turn of the host
    # columns made in one turn for all clients; making one may cost as much as sending hundreds
    generated_a_turn: int = 2
    entries_a_packet: int = 128  # answers in one SubChunk packet, at most
    backlog_bytes: int = 4 << 20  # a client with more unacknowledged data gets no chunk data
    kept_columns: int = 2048  # unmodified columns the provider remembers
    warm_radius: int = -1  # columns around the spawn made while nobody is there, -1 for none
    transports: Transports = Transports.RAKNET  # what links clients may take
    level: int | None = None  # deflate level of what is sent; None for 1 towards this machine and 6 elsewhere
    faults: ServerFaults = msgspec.field(default_factory=ServerFaults)  # answers spoilt on purpose
    # whether columns that no line of sight reaches, now or from beside, are held back until one does. For whole
    # columns; who asks for sub-chunks holds back by itself.
    occlusion: bool = False
    fov_degrees: float = 70.0  # vertical field of view that players are thought to have: nothing on the wire says it
    aspect: float = 16 / 9  # width by height of their pictures
    animals: int = 0  # that wander where players start
    bots: int = 0  # that walk and build there
    quota: ClientQuota = msgspec.field(default_factory=ClientQuota)  # what one client may have
    # whether who was saved in another dimension than the first starts in that all the same
    all_start_there: bool = False
    # whether the world may hold blocks that the highest protocol does not have: a saved one may
    bear_unknown: bool = False
