"""Orders as lines: what is understood, and what is said of what is not."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.source import Embedded, WorldFile
from render.studio_server import BadOrder, SceneOrder, ShotOrder, read_order

SHOT = {"id": 5, "order": "shot", "source": "embedded:flat", "out": "/tmp/a.npz"}


def test_a_shot_is_a_scene_of_one_view() -> None:
    said = {
        "at": [1, 2.5, 3],
        "look": [90, -20],
        "size": [64, 32],
        "channels": ["depth"],
        "light": "flat",
        "timeout": 3,
    }
    order = read_order(json.dumps({**SHOT, **said, "radius": None}))
    assert isinstance(order, ShotOrder)
    scene, view = order.scene, order.scene.views[0]
    assert (order.id, order.out, scene.source) == (5, Path("/tmp/a.npz"), Embedded("flat", 1))
    assert (view.at, view.look_deg, view.size_px) == ((1.0, 2.5, 3.0), (90.0, -20.0), (64, 32))
    assert (scene.channels, scene.flat_light, scene.timeout_s) == (("depth",), True, 3.0)


def test_a_shot_that_says_little_is_a_picture() -> None:
    order = read_order(json.dumps({**SHOT, "source": "/home/a.cscope"}))
    assert isinstance(order, ShotOrder)
    assert order.scene.channels == ("colour",)
    assert order.scene.source == WorldFile(Path("/home/a.cscope"))


def test_a_scene_is_a_file() -> None:
    line = '{"id": "x", "order": "scene", "path": "/a/b.toml", "accept": true, "artefacts": "/a/failed"}'
    assert read_order(line) == SceneOrder("x", Path("/a/b.toml"), True, Path("/a/failed"))


BAD = {
    "no JSON": ("hello", "'hello' is not JSON."),
    "no object": ("[1]", "'[1]' is not a JSON object."),
    "nested without end": ("[" * 100_000, "is not JSON"),
    "too long": (" " * (2 << 20), "is too long"),
    "no order": ('{"id": 5}', "Unknown order None: choose from shot, scene"),
    "an unknown order": ('{"id": 5, "order": "dance"}', "Unknown order 'dance'"),
    "an unknown key": (json.dumps({**SHOT, "lok": [1, 2]}), "Unknown key 'lok' in a shot (nearest: look)."),
    "a wrong value": (json.dumps({**SHOT, "size": [1, 2]}), "A shot's 'size' is [1, 2]; it must be [width, height]"),
    "a wrong channel": (json.dumps({**SHOT, "channels": ["smell"]}), "'channels' is ['smell']; it must be a list"),
    "a relative path": (json.dumps({**SHOT, "out": "a.png"}), "'a.png'; it must be an absolute path"),
    "another format": (json.dumps({**SHOT, "out": "/a.bmp"}), "must end in .png or .npz, not as 'a.bmp'"),
    "no source": ('{"id": 5, "order": "shot", "out": "/a.png"}', "A shot needs 'source'."),
    "a source of nothing": (json.dumps({**SHOT, "source": "embedded:moon"}), "Unknown embedded world 'moon'"),
    "a scene of nothing": ('{"id": 5, "order": "scene"}', "A scene needs 'path'."),
    "half a yes": ('{"id": 5, "order": "scene", "path": "/a", "accept": 1}', "must be true or false"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_what_is_no_order_is_a_sentence_and_keeps_its_id(case: str) -> None:
    line, said = BAD[case]
    with pytest.raises(BadOrder) as raised:
        read_order(line)
    assert said in str(raised.value)
    assert raised.value.id == (5 if '"id": 5' in line else None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4),
)


@given(st.dictionaries(st.sampled_from([*SHOT, "at", "look", "size", "radius", "channels", "path", "x"]), json_values))
def test_whatever_is_said_is_an_order_or_a_bad_one(said: dict[str, object]) -> None:
    for line in (json.dumps(said), json.dumps({**SHOT, **said})):
        with suppress(BadOrder):
            assert isinstance(read_order(line), ShotOrder | SceneOrder)
