"""Short texts in space, in our bitmap font (``materials.font``), with the same size on the screen at any distance.

Rules:
1. A texel of the font is a square of whole pixels, on a dark background: legible on snow, in caves, over boxes.
2. A text is centred on a point. What hides the point hides the text, or leaves a share of it visible.
3. A text that would overlap one nearer to the eye is left out; of equal distances the one with the lower position
   stays. Texts of one point are stacked, the first given on top. Beyond ``MOST_LABELS`` the farthest are left out.
4. Depth is tested, never written; texts are drawn far to near.
5. Of many texts only few have room. A text is made (``Texts``) once its minimum size is known to be free, and is
   converted to characters once, because the next frame and other places often have the same text.

Theory: an instance a character, two texels of four int32: bits of the point from the eye's block as floats, column |
columns << 8 | row << 16 | rows << 24, rows being those of its stack; then the character's bits, its colour | how much
of it shows behind what hides its point << 24 (in 200ths), pixels a texel.

A kernel goes through the texts nearest first and gives each the rectangle that it needs, unless it overlaps a taken
one; texts of one point take one rectangle together, a *stack*. When the kernel comes to a text that is not made yet, it
finds further ones that will be needed, and all are made together. While the camera moves, the layout of a camera near
by is kept (``USED_BY_TEXTS``); the first frame after the movement gets its own layout.

Limits: texts of up to 255 characters a row; only a line feed breaks a line.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, overload

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import F64, I32, I64, U8
from render.camera import Camera, Vector
from render.gpu import gl
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.targets import Target
from render.gpu.textures import BufferTexture
from render.materials import font
from render.passes.overlay.boxes import share_used
from render.passes.overlay.lines import BEFORE, BEHIND
from render.passes.overlay.overlay_kernels import place, sort_points, write_texts


class Texts(Sequence[str]):
    """Texts made at first access, each once."""

    def __init__(self, many: int, say: Callable[[int], str]) -> None:
        """Makes no text yet. ``say``: returns the text of a number below that length."""
        self._many, self._said = many, cache(say)

    def __len__(self) -> int:
        return self._many

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[str]: ...

    def __getitem__(self, number: int | slice) -> str | Sequence[str]:
        chosen = range(self._many)[number]
        return self._said(chosen) if isinstance(chosen, int) else [self._said(each) for each in chosen]


class Labels(msgspec.Struct, frozen=True, eq=False):
    """Texts."""

    points: F64  # float64[n, 3] in blocks, the middle of each
    texts: Sequence[str]  # the texts; small letters are drawn as capitals
    tones: U8  # uint8[n, 3] its colour
    least: tuple[int, int] = (1, 1)  # minimum characters a row and rows of each

    @classmethod
    def of(
        cls,
        points: npt.NDArray[Any],
        texts: Sequence[str],
        tones: npt.ArrayLike = (255, 255, 255),
        least: tuple[int, int] = (1, 1),
    ) -> "Labels":
        """Makes labels with one colour of 0..255 for all, or one each."""
        at = np.asarray(points, np.float64).reshape(len(texts), 3)
        each = np.broadcast_to(np.asarray(tones, np.uint8), at.shape)
        return cls(at, texts if isinstance(texts, Texts) else tuple(texts), each, least)

    def __len__(self) -> int:
        return len(self.texts)

    def same(self, other: "Labels") -> bool:
        """Whether texts, points and colours are known to be equal; False for ``Texts``, which may not be made yet."""
        return (
            isinstance(self.texts, tuple)
            and self.texts == other.texts
            and self.least == other.least
            and np.array_equal(self.points, other.points)
            and np.array_equal(self.tones, other.tones)
        )


def no_labels() -> Labels:
    return Labels.of(np.zeros((0, 3)), ())


# ---------------------------------------------------------------- spelling

MOST_CHARACTERS: Final = 1 << 16
"""Limit in characters beyond which the cache is emptied at the next layout; a megabyte."""
FIRST_SPELT: Final = 4096

Characters = I32
"""[n, 4]: column | columns << 8, row, the two words of the font's bits."""


class Spelt(NamedTuple):
    """One text: the longest row in characters, the number of rows, the index of its first character, its length."""

    columns: int
    rows: int
    begin: int
    length: int


class Spelling:
    """Cache of the characters of all texts that were used."""

    def __init__(self) -> None:
        self.characters: Characters = np.zeros((FIRST_SPELT, 4), np.int32)  # int32[k, 4], the first ones in use
        self.edition = 0  # changes when the cache is emptied
        self._used = 0
        self._spelt: dict[str, Spelt] = {}

    def of(self, text: str) -> Spelt:
        found = self._spelt.get(text)
        if found is None:
            found = self._spelt[text] = self._spell(text)
        return found

    def trim(self) -> None:
        """Empties the cache if it is large: texts that count seconds are always new."""
        if self._used > MOST_CHARACTERS:
            self._spelt.clear()
            self._used, self.edition = 0, self.edition + 1

    def _spell(self, text: str) -> Spelt:
        lines = text.split("\n")
        words = [
            (column | len(line) << 8, row, *font.bits(character))
            for row, line in enumerate(lines)
            for column, character in enumerate(line)
        ]
        begin, end = self._used, self._used + len(words)
        while end > len(self.characters):
            self.characters = np.concatenate([self.characters, np.zeros_like(self.characters)])
        if words:
            self.characters[begin:end] = words
        self._used = end
        return Spelt(max(map(len, lines)), len(lines), begin, len(words))


# ---------------------------------------------------------------- label layout

MOST_LABELS: Final = 160
CHARACTER_WIDE: Final = font.WIDE + 1
CHARACTER_TALL: Final = font.TALL + 2
"""Texels of a character's cell, background included."""
GAP: Final = 3
"""Texels between two texts side by side."""
AT_ONCE: Final = 32
"""Most texts that are made together."""
TALL_PX: Final = 720
"""Height of a picture from which a texel is two pixels; in lower pictures it is one."""


class Placed(NamedTuple):
    """Texts that have room, nearest first."""

    numbers: I64  # int64[k]
    rows: I32  # int32[k, 2] rows of its stack above each, and rows of the stack


def texel_px(size_px: tuple[int, int]) -> int:
    """Pixels a texel in a picture of that size."""
    return max(1, 2 * size_px[1] // TALL_PX)


class LabelLayout:
    """Decides which texts are drawn, numbered through all parts; keeps what does not depend on the camera."""

    def __init__(self, parts: Sequence[Labels], before: "LabelLayout | None" = None) -> None:
        """Makes no text; reuses the texts that the layout ``before`` made for the same parts."""
        self.parts = tuple(parts)  # the texts
        self.spelling: Spelling = before.spelling if before else Spelling()  # characters of the texts that were made
        # int64[parts + 1] number of each part's first text, then the number of texts
        self.starts = np.cumsum([0, *map(len, self.parts)], dtype=np.int64)
        many = int(self.starts[-1])
        # float64[n, 3] in blocks, of all parts
        self.points = np.concatenate([np.zeros((0, 3)), *(part.points for part in self.parts)])
        # uint8[n, 3] colours of all parts
        self.tones = np.concatenate([np.zeros((0, 3), np.uint8), *(part.tones for part in self.parts)])
        known = before.known() if before else {}
        self._edition = self.spelling.edition
        # int32[n, 4] each as ``Spelt``; rows below 0: not made yet, has at least this many
        self.texts = np.concatenate([
            np.zeros((0, 4), np.int32),
            *(known.get(id(part), _unmade(part)) for part in self.parts),
        ])  # fmt: skip
        self._keys = np.empty(many)
        self._order, self._spare = np.empty(many, np.int64), np.empty(many, np.int64)
        self._taken, self._chosen = np.empty((MOST_LABELS, 4)), np.empty(MOST_LABELS, np.int64)
        self._rows, self._wanted = np.empty((MOST_LABELS, 2), np.int32), np.empty(AT_ONCE, np.int64)
        self._sorted_from: Vector | None = None

    def known(self) -> dict[int, I32]:
        """Entries of the texts of each part, by the part's identity."""
        ends = zip(self.parts, self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)
        return {id(part): self.texts[begin:end] for part, begin, end in ends}

    def part_of(self, number: int) -> int:
        return int(np.searchsorted(self.starts, number, side="right")) - 1

    def text(self, number: int) -> str:
        part = self.part_of(number)
        return self.parts[part].texts[number - int(self.starts[part])]

    def shown(self, camera: Camera, size_px: tuple[int, int]) -> Placed:
        """The texts that are drawn: those in the picture that overlap no nearer one."""
        self._trim()
        if camera.stand != self._sorted_from:
            self._sorted_from = camera.stand
            sort_points(self.points, np.array(camera.stand, np.float64), self._keys, self._order, self._spare)
        eye, matrix = np.array(camera.eye, np.float64), camera.view_projection().astype(np.float64)
        frame = np.array([*size_px, camera.near_blocks, camera.far_blocks], np.float64)
        cell = np.array([CHARACTER_WIDE, CHARACTER_TALL, GAP], np.float64) * texel_px(size_px)
        done = np.zeros(3, np.int64)
        while many := place(
            self.points, self._order, matrix, eye, frame, self.texts, cell, self._taken, self._chosen, self._rows,
            self._wanted, done,
        ):  # fmt: skip
            for number in self._wanted[:many].tolist():
                self.texts[number] = self.spelling.of(self.text(number))
        return Placed(self._chosen[: done[1]].copy(), self._rows[: done[1]].copy())

    def _trim(self) -> None:
        self.spelling.trim()
        if self._edition != self.spelling.edition:
            self._edition = self.spelling.edition
            self.texts[:, 1] = -abs(self.texts[:, 1])


def _unmade(part: Labels) -> I32:
    texts = np.zeros((len(part), 4), np.int32)
    texts[:, 0], texts[:, 1] = part.least[0], -part.least[1]
    return texts


# ---------------------------------------------------------------- label pass

LABEL_BYTES: Final = 32
"""Vertices of a character."""
VERTICES: Final = 6
FIRST_CHARACTERS: Final = 1024
NEARER: Final = 0.002
"""Depth offset, as a share of the distance: a text on a face is in front of it."""
WHOLE_SHARE: Final = 200
"""The value of 1 in a character: 0.5 and 0.55 are whole numbers of it."""

USED_BY_TEXTS: Final = 0.21
"""The share of the boxes' allowance (``boxes.share_used``) within which texts stay: 3 degrees, 0.4 blocks."""

Part = tuple[Labels, float]
"""Texts of one overlay, and how much of each shows where its point is hidden, 0..1."""


def packed(
    layout: LabelLayout, placed: Placed, hidden: Sequence[float], eye_block: tuple[int, int, int], texel: int
) -> I32:
    """int32[characters, 8] as ``labels.vert`` reads them; ``hidden`` by part, ``texel`` in pixels."""
    words = np.empty((int(layout.texts[placed.numbers, 3].sum()), 8), np.int32)
    shares = np.array([round(WHOLE_SHARE * share) for share in hidden], np.int64)
    write_texts(
        placed.numbers, placed.rows, layout.points, layout.tones, layout.texts, layout.spelling.characters,
        layout.starts, shares, np.array(eye_block, np.int64), texel, words, words.view(np.float32),
    )  # fmt: skip
    return words


class LabelsPass(GlOwner):
    """Draws the texts of all overlays in one layout."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        defines = {"CHARACTER_WIDE": float(CHARACTER_WIDE), "CHARACTER_TALL": float(CHARACTER_TALL)}
        defines |= {"NEARER": NEARER, "WHOLE_SHARE": float(WHOLE_SHARE)}
        self._array: Any = self._own(gpu.vertices("labels.vert", "labels.frag", defines))
        self._buffer = self._own(BufferTexture(gpu, "labels", Unit.LABELS, gl.RGBA32I, FIRST_CHARACTERS * LABEL_BYTES))
        self._layout: LabelLayout | None = None
        self._sent: tuple[LabelLayout, tuple[int, int], tuple[int, int, int], Camera, int] | None = None
        self._seen_by: Camera | None = None

    def draw(self, target: Target, camera: Camera, parts: Sequence[Part], ahead: bool = False) -> int:
        """Draws texts over the current target; returns the number of characters.

        ``target``: depth is tested, not written. ``parts``: any number of texts; of one point the first given are on
        top. ``ahead``: whether the layout of a camera near by is kept while the camera moves.
        """
        parts = [part for part in parts if len(part[0])]
        moves, self._seen_by = self._seen_by != camera, camera
        many = self._send(parts, camera, target.size, ahead and moves) if parts else 0
        if not many:
            return 0
        self._buffer.bind()
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.BLEND | ctx.DEPTH_TEST)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        self._array.program["picture"].value = target.size
        target.write_depth(False)
        if any(hidden > 0.0 for _, hidden in parts):
            ctx.depth_func = BEHIND
            self._render(many, behind=True)
            ctx.depth_func = BEFORE
        self._render(many, behind=False)
        target.write_depth(True)
        return many

    def _render(self, many: int, behind: bool) -> None:
        self._array.program["behind"].value = behind
        self._array.render(vertices=VERTICES * many)

    def _send(self, parts: Sequence[Part], camera: Camera, size_px: tuple[int, int], moves: bool) -> int:
        layout, block = self._layout_of([labels for labels, _ in parts]), camera.eye_block
        if self._sent is not None and self._sent[:3] == (layout, size_px, block):
            taken_for, many = self._sent[3:]
            if camera == taken_for or (moves and share_used(camera, taken_for) <= USED_BY_TEXTS):
                return many
        numbers, rows = layout.shown(camera, size_px)
        placed = Placed(np.ascontiguousarray(numbers[::-1]), np.ascontiguousarray(rows[::-1]))
        content = packed(layout, placed, [share for _, share in parts], block, texel_px(size_px))
        self._buffer.send(content)
        self._sent = layout, size_px, block, camera, len(content)
        return len(content)

    def _layout_of(self, labels: Sequence[Labels]) -> LabelLayout:
        """The last layout, if it has the same texts."""
        kept = self._layout
        if kept is None or [*map(id, kept.parts)] != [*map(id, labels)]:
            self._layout = kept = LabelLayout(labels, kept)
        return kept
