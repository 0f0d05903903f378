"""The HUD: what is known, why the rest is missing, and what it costs, in a few lines.

Plain text made of snapshots, so a test reads it without a window; ``render.panels.hud_card`` draws it.
"""

from collections.abc import Mapping
from typing import Final

from client.connection.stats import Statistics
from client.player import View
from client.session.stats import SessionStats
from client.source import one_line
from client.world.lifecycle import SubChunkState
from render.panels.panel import rate, size
from render.passes.overlay.boxes import STYLES
from render.scene import SceneStats
from render.viewer.frame_times import Pace

STATE_ORDER: Final = (
    SubChunkState.DATA,
    SubChunkState.ALL_AIR,
    SubChunkState.KNOWN_AIR,
    SubChunkState.WANTED,
    SubChunkState.REQUESTED,
    SubChunkState.REFUSED,
    SubChunkState.UNDECODABLE,
    SubChunkState.RESET,
    SubChunkState.EVICTED,
    SubChunkState.UNKNOWN,
)
"""What there is, then what is missing, then why."""
WELL: Final = 6
"""Lines of ``hud_lines`` where nothing is wrong; what is follows them."""


def hud_lines(world: Statistics, scene: SceneStats, pace: Pace, view: View, unsent: int = 0) -> list[str]:
    """The HUD's text, one entry a line; ``unsent`` columns were never sent though others around them were."""
    session = world.session
    eye, player = view.eye, session.player
    lines = [
        f"{session.world_name or world.source} · {world.source} · {_clock(session.time)}",
        f"frame {pace.frame_ms:.1f} ms (work {pace.work_ms:.1f}, worst {pace.worst_ms:.0f}) · "
        f"in {rate(pace.bytes_in_s)} out {rate(pace.bytes_out_s)} · "
        f"total {size(world.peer.bytes_in)} in, {size(world.peer.bytes_out)} out",
        f"eye {eye.x:.1f} {eye.y:.1f} {eye.z:.1f} · yaw {view.yaw_deg:.0f} pitch {view.pitch_deg:.0f} · "
        f"player {player[0]:.0f} {player[1]:.0f} {player[2]:.0f}",
        "all sub-chunks: " + " · ".join(_counts(session.states)),
        f"columns {_columns(session, unsent)} · asked {session.requests.entries} in "
        f"{session.requests.packets} packets · outstanding {session.ledger.outstanding}",
        f"cells shown {scene.cells_shown}, drawn {scene.cells_drawn} · quads {scene.quads_drawn} · "
        f"GPU {size(scene.gpu_bytes)} · {'GPU' if scene.gpu_light else 'CPU'} lighting",
    ]
    if scene.failed is not None:
        lines.append(f"{scene.failures} failed, shown as they were: {one_line(scene.failed)}")
    if scene.mirror.light.left_out:
        lines.append(f"no room on the GPU for the light of {scene.mirror.light.left_out} sub-chunks: holes around them")
    if session.held_at:
        x, y, z = session.held_at
        lines.append(f"server holds you at {x:.1f} {y:.1f} {z:.1f}")
    join = [one_line(f"join: {session.join_fault}")] if session.join_fault else []
    return [*lines, *join, *map(one_line, session.warnings)]


def short_hud_lines(world: Statistics, scene: SceneStats, pace: Pace, view: View, unsent: int = 0) -> list[str]:
    """The same for a window that is small: where one is, what there is and what is missing, and all that is wrong."""
    told = hud_lines(world, scene, pace, view, unsent)
    session, eye = world.session, view.eye
    waits = f" · outstanding {session.ledger.outstanding}" if session.ledger.outstanding else ""
    waits += f" · columns never sent {unsent}" if unsent else ""
    return [
        f"{world.source} · {_clock(session.time)} · frame {pace.frame_ms:.0f} ms · in {rate(pace.bytes_in_s)}",
        f"eye {eye.x:.1f} {eye.y:.1f} {eye.z:.1f} · yaw {view.yaw_deg:.0f} pitch {view.pitch_deg:.0f}",
        " · ".join(_counts(session.states)) + waits,
        *told[WELL:],
    ]


def _columns(session: SessionStats, unsent: int) -> str:
    """How many there are, how many of them the server does not keep up to date or never sent, and what is pinned."""
    counts = (session.terrain.stale_columns, "stale"), (unsent, "never sent")
    odd = ", ".join(f"{count} {what}" for count, what in counts if count)
    pinned = f" · {session.pins} pinned" if session.pins else ""
    return f"{session.columns} ({odd}){pinned}" if odd else f"{session.columns}{pinned}"


def _counts(states: Mapping[str, int]) -> list[str]:
    """Counts by state under the legend's names, in the order of ``STATE_ORDER``; empty states are left out."""
    counts = [(STYLES[state].label, states.get(state.name.lower(), 0)) for state in STATE_ORDER]
    return [f"{label} {count}" for label, count in counts if count] or ["none announced yet"]


def _clock(ticks: int) -> str:
    """Time of day: 0 is six o'clock in the morning, 6000 noon."""
    minutes = (ticks % 24000 * 60 // 1000 + 360) % 1440
    return f"{minutes // 60:02}:{minutes % 60:02}"
