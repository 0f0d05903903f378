"""What the GPU holds is what the CPU knows, after edits, moves and lost contexts; and a comparison finds one cell.

Doctor mirror: ``chunkscope doctor --mirror``: what it says, and its exit codes.
"""

import json
from collections.abc import Iterator

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.streaming.anchors import Anchor, Anchors
from net.space import BlockPos, ColumnPos
from render.bench import mirror as mirror_module
from render.camera import Camera
from render.cli import app
from render.cli.console import reported
from render.errors import ContextLost
from render.gpu import Gpu, Target
from render.jobs.workers import SyncRunner
from render.scene import Scene, SceneConfig
from render.scene.gpu_copy.verify import CopyDifference, MirrorCheck
from tests.recordings import recording
from tests.support.data.failing_gl import reset
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

# ---------------------------------------------------------------- mirror check

pytestmark = pytest.mark.gpu

WIDE = 10
EYE = (80.5, 44.0, 80.5)
SIZE = (32, 18)


class Stage:
    """A scene of the painted hills on a context of its own, around an anchor."""

    def __init__(self, budget_bytes: int | None = None) -> None:
        self.gpu = Gpu.standalone()
        self.anchors = Anchors()
        self.store = PaintedStore(rows=256, slots=12_000)
        self.light = LightMap(self.store, 4096)
        config = SceneConfig(
            upload_bytes=None, radius_columns=16, first_pages=64, first_bricks=256, gpu_budget_bytes=budget_bytes
        )
        self.scene = Scene(self.gpu, PaintedLooks.make(), SyncRunner(), config)
        self.go(5, 5, 4)
        self.scene.attach(self.store, self.light, self.anchors)
        self.store.load(paint.hills(WIDE))

    def go(self, x: int, z: int, radius: int) -> None:
        self.anchors.pin("player", Anchor.square(ColumnPos(x, z), radius + 1))

    def frame(self, eye: tuple[float, float, float] = EYE) -> None:
        target = Target(self.gpu, SIZE)
        self.scene.draw(Camera(eye, 0.0, 10.0, 70.0, 16 / 9), target)
        target.release()

    def check(self) -> MirrorCheck:
        assert self.scene.settle(EYE)
        return self.scene.check_mirror()

    def other_context(self) -> Gpu:
        self.gpu.release()
        self.gpu = Gpu.standalone()
        return self.gpu

    def close(self) -> None:
        self.scene.release()
        self.gpu.check()
        assert self.gpu.leaks() == 0
        self.gpu.release()


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


def told(check: MirrorCheck) -> list[str]:
    return list(check.told)


def test_all_of_a_settled_world_is_compared(stage: Stage) -> None:
    check = stage.check()
    assert check.ok, told(check)
    shown, lit = 9 * 9, 10 * 10  # columns; the light of one more around, as far as there are any
    assert check.subchunks == (shown + lit) * 4
    assert check.cells == check.subchunks * 4096
    assert check.bricks == sum(
        volume.bricks_used for volume in (stage.scene.stats().mirror.blocks, stage.scene.stats().mirror.light)
    )


def test_one_wrong_cell_is_named(stage: Stage) -> None:
    stage.check()
    block = BlockPos(83, 20, 91)
    place = stage.store.place(block.column, block.subchunk.y)
    slot = int(stage.store.slot[place])
    stage.store.pools.blocks[slot, block.in_subchunk] = paint.LAMP  # behind the scene's back
    check = stage.scene.check_mirror()
    assert not check.ok
    assert len(check.differences) == 1
    found = check.differences[0]
    assert (found.volume, found.subchunk, found.blocks.tolist()) == ("block ids", (5, 1, 5), [[83, 20, 91]])
    assert f"the CPU {paint.LAMP}" in str(found)
    assert "block ids of sub-chunk 5,1,5, block 83,20,91: the GPU has" in str(found)


def test_wrong_light_strays_and_shared_bricks_are_named(stage: Stage) -> None:
    stage.check()
    mirror = stage.scene.pools.mirror
    place = stage.store.place(ColumnPos(5, 5), 1)
    slot = int(stage.light.slots_of(np.array([place], np.int32))[0])
    stage.light.values[slot, :7] ^= 1
    mirror.blocks.set_uniform(np.array([(0, 9, 0)], np.int32), np.array([5]))
    own = np.flatnonzero(mirror.of_light.bricked)[:2]
    at = stage.store.positions_of(own)
    table = mirror.light._table
    mine, theirs = table.torus.index(at[:1]), table.torus.index(at[1:])
    table.enter(theirs, table.entries[mine])
    mirror.flush()
    words = " ".join(told(stage.scene.check_mirror()))
    assert "light of sub-chunk 5,1,5, block 80,16,80: " in words
    assert "(7 blocks differ)" in words
    assert "block ids of sub-chunk 0,9,0: an entry without an owner" in words
    assert "a brick with two owners" in words


@pytest.mark.parametrize("budget_bytes", [None, 4 << 20])
def test_ten_thousand_edits_moves_evictions_and_a_lost_context(budget_bytes: int | None) -> None:
    stage = Stage(budget_bytes)
    rng = np.random.default_rng(11)
    kinds = np.array([0, 0, 0, paint.STONE, paint.LAMP, paint.RED_LAMP, paint.WATER, paint.GLASS, paint.LEAVES])
    for turn in range(100):
        if turn % 4 == 0:
            stage.go(int(rng.integers(0, WIDE)), int(rng.integers(0, WIDE)), int(rng.integers(0, 6)))
        blocks = rng.integers(0, (16 * WIDE, 64, 16 * WIDE), (100, 3))
        blocks[:60] = np.clip(blocks[0] + rng.integers(-5, 6, (60, 3)), 0, (16 * WIDE - 1, 63, 16 * WIDE - 1))
        for (x, y, z), dense in zip(blocks.tolist(), rng.choice(kinds, 100).tolist(), strict=True):
            stage.store.edit(BlockPos(x, y, z), dense)
        stage.scene.step(EYE)
        if turn % 10 == 0:
            stage.frame((float(rng.integers(0, 160)) + 0.5, 50.5, float(rng.integers(0, 160)) + 0.5))
        if turn == 50:
            column = ColumnPos(*rng.integers(0, WIDE, 2).tolist())
            stage.store.unload(column)
            stage.store.load(paint.hills(WIDE), [column])
            check = stage.check()
            assert check.ok, told(check)
    stage.go(5, 5, 6)
    check = stage.check()
    assert check.ok, told(check)
    assert check.subchunks == 2 * WIDE * WIDE * 4
    assert (check.left_out > 0) == (budget_bytes is not None)
    stage.scene = stage.scene.rebuilt(stage.other_context)
    again = stage.check()
    assert again.ok, told(again)
    assert again.subchunks == check.subchunks
    stage.close()


def test_a_context_lost_between_step_and_draw_costs_nothing(stage: Stage) -> None:
    stage.check()
    target = Target(stage.gpu, (96, 64))
    camera = Camera(EYE, 20.0, 10.0, 70.0, 1.5)
    stage.scene.draw(camera, target)
    before = target.pixels()
    target.release()
    stage.store.edit(BlockPos(80, 40, 84), paint.STONE)
    stage.scene.step(EYE)  # a light step and meshes are out now
    stage.store.edit(BlockPos(80, 40, 84), 0)
    stage.scene = stage.scene.rebuilt(stage.other_context)
    assert stage.check().ok
    target = Target(stage.gpu, (96, 64))
    stage.scene.draw(camera, target)
    assert np.array_equal(target.pixels(), before)
    target.release()


@pytest.mark.parametrize(
    ("status", "words"),
    [(0x8253, "by commands of this program"), (0x8254, "another program"), (0x8255, "an unknown reason")],
)
def test_a_driver_that_was_reset_ends_the_frame_and_the_next_context_shows_the_same(
    stage: Stage, status: int, words: str
) -> None:
    stage.check()
    target = Target(stage.gpu, (96, 64))
    camera = Camera(EYE, 20.0, 10.0, 70.0, 1.5)
    stage.scene.draw(camera, target)
    before = target.pixels()
    with reset(stage.gpu, status):
        with pytest.raises(ContextLost, match=words):
            stage.scene.draw(camera, target)
        with pytest.raises(ContextLost):
            stage.scene.step(EYE)
        target.release()
        stage.scene = stage.scene.rebuilt(stage.other_context)
    assert stage.check().ok
    target = Target(stage.gpu, (96, 64))
    stage.scene.draw(camera, target)
    assert np.array_equal(target.pixels(), before)
    target.release()


# ---------------------------------------------------------------- doctor mirror

FLAT = ["doctor", "--mirror", "embedded:flat", "--radius", "2"]


def test_a_world_is_compared_before_during_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, [*FLAT, "--edits", "300", "--moves", "6", "--seed", "2", "--json"]) == 0
    stages = json.loads(capsys.readouterr().out)
    assert [stage["when"] for stage in stages][0::5] == ["as received", "after the context was lost"]
    assert stages[-2]["when"] == "after 300 edits and 6 moves"
    assert all(stage["ok"] and stage["cells"] > 0 and not stage["differences"] for stage in stages)


def test_what_differs_is_told_and_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = CopyDifference(
        "light", (1, 4, -2), "the GPU has 3, the CPU 4", np.array([(17, 70, -30), (17, 70, -29)], np.int32)
    )
    check = MirrorCheck(subchunks=10, bricks=4, left_out=1, cells=40960, differences=(wrong,))
    monkeypatch.setattr(
        mirror_module, "examine_mirror", lambda *_: [mirror_module.MirrorComparison("as received", check)]
    )
    assert reported(app, FLAT) == 1
    out = capsys.readouterr().out
    assert "no  as received: 10 sub-chunks, 4 bricks, 1 did not fit, 40,960 values compared, 1 sub-chunks differ" in out
    assert "light of sub-chunk 1,4,-2, block 17,70,-30: the GPU has 3, the CPU 4 (2 blocks differ)" in out


def test_options_of_the_comparison_alone_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["doctor", "--edits", "5"]) == 2
    assert "--edits, --moves and --gpu-budget need --mirror SOURCE." in capsys.readouterr().err


def test_a_source_that_lacks_something_is_compared_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(recording("bedrock-protocol-486"))
    assert reported(app, ["doctor", "--mirror", path, "--json"]) == 4
    said = capsys.readouterr()
    assert all(stage["ok"] for stage in json.loads(said.out))
    assert said.err.endswith("did not send everything that was requested; only what arrived was compared.\n")
