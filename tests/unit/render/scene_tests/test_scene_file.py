from pathlib import Path

import pytest

from client.errors import MissingFile
from client.options import Moment
from client.source import Embedded, WorldFile
from client.weather import Weather
from net.space import BlockPos, ColumnPos, SubChunkPos
from render.capture.channels import CHANNELS
from render.scene_tests import BadScene, read_scenes
from render.scene_tests.scene import SceneFile
from render.scene_tests.verdict import Tolerance

VIEW = '[[view]]\nname = "front"\n'
PLAIN = f'source = "embedded:flat:1"\n{VIEW}'


def read(folder: Path, text: str, name: str = "one.toml") -> SceneFile:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return read_scenes(path)[0]


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(BadScene) as caught:
        read(folder, text)
    assert caught.value.exit_code == 2
    return str(caught.value).replace(str(folder / "one.toml"), "one.toml")


def test_the_hour_may_be_the_servers(tmp_path: Path) -> None:
    assert read(tmp_path, f'time = "server"\n{PLAIN}').time is None


def test_what_a_file_does_not_say_has_the_value_of_scene(tmp_path: Path) -> None:
    scene = read(tmp_path, PLAIN)
    assert (scene.name, scene.source, scene.radius, scene.time) == ("one", Embedded("flat", 1), 4, 6000)
    assert scene.channels == CHANNELS
    assert scene.tolerance == Tolerance()
    assert not scene.tampering
    assert [view.name for view in scene.views] == ["front"]


def test_every_key_is_read(tmp_path: Path) -> None:
    scene = read(
        tmp_path,
        """
        source = "embedded:hills:7"
        shows = "a hill"
        radius = 3
        dimension = "overworld"
        time = 18000
        day = 3
        weather = "thunder"
        gamma = 1.5
        mode = "full"
        protocol = 2193
        light = "flat"
        gpu_budget = 4.5
        overlays = ["states"]
        channels = ["block", "colour"]
        timeout = 9.5
        at_answer = 20
        outstanding = 30
        watched = true

        [tolerance]
        tile_flip = 0.5

        [[edits]]
        set = "lever"
        at = [3, 70, 9]
        to = [1, 71, 9]
        states = { open_bit = 1 }
        layer = 1

        [[edits]]
        refuse = [0, 4, 0]
        code = 5

        [[edits]]
        drop = [0, 4, 1]
        times = 2

        [[edits]]
        ignore = [0, 4, 2]
        [[edits]]
        truncate = [0, 4, 3]
        [[edits]]
        contradict_heights = [0, 4, 4]
        [[edits]]
        withhold = [-2, 1]

        [[view]]
        name = "a"
        at = [1, 2.5, 3]
        look = [-90, 45]
        fov = 60
        size = [320, 180]

        [[view]]
        name = "b"
        time = 13000
        """,
    )
    assert (scene.source, scene.radius, scene.dimension, scene.time) == (Embedded("hills", 7), 3, 0, 18000)
    assert (scene.day, scene.weather, scene.gamma) == (3, Weather(1.0, 1.0), 1.5)
    assert [view.time for view in scene.views] == [None, 13000]
    assert scene.gpu_budget_bytes == 9 << 19
    assert (scene.mode, scene.protocol, scene.flat_light, scene.overlays) == ("full", 2193, True, ("states",))
    assert scene.channels == ("colour", "block")
    assert (scene.timeout_s, scene.outstanding, scene.shows) == (9.5, 30, "a hill")
    assert scene.watched
    assert scene.tolerance.tile_flip == 0.5
    (edit,) = scene.edits
    assert (edit.low, edit.high) == (BlockPos(1, 70, 9), BlockPos(3, 71, 9))
    assert (edit.name, edit.states, edit.layer) == ("minecraft:lever", {"open_bit": 1}, 1)
    spoiled = scene.tampering
    assert spoiled.refused == {SubChunkPos(0, 4, 0): 5}
    assert spoiled.lost == {SubChunkPos(0, 4, 1): 2}
    assert spoiled.ignored == {SubChunkPos(0, 4, 2)}
    assert (spoiled.truncated, spoiled.contradicted) == ({SubChunkPos(0, 4, 3)}, {SubChunkPos(0, 4, 4)})
    assert spoiled.withheld == {ColumnPos(-2, 1)}
    assert spoiled.most_answers == 20
    first, second = scene.views
    assert (first.at, first.look_deg, first.fov_deg, first.size_px) == ((1, 2.5, 3), (-90, 45), 60, (320, 180))
    assert (second.at, second.look_deg, second.fov_deg) == (None, None, 70)


def test_a_recording_is_looked_for_beside_the_file(tmp_path: Path) -> None:
    scene = read(tmp_path, f'source = "../there.cscope"\nat_time = "1:05"\n{VIEW}', "suite/one.toml")
    assert scene.source == WorldFile(tmp_path / "suite" / ".." / "there.cscope")
    assert scene.moment == Moment(65.0)
    assert read(tmp_path, f'source = "a.cscope"\nat_time = "#7"\n{VIEW}').moment == Moment(packet=7)


def test_scenes_are_named_by_their_path_below_the_suite_and_come_by_name(tmp_path: Path) -> None:
    for name in ("b.toml", "a/z.toml", "a/c.toml"):
        read(tmp_path, PLAIN, name)
    scenes = read_scenes(tmp_path)
    assert [scene.name for scene in scenes] == ["a/c", "a/z", "b"]
    assert scenes[0].folder == tmp_path / "a" / "c"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("radios = 3\n" + PLAIN, "one.toml, line 1: unknown key 'radios'; did you mean 'radius'?"),
        ("views = 3\n" + PLAIN, "one.toml, line 1: unknown key 'views'; did you mean 'view'?"),
        (PLAIN + "lok = [0, 0]", "one.toml, line 4: unknown key 'lok' in [view]; did you mean 'look'?"),
        ("radius = '3'\n" + PLAIN, "one.toml, line 1: 'radius' is '3'; it must be a whole number from 1 to 64."),
        ("time = 24000\n" + PLAIN, "'time' is 24000; it must be a whole number from 0 to 23999, or 'server'."),
        ("radius = true\n" + PLAIN, "one.toml, line 1: 'radius' is True; it must be a whole number from 1 to 64."),
        (PLAIN + "look = [0, 91]", "line 4: 'look' in [view] is [0, 91]; it must be [yaw, pitch] in degrees"),
        (PLAIN + "at = [0, nan, 0]", "line 4: 'at' in [view] is [0, nan, 0]; it must be [x, y, z]"),
        (
            PLAIN + VIEW.replace("front", "Front"),
            "line 5: 'name' in [view] is 'Front'; it must be a name that is unique",
        ),
        (PLAIN.replace("front", "a/b"), "line 3: 'name' in [view] is 'a/b'; it must be letters, digits"),
        (PLAIN + "[view.extra]\n", "unknown key 'extra' in [view]"),
        ('source = "embedded:flat:1"\n', "one.toml: a scene needs a [[view]]."),
        (VIEW, "one.toml: a scene needs 'source'"),
        ('source = "embedded:flet"\n' + VIEW, "line 1: Unknown embedded world 'flet'"),
        (
            "overlays = ['state']\n" + PLAIN,
            "'overlays' is ['state']; it must be a list of some of states",
        ),
        ("protocol = 3\n" + PLAIN, "line 1: 'protocol' is 3; it must be another protocol: Protocol 3 is not supported"),
        ("watched = 3\n" + PLAIN, "line 1: 'watched' is 3; it must be true or false"),
        (PLAIN.replace("embedded:flat:1", "a" * 300), "cannot be opened: File name too long"),
        (PLAIN.replace("embedded:flat:1", "a\\nb"), "line 1: 'a b' does not name a host"),
        ("channels = []\n" + PLAIN, "'channels' is []; it must be a list of some of colour,"),
        ("at_time = 3\n" + PLAIN, "line 1: 'at_time' needs a recording, not embedded:flat:1."),
        (f"at_time = '#x'\nsource = 'a.cscope'\n{VIEW}", "it must be seconds into the recording, '1:05', or '#350'"),
        (f"at_answer = 3\nsource = 'a.cscope'\n{VIEW}", "line 1: 'at_answer' needs an embedded or a saved world"),
        (PLAIN + "[[edits]]\nset = 'stone'\n", "line 4: 'set' needs 'at'"),
        (
            PLAIN + "[[edits]]\nat = [0, 0, 0]\n",
            "line 4: these [[edits]] need one of set, refuse, drop, ignore, truncate, contradict_heights, withhold.",
        ),
        (
            PLAIN + "[[edits]]\nignore = [0, 0, 0]\ncode = 3\n",
            "line 6: 'code' in [edits] cannot be combined with 'ignore'.",
        ),
        (PLAIN + "[[edits]]\nset='a'\nat=[0,0,0]\nto=[99,99,99]", "at most 65536 blocks are set"),
        (PLAIN + "[tolerance]\ntile_flips = 1\n", "line 5: unknown key 'tile_flips' in [tolerance]; did you mean"),
        ("tolerance = 3\n" + PLAIN, "line 1: 'tolerance' must be a table, [tolerance]."),
        ("view = 3\nsource = 'embedded'", "line 1: 'view' must be written as [[view]]."),
        ("radius = \n", "one.toml is not valid TOML:"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(tmp_path, text)


def test_the_second_of_two_tables_is_the_one_named(tmp_path: Path) -> None:
    text = PLAIN + '[[view]]\nname = "b"\nfov = 5\n'
    assert "line 6: 'fov' in [view] is 5" in refusal(tmp_path, text)


def test_edits_need_an_embedded_world(tmp_path: Path) -> None:
    text = f"source = 'host.example:19132'\n{VIEW}[[edits]]\nset = 'stone'\nat = [0, 0, 0]\n"
    assert "line 4: [[edits]] need an embedded or a saved world, not host.example:19132." in refusal(tmp_path, text)


def test_a_folder_without_scenes_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadScene, match=r"contains no scenes: scenes are files that end in \.toml"):
        read_scenes(tmp_path)
    with pytest.raises(MissingFile, match="nowhere"):
        read_scenes(tmp_path / "nowhere")


def test_text_that_is_not_utf8_says_so(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadScene, match=r"is not UTF-8 text"):
        read_scenes(tmp_path)


def test_a_saved_world_beside_the_file_may_have_what_an_embedded_one_may(tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    (tmp_path / "world" / "db").mkdir(parents=True)
    path = tmp_path / "suite" / "one.toml"
    path.write_text(
        f'source = "../world"\nprotocol = 589\n{VIEW}\n[[edits]]\nset = "minecraft:stone"\nat = [0, 70, 0]\n'
    )
    (scene,) = read_scenes(path)
    assert scene.source == WorldFile(tmp_path / "suite" / ".." / "world")
    assert (scene.protocol, len(scene.edits)) == (589, 1)
    assert "'at_time' needs a recording" in refusal(tmp_path / "suite", f"source = '../world'\nat_time = 3\n{VIEW}")


def test_packs_lie_beside_the_scene_and_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "packs/small").mkdir(parents=True)
    scene = read(tmp_path, f'packs = ["packs/small", "packs"]\n{PLAIN}')
    assert scene.packs == (tmp_path / "packs/small", tmp_path / "packs")
    assert refusal(tmp_path, f'packs = ["none"]\n{PLAIN}') == (
        "one.toml, line 1: the resource pack 'none' does not exist."
    )
    assert "a list of paths" in refusal(tmp_path, f"packs = 5\n{PLAIN}")


def test_a_view_may_freeze_a_camera_and_have_overlays_of_its_own(tmp_path: Path) -> None:
    frozen = 'overlays = ["verdict"]\nfreeze_at = [1, 2, 3]\nfreeze_look = [90, -10]\n'
    scene = read(tmp_path, f'{PLAIN}{frozen}[[view]]\nname = "own"\n')
    first, second = scene.views
    assert (first.overlays, first.freeze_at, first.freeze_look_deg) == (("verdict",), (1.0, 2.0, 3.0), (90.0, -10.0))
    assert (second.overlays, second.freeze_at) == (None, None)
    assert "'freeze_look' needs 'freeze_at'" in refusal(tmp_path, f"{PLAIN}freeze_look = [0, 0]\n")
    assert "a list of some of states" in refusal(tmp_path, f'{PLAIN}overlays = ["nothing"]\n')
