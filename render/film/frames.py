"""Draws the frames of a film and stores them as numbered PNG files.

Rules:
1. The scene is settled before each frame, so a frame depends on what is known, not on earlier frames. A new store,
   light map or set of anchors is attached anew. The caller owns the context and the runner.
2. A frame file is complete or absent, so an interrupted film continues with the frames that are absent.
3. The folder's ``film.json`` records everything that frames depend on. Writing into the folder of another film is
   refused, with the options that differ. It also records which frames are incomplete and what they lack.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from client.errors import UnreadableFile, UsageError
from client.player import View
from client.session.session import Session
from client.streaming.anchors import Anchors
from net.files import whole
from render.camera import Camera
from render.capture.studio import PictureOptions
from render.gpu import Gpu, RenderError, Target
from render.gpu.targets import Pixels
from render.jobs.workers import Runner
from render.materials.packs.reload import open_packs
from render.scene import Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance


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
        """Compiles programs and paints textures. ``looks_folder``: where painted textures are kept between runs."""
        self._picture = picture
        self.cut = picture.cut  # heights that are shown, if not all
        self._radius_columns = radius_columns
        config = SceneConfig(
            upload_bytes=None,
            flat_light=picture.flat_light,
            gpu_light=picture.gpu_light,
            radius_columns=radius_columns,
        )
        self._scene = Scene(
            gpu, BlockAppearance(session.dimension.store.table, looks_folder, open_packs(picture.packs)), runner, config
        )
        self._target = Target(gpu, picture.size_px)
        self._shown: tuple[Any, ...] = ()  # Any: store, light map, anchors; compared, not used

    def picture(self, session: Session, view: View, anchors: Anchors | None, seconds: float = 0.0) -> Pixels:
        """One frame: uint8[height, width, 4], row 0 at the top. Raises RenderError: not settled, a bug of ours."""
        self._attach(session, anchors)
        if not self._scene.settle(view.eye):
            raise RenderError("the scene did not settle")
        look = self._picture.frame_settings(session, view.eye.column, self._radius_columns)
        look = replace(look, stale=None, seconds=seconds, session_s=session.now - session.started_at)
        self._scene.draw(Camera.of(view, self._target.aspect), self._target, look)
        return self._target.pixels()

    def _attach(self, session: Session, anchors: Anchors | None) -> None:
        wanted = session.dimension.store, session.dimension.light, anchors
        if len(self._shown) != len(wanted) or any(a is not b for a, b in zip(self._shown, wanted, strict=True)):
            self._scene.attach(session.dimension.store, session.dimension.light, anchors)
            self._shown = wanted

    def release(self) -> None:
        """Frees every GL object."""
        self._target.release()
        self._scene.release()


# ---------------------------------------------------------------- frame files

USUAL_PATTERN: Final = "%06d.png"
NUMBER: Final = re.compile(r"%(?:0[1-9])?d")
FORMAT: Final = 1
WAITING_FOR: Final = "waiting_for"
"""Key of ``film.json`` for what did not arrive in time; not part of the recipe."""

Recipe = Mapping[str, Any]  # Any: what JSON holds
"""Everything that a film's frames depend on, by name; values as JSON reads them."""


class FrameFiles(msgspec.Struct, frozen=True):
    """Where frames lie."""

    folder: Path  # that of the frames
    pattern: str = USUAL_PATTERN  # of their names, with one ``%d`` for the number: ``shot-%04d.png``

    @classmethod
    def of(cls, out: Path) -> "FrameFiles":
        """Reads ``--out``: a folder, or a pattern that ends in .png. Raises UsageError: it is neither."""
        if "%" not in out.name:
            if out.suffix and not out.is_dir():
                raise UsageError(f"Cannot write '{out}': use FILE.mp4, a folder, or a pattern such as shot-%05d.png.")
            return cls(out)
        if out.suffix != ".png" or len(NUMBER.findall(out.name)) != 1 or out.name.count("%") != 1:
            raise UsageError(
                f"'{out.name}' is not a pattern of frames: write one number and .png, for example shot-%05d.png."
            )
        return cls(out.parent, out.name)

    def path(self, frame: int) -> Path:
        return self.folder / (self.pattern % frame)

    @property
    def recipe_path(self) -> Path:
        """Where it is said what film they are of."""
        return self.folder / f"{self.pattern.partition('%')[0]}film.json"

    @property
    def session_path(self) -> Path:
        """The recording from which frames of a live world with entities are drawn."""
        return self.recipe_path.with_suffix(".cscope")

    def begin(self, recipe: Recipe) -> None:
        """Marks the folder as this film's, or checks that it is.

        Raises:
            UsageError: it holds frames of another film, or frames without ``film.json``.
            UnreadableFile: ``film.json`` cannot be read.
            OSError: the folder cannot be written to.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self.folder, os.W_OK):
            raise PermissionError(13, "Permission denied", str(self.folder))
        strange = min(self._names(), default="")  # read before the recipe: processes of other parts write that first
        if self.recipe_path.exists():
            self._expect(recipe)
        elif strange:
            raise UsageError(
                f"{self.folder / strange} is a frame of an unknown film; choose another folder, or delete its frames."
            )
        else:
            self._write({"format": FORMAT, **recipe})

    @property
    def waiting_for(self) -> str:
        """What did not arrive in time for any of the frames, in words; empty if everything did."""
        return str(json.loads(self.recipe_path.read_text(encoding="utf-8")).get(WAITING_FOR, ""))

    def keep_waiting_for(self, words: str) -> None:
        """What is said from now on, in later runs, too."""
        recipe = json.loads(self.recipe_path.read_text(encoding="utf-8"))
        if words != recipe.pop(WAITING_FOR, ""):
            self._write({**recipe, WAITING_FOR: words} if words else recipe)

    def _write(self, recipe: Recipe) -> None:
        with whole(self.recipe_path) as temporary:
            temporary.write_text(json.dumps(recipe, indent=1) + "\n", encoding="utf-8")

    def missing(self, wanted: Iterable[int]) -> list[int]:
        names = set(os.listdir(self.folder))
        return [frame for frame in wanted if self.pattern % frame not in names]

    @property
    def kept(self) -> int:
        """How many frame files exist in the folder."""
        return len(self._names())

    def tidy(self) -> None:
        """Deletes the session, and what an interrupted run left of frames; call it when all are there."""
        self.session_path.unlink(missing_ok=True)
        half = re.compile(rf"\.{self._like().pattern}\.\d+\.part")
        for name in os.listdir(self.folder):
            if half.fullmatch(name):
                (self.folder / name).unlink(missing_ok=True)

    def remove(self, count: int) -> None:
        """Deletes the frames, what says whose they are, and the folder where nothing else is in it."""
        for frame in range(count):
            self.path(frame).unlink(missing_ok=True)
        self.recipe_path.unlink(missing_ok=True)
        with suppress(OSError):  # not empty
            self.folder.rmdir()

    def _names(self) -> list[str]:
        like = self._like()
        return [name for name in os.listdir(self.folder) if like.fullmatch(name)]

    def _like(self) -> re.Pattern[str]:
        """What a frame's name looks like."""
        before, _, after = NUMBER.sub("\0", self.pattern).partition("\0")
        return re.compile(re.escape(before) + r"\d+" + re.escape(after))

    def _expect(self, recipe: Recipe) -> None:
        try:
            found = json.loads(self.recipe_path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise UnreadableFile(f"{self.recipe_path} does not describe the film in its folder; delete both.") from None
        wanted = json.loads(json.dumps({"format": FORMAT, **recipe}))
        found = found if isinstance(found, dict) else {}
        found.pop(WAITING_FOR, None)
        if found == wanted:
            return
        name = next(name for name in (*wanted, *found, "film") if found.get(name) != wanted.get(name))
        values = f"{_short(found.get(name))} and not {_short(wanted.get(name))}"
        raise UsageError(
            f"{self.folder} contains another film: its {name} is {values}. Choose another place, or delete that folder."
        )


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
