"""What holds for all tests."""

from pathlib import Path

import pytest

from client.connect import blob_cache


@pytest.fixture(autouse=True)
def own_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test finds the terrain of another one, or leaves any to the user."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(blob_cache, "cache_folder", lambda: folder)
    return folder
