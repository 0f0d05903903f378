"""Compares two takes of a view in three layers: world data (``compare_data``), channels of each pixel, and colours.

Channels of each pixel:
1. A pixel is *inner* when it and its 8 neighbours (at the border, the nearest pixel of the picture) show the same block
   and face in both pictures. All channels of inner pixels are compared exactly. All other pixels lie at edges, where
   drivers round differently: at most ``Tolerance.edge_share`` of the picture may be edge pixels that differ.
2. Where a neighbour of an inner pixel lies in another cell, the channels that depend on the cell (cell, light, state,
   mirror) are compared as those of an edge pixel.
3. Depth is a float: it differs when the difference is more than ``DEPTH_SHARE`` of the depth.
4. Blocks are compared by name and state values, not by their rows in the palettes.
5. If the renderer of both takes is bit-exact, edge pixels must not differ either. The colour layer does not replace
   this: by day, one level of red light changes no colour.
6. If the layer fails, the message names the sub-chunks that changed.

Colours are compared bit for bit if the renderer is bit-exact, else by FLIP (``flip-evaluator``, extra ``test``), in
tiles of 32 x 32 pixels (docs/develop/render.md): the mean over a whole picture ranks rounding everywhere worse than a
hole; the mean over the worst tile does not. The last tile of a row or column is moved inward instead of cut.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from net.errors import install_line
from net.space import SubChunkPos, coordinates
from render.capture.channels import NO_BLOCK, NO_CELL, Shot, ShotPalette
from render.scene_tests.compare_data import compare_data, likely_cause
from render.scene_tests.verdict import COLOUR, SEMANTIC, Layer, LayerOutcome, Tolerance, Verdict
from render.scene_tests.views import CapturedView

# ---------------------------------------------------------------- what each pixel shows

DEPTH_SHARE: Final = 1 / 64
"""Of the depth: an inner pixel's depth moves by that much within a small part of a pixel on a face seen edge-on."""
LEAST_DEPTH_BLOCKS: Final = 0.1
"""Where an orthographic picture has depths of nothing, and less than that behind its eye; no other has smaller ones."""
OF_THE_FACE: Final = ("block", "face", "depth")
OF_THE_CELL: Final = ("light", "state", "cell", "mirror", "entity")
CHANNEL_NAMES: Final = {"mirror": "block on the GPU", "cell": "place", "state": "sub-chunk state"}
"""How a channel is called in a sentence, where its name does not say it."""
COMPARED: Final = (*OF_THE_FACE, *OF_THE_CELL)

Mask = npt.NDArray[np.bool_]
"""[height, width]."""


def compare_semantic(
    expected: CapturedView, actual: CapturedView, tolerance: Tolerance
) -> tuple[Layer, tuple[SubChunkPos, ...]]:
    """The layer, and the sub-chunks whose pixels differ, most pixels first."""
    shots = expected.shot, actual.shot
    for shot, words in zip(shots, ("accepted yet", "taken"), strict=True):
        if shot.block is None or shot.face is None:
            return Layer(SEMANTIC, LayerOutcome.SKIPPED, f"No buffers of blocks and faces were {words}.", {}), ()
    if shots[0].size_px != shots[1].size_px:
        return Layer(SEMANTIC, LayerOutcome.FAILED, sizes_differ(*shots), {}), ()
    exactly = expected.renderer.draws_exactly_as(actual.renderer)
    channels = dict(_channels(*shots))
    inner, inner_cell = _inner(channels)
    wrong, differs = np.zeros_like(inner), np.zeros_like(inner)
    counts = {}
    for name, pair in channels.items():
        apart = _apart(name, *pair)
        gated = apart & (inner if name in OF_THE_FACE else inner_cell)
        counts[name] = int(gated.sum())
        wrong |= gated
        differs |= apart
    edges = differs & ~wrong
    total = inner.size
    most = 0 if exactly else int(tolerance.edge_share * total)
    numbers: dict[str, float] = {
        "pixels": total,
        "inner": int(inner.sum()),
        "inner_differing": int(wrong.sum()),
        "edges_differing": int(edges.sum()),
        "edges_most": most,
        **{f"{name}_differing": count for name, count in counts.items()},
    }
    failed = bool(wrong.any()) or int(edges.sum()) > most
    others = int(_apart("block", *channels["block"]).sum())
    words = _words(numbers, [name for name, count in counts.items() if count], others, exactly)
    if failed and (change := _block_change(shots, channels["block"], differs)):
        words += f" Most of them: {change}."
    changed = _subchunks(shots, differs if failed else np.zeros_like(differs))
    return Layer(SEMANTIC, LayerOutcome.FAILED if failed else LayerOutcome.PASSED, words, numbers), changed


def sizes_differ(expected: Shot, actual: Shot) -> str:
    sizes = ["x".join(map(str, shot.size_px)) for shot in (expected, actual)]
    return f"The baseline has {sizes[0]} pixels, this picture {sizes[1]}; accept it again if that is intended."


def _words(numbers: dict[str, float], channels: list[str], others: int, exactly: bool) -> str:
    """``channels``: those that differ away from edges. ``others``: pixels of another block."""
    inner, edges, most = (int(numbers[name]) for name in ("inner_differing", "edges_differing", "edges_most"))
    limit = "" if exactly else f", {edges:,} of them at edges of blocks, where {most:,} may (edge_share)"
    if inner or edges > most:
        named = f" ({', '.join(CHANNEL_NAMES.get(name, name) for name in channels)})" if channels else ""
        if "block" in channels:  # all else follows from another block
            named = f", {others:,} of them another block"
        return f"{share_of_pixels(inner + edges, int(numbers['pixels']))} show something else{named}{limit}."
    alike = f"All {int(numbers['inner']):,} pixels away from edges show the same blocks and faces"
    return f"{alike}; at edges {edges:,} differ{limit}." if edges else f"{alike}, and so do the pixels at edges."


def share_of_pixels(count: int, of: int) -> str:
    """How many pixels of how many, with the share."""
    share = 100 * count / of
    return f"{count:,} of {of:,} pixels ({share:.{0 if share >= 10 else 1 if share >= 0.1 else 4}f} %)"


def _channels(expected: Shot, actual: Shot) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """What both have, by name; blocks as numbers that mean the same in both."""
    for name in COMPARED:
        one, other = getattr(expected, name), getattr(actual, name)
        if one is not None and other is not None:
            if name in ("block", "mirror"):
                one, other = alike_rows(one, expected.palette, other, actual.palette)
            yield name, (one, other)


def alike_rows(
    one: npt.NDArray[np.uint32], palette: ShotPalette | None, other: npt.NDArray[np.uint32], others: ShotPalette | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Blocks by numbers that mean the same state in both pictures; rows as they are where a palette is missing."""
    if palette is None or others is None or palette is others:
        return one.astype(np.int64), other.astype(np.int64)
    numbers: dict[tuple[str, str], int] = {}
    return _numbered(one, palette, numbers), _numbered(other, others, numbers)


def _numbered(
    block: npt.NDArray[np.uint32], palette: ShotPalette, numbers: dict[tuple[str, str], int]
) -> npt.NDArray[np.int64]:
    rows, where = np.unique(block, return_inverse=True)
    means = [
        -1 if row == NO_BLOCK else numbers.setdefault((str(palette.names[row]), str(palette.states[row])), len(numbers))
        for row in rows.tolist()
    ]
    return np.array(means, np.int64)[where.reshape(block.shape)]


def _apart(name: str, one: Any, other: Any) -> Mask:
    if name == "cell":
        return np.asarray((one != other).any(axis=2))
    if name == "depth":
        with np.errstate(invalid="ignore"):  # inf - inf, where both show nothing, is no number and so not far
            return np.asarray(
                np.abs(one - other) > DEPTH_SHARE * np.maximum(np.minimum(abs(one), abs(other)), LEAST_DEPTH_BLOCKS)
            )
    return np.asarray(one != other)


def _inner(channels: dict[str, tuple[Any, Any]]) -> tuple[Mask, Mask]:
    """Inner pixels, and those whose neighbours also lie in one cell."""
    inner = np.ones(channels["block"][0].shape, np.bool_)
    for name in ("block", "face"):
        for array in channels[name]:
            inner &= _like_neighbours(array)
    inner_cell = inner.copy()
    for array in channels.get("cell", ()):
        for axis in range(3):
            inner_cell &= _like_neighbours(array[..., axis])
    return inner, inner_cell


def _like_neighbours(array: npt.NDArray[Any]) -> Mask:
    """Whether a pixel's 8 neighbours have its value."""
    along = np.ones(array.shape, np.bool_)
    along[:, :-1] &= array[:, :-1] == array[:, 1:]
    along[:, 1:] &= array[:, :-1] == array[:, 1:]
    same = along.copy()
    across = array[:-1] == array[1:]
    same[:-1] &= across & along[1:]
    same[1:] &= across & along[:-1]
    return same


def _block_change(shots: tuple[Shot, Shot], blocks: tuple[Any, Any], pixels: Mask) -> str:
    """What most of these pixels showed and show, where these are unlike blocks, with a place; empty: none are."""
    expected, actual = shots
    changed = pixels & (blocks[0] != blocks[1])
    if expected.palette is None or actual.palette is None or expected.cell is None or actual.cell is None:
        return ""
    assert expected.block is not None
    assert actual.block is not None
    pairs, where, counts = np.unique(
        np.column_stack([expected.block[changed], actual.block[changed]]),
        axis=0,
        return_inverse=True,
        return_counts=True,
    )
    if not len(counts):
        return ""
    index = int(counts.argmax())
    at = np.flatnonzero(where.reshape(-1) == index)
    old, new = expected.cell[changed][at], actual.cell[changed][at]
    still = (old == new).all(axis=1)
    one, other = _state_name(expected.palette, pairs[index, 0]), _state_name(actual.palette, pairs[index, 1])
    first = int(still.argmax()) if 2 * int(still.sum()) >= len(at) else int((~still).argmax())
    place = coordinates((old if old[first, 0] != NO_CELL else new)[first].tolist())
    change = f"{one} became {other}" if still[first] else f"from {one} to {other}"
    return f"{int(counts[index]):,} {change} (at block {place})"


def _state_name(palette: ShotPalette, row: int) -> str:
    """A block and its states as commands spell them; the sky where nothing is shown."""
    if row == NO_BLOCK:
        return "sky"
    try:
        states = dict(json.loads(str(palette.states[row])))
    except (TypeError, ValueError):  # a baseline is a file, and may hold anything
        states = {}
    listed = ",".join(f"{key}={value}" for key, value in states.items())
    name = str(palette.names[row]).removeprefix("minecraft:")
    return f"{name}[{listed}]" if listed else name


def _subchunks(shots: tuple[Shot, Shot], pixels: Mask) -> tuple[SubChunkPos, ...]:
    """Sub-chunks shown in either picture by these pixels, most pixels first, then by x, y, z."""
    found = [shot.cell[pixels] for shot in shots if shot.cell is not None]
    if not found:
        return ()
    cells = np.concatenate(found)
    shown = cells[cells[:, 0] != NO_CELL] >> 4
    places, counts = np.unique(shown, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")  # those with as many stay by x, y, z
    return tuple(SubChunkPos(*place) for place in places[order].tolist())


# ---------------------------------------------------------------- how it looks

TILE_PX: Final = 32

Rgb = npt.NDArray[np.uint8]
"""[height, width, 3], row 0 at the top."""
Errors = npt.NDArray[np.float32]
"""[height, width] 0..1 a pixel."""
Tiles = npt.NDArray[np.float32]
"""[rows, columns] mean of each tile's pixels."""


class FlipMissing(Exception):
    """``flip-evaluator`` is not installed; the message is one sentence that says what to do."""


def flip_errors(expected: Rgb, actual: Rgb) -> Errors:
    """How different each pixel looks at 67 pixels a degree, 0 the same, 1 the most. Raises FlipMissing."""
    try:
        from flip_evaluator import evaluate  # noqa: PLC0415 - an optional package
    except ImportError:
        raise FlipMissing(
            "flip-evaluator is not installed; it is needed to compare colours of different renderers; "
            f"{install_line('flip-evaluator')}"
        ) from None
    # An sRGB picture in 0..1, of which the package wants contiguous float32.
    pictures = [np.ascontiguousarray(picture[..., :3], np.float32) / np.float32(255) for picture in (expected, actual)]
    errors, _, _ = evaluate(*pictures, "LDR", applyMagma=False, computeMeanError=False)
    return np.asarray(errors, np.float32).reshape(expected.shape[:2])


def channel_steps(expected: Rgb, actual: Rgb) -> npt.NDArray[np.uint8]:
    """[height, width] largest difference of a pixel's channels, 0..255."""
    apart = np.abs(expected[..., :3].astype(np.int16) - actual[..., :3])
    return np.asarray(apart.max(axis=2), np.uint8)


def tile_means(errors: npt.NDArray[Any]) -> Tiles:
    rows, columns = (tile_starts(side) for side in errors.shape)
    return np.array(
        [[errors[y : y + TILE_PX, x : x + TILE_PX].mean(dtype=np.float64) for x in columns] for y in rows], np.float32
    )


def tile_starts(side_px: int) -> list[int]:
    """Where tiles begin along a side."""
    last = max(side_px - TILE_PX, 0)
    return [min(start, last) for start in range(0, side_px, TILE_PX)]


def worst_tile(tiles: Tiles, size_px: tuple[int, int]) -> tuple[float, int, int]:
    """The largest mean, and x, y of that tile's upper left pixel; ``size_px`` is width, height."""
    row, column = np.unravel_index(int(tiles.argmax()), tiles.shape)
    return float(tiles[row, column]), tile_starts(size_px[0])[int(column)], tile_starts(size_px[1])[int(row)]


# ---------------------------------------------------------------- colour layer


def compare_colour(expected: CapturedView, actual: CapturedView, tolerance: Tolerance) -> Layer:
    """Exact on the renderer that is exact, by the worst tile of the FLIP map elsewhere."""
    shots = expected.shot, actual.shot
    if actual.shot.colour is None:
        return Layer(COLOUR, LayerOutcome.SKIPPED, "No picture was taken.", {})
    if expected.shot.colour is None:
        key = actual.renderer.key
        words = f"No picture was accepted on {key} yet, so colours were not compared."
        return Layer(COLOUR, LayerOutcome.SKIPPED, words, {})
    if shots[0].size_px != shots[1].size_px:
        return Layer(COLOUR, LayerOutcome.FAILED, sizes_differ(*shots), {})
    pictures = expected.shot.colour[..., :3], actual.shot.colour[..., :3]
    if expected.renderer.draws_exactly_as(actual.renderer):
        return _exact(*pictures)
    return _alike(*pictures, tolerance.tile_flip)


def _exact(expected: Rgb, actual: Rgb) -> Layer:
    steps = channel_steps(expected, actual)
    numbers = _counts(steps)
    if not steps.any():
        return Layer(COLOUR, LayerOutcome.PASSED, f"All {steps.size:,} pixels are identical.", numbers)
    _, x, y = worst_tile(tile_means(steps), (steps.shape[1], steps.shape[0]))
    words = (
        f"{share_of_pixels(int(numbers['differing']), steps.size)} differ, by at most {int(steps.max())} of 255, most "
        f"in the {TILE_PX} x {TILE_PX} pixels from x {x}, y {y}."
    )
    return Layer(COLOUR, LayerOutcome.FAILED, words, numbers)


def _alike(expected: Rgb, actual: Rgb, most: float) -> Layer:
    steps = channel_steps(expected, actual)
    try:
        tiles = tile_means(flip_errors(expected, actual))
    except FlipMissing as missing:
        return Layer(COLOUR, LayerOutcome.SKIPPED, str(missing), _counts(steps))
    worst, x, y = worst_tile(tiles, (steps.shape[1], steps.shape[0]))
    numbers = {**_counts(steps), "worst_tile": worst, "worst_tile_most": most, "worst_tile_x": x, "worst_tile_y": y}
    failed = worst > most
    size = f"{TILE_PX} x {TILE_PX} pixels"
    words = f"The worst {size}, from x {x}, y {y}, have a mean FLIP error of {worst:.4f}; the limit is {most:g}."
    return Layer(COLOUR, LayerOutcome.FAILED if failed else LayerOutcome.PASSED, words, numbers)


def _counts(steps: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> dict[str, float]:
    return {"pixels": steps.size, "differing": int((steps > 0).sum()), "largest": int(steps.max())}


def compare(expected: CapturedView, actual: CapturedView, tolerance: Tolerance | None = None) -> Verdict:
    """How a take differs from what was accepted, parts of which may be missing. Never raises for that."""
    tolerance = tolerance or Tolerance()
    semantic, changed = compare_semantic(expected, actual, tolerance)
    layers = compare_data(expected.data, actual.data), semantic, compare_colour(expected, actual, tolerance)
    verdict = Verdict(layers, changed)
    if verdict.passed or expected.data is None or actual.data is None:
        return verdict
    return replace(verdict, cause=likely_cause(expected.data, actual.data))
