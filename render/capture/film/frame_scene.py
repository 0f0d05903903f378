"""Turns what a stage knows into pixels; keeps meshes, light and bricks from frame to frame.

Rules:
1. Each frame's scene is settled before it is drawn, so it depends on what is known (``Scene`` rule 4), not on the
   frames before; another store, light map or set of anchors is attached anew.
2. ``release`` ends everything that was made here; the context and the runner are the caller's.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from client.player import View
from client.session.session import Session
from client.streaming.anchors import Anchors
from render.camera import Camera
from render.capture.options import PictureOptions
from render.gpu import Gpu, RenderError, Target
from render.gpu.target import Pixels
from render.jobs.job import Runner
from render.materials.packs.live import open_packs
from render.scene import Scene, SceneConfig
from render.scene.block_looks import BlockLooks


class FrameScene:
    """One scene for all frames of a film. Owner thread only."""

    def __init__(
        self,
        gpu: Gpu,
        session: Session,
        runner: Runner,
        radius_columns: int,
        picture: PictureOptions,
        looks_folder: Path | None,
    ) -> None:
        """Compiles programs and paints textures.

        Args:
            gpu: the context; belongs to the caller.
            session: whose blocks are painted first.
            runner: where light and meshes are made; belongs to the caller.
            radius_columns: where the fog ends.
            picture: how all frames are drawn.
            looks_folder: where painted textures are kept between runs.
        """
        self._picture = picture
        self._radius_columns = radius_columns
        config = SceneConfig(
            upload_bytes=None,
            flat_light=picture.flat_light,
            gpu_light=picture.gpu_light,
            radius_columns=radius_columns,
        )
        self._scene = Scene(
            gpu, BlockLooks(session.store.table, looks_folder, open_packs(picture.packs)), runner, config
        )
        self._target = Target(gpu, picture.size_px)
        self._shown: tuple[Any, ...] = ()  # Any: store, light map, anchors; compared, not used

    def picture(self, session: Session, view: View, anchors: Anchors | None, seconds: float = 0.0) -> Pixels:
        """One frame: uint8[height, width, 4], row 0 at the top; ``seconds`` into the film is where what moves is.

        Raises:
            RenderError: the scene did not settle, a bug of ours.
        """
        self._attach(session, anchors)
        if not self._scene.settle(view.eye):
            raise RenderError("the scene did not come to rest")
        look = self._picture.look(session, view.eye.column, self._radius_columns)
        look = replace(look, stale=None, seconds=seconds, session_s=session.now - session.started_at)
        self._scene.draw(Camera.of(view, self._target.aspect), self._target, look)
        return self._target.pixels()

    def _attach(self, session: Session, anchors: Anchors | None) -> None:
        wanted = session.store, session.light, anchors
        if len(self._shown) != len(wanted) or any(a is not b for a, b in zip(self._shown, wanted, strict=True)):
            self._scene.attach(session.store, session.light, anchors)
            self._shown = wanted

    def release(self) -> None:
        """Frees every GL object."""
        self._target.release()
        self._scene.release()
