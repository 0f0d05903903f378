"""Plain reference of ``overlay_kernels``: boxes and labels that a camera sees, in NumPy and plain loops.

Sums are added in the order of the kernels, because some boxes end exactly on a plane and the rounding of NumPy's matrix
products depends on the processor.
"""

import numpy as np
import numpy.typing as npt

from render.camera import Camera
from render.materials import font
from render.passes.overlay.boxes import COARSEST_BLOCKS, COLUMNS_FIRST, Boxes
from render.passes.overlay.labels import CHARACTER_TALL, CHARACTER_WIDE, GAP, MOST_LABELS, Labels, texel_px
from render.passes.overlay.overlay_kernels import MOST_STACKED


def plain_seen(boxes: Boxes, camera: Camera) -> npt.NDArray[np.int64]:
    """Numbers of the boxes that reach into the frustum, farthest from the middle of the eye's cell first.

    Cells are the coarsest, up to a render cell's height, between whose planes all boxes lie, if these are of one size,
    and blocks else, where what is farther sideways comes first, whatever its height. Where lines of sight are parallel,
    it is farthest from the camera's stand.
    """
    halves = boxes.sizes * 0.5
    middles = boxes.lows + halves - np.array(camera.eye)
    planes = camera.planes()
    away, reach = summed(middles, planes.T) + planes[:, 3], summed(halves, np.abs(planes.T))
    some = np.flatnonzero((away + reach >= 0).all(axis=1))
    cells = plain_grid(boxes)
    begin = np.array(camera.stand) if camera.is_parallel else (np.floor(np.array(camera.eye) / cells) + 0.5) * cells
    x, y, z = (boxes.lows[some] + halves[some] - begin).T
    sideways = COLUMNS_FIRST if (boxes.sizes != boxes.sizes[:1]).any() else 1.0
    keys = -(
        (x * x + z * z) * sideways * sideways + y * y
    )  # rounded as the kernel does: what is as far is as far there
    order: npt.NDArray[np.int64] = some[np.argsort(keys, kind="stable")]
    return order


def summed(points: npt.NDArray[np.float64], rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """float64[n, m]: the product of points [n, 3] and a matrix [3, m], added in the order x, y, z."""
    x, y, z = (points[:, axis, None] * rows[axis] for axis in range(3))
    total: npt.NDArray[np.float64] = x + y + z
    return total


def plain_grid(boxes: Boxes) -> npt.NDArray[np.int64]:
    """int64[3]: the size in blocks of the largest cells that all boxes are multiples of."""
    if (boxes.sizes != boxes.sizes[:1]).any():
        return np.ones(3, np.int64)
    cells = np.full(3, COARSEST_BLOCKS)
    for edge in (*boxes.lows, *boxes.sizes):
        while (edge % cells).any():
            cells = np.where(edge % cells, cells // 2, cells)
    return cells


def plain_shown(labels: Labels, camera: Camera, size_px: tuple[int, int]) -> list[tuple[int, int, int]]:
    """Labels that overlap no nearer one, nearest first: (label, rows of its stack above it, rows in all)."""
    matrix = camera.view_projection().astype(np.float64)
    clip = summed(labels.points - np.array(camera.eye), matrix) + matrix[3]
    deep = clip[:, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        screen = (clip[:, :2] / deep[:, None] * 0.5 + 0.5) * size_px
    inside = (deep > camera.near_blocks) & (deep < camera.far_blocks)
    inside &= (np.abs(clip[:, :2]) < deep[:, None]).all(axis=1)
    ways = labels.points - np.array(camera.stand)
    order = np.lexsort((*labels.points.T[::-1], (ways * ways).sum(axis=1)))
    taken: list[tuple[float, float, float, float]] = []
    chosen: list[tuple[int, int, int]] = []
    texel = texel_px(size_px)
    for stack in stacks(labels, order[inside[order]].tolist()):
        if len(chosen) + len(stack) > MOST_LABELS:
            break
        rows = [labels.texts[number].split("\n") for number in stack]
        in_all = sum(map(len, rows))
        wide, tall = (
            max(len(row) for each in rows for row in each) * CHARACTER_WIDE * texel,
            in_all * CHARACTER_TALL * texel,
        )
        x, y = screen[stack[0]].tolist()
        at = x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2
        gap = GAP * texel
        if all(at[2] + gap < o[0] or o[2] + gap < at[0] or at[3] < o[1] or o[3] < at[1] for o in taken):
            taken.append(at)
            chosen += [(number, sum(map(len, rows[:turn])), in_all) for turn, number in enumerate(stack)]
    return chosen


def plain_packed(
    labels: Labels, placed: list[tuple[int, int, int]], shares: npt.NDArray[np.int64], camera: Camera, texel: int
) -> list[list[int]]:
    """Rows of all characters of ``placed`` labels (from ``plain_shown``); ``shares``: opacity by label."""
    rows = []
    for number, above, in_all in placed:
        near = (labels.points[number] - np.array(camera.eye_block)).astype(np.float32).view(np.int32).tolist()
        red, green, blue = labels.tones[number].tolist()
        paint = np.array(red | green << 8 | blue << 16 | int(shares[number]) << 24, np.uint32).view(np.int32)
        for row, line in enumerate(labels.texts[number].split("\n")):
            for column, letter in enumerate(line):
                place = column | len(line) << 8 | row + above << 16 | in_all << 24
                rows.append([*near, place, *font.bits(letter), int(paint), texel])
    return rows


def stacks(labels: Labels, order: list[int]) -> list[list[int]]:
    """Groups adjacent labels of the same point, at most ``MOST_STACKED`` each."""
    found: list[list[int]] = []
    for number in order:
        same = found and (labels.points[found[-1][0]] == labels.points[number]).all()
        if same and len(found[-1]) < MOST_STACKED:
            found[-1].append(number)
        else:
            found.append([number])
    return found
