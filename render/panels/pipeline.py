"""Overview: sub-chunks by state, requests in flight, queues, rates, bytes by pool."""

from typing import Final

import msgspec
from imgui_bundle import imgui

from client.connection.opening import counted
from client.connection.stats import Statistics
from client.world.lifecycle import SubChunkState
from client.world.slots import PoolBytes
from render.panels.panel import Dock, PanelRequest, panel, rate, size
from render.panels.widgets import hint, rows
from render.passes.overlay.boxes import STYLES
from render.scene.scene import SceneStats

BARS_EM: Final = 20.0
"""Width of a panel that has room for bars beside names and numbers, in heights of the font."""
MEANS: Final = {
    "requested": "sub-chunk requests, repeated ones included",
    "answered": "answers, and how many arrived in the last second",
    "refused": "answers without blocks: final, or to be requested again after a while",
    "timed out": "requests without an answer in time; they are repeated",
    "unsolicited": "answers without a request; their blocks are shown anyway",
    "round trip": "time to the server and back, measured by the last ping",
    "columns to light": "columns that wait for their light",
    "cells to mesh": "render cells (16 x 32 x 16 blocks) that wait for their mesh",
    "meshes to upload": "meshes that wait for their upload",
    "sub-chunks to upload": "sub-chunks whose blocks and light wait to be copied to the GPU",
    "borders to light": "borders between sub-chunks across which light must still spread",
    "provisional light": "sub-chunk sides whose neighbour is missing: their light may change",
    "cells shown, drawn": "render cells with a mesh, and those drawn in the last frame",
    "meshes made, dropped": "dropped: the blocks changed meanwhile",
    "failures": "failed jobs; see the log",
}
"""Meaning of labels."""
POOLS_MEAN: Final = "committed: reserved from the system; used: in use now; peak: the maximum of used"


class PipelineView(msgspec.Struct, frozen=True):
    """The content of one frame."""

    known: Statistics  # of the connection
    scene: SceneStats  # of the renderer
    left: tuple[tuple[str, int], ...]  # the scene's pending work, by name
    bytes_in_s: float  # received bytes a second
    bytes_out_s: float  # sent bytes a second
    asked_s: float  # places requested a second
    answers_s: float  # places answered a second


@panel("pipeline", title="Pipeline", place=1, dock=Dock.RIGHT, opened=True)
def draw(view: PipelineView, _state: object = None) -> list[PanelRequest]:
    if view.known.session.join_fault:
        imgui.push_style_color(imgui.Col_.text, (*STYLES[SubChunkState.REFUSED].colour, 1.0))
        imgui.text_wrapped(f"join: {view.known.session.join_fault}")
        imgui.pop_style_color()
    states(view)
    requests(view)
    queues(view)
    memory(view)
    return []


def states(view: PipelineView) -> None:
    counts = view.known.session.states
    whole = max(sum(counts.values()), 1)
    imgui.separator_text(f"sub-chunks of {view.known.session.columns:,} columns: {sum(counts.values()):,}")
    has_bars = imgui.get_content_region_avail().x >= BARS_EM * imgui.get_font_size()
    if not imgui.begin_table("states", 3 if has_bars else 2):
        return
    imgui.table_setup_column("state", imgui.TableColumnFlags_.width_fixed)
    imgui.table_setup_column("number", imgui.TableColumnFlags_.width_fixed)
    if has_bars:
        imgui.table_setup_column("share", imgui.TableColumnFlags_.width_stretch)
    for state in SubChunkState:
        number = counts.get(state.name.lower(), 0)
        style = STYLES.get(state)
        if not number or style is None:
            continue
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        imgui.text_colored((*style.colour, 1.0), style.label)
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        number_at_right(f"{number:,}", f"{whole:,}")
        if has_bars:
            imgui.table_next_column()
            imgui.push_style_color(imgui.Col_.plot_histogram, imgui.ImVec4(*style.colour, 1.0))
            imgui.progress_bar(number / whole, (-1.0, 0.0))
            imgui.pop_style_color()
    imgui.end_table()


def number_at_right(text: str, widest: str = "") -> None:
    """A number, right-aligned in its column; ``widest``: the widest number of the column."""
    wide = imgui.calc_text_size(widest).x if widest else imgui.get_content_region_avail().x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(wide - imgui.calc_text_size(text).x, 0.0))
    imgui.text(text)


def requests(view: PipelineView) -> None:
    session, peer = view.known.session, view.known.peer
    ledger = session.ledger
    imgui.separator_text("requests")
    under_way = f"{ledger.outstanding:,} open, at most {ledger.window:,} at a time"
    imgui.progress_bar(ledger.outstanding / max(ledger.window, 1), (-1.0, 0.0), under_way)
    hint("requests that wait for an answer; the maximum adapts to the connection")
    rtt = "unknown" if peer.rtt_s is None else f"{1e3 * peer.rtt_s:.0f} ms"
    rows(
        "requests rows",
        (
            ("requested", f"{ledger.asked:,} in {counted(session.requests.packets, 'packet')}, {view.asked_s:.0f}/s"),
            ("answered", f"{ledger.settled + ledger.failed:,}, {view.answers_s:.0f}/s"),
            ("refused", refusals(ledger.failed, ledger.closed, ledger.waiting)),
            ("timed out", f"{ledger.timed_out:,}"),
            ("unsolicited", f"{ledger.unasked:,}"),
            ("round trip", rtt),
            ("in", f"{rate(view.bytes_in_s)}, {size(peer.bytes_in)} in all"),
            ("out", f"{rate(view.bytes_out_s)}, {size(peer.bytes_out)} in all"),
        ),
        MEANS,
    )


def refusals(failed: int, closed: int, waiting: int) -> str:
    """How many answers were refusals, and the state of those places; empty if there were none."""
    return f"{failed:,}; final {closed:,}, to be repeated {waiting:,}" if failed else f"{failed:,}"


def queues(view: PipelineView) -> None:
    scene = view.scene
    imgui.separator_text("queues")
    left = [(part, f"{number:,}") for part, number in view.left]
    rows(
        "queues",
        (
            *left,
            ("cells shown, drawn", f"{scene.cells_shown:,}, {scene.cells_drawn:,}"),
            ("meshes made, dropped", f"{scene.meshes_made:,}, {scene.meshes_dropped:,}"),
            ("failures", f"{scene.failures:,}"),
        ),
        MEANS,
    )


def memory(view: PipelineView) -> None:
    """Bytes by pool, the largest first."""
    pools = sorted(view.known.memory, key=lambda pool: -pool.committed)
    imgui.separator_text(f"memory: {size(sum(pool.committed for pool in pools))}, GPU {size(view.scene.gpu_bytes)}")
    hint(POOLS_MEAN)
    if not imgui.begin_table("memory", 4, imgui.TableFlags_.row_bg):
        return
    for heading in ("pool", "committed", "used", "peak"):
        imgui.table_setup_column(heading)
    imgui.table_headers_row()
    for pool in pools:
        _pool(pool)
    imgui.end_table()


def _pool(pool: PoolBytes) -> None:
    imgui.table_next_column()
    imgui.text(pool.name)
    for text in (size(pool.committed), size(pool.used), size(pool.peak)):
        imgui.table_next_column()
        number_at_right(text)
