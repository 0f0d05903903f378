"""``doctor``: independent findings, and an exit code that follows what is needed."""

import json
from importlib import metadata
from types import SimpleNamespace

import pytest

from client.errors import UsageError
from render.cli import app
from render.cli.doctor import NAMES, Finding, _tested, checkup
from render.cli.failures import reported
from render.cli.options import LightChoice, parse_budget
from render.extras import install_line


def test_it_looks_at_everything_a_start_needs() -> None:
    checks = {finding.check: finding for finding in checkup()}
    assert set(checks) == {
        "chunkscope",
        "Python",
        "tested",
        "import names",
        "OpenGL without a window",
        "OpenGL features",
        "light",
        "display",
        "kernels",
        "panels (extra: ui)",
        "films as MP4 (extra: film)",
    }
    assert checks["import names"].ok
    assert not checks["display"].needed


@pytest.mark.parametrize(
    ("python", "numba", "system", "said"),
    [
        ("3.11.7", "0.68.1", ("Linux", "x86_64"), None),
        ("3.15.0", "0.68.1", ("Linux", "x86_64"), "are tested, Python 3.15 not"),
        ("3.11.2", "0.70.0", ("Darwin", "arm64"), "are tested, Numba 0.70 and arm64 on Darwin not"),
    ],
)
def test_what_is_not_tested_is_said_and_hinders_nothing(
    monkeypatch: pytest.MonkeyPatch, python: str, numba: str, system: tuple[str, str], said: str | None
) -> None:
    monkeypatch.setattr("platform.python_version_tuple", lambda: tuple(python.split(".")))
    monkeypatch.setattr("platform.system", lambda: system[0])
    monkeypatch.setattr("platform.machine", lambda: system[1])
    monkeypatch.setattr(metadata, "version", lambda _: numba)
    finding = _tested()
    assert finding.ok == (said is None)
    assert not finding.needed
    assert finding.found.startswith("Python 3.11 with Numba 0.68 on Linux x86_64")
    assert finding.found.endswith(said or "x86_64")


def test_a_package_that_can_be_done_without_is_named_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def version(package: str) -> str:
        if package == "imageio-ffmpeg":
            raise metadata.PackageNotFoundError(package)
        return "1.0"

    monkeypatch.setattr("importlib.metadata.version", version)
    films = next(finding for finding in checkup() if finding.check.startswith("films"))
    assert (films.ok, films.needed, films.found) == (False, False, install_line("imageio-ffmpeg"))


def test_another_owner_of_an_import_name_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    owners = {name: ["chunkscope"] for name in NAMES} | {"client": ["chunkscope", "other-thing"]}
    monkeypatch.setattr("importlib.metadata.packages_distributions", lambda: owners)
    clash = next(finding for finding in checkup() if finding.check == "import names")
    assert not clash.ok
    assert "client also belongs to other-thing" in clash.found


@pytest.mark.parametrize(("offered", "has"), [(320, "OpenGL 3.2 is all that"), (0, "this driver has no OpenGL 3.3")])
def test_a_driver_that_is_too_old_is_told_so_and_nobody_is_sent_for_a_library(
    offered: int, has: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(require: int, **_: object) -> object:
        if require > offered:
            raise Exception("eglCreateContext failed (0x3009)")
        return SimpleNamespace(version_code=offered, release=lambda: None)

    monkeypatch.setattr("moderngl.create_context", create)
    found = next(finding for finding in checkup() if finding.check == "OpenGL without a window")
    assert not found.ok
    assert has in found.found
    assert "3.3 is needed" in found.found
    assert "apt-get" not in found.found


def test_without_egl_the_packages_that_bring_it_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def create(**_: object) -> object:
        raise Exception("libEGL.so not loaded")

    monkeypatch.setattr("moderngl.create_context", create)
    found = next(finding for finding in checkup() if finding.check == "OpenGL without a window")
    assert "libEGL.so not loaded" in found.found
    assert "apt-get install libegl1" in found.found


def test_no_display_is_no_illness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    display = next(finding for finding in checkup() if finding.check == "display")
    assert not display.ok
    assert not display.needed


@pytest.mark.parametrize(("needed", "code"), [(True, 1), (False, 0)])
def test_only_what_is_needed_fails(
    needed: bool, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Finding("Python", True, "3"), Finding("luck", False, "none left", needed)]
    monkeypatch.setattr("render.cli.doctor.checkup", lambda: found)
    assert reported(app, ["doctor", "--json"]) == code
    assert json.loads(capsys.readouterr().out)[1] == {
        "check": "luck",
        "ok": False,
        "found": "none left",
        "needed": needed,
    }
    assert reported(app, ["doctor"]) == code
    assert "none left" in capsys.readouterr().out


def test_a_budget_and_light_of_the_gpu_are_refused_together() -> None:
    assert parse_budget(2.5, LightChoice(flat=False, gpu=False)) == 2_621_440
    assert parse_budget(None, LightChoice(flat=False, gpu=True)) is None
    with pytest.raises(UsageError, match="goes with no --gpu-budget"):
        parse_budget(64, LightChoice(flat=False, gpu=True))
