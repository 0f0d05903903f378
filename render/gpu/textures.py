"""Textures: block textures, biome tints, buffers that shaders read by index, and PNG files.

Block textures are one array texture that grows by layers; the caller gives all mip levels.

Tints are a toroidal array texture with one layer for each kind of tint. Texel (z, x) & mask of layer kind - 1 is the
colour of that kind at block column x, z. Width is z because column arrays are indexed by ``x << 4 | z``.

PNG files contain a text that says how they were made, and are written completely or not at all.

``BufferTexture`` is a buffer that shaders read by index; it grows without losing its content (GL 3.1: glTexBuffer).
"""

import io
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.arrays import U8
from net.files import whole
from render.errors import OutOfMemory, OutOfPages
from render.gpu import gl
from render.gpu.device import Gpu, Unit
from render.gpu.targets import Pixels

SIDE: Final = 16
"""Of our own textures; under resource packs pictures may have other powers of two a side."""
LEVELS: Final = 5
NEAREST: Final = 0x2600
NEAREST_MIPMAP_LINEAR: Final = 0x2702

Texels = U8
"""[layers, side, side, 4] RGBA, row 0 at the top."""


class TileTextures:
    """The array texture of block faces."""

    def __init__(self, gpu: Gpu, first_layers: int = 256) -> None:
        self._gpu = gpu
        self._side = SIDE
        self._space = min(first_layers, gpu.capabilities.max_layers)
        self._texture: Any = self._allocate(self._space)
        self._levels: list[Texels] = _no_levels(SIDE)

    @property
    def layers(self) -> int:
        return len(self._levels[0])

    def append(self, levels: Sequence[Texels]) -> None:
        """Adds layers by their mip levels, the largest first, 1 x 1 last. Raises OutOfPages: the driver has no more."""
        first = self.layers
        if not first and levels[0].shape[1] != self._side:
            self._side, self._space = levels[0].shape[1], 0
            self._levels = _no_levels(self._side)
        joined = [np.concatenate(pair) for pair in zip(self._levels, levels, strict=True)]
        if len(joined[0]) > self._space:
            self._grow(len(joined[0]))
            first = 0
        self._levels = joined
        self._texture.use(int(Unit.TILES))
        for level, texels in enumerate(joined):
            part = np.ascontiguousarray(texels[first:])
            self._gpu.raw.write_array_layers(int(Unit.TILES), level, first, part.shape, part.ctypes.data)

    def replace(self, layer: int, levels: Sequence[Texels]) -> None:
        """Replaces a layer's texture; ``levels`` as in ``append``."""
        self._texture.use(int(Unit.TILES))
        for level, texels in enumerate(levels):
            self._levels[level][layer] = texels[0]
            part = np.ascontiguousarray(texels)
            self._gpu.raw.write_array_layers(int(Unit.TILES), level, layer, part.shape, part.ctypes.data)

    def clear(self) -> None:
        """Removes all layers; the memory stays allocated."""
        self._levels = _no_levels(self._side)

    def bind(self) -> None:
        self._texture.use(int(Unit.TILES))

    def release(self) -> None:
        self._texture.release()

    def _allocate(self, layers: int) -> Any:
        texture = self._gpu.ctx.texture_array((self._side, self._side, layers), 4)
        texture.use(int(Unit.TILES))
        for level in range(1, self._side.bit_length()):  # build_mipmaps would compute them: 0.13 s for 1,024 layers
            self._gpu.raw.allocate_array_level(int(Unit.TILES), level, self._side >> level, layers)
        texture.filter = (NEAREST_MIPMAP_LINEAR, NEAREST)
        texture.label = "tiles"
        self._gpu.check()
        return texture

    def _grow(self, layers: int) -> None:
        most = self._gpu.capabilities.max_layers
        if layers > most:
            raise OutOfPages("tiles", layers - self.layers, most)
        # Doubled, but where pictures are large: as many as are asked for, for few ever join.
        self._space = min(most, 1 << (layers - 1).bit_length()) if self._side == SIDE else layers
        self._texture.release()
        self._texture = self._allocate(self._space)


def _no_levels(side: int) -> list[Texels]:
    return [np.zeros((0, side >> k, side >> k, 4), np.uint8) for k in range(side.bit_length())]


KINDS: Final = 3

TintColumn = U8
"""[16, 16, 3, 3] by x, z, kind, and red, green, blue."""


class TintTexture:
    """The texture; its side is a power of two of columns."""

    def __init__(self, gpu: Gpu, side_columns: int) -> None:
        """An undefined one: ``fill`` it first."""
        self._gpu = gpu
        self.side_columns = side_columns  # columns along each side
        side = side_columns * 16
        self._texture: Any = gpu.ctx.texture_array((side, side, KINDS), 4)
        self._texture.filter = (NEAREST, NEAREST)
        self._texture.label = "tints"
        gpu.check()

    def fill(self, colours: U8) -> None:
        """Gives every column the same colours, [3, 3] by kind, and red, green, blue."""
        side = self.side_columns * 16
        texels = np.full((KINDS, side, side, 4), 255, np.uint8)
        texels[..., :3] = colours[:, None, None]
        self._texture.write(texels)

    def write(self, x: int, z: int, colours: TintColumn) -> None:
        """Uploads one column's colours; x and z are column positions."""
        mask = self.side_columns - 1
        texels = np.full((KINDS, 16, 16, 4), 255, np.uint8)
        texels[..., :3] = colours.transpose(2, 0, 1, 3)
        self._texture.write(texels, viewport=((z & mask) * 16, (x & mask) * 16, 0, 16, 16, KINDS))

    def bind(self) -> None:
        self._texture.use(int(Unit.TINTS))

    def release(self) -> None:
        self._texture.release()


COMPRESS_LEVEL: Final = 1
"""Measured on 1280 x 720 of hills: 21 ms, 812 KB; level 2 takes 24 ms for 796 KB. Pillow, which tries five filters for
each row, takes 44 ms at level 1 for 837 KB, and 0.5 s for 699 KB with ``optimize``."""
PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
FILTER_SUB: Final = 1
"""The filter of each row: a byte minus that of the pixel to its left."""


def write_png(path: Path, pixels: Pixels, labels: Mapping[str, str], *, kept: bool = False) -> None:
    """Writes a picture without its alpha, with text labels.

    ``path``: the file; what was there stays until the new one is complete. ``labels``: keyword to text, readable by any
    PNG tool. ``kept``: as small as can be, for a file in a repository.

    Raises:
        OSError: the place cannot be written.
    """
    with whole(path) as temporary, temporary.open("xb") as file:
        file.write(_smallest_png(pixels, labels) if kept else _png(pixels, labels))


def _png(pixels: Pixels, labels: Mapping[str, str]) -> bytes:
    height, width = pixels.shape[:2]
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = FILTER_SUB
    colours = rows[:, 1:].reshape(height, width, 3)
    colours[:, :1] = pixels[:, :1, :3]
    np.subtract(pixels[:, 1:, :3], pixels[:, :-1, :3], out=colours[:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # eight bits a channel, RGB
    chunks = [(b"IHDR", header), *(_text_chunk(*label) for label in labels.items())]
    chunks += [(b"IDAT", zlib.compress(rows.data, COMPRESS_LEVEL)), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(held)) + kind + held + struct.pack(">I", zlib.crc32(held, zlib.crc32(kind)))
        for kind, held in chunks
    ]
    return PNG_SIGNATURE + b"".join(parts)


def _text_chunk(keyword: str, text: str) -> tuple[bytes, bytes]:
    """A label as a chunk: Latin-1 where that has all letters, else UTF-8, which fewer tools read."""
    name = keyword.encode("latin-1") + b"\0"
    try:
        return b"tEXt", name + text.encode("latin-1")
    except UnicodeEncodeError:
        return b"iTXt", name + bytes(4) + text.encode()  # not compressed; no language, no translated keyword


def _smallest_png(pixels: Pixels, labels: Mapping[str, str]) -> bytes:
    from PIL import Image  # noqa: PLC0415 - 0.02 s that other pictures need not wait for
    from PIL.PngImagePlugin import PngInfo  # noqa: PLC0415 - as above

    words, made = PngInfo(), io.BytesIO()
    for keyword, text in labels.items():
        words.add_text(keyword, text)
    Image.fromarray(pixels[:, :, :3]).save(made, format="PNG", pnginfo=words, optimize=True)
    return made.getvalue()


# --------------------------------------------------------------------- buffer texture


class BufferTexture:
    """One buffer and the texture that shows it."""

    def __init__(self, gpu: Gpu, label: str, unit: Unit, internal_format: int, size_bytes: int) -> None:
        """An uninitialised buffer of texels like ``gl.RG32UI``. Raises OutOfMemory: the driver has none."""
        self._gpu = gpu
        self._label = label
        self._unit = unit
        self._format = internal_format
        self._texture = gpu.raw.make("Textures")
        self._buffer: Any = self._allocate(size_bytes)
        gpu.raw.label(gl.TEXTURE, self._texture, label)
        self.bytes = size_bytes  # its present size

    def _allocate(self, size_bytes: int) -> Any:
        buffer = self._gpu.ctx.buffer(reserve=size_bytes, dynamic=True)
        buffer.label = self._label
        try:
            self._gpu.check()
        except OutOfMemory:
            buffer.release()
            raise
        self._gpu.raw.attach_buffer(self._unit, self._texture, self._format, buffer.glo)
        return buffer

    def grow(self, size_bytes: int) -> None:
        """Enlarges the buffer with its content. Raises OutOfMemory: the driver has none; the old one stays."""
        old = self._buffer
        self._buffer = self._allocate(size_bytes)
        self._gpu.ctx.copy_buffer(self._buffer, old, size=self.bytes)
        old.release()
        self.bytes = size_bytes
        self._gpu.check()

    def write(self, content: npt.NDArray[Any], offset_bytes: int) -> None:
        """Puts a contiguous array at an offset."""
        if content.nbytes:
            self._buffer.write(content, offset=offset_bytes)

    def send(self, content: npt.NDArray[Any]) -> None:
        """Writes an array at the beginning; the buffer doubles until it fits."""
        if content.nbytes > self.bytes:
            self.grow(1 << (content.nbytes - 1).bit_length())
        self.write(np.ascontiguousarray(content), 0)

    def read(self, size_bytes: int, offset_bytes: int = 0) -> U8:
        """Bytes back from the GPU, for tests and checks."""
        self._gpu.wait()
        return np.frombuffer(self._buffer.read(size_bytes, offset=offset_bytes), np.uint8)

    def bind(self) -> None:
        self._gpu.raw.bind_buffer_texture(self._unit, self._texture)

    def release(self) -> None:
        self._gpu.raw.delete("Textures", self._texture)
        self._buffer.release()
