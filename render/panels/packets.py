"""Packets of a recording or of the history, field by field beside their bytes; requests with their answers."""

from typing import Final

import msgspec
from imgui_bundle import imgui

from client.connection.opening import counted
from client.report.packets import PacketField, PacketRow, PacketsReport, RequestRow
from net.space import BlockPos, SubChunkPos, coordinates
from render.panels.panel import Dock, Go, Inspect, ListPackets, PanelRequest, Seek, panel
from render.panels.widgets import RED, cell, flows, hint, long_table, paint

WAITING: Final = (0.60, 0.60, 0.65, 1.0)
ANSWERED: Final = (0.35, 0.75, 0.40, 1.0)
SENDERS: Final = ("both", "server", "client")
SHOWN_BYTES: Final = 16
"""Shown bytes of a field."""
MOST_FIELDS: Final = 2000
"""Listed fields of a packet."""
AFTER_S: Final = 1e-5
"""Times of packets are shown in microseconds: this much later it has arrived."""
LIST_SHARE: Final = 0.6
"""Share of the panel's width, beside the fields of the selected packet."""
MIDDLE: Final = 8
"""Middle of a sub-chunk, in blocks from its corner."""


class PacketsView(msgspec.Struct, frozen=True):
    """The last list, without later packets."""

    packets: tuple[PacketRow, ...] = ()  # in order
    requests: tuple[RequestRow, ...] = ()  # with their answers, instead of packets
    range_s: tuple[float, float] = (0.0, 0.0)  # searched range of time
    report: PacketsReport | None = None  # None: no list was requested, or it failed
    running: bool = False  # whether the list is being made
    trouble: str = ""  # why it failed
    fields: tuple[PacketField, ...] = ()  # of the selected packet
    block: BlockPos | None = None  # shown by the inspector
    eye_y: int = 0  # height for going to a column, in blocks
    seekable_from_s: float | None = None  # earliest time that one can seek to; None: seeking is not possible


class PacketsState(msgspec.Struct):
    """The user's selection."""

    types: str = ""  # names or numbers of packets, separated by commas
    text: str = ""  # part of a name, or of a text or number in a packet
    place: str = ""  # X,Y,Z of a block; empty: any place
    sender: int = 0  # of ``SENDERS``
    undecodable: bool = False
    waterfall: bool = False  # requests instead of packets
    seconds: float = 10.0  # before the shown moment
    chosen: int | None = None  # row whose fields are shown


@panel("packets", title="Packets", place=12, dock=Dock.BELOW, state=PacketsState)
def draw(view: PacketsView, state: PacketsState) -> list[PanelRequest]:
    asked = _filters(view, state)
    if view.trouble:
        imgui.text_colored(RED, view.trouble)
    if view.running:
        imgui.text_disabled("reading packets...")
    if view.report is None:
        if not (view.running or view.trouble):
            imgui.text_disabled(
                "press list to read the packets before the moment that is shown; a row leads to its place"
            )
        return asked
    if view.report.requests is not None:
        imgui.text(f"{counted(len(view.requests), 'request')}, {_times(view.range_s)}")
        return asked + _waterfall(view)
    looked_at = f"{view.report.shown:,} of {counted(view.report.packets, 'packet')}, {_times(view.range_s)}"
    if view.report.shown > len(view.packets):
        looked_at += f"; the last {len(view.packets):,} are listed"
    imgui.text(looked_at)
    if view.report.undecodable:
        flows("0 undecodable")
        imgui.text_colored(RED, f"{view.report.undecodable:,} undecodable")
    return asked + _packets(view, state)


def _times(range_s: tuple[float, float]) -> str:
    return f"{range_s[0]:.2f} to {range_s[1]:.2f} s"


def _filters(view: PacketsView, state: PacketsState) -> list[PanelRequest]:
    em, flags = imgui.get_font_size(), imgui.InputTextFlags_.enter_returns_true
    imgui.set_next_item_width(14 * em)
    typed, state.types = imgui.input_text_with_hint("##types", "types: SubChunk, LevelChunk", state.types, flags)
    flows("x", 10)
    imgui.set_next_item_width(10 * em)
    wanted, state.text = imgui.input_text_with_hint("##text", "only with this text", state.text, flags)
    flows("x", 8)
    imgui.set_next_item_width(8 * em)
    placed, state.place = imgui.input_text_with_hint("##place", "about X,Y,Z", state.place, flags)
    hint("only packets about the sub-chunk or column of this block")
    flows("inspected", 1.5)
    imgui.begin_disabled(view.block is None)
    if imgui.button("inspected") and view.block is not None:
        state.place = coordinates(view.block)
    hint("the block that the Inspector shows")
    imgui.end_disabled()
    flows("both", 4)
    imgui.set_next_item_width(5 * em)
    _, state.sender = imgui.combo("##sender", state.sender, list(SENDERS))
    hint("who sent them")
    flows("undecodable", 2.5)
    _, state.undecodable = imgui.checkbox("undecodable", state.undecodable)
    flows("waterfall", 2.5)
    _, state.waterfall = imgui.checkbox("waterfall", state.waterfall)
    hint("sub-chunk requests with the times and result codes of their answers; of the filters only the place counts")
    flows("last seconds", 6)
    imgui.set_next_item_width(5 * em)
    _, state.seconds = imgui.input_float("last seconds", state.seconds, 0.0, 0.0, "%.1f")
    hint("how many seconds before the shown moment the list starts")
    flows("list", 1.5)
    if not (imgui.button("list") or typed or wanted or placed):
        return []
    state.chosen = None
    types = tuple(part.strip() for part in state.types.split(",") if part.strip())
    sender = SENDERS[state.sender] if state.sender else ""
    wanted_ones = types, state.text.strip(), state.place.strip(), sender, state.undecodable, state.waterfall
    return [ListPackets(*wanted_ones, seconds=max(state.seconds, 0.0))]


def _packets(view: PacketsView, state: PacketsState) -> list[PanelRequest]:
    """The list, and the selected packet field by field."""
    asked: list[PanelRequest] = []
    chosen = state.chosen is not None and state.chosen < len(view.packets)
    wide = LIST_SHARE * imgui.get_content_region_avail().x if chosen else 0.0
    columns = {"number": 0.0, "at, s": 0.0, "sender": 0.0, "packet": 0.0, "bytes": 0.0, "says": 1.0, "": 0.0}
    for index in long_table("packets", columns, len(view.packets), wide):
        asked += _packet(index, view.packets[index], view, state)
    if chosen and state.chosen is not None:
        imgui.same_line()
        imgui.begin_child("chosen", (0.0, 0.0))
        _fields(view.packets[state.chosen], view.fields)
        imgui.end_child()
    return asked


def _packet(index: int, row: PacketRow, view: PacketsView, state: PacketsState) -> list[PanelRequest]:
    asked: list[PanelRequest] = []
    imgui.table_next_column()
    spans = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap
    number = "" if row.number is None else f"#{row.number}"
    if imgui.selectable(f"{number}##{index}", index == state.chosen, spans)[0]:
        state.chosen = index
        if isinstance(row.about, SubChunkPos):
            asked.append(Inspect(row.about.origin))
    if row.faults:
        imgui.push_style_color(imgui.Col_.text, RED)
    says = "; ".join(map(str, row.faults)) or row.says
    for text in (f"{row.time_s:.3f}", row.sender, row.name, f"{row.bytes:,}", says):
        imgui.table_next_column()
        cell(text)
    if row.faults:
        imgui.pop_style_color()
    imgui.table_next_column()
    if view.seekable_from_s is not None:
        imgui.begin_disabled(row.time_s < view.seekable_from_s)
        if imgui.small_button(f"moment##{index}"):
            asked.append(Seek(row.time_s + AFTER_S))
        imgui.set_item_tooltip("shows the world right after this packet")
        imgui.end_disabled()
        imgui.same_line()
    imgui.begin_disabled(row.about is None)
    if imgui.small_button(f"place##{index}") and row.about is not None:
        low = row.about.origin if isinstance(row.about, SubChunkPos) else None
        corner = low or BlockPos(16 * row.about[0], view.eye_y - MIDDLE, 16 * row.about[-1])
        asked.append(Go(BlockPos(corner.x + MIDDLE, corner.y + MIDDLE, corner.z + MIDDLE)))
    imgui.set_item_tooltip("goes to the first sub-chunk or column that this packet is about")
    imgui.end_disabled()
    return asked


def _fields(row: PacketRow, fields: tuple[PacketField, ...]) -> None:
    imgui.separator_text(f"{row.name}, {counted(row.bytes, 'byte')}")
    for fault in row.faults:
        imgui.text_colored(RED, str(fault))
    invalid = [fault.offset for fault in row.faults]
    columns = {"offset": 0.0, "field": 1.0, "value": 1.0, "bytes": 1.0}
    for index in long_table("fields", columns, min(len(fields), MOST_FIELDS)):
        field = fields[index]
        size = len(field.hex) // 2
        broken = any(0 <= offset - field.offset < max(size, 1) for offset in invalid)
        if broken:
            imgui.push_style_color(imgui.Col_.text, RED)
        cut = bytes.fromhex(field.hex[: 2 * SHOWN_BYTES]).hex(" ")
        more = f" ... {size - SHOWN_BYTES:,} more" if size > SHOWN_BYTES else ""
        for text in (str(field.offset), field.name or "(not read)", field.value, cut + more):
            imgui.table_next_column()
            cell(text)
        if broken:
            imgui.pop_style_color()
    if len(fields) > MOST_FIELDS:
        imgui.text_disabled(f"and {counted(len(fields) - MOST_FIELDS, 'field')} more")


def _waterfall(view: PacketsView) -> list[PanelRequest]:
    """Requests below each other, each with a bar from its sending to the first answer and from there to the last."""
    asked: list[PanelRequest] = []
    columns = {"at, s": 0.0, "requested": 0.0, "first, last ms": 0.0, "time": 3.0, "answers": 2.0}
    for index in long_table("requests", columns, len(view.requests)):
        row = view.requests[index]
        imgui.table_next_column()
        if imgui.selectable(f"{row.time_s:.3f}##{index}", False, imgui.SelectableFlags_.span_all_columns)[0]:
            asked.append(Inspect(row.centre.origin))
        imgui.set_item_tooltip("inspects the centre of this request")
        times = " ".join("-" if ms is None else f"{ms:.1f}" for ms in (row.first_ms, row.last_ms))
        for text in (f"{row.requested:,}", times):
            imgui.table_next_column()
            cell(text)
        imgui.table_next_column()
        _bar(row, view.range_s)
        imgui.table_next_column()
        cell(row.says)
    return asked


def _bar(row: RequestRow, range_s: tuple[float, float]) -> None:
    left, wide = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    high, lines = imgui.get_text_line_height(), imgui.get_window_draw_list()
    scale = wide / max(range_s[1] - range_s[0], 1e-6)

    def piece(from_s: float, to_s: float, colour: tuple[float, float, float, float]) -> None:
        begin = min(max((from_s - range_s[0]) * scale, 0.0), wide - 1.0)
        end = min(max((to_s - range_s[0]) * scale, begin + 1.0), wide)
        low, top = imgui.ImVec2(left.x + begin, left.y + 0.2 * high), imgui.ImVec2(left.x + end, left.y + 0.8 * high)
        lines.add_rect_filled(low, top, paint(colour))

    if row.first_ms is None or row.last_ms is None:
        piece(row.time_s, range_s[1], RED)
    else:
        piece(row.time_s, row.time_s + row.first_ms / 1e3, WAITING)
        piece(row.time_s + row.first_ms / 1e3, row.time_s + row.last_ms / 1e3, ANSWERED)
    imgui.dummy((wide, high))
