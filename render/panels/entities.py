"""Entities by type, a server's errors about them, and each one with its metadata; a click leads there."""

from typing import Any, Final

import msgspec
from imgui_bundle import imgui

from client.report.entities import EntityReport, EntityRow
from net.space import BlockPos
from render.panels.panel import Dock, Go, PanelRequest, panel

RED, GREEN = (1.0, 0.35, 0.30, 1.0), (0.40, 0.85, 0.50, 1.0)
COLUMNS: Final = ("entity", "position", "last packet", "unique id", "runtime id")


class EntitiesView(msgspec.Struct, frozen=True):
    """The content of one frame."""

    report: EntityReport


class EntitiesState(msgspec.Struct):
    """The user's selection."""

    chosen: int | None = None  # number of the entity whose metadata is shown


@panel("entities", title="Entities", place=10, dock=Dock.BELOW, state=EntitiesState)
def draw(view: EntitiesView, state: EntitiesState) -> list[PanelRequest]:
    report = view.report
    if not report.added:
        imgui.text_disabled("the server has sent no entities")
        return []
    types = ", ".join(f"{number:,} {_short(name)}" for name, number in report.types.items())
    imgui.text_wrapped(f"{report.count:,} here: {types or 'none'}")
    imgui.text_disabled(
        f"so far {report.added:,} added, {report.removed:,} removed by the server, "
        f"{report.went:,} gone with their column, {report.moves:,} moves"
    )
    _findings(report)
    asked = _table(report, state)
    if report.more:
        imgui.text_disabled(f"and {report.more:,} more")
    _details(next((row for row in report.entities if row.number == state.chosen), None))
    return asked


def _findings(report: EntityReport) -> None:
    if not report.findings:
        imgui.text_colored(imgui.ImVec4(*GREEN), "no problems found")
    for finding in report.findings:
        imgui.text_colored(imgui.ImVec4(*RED), f"{finding.kind}: {finding.count:,}")
        imgui.text_wrapped(finding.text)
        for one in finding.last:
            imgui.bullet_text(one)


def _table(report: EntityReport, state: EntitiesState) -> list[PanelRequest]:
    """The table of entities; returns requests."""
    asked: list[PanelRequest] = []
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.borders_inner_v | imgui.TableFlags_.resizable
    if not report.entities or not imgui.begin_table("entities", len(COLUMNS), flags):
        return asked
    for title in COLUMNS:
        imgui.table_setup_column(title)
    imgui.table_headers_row()
    for row in report.entities:
        imgui.table_next_row()
        imgui.table_next_column()
        spans = imgui.SelectableFlags_.span_all_columns
        if imgui.selectable(f"{row.title}##{row.number}", row.number == state.chosen, spans)[0]:
            state.chosen = row.number
            asked.append(Go(BlockPos.containing(*row.at)))
        for text in (_place(row.at), f"{row.age_s:.1f} s ago", str(row.unique_id), str(row.runtime_id)):
            imgui.table_next_column()
            imgui.text_unformatted(text)
    imgui.end_table()
    return asked


def _details(row: EntityRow | None) -> None:
    if row is None:
        return
    imgui.separator_text(row.title)
    known = "" if row.size_known else " (assumed: the server sent none)"
    pitch, yaw, head = row.angles
    lines = {
        "number in arrays": str(row.number),
        "size": f"{row.size[0]:g} wide, {row.size[1]:g} high{known}",
        "looks": f"pitch {pitch:.0f}, yaw {yaw:.0f}, head {head:.0f} degrees",
        "velocity": f"{_place(row.velocity)} blocks a tick",
        "came": f"{row.added_s:.3f} s; last packet {row.packet}",
    }
    lines |= {"block": row.block} if row.block else {}
    lines |= {"painting": row.painting} if row.painting else {}
    lines |= {"rides": f"unique id {row.rides}"} if row.rides else {}
    for label, text in lines.items():
        imgui.text_wrapped(f"{label}: {text}")
    for name, value in row.metadata.items():
        imgui.text_wrapped(f"{name}: {_shown(value)}")


def _short(name: str) -> str:
    return name.removeprefix("minecraft:")


def _place(at: tuple[float, float, float]) -> str:
    return " ".join(f"{value:.1f}" for value in at)


def _shown(value: Any) -> str:  # Any: what metadata holds
    return ", ".join(f"{part:g}" for part in value) if isinstance(value, tuple) else str(value)
