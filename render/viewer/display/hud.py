"""The HUD: where one is, what is missing, how fast frames come; then what is wrong, and on demand all other numbers.

Plain text made of snapshots, so a test reads it without a window; ``render.panels.hud_card`` draws it. A tab leads to
the next column of ``COLUMNS_EM``; what stands in the last one that a line uses may be as long as it likes.
"""

from collections.abc import Mapping
from typing import Final

from client.connection.stats import Statistics
from client.player import View
from client.session.session import Session
from client.session.stats import SessionStats
from client.session.weather import name_of
from client.source import one_line
from client.world.lifecycle import SubChunkState
from net.space import UNKNOWN_BIOME, BlockPos
from render.panels.panel import rate, size
from render.passes.overlay.boxes import STYLES, UNSENT
from render.scene import SceneStats
from render.view_line import dimension_name
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
MISSING: Final = STATE_ORDER[3:9]
"""What the HUD calls missing: all that was asked for, or should be, and is not there as it is now."""
COMPASS: Final = ("south (+Z)", "west (-X)", "north (-Z)", "east (+X)")
"""By quarters of a turn from yaw 0."""


def hud_lines(
    world: Statistics, scene: SceneStats, pace: Pace, view: View, unsent: int = 0, biome: str = ""
) -> list[str]:
    """Three lines, and one for each thing that is wrong; ``unsent`` columns were left out among others."""
    session, eye = world.session, view.eye
    column, block = eye.column, eye.block
    where = (
        f"{eye.x:.1f} {eye.y:.1f} {eye.z:.1f}",
        f"chunk {column.x} {column.z} ({block.x & 15} {block.z & 15} in it)",
        facing(view.yaw_deg),
        dimension_name(session.dimension),
        biome,
    )
    frame = (
        f"{1e3 / pace.frame_ms:.0f} fps" if pace.frame_ms > 0 else "- fps",
        f"{pace.frame_ms:.1f} ms, worst {pace.worst_ms:.0f} ms",
        named(session.world_name, world.source),
    )
    lines = ["\t".join(("where", *where)), f"missing\t{missing(session, unsent)}", "\t".join(("frame", *frame))]
    return lines + [f"problem\t{one_line(words)}" for words in problems(session, scene)]


def more_lines(world: Statistics, scene: SceneStats, pace: Pace, view: View, unsent: int = 0) -> list[str]:
    """What stands below that once more is asked for."""
    session = world.session
    x, y, z = session.player
    return [
        f"view\tyaw {view.yaw_deg:.0f} pitch {view.pitch_deg:.0f} · player {x:.0f} {y:.0f} {z:.0f} · "
        f"time of day {_clock(session.time)}",
        f"network\tin {rate(pace.bytes_in_s)}, out {rate(pace.bytes_out_s)} · "
        f"total {size(world.peer.bytes_in)} in, {size(world.peer.bytes_out)} out",
        "sub-chunks\t" + " · ".join(_counts(session.states)),
        f"columns\t{_columns(session, unsent)} · requested {session.requests.entries} sub-chunks in "
        f"{session.requests.packets} packets · {session.ledger.outstanding} open",
        f"drawn\t{scene.cells_drawn} of {scene.cells_shown} render cells · {scene.quads_drawn} quads · "
        f"GPU memory {size(scene.gpu_bytes)} · {pace.work_ms:.1f} ms of work per frame · "
        f"{'GPU' if scene.gpu_light else 'CPU'} lighting",
    ]


def biome_at(session: Session, block: BlockPos) -> str:
    """The name of the biome of a block; its number where nobody named it, nothing where nobody said."""
    store = session.dimension.store
    if not store.dimension.holds_section(block.subchunk.y):
        return ""
    biome = int(store.biomes_of(block.subchunk)[block.in_subchunk])
    if biome == UNKNOWN_BIOME:
        return ""
    return one_line(name_of(biome, session.environment.biome_names) or f"biome {biome}").removeprefix("minecraft:")


def facing(yaw_deg: float) -> str:
    """Which way one looks: the nearest of the four directions, with its axis."""
    return COMPASS[round(yaw_deg / 90.0) % 4]


def named(world_name: str, source: str) -> str:
    """The source, after the name that the server gives its world where the source does not say that already."""
    name = one_line(world_name)
    return source if not name or name in source else f"{name} ({source})"


def missing(session: SessionStats, unsent: int = 0) -> str:
    """What is missing, by kind; or that nothing is."""
    counts = [(session.states.get(state.name.lower(), 0), STYLES[state].label) for state in MISSING]
    counts.append((unsent, UNSENT.label))
    told = [f"{count} {label}" for count, label in counts if count]
    if not told and not session.columns:
        return "everything: no column has arrived yet"
    return " · ".join(told) or "nothing is missing"


def problems(session: SessionStats, scene: SceneStats) -> list[str]:
    """What is wrong, a sentence each; nothing for an honest server and a machine that bears it."""
    found = []
    if scene.failed is not None:
        found.append(f"{scene.failures} failed, shown as they were: {scene.failed}")
    if scene.mirror.light.left_out:
        found.append(f"no room on the GPU for the light of {scene.mirror.light.left_out} sub-chunks: holes around them")
    if session.held_at:
        x, y, z = session.held_at
        found.append(f"server holds you at {x:.1f} {y:.1f} {z:.1f}")
    if session.join_fault:
        found.append(f"join: {session.join_fault}")
    return [*found, *session.warnings]


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
