"""A picture of a recording is the picture of what was recorded, byte for byte."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from client.connection.opening import open_connection
from client.options import Options
from client.player import Eye
from client.source import WorldFile
from render.capture import PictureOptions, photograph
from render.gpu import Gpu
from tests.support.session.virtual import VirtualSession

PICTURE = PictureOptions(size_px=(160, 96))
VIEWS = {
    "flat:1": Options(radius=2, light=False),
    "hills:1": Options(radius=2, light=False, at=Eye(-20.0, 95.0, -30.0), look_deg=(-35.0, 30.0)),
}


@pytest.mark.gpu
@pytest.mark.parametrize("world", list(VIEWS))
def test_a_shot_of_a_recording_is_the_live_shot(gpu: Gpu, tmp_path: Path, world: str) -> None:
    options = VIEWS[world]
    path = tmp_path / "a.cscope"
    with VirtualSession(world).connection(replace(options, record=path)) as live:
        assert photograph(gpu, live, PICTURE, tmp_path / "live.png").complete
    with open_connection(WorldFile(path), Options(radius=2, light=False)) as again:
        assert photograph(gpu, again, PICTURE, tmp_path / "again.png").complete
    assert (tmp_path / "live.png").read_bytes() == (tmp_path / "again.png").read_bytes()
