"""A ray from block to block through one array, step by step: the plain twin of ``shaders/include/blocks.glsl``."""

import msgspec
import numpy as np

Block = tuple[int, int, int]
FACES = ((0, 1), (4, 5), (2, 3))
"""By axis x, y, z: the face met by a growing coordinate, and by a falling one."""


class Blocks:
    """An array [x, z, y] whose corner is the origin; there is nothing beyond it."""

    def __init__(self, ids: np.ndarray) -> None:
        self.ids = ids
        self.size = (ids.shape[0], ids.shape[2], ids.shape[1])

    def holds(self, block: Block) -> bool:
        """Whether a block is inside."""
        return all(0 <= at < side for at, side in zip(block, self.size, strict=True))

    def at(self, block: Block) -> int:
        """A block's id."""
        x, y, z = block
        return int(self.ids[x, z, y])


class Found(msgspec.Struct, frozen=True):
    """The block a ray ends in, if any; the face it came through, how far that is, and whether another was as near."""

    block: Block | None
    face: int = 6
    distance: float = 0.0
    face_is_close: bool = False


def march(blocks: Blocks, eye: tuple[float, float, float], ray: np.ndarray, wanted: np.ndarray, reach: float) -> Found:
    """Where a ray ends.

    Args:
        blocks: what it goes through.
        eye: where it begins, inside or not.
        ray: its direction, of any length.
        wanted: bool[ids] what ends it.
        reach: in blocks.
    """
    start, way = np.array(eye), ray / np.linalg.norm(ray)
    block, face, distance, close = list(np.floor(start).astype(int)), 6, 0.0, False
    grows = way > 0
    if not blocks.holds(tuple(block)):
        with np.errstate(divide="ignore", invalid="ignore"):
            enters = (np.where(grows, 0, blocks.size) - start) / way
            leaves = (np.where(grows, blocks.size, 0) - start) / way
        axis = int(np.argmax(enters))
        distance = float(enters[axis])
        if distance < 0 or distance > leaves.min():
            return Found(None)
        block = list(np.clip(np.floor(start + way * distance).astype(int), 0, np.array(blocks.size) - 1))
        face = FACES[axis][0 if grows[axis] else 1]
    while blocks.holds(tuple(block)) and distance <= reach:
        if wanted[blocks.at(tuple(block))]:
            return Found(tuple(int(at) for at in block), face, distance, close)
        with np.errstate(divide="ignore", invalid="ignore"):
            leaves = np.where(way == 0, np.inf, (np.array(block) + grows - start) / way)
        axis = int(np.argmin(leaves))
        distance = float(leaves[axis])
        close = bool(np.sort(leaves)[1] - distance < 1e-3)
        face = FACES[axis][0 if grows[axis] else 1]
        block[axis] += 1 if grows[axis] else -1
    return Found(None)
