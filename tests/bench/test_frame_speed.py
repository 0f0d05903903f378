"""What a frame of 5,000 drawn cells costs our code: the same look again, and another one.

Targets: 0.5 ms still, 1.5 ms turning, on the whole owner thread outside of GL calls (``chunkscope bench frame`` prints
that). Here the part that grows with the cells is measured alone, of 13,000 meshes of which some 5,000 are in the
frustum, beside NumPy ordering 100,000 numbers in the same run: what gates is the ratio. Run with ``-s`` to see figures.
"""

from time import perf_counter

import numpy as np
import pytest
from msgspec.structs import replace

from render.camera import Camera
from render.mesh.vertex_format import GROUPS, Group
from render.passes.draw_list import MeshList, nearest_first
from tests.support.bench.gates import gate, gated
from tests.support.reference.draw_list import eye_list as eye_list_of

pytestmark = pytest.mark.bench

DRAWN = 5000
ROUNDS = 30
MOST_OF_SORTING = 0.25
"""A turn was measured at 0.03 to 0.06 of the reference: 1.1 ms on a busy machine."""


def meshes(eye: tuple[float, float, float]) -> MeshList:
    """Two cells of each of 80 x 80 columns, each with quads of most groups, one in twenty with slopes."""
    rng = np.random.default_rng(5)
    cells = np.array([(x, y, z) for x in range(-40, 40) for y in (1, 2) for z in range(-40, 40)], np.int32)
    cells = cells[nearest_first(cells, eye)]
    counts = rng.integers(0, 40, (len(cells), GROUPS)) * (rng.random((len(cells), GROUPS)) < 0.7)
    counts[rng.random(len(cells)) < 0.95, Group.SLOPE] = 0
    return MeshList(cells, np.arange(len(cells)) * 512, counts.astype(np.int32), eye)


@gated
def test_a_turn_costs_less_than_ordering_a_hundred_thousand_numbers() -> None:
    camera = Camera((8.0, 80.0, 8.0), 0.0, 25.0, 100.0, 16 / 9)
    eye_list = eye_list_of(meshes(camera.eye))
    numbers = np.random.default_rng(1).random(100_000)
    turns, stills, sorts, drawn = [], [], [], []
    for number in range(ROUNDS):
        looks = replace(camera, yaw_deg=12.0 * number)
        start = perf_counter()
        frame = eye_list.see(looks.planes(), camera.eye, camera.eye)
        turned = perf_counter()
        again = eye_list.see(looks.planes(), camera.eye, camera.eye)
        stood = perf_counter()
        np.argsort(numbers, kind="stable")
        sorts.append(perf_counter() - stood)
        turns.append(turned - start)
        stills.append(stood - turned)
        drawn.append(frame.cells)
        assert again is frame
    turn, still, sort = (float(np.median(figures)) * 1e3 for figures in (turns, stills, sorts))
    print(
        f"\n  {np.median(drawn):.0f} cells drawn: turn {turn:.2f} ms, same look {still:.2f} ms, ordering {sort:.2f} ms"
    )
    assert np.median(drawn) > DRAWN * 0.9
    gate("a turn, of ordering", turn / sort, MOST_OF_SORTING)
