"""What holds for all tests."""

from pathlib import Path

import pytest

from client.connect import blob_cache


@pytest.fixture(autouse=True)
def own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test finds the terrain of another one, or leaves any to the user; the folder is beside ``tmp_path``."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(blob_cache, "cache_folder", lambda: folder)
    return folder
