"""Images of packs -> square pictures of 16, 32, 64 or 128 texels a side.

Rules:
1. PNG and TGA (colour, grey, run-length coded or not, 24 and 32 bits, any origin), at most ``MOST_SIDE_PX`` a side.
2. A strip of n square frames, one below the other, gives n pictures; an image of any other shape gives its upper left
   square.
3. A picture keeps its size if that is a power of two from 16 to ``MOST_TILE_PX``. Larger ones are averaged down, with
   colours weighted by coverage; smaller ones are enlarged by repeating texels.
4. ``at_side`` converts between these sizes in the same way.
"""

import io
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
from msgspec.structs import replace

from net.arrays import U8
from render.materials.canvas import SIDE
from render.materials.packs.troubles import MOST_FRAMES, MOST_SIDE_PX, MOST_TILE_PX, FileTrouble

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile


Frames = U8
"""[n, side, side, 4] red, green, blue, alpha; row 0 at the top. Side is 16, 32, 64 or 128."""

SUFFIXES: Final = (".tga", ".png")
"""In the order in which the game looks for a file."""


def frames_of(raw: bytes, name: str, masked: bool = False) -> Frames:
    """The pictures of an image. ``masked``: alpha is not coverage. Raises FileTrouble: it cannot be read."""
    pixels = decoded(raw, name)
    height, width = pixels.shape[:2]
    if height > width and height % width == 0:
        count = height // width
        if count > MOST_FRAMES:
            raise FileTrouble(f"{count} frames are too many; at most {MOST_FRAMES} are read")
        return _regular(pixels.reshape(count, width, width, 4), masked)
    side = min(height, width)
    return _regular(pixels[None, :side, :side], masked)


def decoded(raw: bytes, name: str) -> U8:
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
    except Exception as error:  # decoders raise many types for bad input: OSError, SyntaxError, struct.error ...
        raise FileTrouble(f"it is not a readable {form}: {error}") from None


def _opened(raw: bytes, suffix: str) -> "ImageFile":
    """Avoids ``PIL.Image.open``, which warns of large images, or refuses them, before their size can be checked."""
    if suffix == ".tga":
        from PIL.TgaImagePlugin import TgaImageFile  # noqa: PLC0415 - twenty modules, for those who have packs

        return TgaImageFile(io.BytesIO(raw))
    from PIL.PngImagePlugin import PngImageFile  # noqa: PLC0415 - as above

    return PngImageFile(io.BytesIO(raw))


def at_side(frames: Frames, side: int, masked: bool) -> Frames:
    """Pictures in another size, averaged down or enlarged by repeating texels; both sides are powers of two."""
    have = frames.shape[1]
    if have > side:
        return _averaged(frames, have // side, masked)
    return frames.repeat(side // have, 1).repeat(side // have, 2) if have < side else frames


def _regular(frames: Frames, masked: bool) -> Frames:
    """Pictures of any size scaled to the nearest regular size, from 16 to ``MOST_TILE_PX``."""
    have = frames.shape[1]
    side = min(max(SIDE, 1 << (have - 1).bit_length()), MOST_TILE_PX)
    if have == side:
        return np.ascontiguousarray(frames)
    if have > side and have % side == 0:
        return _averaged(frames, have // side, masked)
    # Not a whole multiple: scale to the nearest multiple by nearest texel, then average.
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
    """An animation: its frames, their order, and how long each lasts."""

    frames: Frames  # uint8[n, side, side, 4]
    order: tuple[int, ...]  # numbers of frames, each of which lasts ``ticks``
    ticks: int  # of 50 ms
    blended: bool  # one fades into the next

    @property
    def moves(self) -> bool:
        """Whether more than one frame is shown."""
        return len(set(self.order)) > 1

    @property
    def side(self) -> int:
        return int(self.frames.shape[1])

    def at_side(self, side: int, masked: bool) -> "Strip":
        """The same in another size; ``masked``: alpha is not coverage."""
        return self if side == self.side else replace(self, frames=at_side(self.frames, side, masked))

    def turned(self) -> "Strip":
        """The same turned by 90 degrees anticlockwise, for the sides of a horizontal pillar."""
        return replace(self, frames=np.ascontiguousarray(np.rot90(self.frames, axes=(1, 2))))

    def step_at(self, tick: int) -> int:
        """Number of the picture shown at a tick: a new one each tick if frames blend, else one each ``ticks``."""
        loop = tick % (len(self.order) * self.ticks)
        return loop if self.blended else loop // self.ticks

    def picture(self, step: int) -> U8:
        """uint8[side, side, 4]: picture ``step`` of the loop. Frames are blended as sRGB codes, as in the game."""
        if not self.blended:
            return self._frame(step)
        place, part = divmod(step, self.ticks)
        now, following = self._frame(place).astype(np.uint32), self._frame((place + 1) % len(self.order))
        mixed = (now * (self.ticks - part) + following * np.uint32(part)) // np.uint32(self.ticks)
        return mixed.astype(np.uint8)

    def _frame(self, place: int) -> U8:
        return self.frames[self.order[place]]
