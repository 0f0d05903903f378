"""The recordings of foreign servers can be made anew, and hold the same world whenever they are."""

from pathlib import Path

import pytest

from tests.recordings import NAMES, digests, said_of
from tests.recordings.servers import MAKERS, kind_of, made

pytestmark = pytest.mark.interop

ONE_EACH = [next(name for name in NAMES if kind_of(name)[0] == kind) for kind in MAKERS]
OF_THE_WORLD = ("blocks", "layer1", "names", "states", "runtime_ids", "biomes", "light", "lit")


@pytest.mark.parametrize("name", ONE_EACH)
def test_a_recording_that_is_made_anew_has_the_digests_of_the_one_that_is_kept(name: str, tmp_path: Path) -> None:
    _, arrays, _ = made(name, tmp_path)
    again, kept = digests(arrays), said_of(name)["digests"]
    assert {array: again[array] for array in OF_THE_WORLD} == {array: kept[array] for array in OF_THE_WORLD}
