"""Takes one settled picture of a source.

It waits in two stages (architecture.md 2, step 10). First it pumps the session until no sub-chunk is wanted, requested
or undecoded. Then it stops pumping while light, meshes and uploads finish, so the picture shows what was known at one
moment. Each stage has the connection's time-out; the report lists what is missing after it. For a moment of a recording
(``Options.still``) only the second stage runs.

A *watched* picture draws frames all the way, for overlays that show when a mesh was first drawn and remade:
1. Every ``EVERY_S`` of the session's time the scene is settled, so these times depend on the session alone, not on the
   speed of the machine.
2. A recording is played from its beginning and stops at the position where it was opened.
3. The deadline is checked between frames; a frame that has begun is completed.

``with_legend`` draws the legend of the overlays into the upper left corner of a picture.
"""

import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.connection.stats import PendingWork, Settled, Statistics
from client.errors import DONE, INCOMPLETE
from client.options import Options
from client.player import Eye
from client.recording.replay import Replay
from client.report.diff import Against, load_against, world_of
from client.session.join_steps import find_missing
from client.session.session import Session
from client.source import OtherSource, Source, warning_lines
from client.world.store import Store
from net.space import coordinates
from render.capture.channels import COLOUR, Shot, checked
from render.capture.image_files import write_shot
from render.capture.studio import PictureOptions, Studio, open_studio, pending_of_file
from render.gpu import Gpu
from render.gpu.targets import Pixels
from render.jobs.workers import Runner
from render.overlays.legend import NOTHING, OverlayLegend, colour_name, sections_of, text_of
from render.overlays.overlay import LegendRow
from render.panels.swatch import swatch
from render.scene.frame.surroundings import eye_inside, useless_cut
from render.view_line import ViewLine

FONT_SHARE: Final = 1 / 48
"""Of the picture's height."""
LEAST_FONT_PX: Final = 11
MOST_FONT_PX: Final = 28
MOST_SHARE: Final = 0.4
"""Largest share of the picture's height for a legend; rows that do not fit are only counted."""
GROUND: Final = (5, 8, 10, 224)
TITLE: Final = (140, 199, 255, 255)
TEXT: Final = (235, 238, 242, 255)


def with_legend(colour: Pixels, sections: Sequence[OverlayLegend]) -> Pixels:
    """The picture with a legend of the colours that occur in it; unchanged without overlays, or without space."""
    rows = _rows(sections)
    if not rows:
        return colour
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415 - 0.02 s, for pictures with a legend

    height, width = colour.shape[:2]
    font_px = min(max(round(height * FONT_SHARE), LEAST_FONT_PX), MOST_FONT_PX)
    font, line_px, edge_px = ImageFont.load_default(font_px), round(1.4 * font_px), round(0.6 * font_px)
    most_rows = int(MOST_SHARE * height) // line_px
    if len(rows) > most_rows:
        rows = [*rows[: most_rows - 1], (f"and {len(rows) - most_rows + 1} more", None)]
    if most_rows < 2:
        return colour
    indent_px = line_px
    wide = max(font.getlength(text) + (indent_px if row else 0) for text, row in rows)
    size = min(round(wide) + 2 * edge_px, width), len(rows) * line_px + edge_px
    picture = Image.fromarray(colour, "RGBA")
    ground = Image.new("RGBA", size, GROUND)
    pen = ImageDraw.Draw(ground)
    for index, (text, row) in enumerate(rows):
        top = edge_px // 2 + index * line_px
        if row is not None:
            ground.paste(Image.fromarray(swatch(row.style, font_px), "RGBA"), (edge_px, top + (line_px - font_px) // 2))
        at = edge_px + (indent_px if row else 0), top + line_px // 2
        pen.text(at, text, TEXT if row else TITLE, font, anchor="lm")
    picture.alpha_composite(ground)
    return np.asarray(picture).copy()


def _rows(sections: Sequence[OverlayLegend]) -> list[tuple[str, LegendRow | None]]:
    rows: list[tuple[str, LegendRow | None]] = []
    for section in sections:
        rows += [(section.title, None), *((_words(row), row) for row in section.rows)]
        if not section.rows:
            rows.append((NOTHING, None))
    return rows


def _words(row: LegendRow) -> str:
    """A row without the words for its pattern, which the swatch shows."""
    return row.style.label if row.count is None else f"{row.style.label}: {row.count:,}"


class PictureReport(msgspec.Struct, frozen=True):
    """What a picture holds."""

    path: Path  # the file that was written
    # whether nothing was missing that should have been there. What one moment of a
    # recording had not heard yet should not.
    complete: bool
    waiting_for: str  # what was waited for when the time ran out, or at that moment; empty where nothing was
    # the same by kind and place (``client.connection.stats``); messages name the first of each kind
    missing: tuple[PendingWork, ...]
    seconds: float  # from joining to the picture
    # what the connection had counted by then; to people only what the server does that is not right
    statistics: Statistics | None = None
    also: tuple[Path, ...] = ()  # further files, where each channel has its own
    # what the marks of overlays mean, of those that are in it: lines, each overlay's behind its title
    legend: tuple[str, ...] = ()
    moment: str = ""  # which one of a recording is shown, in words; empty for its end, and for what is no recording
    # a sentence: the eye is in a block that hides everything, no column is near it, or a cut hides nothing or all
    inside: str = ""

    @property
    def exit_code(self) -> int:
        """0, or 4 when something is missing."""
        return DONE if self.complete else INCOMPLETE

    def tell(self, as_json: bool = False) -> int:
        """Says it on stdout, why it shows less than was meant on stderr, and returns the exit code."""
        if self.inside:
            sys.stderr.write(f"chunkscope: {self.inside}\n")
        said = json.dumps(msgspec.to_builtins(self, enc_hook=str)) if as_json else self.text()
        sys.stdout.write(said + "\n")
        return self.exit_code

    def text(self) -> str:
        lines = [f"{self.path} ({self.seconds:.1f} s)", *map(str, self.also)]
        lines += self.legend
        if self.moment:
            lines.append(f"as of {self.moment}" + (", when not everything had arrived" if self.waiting_for else ""))
        if not self.complete:
            lines.append(": ".join(["incomplete", *([self.waiting_for] if self.waiting_for else [])]))
            lines += [line for pending in self.missing for line in pending.lines()]
        if self.statistics is None:
            return "\n".join(lines)
        session = self.statistics.session
        joined = [f"join: {session.join_fault}"] if session.join_fault else []
        return "\n".join([*lines, *joined, *warning_lines(session.warnings)])


# ---------------------------------------------------------------- watching

EVERY_S: Final = 0.05

Follow = Callable[[Session, float], None]
"""Lets the picture of a session come to rest at its time, seconds since it was made (``Studio.follow``)."""


class PictureWatch:
    """Of one connection; asked as often as one likes, it draws as often as it must."""

    def __init__(self, connection: Connection, follow: Follow) -> None:
        self._connection = connection
        self._follow = follow
        self._frame = -1

    def turn(self) -> None:
        """Draws if the next frame is due."""
        frame = int(self._seconds() / EVERY_S)
        if frame > self._frame:
            self._frame = frame
            self.now()

    def now(self) -> None:
        session = self._connection.session
        if session.anchors.pins:  # before the first tick nothing is held, so nothing is drawn
            self._follow(session, self._seconds())

    def _seconds(self) -> float:
        return self._connection.now - self._connection.session.started_at


def watch_again(
    connection: Connection, replay: Replay, follow: Follow, in_time: Callable[[], bool] = lambda: True
) -> int:
    """Plays a recording from its beginning to its present position and draws frames on the way.

    ``in_time``: whether there is time for another frame; if not, the rest is played without drawing.

    Returns:
        The number of frames that were not drawn.
    """
    until_s, still, watch = replay.position.time_s, connection.options.still, PictureWatch(connection, follow)
    frames = math.ceil(until_s / EVERY_S)  # never within the last turn: the moment may be there
    drawn = 0
    while drawn < frames and in_time():
        replay.seek(drawn * EVERY_S)
        _arrive(connection, replay)
        watch.now()
        drawn += 1
    if still is not None and still.packet is not None:
        replay.seek_packet(still.packet)
    else:
        replay.seek(until_s if still is None else still.time_s)
    _arrive(connection, replay)
    if drawn == frames:
        watch.now()
    return frames - drawn


def _arrive(connection: Connection, replay: Replay) -> None:
    while replay.on_the_way is not None:
        connection.pump()


# ---------------------------------------------------------------- shot

Progress = Callable[[float, str], None]


def take_picture(
    source: Source,
    options: Options,
    picture: PictureOptions,
    path: Path,
    progress: Progress | None = None,
    channels: Sequence[str] = (COLOUR,),
    other: OtherSource | None = None,
) -> PictureReport:
    """Joins a source, waits until nothing is missing or all that is was requested in vain, draws, writes.

    Args:
        options: how to connect; ``timeout_s`` counts for joining, for knowing and for drawing, each.
        picture: how it is drawn.
        path: the file, a PNG or an .npz; written whole or not at all. ``image_files`` says which channel goes where.
        progress: told (share done 0..1, what is waited for) now and then.
        channels: what is written of each pixel.
        other: what the overlay ``against`` compares the source with.

    Raises:
        ValueError: there is no such channel.
        SourceError: a source cannot be joined, or ended the session, or they show two dimensions.
        UnsupportedGpu: there is no OpenGL 3.3.
        OSError: the file cannot be written.
    """
    names = checked(channels)
    with ExitStack() as undo:
        gpu = Gpu.standalone()  # first: a machine without GL says so before a server is bothered
        undo.callback(gpu.release)
        # The scene drives the light map with its own workers.
        connection = undo.enter_context(open_connection(source, replace(options, light=False), progress))
        # Programs and textures are made while the server makes and sends columns.
        studio = None if connection.replay else undo.enter_context(open_studio(gpu, connection.session, picture))
        settled = connection.wait_settled(progress=progress, give_up=True)
        held = None if other is None else load_against(other, connection, progress)
        connection.leave()  # the embedded server ends while the picture is drawn
        return photograph(gpu, connection, settled, picture, path, names, studio, held, explained=True)


def photograph(
    gpu: Gpu,
    connection: Connection,
    settled: Settled,
    picture: PictureOptions,
    path: Path,
    names: Sequence[str] = (COLOUR,),
    studio: Studio | None = None,
    other: Against | None = None,
    *,
    explained: bool = False,
) -> PictureReport:
    """Draws and writes what a connection knew when its wait ended; ``explained``: a PNG has the legend in it."""
    moment, timeout_s = _moment(connection), connection.options.timeout_s
    drawn = shot_of(gpu, connection, picture, names, studio=studio, other=other, timeout_s=timeout_s)
    shot = drawn.shot
    if explained and shot.colour is not None and path.suffix.lower() == ".png":
        shot = replace(shot, colour=with_legend(shot.colour, drawn.sections))
    written = write_shot(shot, path, _labels(connection, picture, gpu, moment))
    failed = (*drawn.undrawn, *pending_of_file(connection))
    counted = connection.statistics()
    if not moment:  # in the middle of a recording steps are still to come
        step = find_missing(connection.session)
        counted = replace(counted, session=replace(counted.session, join_fault=step or counted.session.join_fault))
    store, movement = connection.session.dimension.store, connection.session.movement
    return PictureReport(
        path=written[0],
        complete=not failed and (bool(settled) or bool(moment)),
        waiting_for=settled.waiting_for,
        missing=(*settled.missing, *failed),
        seconds=counted.seconds,
        statistics=counted,
        also=written[1:],
        legend=lines_of_legend(drawn.sections),
        moment=moment,
        inside=nothing_near(store, movement.view.eye, connection.session.radius)
        or ("" if picture.ortho_blocks is not None else eye_inside(store, movement.view.eye.block, picture.cut))
        or useless_cut(store, picture.cut),
    )


def nothing_near(store: Store, eye: Eye, radius: int) -> str:
    """A sentence that says that the picture can only show the sky; empty if a column is near enough."""
    away = np.abs(store.columns[store.announced_rows] - np.array(eye.column)).max(axis=1, initial=0)
    if (away <= radius).any():
        return ""
    at = coordinates(eye.block)
    return f"No chunk column is known within {radius} columns of the eye at block {at}: the picture shows only the sky."


class DrawnShot(NamedTuple):
    """A shot, what it lacked when its time-out passed, and the legends of its overlays."""

    shot: Shot
    undrawn: tuple[PendingWork, ...]
    sections: tuple[OverlayLegend, ...]


def shot_of(
    gpu: Gpu,
    connection: Connection,
    picture: PictureOptions,
    channels: Sequence[str],
    runner: Runner | None = None,
    studio: Studio | None = None,
    other: Against | None = None,
    timeout_s: float | None = None,
) -> DrawnShot:
    """Channels of what a connection knows now, from its view; it is not pumped meanwhile.

    ``runner``: where light and meshes are made, the caller's; worker threads of its own unless given. ``studio``: one
    that was made earlier for the same picture. ``other``: what the overlay ``against`` compares with.

    Raises:
        ValueError: there is no such channel.
        RenderError: the scene did not settle, a bug of ours.
    """
    session = connection.session
    view = picture.seen(session.movement.view)
    with ExitStack() as undo:
        if studio is None or studio.radius_columns != session.radius:
            studio = undo.enter_context(open_studio(gpu, session, picture, runner))
        studio.against = None if other is None else lambda *where: other.facts(world_of(connection), *where)
        deadline, left_out = time.monotonic() + (math.inf if timeout_s is None else timeout_s), 0
        if picture.watched and connection.replay is not None:
            left_out = watch_again(
                connection, connection.replay, studio.follow, lambda: time.monotonic() < deadline
            )  # the way there is part of drawing
            session = connection.session
        left_s = None if timeout_s is None else max(0.0, deadline - time.monotonic())
        shot = studio.shoot(session, view, channels, picture, timeout_s=left_s)
        undrawn = (PendingWork("undrawn", "frames", left_out, words="still seeking"),) if left_out else ()
        return DrawnShot(shot, (*studio.missing, *undrawn), sections_of(picture.overlays, studio.scene.legend))


def lines_of_legend(sections: tuple[OverlayLegend, ...]) -> tuple[str, ...]:
    """What occurs of the legends of its overlays: a title each, then a line for each kind of mark."""
    lines = []
    for section in sections:
        lines += [section.title, *(f"  {colour_name(row.style)}: {text_of(row)}" for row in section.rows)]
        lines += [] if section.rows else [f"  {NOTHING}"]
    return tuple(lines)


def _moment(connection: Connection) -> str:
    """The one moment of a recording that was asked for, in words; nothing where none was."""
    if connection.replay is None or connection.options.still is None:
        return ""
    there = connection.replay.position
    return f"packet {there.packets} at {there.time_s:.3f} s"


def _labels(connection: Connection, picture: PictureOptions, gpu: Gpu, moment: str) -> dict[str, str]:
    session = connection.session
    return {
        "Software": "chunkscope",
        "Source": str(connection.source),
        "View": str(ViewLine.of(picture.seen(session.movement.view), session.dimension.store.dimension.number)),
        "Renderer": f"{gpu.capabilities.renderer}; {gpu.capabilities.driver}",
        **({"Moment": moment} if moment else {}),
    }
