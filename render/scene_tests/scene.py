"""A scene: a world, the actions on it, a moment, and views of it; and the result of each view.

All structs are frozen; ``scene_file`` reads them from TOML.

Rules:
1. A scene depends only on its own content: not on earlier scenes, and not on the clock of the server or the machine.
2. One session takes the views of a scene in order. For each view it waits until nothing is missing from that eye.
3. With ``until`` (a moment in the middle of loading) the session stands still between views: all show the same moment.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from client.connection.tampering import Tampering
from client.errors import UsageError
from client.options import Mode, Moment
from client.source import Source
from client.weather import CLEAR, Weather
from net.space import BlockPos
from render.capture.channels import CHANNELS
from render.draw_options import Cut
from render.scene_tests.verdict import Tolerance, Verdict
from render.scene_tests.views import CapturedView


class SceneView(msgspec.Struct, frozen=True):
    """One picture of a scene."""

    name: str  # of its files
    # eye in blocks, or None for where the player spawns, or was when a recording ended
    at: tuple[float, float, float] | None = None
    look_deg: tuple[float, float] | None = None  # yaw and pitch with Bedrock's signs, or None for the same
    fov_deg: float = 70.0  # vertical field of view
    ortho_blocks: float | None = None  # height of an orthographic picture; None: in perspective
    cut: Cut | None = None  # heights that are shown; None: all
    # width and height: large enough to see a lost light level, small enough for a repository (gl.md 6)
    size_px: tuple[int, int] = (426, 240)
    time: int | None = None  # of day, or None for the scene's
    overlays: tuple[str, ...] | None = None  # drawn over the colour picture, or None for the scene's
    # eye of a frozen camera, whose list is drawn; None: what is seen from the view is drawn
    freeze_at: tuple[float, float, float] | None = None
    freeze_look_deg: tuple[float, float] = (0.0, 0.0)  # yaw and pitch of that one


class BlockEdit(msgspec.Struct, frozen=True):
    """Blocks of the embedded world that are set before the client joins."""

    low: BlockPos  # the box's lowest corner
    high: BlockPos  # its highest corner, inclusive
    name: str  # of the block, with its ``minecraft:`` prefix
    # names and values; those that are not said have the value of the block's first state
    states: Mapping[str, int | str | bool] = {}
    layer: int = 0  # 0, or 1 for the liquid around a plant


class SceneFile(msgspec.Struct, frozen=True):
    """One TOML file."""

    path: Path  # of the file; its baselines lie in the folder of the same name beside it
    name: str  # the path below the suite's folder, without its suffix
    source: Source  # where the world comes from
    views: tuple[SceneView, ...]  # at least one; no two of one name
    shows: str = ""  # what a person must see in it
    edits: tuple[BlockEdit, ...] = ()  # blocks set in an embedded world
    # which sub-chunks are refused, lost, ignored, truncated or withheld
    tampering: Tampering = msgspec.field(default_factory=Tampering)
    radius: int = 4  # visibility radius in columns
    dimension: int | None = None  # that is expected, or None for any
    time: int | None = 6000  # of day, 0..23999, or None for what the server says, days included
    day: int = 0  # days since a full moon
    weather: Weather = CLEAR  # rain, snow and thunder; moving parts stand still
    gamma: float = 1.0  # over 1 lifts what is dark
    mode: Mode = "limited"  # which columns the embedded server sends
    # that the embedded server speaks, or None for its usual one; blocks and their names are its
    protocol: int | None = None
    flat_light: bool = False  # one light value a face
    # what bricks of block ids and light may take on the GPU, or None for as much as they need
    gpu_budget_bytes: int | None = None
    packs: tuple[Path, ...] = ()  # resource packs over our textures, later ones over earlier
    overlays: tuple[str, ...] = ()  # drawn over the colour picture
    channels: tuple[str, ...] = CHANNELS  # that are compared
    tolerance: Tolerance = msgspec.field(default_factory=Tolerance)  # how far pictures may be apart
    moment: Moment | None = None  # where in a recording, or None for its end
    outstanding: int | None = None  # requests that may be unanswered at a time, or None for as many as ever
    # the world is drawn all along, so overlays tell when things were drawn (``render.capture.picture``)
    watched: bool = False
    entities: bool = False  # whether entities are drawn
    shadows: bool = False  # whether what is solid throws shadows of the sun and the moon
    timeout_s: float = 60.0  # seconds until it has failed, joining, settling and drawing together
    # a warning that contains one of these texts is expected and is not shown
    expected_warnings: tuple[str, ...] = ()
    digest: str = ""  # of what the file says; comments and layout do not count

    @property
    def folder(self) -> Path:
        return self.path.with_suffix("")


class BadScene(UsageError):
    """A scene file that cannot be used; the message is one sentence for its author."""

    place: str = ""  # the file, where one is to blame


NOTHING_ACCEPTED: Final = (
    "This view has no baseline yet: look at the picture, and accept it (--accept, in pytest --chunkscope-accept)."
)


class SceneResult(msgspec.Struct, frozen=True):
    """One view's verdict, or the reason why it has none."""

    scene: SceneFile  # what was run
    view: SceneView  # of it
    verdict: Verdict | None  # of the comparison; None where there was none
    error: str = ""  # one sentence that says why there was none; empty otherwise
    exit_code: int = 0  # that the error would have alone (interfaces.md); 0 without one
    # what was accepted, or what the other of two runs took; None for nothing, or where it was not kept
    expected: CapturedView | None = None
    actual: CapturedView | None = None  # what was taken; None for nothing, or where it was not kept
    seconds: float = 0.0  # that the scene took for this view
    warnings: tuple[str, ...] = ()  # our own warnings while the scene was taken, each once

    @property
    def passed(self) -> bool:
        return self.verdict is not None and self.verdict.passed

    @property
    def unexpected(self) -> tuple[str, ...]:
        known = self.scene.expected_warnings
        return tuple(line for line in self.warnings if not any(text in line for text in known))

    @property
    def name(self) -> str:
        """Scene and view, as reports and files call it."""
        return f"{self.scene.name}/{self.view.name}"

    @property
    def words(self) -> str:
        return self.error if self.verdict is None else self.verdict.words
