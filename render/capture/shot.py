"""One settled picture of a source.

The barrier has two stages (architecture.md 2, step 10): first knowledge, nothing wanted, outstanding or undecoded; then
the session is not pumped any more while light, mesh and upload run empty. So what is drawn is what was known at one
moment, whatever the order in which it came.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from client.connect.connection import Connection
from client.connect.opening import open_connection
from client.connect.options import Options
from client.connect.source import Source
from client.player import View
from client.world.lifecycle import Knowledge
from net.space.positions import SubChunkPos
from render.camera import Camera
from render.capture.options import PictureOptions
from render.capture.png import write_png
from render.capture.report import PictureReport
from render.gpu import Gpu, RenderError, Target
from render.gpu.target import Pixels
from render.jobs.runners import ThreadRunner
from render.scene import Look, Scene, SceneConfig
from render.scene.block_looks import BlockLooks

Progress = Callable[[float, str], None]


def take_picture(
    source: Source, options: Options, picture: PictureOptions, path: Path, progress: Progress | None = None
) -> PictureReport:
    """Joins a source, waits until nothing is missing, draws, writes a PNG.

    Args:
        source: where the world comes from.
        options: how to connect; ``timeout_s`` counts for joining and for settling, each.
        picture: how it is drawn.
        path: the file; written whole or not at all.
        progress: told (share done 0..1, what is waited for) now and then.

    Raises:
        SourceError: the source cannot be joined, or ended the session.
        UnsupportedGpu: there is no OpenGL 3.3.
        OSError: the file cannot be written.
    """
    start = time.monotonic()
    gpu = Gpu.standalone()  # first: a machine without GL says so before a server is bothered
    try:
        # The scene drives the light map with its own workers.
        with open_connection(source, replace(options, light=False), progress) as connection:
            settled = connection.wait_settled(options.timeout_s, progress)
            pixels = picture_of(gpu, connection, picture)
            write_png(path, pixels, _labels(source, connection.session.view, picture, gpu))
            missing = () if settled else missing_places(connection)
            return PictureReport(path, bool(settled), settled.waiting_for, missing, round(time.monotonic() - start, 3))
    finally:
        gpu.release()


def picture_of(gpu: Gpu, connection: Connection, picture: PictureOptions) -> Pixels:
    """What a connection knows now, from its view: uint8[height, width, 4], row 0 at the top.

    Raises:
        RenderError: the scene did not settle, a bug of ours.
    """
    session = connection.session
    known = connection.statistics().session
    view = replace(session.view, fov_deg=picture.fov_deg)
    runner = ThreadRunner()
    config = SceneConfig(upload_bytes=None, flat_light=picture.flat_light, radius_columns=known.radius)
    scene = Scene(gpu, BlockLooks(session.store.table), runner, config)
    target = Target(gpu, picture.size_px)
    try:
        scene.attach(session.store, session.light)
        eye = (view.eye.x, view.eye.y, view.eye.z)
        if not scene.settle(eye):
            raise RenderError("the scene did not come to rest")
        look = Look(
            time_ticks=known.time if picture.time is None else picture.time,
            overlays=frozenset(picture.overlays),
            anchor=view.eye.column,
            anchor_radius_columns=known.radius,
        )
        scene.draw(Camera.of(view, target.aspect), target, look)
        return target.pixels()
    finally:
        runner.close()
        scene.release()
        target.release()


def missing_places(connection: Connection) -> tuple[tuple[SubChunkPos, str], ...]:
    """Sub-chunks that are wanted or asked for and not answered, by position."""
    store = connection.session.store
    places = np.flatnonzero(np.isin(store.state, (Knowledge.WANTED, Knowledge.REQUESTED, Knowledge.RESET)))
    rows, sections = np.divmod(places, store.dimension.sections)
    found = [
        (
            SubChunkPos(int(x), int(section) + store.dimension.floor_section, int(z)),
            Knowledge(int(store.state[place])).name.lower(),
        )
        for place, section, (x, z) in zip(places, sections, store.columns[rows], strict=True)
    ]
    return tuple(sorted(found))


def _labels(source: Source, view: View, picture: PictureOptions, gpu: Gpu) -> dict[str, str]:
    eye = view.eye
    at, look = f"{eye.x:.3f},{eye.y:.3f},{eye.z:.3f}", f"{view.yaw_deg:.2f},{view.pitch_deg:.2f}"
    return {
        "Software": "chunkscope",
        "Source": str(source),
        "View": f"--at {at} --look {look} --fov {picture.fov_deg:g}",
        "Renderer": f"{gpu.capabilities.renderer}; {gpu.capabilities.driver}",
    }
