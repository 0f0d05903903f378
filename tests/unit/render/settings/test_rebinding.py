"""Another key for an action: who loses it, what is told, and that the file keeps all else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.errors import UsageError
from render.settings import Action, Keyboard, load
from render.settings.file import assign, default_file, write_setting
from render.settings.keys import KEY_NAMES, PRESETS, rebound

FREE = "F20"
names = st.sampled_from(sorted(KEY_NAMES))
bindings = st.lists(st.tuples(st.sampled_from(list(Action)), st.lists(names, max_size=3)), min_size=1, max_size=6)


@given(st.sampled_from(sorted(PRESETS)), bindings)
def test_after_any_bindings_each_action_has_the_keys_it_was_given_last(
    preset: str, bound: list[tuple[Action, list[str]]]
) -> None:
    own: dict[Action, tuple[str, ...]] = {}
    for action, keys in bound:
        before = Keyboard(preset, own)
        new = rebound(preset, own, action, keys)
        after = Keyboard(preset, new.own)
        assert set(after.keys(action)) == set(keys)
        for other in Action:
            if other is not action:
                assert set(after.keys(other)) == set(before.keys(other)) - set(keys)
        own = dict(new.own)


def test_whoever_loses_a_key_is_named_with_what_is_left() -> None:
    new = rebound("qwerty", {}, Action.WALK, ["W", FREE])
    assert new.changed == {Action.WALK: ("W", FREE), Action.FORWARD: ("UP",)}
    assert new.said == "walk: W, F20; taken from forward, which has ↑."
    assert rebound("qwerty", {}, Action.WALK, []).said == "walk: no key."


def test_a_line_of_words_changes_the_file_and_keeps_its_comments(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# mine\n[camera]\nfov = 60 # wide\n[keys]\n# hands off\nforward = ['I']\n")
    assert assign(load(file, {}), "camera.fov=90") == "camera.fov = 90"
    assert assign(load(file, {}), "keys.walk = i, PgUp") == (
        "walk: I, PgUp; taken from forward, which has no key; taken from skip_back, which has no key."
    )
    assert assign(load(file, {}), "window.size=640x400") == "window.size = 640x400"
    text = file.read_text()
    assert text.count("# mine") == text.count("# wide") == text.count("# hands off") == 1
    loaded = load(file, {})
    assert loaded.troubles == ()
    assert (loaded.settings.fov, loaded.settings.size) == (90.0, "640x400")
    assert loaded.settings.keys == {Action.FORWARD: (), Action.SKIP_BACK: (), Action.WALK: ("I", "PAGEUP")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("camera.fow=90", "There is no setting 'camera.fow' (did you mean 'camera.fov'?)"),
        ("keys.forwards=W", "did you mean 'keys.forward'?"),
        ("camera.fov=wide", "camera.fov must be a number from 10 to 150"),
        ("keys.walk=LSHFIT", "there is no key LSHFIT (did you mean 'LSHIFT'?)"),
        ("camera.fov", "sets nothing"),
    ],
)
def test_what_cannot_be_set_is_one_sentence_and_writes_nothing(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.toml"
    with pytest.raises(UsageError) as caught:
        assign(load(file, {}), text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not file.exists()


def test_the_default_file_keeps_all_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    write_setting(file, "keys", "preset", "dvorak")
    assert [line for line in default_file().splitlines() if line not in file.read_text().splitlines()] == []
