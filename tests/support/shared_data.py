"""Real captures, palettes and worlds: read where they lie beside the checkout, never copied into it."""

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("CHUNKSCOPE_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))


def shared_data(relative: str) -> Path:
    """The path of one file or folder of the shared data.

    A missing one skips the test, naming the reason; with ``CHUNKSCOPE_REQUIRE_PEERS=1`` it fails instead.
    """
    path = ROOT / relative
    if not path.exists():
        reason = f"shared data {relative} is not beside this checkout"
        if os.environ.get("CHUNKSCOPE_REQUIRE_PEERS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path
