"""Camera moves without held keys: teleports, bookmarks, paths, walking, views from above.

Rules:
1. An impossible action gives a sentence, like a possible one.
2. Playback of a path ends when anything else moves the camera: keys, a teleport, a panel, the server.
3. Another dimension is entered through the server or a new join, if possible; until then the camera stays.
4. While there is a prompt, the camera keys do nothing else: the window passes all text and three keys to it. Enter
   answers, Escape or an empty answer cancels.
5. A camera path is the file of ``chunkscope film --path`` (``render.camera_path``), a key every half second; while
   nothing moves the last key's time is extended, so a long rest is two keys.
6. Time and dimension are passed in. It is independent of the window, so tests need none.
"""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from client.errors import UnreadableFile, UsageError
from client.options import parse_at, split_numbers
from client.player import Eye, View
from net.space import VANILLA, BlockPos, coordinates
from render.camera_path import CameraPath, Key, read_path, write_path
from render.settings import Action
from render.view_line import ViewLine, dimension_name, parse_dimension, parse_view_line
from render.viewer.control.bookmarks import Bookmarks
from render.viewer.control.camera_control import Controls
from render.viewer.picking import blocks_along

KEY_EVERY_S: Final = 0.5
NAME: Final = re.compile(r"path-(\d+)\.toml")


class PathRecorder:
    """Records a camera path."""

    def __init__(self, view: View, now: float) -> None:
        self._began = now
        self._keys = [Key(0.0, view, view.fov_deg)]

    @property
    def keys(self) -> int:
        return len(self._keys)

    def record(self, view: View, now: float) -> None:
        if now - self._began - self._keys[-1].time_s >= KEY_EVERY_S:
            self._add(view, now)

    def end(self, view: View, now: float) -> CameraPath | None:
        """The path; None if it has no length."""
        if now - self._began > self._keys[-1].time_s + 0.001:  # files have milliseconds
            self._add(view, now)
        return CameraPath(tuple(self._keys)) if len(self._keys) > 1 else None

    def _add(self, view: View, now: float) -> None:
        if len(self._keys) > 1 and self._keys[-1].view == self._keys[-2].view == view:
            self._keys.pop()
        self._keys.append(Key(now - self._began, view, view.fov_deg))


def keep(folder: Path, path: CameraPath) -> Path:
    """Writes a path under the next free number; returns the file. Raises OSError: it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"path-{_last(folder) + 1}.toml"
    write_path(file, path)
    return file


def latest(folder: Path) -> tuple[Path, CameraPath]:
    """The path written last. Raises UsageError: there is none, or it is invalid."""
    number = _last(folder)
    if not number:
        raise UsageError(f"There is no camera path in {folder} yet.")
    file = folder / f"path-{number}.toml"
    try:
        return file, read_path(file)
    except UnreadableFile as error:
        raise UsageError(str(error)) from None


def _last(folder: Path) -> int:
    """The highest number of a path there; 0 where there is none."""
    names = folder.iterdir() if folder.is_dir() else ()
    return max((int(found[1]) for file in names if (found := NAME.fullmatch(file.name))), default=0)


# ---------------------------------------------------------------- destination

RELATIVE: Final = "~"
NAMES: Final = {dimension.name: dimension.number for dimension in VANILLA.values()}


def destination(text: str, now: View, bookmarks: Bookmarks) -> ViewLine | int:
    """The destination that a text describes.

    ``text``: ``8 90 8`` or ``8,90,8``, each number after ``~`` relative to the present position; the same after a
    dimension, ``nether 8 90 8``; a view line; a bookmark's name; or only a dimension.

    Returns:
        The view; a dimension's number if no position is given.

    Raises:
        UsageError: it is none of them.
    """
    if text.startswith("--"):
        return parse_view_line(text)
    parts = split_numbers(text)
    if _is_place(parts):
        return ViewLine(_place(parts, now.eye))
    if len(parts) == 4 and _is_place(parts[1:]):
        return ViewLine(_place(parts[1:], now.eye), dimension=parse_dimension(parts[0].lower()))
    if text.lower() in NAMES and text not in bookmarks.names():
        return NAMES[text.lower()]
    return bookmarks.view(text)


def _is_place(parts: list[str]) -> bool:
    return len(parts) == 3 and all(_is_number(part.removeprefix(RELATIVE) or "0") for part in parts)


def _place(parts: list[str], here: Eye) -> Eye:
    axes = zip(parts, here, strict=True)
    at = [float(part.removeprefix(RELATIVE) or 0) + (now if part[0] == RELATIVE else 0.0) for part, now in axes]
    return parse_at(",".join(map(repr, at)))


def _is_number(text: str) -> bool:
    try:
        Eye(float(text), 0.0, 0.0)
    except ValueError:
        return False
    return True


LONGEST: Final = 200
KEPT_ANSWERS: Final = 50


class Prompt:
    """A question and the text typed so far."""

    def __init__(self, question: str, answer: Callable[[str], str], earlier: list[str] | None = None) -> None:
        """Opens a prompt. ``answer``: called with the text at Enter; its result is shown.

        ``earlier``: previous answers, extended.
        """
        self._question = question
        self._answer = answer
        self._earlier = [] if earlier is None else earlier
        self._at = len(self._earlier)
        self._text = ""

    @property
    def line(self) -> str:
        return f"{self._question} {self._text}▏   (Enter, Esc)"

    def type(self, text: str) -> None:
        """Adds typed text without control characters, such as Enter."""
        self._text = (self._text + "".join(sign for sign in text if sign.isprintable()))[:LONGEST]

    def erase(self) -> None:
        self._text = self._text[:-1]

    def step(self, steps: int) -> None:
        """Replaces the text by an earlier or later answer; after the last, by an empty text."""
        self._at = min(max(self._at + steps, 0), len(self._earlier))
        self._text = self._earlier[self._at] if self._at < len(self._earlier) else ""

    def answer(self) -> str:
        """Enter: the sentence about the answer; empty for an empty answer."""
        text = self._text.strip()
        if text and text not in self._earlier[-1:]:
            self._earlier.append(text)
            del self._earlier[:-KEPT_ANSWERS]
        return self._answer(text) if text else ""


# ---------------------------------------------------------------- travel


class Travel:
    """Key actions that move the camera."""

    def __init__(
        self,
        controls: Controls,
        bookmarks: Bookmarks,
        folder: Path,
        dimension: Callable[[], int],
        player: Callable[[], Eye],
        cross: Callable[[int, ViewLine | None, View], str],
    ) -> None:
        """``dimension``: the present one's number. ``player``: the server's last position of the player.

        ``cross``: changes to another dimension, for a view line there or None, from a view; returns a sentence, or
        raises UsageError.
        """
        self.prompt: Prompt | None = None  # the open prompt
        self._controls = controls
        self._bookmarks = bookmarks
        self._folder = folder
        self._dimension, self._player, self._cross = dimension, player, cross
        self._last: str | None = None  # the last visited bookmark
        self._answers: dict[str, list[str]] = {}  # by question
        self._recorder: PathRecorder | None = None
        self._played: tuple[CameraPath, float] | None = None  # a path, and when it began

    @property
    def line(self) -> ViewLine:
        return ViewLine.of(self._controls.view, self._dimension())

    @property
    def recorded(self) -> int | None:
        """Number of keys of the path being recorded; None without one."""
        return self._recorder.keys if self._recorder else None

    def run_action(self, action: Action, now: float) -> str | None:
        """Runs an action if it concerns travelling; returns a sentence, else None."""
        try:
            return self._do(action, now)
        except UsageError as error:
            return str(error)
        except OSError as error:
            return f"{error.filename or self._folder}: {error.strerror}."

    def leave(self, now: float) -> str:
        """Leaves the world or closes the window: writes a path being recorded; returns a sentence."""
        return (self.run_action(Action.RECORD_PATH, now) or "") if self._recorder else ""

    def answer(self) -> str:
        """Enter, at the prompt: returns a sentence."""
        prompt, self.prompt = self.prompt, None
        try:
            return prompt.answer() if prompt else ""
        except UsageError as error:
            return str(error)

    def go(self, view: View) -> None:
        self._played = None
        self._controls.go(view)

    def frame(self, now: float) -> bool:
        """Called once a frame: records or plays a path; returns whether the view changed."""
        if self._recorder:
            self._recorder.record(self._controls.view, now)
        if self._played is None:
            return False
        path, began = self._played
        if now - began > path.duration_s or self._controls.flies:
            self._played = None
            return False
        self._controls.go(path.view(now - began))
        return True

    def _do(self, action: Action, now: float) -> str | None:
        match action:
            case Action.TELEPORT:
                return self._ask("Go to X,Y,Z, nether X,Y,Z, a bookmark or a view line:", self._go)
            case Action.SAVE_BOOKMARK:
                return self._ask("Name of this view:", self._save)
            case Action.NEXT_BOOKMARK:
                return self._next()
            case Action.TO_PLAYER:
                player = self._player()
                self.go(replace(self._controls.view, eye=player))
                return f"Back at the player, {coordinates(player)}."
            case Action.WALK:
                self._played = None
                self._controls.walk_or_fly()
                return "Walking." if self._controls.walks else "Flying."
            case Action.TOP_DOWN:
                self._played = None  # its next frame would lower the eye, and the next key would raise it once more
                self._controls.top_down()
                return "Top-down view, north up." if self._controls.from_above else "First-person view."
            case Action.ORTHOGRAPHIC:
                self._controls.switch_ortho()
                return "Perspective view." if self._controls.view.ortho_blocks is None else "Orthographic view."
            case Action.RECORD_PATH:
                return self._record(now)
            case Action.PLAY_PATH:
                return self._play(now)
            case _:
                return None

    def _ask(self, question: str, answer: Callable[[str], str]) -> str:
        self._controls.release_all()
        self.prompt = Prompt(question, answer, self._answers.setdefault(question, []))
        return ""

    def _go(self, text: str) -> str:
        there = destination(text, self._controls.view, self._bookmarks)
        if isinstance(there, ViewLine):
            return self._arrive(there, f"At {coordinates(there.at)}.")
        if there == self._dimension():
            raise UsageError(f"You are already in dimension {dimension_name(there)}; add X,Y,Z to go to a place there.")
        return self._cross(there, None, self._controls.view)

    def _save(self, name: str) -> str:
        self._bookmarks.save(name, self.line)
        self._last = name
        return f"Bookmark '{name}': {self.line}"

    def _next(self) -> str:
        name = self._last = self._bookmarks.after(self._last)
        line = self._bookmarks.view(name)
        return self._arrive(line, f"Bookmark '{name}': {line}")

    def _arrive(self, line: ViewLine, said: str) -> str:
        """Moves there, or changes to its dimension; returns a sentence."""
        if line.dimension not in (None, self._dimension()):
            return self._cross(line.dimension, line, self._controls.view)
        self.go(line.view(self._controls.view))
        return said

    def _record(self, now: float) -> str:
        if self._recorder is None:
            self._recorder = PathRecorder(self._controls.view, now)
            return "The camera path starts here; the same key ends it."
        recorder, self._recorder = self._recorder, None
        path = recorder.end(self._controls.view, now)
        if path is None:
            return "The camera path is too short: move before you end it."
        return f"camera path: {keep(self._folder, path).absolute()}, {path.duration_s:.1f} s"

    def _play(self, now: float) -> str:
        if self._played is not None:
            self._played = None
            return "The camera path ends here."
        file, path = latest(self._folder)
        self._played = path, now
        return f"playing {file}, {path.duration_s:.1f} s"


AWAY_BLOCKS: Final = 12.0
"""Distance from a block for looking at it."""
FAR_BLOCKS: Final = 28.0
"""Distance if no nearer eye sees it: outside of its sub-chunk in any direction."""
YAWS_DEG: Final = (0.0, 45.0, 90.0, 135.0, 180.0, -135.0, -90.0, -45.0)
PITCHES_DEG: Final = (25.0, 50.0, 0.0, 75.0, -25.0)


def near(block: BlockPos, view: View, is_free: Callable[[BlockPos], bool] = lambda _block: True) -> View:
    """A view of a block from a few blocks away: in the present direction, or in one from which its sub-chunk is seen.

    If every line is obstructed, the view with the fewest obstacles from an eye that is in none; in the present
    direction if every eye is in one.
    """
    now = _before(block, view)
    around = [replace(view, yaw_deg=yaw, pitch_deg=pitch) for pitch in PITCHES_DEG for yaw in YAWS_DEG]
    ways = (now, *(_before(block, way, away) for away in (AWAY_BLOCKS, FAR_BLOCKS) for way in around))
    best, least = now, math.inf
    for way in ways:
        hidden = _hidden(way, block, is_free)
        if hidden < least:
            best, least = way, hidden
        if not least:
            break
    return best


def _before(block: BlockPos, view: View, away_blocks: float = AWAY_BLOCKS) -> View:
    at = (axis + 0.5 - away_blocks * way for axis, way in zip(block, view.forward, strict=True))
    return replace(view, eye=Eye(*at))


def _hidden(view: View, block: BlockPos, is_free: Callable[[BlockPos], bool]) -> float:
    """How many obstacles lie before a block's sub-chunk; infinite for an eye inside one.

    From inside the sub-chunk: those before the block.
    """
    if not is_free(view.eye.block):
        return math.inf
    within, between = view.eye.block.subchunk == block.subchunk, 0
    for passed in blocks_along(view):
        if passed == block or (passed.subchunk == block.subchunk and not within):
            break
        between += not is_free(passed)
    return between
