"""Entities by type, a server's errors about them, and each one with its metadata; a click leads there."""

from typing import Any, Final

import msgspec
from imgui_bundle import imgui

from client.entities.table import EntityRow
from client.report.entities import EntityReport
from net.space import BlockPos, coordinates
from render.panels.panel import Dock, Go, PanelRequest, panel
from render.panels.widgets import GREEN, RED, cell, long_table

COLUMNS: Final = {"entity": 1.5, "position": 1.3, "last packet": 1.0, "unique id": 1.0, "runtime id": 1.0}
LIST_SHARE: Final = 0.6
"""Share of the panel's width, beside the metadata of the selected entity."""


class EntitiesState(msgspec.Struct):
    """The user's selection."""

    chosen: int | None = None  # number of the entity whose metadata is shown


@panel("entities", title="Entities", place=10, dock=Dock.BELOW, state=EntitiesState)
def draw(report: EntityReport, state: EntitiesState) -> list[PanelRequest]:
    if not report.added:
        imgui.text_disabled("the server has sent no entities")
        return []
    imgui.text_wrapped(f"{report.count:,} here: {report.type_counts()}")
    imgui.text_disabled(
        f"so far {report.added:,} added, {report.removed:,} removed by the server, "
        f"{report.went:,} gone with their column, {report.moves:,} moves"
    )
    _findings(report)
    if report.more:
        imgui.text_disabled(f"only {len(report.entities):,} are listed")
    chosen = next((row for row in report.entities if row.number == state.chosen), None)
    wide = 0.0 if chosen is None else LIST_SHARE * imgui.get_content_region_avail().x
    asked: list[PanelRequest] = []
    for index in long_table("entities", COLUMNS, len(report.entities), wide):
        asked += _row(report.entities[index], state)
    if chosen is not None:
        imgui.same_line()
        imgui.begin_child("chosen", (0.0, 0.0))
        _details(chosen)
        imgui.end_child()
    return asked


def _findings(report: EntityReport) -> None:
    if not report.findings:
        imgui.text_colored(GREEN, "no problems found")
    for finding in report.findings:
        imgui.text_colored(RED, f"{finding.kind}: {finding.count:,}")
        imgui.text_wrapped(finding.text)
        for one in finding.last:
            imgui.bullet_text(one)


def _row(row: EntityRow, state: EntitiesState) -> list[PanelRequest]:
    imgui.table_next_column()
    spans = imgui.SelectableFlags_.span_all_columns
    clicked, _ = imgui.selectable(f"{row.title}##{row.number}", row.number == state.chosen, spans)
    for text in (coordinates(row.at, 1), f"{row.age_s:.1f} s ago", str(row.unique_id), str(row.runtime_id)):
        imgui.table_next_column()
        cell(text)
    if not clicked:
        return []
    state.chosen = row.number
    return [Go(BlockPos.containing(*row.at))]


def _details(row: EntityRow) -> None:
    imgui.separator_text(row.title)
    known = "" if row.size_known else " (assumed: the server sent none)"
    pitch, yaw, head = row.angles
    lines = {
        "number in arrays": str(row.number),
        "size": f"{row.size[0]:g} wide, {row.size[1]:g} high{known}",
        "looks": f"pitch {pitch:.0f}, yaw {yaw:.0f}, head {head:.0f} degrees",
        "velocity": f"{coordinates(row.velocity, 1)} blocks a tick",
        "came": f"{row.added_s:.3f} s; last packet {row.packet}",
    }
    lines |= {"block": row.block} if row.block else {}
    lines |= {"painting": row.painting} if row.painting else {}
    lines |= {"rides": f"unique id {row.rides}"} if row.rides else {}
    for label, text in lines.items():
        imgui.text_wrapped(f"{label}: {text}")
    for name, value in row.metadata.items():
        imgui.text_wrapped(f"{name}: {_shown(value)}")


def _shown(value: Any) -> str:  # Any: what metadata holds
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
