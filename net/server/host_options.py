"""The options of a host, and the quotas that bound the cost of one client; frozen.

Quotas:
1. A bucket holds a maximum of tokens and gains a number a second. If there are too few, the caller waits or drops the
   request; there is no debt.
2. Time is passed in. An older ``now`` gains no tokens.
3. A quota bounds the cost of one connection. A normal viewer never reaches it: it is twice what our own client requests
   at most, and a join at the largest usual radius (32) fits into a full bucket.

Limits: a client that reconnects has a new quota; the cost of a login at both ends, and ``MOST_PLAYERS``, bound that.
"""

from enum import Enum

import msgspec

from net.peer import Transports
from net.serve_arguments import BUILDS_WORTH_S, COLUMNS_WORTH_S, COMMANDS_WORTH_S, ENTRIES_WORTH_S
from net.server.faults import ServerFaults


class Bucket:
    """Tokens of one kind; full at first. ``gain``: tokens a second."""

    def __init__(self, gain: float, most: float, now: float) -> None:
        self._gain = gain
        self._most = most
        self._held = most
        self._at = now

    def held(self, now: float) -> float:
        if now > self._at:
            self._held = min(self._most, self._held + self._gain * (now - self._at))
            self._at = now
        return self._held

    def take(self, tokens: float, now: float) -> bool:
        """Takes this many tokens if it holds them, else none; returns whether it did."""
        if self.held(now) < tokens:
            return False
        self._held -= tokens
        return True


CROSSINGS_AT_ONCE = 4


class ClientQuota(msgspec.Struct, frozen=True):
    """The limits of one client."""

    entries_a_second: float = 20_000.0  # sub-chunks answered, refusals included
    columns_a_second: float = 128.0  # columns generated or loaded for it; columns that other clients caused are free
    radius_a_second: float = 4.0  # changes of its radius; beyond, the last one is granted when the quota allows
    # moves into other columns that the publisher follows at once; beyond, it follows later
    moves_a_second: float = 80.0
    replies_a_second: float = 64.0  # small replies (clock, keep-alive, corrections); more are dropped
    crossings_a_second: float = 0.5  # changes of dimension by the player's own command; more are refused
    builds_a_second: float = 40.0  # blocks that it breaks and places; more are refused
    commands_a_second: float = 2.0  # that change the world; more are refused
    # accepted horizontal speed; a move longer than twice this is a jump and is refused. Our own viewer flies at 1,000
    # through its embedded server.
    speed_blocks_s: float = 1_100.0


class Quota:
    """The buckets of one client."""

    def __init__(self, of: ClientQuota, now: float) -> None:
        self.entries = Bucket(of.entries_a_second, ENTRIES_WORTH_S * of.entries_a_second, now)
        self.columns = Bucket(of.columns_a_second, COLUMNS_WORTH_S * of.columns_a_second, now)
        self.radius = Bucket(of.radius_a_second, 2 * of.radius_a_second, now)
        self.moves = Bucket(of.moves_a_second, of.moves_a_second, now)
        self.replies = Bucket(of.replies_a_second, 2 * of.replies_a_second, now)
        self.builds = Bucket(of.builds_a_second, BUILDS_WORTH_S * of.builds_a_second, now)
        self.commands = Bucket(of.commands_a_second, COMMANDS_WORTH_S * of.commands_a_second, now)
        self.crossings = Bucket(of.crossings_a_second, CROSSINGS_AT_ONCE, now)
        self.travel = Bucket(of.speed_blocks_s, 2 * of.speed_blocks_s, now)


class ColumnMode(Enum):
    """How columns are sent. The value is the word users type after ``--mode``."""

    LIMITED = "limited"  # skeletons that name their highest sub-chunk with blocks (mark 0xfffffffe)
    LIMITLESS = "limitless"  # skeletons without a limit (mark 0xffffffff)
    FULL = "full"  # whole columns; no sub-chunk requests


class LimitForm(Enum):
    """What the number in a limited skeleton means. The value is the word users type after ``--limit-form``."""

    INDEX = "index"  # of the highest sub-chunk that is not air, as the vendor's documentation says
    COUNT = "count"  # one more than the index, as some servers send


class IdForm(Enum):
    """Kind of block ids. The value is the word users type after ``--ids``."""

    ORDER = "order"  # position in the release's list of states
    HASH = "hash"  # hash of the state, from protocol 582 on (wire.md 6.2)


class HostOptions(msgspec.Struct, frozen=True):
    """The options of a host."""

    mode: ColumnMode = ColumnMode.LIMITED  # how columns are sent
    limit_form: LimitForm = LimitForm.INDEX  # meaning of the limit in ``LIMITED``
    ids: IdForm = IdForm.ORDER  # kind of block ids
    radius_max: int = 32  # largest chunk radius granted, in columns
    time: int = 6000  # time of day at the start, in ticks; 6000 is noon
    time_runs: bool = False  # whether the clock advances, one tick every 50 ms
    name: str = "chunkscope"  # sent in answers to pings
    bytes_a_tick: int = 1 << 20  # budget of chunk data for one client in one tick (50 ms), before compression
    columns_a_turn: int = 16  # columns sent to one client in one turn of the host
    # columns generated in one turn for all clients; generating one may cost as much as sending hundreds
    generated_a_turn: int = 2
    entries_a_packet: int = 128  # answers in one SubChunk packet, at most
    backlog_bytes: int = 4 << 20  # a client with more unacknowledged data gets no chunk data
    kept_columns: int = 2048  # unmodified columns the provider remembers
    warm_radius: int = -1  # columns around the spawn generated while no client is connected, -1 for none
    transports: Transports = Transports.RAKNET  # transports that clients may use
    level: int | None = None  # deflate level of sent data; None for 1 to this machine and 6 elsewhere
    faults: ServerFaults = msgspec.field(default_factory=ServerFaults)  # injected faults
    # whether columns that no line of sight reaches (nor a neighbour of them) are held back until one does. For whole
    # columns only; a client that requests sub-chunks does this itself.
    occlusion: bool = False
    fov_degrees: float = 70.0  # assumed vertical field of view of players, which is not on the wire
    aspect: float = 16 / 9  # assumed width by height of their pictures
    animals: int = 0  # number of animals where players start
    bots: int = 0  # number of bots that walk and build there
    quota: ClientQuota = msgspec.field(default_factory=ClientQuota)  # limits of one client
    # whether a player saved in another dimension still starts in the first
    all_start_there: bool = False
    # whether the world may hold blocks that the highest protocol lacks, as a saved world may
    bear_unknown: bool = False
