"""Images of packs -> square pictures of 16, 32, 64 or 128 texels a side.

Rules:
1. PNG and TGA (colour, grey, run-length coded or not, 24 and 32 bits, any origin), at most ``MOST_SIDE_PX`` a side.
2. A strip of square frames, one below the other, is as many pictures; of any other shape the upper left square counts.
3. A picture keeps its size where that is a power of two from 16 to ``MOST_TILE_PX``. Larger ones are averaged down,
   colour as far as it covers; smaller ones are repeated by texel.
4. ``at_side`` makes pictures of any of these sizes into pictures of any other, likewise.

Moving: A picture that moves: its frames, how long each lasts, and what is shown at a time.
"""

import io
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from render.materials.canvas import SIDE
from render.materials.packs.troubles import MOST_FRAMES, MOST_SIDE_PX, MOST_TILE_PX, FileTrouble

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile


Frames = npt.NDArray[np.uint8]
"""[n, side, side, 4] red, green, blue, alpha; row 0 at the top. Side is 16, 32, 64 or 128."""

SUFFIXES: Final = (".tga", ".png")
"""In the order in which the game looks for a file."""


def frames_of(raw: bytes, name: str, masked: bool = False) -> Frames:
    """The pictures of an image; of ``masked`` ones alpha is no coverage. Raises FileTrouble: it cannot be read."""
    pixels = decoded(raw, name)
    height, width = pixels.shape[:2]
    if height > width and height % width == 0:
        count = height // width
        if count > MOST_FRAMES:
            raise FileTrouble(f"{count} frames are too many; at most {MOST_FRAMES} are read")
        return _regular(pixels.reshape(count, width, width, 4), masked)
    side = min(height, width)
    return _regular(pixels[None, :side, :side], masked)


def decoded(raw: bytes, name: str) -> npt.NDArray[np.uint8]:
    """uint8[height, width, 4] of an image of any shape; raises as ``frames_of`` does."""
    suffix = PurePosixPath(name).suffix.lower()
    form = suffix[1:].upper()
    try:
        with _opened(raw, suffix) as image:
            if max(image.size) > MOST_SIDE_PX:
                raise FileTrouble(
                    f"{image.width} x {image.height} pixels are too many; at most {MOST_SIDE_PX} on a side are read"
                )
            if min(image.size) < 1:
                raise FileTrouble("it has no pixels")
            return np.asarray(image.convert("RGBA"))
    except FileTrouble:
        raise
    except Exception as error:  # a decoder fed with anything raises anything: OSError, SyntaxError, struct.error ...
        raise FileTrouble(f"it is not a readable {form}: {error}") from None


def _opened(raw: bytes, suffix: str) -> "ImageFile":
    """Not by ``PIL.Image.open``: it warns of large images, or refuses them, before their size can be asked."""
    if suffix == ".tga":
        from PIL.TgaImagePlugin import TgaImageFile  # noqa: PLC0415 - twenty modules, for those who have packs

        return TgaImageFile(io.BytesIO(raw))
    from PIL.PngImagePlugin import PngImageFile  # noqa: PLC0415 - as above

    return PngImageFile(io.BytesIO(raw))


def at_side(frames: Frames, side: int, masked: bool) -> Frames:
    """Pictures in another size, both of them powers of two: averaged down or repeated by texel."""
    have = frames.shape[1]
    if have > side:
        return _averaged(frames, have // side, masked)
    return frames.repeat(side // have, 1).repeat(side // have, 2) if have < side else frames


def _regular(frames: Frames, masked: bool) -> Frames:
    """Pictures of any size at the nearest regular one, from 16 to ``MOST_TILE_PX``."""
    have = frames.shape[1]
    side = min(max(SIDE, 1 << (have - 1).bit_length()), MOST_TILE_PX)
    if have == side:
        return np.ascontiguousarray(frames)
    if have > side and have % side == 0:
        return _averaged(frames, have // side, masked)
    # No whole number of texels: the nearest multiple by nearest texel, then averaged.
    times = -(-have // side)
    at = np.arange(side * times) * have // (side * times)
    return _averaged(frames[:, at][:, :, at], times, masked)


def _averaged(frames: Frames, times: int, masked: bool) -> Frames:
    if times == 1:
        return np.ascontiguousarray(frames)
    side = frames.shape[1] // times
    smaller = np.empty((len(frames), side, side, 4), np.uint8)
    for number, frame in enumerate(frames):  # one by one: 256 frames of 256 x 256 as floats were 0.5 GB
        parts = frame.reshape(side, times, side, times, 4).astype(np.float32)
        weight = np.ones_like(parts[..., 3:]) if masked else parts[..., 3:] + 1e-3
        smaller[number, ..., :3] = np.rint((parts[..., :3] * weight).mean((1, 3)) / weight.mean((1, 3)))
        smaller[number, ..., 3] = np.rint(parts[..., 3].mean((1, 3)))
    return smaller


class Strip(msgspec.Struct, frozen=True):
    """Frames and their order."""

    frames: Frames  # uint8[n, side, side, 4]
    order: tuple[int, ...]  # numbers of frames, each of which lasts ``ticks``
    ticks: int  # of 50 ms
    blended: bool  # one fades into the next

    @property
    def moves(self) -> bool:
        """Whether it ever shows anything but its first picture."""
        return len(set(self.order)) > 1

    @property
    def side(self) -> int:
        return int(self.frames.shape[1])

    def at_side(self, side: int, masked: bool) -> "Strip":
        """The same in another size; ``masked``: alpha is no coverage."""
        return self if side == self.side else replace(self, frames=at_side(self.frames, side, masked))

    def turned(self) -> "Strip":
        """The same by a quarter against the clock, as the sides of a pillar that lies."""
        return replace(self, frames=np.ascontiguousarray(np.rot90(self.frames, axes=(1, 2))))

    def step_at(self, tick: int) -> int:
        """Which of the pictures of its loop is shown: a new one each tick where frames blend, else each ``ticks``."""
        loop = tick % (len(self.order) * self.ticks)
        return loop if self.blended else loop // self.ticks

    def picture(self, step: int) -> npt.NDArray[np.uint8]:
        """uint8[side, side, 4]: picture ``step`` of the loop; a blend is of codes, as the game's is."""
        if not self.blended:
            return self._frame(step)
        place, part = divmod(step, self.ticks)
        now, following = self._frame(place).astype(np.uint32), self._frame((place + 1) % len(self.order))
        mixed = (now * (self.ticks - part) + following * np.uint32(part)) // np.uint32(self.ticks)
        return mixed.astype(np.uint8)

    def _frame(self, place: int) -> npt.NDArray[np.uint8]:
        frame: npt.NDArray[np.uint8] = self.frames[self.order[place]]
        return frame
