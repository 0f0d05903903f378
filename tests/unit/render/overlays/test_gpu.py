"""T-junctions of random quads are those that looking at every point of every edge finds."""

import numpy as np

from render.mesh.vertex_format import CUBE, FACE_HEIGHT_AXIS, FACE_WIDTH_AXIS, pack
from render.overlays import gpu
from tests.support.worlds.overlay_facts import GivenFrame, given_facts

EYE = (8.0, 8.0, 8.0)


def random_quads(rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    return {
        "x": rng.integers(0, 8, count),
        "z": rng.integers(0, 8, count),
        "y": rng.integers(0, 8, count),
        "face": rng.integers(0, 6, count),
        "width": rng.integers(1, 6, count),
        "height": rng.integers(1, 6, count),
    }


def plain_corners(fields: dict[str, np.ndarray], number: int) -> list[tuple[int, ...]]:
    face = int(fields["face"][number])
    low = [int(fields[axis][number]) for axis in "xyz"]
    if face % 2:
        low[(0, 0, 2, 2, 1, 1)[face]] += 1
    corners = []
    for s, t in ((0, 0), (1, 0), (1, 1), (0, 1)):
        at = list(low)
        at[FACE_WIDTH_AXIS[face]] += s * int(fields["width"][number])
        at[FACE_HEIGHT_AXIS[face]] += t * int(fields["height"][number])
        corners.append(tuple(at))
    return corners


def test_junctions_are_corners_within_edges_of_others() -> None:
    rng = np.random.default_rng(3)
    fields = random_quads(rng, 60)
    words = pack(CUBE, 60, **fields)
    cell = np.zeros(3, np.int32)
    corners, faces = gpu.near_quads(((cell, words),), EYE)
    assert faces == int((fields["width"] * fields["height"]).sum())
    plain = [plain_corners(fields, number) for number in range(60)]
    assert sorted(map(tuple, corners.reshape(-1, 3).tolist())) == sorted(corner for quad in plain for corner in quad)
    all_corners = {corner for quad in plain for corner in quad}
    within = set()
    for quad in plain:
        for one, other in zip(quad, quad[1:] + quad[:1], strict=True):
            length = sum(abs(a - b) for a, b in zip(one, other, strict=True))
            for step in range(1, length):
                within.add(tuple(a + (b - a) // length * step for a, b in zip(one, other, strict=True)))
    assert {tuple(point) for point in gpu.junctions(corners).tolist()} == all_corners & within
    assert all_corners & within


def test_marks_count_what_is_near_and_cross_each_junction() -> None:
    fields = random_quads(np.random.default_rng(4), 40)
    words = pack(CUBE, 40, **fields)
    near, far = np.zeros(3, np.int32), np.array([9, 0, 9], np.int32)
    marks = gpu.merge_marks(
        given_facts(np.zeros((0, 3))).but(eye=EYE, frame=GivenFrame(solid_quads=((near, words), (far, words))))
    )
    quads, faces, points = (row.count for row in marks.legend)
    assert (quads, faces) == (40, int((fields["width"] * fields["height"]).sum()))
    assert points
    assert len(marks.lines) == 3 * points
    assert len(gpu.merge_marks(given_facts(np.zeros((0, 3)))).lines) == 0
