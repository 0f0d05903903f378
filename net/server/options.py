"""How a host serves: frozen, chosen once."""

from dataclasses import field
from enum import Enum

from net.frozen import frozen
from net.server.faults import Faults
from net.server.quota import ClientQuota


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


@frozen
class HostOptions:
    """What may be chosen about a host.

    Attributes:
        mode: how columns are sent.
        limit_form: what the limit means in ``LIMITED``.
        ids: what block ids are.
        radius_max: largest chunk radius granted, in columns.
        time: time of day at the start, in ticks; 6000 is noon.
        time_runs: whether the clock advances, one tick every 50 ms.
        name: what pings are told.
        bytes_a_tick: budget of chunk data for one client in one tick (50 ms), before compression.
        columns_a_turn: columns one client is sent in one turn of the host.
        generated_a_turn: columns made in one turn for all clients; making one may cost as much as sending hundreds.
        entries_a_packet: answers in one SubChunk packet, at most.
        backlog_bytes: a client with more unacknowledged data gets no chunk data.
        kept_columns: unmodified columns the provider remembers.
        warm_radius: columns around the spawn made while nobody is there, -1 for none.
        level: deflate level of what is sent; None for 1 towards this machine and 6 elsewhere.
        faults: answers spoilt on purpose.
        occlusion: whether columns that no line of sight reaches, now or from beside, are held back until one does. For
            whole columns; who asks for sub-chunks holds back by itself.
        fov_degrees: vertical field of view that players are thought to have: nothing on the wire says it.
        aspect: width by height of their pictures.
        quota: what one client may have.
        all_start_there: whether who was saved in another dimension than the first starts in that all the same.
        bear_unknown: whether the world may hold blocks that the highest protocol does not have: a saved one may.
    """

    mode: ColumnMode = ColumnMode.LIMITED
    limit_form: LimitForm = LimitForm.INDEX
    ids: IdForm = IdForm.ORDER
    radius_max: int = 32
    time: int = 6000
    time_runs: bool = False
    name: str = "chunkscope"
    bytes_a_tick: int = 1 << 20
    columns_a_turn: int = 16
    generated_a_turn: int = 2
    entries_a_packet: int = 128
    backlog_bytes: int = 4 << 20
    kept_columns: int = 2048
    warm_radius: int = -1
    level: int | None = None
    faults: Faults = field(default_factory=Faults)
    occlusion: bool = False
    fov_degrees: float = 70.0
    aspect: float = 16 / 9
    quota: ClientQuota = field(default_factory=ClientQuota)
    all_start_there: bool = False
    bear_unknown: bool = False
