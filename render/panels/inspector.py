"""One block and the whole state of its sub-chunk: layers, light, biome, block entity, history with times and packets.

It shows the same as ``chunkscope why``; both are copied as the same JSON.
"""

import json
from collections.abc import Iterable, Mapping, Sized
from typing import Any, Final

import msgspec
from imgui_bundle import imgui

from client.report.why_facts import WhyFacts
from client.report.why_text import (
    event_words,
    format_biome,
    format_block,
    format_change,
    format_heights,
    format_missing_light,
    format_request,
    format_state,
    further_layers,
    verdict,
)
from client.source import one_line
from net.space import BlockPos, coordinates
from render.panels.panel import Copy, Dock, Go, PanelRequest, ago, legible, panel
from render.panels.widgets import flows, label_px, rows

FIELDS_EM: Final = 12.0
"""Width of a position's field, in heights of the font."""
ABOUT: Final = {
    "second layer": "the second block in the same place, usually the water around the first",
    "runtime id": "the number that the server sends for this block",
    "sub-chunk": "16 x 16 x 16 blocks, numbered in sub-chunks; the revision grows with each visible change",
    "state": "the state of the sub-chunk (overlay `states`)",
    "refusal": "reason of the server's last refusal",
    "picture": "how much of it is drawn; a render cell is 16 x 32 x 16 blocks",
    "block states": "the kinds of blocks in the sub-chunk, the most frequent first",
    "of 2nd layer": "the same for the second layer",
    "limit": "the highest sub-chunk that can be requested, counted from the floor; all above is air",
    "height map": "whether the height map of the sub-chunk agrees with its blocks",
    "request": "whether and how often it was requested",
}
"""Meaning of labels."""
CHANNELS: Final = (
    ("red", (0.95, 0.35, 0.30)),
    ("green", (0.40, 0.85, 0.40)),
    ("blue", (0.45, 0.60, 1.00)),
    ("daylight", (0.95, 0.90, 0.60)),
)


class InspectorState(msgspec.Struct):
    """The user's selection."""

    held: BlockPos | None = None  # the inspected block; None: the one under the crosshair
    typed: list[int] = msgspec.field(default_factory=lambda: [0, 64, 0])  # content of the position's field


Levels = tuple[int, int, int, int]
"""Light levels, 0..15: red, green, blue, daylight."""


class InspectorView(msgspec.Struct, frozen=True):
    """The content of one frame."""

    facts: WhyFacts | None  # of the block; None if none is in reach
    now_s: float = 0.0  # of the session, in seconds
    before: BlockPos | None = None  # the block before the visible face; for a held block the one above it
    light_before: Levels | None = None  # there; None outside of the world. A solid block has none in itself.
    nothing: str = "No block under the crosshair is within reach."  # why there are no facts, a sentence
    around: str = ""  # why the eye's own sub-chunk is missing, a sentence; empty if it is not


@panel("inspector", title="Inspector", place=2, dock=Dock.RIGHT, opened=True, state=InspectorState)
def draw(view: InspectorView, state: InspectorState) -> list[PanelRequest]:
    facts = view.facts
    choose(facts, state)
    if facts is None:
        imgui.text_wrapped(view.nothing)
        return []
    requests: list[PanelRequest] = []
    if imgui.button("copy JSON"):
        requests.append(Copy(as_json(facts)))
    imgui.set_item_tooltip("the facts about the block, as in `chunkscope why --json`")
    flows("go there")
    if imgui.button("go there"):
        requests.append(Go(facts.block))
    imgui.text_wrapped(verdict(facts))
    if view.around:
        imgui.text_wrapped(f"The eye is in a missing sub-chunk: {view.around}")
    about(facts, view.now_s)
    lights(view, facts, state.held is not None)
    if facts.block_facts is not None and facts.block_facts.entity is not None:
        imgui.separator_text("block entity: what the server attached to the block")
        tree("tags", facts.block_facts.entity)
    if facts.standing:
        imgui.separator_text("entities in the sub-chunk (panel Entities has more)")
        for row in facts.standing:
            imgui.bullet_text(f"{row.title}, {row.age_s:.1f} s since its last packet")
    history(facts)
    return requests


def choose(facts: WhyFacts | None, state: InspectorState) -> None:
    """Holds a block, or selects one by its position."""
    changed, held = imgui.checkbox("hold", state.held is not None)
    if changed:
        state.held = facts.block if held and facts is not None else None
    flows("", FIELDS_EM)
    if state.held is not None:  # the map or the event list may have set it
        state.typed = [*state.held]
    elif facts is not None:
        state.typed = [*facts.block]
    imgui.set_next_item_width(-1.0)
    changed, typed = imgui.input_int3("##position", state.typed)
    if changed:
        state.typed = list(typed)
        state.held = BlockPos(*typed)


def about(facts: WhyFacts, now_s: float) -> None:
    block, column, request = facts.block_facts, facts.column, facts.request
    listed = [
        ("block", "unknown: a placeholder is shown" if block is None else format_block(block.name, block.states)),
        (
            "second layer",
            "" if block is None else format_block(block.layer1_name, block.layer1_states),
        ),
        ("further layers", "" if block is None else further_layers(block.further)),
        ("runtime id", "" if block is None or block.runtime_id is None else str(block.runtime_id)),
        ("changed", "") if block is None or not block.changes else format_change(block.changes[-1]),
        ("sub-chunk", f"{coordinates(facts.subchunk)}, {facts.dimension}, revision {facts.revision}"),
        ("state", format_state(facts) + _since(facts.since_s, now_s)),
        ("refusal", "" if facts.code is None else f"{facts.code[0]}, {facts.code[1]}"),
        ("fault", one_line(facts.fault or "; ".join(facts.faults))),
        ("picture", "" if facts.outlook is None else facts.outlook.told),
        ("block states", _palette(facts.states)),
        ("of 2nd layer", _palette(facts.layer1_states) if facts.layer1_states[0] > 1 else ""),
    ]
    if column is None:
        listed.append(("column", "not announced: biome, limit, height map and light are unknown"))
    else:
        limit = "none" if column.limit is None else f"{column.limit} (sub-chunk y {column.limit_section})"
        listed += [
            (
                "biome",
                "never sent" if column.biome is None else _biome(column.biome, column.biome_name, column.biomes),
            ),
            ("limit", "sent whole" if column.whole else limit),
            ("height map", format_heights(facts)),
            ("out of date", "the server sends no updates of it" if column.stale else ""),
        ]
    listed.append(("request", format_request(request) if request is not None else "never requested"))
    if block is not None and block.entity is None:
        listed.append(("block entity", f"none; {facts.entities} in its column"))
    rows("about", [(label, text) for label, text in listed if text], ABOUT)


def lights(view: InspectorView, facts: WhyFacts, is_held: bool) -> None:
    """Four bars: light before the visible face, as in the picture, and below them the block's own if it has any.

    For a held block: its own light; for one that lets no light in, that above it.
    """
    light = facts.light
    if light is None:
        return
    own = light.red, light.green, light.blue, light.daylight
    levels, title = own, "light in the block"
    beside = view.light_before if view.before != facts.block else None
    if beside is not None and (not is_held or not any(own)):
        levels, title = beside, "light above it" if is_held else "light at the face that is seen"
    imgui.separator_text(f"{title}, 0 to 15" if light.final else f"{title}, 0 to 15, not final yet")
    if not light.final:
        imgui.text_wrapped(f"It waits: {format_missing_light(facts)}.")
    for (name, colour), level in zip(CHANNELS, levels, strict=True):
        imgui.push_style_color(imgui.Col_.plot_histogram, imgui.ImVec4(*colour, 1.0))
        imgui.align_text_to_frame_padding()
        imgui.text_disabled(f"{name} {level}")
        imgui.same_line(label_px())
        imgui.progress_bar(level / 15, (-1.0, 0.0), "")
        imgui.pop_style_color()
    if levels is not own and any(own):
        told = ", ".join(f"{name} {level}" for (name, _), level in zip(CHANNELS, own, strict=True))
        imgui.text_wrapped(f"in the block itself: {told}")


def tree(name: str, value: Any) -> None:  # Any: NBT
    """A value with children as a branch, others as a leaf."""
    children: Iterable[tuple[str, Any]] | None = None
    if isinstance(value, Mapping) and value:
        children = value.items()
    elif isinstance(value, list | tuple) and value and isinstance(value[0], Mapping | list | tuple):
        children = ((str(index), each) for index, each in enumerate(value))
    if children is None:
        shown = "empty" if isinstance(value, Sized) and not value else one_line(legible(str(value)))
        imgui.bullet_text(f"{legible(name)}: {shown}")
        return
    if imgui.tree_node_ex(legible(name), imgui.TreeNodeFlags_.default_open):
        for child, each in children:
            tree(child, each)
        imgui.tree_pop()


def history(facts: WhyFacts) -> None:
    lost = f", {facts.history_lost} older events discarded" if facts.history_lost else ""
    imgui.separator_text(f"history of the sub-chunk{lost}")
    if not facts.history:
        imgui.text_disabled("No events yet.")
        return
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_fixed_fit
    if not imgui.begin_table("history", 4, flags):
        return
    for heading in ("at, s", "packet"):
        imgui.table_setup_column(heading)
    for heading in ("what", "state"):  # share the rest of the width, and are wrapped: in a narrow panel they were cut
        imgui.table_setup_column(heading, imgui.TableColumnFlags_.width_stretch)
    imgui.table_headers_row()
    for event in reversed(facts.history):
        code = "" if event.code is None else f" {event.code} {event.code_name}"
        times = f" x{event.times}" if event.times > 1 else ""
        packet = "client" if event.packet is None else f"{event.packet} {event.packet_name or ''}"
        after = event.after if event.before == event.after else f"{event.before} > {event.after}"
        for text, listed in (
            (f"{event.at_s:.3f}", imgui.text),
            (packet, imgui.text),
            (f"{event_words(event)}{code}{times}", imgui.text_wrapped),
            (after, imgui.text_wrapped),
        ):
            imgui.table_next_column()
            listed(text.replace("_", " "))
    imgui.end_table()


def as_json(facts: WhyFacts) -> str:
    told = json.dumps({"sentence": verdict(facts), "facts": facts}, indent=2, ensure_ascii=False, default=_plain)
    return legible(told)


def _plain(value: Any) -> Any:  # Any: whatever JSON holds
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    return list(value) if hasattr(value, "__iter__") else str(value)


def _since(since_s: float | None, now_s: float) -> str:
    if since_s is None:
        return ""
    return f" since {since_s:.2f} s" + (f", {ago(now_s - since_s)}" if now_s > since_s else "")


def _biome(number: int, name: str | None, kinds: int) -> str:
    return format_biome(number, name) + (f", one of {kinds} in the sub-chunk" if kinds > 1 else "")


def _palette(states: tuple[int, tuple[tuple[str, int], ...]]) -> str:
    number, named = states
    if number < 2:
        return ""
    first = ", ".join(f"{count:,} {name.removeprefix('minecraft:')}" for name, count in named[:3])
    return f"{number} block states: {first}" + (", ..." if number > 3 else "")
