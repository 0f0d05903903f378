"""Frozen snapshots that a connection returns, for panels, reports, tests and users.

``PendingWork`` lists what was missing when a wait ended, by kind, each with its places:

| kind          | of             | what it is                                                                 |
|---------------|----------------|----------------------------------------------------------------------------|
| undecoded     | messages       | they have come and are not applied                                         |
| changing      | changes        | the source does not stop changing its world (``live``)                     |
| unannounced   | columns        | the server has not sent them, and may still                                |
| wanted        | sub-chunks     | they will be requested                                                     |
| outstanding   | sub-chunks     | they were requested; an answer, or the pause before the next try, is due   |
| unlit         | columns        | their light is older than their blocks                                     |
| unmeshed      | render cells   | of a picture: cells without a mesh of the known blocks                     |
| not uploaded  | render cells   | of a picture: meshes that are not on the GPU yet                           |
| not mirrored  | sub-chunks     | of a picture: light or block ids that are not on the GPU yet               |
| undrawn       | frames         | of a film: frames that were not drawn in the time                          |
| lost          | bytes          | of a recording, before the moment that is shown                            |

Rules:
1. Columns count as missing only when no sub-chunk is: servers may send a circle, so a wait expects the corners of a
   square only until no more columns come.
2. Places are ordered by position; ``boxes`` merges them.

Limits: made once, at a deadline: a Python object a place, some ten thousand at most.
"""

import ctypes
import sys
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.light.step import LightStats
from client.session.session import Session
from client.session.stats import SessionStats
from client.streaming.anchors import Anchor
from client.streaming.ledger import CLOSED, FREE
from client.world.block_pools import PoolStats
from client.world.lifecycle import OPEN_STATES, SubChunkState
from client.world.slots import PoolBytes
from net.arrays import Places
from net.peer import PeerStats
from net.space import coordinates


def give_back_free_pages() -> None:
    """Asks glibc to return free heap pages (``malloc_trim``, up to some ms); does nothing elsewhere."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


LISTED_BOXES: Final = 8

Corner = tuple[int, ...]


class MissingPlace(msgspec.Struct, frozen=True):
    """One missing place."""

    at: Corner  # x, y, z of a sub-chunk or a render cell; x, z of a column
    age_s: float | None = None  # since its last request; None: never requested
    requested: int = 0  # number of requests
    refused: int = 0  # answers "not now" (codes 0 and 2)
    silences: int = 0  # time-outs


class PendingWork(msgspec.Struct, frozen=True):
    """What is missing of one kind."""

    kind: str  # what is missing, for example wanted or requested
    unit: str  # plural noun of what is counted
    count: int  # how many
    places: tuple[MissingPlace, ...] = ()  # all of them, by position; empty for kinds without places
    words: str = ""  # a remark, may be empty

    def lines(self) -> list[str]:
        about = f", {self.words}" if self.words else ""
        return [
            f"  {self.kind}: {self.count} {self.unit if self.count != 1 else self.unit.removesuffix('s')}{about}",
            *lines_of_boxes(boxes([place.at for place in self.places]), self.unit),
        ]


def pending_at(kind: str, unit: str, positions: npt.NDArray[np.int32]) -> PendingWork:
    """A kind whose places have only a position: int32[n, 2 or 3]."""
    places = tuple(MissingPlace(tuple(at)) for at in sorted(positions.tolist()))
    return PendingWork(kind, unit, len(places), places)


def pending_of_session(session: Session, now: float, within: Anchor | None = None) -> tuple[PendingWork, ...]:
    """The sub-chunks that a session wants or has requested; if there are none, the columns that are not announced.

    ``now``: monotonic seconds; infinite where nothing more comes (ages then count to the last tick). ``within``: only
    these columns and those around them count.
    """
    store = session.dimension.store
    open_places = np.flatnonzero(np.isin(store.state, OPEN_STATES))
    places = np.union1d(open_places, session.dimension.requests.asking.wanted).astype(np.int32)
    places = places[places >= store.dimension.sections]  # row 0 is for places outside the known columns
    if within is not None:
        places = places[within.grown(1).holds(store.columns[places // store.dimension.sections])]
    entries = (session.ledger.entries.entry(place) for place in places.tolist())
    out = np.array([entry is not None and entry.status not in (FREE, CLOSED) for entry in entries], np.bool_)
    waits = np.isin(places, session.dimension.requests.asking.wanted) | (store.state[places] != SubChunkState.RESET)
    wanted = pending_at("wanted", "sub-chunks", store.positions_of(places[~out & waits]))
    found = (wanted, _asked(session, places[out], now))
    pending = tuple(each for each in found if each.count)
    return pending or _columns(session, within)


def boxes(places: Iterable[Corner]) -> list[tuple[Corner, Corner]]:
    """The places merged into boxes that do not overlap, corners included, by position; not always the fewest."""
    found = [(tuple(at), tuple(at)) for at in sorted(set(places))]
    for axis in reversed(range(len(found[0][0]) if found else 0)):
        found = _joined(found, axis)
    return sorted(found)


def lines_of_boxes(found: Sequence[tuple[Corner, Corner]], unit: str) -> list[str]:
    """The first boxes in words, a line each, and how many more there are; ``unit``: of the corners, in the plural."""
    more = len(found) - LISTED_BOXES
    return [
        *(f"    {text_of_box(low, high, unit)}" for low, high in found[:LISTED_BOXES]),
        *([f"    and {more:,} more boxes"] if more > 1 else ["    and one more box"] if more == 1 else []),
    ]


def _joined(found: Sequence[tuple[Corner, Corner]], axis: int) -> list[tuple[Corner, Corner]]:
    """Merges boxes that touch along an axis and are equal along the others."""

    def others(box: tuple[Corner, Corner]) -> tuple[Corner, Corner]:
        low, high = box
        return low[:axis] + low[axis + 1 :], high[:axis] + high[axis + 1 :]

    result: list[tuple[Corner, Corner]] = []
    for box in sorted(found, key=lambda box: (others(box), box[0][axis])):
        if result and others(result[-1]) == others(box) and result[-1][1][axis] + 1 == box[0][axis]:
            result[-1] = result[-1][0], box[1]
        else:
            result.append(box)
    return result


def text_of_box(low: Corner, high: Corner, unit: str) -> str:
    """``sub-chunk 3,0,-2``, or ``sub-chunks 3,0,-2 to 4,0,-2``, corners included."""
    if low == high:
        return f"{unit.removesuffix('s')} {coordinates(low)}"
    return f"{unit} {coordinates(low)} to {coordinates(high)}"


def _asked(session: Session, places: Places, now: float) -> PendingWork:
    positions = session.dimension.store.positions_of(places).tolist()
    found = []
    for place, at in zip(places.tolist(), positions, strict=True):
        entry = session.ledger.entries.entry(place)
        assert entry is not None, "an outstanding place has one"
        age_s = round(now - entry.asked_at, 3)
        found.append(MissingPlace(tuple(at), age_s, entry.asked, entry.tries, entry.silences))
    found.sort(key=lambda place: place.at)
    return PendingWork("outstanding", "sub-chunks", len(found), tuple(found), _waits(found))


def _waits(places: Sequence[MissingPlace]) -> str:
    """Ages and counts in words: ``requested 1 to 3 times, last 0.1 to 3.0 s ago, 2 refusals, 12 time-outs``."""
    if not places:
        return ""
    ages = [place.age_s or 0.0 for place in places]
    asked = [place.requested for place in places]
    first, latest = f"{min(ages):.1f}", f"{max(ages):.1f}"
    span = first if first == latest else f"{first} to {latest}"
    times = "once" if max(asked) == 1 else f"{max(asked)} times"
    if min(asked) != max(asked):
        times = f"{min(asked)} to {times}"
    refused, silences = sum(place.refused for place in places), sum(place.silences for place in places)
    rest = "".join(f", {count} {what}" for count, what in ((refused, "refusals"), (silences, "time-outs")) if count)
    return f"requested {times}, {'' if times == 'once' else 'last '}{span} s ago{rest}"


def _columns(session: Session, within: Anchor | None) -> tuple[PendingWork, ...]:
    expected = Anchor.square(session.movement.eye.column, session.radius + 1) if within is None else within
    there = session.dimension.store.row_of
    missing = np.array([at for at in expected.columns().tolist() if tuple(at) not in there], np.int32).reshape(-1, 2)
    return (pending_at("unannounced", "columns", missing),) if len(missing) else ()


class LightView(msgspec.Struct, frozen=True):
    """Light of one block, 0..15 each."""

    red: int  # block light
    green: int  # block light
    blue: int  # block light
    daylight: int  # from the sky
    lit: bool  # whether the 3 x 3 columns around are known, so that these values are final


class BoxLight(msgspec.Struct, frozen=True, eq=False):
    """Light of a box, 0..15 each; arrays [x, z, y] like its blocks. Unknown blocks are dark, and not ``lit``."""

    red: npt.NDArray[np.uint8]  # block light
    green: npt.NDArray[np.uint8]  # block light
    blue: npt.NDArray[np.uint8]  # block light
    daylight: npt.NDArray[np.uint8]  # from the sky
    lit: npt.NDArray[np.bool_]  # whether these values are final


class Statistics(msgspec.Struct, frozen=True):
    """Everything a connection counts, as a frozen snapshot."""

    source: str  # where the world comes from
    seconds: float  # since the connection was made
    settled: bool  # whether nothing was missing
    session: SessionStats  # what the session counts
    peer: PeerStats  # what the transport counts
    light_columns: int  # columns whose light is older than their blocks
    light: LightStats  # what the light map did and holds
    pools: PoolStats  # what the block pools hold
    # bytes of everything that grows with the world or with what the server sends, pool by pool
    memory: tuple[PoolBytes, ...]


class Settled(msgspec.Struct, frozen=True):
    """How a wait ended."""

    settled: bool  # whether nothing is missing
    waiting_for: str  # what had not arrived when the time ran out, in words, or empty
    seconds: float  # how long it took
    # the same by kind and place; empty when settled, and after ``wait_for``
    missing: tuple[PendingWork, ...] = ()

    def __bool__(self) -> bool:
        return self.settled

    def __repr__(self) -> str:
        """Short: missing places are only counted, since there may be thousands."""
        waiting = ", ".join(f"{pending.count} {pending.unit} {pending.kind}" for pending in self.missing)
        said = "settled" if self.settled else f"not settled: {waiting or self.waiting_for}"
        return f"<Settled: {said}; {self.seconds:.1f} s>"
