"""One settled picture of a source.

The barrier has two stages (architecture.md 2, step 10): first knowledge, nothing wanted, outstanding or undecoded; then
the session is not pumped any more while light, mesh and upload run empty. So what is drawn is what was known at one
moment, whatever the order in which it came. Each stage has the connection's time-out for itself; what either lacks when
it passes stands in the report, and the picture shows what there is.

Of a recording that stands still (``Options.still``) that one moment is drawn, with what it had heard by then.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.connection.stats import Lack, Settled
from client.embedded_server import EmbeddedServer
from client.kernel_cache import cache_directory
from client.options import Options
from client.source import Source
from render.capture.channels import COLOUR, checked
from render.capture.lacks import lacks_of_file
from render.capture.options import PictureOptions
from render.capture.report import PictureReport
from render.capture.shot_arrays import Shot
from render.capture.shot_files import write_shot
from render.capture.studio import Studio
from render.capture.watching import watch_again
from render.gpu import Gpu
from render.gpu.target import Pixels
from render.jobs.job import Runner
from render.jobs.runners import ThreadRunner
from render.materials.packs.live import open_packs
from render.overlays.legend import sections_of, text_of
from render.view_line import ViewLine

Progress = Callable[[float, str], None]


def take_picture(
    source: Source,
    options: Options,
    picture: PictureOptions,
    path: Path,
    progress: Progress | None = None,
    channels: Sequence[str] = (COLOUR,),
    server: EmbeddedServer | None = None,
) -> PictureReport:
    """Joins a source, waits until nothing is missing, draws, writes.

    Args:
        source: where the world comes from.
        options: how to connect; ``timeout_s`` counts for joining, for knowing and for drawing, each.
        picture: how it is drawn.
        path: the file, a PNG or an .npz; written whole or not at all. ``shot_files`` says which channel goes where.
        progress: told (share done 0..1, what is waited for) now and then.
        channels: what is written of each pixel.
        server: the child of an embedded source, where it was started earlier; ended here.

    Raises:
        ValueError: there is no such channel.
        SourceError: the source cannot be joined, or ended the session.
        UnsupportedGpu: there is no OpenGL 3.3.
        OSError: the file cannot be written.
    """
    names = checked(channels)
    with ExitStack() as undo:
        if server is not None:
            undo.callback(server.close)
        gpu = Gpu.standalone()  # first: a machine without GL says so before a server is bothered
        undo.callback(gpu.release)
        # The scene drives the light map with its own workers.
        connection = undo.enter_context(open_connection(source, replace(options, light=False), progress, server))
        settled = connection.wait_settled(progress=progress)
        connection.leave()  # a child of ours ends while the picture is drawn
        return _develop(gpu, connection, settled, picture, path, names)


def photograph(
    gpu: Gpu,
    connection: Connection,
    picture: PictureOptions,
    path: Path,
    progress: Progress | None = None,
    channels: Sequence[str] = (COLOUR,),
) -> PictureReport:
    """Waits until a connection misses nothing or its time-out passes, draws, writes.

    Raises:
        ValueError: there is no such channel.
        SourceError: the source ended the session.
        OSError: a file cannot be written.
    """
    names = checked(channels)
    return _develop(gpu, connection, connection.wait_settled(progress=progress), picture, path, names)


def _develop(
    gpu: Gpu,
    connection: Connection,
    settled: Settled,
    picture: PictureOptions,
    path: Path,
    names: Sequence[str],
) -> PictureReport:
    """Draws and writes what a connection knew when its wait ended."""
    moment = _moment(connection)
    drawn = _shot_of(gpu, connection, picture, names, timeout_s=connection.options.timeout_s)
    written = write_shot(drawn.shot, path, _labels(connection, picture, gpu, moment))
    failed = (*drawn.undrawn, *lacks_of_file(connection))
    counted = connection.statistics()
    return PictureReport(
        path=written[0],
        complete=not failed and (bool(settled) or bool(moment)),
        waiting_for=settled.waiting_for,
        missing=(*settled.missing, *failed),
        seconds=counted.seconds,
        statistics=counted,
        also=written[1:],
        legend=drawn.legend,
        moment=moment,
    )


class _Drawn(NamedTuple):
    """A shot, what it lacks of what was known when its time-out passed, and its legend in lines."""

    shot: Shot
    undrawn: tuple[Lack, ...]
    legend: tuple[str, ...]


def shot_of(
    gpu: Gpu,
    connection: Connection,
    picture: PictureOptions,
    channels: Sequence[str],
    runner: Runner | None = None,
) -> Shot:
    """Channels of what a connection knows now, from its view.

    Args:
        gpu: the context; belongs to the caller.
        connection: not pumped meanwhile.
        picture: how it is drawn.
        channels: names out of ``CHANNELS``.
        runner: where light and meshes are made, the caller's; worker threads of its own unless given.

    Raises:
        ValueError: there is no such channel.
        RenderError: the scene did not settle, a bug of ours.
    """
    return _shot_of(gpu, connection, picture, channels, runner).shot


def _shot_of(
    gpu: Gpu,
    connection: Connection,
    picture: PictureOptions,
    channels: Sequence[str],
    runner: Runner | None = None,
    timeout_s: float | None = None,
) -> _Drawn:
    """As ``shot_of``, with what a report says besides."""
    session = connection.session
    view = picture.seen(session.view)
    with ExitStack() as undo:
        if runner is None:
            runner = ThreadRunner()
            undo.callback(runner.close)
        studio = Studio(
            gpu, session.store.table, runner, session.radius, picture.flat_light, cache_directory(),
            gpu_light=picture.gpu_light, packs=open_packs(picture.packs),
            gpu_budget_bytes=picture.gpu_budget_bytes,
        )  # fmt: skip
        undo.callback(studio.release)
        deadline, left_out = time.monotonic() + (math.inf if timeout_s is None else timeout_s), 0
        if picture.watched and connection.replay is not None:
            left_out = watch_again(
                connection, connection.replay, studio.follow, lambda: time.monotonic() < deadline
            )  # the way there is part of drawing
            session = connection.session
        left_s = None if timeout_s is None else max(0.0, deadline - time.monotonic())
        shot = studio.shoot(session, view, channels, picture, timeout_s=left_s)
        undrawn = (Lack("undrawn", "frames", left_out, words="of the way there"),) if left_out else ()
        return _Drawn(shot, (*studio.missing, *undrawn), _legend(picture, studio))


def _legend(picture: PictureOptions, studio: Studio) -> tuple[str, ...]:
    """What occurs of the legends of its overlays: a title each, then a line for each kind of mark."""
    lines = []
    for section in sections_of(picture.overlays, studio.scene.legend):
        lines += [section.title, *(f"  {text_of(row)}" for row in section.rows if row.count != 0)]
    return tuple(lines)


def picture_of(gpu: Gpu, connection: Connection, picture: PictureOptions, runner: Runner | None = None) -> Pixels:
    """What a connection knows now, from its view: uint8[height, width, 4], row 0 at the top.

    Args:
        gpu: the context; belongs to the caller.
        connection: not pumped meanwhile.
        picture: how it is drawn.
        runner: where light and meshes are made, the caller's; worker threads of its own unless given.

    Raises:
        RenderError: the scene did not settle, a bug of ours.
    """
    colour = shot_of(gpu, connection, picture, (COLOUR,), runner).colour
    assert colour is not None, "it was asked for"
    return colour


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
        "View": str(ViewLine.of(picture.seen(session.view), session.store.dimension.number)),
        "Renderer": f"{gpu.capabilities.renderer}; {gpu.capabilities.driver}",
        **({"Moment": moment} if moment else {}),
    }
