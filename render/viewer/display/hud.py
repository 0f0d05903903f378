"""The HUD: what is known, why the rest is missing, and what it costs, in a few lines.

``hud_lines`` is plain text made of snapshots, so a test reads it without a window; ``HudPainter`` draws it with pyglet.
"""

from collections.abc import Mapping
from typing import Final

from client.connection.stats import Statistics
from client.player import View
from client.session.stats import SessionStats
from client.source import one_line
from client.world.lifecycle import Knowledge
from render.panels.number_text import rate, size
from render.passes.overlay.boxes import STYLES
from render.scene import SceneStats
from render.viewer.frame_times import Pace
from render.viewer.window.window_size import Area

STATE_ORDER: Final = (
    Knowledge.DATA,
    Knowledge.ALL_AIR,
    Knowledge.KNOWN_AIR,
    Knowledge.WANTED,
    Knowledge.REQUESTED,
    Knowledge.REFUSED,
    Knowledge.UNDECODABLE,
    Knowledge.RESET,
    Knowledge.EVICTED,
    Knowledge.UNKNOWN,
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
        f"GPU {size(scene.gpu_bytes)} · light made by the {'GPU' if scene.gpu_light else 'CPU'}",
    ]
    if scene.failed is not None:
        lines.append(f"{scene.failures} failed, shown as they were: {one_line(scene.failed)}")
    if scene.mirror.light.left_out:
        lines.append(f"no room on the GPU for the light of {scene.mirror.light.left_out} sub-chunks: holes around them")
    if session.held_at:
        x, y, z = session.held_at
        lines.append(f"server holds you at {x:.1f} {y:.1f} {z:.1f}")
    return [*lines, *map(one_line, session.warnings)]


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


SMALLEST: Final = 0.5
"""Of its size, where text must be smaller to fit the height; of that at scale 1 where the scale is larger: a list of
keys that is cut off helps nobody."""
NARROWEST: Final = 0.75
"""The same for the width: a single long line makes no other unreadable."""


UNWRAPPED_PX: Final = 4096
COLUMNS: Final = (2.4, 4.5)
"""Where tabs lead to, in sizes of letters."""
MOST_TRIES: Final = 8
"""By a twentieth each."""
FONTS: Final = ("DejaVu Sans", "Verdana", "Helvetica")


class HudPainter:
    """Draws lines of text over a dark panel in the upper left corner of a pyglet window."""

    def __init__(self, scale: float = 1.0, fonts: tuple[str, ...] = FONTS) -> None:
        """Makes its labels; needs the window's context to be current.

        Args:
            scale: of text.
            fonts: the first that the system has.
        """
        import pyglet

        self._label = pyglet.text.Label(
            "",
            font_name=fonts,
            font_size=round(11 * scale),
            multiline=True,
            width=UNWRAPPED_PX,
        )
        self._label.anchor_y = "top"
        self._size = self._label.font_size
        self._smallest = SMALLEST / max(scale, 1.0)
        self._drawn: tuple[str, Area] | None = None
        self._panel = pyglet.shapes.Rectangle(0, 0, 1, 1, color=(0, 0, 0, 150))
        self._margin = round(8 * scale)

    def draw(self, lines: list[str], area: Area) -> int:
        """Draws in the upper left corner of an area; where the text ends, in pixels, y up.

        The window's framebuffer must be bound; nothing else's state matters afterwards.
        """
        text = "\n".join(lines)
        if (text, area) != self._drawn:
            self._drawn = text, area
            self._fit(text, (area.right - area.left - 4 * self._margin, area.high - area.low - 4 * self._margin))
        self._label.position = (area.left + 2 * self._margin, area.high - 2 * self._margin, 0)
        width, height = self._label.content_width, self._label.content_height
        low = area.high - 3 * self._margin - height
        self._panel.position = (area.left + self._margin, low)
        self._panel.width, self._panel.height = width + 2 * self._margin, height + 2 * self._margin
        self._panel.draw()
        self._label.draw()
        return int(low)

    def _fit(self, text: str, room_px: tuple[int, int]) -> None:
        """Sets the text, smaller where the window has no room for it; lines that are too long even so are wrapped."""
        self._label.begin_update()
        self._label.text, self._label.width = text, UNWRAPPED_PX
        self._set_size(self._size)
        self._label.end_update()
        wanted = self._label.content_width * 1.02, self._label.content_height * 1.04  # sizes of letters are whole
        wide, high = (room / max(side, 1) for room, side in zip(room_px, wanted, strict=True))
        share = min(1.0, max(wide, NARROWEST), max(high, self._smallest))
        if share < 1:
            self._set_size(self._size * share)
        for _ in range(MOST_TRIES):  # letters are drawn in whole pixels: lines are not as much lower as letters are
            if self._label.content_height <= room_px[1] or self._label.font_size <= self._size * self._smallest:
                break
            self._set_size(self._label.font_size * 0.95)
        if self._label.content_width > room_px[0] > 0:
            self._label.width = room_px[0]

    def _set_size(self, size: float) -> None:
        """Letters of another size, and columns as wide as they are."""
        self._label.font_size = size
        self._label.set_style("tab_stops", [f"{letters * size}pt" for letters in COLUMNS])
