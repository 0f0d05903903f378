"""Finds blocks or block entities by name or state in the loaded world: counts and places; a click leads there."""

from typing import Final

import msgspec
from imgui_bundle import imgui

from client.connection.opening import counted
from client.report.find import FoundBlocks
from net.space import BlockPos, coordinates
from render.panels.panel import Dock, Find, Go, Inspect, PanelRequest, panel
from render.panels.widgets import RED

MOST_ROWS: Final = 200
"""Listed sub-chunks, and blocks."""


class FindView(msgspec.Struct, frozen=True):
    """The result of the last search, without later changes."""

    name: str = ""  # of the search
    found: FoundBlocks | None = None  # None: no search, or it failed
    trouble: str = ""  # why it failed
    seconds: float = 0.0  # duration of the search


class FindState(msgspec.Struct):
    """The text typed by the user."""

    name: str = ""
    entities: bool = False


@panel("find", title="Find", place=11, dock=Dock.BELOW, state=FindState)
def draw(view: FindView, state: FindState) -> list[PanelRequest]:
    asked: list[PanelRequest] = []
    hint, flags = "diamond_ore, stone[stone_type=granite]", imgui.InputTextFlags_.enter_returns_true
    entered, state.name = imgui.input_text_with_hint("##name", hint, state.name, flags)
    imgui.same_line()
    _, state.entities = imgui.checkbox("block entities", state.entities)
    imgui.same_line()
    if (imgui.button("find") or entered) and state.name.strip():
        asked.append(Find(state.name.strip(), state.entities))
    imgui.same_line()
    if imgui.button("clear"):
        asked.append(Find(""))
    if view.trouble:
        imgui.text_colored(RED, view.trouble)
    elif view.found is None:
        imgui.text_disabled("searches the loaded sub-chunks and marks each hit; click a place to go there")
    return asked if view.found is None else asked + _listed(view, view.found)


def _listed(view: FindView, found: FoundBlocks) -> list[PanelRequest]:
    said = f"no {view.name} in the loaded sub-chunks"
    if found.count:
        said = f"{found.count:,} {view.name} in {counted(len(found.subchunks), 'sub-chunk')}"
    imgui.text(f"{said} ({1e3 * view.seconds:.0f} ms)")
    for state in found.states[:MOST_ROWS]:
        imgui.bullet_text(f"{state.count:,} {state.name}")
    asked: list[PanelRequest] = []
    if found.subchunks and imgui.tree_node("sub-chunks"):
        most = sorted(found.subchunks, key=lambda each: -each.count)[:MOST_ROWS]
        for each in most:
            if imgui.selectable(f"{coordinates(each.at)}: {each.count:,}", False)[0]:
                asked += [Go(_middle(each.at.origin))]
        imgui.tree_pop()
    if found.blocks and imgui.tree_node_ex("blocks", imgui.TreeNodeFlags_.default_open):
        for block in found.blocks[:MOST_ROWS]:
            if imgui.selectable(coordinates(block), False)[0]:
                asked += [Inspect(block), Go(block)]
        imgui.tree_pop()
    return asked


def _middle(origin: BlockPos) -> BlockPos:
    return BlockPos(origin.x + 8, origin.y + 8, origin.z + 8)
