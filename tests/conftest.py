"""What holds for all tests.

A busy machine makes no property test fail: how long an example takes is no promise of any of them.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from client.connect import blob_cache
from net.kernels.place import IMAGE_VARIABLE
from render.settings.loading import FILE_VARIABLE

settings.register_profile("untimed", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test finds the terrain of another one, or leaves any to the user; the folder is beside ``tmp_path``."""
    monkeypatch.setenv(IMAGE_VARIABLE, "")  # and none leaves its compiled kernels to the next
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv(FILE_VARIABLE, str(folder / "config.toml"))  # nor do a person's settings change what is tested
    monkeypatch.setattr(blob_cache, "cache_folder", lambda: folder)
    return folder
