"""The last events of sub-chunks and blocks, and chat messages; time control of a recording."""

import re
from collections.abc import Callable
from typing import Final

import msgspec
from imgui_bundle import imgui

from net.space import BlockPos, coordinates
from render.panels.panel import Dock, Go, Inspect, PanelRequest, Press, Seek, panel
from render.panels.widgets import cell, flows, hint, long_table

BUTTONS: Final = (
    ("|<", "start"), ("-5 s", "skip_back"), ("< tick", "tick_back"), ("< packet", "packet_back"),
    ("packet >", "packet_on"), ("tick >", "tick_on"), ("+5 s", "skip_on"), (">|", "end"),
    ("slower", "slower"), ("faster", "faster"),
)  # fmt: skip
"""Beside pause: label of each, and the action of its key."""
BACK: Final = frozenset({"start", "skip_back", "tick_back", "packet_back"})
"""Actions that lead from the present to the past."""
AFTER_S: Final = 0.001
"""Times of events are shown in whole milliseconds: this much later it has happened."""
COMMA: Final = re.compile(r"(?<=\d)\s*,\s*(?=-?\d)")
PAST: Final = (0.95, 0.75, 0.30, 1.0)


class LoggedEvent(msgspec.Struct, frozen=True):
    """One event."""

    at_s: float  # in the session's seconds
    packet: int | None  # number of the packet that caused it; None: the client itself
    block: BlockPos | None  # where; of a sub-chunk its lowest corner; None: nowhere, as for messages
    what: str  # kind in words
    state: str  # states of the sub-chunk before and after, the event's subject, or the message

    @property
    def text(self) -> str:
        return searched(f"{self.at_s:.3f} {self.packet} {self.place} {self.what} {self.state}")

    @property
    def place(self) -> str:
        """Its position as three numbers; empty without one."""
        return coordinates(self.block or ())


def searched(text: str) -> str:
    """A text as it is shown, in small letters; commas between numbers are spaces, as either may be typed."""
    return COMMA.sub(" ", text.replace("_", " ").casefold())


def finder(wanted: str) -> Callable[[str], bool]:
    """Returns a test whether a text contains ``wanted``. Numbers must match whole: ``0 48`` is not in ``-80 48``."""
    before = r"(?<![\d.-])" if wanted[:1].isdigit() else ""
    after = r"(?!\d)" if wanted[-1:].isdigit() else ""
    pattern = re.compile(before + re.escape(wanted) + after)
    return lambda text: pattern.search(text) is not None


class RecordingView(msgspec.Struct, frozen=True):
    """The position in a recording, or in the history of a live session."""

    time_s: float  # present position
    duration_s: float  # in all
    packets: int  # received so far
    paused: bool  # whether it is paused
    speed: str  # in words
    on_the_way: float | None  # position during a seek; None without one
    from_s: float = 0.0  # earliest position that can be reached
    live: bool = False  # whether the present of a session is shown
    kept: str = ""  # of a session: its history in words; empty for a recording


class EventsView(msgspec.Struct, frozen=True):
    """The content of one frame."""

    events: tuple[LoggedEvent, ...]  # the last ones, newest first
    total: int  # how many there were, including those no longer stored
    recording: RecordingView | None  # None without a recording


class EventsState(msgspec.Struct):
    """The user's selection."""

    wanted: str = ""  # only events with this text are shown
    edits: bool = True  # whether changed blocks are shown
    aimed_s: float | None = None  # position of the scrubber's handle while it is dragged; None: the recording's
    frozen: tuple[LoggedEvent, ...] | None = None  # events that stay shown while new ones arrive


@panel("events", title="Events", place=5, dock=Dock.BELOW, state=EventsState)
def draw(view: EventsView, state: EventsState) -> list[PanelRequest]:
    requests = scrubber(view.recording, state) if view.recording else []
    imgui.set_next_item_width(14 * imgui.get_font_size())
    _, state.wanted = imgui.input_text_with_hint("##wanted", "only with this text", state.wanted)
    hint("searches all stored events for an event, a state, or the three numbers of a place")
    flows("freeze", 2.5)
    changed, frozen = imgui.checkbox("freeze", state.frozen is not None)
    if changed:
        state.frozen = view.events if frozen else None
    hint("pauses this list while new events arrive")
    flows("edits", 2.5)
    _, state.edits = imgui.checkbox("edits", state.edits)
    hint("whether block changes are listed")
    events, wanted = view.events if state.frozen is None else state.frozen, searched(state.wanted)
    found = finder(wanted)
    shown = [event for event in events if found(event.text)] if wanted else list(events)
    told_count = f"{len(shown):,} shown, {view.total:,} sub-chunk events in all"
    flows(told_count)
    imgui.text_disabled(told_count)
    return requests + listed(shown, view.recording)


def scrubber(recording: RecordingView, state: EventsState) -> list[PanelRequest]:
    requests: list[PanelRequest] = []
    if imgui.button("continue" if recording.paused else "pause"):
        requests.append(Press("pause"))
    for label, action in BUTTONS:
        words = "back to live" if recording.kept and action == "end" else label
        flows(words)
        imgui.begin_disabled(recording.live and action not in BACK)
        if imgui.button(words):
            requests.append(Press(action))
        imgui.end_disabled()
    if recording.kept:
        flows("save")
        if imgui.button("save"):
            requests.append(Press("save_past"))
        imgui.set_item_tooltip("save as a recording for view, why and shot")
    draw_shown_time(recording)
    imgui.set_next_item_width(-1.0)
    aimed_s = recording.time_s if state.aimed_s is None else state.aimed_s
    words = f"%.2f of {recording.duration_s:.2f} s"
    if recording.on_the_way is not None:
        words += f", seeking, at {recording.on_the_way:.2f} s"
    last_s = max(recording.duration_s, recording.from_s + 1e-3)
    changed, aimed_s = imgui.slider_float("##time", aimed_s, recording.from_s, last_s, words)
    if changed:
        state.aimed_s = aimed_s
    if imgui.is_item_deactivated_after_edit() and state.aimed_s is not None:
        requests.append(Seek(state.aimed_s))
        state.aimed_s = None
    return requests


def draw_shown_time(recording: RecordingView) -> None:
    """The shown time in words: the past in a colour of its own, to distinguish it from the present."""
    where = f"packet {recording.packets:,}, {recording.speed}"
    if not recording.kept:
        flows(where)
        imgui.text_disabled(where)
    elif recording.live:
        imgui.text_disabled(f"live; kept: {recording.kept}")
    else:
        imgui.text_colored(PAST, f"rewound: {where}; live session continues")


def listed(events: list[LoggedEvent], recording: RecordingView | None = None) -> list[PanelRequest]:
    """The table of events; a click inspects the place, a double click goes there, a button seeks to the time.

    Only visible rows are built.
    """
    columns = {"at, s": 1.0, "packet": 1.0, "place, blocks": 1.0, "what": 1.0, "state": 1.0}
    if recording is not None:
        columns["moment"] = 0.0
    requests: list[PanelRequest] = []
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (imgui.get_style().cell_padding.x, 0.0))
    imgui.push_style_var(imgui.StyleVar_.item_spacing, (imgui.get_style().item_spacing.x, 1.0))
    try:
        for index in long_table("events", columns, len(events)):
            requests += row(index, events[index], recording)
    finally:
        imgui.pop_style_var(2)
    return requests


def row(index: int, event: LoggedEvent, recording: RecordingView | None = None) -> list[PanelRequest]:
    imgui.table_next_column()
    flags = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_double_click
    flags |= imgui.SelectableFlags_.allow_overlap
    chosen, _ = imgui.selectable(f"{event.at_s:.3f}##{index}", False, flags)
    twice = chosen and imgui.is_mouse_double_clicked(0)
    for text in ("client" if event.packet is None else str(event.packet), event.place):
        imgui.table_next_column()
        cell(text)
    for text in (event.what.replace("_", " "), event.state.replace("_", " ") if event.block else event.state):
        imgui.table_next_column()
        cell(text)
    requests: list[PanelRequest] = []
    if recording is not None:
        imgui.table_next_column()
        imgui.begin_disabled(not recording.from_s <= event.at_s)
        if imgui.small_button(f"go to##moment {index}"):
            requests.append(Seek(event.at_s + AFTER_S))
        imgui.set_item_tooltip("shows the world right after this event")
        imgui.end_disabled()
    if not chosen or event.block is None:
        return requests
    return [*requests, Inspect(event.block), Go(event.block)] if twice else [*requests, Inspect(event.block)]
