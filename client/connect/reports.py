"""What a connection answers with: frozen snapshots, for panels, reports, tests and users alike."""

from client.connect.missing import Lack
from client.light.results import LightStats
from client.session.stats import SessionStats
from client.world.pools import PoolStats
from client.world.reserved import PoolBytes
from net.frozen import frozen
from net.peer import PeerStats


@frozen
class LightView:
    """Light of one block, 0..15 each.

    Attributes:
        red: block light.
        green: block light.
        blue: block light.
        daylight: from the sky.
        lit: whether the 3 x 3 columns around are known, so that these values are final.
    """

    red: int
    green: int
    blue: int
    daylight: int
    lit: bool


@frozen
class Statistics:
    """Everything a connection counts, as a frozen snapshot.

    Attributes:
        source: where the world comes from.
        seconds: since the connection was made.
        settled: whether nothing was missing.
        session: what the session counts.
        peer: what the transport counts.
        light_columns: columns whose light is older than their blocks.
        light: what the light map did and holds.
        pools: what the block pools hold.
        memory: bytes of everything that grows with the world or with what the server sends, pool by pool.
    """

    source: str
    seconds: float
    settled: bool
    session: SessionStats
    peer: PeerStats
    light_columns: int
    light: LightStats
    pools: PoolStats
    memory: tuple[PoolBytes, ...]


@frozen
class Settled:
    """How a wait ended.

    Attributes:
        settled: whether nothing is missing.
        waiting_for: what was waited for when the time ran out, in words; empty when settled.
        seconds: how long it took.
        missing: the same by kind and place; empty when settled, and where somebody else said what is missing.
    """

    settled: bool
    waiting_for: str
    seconds: float
    missing: tuple[Lack, ...] = ()

    def __bool__(self) -> bool:
        return self.settled
