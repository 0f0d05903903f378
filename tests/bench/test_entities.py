"""What 2,000 entities in sight cost a frame, with their names. Target (issue 21): 0.4 ms of the owner thread.

Timed is all that the owner thread does but the draw calls, which a driver without a GPU works off on the same
processor. The dearest frame is one in which every entity has moved and the camera turned.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from time import thread_time

import moderngl
import numpy as np
import pytest
from msgspec.structs import replace

from render.gpu import Gpu, Target
from render.passes.entities import EntitiesPass
from tests.gpu.test_entities import FRAMES, SIZE, herd, turning_cameras
from tests.gpu.test_looks import Stage, staged
from tests.support.bench.gates import gate, gated

OWNER_MS = 0.4


@pytest.fixture(scope="module")
def gpu() -> Iterator[Gpu]:
    made = Gpu.standalone()
    yield made
    made.release()


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[Stage]:
    made = staged(gpu)
    made.picture()
    yield made
    made.close()


@pytest.mark.bench
@gated
def test_two_thousand_in_sight_cost_the_owner_thread_less_than_half_a_millisecond(gpu: Gpu, stage: Stage) -> None:
    looks, entities = stage.scene.frames._appearance.tables.faces, herd()
    first = stage.store.table.first
    moved = [
        replace(entities, version=number, position=entities.position + 0.01 * number) for number in range(1, FRAMES + 1)
    ]
    paths = {
        "still": ([entities] * FRAMES, [turning_cameras()[0]] * FRAMES),
        "all move, the camera turns": (moved, turning_cameras()),
    }
    figures: dict[str, float] = {}
    with ExitStack() as undo:
        patch = undo.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(moderngl.VertexArray, "render", lambda *_arguments, **_named: None)
        drawer, target = EntitiesPass(gpu), Target(gpu, SIZE)
        undo.callback(drawer.release)
        undo.callback(target.release)
        target.begin()
        for name, path in paths.items():
            costs = []
            for number, (one, camera) in enumerate(zip(*path, strict=True)):
                begun = thread_time()
                drawer.prepare(one, looks, camera)
                drawer.draw(number * 16_000, first)
                drawn = thread_time()
                drawer.draw_names(number * 16_000, camera, target)
                costs.append((drawn - begun, thread_time() - drawn))
            entities_ms, names_ms = (1000 * np.median(np.array(costs), axis=0)).tolist()
            print(f"\n{name}: entities {entities_ms:.3f} ms, their names {names_ms:.3f}", end="")
            figures[f"{name}: entities with their names, ms"] = entities_ms + names_ms
    print()
    for name, ms in figures.items():
        gate(name, ms, OWNER_MS)
