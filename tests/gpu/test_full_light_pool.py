"""A pool of light without room for all: what is nearest is lit, the rest is drawn dark, is told, and is lit later."""

import logging

import numpy as np
import pytest

from client.light.light_map import LightMap
from net.space import BlockPos, ColumnPos
from render.gpu import Gpu
from render.jobs.workers import Runner, SyncRunner, ThreadRunner
from render.scene import Scene, SceneConfig
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

pytestmark = pytest.mark.gpu

WIDE = 8
BLOCKS = paint.hills(WIDE)
EYE = (24.5, 44.0, 24.5)
ROOM = 90
"""Slots; the hills want more."""


@pytest.mark.parametrize("workers", [0, 2])
def test_what_finds_no_slot_is_told_once_and_lit_when_there_is_room(
    gpu: Gpu, workers: int, caplog: pytest.LogCaptureFixture
) -> None:
    store = PaintedStore(rows=256)
    light, plenty = LightMap(store, ROOM), LightMap(store, 4096)
    runner: Runner = ThreadRunner(workers) if workers else SyncRunner()
    scene = Scene(gpu, PaintedLooks.make(), runner, SceneConfig(upload_bytes=None, first_pages=64, first_bricks=256))
    scene.attach(store, light)
    with caplog.at_level(logging.WARNING, "chunkscope.scene"):
        store.load(BLOCKS)
        assert scene.settle(EYE)
    told = [record.message for record in caplog.records if "light pool" in record.message]
    assert len(told) == 1
    assert told[0].startswith(
        f"all {ROOM} slots of the light pool are in use: sub-chunks without a light slot stay dark"
    )
    unlit = scene.behind.unlit
    assert 0 < len(unlit) < WIDE * WIDE
    inside = BlockPos(int(unlit[0][0]) * 16 + 8, 20, int(unlit[0][1]) * 16 + 8)
    assert "slots of the light pool are in use" in scene.undrawn(inside)
    assert scene.stats().cells_shown > 0
    edited = BlockPos(24, 30, 24)
    store.edit(edited, paint.LAMP)
    assert scene.settle(EYE), "an edit waits for no slot"
    for x in range(2, WIDE):
        for z in range(WIDE):
            store.unload(ColumnPos(x, z))
    assert scene.settle(EYE)
    assert len(scene.behind.unlit) == 0
    rows = np.array(sorted(store.row_of.values()), np.int32)
    plenty.step(store, rows)
    places = (rows[:, None] * 4 + np.arange(4)).ravel().astype(np.int32)
    same = light.values[light.slots_of(places)] == plenty.values[plenty.slots_of(places)]
    assert same.all(), "and as if there had always been room"
    runner.close()
    scene.release()
