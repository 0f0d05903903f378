"""Light against figures that others published, and against itself after thousands of changes."""

import numpy as np
import pytest

from net.space.dimensions import Dimension
from tests.support.reference.light import LightScene
from tests.support.worlds.blocks import FakeTable

CAVE = Dimension(1, "cave", 0, 3, False)
SKY = Dimension(0, "small", 0, 3, True)
AIR, TORCH, STONE, LAMP = 0, 1, 17, 23
BLOCKS = [block for block in range(24) if block != 15]


def test_a_lamp_of_15_lights_4089_cells_one_octahedron_shell_a_level() -> None:
    """algorithms.md 6.2: all cells at a distance of at most 14 steps."""
    scene = LightScene(CAVE)
    scene.edit({(24, 24, 24): LAMP})
    shells = [4 * steps * steps + 2 for steps in range(14, 0, -1)]
    everything = 48 * 48 * 48
    assert scene.counts(0) == [everything - 4089, *shells, 1]
    assert sum(shells) + 1 == 4089
    green = [0, *shells[1:], 1, 0]  # a lamp of 14 in that channel
    assert scene.counts(1)[1:] == green[1:]
    scene.check_equals_relit()
    visited = scene.edit({(24, 24, 24): AIR})
    assert visited < 4 * 4089
    assert scene.light.stats().slots == 0, "dark again, in the shared slot"


def test_luantis_lamp_scene_places_and_removes_with_few_visits() -> None:
    """Luanti's own benchmark: a platform of 21 x 21 in open air, a lamp of 14 far below, another blinking under it.

    Our first queue took 3,807 visits for both changes together (performance.md 2c).
    """
    table = FakeTable.plain()
    table.emission[TORCH] = 14 | 14 << 4 | 14 << 8
    scene = LightScene(SKY, columns=2, table=table)
    scene.edit({(16 + x, 17, 16 + z): STONE for x in range(-10, 11) for z in range(-10, 11)})
    scene.edit({(16, 6, 16): TORCH})
    scene.check()
    steady = scene.values().copy()
    visited = scene.edit({(16, 16, 16): TORCH})
    assert scene.level(16, 16, 16)[:3] == (14, 14, 14)
    assert scene.level(16, 15, 16)[:3] == (13, 13, 13)
    scene.check()
    visited += scene.edit({(16, 16, 16): AIR})
    assert (scene.values() == steady).all()
    assert visited <= 3807


@pytest.mark.parametrize("seed", [1, 2])
def test_3000_edits_over_every_kind_of_border_leave_what_a_relight_makes(seed: int) -> None:
    """6,000 in all, of random blocks with random opacity and lamps; two in three next to a face of their sub-chunk."""
    rng = np.random.default_rng(seed)
    scene = LightScene(SKY, table=FakeTable.random(rng), slots=1 << 13)
    solid = {(x, y, z): STONE for x in range(48) for z in range(48) for y in range(int(rng.integers(2, 20)))}
    scene.edit(solid)
    done = 0
    while done < 3000:
        blocks = {}
        for _ in range(60):
            at = rng.integers(0, 48, 3)
            if rng.random() < 2 / 3:
                axis = int(rng.integers(3))
                at[axis] = at[axis] // 16 * 16 + (15 if rng.random() < 0.5 else 0)
            block = AIR if rng.random() < 0.5 else int(rng.choice(BLOCKS))
            blocks[int(at[0]), int(at[1]), int(at[2])] = block
        scene.edit(blocks)
        done += len(blocks)
        if done % 10 < 2:
            scene.check_equals_relit()
    scene.check_equals_relit()
    scene.check()


def test_edits_one_by_one_on_the_corner_of_eight_sub_chunks() -> None:
    """Each of 400 mended by itself, all within two blocks of a corner where columns and sub-chunks meet."""
    rng = np.random.default_rng(3)
    scene = LightScene(SKY, table=FakeTable.random(rng))
    for _ in range(400):
        x, y, z = (int(v) for v in rng.integers(14, 18, 3))
        scene.edit({(x, y, z): AIR if rng.random() < 0.4 else int(rng.choice(BLOCKS))})
    scene.check()
