"""Packs that change: noticed when the change has come to rest, read anew, and never lost on the way."""

import os
from pathlib import Path

from render.materials.packs.reload import FILES_AT_ONCE, SETTLED_S, LivePacks, PackWatch
from tests.support.data.packs import pack_files, plain, write_pack, write_zip

FILES = pack_files(
    {"stone": {"textures": "stone"}}, {"stone": "textures/blocks/stone"}, {"stone.png": plain((1, 2, 3))}
)
STONE = "textures/blocks/stone.png"


def touch(path: Path, ns: int) -> None:
    os.utime(path, ns=(ns, ns))


def test_nothing_is_told_while_nothing_changes(tmp_path: Path) -> None:
    watch = PackWatch([write_pack(tmp_path, FILES)])
    assert not any(watch.poll(0.1 * step) for step in range(100))


def test_a_change_is_told_once_when_it_has_come_to_rest(tmp_path: Path) -> None:
    pack = write_pack(tmp_path, FILES)
    watch = PackWatch([pack])
    touch(pack / STONE, 1_000)
    assert not watch.poll(10.0)
    touch(pack / STONE, 2_000)
    assert not watch.poll(10.0 + SETTLED_S)
    assert watch.poll(10.0 + 2 * SETTLED_S)
    assert not watch.poll(20.0)


def test_files_that_come_and_go_are_changes(tmp_path: Path) -> None:
    pack = write_pack(tmp_path, FILES)
    watch = PackWatch([pack])
    (pack / "textures/blocks/dirt.png").write_bytes(b"x")
    touch(pack / "textures/blocks", 5_000)
    assert [watch.poll(now) for now in (0.0, 1.0)] == [False, True]
    (pack / "textures/blocks/dirt.png").unlink()
    assert [watch.poll(now) for now in (2.0, 3.0)] == [False, True]


def test_a_large_pack_is_looked_at_in_parts(tmp_path: Path) -> None:
    many = {f"textures/blocks/{number:03}.png": b"x" for number in range(3 * FILES_AT_ONCE)}
    pack = write_pack(tmp_path, {**FILES, **many})
    watch = PackWatch([pack])
    touch(pack / "textures/blocks/191.png", 1_000)
    told = [watch.poll(0.1 * step) for step in range(20)]
    assert told.count(True) == 1
    assert told.index(True) > 5, "not the first look, and then it comes to rest"


def test_changed_packs_are_read_anew(tmp_path: Path) -> None:
    pack = write_pack(tmp_path, FILES)
    live = LivePacks([pack])
    before = live.stack
    (pack / "blocks.json").write_text("{ half")
    touch(pack / "blocks.json", 1_000)
    assert [live.poll(now) for now in (0.0, 1.0)] == [False, True]
    assert live.stack is not before
    assert [trouble.file for trouble in live.stack.troubles] == ["blocks.json"]


def test_an_archive_that_cannot_be_read_leaves_things_as_they_are(tmp_path: Path) -> None:
    archive = write_zip(tmp_path / "a.mcpack", FILES)
    live = LivePacks([archive])
    before = live.stack
    whole = archive.read_bytes()
    archive.write_bytes(whole[:40])
    assert [live.poll(now) for now in (0.0, 1.0)] == [False, True]
    assert live.stack is before
    assert "a.mcpack" in live.failed
    assert live.said.startswith("resource packs stay unchanged: pack ")
    archive.write_bytes(whole)
    assert [live.poll(now) for now in (2.0, 3.0)] == [False, True]
    assert live.failed == ""
    assert live.said == "resource packs reloaded, 0 errors"
