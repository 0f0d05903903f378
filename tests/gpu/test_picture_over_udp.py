"""The whole road once: a child process serves, UDP carries, a picture is written. It makes a context of its own."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from client.options import Options
from client.player import Eye
from client.source import Embedded
from render.capture import PictureOptions, take_picture

pytestmark = pytest.mark.gpu

RADIUS = 2
PICTURE = PictureOptions(size_px=(160, 90), time=6000, fov_deg=60.0)


def test_a_picture_over_udp_from_a_child_process(tmp_path: Path) -> None:
    path = tmp_path / "hills.png"
    options = Options(radius=RADIUS, at=Eye(0.5, 81.6, -5.5), look_deg=(0.0, 12.0), time=6000, timeout_s=60.0)
    told: list[tuple[float, str]] = []
    report = take_picture(
        Embedded("hills", 1),
        options,
        PICTURE,
        path,
        lambda share, what: told.append((share, what)),
    )
    assert (report.exit_code, report.complete, report.missing, report.path) == (0, True, (), path)
    assert report.seconds > 0
    assert told
    with Image.open(path) as image:
        assert (image.size, image.mode) == ((160, 90), "RGB")
        labels, pixels = dict(image.info), np.asarray(image).astype(int)
    assert labels["Software"] == "chunkscope"
    assert labels["Source"] == "embedded:hills:1"
    assert labels["View"] == "--at 0.500,81.600,-5.500 --look 0.00,12.00 --fov 60 --dimension overworld"
    assert labels["Renderer"]
    top, bottom = pixels[:10].mean(axis=(0, 1)), pixels[-10:].mean(axis=(0, 1))
    assert top[2] > top[0], "the sky is blue"
    assert bottom[1] > bottom[2], "the ground is green and brown"
    assert list(tmp_path.iterdir()) == [path]
