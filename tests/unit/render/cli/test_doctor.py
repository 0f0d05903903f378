"""``doctor``: independent findings, and an exit code that follows what is needed.

Doctor packs: ``chunkscope doctor --pack``: everything that is wrong, a line each with file and key, and what shows how
large.
"""

import json
import time
import zipfile
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from client.errors import UsageError
from net.errors import install_line
from net.nethernet import dtls
from render.cli import app, doctor
from render.cli.arguments import parse_budget
from render.cli.console import reported
from render.cli.doctor import (
    MOST_NAMES,
    NAMES,
    WIDTH,
    CheckResult,
    _tested,
    checkup,
    format_renderer,
    lines_of,
    report_on,
)
from render.gpu.capabilities import Capabilities
from tests.support.data.packs import as_bytes, pack_files, plain, tga, write_pack

# ---------------------------------------------------------------- doctor


def test_it_names_the_fault_of_llvmpipes_threads_where_there_are_any() -> None:
    software = Capabilities(450, "llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa", "4.5 Mesa 22.3.6", 0, 0, 0)
    told = "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5 (4.5 Mesa 22.3.6)"
    assert format_renderer(software, {"LP_NUM_THREADS": "0"}) == told
    for environment in ({}, {"LP_NUM_THREADS": "2"}):
        assert format_renderer(software, environment).startswith(f"{told}; on a busy machine a window may crash")
    assert "crash" not in format_renderer(replace(software, renderer="NVIDIA H200"), {})


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
        "films as MP4 (extra: film)",
        "servers from 1.26.50 on (extra: nethernet)",
    }
    assert checks["import names"].ok
    assert not checks["display"].needed


@pytest.mark.parametrize(
    ("python", "numba", "system", "said"),
    [
        ("3.11.7", "0.68.1", ("Linux", "x86_64"), None),
        ("3.15.0", "0.68.1", ("Linux", "x86_64"), "are tested, Python 3.15 are not"),
        ("3.11.2", "0.70.0", ("Darwin", "arm64"), "are tested, Numba 0.70 and arm64 on Darwin are not"),
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


@pytest.mark.parametrize(
    ("offered", "has"), [(320, "has only OpenGL 3.2"), (0, "this driver does not have OpenGL 3.3")]
)
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
    assert "3.3 is required" in found.found
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
    found = [CheckResult("Python", True, "3"), CheckResult("luck", False, "none left", needed)]
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
    assert parse_budget(2.5) == 2_621_440
    assert parse_budget(None, "gpu") is None
    with pytest.raises(UsageError, match="leave out --gpu-budget"):
        parse_budget(64, "gpu")


def test_the_extra_for_nethernet_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    found = doctor._nethernet()
    assert found.ok
    assert not found.needed
    assert found.found.startswith("pyOpenSSL ")
    monkeypatch.setattr(dtls, "handshake_fault", lambda _now: "no cipher is shared")
    broken = doctor._nethernet()
    assert (broken.ok, broken.found.endswith(": no cipher is shared")) == (False, True)


def _fail(end: dtls.DtlsEnd) -> None:
    end.failed = "the certificate is another"


def test_two_ends_that_disagree_are_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    assert dtls.handshake_fault(time.time()) is None
    monkeypatch.setattr(dtls.DtlsEnd, "_shake", _fail)
    assert dtls.handshake_fault(time.time()) == "the certificate is another"
    monkeypatch.setattr(dtls.DtlsEnd, "handshake_datagrams", lambda _end, _now: [])
    assert "cannot be negotiated" in str(dtls.handshake_fault(time.time()))


# ---------------------------------------------------------------- doctor packs

HUGE = tga(plain((1, 2, 3)))[:12] + (4097).to_bytes(2, "little") + tga(plain((1, 2, 3)))[14:]
STONE = pack_files(
    {"stone": {"textures": "stone"}}, {"stone": "textures/blocks/stone"}, {"stone.png": plain((9, 9, 9))}
)
HOSTILE: dict[str, tuple[dict[str, Any], str]] = {
    "a name that leads out": ({"../x.png": b"x"}, "../x.png: its name points outside the pack"),
    "a name from the root": ({"/etc/x": b"x"}, "/etc/x: its name points outside the pack"),
    "a bomb": ({"textures/blocks/dirt.png": bytes(65 << 20)}, "textures/blocks/dirt.png: its header announces more"),
    "an image too wide": (
        {"textures/blocks/dirt.tga": HUGE},
        "textures/blocks/dirt.tga: 4097 x 16 pixels are too many",
    ),
    "names in a circle": (
        {"textures/terrain_texture.json": {"texture_data": {"stone": {"textures": "b"}, "b": {"textures": "stone"}}}},
        "textures/terrain_texture.json, 'stone': its texture names form a cycle: stone -> b -> stone",
    ),
    "broken JSON": (
        {"blocks.json": b'{\n"stone": }'},
        "blocks.json: it is not JSON: Expecting value in line 2, column 10",
    ),
    "a path out of it": (
        {"textures/terrain_texture.json": {"texture_data": {"stone": {"textures": "../../../etc/passwd"}}}},
        "textures/terrain_texture.json, 'stone': the path '../../../etc/passwd' points outside the pack",
    ),
}


@pytest.mark.parametrize("what", sorted(HOSTILE))
def test_each_thing_that_is_wrong_is_one_line(tmp_path: Path, what: str) -> None:
    files, line = HOSTILE[what]
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**STONE, **files}.items():
            archive.writestr(name, as_bytes(name, content))
    report = report_on([path])
    (trouble,) = report.troubles
    assert trouble.startswith(f"{path}: {line}")
    assert f"error: {trouble}" in lines_of(report)


def test_comments_and_marks_are_no_trouble(tmp_path: Path) -> None:
    table = b'\xef\xbb\xbf/* all of it */ {"stone": {"textures": "stone", }, // stone\n}'
    report = report_on([write_pack(tmp_path, {**STONE, "blocks.json": table})])
    assert not report.troubles
    assert report.whole == 1


def test_sizes_layers_and_what_has_no_room_are_told(tmp_path: Path) -> None:
    paths = {name: f"textures/blocks/{name}" for name in ("stone", "tuff", "a", "b")}
    by_place = {"variations": [{"path": paths["a"], "weight": 1}, {"path": paths["b"], "weight": 9}]}
    images = {f"{name}.png": plain((len(name), 2, 3)) for name in paths} | {"stone.png": plain((1, 1, 1), 64, 64)}
    blocks = {name: {"textures": name} for name in ("stone", "dirt", "tuff")}
    files = pack_files(blocks, {**paths, "dirt": by_place}, images)
    pack = write_pack(tmp_path, files)
    report = report_on([pack], most_layers=2048)
    assert (report.side, report.largest, report.crowded, report.by_place) == (64, 64, (), ("dirt",))
    assert report.tile_mib == round(report.layers * 64 * 64 * 16 / 3 / (1 << 20), 1)
    assert f"pictures of 64 x 64, {report.layers:,} of 2,048 layers, {report.tile_mib} MiB" in lines_of(report)
    lines = lines_of(report)
    assert lines[lines.index("1 show one picture although the pack has several by position:") + 1] == "  dirt"

    tight = report_on([pack], most_layers=report.layers - 1)
    assert len(tight.crowded) >= 1
    assert set(tight.crowded) <= {"stone", "dirt", "tuff"}
    assert set(tight.crowded) <= set(tight.ours)
    assert any(line.startswith("no layer is left for ") for line in lines_of(tight))


def test_many_names_stand_in_lines_that_fit_a_terminal(tmp_path: Path) -> None:
    report = report_on([write_pack(tmp_path, STONE)], most_layers=2048)
    lines = lines_of(report)
    begin = lines.index(f"{len(report.ours)} look built-in:") + 1
    rows = [line for line in lines[begin:] if line.startswith("  ")]
    assert max(map(len, rows)) <= WIDTH
    told = " ".join(row.strip() for row in rows)
    assert told.endswith(f" and {len(report.ours) - MOST_NAMES} more (--json has all names)")
    assert told.split(" and ")[0].split(", ") == list(report.ours[:MOST_NAMES])


def test_the_command_prints_it_and_its_code_says_whether_all_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = write_pack(tmp_path / "fine", STONE)
    assert reported(app, ["doctor", "--pack", str(pack), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["whole"] == 1
    broken = write_pack(tmp_path / "broken", {**STONE, "blocks.json": "{"})
    assert reported(app, ["doctor", "--pack", str(broken)]) == 1
    assert "blocks.json: it is not JSON" in capsys.readouterr().out
