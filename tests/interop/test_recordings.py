"""The recordings of foreign servers can be made anew, and hold the same world whenever they are."""

from pathlib import Path

import pytest

from client.connection.opening import open_connection
from client.options import Options
from client.source import WorldFile
from tests.recordings import ENTITIES, NAMES, digests, recording, said_of
from tests.recordings.servers import kind_of, made

pytestmark = pytest.mark.interop

ONE_EACH = {kind_of(name)[0]: name for name in reversed(NAMES)}.values()
OF_THE_WORLD = ("blocks", "layer1", "names", "states", "runtime_ids", "biomes", "light", "lit")


@pytest.mark.parametrize("name", ONE_EACH)
def test_a_recording_that_is_made_anew_has_the_digests_of_the_one_that_is_kept(name: str, tmp_path: Path) -> None:
    _, arrays, _ = made(name, tmp_path)
    again, kept = digests(arrays), said_of(name)["digests"]
    assert {array: again[array] for array in OF_THE_WORLD} == {array: kept[array] for array in OF_THE_WORLD}


def types_in(path: Path) -> set[str]:
    """Of the entities that stand there at the end of a recording."""
    with open_connection(WorldFile(path), Options(light=False)) as again:
        assert again.replay
        again.replay.seek(again.replay.duration_s)
        again.replay.run()
        return set(again.session.entities.kinds())


@pytest.mark.nightly
@pytest.mark.parametrize("name", ENTITIES)
def test_one_of_entities_that_is_made_anew_has_those_of_the_one_that_is_kept(name: str, tmp_path: Path) -> None:
    path, _, _ = made(name, tmp_path)
    assert types_in(path) == types_in(recording(name))
