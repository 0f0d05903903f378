"""Camera paths: keys in a TOML file, and a smooth curve through them.

    [[key]]
    time_s = 0.0            # seconds, growing from key to key
    at = [8.0, 90.0, 8.0]   # the eye, in blocks
    look = [30.0, 20.0]     # yaw and pitch in degrees, as --look
    fov = 70.0              # vertical degrees; optional, in all keys or in none
    ortho = 64.0            # height of an orthographic picture in blocks; optional: without it, in perspective

Rules:
1. At a key's time the view is exactly that key's. Between two equal keys the camera does not move.
2. Between two keys each coordinate stays within the range of both: a path over the ground does not dip into it.
3. A turn takes the shorter way round, so a whole turn needs three keys.
4. There is no transition between perspective and orthographic pictures: where only one of two keys has an ``ortho``,
   the picture keeps the first key's projection until the second.

Theory: monotone piecewise cubics (Fritsch and Carlson 1980, with the harmonic mean of Butland), one for each of six
coordinates and one for heights, yaw unrolled first. Speeds are continuous over the keys. A Catmull-Rom spline would
overshoot (rule 2).
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, Final

import msgspec

from client.errors import UnreadableFile, UsageError
from client.player import HIGHEST_ORTHO_BLOCKS, LOWEST_ORTHO_BLOCKS, NARROWEST_FOV, WIDEST_FOV, Eye, View
from net.config import Form, Read, TomlTables, WrongValue, number

LONGEST_S: Final = 24 * 3600.0
FAR_BLOCKS: Final = 3e7


def _numbers(what: str, *bounds: float) -> Read:
    """Reads a list of numbers, each at most as far from 0 as its bound; ``what`` it must be."""

    def read(value: Any) -> list[float]:  # Any: what TOML holds
        if not isinstance(value, list) or len(value) != len(bounds):
            raise WrongValue(what)
        return [number(-most, most, what)(each) for each, most in zip(value, bounds, strict=True)]

    return read


KEY: Final[Form] = {
    "time_s": number(-1e9, 1e9, "a number of seconds"),
    "at": _numbers("[X, Y, Z] in blocks", FAR_BLOCKS, FAR_BLOCKS, FAR_BLOCKS),
    "look": _numbers("[YAW, PITCH] in degrees, the pitch from -90 to 90", 1e6, 90.0),
    "fov": number(NARROWEST_FOV, WIDEST_FOV),
    "ortho": number(LOWEST_ORTHO_BLOCKS, HIGHEST_ORTHO_BLOCKS),
}


class Key(msgspec.Struct, frozen=True):
    """One view at one time."""

    time_s: float  # seconds
    view: View  # eye, direction, and height of an orthographic picture
    fov_deg: float | None = None  # vertical; None: the film's


class CameraPath(msgspec.Struct, frozen=True):
    """Keys in order of their times, at least two."""

    keys: tuple[Key, ...]  # as in the file

    @property
    def duration_s(self) -> float:
        """From the first key to the last."""
        return self.keys[-1].time_s - self.keys[0].time_s

    def view(self, elapsed_s: float, fov_deg: float = 70.0) -> View:
        """The view at a time after the first key, clamped to the path. ``fov_deg``: used where keys have no ``fov``."""
        times = [key.time_s for key in self.keys]
        at = min(max(elapsed_s + times[0], times[0]), times[-1])
        x, y, z, yaw, pitch, fov = (_between(times, values, at) for values in self._coordinates(fov_deg))
        return View(Eye(x, y, z), yaw, pitch, fov, self._height(times, at))

    def _height(self, times: Sequence[float], at: float) -> float | None:
        """Height of an orthographic picture at a time; None: in perspective."""
        heights = [key.view.ortho_blocks for key in self.keys]
        index = bisect_right(times, at) - 1
        here, first = heights[index], index
        if here is None:
            return None
        while first and heights[first - 1] is not None:
            first -= 1
        run = [height for height in takewhile(lambda height: height is not None, heights[first:]) if height is not None]
        if index + 1 == first + len(run):  # last key of its run
            return here
        return _between(times[first : first + len(run)], run, at)

    def _coordinates(self, fov_deg: float) -> tuple[list[float], ...]:
        """x, y, z, unrolled yaw, pitch, field of view of each key."""
        rows = [
            (*key.view.eye, key.view.yaw_deg, key.view.pitch_deg, key.fov_deg if key.fov_deg is not None else fov_deg)
            for key in self.keys
        ]
        x, y, z, yaw, pitch, fov = (list(column) for column in zip(*rows, strict=True))
        return x, y, z, _unrolled(yaw), pitch, fov


def read_path(path: Path) -> CameraPath:
    """Reads a camera path.

    Raises:
        UnreadableFile: it cannot be read, or is not TOML.
        UsageError: a key is invalid; the message names it and the reason.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path} is not valid TOML: {error}.") from None
    tables = TomlTables(str(path), text, UnreadableFile, "camera path")
    try:
        tables.root({}, ("key",))
        rows = tables.rows("key", KEY, needs=("time_s", "at", "look"))
    except UnreadableFile as error:
        raise UsageError(str(error)) from None
    if len(rows) < 2:
        raise UsageError(f"{path} has {_keys(len(rows))}: a camera path needs at least two [[key]] tables.")
    keys = tuple(
        Key(row["time_s"], View(Eye(*row["at"]), yaw, pitch, ortho_blocks=row.get("ortho")), row.get("fov"))
        for row in rows
        for yaw, pitch in [row["look"]]
    )
    _expect_order(keys, path)
    return CameraPath(keys)


def write_path(path: Path, camera_path: CameraPath) -> None:
    """Writes a camera path as ``read_path`` reads it, to a millisecond, a millimetre and a hundredth of a degree.

    Raises:
        OSError: it cannot be written, or exists already.
    """
    with path.open("x", encoding="utf-8") as file:
        for key in camera_path.keys:
            eye, view = key.view.eye, key.view
            file.write(f"[[key]]\ntime_s = {key.time_s:.3f}\nat = [{eye.x:.3f}, {eye.y:.3f}, {eye.z:.3f}]\n")
            file.write(f"look = [{view.yaw_deg:.2f}, {view.pitch_deg:.2f}]\n")
            file.write(f"fov = {key.fov_deg:g}\n" if key.fov_deg is not None else "")
            file.write(f"ortho = {view.ortho_blocks:.3f}\n\n" if view.ortho_blocks is not None else "\n")


def _expect_order(keys: Sequence[Key], path: Path) -> None:
    for count, (before, after) in enumerate(pairwise(keys), 2):
        if after.time_s <= before.time_s:
            raise UsageError(
                f"{path}, key {count}: its time_s {after.time_s:g} must be after {before.time_s:g}, the time of "
                "the previous key."
            )
    if keys[-1].time_s - keys[0].time_s > LONGEST_S:
        raise UsageError(f"{path} is {keys[-1].time_s - keys[0].time_s:g} s long; a film has at most {LONGEST_S:g} s.")
    without = [count for count, key in enumerate(keys, 1) if key.fov_deg is None]
    if without and len(without) < len(keys):
        raise UsageError(f"{path}, key {without[0]} has no fov; give it in all keys or in none.")


def _keys(count: int) -> str:
    return "one key" if count == 1 else f"{count} keys"


def _unrolled(yaws: Sequence[float]) -> list[float]:
    """The same directions, each at most half a turn from the one before; yaw grows in a turn of exactly a half."""
    out = [yaws[0]]
    for yaw in yaws[1:]:
        out.append(out[-1] + 180.0 - (180.0 - (yaw - out[-1])) % 360.0)
    return out


def _between(times: Sequence[float], values: Sequence[float], at: float) -> float:
    """The monotone cubic through (times, values), at a time inside them."""
    index = min(max(bisect_right(times, at) - 1, 0), len(times) - 2)
    low, high = values[index], values[index + 1]
    width = times[index + 1] - times[index]
    share = (at - times[index]) / width
    if share in (0.0, 1.0) or low == high:
        return high if share == 1.0 else low
    start, end = _slope(times, values, index) * width, _slope(times, values, index + 1) * width
    rest = 1.0 - share
    value = low * rest * rest * (1 + 2 * share) + high * share * share * (3 - 2 * share)
    value += start * share * rest * rest - end * share * share * rest
    return min(max(value, min(low, high)), max(low, high))  # keeps rounding errors inside the range


def _slope(times: Sequence[float], values: Sequence[float], index: int) -> float:
    """The speed at one point: the weighted harmonic mean of both sides, 0 at extrema; at the ends, the one side's."""
    if index == 0 or index == len(times) - 1:
        first = min(index, len(times) - 2)
        return (values[first + 1] - values[first]) / (times[first + 1] - times[first])
    before, after = times[index] - times[index - 1], times[index + 1] - times[index]
    come = (values[index] - values[index - 1]) / before
    go = (values[index + 1] - values[index]) / after
    if come * go <= 0:
        return 0.0
    first_weight, second_weight = 2 * after + before, after + 2 * before
    return (first_weight + second_weight) / (first_weight / come + second_weight / go)
