"""Settings changed in the window are checked as in the file, and kept in it.

Window state: What a window says as it opens, and whether it writes the file of a first start.
"""

from pathlib import Path

import pytest

from client.player import Eye, View
from net.config import WrongValue
from render.settings import Settings, load
from render.settings.actions import Action
from render.settings.schema import AT_ONCE, BY_KEY
from render.viewer.control.camera_control import Controls
from render.viewer.preferences import Preferences, expected
from render.viewer.window_options import WindowOptions
from render.viewer.window_state import first_words

# ---------------------------------------------------------------- preferences


def test_a_change_is_kept_and_no_comment_lost(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# mine\n[camera]\nspeed = 20 # quick\n")
    preferences = Preferences(load(file, {}).settings, file)
    assert preferences.change("speed", 30.5) == "camera.speed = 30.5"
    assert preferences.change("radius", 5) == "world.radius = 5 (after a restart)"
    assert preferences.settings.speed == 30.5
    assert file.read_text().startswith("# mine\n[camera]\nspeed = 30.5 # quick\n")
    loaded = load(file, {}).settings
    assert (loaded.speed, loaded.radius) == (30.5, 5)
    assert preferences.place == str(file)


def test_what_cannot_be_is_said_and_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    preferences = Preferences(Settings(), file)
    with pytest.raises(WrongValue, match="a number from 1 to 200"):
        preferences.change("speed", 1e6)
    assert preferences.settings == Settings()
    assert not file.exists()
    assert expected("light", "gpuu") == "must be one of cpu, gpu, flat (did you mean 'gpu'?)"
    assert expected("light", "gpu") == ""


def test_a_file_that_cannot_be_written_costs_the_keeping_alone(tmp_path: Path) -> None:
    broken = tmp_path / "config.toml"
    broken.write_text("[camera\n")
    said = Preferences(Settings(), broken).change("gamma", 2.0)
    assert said.startswith("world.gamma = 2.0; ")
    assert "not valid TOML" in said
    assert broken.read_text() == "[camera\n"
    assert Preferences(Settings(), None).change("gamma", 2.0) == "world.gamma = 2.0"
    assert "not saved" in Preferences(Settings(), tmp_path / "config.toml" / "x.toml").change("gamma", 2.0)


def test_the_camera_lives_by_one_setting_at_a_time() -> None:
    controls = Controls(View(Eye(0.0, 0.0, 0.0)))
    controls.wheel(3.0)
    quick = controls.speed_blocks_s
    settings = Settings(speed=50.0, fov=100.0, mouse=1.0, invert_mouse=True)
    controls.adopt(settings, "fov")
    assert controls.view.fov_deg == 100.0
    assert controls.speed_blocks_s == quick, "the wheel's speed stays"
    controls.adopt(settings, "mouse")
    controls.adopt(settings, "invert_mouse")
    controls.look(10.0, 10.0)
    assert (controls.view.yaw_deg, controls.view.pitch_deg) == (10.0, 10.0)
    controls.adopt(settings, "speed")
    assert controls.speed_blocks_s == 50.0


def test_what_is_said_to_hold_at_once_are_settings() -> None:
    assert BY_KEY.keys() >= AT_ONCE


def test_the_preset_is_one_whoever_changes_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    preferences = Preferences(Settings(), file)
    assert preferences.offer_preset().startswith("Press F8 again")
    assert preferences.offer_preset() == "key layout: azerty"
    assert preferences.settings.preset == "azerty"
    assert preferences.change("preset", "colemak") == "keys.preset = colemak"
    assert preferences.keyboard.shown(Action.FORWARD) == "W"
    assert preferences.keyboard.shown(Action.BACK) == "R"
    assert 'preset = "colemak"' in file.read_text(encoding="utf-8")


# ---------------------------------------------------------------- window state


def opened(file: Path, troubles: tuple[str, ...] = (), first_start: bool = True) -> str:
    options = WindowOptions((64, 48), pictures=file.parent, troubles=troubles, first_start=first_start)
    return first_words(options, Preferences(Settings(), file))


def test_a_first_start_writes_its_file_and_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert opened(file) == ""
    assert file.exists()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where a folder is asked for")
    assert opened(tmp_path / "taken" / "config.toml").startswith("the settings file cannot be written: ")


def test_the_first_trouble_is_told_and_no_file_written(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert opened(file, ("one", "two")) == "one"
    assert not file.exists()


def test_a_later_start_without_trouble_says_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert opened(file, first_start=False) == ""
    assert not file.exists()
