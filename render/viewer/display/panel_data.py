"""The panels' data: snapshots of connection and scene, made only while a panel is open and no more often than it reads.

Rules:
1. A snapshot that costs more than the frame's own is cached (``_cached``).
2. This module does not call imgui.

Event rows (``last_events``): the last events of a session, from the histories of sub-chunks, from events and sounds
about blocks, and from the chat.

Limits: the last eight events of each sub-chunk are known (``client.world.history``), the last 512 block events in all,
and the last 64 chat lines.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from client.connection.chat_text import said_in_words
from client.connection.stats import Statistics
from client.player import Eye
from client.report.entities import EntityReport, entity_report
from client.report.health import Problem, find_problems
from client.report.why_text import verdict
from client.session.session import Session
from client.world.history import KEPT, NO_CODE, NO_PACKET
from client.world.lifecycle import EVENT_WORDS, StateEvent, SubChunkState
from net.arrays import Places
from net.space import BlockPos
from render.camera import Camera
from render.gpu.targets import Pixels
from render.invariants import InvariantWatch
from render.materials.packs.fogs import undefined_fog
from render.overlays.legend import legend_title, sections_of
from render.panels.event_log import EventsState, EventsView, LoggedEvent, RecordingView, finder, searched
from render.panels.find import FindView
from render.panels.graphs import Graph, GraphLine, GraphsView
from render.panels.inspector import InspectorState, InspectorView, Levels
from render.panels.legend import LegendView
from render.panels.packets import PacketsState, PacketsView
from render.panels.pipeline import PipelineView
from render.panels.problems import InvariantsView
from render.panels.settings import SettingsView
from render.panels.slice_map import Paint, Plane, Ring, SliceState, SliceView
from render.panels.swatch import Swatches
from render.scene.work_state import NOT_MIRRORED
from render.settings.actions import Action
from render.viewer.control.timeline import speed_words
from render.viewer.display.slices import Slice, Slicer, eye_on, rings_of
from render.viewer.frame_times import FrameHistory, Rates
from render.viewer.picking import NOTHING, Sight, diagnosis_at, facts_at, sight

if TYPE_CHECKING:
    from render.viewer.window_state import WindowState
    from render.viewer.world_session import WorldSession

# ---------------------------------------------------------------- event rows

MOST: Final = 300
"""Rows of the panel."""
CAUSES: Final = {int(cause): words for cause, words in EVENT_WORDS.items()}
CODE_BITS: Final = 9
CODES: Final = (1 << CODE_BITS) - 1
"""A byte's values, and one for "none"."""
STATE_BITS: Final = 8
STATES: Final = {int(state): state.name.lower() for state in SubChunkState}


def last_events(
    session: Session, wanted: str = "", edits: bool = True, most: int = MOST, said: Iterable[tuple[float, str]] = ()
) -> tuple[tuple[LoggedEvent, ...], int]:
    """The latest events first, and how many of sub-chunks there were in all.

    ``wanted``: a text to search for in all known events, beside the latest of any kind: in kind, state or place.
    ``edits``: whether to include changed blocks, which displace all other events on a busy server. ``said``: the
    window's messages with times, in the session's seconds.
    """
    rows, total = _of_subchunks(session, searched(wanted), edits, most)
    rows += [
        LoggedEvent(
            round(event.time_s - session.started_at, 3),
            event.packet + 1,
            event.position,
            _often(event.what, event.times),
            event.block or "",
        )
        for event in session.dimension.events.events()[-most:]
    ]
    rows += [
        LoggedEvent(
            round(line.time_s - session.started_at, 3),
            line.packet + 1,
            None,
            _often(line.kind, line.times),
            said_in_words(line),
        )
        for line in session.chat.lines
    ]
    rows += [LoggedEvent(round(at_s, 3), None, None, "message", words) for at_s, words in said]
    rows.sort(key=lambda row: -row.at_s)
    return tuple(rows if wanted else rows[:most]), total


def _of_subchunks(session: Session, wanted: str, edits: bool, most: int) -> tuple[list[LoggedEvent], int]:
    store = session.dimension.store
    history = store.history
    places = store.places_of_rows(store.announced_rows)
    noted = history.noted[places].astype(np.int64)
    times = np.where(np.arange(KEPT) < np.minimum(noted, KEPT)[:, None], history.times_s[places], -np.inf)
    if not edits:
        times[history.causes[places] == int(StateEvent.EDITED)] = -np.inf
    chosen = _newest(times, most)
    if wanted:
        chosen = np.union1d(chosen, _newest(np.where(_fitting(session, places, wanted), times, -np.inf), most))
    at = places[chosen // KEPT], chosen % KEPT
    columns = (history.times_s, history.packets, history.codes, history.causes, history.befores, history.afters)
    listed = zip(*(column[at].tolist() for column in (*columns, history.repeats)), strict=True)
    corners = (store.positions_of(at[0]).reshape(-1, 3) * 16).tolist()
    rows = []
    for corner, (time_s, packet, code, cause, before, after, times) in zip(corners, listed, strict=True):
        what = _often(_what(cause, code), times)
        told = None if packet == NO_PACKET else packet + 1  # from 1: after this many packets it happened
        at_s = round(time_s - session.started_at, 3)
        rows.append(LoggedEvent(at_s, told, BlockPos(*corner), what, _state(before, after)))
    return rows, int(noted.sum())


def _often(what: str, times: int) -> str:
    return what if times == 1 else f"{what} x{times}"


def _what(cause: int, code: int) -> str:
    return CAUSES[cause] + ("" if code == NO_CODE else f", code {code}")


def _state(before: int, after: int) -> str:
    return STATES[after] if before == after else f"{STATES[before]} > {STATES[after]}"


def _fitting(session: Session, places: Places, wanted: str) -> npt.NDArray[np.bool_]:
    """Which events contain a text in kind, state or place: bool[places, KEPT]."""
    history = session.dimension.store.history
    causes = history.causes[places].astype(np.int32)
    whats, what = _numbered(causes << CODE_BITS | history.codes[places] - NO_CODE & CODES)
    states, state = _numbered(history.befores[places].astype(np.int32) << STATE_BITS | history.afters[places])
    kinds, kind = _numbered(what * len(states) + state)
    told_whats = [_what(at >> CODE_BITS, (at & CODES) + NO_CODE) for at in whats]
    told_states = [_state(at >> STATE_BITS, at & (1 << STATE_BITS) - 1) for at in states]
    pairs = (divmod(at, len(states)) for at in kinds)
    told = [searched(f"{told_whats[one]} {told_states[two]}") for one, two in pairs]
    found = finder(wanted)
    fits: npt.NDArray[np.bool_] = np.array([found(text) for text in told], bool)[kind]
    if any(sign.isdigit() for sign in wanted):
        corners = (session.dimension.store.positions_of(places).reshape(-1, 3) * 16).tolist()
        fits |= np.array([found(f"{x} {y} {z}") for x, y, z in corners], bool)[:, None]
    return fits


def _numbered(keys: npt.NDArray[np.int32]) -> tuple[list[int], npt.NDArray[np.intp]]:
    """The different keys, which are small, and each key's index among them. Sorting would take ten times as long."""
    there = np.zeros(int(keys.max(initial=0)) + 1, np.bool_)
    there[keys] = True
    return np.flatnonzero(there).tolist(), (np.cumsum(there) - 1)[keys]


def _newest(times: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.intp]:
    """Indices of the latest events in the flat array: sorts only those of places with the latest ones."""
    recent = _largest(times.max(axis=1, initial=-np.inf), most)
    chosen = _largest(times[recent].ravel(), most)
    flat: npt.NDArray[np.intp] = recent[chosen // KEPT] * KEPT + chosen % KEPT
    return flat[np.isfinite(times.ravel()[flat])]


def _largest(values: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.intp]:
    """Indices of the largest values, unordered; all if there are fewer."""
    return np.argpartition(values, len(values) - count)[-count:] if len(values) > count else np.arange(len(values))


# ---------------------------------------------------------------- panel views

KEPT_S: Final = 0.25
LOOKED_FOR_EVERY_S: Final = 1.0
"""Interval of repeated searches; a changed text is searched at once. In 140,000 events it takes 4 to 10 ms."""
GRAPHED_EVERY_S: Final = 0.05
GRAPHS: Final = {
    "cpu": ("CPU by stage, ms", True),
    "gpu": ("GPU by pass, ms", True),
    "frame": ("frames, ms", False),
    "bytes": ("bytes, KB/s", False),
    "line": ("requests under way", False),
    "round trip": ("round trip, ms", False),
}
EMPTY: Final = {
    "gpu": "No data yet: timer queries return after some frames. If this stays, the driver has no GPU timers.",
    "round trip": "Unknown: a recording or an in-process world has no connection to measure.",
}
"""Why a graph shows nothing above 0."""
SLICES_AWAY_BLOCKS: Final = 512
"""Largest distance of an upright slice from the eye."""
REPORT_EVERY_S: Final = 1.0
"""Interval: finding reports costs milliseconds in a large world."""

T = TypeVar("T")


def levels_at(session: Session, block: BlockPos) -> Levels | None:
    """Light of a block, by channel; None outside of the world's height."""
    if not session.dimension.store.dimension.holds_section(block.subchunk.y):
        return None
    value = session.dimension.light.at(session.dimension.store.place_of(block.subchunk), block.in_subchunk)
    return value & 15, value >> 4 & 15, value >> 8 & 15, value >> 12 & 15


class PanelFrame(msgspec.Struct, frozen=True):
    """What every snapshot is made from."""

    known: Statistics  # of the connection, in this frame
    now: float  # monotonic seconds
    show: Callable[[str, Pixels], int]  # passes a named picture to imgui


Make = TypeVar("Make", bound=Callable[..., Any])
SNAPSHOTS: Final[dict[str, Callable[["PanelViews", PanelFrame, Any], Any]]] = {}
"""The functions that make snapshots, by panel. Any: a panel's state and snapshot are its own."""


def snapshot_of(name: str) -> Callable[[Make], Make]:
    """Registers a method as the one that makes the snapshot of a panel."""

    def register(make: Make) -> Make:
        SNAPSHOTS[name] = make
        return make

    return register


def fog_problems(undefined: Sequence[str]) -> tuple[Problem, ...]:
    """Problems for the fogs that the server set and no resource pack defines; they have no place."""
    return tuple(Problem("unknown fog", "fogs", 1, undefined_fog(name)) for name in undefined)


class PanelViews:
    """Makes the snapshots of one window."""

    def __init__(self, state: "WindowState", session: "WorldSession") -> None:
        self._state, self._world, self._packets = state, session.world, session.packets
        self._rates = Rates()
        self._history = FrameHistory()
        self._watch = InvariantWatch()
        self._swatches = Swatches()
        self._slicer = Slicer()
        self._held: BlockPos | None = None  # by the inspector
        self._kept: dict[str, tuple[object, float, Any]] = {}  # key, time and value. Any: as for ``_cached``

    def _cached(self, name: str, now: float, every_s: float, make: Callable[[], T], key: object = None) -> T:
        """A value that is made again if it is as old as ``every_s``, or was made for another key."""
        kept = self._kept.get(name)
        if kept is None or kept[0] != key or now - kept[1] >= every_s:
            kept = self._kept[name] = key, now, make()
        value: T = kept[2]
        return value

    @property
    def eye(self) -> Eye:
        return self._state.controls.view.eye

    def snapshot(self, name: str, moment: PanelFrame, state: Any) -> Any:  # Any: each panel's own
        """A panel's own snapshot, or the connection's statistics if it has none."""
        make = SNAPSHOTS.get(name)
        return make(self, moment, state) if make else moment.known

    @snapshot_of("pipeline")
    def pipeline(self, moment: PanelFrame, _state: object) -> PipelineView:
        known, now = moment.known, moment.now
        ledger = known.session.ledger
        self._rates.record(now, {"asked": ledger.asked, "answered": ledger.settled + ledger.failed})
        bytes_in_s, bytes_out_s = self._state.pacer.bytes_s
        return PipelineView(
            known=known,
            scene=self._cached("stats", now, KEPT_S, self._world.scene.stats),
            left=self._cached("left", now, KEPT_S, self._behind),
            bytes_in_s=bytes_in_s,
            bytes_out_s=bytes_out_s,
            asked_s=self._rates.of("asked"),
            answers_s=self._rates.of("answered"),
        )

    @snapshot_of("inspector")
    def inspector(self, moment: PanelFrame, state: InspectorState) -> InspectorView:
        """The inspector's snapshot: of the held block, else of the one under the crosshair."""
        self._held = state.held
        return self._cached("inspector", moment.now, KEPT_S, self._inspect, state.held)

    def _inspect(self) -> InspectorView:
        connection, scene = self._world.connection, self._world.scene
        session = connection.session
        if self._held:
            seen = Sight(self._held, self._held._replace(y=self._held.y + 1))
        else:
            seen = sight(session, Camera.of(self._state.controls.shown, 1.0), self._state.settings.cut)
        block = seen.subject
        if block is None:
            return InspectorView(None, nothing=NOTHING)
        dimension = session.dimension.store.dimension
        if not dimension.holds_section(block.subchunk.y):
            low, high = dimension.floor_y_blocks, dimension.roof_y_blocks - 1
            nothing = f"y {block.y} is outside the {dimension.name}, which reaches from {low} to {high}."
            return InspectorView(None, nothing=nothing)
        facts = facts_at(session, scene, block, connection.now)
        around = ""
        if seen.around is not None and seen.around.block != block:
            around = verdict(facts_at(session, scene, seen.around.block, connection.now))
        before = (seen.before or block) if block == seen.block else block
        now_s = connection.now - session.started_at
        return InspectorView(facts, now_s, before, levels_at(session, before), around=around)

    def record(self, known: Statistics, now: float, gpu_s: Mapping[str, float]) -> None:
        """Records one frame's numbers for the graphs; ``gpu_s`` is seconds by pass."""
        pacer, ledger = self._state.pacer, known.session.ledger
        frame_ms, work_ms = pacer.last_ms
        bytes_in_s, bytes_out_s = pacer.bytes_s
        values = {
            "frame/from frame to frame": frame_ms,
            "frame/work": work_ms,
            "bytes/in": 1e-3 * bytes_in_s,
            "bytes/out": 1e-3 * bytes_out_s,
            "line/waiting for an answer": float(ledger.outstanding),
            "line/most at a time": float(ledger.window),
        }
        if known.peer.rtt_s is not None:
            values["round trip/to the server and back"] = 1e3 * known.peer.rtt_s
        values |= {f"cpu/{name}": 1e3 * seconds for name, seconds in self._state.stages.last.items()}
        values |= {f"gpu/{name}": 1e3 * seconds for name, seconds in gpu_s.items()}
        self._history.record(now, values)

    @snapshot_of("graphs")
    def graphs(self, moment: PanelFrame, _state: object) -> GraphsView:
        return self._cached("graphs", moment.now, GRAPHED_EVERY_S, self._graph)

    def _graph(self) -> GraphsView:
        graphs = []
        for name, (title, stacked) in GRAPHS.items():
            lines = self._history.lines(f"{name}/")
            empty = EMPTY.get(name, "") if not any((line > 0.0).any() for _, line in lines) else ""
            graphs.append(Graph(title, stacked, tuple(GraphLine.of(*line) for line in lines), empty))
        return GraphsView(self._history.seconds(), tuple(graphs))

    @snapshot_of("events")
    def events(self, moment: PanelFrame, state: EventsState) -> EventsView:
        looked_for = state.wanted, state.edits
        events, total = self._cached(
            "events",
            moment.now,
            LOOKED_FOR_EVERY_S if state.wanted else KEPT_S,
            lambda: last_events(self._world.connection.session, *looked_for, said=self._state.captions.kept),
            looked_for,
        )
        return EventsView(events, total, self._recording())

    @snapshot_of("settings")
    def settings(self, _moment: PanelFrame, _state: object) -> SettingsView:
        preferences = self._state.preferences
        sky = self._state.sky
        return SettingsView(preferences.place, preferences.settings, preferences.keyboard, preferences.asked, sky)

    @snapshot_of("slice")
    def slice_map(self, moment: PanelFrame, state: SliceState) -> SliceView:
        session, view = self._world.connection.session, self._state.controls.view
        eye, ahead, level = eye_on(state.plane, view)
        dimension = session.dimension.store.dimension
        levels = dimension.floor_y_blocks, dimension.roof_y_blocks - 1
        if state.plane is not Plane.LEVEL:
            levels = level - SLICES_AWAY_BLOCKS, level + SLICES_AWAY_BLOCKS
        level = min(max(level if state.level is None else state.level, levels[0]), levels[1])
        wanted = state.plane, state.paint, level
        show = partial(moment.show, "slice")
        made, number, rings = self._cached("slice", moment.now, KEPT_S, lambda: self._paint(*wanted, show), wanted)
        return SliceView(number, made.origin, made.states, eye, ahead, level, levels, rings)

    def _paint(
        self, plane: Plane, paint: Paint, level: int, show: Callable[[Pixels], int]
    ) -> tuple[Slice, int, tuple[Ring, ...]]:
        connection = self._world.connection
        view = self._state.controls.view
        made = self._slicer.paint(connection.session, plane, paint, level, connection.now, view)
        return made, show(made.pixels), rings_of(connection.session, plane, level)

    @snapshot_of("invariants")
    def invariants(self, moment: PanelFrame, _state: object) -> InvariantsView:
        """The invariants' snapshot; checks a further part."""
        self._watch.step(self._world.connection.session, self._world.scene, moment.now)
        return InvariantsView(self._watch.found, self.eye)

    @snapshot_of("problems")
    def problems(self, moment: PanelFrame, _state: object) -> tuple[Problem, ...]:
        return self._cached("problems", moment.now, REPORT_EVERY_S, self._find_problems)

    def _find_problems(self) -> tuple[Problem, ...]:
        connection, scene = self._world.connection, self._world.scene
        seen = partial(diagnosis_at, scene)
        undrawn = scene.attached.undrawn_places() if scene.shows_a_world else None
        found = find_problems(connection.session, connection.now, undrawn, seen)
        return found + fog_problems(scene.undefined_fogs(connection.session.environment.fogs))

    @snapshot_of("entities")
    def entities(self, moment: PanelFrame, _state: object) -> EntityReport:
        connection = self._world.connection
        make = partial(entity_report, connection.session, connection.now)
        return self._cached("entities", moment.now, REPORT_EVERY_S, make)

    @snapshot_of("find")
    def find(self, _moment: PanelFrame, _state: object) -> FindView:
        return self._state.found

    @snapshot_of("packets")
    def packets(self, _moment: PanelFrame, state: PacketsState) -> PacketsView:
        connection = self._world.connection
        recorded = connection.replay is not None or connection.past is not None
        from_s = self._world.timeline.span_s[0] if recorded else None
        return self._packets.view(state.chosen, self._held, math.floor(self.eye.y), from_s)

    @snapshot_of("legend")
    def legend(self, moment: PanelFrame, _state: object) -> LegendView:
        session, on = moment.known.session, frozenset(self._state.overlays.on)
        sections = sections_of(on, self._world.scene.legend)
        more = legend_title(sections, session.pins, session.terrain.stale_columns)
        opener = self._state.preferences.keyboard.shown(Action.OVERLAYS)
        return LegendView(more, sections, on, opener, lambda style: self._swatches.of(style, moment.show))

    def _recording(self) -> RecordingView | None:
        connection, timeline = self._world.connection, self._world.timeline
        replay = connection.replay
        if replay is None and connection.past is None:
            return None
        from_s, time_s, duration_s = timeline.span_s
        way = replay.on_the_way if replay else None
        return RecordingView(
            time_s=time_s,
            duration_s=duration_s,
            packets=replay.position.packets if replay else connection.statistics().peer.packets_in,
            paused=replay is not None and replay.paused,
            speed=speed_words(replay.speed) if replay else "live",
            on_the_way=way.time_s if way else None,
            from_s=from_s,
            live=replay is None,
            kept=timeline.kept(),
        )

    def _behind(self) -> tuple[tuple[str, int], ...]:
        state = self._world.scene.attached.state
        behind, seams = state.behind, state.seams()
        return (
            ("columns to light", len(behind["unlit"])),
            ("cells to mesh", len(behind["unmeshed"])),
            ("meshes to upload", len(behind["not uploaded"])),
            ("sub-chunks to upload", len(behind[NOT_MIRRORED])),
            ("borders to light", seams.waits),
            ("provisional light", seams.hangs),
        )
