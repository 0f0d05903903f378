"""``chunkscope doctor --pack``: everything that is wrong, a line each with file and key, and what shows how large."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from render.cli import app
from render.cli.doctor import MOST_NAMES, WIDTH, lines_of, report_on
from render.cli.failures import reported
from tests.support.written_pack import as_bytes, pack_files, plain, tga, write_pack

HUGE = tga(plain((1, 2, 3)))[:12] + (4097).to_bytes(2, "little") + tga(plain((1, 2, 3)))[14:]
STONE = pack_files(
    {"stone": {"textures": "stone"}}, {"stone": "textures/blocks/stone"}, {"stone.png": plain((9, 9, 9))}
)
HOSTILE: dict[str, tuple[dict[str, Any], str]] = {
    "a name that leads out": ({"../x.png": b"x"}, "../x.png: its name leads out of the pack"),
    "a name from the root": ({"/etc/x": b"x"}, "/etc/x: its name leads out of the pack"),
    "a bomb": ({"textures/blocks/dirt.png": bytes(65 << 20)}, "textures/blocks/dirt.png: it says that it unpacks to"),
    "an image too wide": (
        {"textures/blocks/dirt.tga": HUGE},
        "textures/blocks/dirt.tga: 4097 x 16 pixels are too many",
    ),
    "names in a circle": (
        {"textures/terrain_texture.json": {"texture_data": {"stone": {"textures": "b"}, "b": {"textures": "stone"}}}},
        "textures/terrain_texture.json, 'stone': it names textures in a circle: stone -> b -> stone",
    ),
    "broken JSON": ({"blocks.json": b'{\n"stone": }'}, "blocks.json: no JSON: Expecting value in line 2, column 10"),
    "a path out of it": (
        {"textures/terrain_texture.json": {"texture_data": {"stone": {"textures": "../../../etc/passwd"}}}},
        "textures/terrain_texture.json, 'stone': the path '../../../etc/passwd' leads out of the pack",
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
    assert f"wrong: {trouble}" in lines_of(report)


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
    assert lines[lines.index("1 show one picture instead of several by place:") + 1] == "  dirt"

    tight = report_on([pack], most_layers=report.layers - 1)
    assert len(tight.crowded) >= 1
    assert set(tight.crowded) <= {"stone", "dirt", "tuff"}
    assert set(tight.crowded) <= set(tight.ours)
    assert any(line.startswith("no layer left for ") for line in lines_of(tight))


def test_many_names_stand_in_lines_that_fit_a_terminal(tmp_path: Path) -> None:
    report = report_on([write_pack(tmp_path, STONE)], most_layers=2048)
    lines = lines_of(report)
    begin = lines.index(f"{len(report.ours)} look as ours do:") + 1
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
    assert "blocks.json: no JSON" in capsys.readouterr().out
