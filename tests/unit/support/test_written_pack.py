"""Archives of packs that tests write: seeds of the fuzz targets, too, which must be the same in each run."""

from pathlib import Path

import pytest

from tests.support.data.packs import write_zip


def test_an_archive_does_not_tell_when_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    today = write_zip(tmp_path / "today.zip", {"manifest.json": {}}).read_bytes()
    monkeypatch.setattr("time.time", lambda: 1e9)
    assert write_zip(tmp_path / "then.zip", {"manifest.json": {}}).read_bytes() == today
