"""Entities in pictures: where rays meet plain boxes, where they are at a time, what they cost, and their names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest
from msgspec.structs import replace

from client.connection.opening import open_connection
from client.entities import Entities, EntityPicture
from client.options import Moment, Options
from client.player import Eye
from client.source import WorldFile
from net.space import BlockPos, ColumnPos
from render.camera import PARALLEL_REACH_BLOCKS, Camera
from render.capture import PictureOptions
from render.capture.channels import NO_BLOCK, NO_ENTITY, NO_FACE, SemanticSurfaces
from render.capture.picture import shot_of
from render.gpu import Gpu, Target
from render.gpu.targets import SemanticTarget
from render.gpu.textures import BufferTexture
from render.jobs.workers import SyncRunner
from render.passes.entities import EntitiesPass, positions_at
from render.passes.frame_settings import FrameSettings
from tests.gpu.test_looks import BLOCKS, EYE, FAR_COLUMNS, PANES, Stage, staged
from tests.support.reference.entities import boxes_of, met
from tests.support.worlds import painted as paint
from tests.support.worlds.entities import snapshot

pytestmark = pytest.mark.gpu

SIZE = (192, 128)
NOW = 5_000_000
KINDS = ("minecraft:cow", "minecraft:player", "minecraft:arrow", "nobody:knows", "minecraft:minecart")
BLOCK = paint.DIRT


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[Stage]:
    made = staged(gpu)
    made.target.release()
    made.target = Target(gpu, SIZE)
    yield made
    made.close()


def ground(x: int, z: int) -> int:
    """One above the highest block there."""
    return int(np.flatnonzero(BLOCKS[x, z])[-1]) + 1


def camera_at(eye: tuple[float, float, float], yaw_deg: float, pitch_deg: float) -> Camera:
    return Camera(eye, yaw_deg, pitch_deg, 70.0, SIZE[0] / SIZE[1])


def crowd(seed: int, many: int = 60) -> EntityPicture:
    """Of every kind, around the middle of the hills, some on their way."""
    rng = np.random.default_rng(seed)
    entities: list[dict[str, Any]] = []
    for number in range(many):
        x, z = rng.uniform(4, 60, 2)
        at = np.array([x, ground(int(x), int(z)) + rng.choice([0.0, 0.3, 2.0]), z])
        entity: dict[str, Any] = {
            "kind": KINDS[rng.integers(len(KINDS))],
            "row": number * 7 + 3,
            "at": tuple(at),
            "before": tuple(at + rng.uniform(-2, 2, 3)),
            "moved_at": NOW - int(rng.integers(-50_000, 300_000)),
            "teleported": bool(rng.random() < 0.2),
            "angles": tuple(rng.uniform(-170, 170, 3)),
            "angles_before": tuple(rng.uniform(-170, 170, 3)),
            "size": tuple(rng.uniform(0.3, 2.5, 2)),
        }
        special = number % 6
        if special == 0:
            entity.update(kind="minecraft:item", item=True, block=BLOCK if rng.random() < 0.5 else -1)
        elif special == 1:
            entity.update(kind="minecraft:falling_block", block=BLOCK)
        elif special == 2:
            entity.update(kind="minecraft:painting", painting="Pool", direction=int(rng.integers(4)))
        elif special == 3 and rng.random() < 0.5:
            entity.update(block=BLOCK)
        entities.append(entity)
    return snapshot(entities)


def surfaces(gpu: Gpu, stage: Stage, camera: Camera, look: FrameSettings | None = None) -> SemanticSurfaces:
    target = SemanticTarget(gpu, SIZE)
    assert stage.scene.settle(camera.eye)
    stage.scene.draw_semantic(camera, target, look)
    found = SemanticSurfaces.of(*target.read())
    target.release()
    return found


def picture(stage: Stage, camera: Camera, look: FrameSettings) -> np.ndarray:
    assert stage.scene.settle(camera.eye)
    stage.scene.draw(camera, stage.target, look)
    return stage.target.pixels()


def look_at(entities: EntityPicture | None, now_us: int = NOW) -> FrameSettings:
    return FrameSettings(entities=entities, now_us=now_us)


def alike(array: np.ndarray) -> np.ndarray:
    """Whether a pixel's 8 neighbours have its value."""
    padded = np.pad(array, 1, mode="edge")
    height, width = array.shape
    same = np.ones(array.shape, np.bool_)
    for down in range(3):
        for along in range(3):
            same &= padded[down : down + height, along : along + width] == array
    return same


def checked(gpu: Gpu, stage: Stage, entities: EntityPicture, camera: Camera, now_us: int = NOW) -> int:
    """Asserts that the buffers say what rays meet; how many pixels of entities were compared."""
    bare = surfaces(gpu, stage, camera)
    found = surfaces(gpu, stage, camera, look_at(entities, now_us))
    number, depth, side = met(boxes_of(entities, now_us), camera, SIZE)
    behind = np.where(bare.drawn, bare.depth, np.inf)
    before = depth < behind
    wanted = np.where(before, number, np.uint32(NO_ENTITY))
    with np.errstate(invalid="ignore"):
        inner = ~(np.abs(depth - behind) <= 0.05)  # true where both are infinite
    inner &= alike(np.where(before, side, -1)) | ((wanted == NO_ENTITY) & alike(side))
    assert (found.entity == wanted)[inner].all(), f"{np.count_nonzero((found.entity != wanted) & inner)} pixels"
    ours = inner & (wanted != NO_ENTITY)
    share = np.abs(found.depth[ours] - depth[ours]) / np.maximum(np.abs(depth[ours]), 1.0)
    assert share.max(initial=0.0) < 0.01
    none = inner & (wanted == NO_ENTITY)
    assert np.array_equal(found.drawn[none], bare.drawn[none])
    assert np.array_equal(found.dense[none & bare.drawn], bare.dense[none & bare.drawn])
    return int(ours.sum())


@pytest.mark.parametrize("seed", range(6))
def test_each_pixel_shows_the_entity_that_its_ray_meets_first(gpu: Gpu, stage: Stage, seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    eye = (float(rng.uniform(10, 54)), 44.0, float(rng.uniform(2, 8)))
    camera = camera_at(eye, float(rng.uniform(-30, 30)), float(rng.uniform(15, 40)))
    assert checked(gpu, stage, crowd(seed, 400), camera) > 200


def test_an_orthographic_picture_shows_them_too(gpu: Gpu, stage: Stage) -> None:
    for pitch in (90.0, 30.0):
        reach = PARALLEL_REACH_BLOCKS
        camera = Camera((32.0, 40.0, 32.0), 20.0, pitch, 70.0, SIZE[0] / SIZE[1], -reach, reach, 30.0)
        assert checked(gpu, stage, crowd(9, 400), camera) > 300


def test_a_million_blocks_away_no_pixel_differs(gpu: Gpu) -> None:
    pictures = []
    for columns in (0, FAR_COLUMNS):
        stage = staged(gpu, away=columns)
        away = np.array([columns * 16.0, 0.0, columns * 16.0])
        entities = crowd(3)
        # Whole sixteenths, so that no bit is lost so far away.
        position, before = (np.round(each * 16) / 16 + away for each in (entities.position, entities.before))
        pictures.append(stage.picture(look_at(replace(entities, position=position, before=before))))
        stage.close()
    assert np.array_equal(*pictures)


def test_who_has_none_has_the_picture_of_before(stage: Stage) -> None:
    quiet = stage.picture()
    assert np.array_equal(quiet, stage.picture(look_at(Entities(486).picture())))
    assert not np.array_equal(quiet, stage.picture(look_at(crowd(1))))
    assert np.array_equal(quiet, stage.picture())


def test_a_moment_repeats_and_moves_are_drawn_in_three_ticks(gpu: Gpu, stage: Stage) -> None:
    camera = camera_at((30.0, 60.0, 30.0), 0.0, 90.0)
    cow = {"at": (33.0, 50.0, 30.0), "before": (27.0, 50.0, 30.0), "moved_at": NOW}
    entities = snapshot([cow])
    middles = []
    for passed in (-20_000, 0, 50_000, 100_000, 150_000, 900_000):
        now = NOW + passed
        shown = surfaces(gpu, stage, camera, look_at(entities, now)).entity != NO_ENTITY
        again = surfaces(gpu, stage, camera, look_at(entities, now)).entity != NO_ENTITY
        assert np.array_equal(shown, again)
        middles.append(float(np.mean(np.nonzero(shown)[1])))
        assert checked(gpu, stage, entities, camera, now)
    assert middles[0] == middles[1] > middles[2] > middles[3] > middles[4] == middles[5]
    at_once = snapshot([{**cow, "teleported": True}])
    shown = surfaces(gpu, stage, camera, look_at(at_once, NOW)).entity != NO_ENTITY
    assert float(np.mean(np.nonzero(shown)[1])) == middles[4]


def test_no_pixel_changes_but_where_a_box_is_before_the_terrain(stage: Stage, gpu: Gpu) -> None:
    camera = camera_at(EYE, -10.0, 35.0)
    entities = crowd(5)
    bare, full = picture(stage, camera, look_at(None)), picture(stage, camera, look_at(entities))
    number, _, _ = met(boxes_of(entities, NOW), camera, SIZE)
    padded = np.pad(number != NO_ENTITY, 1)
    around = sum(np.roll(np.roll(padded, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1))[1:-1, 1:-1] > 0
    assert np.array_equal(bare[~around], full[~around])
    assert (bare != full).any()


def test_glass_and_water_lie_over_what_is_behind_them(stage: Stage, gpu: Gpu) -> None:
    pane = PANES[0]
    camera = camera_at((pane.x + 0.5, pane.y + 0.5, pane.z - 3.0), 0.0, 0.0)
    cow = {"at": (pane.x + 0.5, pane.y - 0.2, pane.z + 3.0), "size": (3.0, 2.0)}
    entities = snapshot([cow])
    middle = SIZE[1] // 2, SIZE[0] // 2
    assert surfaces(gpu, stage, camera, look_at(entities)).entity[middle] == NO_ENTITY, "the pane is nearer"
    bare, full = picture(stage, camera, look_at(None)), picture(stage, camera, look_at(entities))
    assert not np.array_equal(bare[middle], full[middle]), "it is seen through the pane"
    before = snapshot([{**cow, "at": (pane.x + 0.5, pane.y - 0.2, pane.z - 1.6), "size": (0.5, 2.0)}])
    assert surfaces(gpu, stage, camera, look_at(before)).entity[middle] == 0


@pytest.mark.parametrize("overlay", ["xray-placeholder", "xray-air", "channel-normal", "states"])
def test_overlays_are_drawn_with_them(stage: Stage, overlay: str) -> None:
    camera = camera_at(EYE, -10.0, 35.0)
    look = replace(look_at(crowd(5)), overlays=frozenset({overlay}))
    once = picture(stage, camera, look)
    assert np.array_equal(once, picture(stage, camera, look))


def test_channels_say_nothing_of_a_block_where_an_entity_is(gpu: Gpu, stage: Stage) -> None:
    camera = camera_at(EYE, -10.0, 35.0)
    entities = snapshot([{"row": 77, "at": (31.5, 36.0, 12.5), "size": (4.0, 4.0)}])
    found = surfaces(gpu, stage, camera, look_at(entities))
    there = found.entity == 77
    assert there.sum() > 500
    palette: Any = type("Rows", (), {"row_of_dense": np.arange(1 << 16, dtype=np.uint32)})
    world: Any = stage.store
    assert (found.channel("block", palette, world)[there] == NO_BLOCK).all()
    assert (found.channel("face", palette, world)[there] == NO_FACE).all()
    assert np.isfinite(found.channel("depth", palette, world)[there]).all()
    assert (found.channel("cell", palette, world)[there] == (31, 38, 12)).all()
    assert (found.channel("light", palette, world)[there] == 0xF000).all(), "under the sky"
    assert (found.channel("entity", palette, world)[~there] == NO_ENTITY).all()


def test_of_an_invisible_one_edges_are_drawn(gpu: Gpu, stage: Stage) -> None:
    camera = camera_at(EYE, -10.0, 35.0)
    large = {"row": 77, "at": (31.5, 36.0, 12.5), "size": (4.0, 4.0)}
    seen, edges = (
        surfaces(gpu, stage, camera, look_at(snapshot([{**large, "invisible": invisible}]))).entity == 77
        for invisible in (False, True)
    )
    assert not (edges & ~seen).any()
    assert 0 < edges.sum() < seen.sum() / 4


RECORDING = Path(__file__).parents[1] / "golden/scenes/entities.cscope"


def test_a_picture_of_a_recording_has_them_if_it_is_asked_for(gpu: Gpu) -> None:
    """Of a moment on the way of one: twice the same, and the number of each is its own."""
    options = Options(still=Moment(2.65), at=Eye(0.5, -57.0, -2.0), look_deg=(0.0, 18.0), light=False)
    found = []
    with open_connection(WorldFile(RECORDING), options) as connection:
        connection.wait_settled()
        for entities in (False, True, True):
            drawn = PictureOptions(size_px=SIZE, time=6000, entities=entities)
            shot = shot_of(gpu, connection, drawn, ("colour", "entity"), SyncRunner()).shot
            found.append((shot.colour, shot.entity))
    assert (found[0][1] == NO_ENTITY).all()
    assert len(np.unique(found[1][1])) > 12, "fourteen entities and none"
    assert not np.array_equal(found[0][0], found[1][0])
    assert all(np.array_equal(*pair) for pair in zip(found[1], found[2], strict=True))


# ---------------------------------------------------------------- light


def test_they_are_lit_by_the_cell_that_they_are_in(stage: Stage) -> None:
    """By night, under a lamp and away from it."""
    camera = camera_at((30.0, 60.0, 30.0), 0.0, 90.0)
    night = replace(look_at(snapshot([{"at": (30.0, 50.0, 30.0)}])), time_ticks=18000)
    day = replace(night, time_ticks=6000)
    middle = SIZE[1] // 2, SIZE[0] // 2
    assert picture(stage, camera, day)[middle][:3].sum() > 2 * picture(stage, camera, night)[middle][:3].sum()


def test_where_nothing_was_received_they_have_the_daylight_of_the_surface(stage: Stage) -> None:
    """In a sub-chunk that is a placeholder, and where no column is; in a block that is known they stay dark."""
    blocks = np.zeros((80, 16, 64), np.uint16)
    blocks[:, :, 32:48] = paint.PLACEHOLDER
    stage.store.load(blocks, [ColumnPos(4, 0)])
    stage.store.edit(BlockPos(30, 52, 30), paint.STONE)

    def shown(at: tuple[float, float, float], tall: float, ticks: int = 6000) -> np.ndarray:
        """The colour of one so tall, seen from above."""
        entities = snapshot([{"at": at, "size": (0.8, tall)}])
        look = replace(look_at(entities), time_ticks=ticks)
        pixels = picture(stage, camera_at((at[0], at[1] + tall + 3.0, at[2]), 0.0, 90.0), look)
        found: np.ndarray = pixels[SIZE[1] // 2, SIZE[0] // 2, :3].astype(int)
        return found

    in_air, unknown, nowhere = (30.5, 50.0, 20.5), (72.5, 40.0, 8.5), (300.5, 40.0, 8.5)
    for at in (unknown, nowhere):
        assert np.abs(shown(at, 0.8) - shown(in_air, 0.8)).max() <= 3
        assert shown(at, 0.8, 18000).sum() < 0.6 * shown(at, 0.8).sum(), "as dark as the surface by night"
    assert shown((30.5, 52.0, 30.5), 1.5).sum() < 0.2 * shown(in_air, 1.5).sum()


# ---------------------------------------------------------------- cost


class Calls:
    """What of the GPU is called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.draws = 0
        self.writes: list[str] = []
        render: Any = moderngl.VertexArray.render
        write: Any = BufferTexture.write

        def counted(array: Any, *arguments: Any, **named: Any) -> None:
            self.draws += 1
            render(array, *arguments, **named)

        def noted(buffer: BufferTexture, *arguments: Any) -> None:
            self.writes.append(buffer._label)
            write(buffer, *arguments)

        monkeypatch.setattr(moderngl.VertexArray, "render", counted)
        monkeypatch.setattr(BufferTexture, "write", noted)

    def of(self, stage: Stage, camera: Camera, look: FrameSettings) -> tuple[int, list[str]]:
        self.draws, self.writes = 0, []
        stage.scene.draw(camera, stage.target, look)
        return self.draws, self.writes


def test_none_cost_no_draw_call_and_two_thousand_two(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    camera = camera_at(EYE, -10.0, 35.0)
    picture(stage, camera, look_at(None))
    calls = Calls(monkeypatch)
    bare, _ = calls.of(stage, camera, look_at(None))
    assert calls.of(stage, camera, look_at(Entities(486).picture())) == (bare, [])
    behind = snapshot([{"at": (30.5, 44.0, -40.0)}])
    calls.of(stage, camera, look_at(behind))
    assert calls.of(stage, camera, look_at(behind)) == (bare, [])
    cows = snapshot([{"at": (30.5, 36.0, 12.5)}])
    assert calls.of(stage, camera, look_at(cows))[0] == bare + 1, "all have a head"
    many = crowd(2, 2000)
    assert calls.of(stage, camera, look_at(many))[0] == bare + 2


def test_a_snapshot_is_sent_once_and_time_sends_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    camera, other = camera_at(EYE, -10.0, 35.0), camera_at(EYE, 30.0, 35.0)
    entities = crowd(2, 200)
    calls = Calls(monkeypatch)
    assert {"entities", "entities in sight"} <= set(calls.of(stage, camera, look_at(entities))[1])
    assert calls.of(stage, camera, look_at(entities, NOW + 20_000))[1] == []
    assert calls.of(stage, other, look_at(entities, NOW + 20_000))[1] == ["entities in sight"]
    moved = replace(entities, position=entities.position + 0.25, version=entities.version + 1)
    assert "entities" in calls.of(stage, other, look_at(moved, NOW + 20_000))[1]


# ---------------------------------------------------------------- bad input


def test_what_is_no_number_never_reaches_the_gpu(gpu: Gpu, stage: Stage) -> None:
    nan, inf, cow = np.nan, np.inf, (31.5, 36.0, 12.5)
    bad: list[dict[str, Any]] = [
        {"at": (nan, 36.0, 12.5)}, {"at": (inf, 36.0, 12.5)}, {"at": (1e300, 36.0, 12.5)},
        {"at": cow, "size": (nan, 1.0)}, {"at": cow, "size": (1.0, -1.0)}, {"at": cow, "size": (0.0, 1.0)},
        {"at": (31.5, -1e12, 12.5), "name": "nowhere", "name_always": True},
    ]  # fmt: skip
    odd: list[dict[str, Any]] = [
        {"at": cow, "before": (nan, 0.0, 0.0)}, {"at": cow, "before": (1e300, 0.0, 0.0)},
        {"at": cow, "size": (inf, inf)}, {"at": cow, "angles": (nan, inf, -inf)},
        {"at": cow, "angles": (1e30, 1e30, 1e30)}, {"at": cow, "moved_at": -(1 << 62)}, {"at": cow, "block": 1 << 30},
        {"at": cow, "name": "\0§§", "name_always": True},
    ]  # fmt: skip
    camera = camera_at(EYE, -10.0, 35.0)
    bare = surfaces(gpu, stage, camera)
    assert (surfaces(gpu, stage, camera, look_at(snapshot(bad))).entity == NO_ENTITY).all()
    drawer = EntitiesPass(gpu)
    with np.errstate(all="raise"):
        looks = stage.scene.frames._appearance.tables.faces
        assert drawer.prepare(snapshot(bad), looks, camera) == 0
        assert drawer.prepare(snapshot(bad + odd), looks, camera) == len(odd)
        words = drawer._packed.words.reshape(-1, 16)
        assert np.isfinite(words.view(np.float32)[:, [4, 5, 6, 8, 9, 10, 12, 13]]).all()
        for entity in odd:
            picture(stage, camera, look_at(snapshot([entity])))
    drawer.release()
    assert np.array_equal(surfaces(gpu, stage, camera).cell, bare.cell)


# ---------------------------------------------------------------- many

HERD = 2000
FRAMES = 60
HERD_EYE = (32.0, 45.0, -40.0)


def herd() -> EntityPicture:
    """Of forty types, a tenth of them items, some with blocks, paintings and names."""
    rng = np.random.default_rng(1)
    return snapshot([
        {
            "kind": f"minecraft:kind_{rng.integers(40)}",
            "at": (rng.uniform(0, 64), rng.uniform(30, 60), rng.uniform(0, 64)),
            "moved_at": int(rng.integers(0, 1_000_000)),
            "item": number % 10 == 0,
            "block": paint.DIRT if number % 15 == 0 else -1,
            "painting": "Pool" if number % 100 == 1 else "",
            "name": f"player {number}" if number % 20 == 2 else "",
            "name_always": number % 40 == 2,
        }
        for number in range(HERD)
    ])  # fmt: skip


def turning_cameras() -> list[Camera]:
    return [Camera(HERD_EYE, 0.1 * number, 5.0, 70.0, SIZE[0] / SIZE[1]) for number in range(FRAMES)]


def test_two_thousand_in_sight_are_two_draw_calls_and_one_upload(
    gpu: Gpu, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    entities, drawer = herd(), EntitiesPass(gpu)
    looks, first = stage.scene.frames._appearance.tables.faces, stage.store.table.first
    sent: list[int] = []
    write = moderngl.Buffer.write

    def counted(buffer: Any, data: Any, **named: Any) -> None:
        sent.append(memoryview(data).nbytes)
        write(buffer, data, **named)

    monkeypatch.setattr(moderngl.Buffer, "write", counted)
    stage.target.begin()
    for number, camera in enumerate(turning_cameras()):
        assert drawer.prepare(entities, looks, camera) == HERD
        assert drawer.draw(number * 16_000, first) == 2
    assert len(sent) == 2, "rows, and which of them are in sight"
    assert sum(sent) < 200_000
    drawer.release()


# ---------------------------------------------------------------- names


def names_in(stage: Stage, entities: EntityPicture, camera: Camera, now_us: int = NOW) -> int:
    """Pixels of names: white ones that the same without names has not."""
    unnamed = replace(entities, name=("",) * len(entities.name))
    return int(
        (picture(stage, camera, look_at(entities, now_us)) != picture(stage, camera, look_at(unnamed, now_us)))
        .any(2)
        .sum()
    )


def test_names_show_always_or_when_looked_at(stage: Stage) -> None:
    camera = camera_at((30.0, 52.0, 20.0), 0.0, 0.0)
    ahead, beside = {"at": (30.0, 51.2, 28.0)}, {"at": (33.0, 51.2, 28.0)}
    assert names_in(stage, snapshot([{**ahead, "name": "Ada"}]), camera)
    assert not names_in(stage, snapshot([{**beside, "name": "Ada"}]), camera)
    assert names_in(stage, snapshot([{**beside, "name": "Ada", "name_always": True}]), camera)
    hidden = snapshot([{**ahead, "name": "Ada"}, {"at": (30.0, 51.2, 25.0)}])
    assert not names_in(stage, hidden, camera), "another stands before it"
    away = snapshot([{"at": (30.0, 51.2, 95.0), "name": "Ada", "name_always": True}])
    assert not names_in(stage, away, camera), "too far to be read"
    low = camera_at((30.0, 52.0, 20.0), 0.0, 0.0)
    buried = snapshot([{"at": (30.0, 5.0, 28.0), "name": "Ada", "name_always": True}])
    assert not names_in(stage, buried, low), "behind terrain"


def test_a_name_goes_with_who_has_it(stage: Stage) -> None:
    camera = camera_at((30.0, 52.0, 20.0), 0.0, 0.0)
    moving = snapshot(
        [{"at": (27.0, 51.2, 28.0), "before": (33.0, 51.2, 28.0), "moved_at": NOW, "name": "Ada", "name_always": True}]
    )
    first, last = (picture(stage, camera, look_at(moving, now)) for now in (NOW, NOW + 150_000))
    assert not np.array_equal(first, last)
    rows = np.array([0])
    assert positions_at(moving, rows, NOW).tolist() == [[33.0, 51.2, 28.0]]
    assert positions_at(moving, rows, NOW + 75_000)[0] == pytest.approx([30.0, 51.2, 28.0])
    assert positions_at(moving, rows, NOW + 1_000_000).tolist() == [[27.0, 51.2, 28.0]]
