"""Boxes and labels that a camera sees, by NumPy and plain loops: what ``render.passes.mark_kernels`` has to equal."""

import numpy as np
import numpy.typing as npt

from render.camera import Camera
from render.passes.boxes import Boxes
from render.passes.labels import CELL_TALL, CELL_WIDE, GAP, MOST_LABELS, Labels, texel_px


def plain_seen(boxes: Boxes, camera: Camera) -> npt.NDArray[np.int64]:
    """Numbers of the boxes that reach into the frustum, farthest from the middle of the eye's block first.

    Where lines of sight are parallel, it is farthest from the camera's stand.
    """
    halves = boxes.sizes * 0.5
    middles = boxes.lows + halves - np.array(camera.eye)
    planes = camera.planes()
    reach = halves @ np.abs(planes[:, :3]).T
    some = np.flatnonzero((middles @ planes[:, :3].T + planes[:, 3] + reach >= 0).all(axis=1))
    begin = np.array(camera.stand) if camera.is_parallel else np.array(camera.eye_block) + 0.5
    away = boxes.lows[some] + halves[some] - begin
    order: npt.NDArray[np.int64] = some[np.argsort(-(away * away).sum(axis=1), kind="stable")]
    return order


def plain_shown(labels: Labels, camera: Camera, size_px: tuple[int, int]) -> list[int]:
    """Numbers of the texts in the picture that lie on no nearer one, nearest first."""
    away = labels.points - np.array(camera.eye)
    clip = np.column_stack([away, np.ones(len(away))]) @ camera.view_projection().astype(np.float64)
    deep = clip[:, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        screen = (clip[:, :2] / deep[:, None] * 0.5 + 0.5) * size_px
    inside = (deep > camera.near_blocks) & (deep < camera.far_blocks)
    inside &= (np.abs(clip[:, :2]) < deep[:, None]).all(axis=1)
    ways = labels.points - np.array(camera.stand)
    order = np.lexsort((*labels.points.T[::-1], (ways * ways).sum(axis=1)))
    taken: list[tuple[float, float, float, float]] = []
    chosen: list[int] = []
    texel = texel_px(size_px)
    for number in order[inside[order]].tolist():
        rows = labels.texts[number].split("\n")
        wide, tall = max(map(len, rows)) * CELL_WIDE * texel, len(rows) * CELL_TALL * texel
        x, y = screen[number].tolist()
        at = x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2
        gap = GAP * texel
        if all(at[2] + gap < o[0] or o[2] + gap < at[0] or at[3] < o[1] or o[3] < at[1] for o in taken):
            taken.append(at)
            chosen.append(number)
            if len(chosen) == MOST_LABELS:
                break
    return chosen
