"""The text of the HUD: position, missing sub-chunks, frame times; then problems, and all other numbers on demand.

It is plain text made from snapshots, so tests need no window; ``render.panels.hud_card`` draws it. A tab leads to the
next column of ``COLUMNS_EM``; the last column of a line may have any length.
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
from net.space import UNKNOWN_BIOME, BlockPos, coordinates
from render.panels.panel import rate, size
from render.passes.overlay.boxes import STYLES
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
"""Loaded states, then missing ones, then the reasons."""
MISSING: Final = STATE_ORDER[3:9]
"""States that count as missing: requested, or to be requested, and not there in the present version."""
SLOW_MS: Final = 100.0  # frames that take longer: their number a second has a decimal
COMPASS: Final = ("south (+Z)", "west (-X)", "north (-Z)", "east (+X)")
"""By quarters of a turn from yaw 0."""


def hud_lines(
    world: Statistics, scene: SceneStats, pace: Pace, view: View, unsent: int = 0, biome: str = "", of_view: str = ""
) -> list[str]:
    """Three lines; between them the scale of an orthographic view, and one for each problem.

    ``unsent``: omitted columns with sent neighbours; ``of_view``: what is wrong with the view, in words.
    """
    session, eye = world.session, view.eye
    column, block = eye.column, eye.block
    where = (
        coordinates(eye, 1),
        f"chunk {coordinates(column)} ({block.x & 15},{block.z & 15} in it)",
        facing(view.yaw_deg),
        dimension_name(session.dimension),
        biome,
    )
    frame = (
        f"{1e3 / pace.frame_ms:.{0 if pace.frame_ms < SLOW_MS else 1}f} fps" if pace.frame_ms > 0 else "- fps",
        f"{pace.frame_ms:.1f} ms, worst {pace.worst_ms:.0f} ms",
        named(session.world_name, world.source),
    )
    wrong = [f"problem\t{one_line(words)}" for words in (*problems(session, scene), of_view) if words]
    high = view.ortho_blocks
    scale = [] if high is None else [f"scale\t{high:,.0f} blocks from top to bottom; the wheel zooms"]
    lines = ["\t".join(("where", *where)), *scale, f"missing\t{missing(session, unsent)}", *wrong]
    return [*lines, "\t".join(("frame", *frame))]


def more_lines(world: Statistics, scene: SceneStats, pace: Pace, view: View, unsent: int = 0) -> list[str]:
    session = world.session
    return [
        f"view\tyaw {view.yaw_deg:.0f} pitch {view.pitch_deg:.0f} · player {coordinates(session.player)} · "
        f"time of day {_clock(session.time)}",
        f"network\tin {rate(pace.bytes_in_s)}, out {rate(pace.bytes_out_s)} · "
        f"total {size(world.peer.bytes_in)} in, {size(world.peer.bytes_out)} out",
        "sub-chunks\t" + " · ".join(_counts(session.states)),
        f"columns\t{_columns(session, unsent)} · requested {session.requests.entries:,} sub-chunks in "
        f"{session.requests.packets:,} packets · {session.ledger.outstanding:,} open",
        f"drawn\t{scene.cells_drawn:,} of {scene.cells_shown:,} render cells · {scene.quads_drawn:,} quads · "
        f"GPU memory {size(scene.gpu_bytes)} · {pace.work_ms:.1f} ms of work per frame · "
        f"{'GPU' if scene.gpu_light else 'CPU'} lighting",
    ]


def biome_at(session: Session, block: BlockPos) -> str:
    """The name of a block's biome; its number if it has no name, empty if it is unknown."""
    store = session.dimension.store
    if not store.dimension.holds_section(block.subchunk.y):
        return ""
    biome = int(store.biomes_of(block.subchunk)[block.in_subchunk])
    if biome == UNKNOWN_BIOME:
        return ""
    return one_line(name_of(biome, session.environment.biome_names) or f"biome {biome}").removeprefix("minecraft:")


def facing(yaw_deg: float) -> str:
    """The nearest of the four directions, with its axis."""
    return COMPASS[round(yaw_deg / 90.0) % 4]


def named(world_name: str, source: str) -> str:
    """The source, after the server's name of its world if the source does not contain that."""
    name = one_line(world_name)
    return source if not name or name in source else f"{name} ({source})"


def missing(session: SessionStats, unsent: int = 0) -> str:
    """Counts of missing sub-chunks by kind, or that there are none."""
    counts = [(session.states.get(state.name.lower(), 0), STYLES[state].label) for state in MISSING]
    counts.append((unsent, "column never sent" if unsent == 1 else "columns never sent"))
    told = [f"{count:,} {label}" for count, label in counts if count]
    if not told and not session.columns:
        return "everything: no column has arrived yet"
    return " · ".join(told) or ("nothing that was requested" if session.join_fault else "nothing")


def problems(session: SessionStats, scene: SceneStats) -> list[str]:
    """Problems, a sentence each; empty for a correct server and a sufficient machine."""
    found = []
    if scene.failed is not None:
        found.append(f"{scene.failures:,} failed, shown as they were: {scene.failed}")
    if scene.mirror.light.left_out:
        found.append(
            f"no room on the GPU for the light of {scene.mirror.light.left_out:,} sub-chunks: holes around them"
        )
    if session.held_at:
        found.append(f"server holds you at {coordinates(session.held_at, 1)}")
    if session.join_fault:
        found.append(f"join: {session.join_fault}")
    return [*found, *session.warnings]


def _columns(session: SessionStats, unsent: int) -> str:
    """Number of columns, of those that the server does not update or did not send, and the pins."""
    counts = (session.terrain.stale_columns, "stale"), (unsent, "never sent")
    odd = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    pinned = f" · {session.pins} pinned" if session.pins else ""
    return f"{session.columns:,} ({odd}){pinned}" if odd else f"{session.columns:,}{pinned}"


def _counts(states: Mapping[str, int]) -> list[str]:
    """Counts by state under the legend's names, in the order of ``STATE_ORDER``, without zeros."""
    counts = [(STYLES[state].label, states.get(state.name.lower(), 0)) for state in STATE_ORDER]
    return [f"{label} {count:,}" for label, count in counts if count] or ["none announced yet"]


def _clock(ticks: int) -> str:
    """Time of day: 0 is six o'clock in the morning, 6000 noon."""
    minutes = (ticks % 24000 * 60 // 1000 + 360) % 1440
    return f"{minutes // 60:02}:{minutes % 60:02}"
