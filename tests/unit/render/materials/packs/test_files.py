"""Files of packs: found in folders and archives alike; nothing outside of a pack is read, nothing without bound."""

import zipfile
from pathlib import Path

import pytest

from render.materials.packs import files as module
from render.materials.packs.files import FolderFiles, ZipFiles, open_files, within
from render.materials.packs.troubles import FileTrouble, PackError, Troubles
from tests.support.data.packs import MANIFEST, write_pack, write_zip

CONTENT = {"manifest.json": MANIFEST, "textures/blocks/Stone.PNG": b"a stone"}


@pytest.mark.parametrize("below", ["", "Deeper Pack/"])
@pytest.mark.parametrize("suffix", ["", ".zip", ".mcpack"])
def test_a_file_is_found_whatever_its_case_and_however_it_is_packed(tmp_path: Path, suffix: str, below: str) -> None:
    path = tmp_path / f"pack{suffix}"
    if suffix:
        write_zip(path, CONTENT, below)
    else:
        write_pack(path / below, CONTENT)
    files = open_files(path, Troubles())
    assert set(files.names) == {"manifest.json", "textures/blocks/stone.png"}
    assert files.read("textures/BLOCKS/stone.png") == b"a stone"
    with pytest.raises(FileTrouble, match="not there"):
        files.read("textures/blocks/dirt.png")


@pytest.mark.parametrize(
    "name", ["../a", "a/../../b", "/etc/passwd", "\\a", "C:\\a", "c:/a", "a/..\\..\\b", "a\0b", "..", "./../a"]
)
def test_names_that_lead_out_are_none(name: str) -> None:
    assert within(name) is None


def test_other_names_are_made_plain() -> None:
    assert within("a\\b/./c.png") == "a/b/c.png"
    assert within("a..b/...c") == "a..b/...c"


def test_archives_with_names_that_lead_out_tell_and_hide_them(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "pack.zip", {**CONTENT, "../evil.png": b"x", "/abs.png": b"x", "c:/drive.png": b"x"})
    troubles = Troubles()
    files = ZipFiles(path, troubles)
    assert set(files.names) == {"manifest.json", "textures/blocks/stone.png"}
    assert {trouble.file for trouble in troubles} == {"../evil.png", "/abs.png", "c:/drive.png"}
    assert all("leads out" in str(trouble) for trouble in troubles)


def test_links_out_of_a_folder_are_told_and_hidden(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"secret")
    pack = write_pack(tmp_path / "pack", CONTENT)
    (pack / "textures/blocks/link.png").symlink_to(secret)
    (pack / "textures/outside").symlink_to(tmp_path)
    (pack / "textures/blocks/loop.png").symlink_to(pack / "textures/blocks/loop.png")
    (pack / "textures/blocks/inside.png").symlink_to(pack / "textures/blocks/Stone.PNG")
    troubles = Troubles()
    files = FolderFiles(pack, troubles)
    assert set(files.names) == {"manifest.json", "textures/blocks/stone.png", "textures/blocks/inside.png"}
    assert files.read("textures/blocks/inside.png") == b"a stone"
    assert len(troubles) == 3


def test_a_file_that_becomes_a_link_while_a_pack_is_open_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"secret")
    pack = write_pack(tmp_path / "pack", CONTENT)
    files = FolderFiles(pack, Troubles())
    (pack / "textures/blocks/Stone.PNG").unlink()
    (pack / "textures/blocks/Stone.PNG").symlink_to(secret)
    with pytest.raises(FileTrouble, match="leads out"):
        files.read("textures/blocks/stone.png")


def test_files_that_go_while_a_pack_is_open_are_troubles(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "pack", CONTENT)
    archive = write_zip(tmp_path / "pack.zip", CONTENT)
    kept = FolderFiles(pack, Troubles()), ZipFiles(archive, Troubles())
    (pack / "textures/blocks/Stone.PNG").unlink()
    archive.write_bytes(b"PK half")
    for files in kept:
        with pytest.raises(FileTrouble, match="cannot be"):
            files.read("textures/blocks/stone.png")


def test_bombs_are_bounded_by_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILE_BYTES", 1000)
    path = write_zip(tmp_path / "pack.zip", {**CONTENT, "big.png": bytes(1001), "fits.png": bytes(1000)})
    files = ZipFiles(path, Troubles())
    assert len(files.read("fits.png")) == 1000
    with pytest.raises(FileTrouble, match="says that it unpacks to more than 1000 bytes"):
        files.read("big.png")


def test_a_bomb_that_lies_about_its_size_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_zip(tmp_path / "pack.zip", {**CONTENT, "big.png": bytes(100_000)})
    raw = path.read_bytes().replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(raw)
    with pytest.raises(FileTrouble):
        ZipFiles(path, Troubles()).read("big.png")
    monkeypatch.setattr(module, "MOST_FILE_BYTES", 1000)
    folder = write_pack(tmp_path / "folder", {**CONTENT, "big.png": bytes(1001)})
    with pytest.raises(FileTrouble, match="more than 1000 bytes"):
        FolderFiles(folder, Troubles()).read("big.png")


def test_the_sum_over_a_pack_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PACK_BYTES", 2500)
    path = write_zip(tmp_path / "pack.zip", {**CONTENT, "a.png": bytes(1000)})
    files = ZipFiles(path, Troubles())
    assert len(files.read("a.png")) == len(files.read("a.png")) == 1000
    with pytest.raises(FileTrouble, match="more than 500 bytes"):
        files.read("a.png")


def test_too_many_files_are_no_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 3)
    many = {**CONTENT, "a": b"", "b": b""}
    for path in (write_zip(tmp_path / "pack.zip", many), write_pack(tmp_path / "pack", many)):
        with pytest.raises(PackError, match="more than 3 files"):
            open_files(path, Troubles())


def test_what_is_no_pack_says_why(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("no pack")
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 broken")
    (tmp_path / "empty").mkdir()
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme.md", "no pack")
    for name, words in (
        ("nowhere", "does not exist"), ("text.txt", "a pack is a folder"), ("broken.zip", "no archive"),
        ("empty", "neither manifest.json nor textures"), ("other.zip", "neither manifest.json nor textures"),
    ):  # fmt: skip
        with pytest.raises(PackError, match=words) as caught:
            open_files(tmp_path / name, Troubles())
        assert name in str(caught.value)
        assert caught.value.exit_code == 6
