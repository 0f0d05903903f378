"""A picture of a recording is the picture of what was recorded, byte for byte."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from client.connection.opening import open_connection
from client.options import DRAWN_DIFF_ARRAYS, Options
from client.player import Eye
from client.source import OtherSource, WorldFile
from net.palette import BlockState
from net.space import BlockPos
from render.capture import PictureOptions, PictureReport, photograph, take_picture
from render.gpu import Gpu
from tests.support.session.virtual import VirtualSession

PICTURE = PictureOptions(size_px=(160, 96))
LEGEND_PX = 32  # height of its legend
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
        assert photograph(gpu, live, live.wait_settled(), PICTURE, tmp_path / "live.png").complete
    with open_connection(WorldFile(path), Options(radius=2, light=False)) as again:
        assert photograph(gpu, again, again.wait_settled(), PICTURE, tmp_path / "again.png").complete
    assert (tmp_path / "live.png").read_bytes() == (tmp_path / "again.png").read_bytes()


@pytest.mark.gpu
def test_a_shot_marks_where_another_world_differs(tmp_path: Path) -> None:
    eye, options = Eye(-3.0, -54.0, -3.0), Options(radius=2, light=False)
    files = tmp_path / "a.cscope", tmp_path / "b.cscope"
    for file in files:
        session = VirtualSession("flat:1")
        if file is files[1]:
            for y in range(-60, -57):
                session.host.set_block(BlockPos(3, y, 3), BlockState("minecraft:glowstone"))
            session.host.set_block(BlockPos(5, -61, 3), BlockState("minecraft:air"))
        with session.connection(replace(options, record=file)) as live:
            assert live.wait_settled()

    def shot(name: str, other: OtherSource | None) -> PictureReport:
        picture = replace(PICTURE, overlays=("against",), time=6000)
        there = replace(options, at=eye, look_deg=(-45.0, 30.0))
        return take_picture(WorldFile(files[0]), there, picture, tmp_path / name, other=other)

    alone, same = shot("alone.png", None), shot("same.png", OtherSource(WorldFile(files[0]), DRAWN_DIFF_ARRAYS))
    differing = shot("differing.png", OtherSource(WorldFile(files[1]), DRAWN_DIFF_ARRAYS))
    title = "against: differences from another world (--against)"
    assert alone.legend == (title, "  grey: no other world: the option --against names one")
    assert same.legend == (title, "  grey: no difference")
    assert [line.split(": ")[1] for line in differing.legend[1:]] == [
        "block only here",
        "block only there (here is air)",
    ]
    with Image.open(alone.path) as first, Image.open(same.path) as before, Image.open(differing.path) as after:
        plain, was, now = (np.asarray(image, np.int32)[..., :3] for image in (first, before, after))
    assert (plain == was)[LEGEND_PX:].all(), "no mark where nothing differs"
    changed = (was != now).any(axis=2)
    changed[:LEGEND_PX] = False
    red, _, blue = (now - was)[changed].T
    assert ((red > 20) & (blue > 20)).sum() > 50, "magenta: what is only there"
    assert ((red < -20) & (blue > 0)).sum() > 5, "green on the side of the block that is only here"
