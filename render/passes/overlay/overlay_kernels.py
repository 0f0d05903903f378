"""Kernels of overlays: which boxes and labels a camera sees, in which order, and which labels have room in the picture.

``tests/support/reference/overlay_marks.py`` has the plain reference of each kernel.

Indices. None comes from outside: boxes and labels are the overlays', texts the parts of one array that
``labels`` joined.
"""

from math import sqrt
from typing import Final

from net.arrays import F32, F64, I32, I64, U8
from net.kernels import jit as nb
from net.kernels.jit import inner, kernel
from render.passes.draw_list_kernels import sort_rising

LOW_16: Final = 0xFFFF
NEAR_PLANE: Final = 4
FAR_PLANE: Final = 5
MOST_LOOKED: Final = 64
"""Number of texts searched after one that is not made yet, to make several together."""
MOST_STACKED: Final = 4
"""Most texts of one point in a stack."""


@inner
def _rising(keys: F64, order: I64, spare: I64) -> None:
    """All numbers by rising key, equal ones by number."""
    end = order.shape[0]
    for at in range(end):
        order[at] = at
    sort_rising(keys, order, spare, end)


@kernel("void(int32[:,::1], float64[::1], float64, float64[::1], int64[::1], int64[::1])")
def sort_boxes(
    rows: I32,  # [n, 8] as ``boxes`` packs them
    eye: F64,  # [3] in blocks
    sideways: float,  # weight of a block along x or z; one along y has 1
    keys: F64,  # [n], scratch
    order: I64,  # [n], written
    spare: I64,  # [n], scratch
) -> None:
    """Numbers of packed boxes, those with the farthest middle first, equal distances by number."""
    for i in range(rows.shape[0]):
        x = rows[i, 0] + 0.5 * (rows[i, 5] & LOW_16) - eye[0]
        y = rows[i, 1] + 0.5 * (rows[i, 6] & LOW_16) - eye[1]
        z = rows[i, 2] + 0.5 * (rows[i, 5] >> 16 & LOW_16) - eye[2]
        keys[i] = -((x * x + z * z) * sideways * sideways + y * y)
    _rising(keys, order, spare)


@kernel("int64(int32[:,::1], int64, int64[::1])")
def find_grid(
    rows: I32,  # [n, 8]
    coarsest: int,  # the largest result, a power of two
    grid: I64,  # [3], written
) -> int:
    """Blocks along x, y, z of the coarsest cells of which all packed boxes are made: powers of two; 1 if of one size.

    If boxes differ in size, it returns 0 and a grid of blocks: the eye's cell alone does not give the order then.
    """
    x = y = z = nb.int64(coarsest)
    alike = nb.int64(1)
    for i in range(rows.shape[0]):
        x |= rows[i, 0] | rows[i, 5] & LOW_16
        y |= rows[i, 1] | rows[i, 6] & LOW_16
        z |= rows[i, 2] | rows[i, 5] >> 16 & LOW_16
        if rows[i, 5] != rows[0, 5] or (rows[i, 6] ^ rows[0, 6]) & LOW_16:
            x = y = z = nb.int64(1)
            alike = nb.int64(0)
    grid[0], grid[1], grid[2] = x & -x, y & -y, z & -z
    return alike


@inner
def _beyond(
    planes: F64, p: int, x: float, y: float, z: float, wide: float, tall: float, deep: float, slack: float
) -> bool:
    """Whether a box about a point is wholly outside a plane, by more than a margin."""
    away = planes[p, 0] * x + planes[p, 1] * y + planes[p, 2] * z + planes[p, 3]
    reach = abs(planes[p, 0]) * wide + abs(planes[p, 1]) * tall + abs(planes[p, 2]) * deep
    return away + reach + slack < 0.0


@kernel("int64(int32[:,::1], int64[::1], float64[:,::1], float64[::1], float64, float64, int32[:,::1])")
def take_seen(
    rows: I32,  # [n, 8]
    order: I64,  # [n] numbers of boxes
    planes: F64,  # [6, 4] as ``Camera.planes``
    eye: F64,  # [3] in blocks
    turn: float,  # length of the difference of two normals, 0 or more
    step: float,  # blocks, 0 or more
    taken: I32,  # [n, 8], written
) -> int:
    """Copies the packed boxes that reach into a frustum, in an order; returns how many.

    With a ``turn`` and a ``step``, also all that reach into any frustum of the same lens whose planes' normals differ
    by at most ``turn``, and whose eye is at most ``step`` away: the margin grows with the distance of a box, because a
    turn of the normal moves distant points more.
    """
    many = nb.int64(0)
    for k in range(order.shape[0]):
        i = order[k]
        wide = 0.5 * (rows[i, 5] & LOW_16)
        tall = 0.5 * (rows[i, 6] & LOW_16)
        deep = 0.5 * (rows[i, 5] >> 16 & LOW_16)
        x, y, z = rows[i, 0] + wide - eye[0], rows[i, 1] + tall - eye[1], rows[i, 2] + deep - eye[2]
        slack = 0.0
        if turn > 0.0 or step > 0.0:
            slack = step + turn * (sqrt(x * x + y * y + z * z) + wide + tall + deep)
        if (
            _beyond(planes, NEAR_PLANE, x, y, z, wide, tall, deep, slack)  # first: half of all boxes are behind the eye
            or _beyond(planes, 0, x, y, z, wide, tall, deep, slack)
            or _beyond(planes, 1, x, y, z, wide, tall, deep, slack)
            or _beyond(planes, 2, x, y, z, wide, tall, deep, slack)
            or _beyond(planes, 3, x, y, z, wide, tall, deep, slack)
            or _beyond(planes, FAR_PLANE, x, y, z, wide, tall, deep, slack)
        ):
            continue
        for word in range(8):
            taken[many, word] = rows[i, word]
        many += 1
    return many


@inner
def _lower(points: F64, a: int, b: int) -> bool:
    """Whether one point comes before another by x, then y, then z."""
    for axis in range(3):
        if points[a, axis] != points[b, axis]:
            return points[a, axis] < points[b, axis]
    return False


@kernel("void(float64[:,::1], float64[::1], float64[::1], int64[::1], int64[::1])")
def sort_points(
    points: F64,  # [n, 3] in blocks
    eye: F64,  # [3]
    keys: F64,  # [n], scratch
    order: I64,  # [n], written
    spare: I64,  # [n], scratch
) -> None:
    """Numbers of points, nearest first; equal distances by x, y, z, then number."""
    for i in range(points.shape[0]):
        x, y, z = points[i, 0] - eye[0], points[i, 1] - eye[1], points[i, 2] - eye[2]
        keys[i] = x * x + y * y + z * z
    _rising(keys, order, spare)
    for at in range(order.shape[0]):
        moved, to = order[at], at
        while to > 0 and keys[order[to - 1]] == keys[moved] and _lower(points, moved, order[to - 1]):
            order[to] = order[to - 1]
            to -= 1
        order[to] = moved


@inner
def _project(points: F64, i: int, matrix: F64, eye: F64, frame: F64) -> tuple[bool, float, float]:
    """Whether a point is in the picture, and its pixel from the lower left corner."""
    x, y, z = points[i, 0] - eye[0], points[i, 1] - eye[1], points[i, 2] - eye[2]
    deep = x * matrix[0, 3] + y * matrix[1, 3] + z * matrix[2, 3] + matrix[3, 3]
    if deep <= frame[2] or deep >= frame[3]:
        return False, 0.0, 0.0
    across = x * matrix[0, 0] + y * matrix[1, 0] + z * matrix[2, 0] + matrix[3, 0]
    up = x * matrix[0, 1] + y * matrix[1, 1] + z * matrix[2, 1] + matrix[3, 1]
    if abs(across) >= deep or abs(up) >= deep:
        return False, 0.0, 0.0
    return True, (across / deep * 0.5 + 0.5) * frame[0], (up / deep * 0.5 + 0.5) * frame[1]


@inner
def _free(x: float, y: float, wide: float, tall: float, gap: float, taken: F64, many: int) -> bool:
    """Whether a rectangle about a point overlaps no taken one."""
    left, low, right, high = x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2
    for k in range(many):
        beside = right + gap < taken[k, 0] or taken[k, 2] + gap < left
        if not (beside or high < taken[k, 1] or taken[k, 3] < low):
            return False
    return True


@inner
def _same(points: F64, a: int, b: int) -> bool:
    return points[a, 0] == points[b, 0] and points[a, 1] == points[b, 1] and points[a, 2] == points[b, 2]


@kernel(
    "int64(float64[:,::1], int64[::1], float64[:,::1], float64[::1], float64[::1], int32[:,::1], float64[::1],"
    " float64[:,::1], int64[::1], int32[:,::1], int64[::1], int64[::1])"
)
def place(
    points: F64,  # [n, 3] in blocks
    order: I64,  # [n] numbers of texts, in the order in which they get room
    matrix: F64,  # [4, 4] from the eye to clip space, for row vectors
    eye: F64,  # [3]
    frame: F64,  # [4] width and height in pixels, near and far plane
    texts: I32,  # [n, 4] of each characters a row and rows; rows below 0: not made yet, at least this many
    cell: F64,  # [3] pixels of a character's width and height, and of the gap between two texts side by side
    taken: F64,  # [m, 4], written: rectangles of those with room, one a stack
    chosen: I64,  # [m], written: their numbers; no more than fit are chosen
    rows: I32,  # [m, 2], written: rows of its stack above each, and rows of the stack
    wanted: I64,  # [w], written: numbers of texts that have to be made
    done: I64,  # [3] numbers of handled texts of the order, chosen texts and rectangles, updated
) -> int:
    """Continues to give texts room, one after the other: a text gets it if it overlaps no earlier one.

    Neighbours in the order with one point, at most ``MOST_STACKED``, become one stack and get room together.

    Returns:
        How many texts have to be made to continue: the first, and later ones that seem to have room; 0: finished.
    """
    at, end = done[0], order.shape[0]
    many, ahead, looked = nb.int64(0), nb.int64(0), nb.int64(0)
    while at < end:
        i, behind = order[at], at + 1
        inside, x, y = _project(points, i, matrix, eye, frame)
        if not inside:
            at = behind
            continue
        while behind < end and behind - at < MOST_STACKED and _same(points, i, order[behind]):
            behind += 1
        looked += 1 if many else 0
        if done[1] + behind - at > chosen.shape[0] or looked > MOST_LOOKED or done[2] + ahead >= taken.shape[0]:
            break
        columns, tall, unknown = nb.int64(0), nb.int64(0), nb.int64(0)
        for k in range(at, behind):
            columns = max(columns, nb.int64(texts[order[k], 0]))
            tall += abs(texts[order[k], 1])
            unknown += 1 if texts[order[k], 1] < 0 else 0
        wide, high, free = columns * cell[0], tall * cell[1], done[2] + ahead
        if _free(x, y, wide, high, cell[2], taken, free):
            if many + unknown > wanted.shape[0]:
                break
            if unknown and many == 0:
                done[0] = at
            for k in range(at, behind):
                if texts[order[k], 1] < 0:
                    wanted[many] = order[k]
                    many += 1
            taken[free, 0], taken[free, 1] = x - wide / 2, y - high / 2
            taken[free, 2], taken[free, 3] = x + wide / 2, y + high / 2
            if many:
                ahead += 1
            else:
                done[2] += 1
                above = nb.int64(0)
                for k in range(at, behind):
                    chosen[done[1]], rows[done[1], 0], rows[done[1], 1] = order[k], above, tall
                    above += texts[order[k], 1]
                    done[1] += 1
        at = behind
    if many == 0:
        done[0] = end
    return many


@kernel(
    "int64(int64[::1], int32[:,::1], float64[:,::1], uint8[:,::1], int32[:,::1], int32[:,::1], int64[::1], int64[::1],"
    " int64[::1], int64, int32[:,::1], float32[:,::1])"
)
def write_texts(
    chosen: I64,  # [k] numbers of texts
    rows: I32,  # [k, 2] rows of its stack above each, and rows of the stack
    points: F64,  # [n, 3] in blocks
    tones: U8,  # [n, 3]
    texts: I32,  # [n, 4] as ``labels.Spelt``
    characters: I32,  # [c, 4] as ``labels``
    starts: I64,  # [p + 1] number of each part's first text, then the number of texts
    shares: I64,  # [p] of each part
    eye_block: I64,  # [3]
    texel: int,  # pixels of one
    words: I32,  # [m, 8], written
    floats: F32,  # [m, 8] the same memory
) -> int:
    """Writes the characters of texts as ``labels`` packs them; returns how many."""
    at = nb.int64(0)
    for k in range(chosen.shape[0]):
        i, part = chosen[k], nb.int64(0)
        while starts[part + 1] <= i:
            part += 1
        paint = nb.int64(tones[i, 0]) | nb.int64(tones[i, 1]) << 8 | nb.int64(tones[i, 2]) << 16 | shares[part] << 24
        for c in range(texts[i, 2], texts[i, 2] + texts[i, 3]):
            for axis in range(3):
                floats[at, axis] = points[i, axis] - eye_block[axis]
            words[at, 3] = characters[c, 0] | (characters[c, 1] + rows[k, 0]) << 16 | rows[k, 1] << 24
            words[at, 4], words[at, 5] = characters[c, 2], characters[c, 3]
            words[at, 6] = nb.int32(paint)
            words[at, 7] = texel
            at += 1
    return at
