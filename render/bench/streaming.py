"""Moves a connection along a path and measures when data arrived, requesting visible sub-chunks or all in the radius.

Rules:
1. All times are the connection's own, real or virtual.
2. Pictures are evaluated at the next stop, when it is known what they show, not on the way.
3. The player follows the eye as far as the server allows: on a server that controls movement, "teleport" is a flight.
4. A recording is measured as one leg, from its first request to its end, in its own time.

Limits: columns that were evicted before the stop are not counted; on the standard path these are only columns behind
the flight.

Theory. In a settled world each ray that hits a block crosses sub-chunks with known arrival times. It shows what it
shows now since the latest of these times. So one cast at the stop gives the time at which each pixel became final.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping
from math import cos, radians, sin
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import Progress, open_connection
from client.errors import CHECK_FAILED, DONE, INCOMPLETE, UsageError
from client.options import Options
from client.player import Eye, View
from client.source import Source, is_recording, warning_lines
from client.streaming.anchors import Anchor
from client.visibility import Walk
from client.world.lifecycle import SubChunkState
from client.world.places import NO_LIMIT
from client.world.store import Store
from net.arrays import Places
from render.bench.rays import cast, pixel_rays, sphere_rays
from render.camera import Camera

SHARES: Final = (50, 90, 99, 100)
"""Percentages of terrain pixels for which the time is reported."""
RECORDED: Final = "the recording"
"""The one leg of a recording."""


class StreamLegReport(msgspec.Struct, frozen=True):
    """One leg."""

    name: str  # of the leg
    terrain_px: int  # pixels of its pictures that show a block
    # seconds from its end (for the spawn: from the first request) until each percentage was right;
    # empty where no pixel shows a block
    right_s: Mapping[int, float]
    settled_s: float  # seconds from its end until nothing was missing; 0 where it does not rest
    settled: bool  # whether that came about in time
    holes: int  # of SPHERE_RAYS rays with the camera at rest, those that end in a placeholder
    requested: int  # sub-chunks requested, repetitions included
    received: int  # answers with blocks or air that were used
    in_vain: int  # answered places that no eye of the way can see and that lie outside the ticking area
    packets: int  # requests sent
    bytes_in: int  # received on the wire; of a recording, in its packets, inflated
    bytes_out: int  # sent
    places: int  # sub-chunks of the announced columns, at its end
    places_below_limit: int  # those of them at or below their column's limit; all if the server sent no limit
    answered: int  # of the places, those that were answered


class StreamReport(msgspec.Struct, frozen=True):
    """One path."""

    source: str  # where the world comes from
    wanted: str  # "visible sub-chunks", "every sub-chunk in radius", or, of a recording, "as recorded"
    radius: int  # visibility radius in columns
    round_trip_s: float  # as the transport estimates it at the end
    legs: tuple[StreamLegReport, ...]  # one each, in order
    warnings: tuple[str, ...] = ()  # what the server did that is not right, one line a kind

    @property
    def requested(self) -> int:
        return sum(leg.requested for leg in self.legs)

    @property
    def bytes_in(self) -> int:
        return sum(leg.bytes_in for leg in self.legs)

    @property
    def holes(self) -> int:
        return sum(leg.holes for leg in self.legs)

    @property
    def recorded(self) -> bool:
        """Whether this is a recording, measured as it was: nothing waited for it."""
        return any(leg.name == RECORDED for leg in self.legs)

    @property
    def settled(self) -> bool:
        """Whether every rest came to its end; of a recording, whether nothing was missing when it ended."""
        return all(leg.settled for leg in self.legs)


# ---------------------------------------------------------------- path

ALL_ROUND: Final = tuple(45.0 * turn for turn in range(8))
"""Yaws of pictures that together show everything around."""

WALK_BLOCKS, WALK_SPEED = 32.0, 5.0
FLY_BLOCKS, FLY_UP_BLOCKS, FLY_SPEED = 64.0, 40.0, 10.92
DIG_BLOCKS = 40.0
TELEPORT_BLOCKS = 512.0
TURN_S = 0.2


class Leg(msgspec.Struct, frozen=True):
    """One way, at constant speed."""

    name: str  # for tables
    end: View  # where it ends and what is looked at then; yaw and pitch turn evenly, too
    seconds: float = 0.0  # how long it takes; 0 = at once
    yaws: tuple[float, ...] = ALL_ROUND  # of the pictures that are dated, from its end
    # whether the path waits there until nothing is missing; the next leg begins in the middle of it else
    rests: bool = True

    def view(self, start: View, elapsed_s: float) -> View:
        """Where the eye is so long after the leg began at ``start``."""
        if elapsed_s >= self.seconds:
            return self.end
        share = elapsed_s / self.seconds
        eye = Eye(*(a + (b - a) * share for a, b in zip(start.eye, self.end.eye, strict=True)))
        yaw = start.yaw_deg + (self.end.yaw_deg - start.yaw_deg) * share
        pitch = start.pitch_deg + (self.end.pitch_deg - start.pitch_deg) * share
        return View(eye, yaw, pitch, self.end.fov_deg)


def standard_path(start: View) -> tuple[Leg, ...]:
    """Spawn, walk, turn, fly, dig down, teleport: what a player does in an hour, in a minute."""
    yaw = start.yaw_deg
    walked = View(_ahead(start.eye, yaw, WALK_BLOCKS), yaw, 0.0, start.fov_deg)
    turned = View(walked.eye, yaw + 90, 0.0, start.fov_deg)
    flown = View(_ahead(walked.eye, yaw + 90, FLY_BLOCKS, FLY_UP_BLOCKS), yaw + 90, 20.0, start.fov_deg)
    dug = View(_ahead(flown.eye, 0.0, 0.0, -FLY_UP_BLOCKS - DIG_BLOCKS), yaw + 90, 60.0, start.fov_deg)
    away = View(_ahead(start.eye, yaw - 90, TELEPORT_BLOCKS), yaw, 0.0, start.fov_deg)
    return (
        Leg("spawn", start),
        Leg("walk", walked, WALK_BLOCKS / WALK_SPEED, (yaw,), rests=False),
        Leg("turn", turned, TURN_S, (yaw + 90,)),
        Leg("fly", flown, FLY_BLOCKS / FLY_SPEED),
        Leg("dig down", dug, (FLY_UP_BLOCKS + DIG_BLOCKS) / FLY_SPEED),
        Leg("teleport", away),
    )


def _ahead(eye: Eye, yaw_deg: float, blocks: float, up_blocks: float = 0.0) -> Eye:
    yaw = radians(yaw_deg)
    return Eye(eye.x - sin(yaw) * blocks, eye.y + up_blocks, eye.z + cos(yaw) * blocks)


# ---------------------------------------------------------------- sight

WIDTH_PX, HEIGHT_PX = 160, 90
SPHERE_RAYS = 20_000


def right_since(store: Store, view: View, yaws: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """When each terrain pixel became right, earliest first: float64[n] monotonic seconds; a picture for each yaw."""
    found = []
    for yaw in yaws:
        camera = Camera.of(View(view.eye, yaw, view.pitch_deg, view.fov_deg), WIDTH_PX / HEIGHT_PX)
        hits = cast(store, view.eye, pixel_rays(camera, WIDTH_PX, HEIGHT_PX))
        found.append(hits.latest[hits.on_terrain])
    return np.sort(np.concatenate(found))


def holes(store: Store, view: View, radius_columns: int) -> int:
    """How many of 20,000 rays over the sphere end in a placeholder at most ``radius_columns`` away."""
    hits = cast(store, view.eye, sphere_rays(SPHERE_RAYS))
    columns = store.columns[hits.places[hits.in_holes] // store.dimension.sections]
    return int(Anchor.square(view.eye.column, radius_columns).holds(columns).sum())


# ---------------------------------------------------------------- meter

ANSWERED = (SubChunkState.DATA, SubChunkState.ALL_AIR, SubChunkState.REFUSED, SubChunkState.UNDECODABLE)
EVERYTHING = "everything"
LOOK_AROUND_BLOCKS = 4.0
"""Eyes of a way this far apart are asked what they can see."""
RECORDED_STEP_S = 0.002
"""A recording is played in pieces of so many seconds; each takes about 0.2 s (measured)."""


class _Counters(msgspec.Struct, frozen=True):
    """What a connection has counted at one moment."""

    asked: int
    received: int
    packets: int
    bytes_in: int
    bytes_out: int


class _Gone(msgspec.Struct):
    """A leg that was gone, and not looked at yet."""

    leg: Leg
    ended_at: float
    before: _Counters
    after: _Counters


class StreamMeter:
    """Drives and measures one connection, on the connection's thread."""

    def __init__(
        self,
        connection: Connection,
        clock: Callable[[], float],
        rest: Callable[[float], None],
        everything: bool = False,
    ) -> None:
        """Begins to measure.

        ``clock``: the connection's own. ``rest``: waits the given seconds when there is nothing to do. ``everything``:
        requests every sub-chunk in the radius instead of the visible ones (the baseline).
        """
        self._connection = connection
        self._clock = clock
        self._rest = rest
        self._everything = everything
        self._walk = Walk()
        self._eyes: list[Eye] = []
        self._gone: list[_Gone] = []
        self._reports: list[StreamLegReport] = []
        self._began_at = clock()
        self._settled_since = 0.0

    def run(self, path: tuple[Leg, ...], timeout_s: float, progress: Progress | None = None) -> StreamReport:
        """Goes the path's legs, each rest at most ``timeout_s``. Raises SourceError: the source ended the session."""
        tell = progress or (lambda _share, _what: None)
        start = self._connection.session.movement.view
        before = _Counters(0, 0, 0, 0, 0)  # joining is part of the first leg
        for index, leg in enumerate(path):
            tell(index / len(path), leg.name)
            self._go(leg, start)
            now = self._clock()
            after = self._counters()
            self._gone.append(_Gone(leg, now if index else self._first_asked_at(now), before, after))
            rests = leg.rests or leg is path[-1]
            before = self._rest_and_look(timeout_s, tell, index / len(path)) if rests else after
            start = leg.end
        return self._told("every sub-chunk in radius" if self._everything else "visible sub-chunks")

    def live_through(self, progress: Progress | None = None) -> StreamReport:
        """Measures a recording (rule 4), seen from where its player ended."""
        connection, tell = self._connection, progress or (lambda _share, _what: None)
        replay = connection.replay
        assert replay is not None
        first = self._first_answerable()
        while not replay.resting:
            connection.pump(budget_s=RECORDED_STEP_S)
            first = self._first_answerable() if first is None else first
            self._record_eye()
            tell(replay.position.time_s / max(replay.duration_s, 1e-6), RECORDED)
        now, view = connection.now, connection.session.movement.view
        leg = Leg(RECORDED, View(connection.session.movement.eye, view.yaw_deg, view.pitch_deg, view.fov_deg))
        gone = _Gone(leg, now if first is None else first, _Counters(0, 0, 0, 0, 0), self._counters())
        self._reports.append(self._report(gone, now, connection.unsettled() is None, True))
        return self._told("as recorded")

    def _told(self, wanted: str) -> StreamReport:
        counted = self._connection.statistics()
        return StreamReport(
            str(self._connection.source),
            wanted,
            self._connection.session.radius,
            counted.peer.rtt_s or 0.0,
            tuple(self._reports),
            counted.session.warnings,
        )

    # ------------------------------------------------------------ on the way

    def _go(self, leg: Leg, start: View) -> None:
        began_at = self._clock()
        while True:
            elapsed_s = self._clock() - began_at
            self._connection.look(leg.view(start, elapsed_s))
            self._turn()
            if elapsed_s >= leg.seconds:
                return

    def _turn(self) -> None:
        if self._everything:
            session = self._connection.session
            session.pin(EVERYTHING, Anchor.square(session.movement.eye.column, session.radius))
        busy = self._connection.pump()
        self._record_eye()
        if not busy:
            self._rest(0.002)

    def _record_eye(self) -> None:
        eye = self._connection.session.movement.eye
        if not self._eyes or eye.distance_blocks(self._eyes[-1]) >= LOOK_AROUND_BLOCKS:
            self._eyes.append(eye)

    def _first_answerable(self) -> float | None:
        """When the first of the places that are held or were answered was asked; of a recording, in its own time."""
        session = self._connection.session
        asked_at = session.ledger.entries.asked_at(
            session.dimension.store.places_of_rows(session.dimension.store.announced_rows)
        )
        asked_at = asked_at[~np.isnan(asked_at)]
        return float(asked_at.min()) if len(asked_at) else None

    def _first_asked_at(self, now: float) -> float:
        """The spawn is dated from the first request: what a server does before it is not ours to hasten."""
        first = self._connection.session.dimension.requests.asking.first_asked_at
        return now if first is None else first

    # ------------------------------------------------------------ at rest

    def _rest_and_look(self, timeout_s: float, tell: Progress, share: float) -> _Counters:
        began_at = self._clock()
        settled = False
        while not settled and self._clock() < began_at + timeout_s:
            waiting_for = self._connection.unsettled()
            settled = waiting_for is None
            if not settled:
                tell(share, str(waiting_for))
                self._turn()
        now = self._clock()
        self._eyes.append(self._connection.session.movement.eye)
        after = self._counters()
        for gone in self._gone:
            last = gone is self._gone[-1]
            if last:
                gone.after = after
            self._reports.append(self._report(gone, now, settled, last))
        self._gone.clear()
        self._eyes.clear()
        self._settled_since = now
        return after

    def _report(self, gone: _Gone, now: float, settled: bool, last: bool) -> StreamLegReport:
        store = self._connection.session.dimension.store
        since = right_since(store, gone.leg.end, gone.leg.yaws) - gone.ended_at
        places = store.places_of_rows(store.announced_rows)
        limits = store.limit[places // store.dimension.sections]
        below = (limits == NO_LIMIT) | (places % store.dimension.sections <= limits)
        return StreamLegReport(
            name=gone.leg.name,
            terrain_px=len(since),
            right_s={share: _when(since, share) for share in SHARES} if len(since) else {},
            settled_s=now - gone.ended_at if last else 0.0,
            settled=settled,
            holes=holes(store, gone.leg.end, self._connection.session.radius) if last else 0,
            requested=gone.after.asked - gone.before.asked,
            received=gone.after.received - gone.before.received,
            in_vain=self._in_vain(store, places) if last else 0,
            packets=gone.after.packets - gone.before.packets,
            bytes_in=gone.after.bytes_in - gone.before.bytes_in,
            bytes_out=gone.after.bytes_out - gone.before.bytes_out,
            places=len(places),
            places_below_limit=int(below.sum()),
            answered=int(np.isin(store.state[places], ANSWERED).sum()),
        )

    def _in_vain(self, store: Store, places: Places) -> int:
        """Places answered since the last rest that no eye of the way needed."""
        session = self._connection.session
        ticking = session.config.limits.ticking_radius
        needed = np.zeros(len(store.state), bool)
        columns = store.columns[places // store.dimension.sections]
        for eye in self._eyes:
            needed[self._walk.run(store, eye, session.radius + 1)] = True
            needed[places[Anchor.square(eye.column, ticking).holds(columns)]] = True
        fresh = np.isin(store.state[places], ANSWERED) & (store.since[places] >= self._settled_since)
        return int((fresh & ~needed[places]).sum())

    def _counters(self) -> _Counters:
        statistics = self._connection.statistics()
        requests, terrain, peer = statistics.session.requests, statistics.session.terrain, statistics.peer
        recorded = self._connection.replay is not None  # nothing is known of datagrams
        bytes_in, bytes_out = (
            (peer.packet_bytes_in, peer.packet_bytes_out) if recorded else (peer.bytes_in, peer.bytes_out)
        )
        return _Counters(requests.entries, terrain.accepted, requests.packets, bytes_in, bytes_out)


def _when(since: npt.NDArray[np.float64], share: int) -> float:
    """Seconds until ``share`` per cent of some pixels were right; 0 where they were from the start."""
    return max(float(since[-(-len(since) * share // 100) - 1]), 0.0)


# ---------------------------------------------------------------- proof

HEAD: Final = (
    *("leg", "50 %", "90 %", "99 %", "100 %", "settled", "holes"),
    *("requested", "received", "wasted", "packets", "kB out", "MB in"),
)
KEY: Final = (
    "50 % to 100 %   seconds until that share of the terrain pixels was final; - without terrain in "
    "view\nsettled         seconds until nothing was missing; - if the next leg started before\n"
    f"holes           of {SPHERE_RAYS} rays in all directions at the end of the leg, those that meet "
    "a sub-chunk of unknown content\nrequested       sub-chunk requests, repeated ones included\n"
    "wasted          sub-chunks that arrived although no eye on the path could have seen them"
)


class StreamProof(msgspec.Struct, frozen=True):
    """Two measurements of one path."""

    by_sight: StreamReport  # asking for what can be seen
    baseline: StreamReport | None  # asking for every sub-chunk in the radius; None where it was not measured

    def as_json(self) -> dict[str, Any]:  # Any: what JSON holds
        return msgspec.to_builtins(self) | {"requested_share": self.requested_share}

    @property
    def requested_share(self) -> float | None:
        """Sub-chunks requested by sight for each one of the baseline."""
        return self.by_sight.requested / self.baseline.requested if self.baseline and self.baseline.requested else None

    @property
    def exit_code(self) -> int:
        """4 when a rest did not come to its end, 1 when a hole was seen at one, else 0; a recording has no rest."""
        if self.by_sight.recorded:
            return DONE
        if not self.by_sight.settled:
            return INCOMPLETE
        return CHECK_FAILED if self.by_sight.holes else DONE

    def tell(self, as_json: bool = False) -> int:
        """Says it on stdout and returns the exit code."""
        sys.stdout.write((json.dumps(self.as_json(), indent=2) if as_json else self.text()) + "\n")
        return self.exit_code

    def text(self) -> str:
        """Tables, and what came out in one sentence."""
        reports = [self.by_sight, *([self.baseline] if self.baseline else [])]
        return "\n\n".join([*map(_table, reports), KEY, " ".join([self.sentence(), *self._remarks()])])

    def sentence(self) -> str:
        first = self.by_sight.legs[0]
        where = "its end" if self.by_sight.recorded else "the spawn"
        how = "had been requested" if first.requested else "had arrived unrequested"
        spawn = f"At {where} {first.answered} of {first.places} sub-chunks {how}"
        spawn += f", {first.answered / max(first.places_below_limit, 1):.0%} of those that can contain blocks"
        if self.requested_share is None or self.baseline is None:
            return f"{spawn}."
        saved = 1 - self.by_sight.bytes_in / max(self.baseline.bytes_in, 1)
        bytes_told = f"{abs(saved):.0%} {'fewer' if saved >= 0 else 'more'} bytes"
        path = f"the whole path took {self.requested_share:.0%} of the baseline's requests and {bytes_told}"
        return f"{spawn}; {path}."

    def _remarks(self) -> list[str]:
        """What a reader of the table would wonder about, a sentence each."""
        blind = [leg.name for leg in self.by_sight.legs if not leg.terrain_px]
        remarks = [f"No terrain is in view at the end of {', '.join(blind)}, so no times are given."] if blind else []
        if self.by_sight.recorded and not self.by_sight.settled:
            remarks.append("The recording ends before everything requested has arrived.")
        return remarks


def prove(source: Source, options: Options, baseline: bool = True, progress: Progress | None = None) -> StreamProof:
    """Joins the source and moves along the standard path; then once more for the baseline.

    A recording has no baseline.

    ``options``: how to connect; joining and each stop may take ``timeout_s``. The blob cache is off unless the options
    turn it on, because the second measurement would find what the first one fetched. ``baseline``: whether the second
    measurement is made. ``progress``: called with (share done 0..1, what is done) now and then.

    Raises:
        SourceError: the source cannot be joined, or ended the session.
        UsageError: a delay is given for a recording.
    """
    recorded = is_recording(source)
    if recorded and options.delay_s:
        raise UsageError(f"{source} is a recording: its delays are fixed, so --delay has no effect.")
    by_sight = _measure(source, options, False, progress)
    return StreamProof(by_sight, _measure(source, options, True, progress) if baseline and not recorded else None)


def _measure(source: Source, options: Options, everything: bool, progress: Progress | None) -> StreamReport:
    with open_connection(source, replace(options, light=False, cache=bool(options.cache)), progress) as connection:
        meter = StreamMeter(connection, time.monotonic, time.sleep, everything)
        if connection.replay:
            return meter.live_through(progress)
        return meter.run(standard_path(connection.session.movement.view), options.timeout_s, progress)


def _table(report: StreamReport) -> str:
    rows = [HEAD, *map(_row, report.legs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    title = f"{report.source}, radius {report.radius}, requesting {report.wanted}"
    return "\n".join(
        [
            f"{title}; round trip {report.round_trip_s * 1000:.0f} ms",
            *lines,
            *warning_lines(report.warnings),
        ]
    )


def _row(leg: StreamLegReport) -> tuple[str, ...]:
    settled = "never" if not leg.settled else f"{leg.settled_s:.2f}" if leg.settled_s else "-"
    moments = tuple(f"{leg.right_s[share]:.2f}" if share in leg.right_s else "-" for share in SHARES)
    counts = (leg.holes, leg.requested, leg.received, leg.in_vain, leg.packets)
    sizes = f"{leg.bytes_out / 1e3:.1f}", f"{leg.bytes_in / 1e6:.2f}"
    return leg.name, *moments, settled, *map(str, counts), *sizes


# ---------------------------------------------------------------- plot

COLOURS = ("#1b6ca8", "#c8792b")  # distinguishable with colour-blindness


def plot(proof: StreamProof, path: Path) -> None:
    """Draws moments and entries, leg by leg, and writes them.

    Raises:
        ImportError: there is no matplotlib.
        OSError: the file cannot be written.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, and slow to load

    reports = [proof.by_sight, *([proof.baseline] if proof.baseline else [])]
    figure = Figure(figsize=(10, 7), layout="constrained")
    moments, entries = figure.subplots(2, 1)
    for index, report in enumerate(reports):
        _bars(moments, report, index, len(reports), [leg.right_s.get(SHARES[1], 0.0) for leg in report.legs])
        _bars(entries, report, index, len(reports), [float(leg.requested) for leg in report.legs])
    moments.set_ylabel(f"seconds until {SHARES[1]} % of the pixels were final")
    entries.set_ylabel("requested sub-chunks")
    moments.legend()
    first = proof.by_sight
    figure.suptitle(f"{first.source}, radius {first.radius}, round trip {first.round_trip_s * 1000:.0f} ms")
    figure.savefig(path, format="png", dpi=100)


def _bars(axes: Any, report: StreamReport, index: int, count: int, values: list[float]) -> None:
    # Any: matplotlib is an extra, and need not be there for the types to be checked
    width = 0.8 / count
    at = np.arange(len(values)) + (index - (count - 1) / 2) * width
    axes.bar(at, values, width, label=f"requesting {report.wanted}", color=COLOURS[index])
    axes.set_xticks(np.arange(len(values)), [leg.name for leg in report.legs])
