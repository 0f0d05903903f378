"""What a mutation check counts and tells, and which views of scenes defects are planted in.

Planting: Defects of meshes, quad by quad and block by block.

Prediction: What rays say of a spoilt truth: which of it is in view.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from client.player import Eye, View
from net.space import ColumnPos, Dimension
from render.mesh.vertex_format import CUBE, GROUPS, MODEL, Group, Words, pack, read
from render.scene_tests.suite import open_suite
from render.scene_tests.take import picture_of
from tests.mutation.check import CheckReport, Done, Work, check_suite, told_check, why_left_out, wishes_of
from tests.mutation.defects import Defect, Sight, Trial, Wish
from tests.mutation.planting import blocks_without, shifted, shifted_blocks, without
from tests.mutation.prediction import Oracle, judge_sight
from tests.oracle.cast import NO_SURFACES
from tests.support.data.scene_suites import flat_scene
from tests.support.worlds.blocks import FakeTable, FakeWorld

# ---------------------------------------------------------------- check


def trial(defect: Defect, sight: Sight, changed: int, caught: bool) -> Trial:
    seen = {Sight.VISIBLE: 90, Sight.SLIGHT: 2, Sight.HIDDEN: 0}[sight]
    return Trial(Wish(defect, True, 1), "caves/way_in", "block 1 2 3 swapped", sight, seen, changed, caught, True)


FOUND = trial(Defect.SWAP, Sight.VISIBLE, 95, True)
SILENT = trial(Defect.DROP, Sight.HIDDEN, 0, False)
MISSED = trial(Defect.SHIFT, Sight.VISIBLE, 3, False)
LOUD = trial(Defect.DARKEN, Sight.HIDDEN, 7, True)
HUMMING = trial(Defect.DARKEN, Sight.HIDDEN, 1, False)  # a pixel changed within what the gate allows
SLIGHT = trial(Defect.HIDE, Sight.SLIGHT, 2, False)


def test_a_report_passes_when_every_visible_defect_was_told_and_no_hidden_one_showed() -> None:
    report = CheckReport(0, (FOUND, SILENT, SLIGHT), 0, ())
    assert report.passed
    assert told_check(report)[-1] == "Seed 0: every visible defect was caught, every hidden one silent."


@pytest.mark.parametrize("worse", [MISSED, LOUD, HUMMING])
def test_one_missed_or_one_loud_defect_fails_and_is_told(worse: Trial) -> None:
    report = CheckReport(0, (FOUND, SILENT, worse), 0, ())
    assert not report.passed
    told = told_check(report)
    assert sum("caves/way_in: block 1 2 3 swapped" in line for line in told) == 1
    assert told[-1] == f"Seed 0: 1 {'missed' if worse is MISSED else 'hidden, yet shown'}."


def test_a_report_of_nothing_or_with_a_scene_that_failed_does_not_pass() -> None:
    assert not CheckReport(0, (), 5, ()).passed
    assert told_check(CheckReport(0, (), 5, ()))[-1] == "Seed 0: nothing was planted, so nothing is proven."
    failed = CheckReport(0, (FOUND,), 0, ("caves: it did not settle",))
    assert not failed.passed
    assert "NOT TAKEN caves: it did not settle" in told_check(failed)


def test_a_view_that_is_left_out_is_told_and_fails_nothing() -> None:
    report = CheckReport(0, (FOUND,), 0, (), ("caves/in_rock: its eye is in an opaque block",))
    assert report.passed
    assert "LEFT OUT caves/in_rock: its eye is in an opaque block" in told_check(report)
    assert report.as_json()["left_out"] == ["caves/in_rock: its eye is in an opaque block"]


def test_the_table_has_a_row_for_each_class_and_their_sum() -> None:
    report = CheckReport(3, (FOUND, FOUND, SILENT, MISSED, LOUD, SLIGHT), 0, ())
    counts = report.counts()
    assert counts[Defect.SWAP] == {
        "planted": 2,
        "visible": 2,
        "caught": 2,
        "hidden": 0,
        "silent": 0,
        "slight": 0,
        "named": 2,
    }
    assert (counts[Defect.SHIFT]["visible"], counts[Defect.SHIFT]["caught"]) == (1, 0)
    assert (counts[Defect.DARKEN]["hidden"], counts[Defect.DARKEN]["silent"]) == (1, 0)
    lines = told_check(report)
    assert [line.split("  ")[0] for line in lines[1:7]] == [*(defect.value for defect in Defect), "all"]
    assert lines[6].split()[1:] == ["6", "3", "2", "2", "1", "1", "6"]
    said = json.loads(json.dumps(report.as_json()))
    assert (said["seed"], said["passed"], len(said["trials"])) == (3, False, 6)


def test_wishes_are_an_equal_share_of_each_class_half_of_them_in_view() -> None:
    wishes = wishes_of(7, 200)
    for defect in Defect:
        of_class = [wish for wish in wishes if wish.defect is defect]
        assert (len(of_class), sum(wish.seen for wish in of_class)) == (40, 20)
    assert len({wish.seed for wish in wishes}) == 200
    assert wishes == wishes_of(7, 200)
    assert not {wish.seed for wish in wishes} & {wish.seed for wish in wishes_of(8, 200)}


class Hands:
    """A crew that plants everything, but for classes a scene has no place for; ``dull`` scenes show no HIDE."""

    def __init__(self, unable: Mapping[str, set[Defect]], broken: str = "", dull: str = "") -> None:
        self.unable, self.broken, self.dull = unable, broken, dull
        self.opened: list[str] = []

    def do(self, works: Sequence[Work]) -> Iterator[Done]:
        for work in works:
            name = work.scene.name
            self.opened.append(name)
            if name == self.broken:
                yield Done.failed(work, "it did not settle")
                continue
            unable = self.unable.get(name, set())
            able = [defect for defect in Defect if defect not in unable]
            planted = [wish if wish.defect in able else replace(wish, defect=able[0]) for wish in work.wishes if able]
            left = () if able else work.wishes
            trials = tuple(self._trial(wish, name) for wish in planted)
            yield Done(trials, left, frozenset(unable))

    def _trial(self, wish: Wish, name: str) -> Trial:
        shows = wish.seen and not (wish.defect is Defect.HIDE and name in self.dull)
        return Trial(wish, name, "", Sight.VISIBLE if shows else Sight.HIDDEN, 0, 0, shows, True)


def check(hands: Hands, tmp_path: Path) -> CheckReport:
    scenes = [flat_scene(tmp_path, name) for name in "abcd"]
    return check_suite(scenes, hands, seed=3, mutations=40)


def test_every_scene_is_opened_once_where_others_can_stand_in_for_a_class(tmp_path: Path) -> None:
    hands = Hands({"a": {Defect.HIDE}, "b": {Defect.HIDE}})
    report = check(hands, tmp_path)
    assert sorted(hands.opened) == ["a", "b", "c", "d"]
    assert (len(report.trials), report.unplanted, report.passed) == (40, 0, True)


def test_a_class_that_few_scenes_have_places_for_still_comes_to_half_its_share(tmp_path: Path) -> None:
    hands = Hands({name: {Defect.HIDE} for name in "abc"})
    counts = check(hands, tmp_path).counts()
    assert counts[Defect.HIDE]["planted"] == 4
    assert hands.opened.count("d") == 2


def test_a_class_that_shows_seldom_is_planted_again_where_it_shows(tmp_path: Path) -> None:
    report = check(Hands({}, dull="abc"), tmp_path)
    assert report.counts()[Defect.HIDE]["visible"] >= 4
    again = [trial for trial in report.trials if not trial.wish.instead]
    assert {trial.wish.defect for trial in again} == {Defect.HIDE}
    assert any(trial.scene == "d" for trial in again)


def test_a_class_that_shows_nowhere_ends_the_check_all_the_same(tmp_path: Path) -> None:
    report = check(Hands({}, dull="abcd"), tmp_path)
    assert report.counts()[Defect.HIDE]["visible"] == 0
    assert 40 <= len(report.trials) <= 48
    assert report.unplanted == 0


def test_what_a_scene_that_failed_was_to_plant_others_plant(tmp_path: Path) -> None:
    report = check(Hands({}, broken="b"), tmp_path)
    assert len(report.trials) == 40
    assert report.troubles == ("b: it did not settle",)


def test_a_class_without_any_place_is_told(tmp_path: Path) -> None:
    report = check(Hands({name: set(Defect) for name in "abcd"}), tmp_path)
    assert not report.trials
    assert report.unplanted == 40
    assert "40 wishes found no place in any scene." in told_check(report)


SCENES = Path(__file__).parents[2] / "golden" / "scenes"


def why(tmp_path: Path, in_scene: str = "", in_view: str = "") -> str | None:
    scene = flat_scene(tmp_path, "small", in_scene)
    path = tmp_path / "small.toml"
    path.write_text(path.read_text() + in_view)
    (suite,) = open_suite(tmp_path).scenes
    assert suite.name == scene.name
    (view,) = suite.views
    return why_left_out(view, picture_of(suite, view))


@pytest.mark.parametrize("in_scene", ["", 'overlays = ["age", "states"]'])
def test_a_view_in_perspective_is_used(tmp_path: Path, in_scene: str) -> None:
    assert why(tmp_path, in_scene) is None


@pytest.mark.parametrize(
    ("in_scene", "in_view", "words"),
    [
        ("", "ortho = 40\n", "it is orthographic"),
        ("", "freeze_at = [0.5, -40.0, 0.5]\n", "its culling camera is frozen"),
        ('overlays = ["age", "cells"]', "", "its overlay cells says how often a cell was meshed"),
        ("", 'overlays = ["cells"]\n', "its overlay cells says how often a cell was meshed"),
    ],
)
def test_what_rays_cannot_judge_or_nothing_takes_back_is_left_out_in_words(
    tmp_path: Path, in_scene: str, in_view: str, words: str
) -> None:
    told = why(tmp_path, in_scene, in_view)
    assert told is not None
    assert told.startswith(words)


def test_the_scene_of_cells_is_left_out_and_that_of_ages_is_not() -> None:
    scenes = {scene.name: scene for scene in open_suite(SCENES).scenes}
    used = {
        name: [why_left_out(view, picture_of(scenes[name], view)) is None for view in scenes[name].views]
        for name in ("overlay_cells", "overlay_age")
    }
    assert not any(used["overlay_cells"])
    assert used["overlay_age"][0]


# ---------------------------------------------------------------- planting

COUNTS = np.zeros(GROUPS, np.int32)
COUNTS[[Group.OPAQUE_POS_Y, Group.TRANSLUCENT, Group.LIQUID, Group.MODEL]] = 2, 1, 1, 1


def mesh() -> Words:
    """A merged top at x 0..3, a single one at x 15, glass at x 5, a liquid's side three high; a model at x 2."""
    cubes = pack(
        CUBE,
        4,
        x=[0, 15, 5, 7],
        y=[4, 4, 9, 29],
        z=[1, 1, 2, 3],
        face=[5, 5, 0, 2],
        width=[4, 1, 1, 2],
        height=[1, 1, 1, 3],
        block=[10, 10, 5, 7],
    )
    model = pack(MODEL, 1, x=35, y=16, z=3, ux=8, vy=8, block=2, block_x=2, block_y=1, block_z=0)
    return np.concatenate([cubes, model.reshape(-1, 2)])


def test_a_shifted_mesh_has_every_quad_that_stays_in_its_cell_one_block_on() -> None:
    units, counts = shifted(mesh(), COUNTS, 0, 1)
    cubes, model = units[:3], units[3:].reshape(1, 6)
    assert counts[[Group.OPAQUE_POS_Y, Group.TRANSLUCENT, Group.LIQUID, Group.MODEL]].tolist() == [1, 1, 1, 1]
    assert read(CUBE, cubes, "x").tolist() == [1, 6, 8]
    assert read(CUBE, cubes, "block").tolist() == [10, 5, 7], "nothing else of a quad changes"
    assert read(CUBE, cubes, "width").tolist() == [4, 1, 2]
    assert (read(MODEL, model, "x").tolist(), read(MODEL, model, "block_x").tolist()) == ([51], [3])
    assert read(MODEL, model, "y").tolist() == [16]


def test_what_of_a_quad_would_leave_its_cell_is_cut_off() -> None:
    up, counts = shifted(mesh(), COUNTS, 1, 1)
    cubes = up[: counts[:9].sum()]
    assert read(CUBE, cubes, "y").tolist() == [5, 5, 10, 30]
    assert read(CUBE, cubes, "height").tolist() == [1, 1, 1, 2]
    west, counts = shifted(mesh(), COUNTS, 0, -1)
    cubes = west[: counts[:9].sum()]
    assert read(CUBE, cubes, "x").tolist() == [0, 14, 4, 6]
    assert read(CUBE, cubes, "width").tolist() == [3, 1, 1, 2]


def test_a_hidden_group_is_gone_and_all_others_stay() -> None:
    units, counts = without(mesh(), COUNTS, Group.TRANSLUCENT)
    assert counts[Group.TRANSLUCENT] == 0
    assert counts.sum() == COUNTS.sum() - 1
    assert np.array_equal(units, np.delete(mesh(), 2, axis=0))


def test_shifted_blocks_leave_nothing_behind_and_cross_from_half_to_half() -> None:
    blocks = np.zeros((2, 4096), np.uint16)
    blocks[0, 3 << 8 | 2 << 4 | 15] = 8
    blocks[1, 15 << 8 | 0 << 4 | 0] = 9
    up = shifted_blocks(blocks, 1, 1)
    assert up[1, 3 << 8 | 2 << 4] == 8
    assert up[1, 15 << 8 | 1] == 9
    east = shifted_blocks(blocks, 0, 1)
    assert np.argwhere(east).tolist() == [[0, 4 << 8 | 2 << 4 | 15]], "what left the cell is gone"
    south = shifted_blocks(blocks, 2, 1)
    assert south[0, 3 << 8 | 3 << 4 | 15] == 8


def test_blocks_without_some_are_air() -> None:
    assert blocks_without(np.array([[5, 7, 2]], np.uint16), 7, 9).tolist() == [[5, 0, 2]]


# ---------------------------------------------------------------- prediction

SMALL = Dimension(0, "small", 0, 1, True)
STONE, LAMP = 17, 23
SIZE_PX = (12, 8)
NOTHING_RELIT = np.zeros((0, 3), np.int64)
LIGHT = SimpleNamespace(values=np.zeros((1, 4096), np.uint16), slots_of=lambda places: np.zeros(len(places), np.int32))


def stone(dense: int, open_layers: int = 4) -> npt.NDArray[np.uint16]:
    """Blocks of a sub-chunk, but for so many layers of air along x."""
    return np.where(np.arange(4096) >> 8 < open_layers, 0, dense).astype(np.uint16)


@pytest.fixture
def world() -> FakeWorld:
    """Three columns in a row: the eye's and the next are air, the third one is stone but for its first four layers."""
    world = FakeWorld(SMALL, FakeTable.plain())
    for x in range(3):
        world.add_column(ColumnPos(x, 0))
        world.show(world.place(ColumnPos(x, 0), 0), stone(STONE) if x == 2 else np.zeros(4096, np.uint16))
    world.since = np.zeros(len(world.slot))
    return world


def eastward(world: FakeWorld) -> Oracle:
    view = View(Eye(8.5, 8.5, 8.5), yaw_deg=-90.0, pitch_deg=0.0, fov_deg=20.0)
    return Oracle(world, LIGHT, NO_SURFACES, view, SIZE_PX, np.ones(len(world.slot), np.bool_))


def sight_of_dropping(world: FakeWorld, x: int) -> tuple[Sight, int]:
    oracle = eastward(world)
    before = oracle.see()
    world.show(world.place(ColumnPos(x, 0), 0), None)
    return judge_sight(before, oracle.see(), NOTHING_RELIT)


def test_a_place_whose_surface_is_seen_is_visible_when_it_is_dropped(world: FakeWorld) -> None:
    assert sight_of_dropping(world, 2) == (Sight.VISIBLE, SIZE_PX[0] * SIZE_PX[1])


def test_a_place_through_whose_air_rays_go_need_not_be_missed_when_it_is_dropped(world: FakeWorld) -> None:
    """A placeholder has no looks: what stands behind it is drawn where it is reached some other way."""
    assert sight_of_dropping(world, 1) == (Sight.SLIGHT, 0)


def test_a_side_that_looks_at_a_placeholder_is_not_drawn_so_it_is_missed(world: FakeWorld) -> None:
    world.show(world.place(ColumnPos(2, 0), 0), stone(STONE, 0))
    assert sight_of_dropping(world, 1) == (Sight.VISIBLE, SIZE_PX[0] * SIZE_PX[1])


def test_what_lies_behind_a_placeholder_is_no_demand_on_either_picture(world: FakeWorld) -> None:
    world.show(world.place(ColumnPos(1, 0), 0), None)
    oracle = eastward(world)
    before = oracle.see()
    assert not before.sure.any()
    assert before.hits.on_terrain.all()
    world.show(world.place(ColumnPos(2, 0), 0), stone(LAMP))
    assert judge_sight(before, oracle.see(), NOTHING_RELIT) == (Sight.SLIGHT, 0)


def test_rays_through_a_box_cast_again_see_what_all_rays_would(world: FakeWorld) -> None:
    oracle = eastward(world)
    before = oracle.see()
    place = world.place(ColumnPos(1, 0), 0)
    world.set_cell(place, 8 << 8 | 8 << 4 | 8, LAMP)
    again = oracle.see_again(before, ((23, 7, 7), (26, 10, 10)))
    assert judge_sight(before, again, NOTHING_RELIT) == judge_sight(before, oracle.see(), NOTHING_RELIT)
    assert again.same_surfaces(oracle.see())
    assert not again.same_surfaces(before)


@pytest.mark.parametrize(("pixels", "sight"), [(3, Sight.SLIGHT), (4, Sight.VISIBLE)])
def test_four_pixels_are_visible_and_three_are_slight(world: FakeWorld, pixels: int, sight: Sight) -> None:
    before = eastward(world).see()
    light = before.light.copy()
    light[:pixels] ^= 1
    assert judge_sight(before, replace(before, light=light), NOTHING_RELIT) == (sight, pixels)
