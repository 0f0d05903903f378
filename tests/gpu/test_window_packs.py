"""A window under a pack that somebody works on: what is saved is seen, what is broken is said and looks as ours."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support.data.packs import pack_files, plain, png, write_pack
from tests.support.window.process import Viewer, viewer
from tests.support.window.screen import PATIENCE_S, Screen, screen

pytestmark = pytest.mark.gpu

GRASS = "textures/blocks/grass.png"
VIEW = ("--at", "0.5,-55,0.5", "--look", "0,70", "--time", "6000", "--size", "320x480", "--radius", "2")
Colour = tuple[int, int, int]


class Ground:
    """What the middle of the window shows of a meadow: between the numbers above and what is said below."""

    def __init__(self, display: Screen, running: Viewer, pack: Path) -> None:
        self._display, self._running, self._pack = display, running, pack

    def save(self, name: str, content: bytes) -> str:
        """Writes a file of the pack; what the window says of it."""
        after = self._running.count
        path = self._pack / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return str(self._running.wait("packs", after)["said"])

    def seen(self, wanted: Callable[[np.ndarray], bool]) -> None:
        """Waits until the mean colour of the ground is as wanted."""
        deadline = time.monotonic() + PATIENCE_S
        while not wanted(mean := self._display.picture()[120:180, 60:260].reshape(-1, 3).mean(0)):
            assert time.monotonic() < deadline, f"never shown; last: {mean}"
            threading.Event().wait(0.05)


def mostly(channel: int) -> Callable[[np.ndarray], bool]:
    """Whether a channel is twice as strong as each of the others."""
    return lambda mean: bool((np.delete(mean, channel) * 2 < mean[channel]).all() and mean[channel] > 60)


def test_what_is_saved_is_seen_and_what_is_broken_is_said(tmp_path: Path) -> None:
    files = pack_files({"grass": {"textures": "grass"}}, {"grass": GRASS[:-4]}, {"grass.png": plain((220, 20, 20))})
    pack = write_pack(tmp_path / "pack", files)
    with screen() as display, viewer(display, tmp_path, "embedded:flat:1", *VIEW, "--pack", str(pack)) as running:
        running.wait("settled")
        number = display.window("chunkscope")
        ground = Ground(display, running, pack)
        ground.seen(mostly(0))

        assert ground.save(GRASS, png(plain((20, 20, 220), 64, 64))) == "resource packs reloaded, 0 errors"
        ground.seen(mostly(2))

        said = ground.save(GRASS, png(plain((20, 20, 220)))[:40])
        assert said.startswith("resource packs reloaded, 1 error: ")
        assert f"{GRASS}, 'grass': it is not a readable PNG" in said
        ground.seen(lambda mean: mean[1] > mean[0] > mean[2] * 1.2)  # our meadow

        assert ground.save("textures/terrain_texture.json", b'{"texture_data": {').count("it is not JSON") == 1
        ground.seen(lambda mean: mean[1] > mean[0] > mean[2] * 1.2)

        grey = ground.save(GRASS, png(plain((200, 200, 200))))
        assert "1 error" in grey, "the table is broken still, the picture is found by its name"
        assert "1 error: " in ground.save("textures/colormap/grass.png", png(plain((230, 20, 25))))
        ground.seen(mostly(0))

        display.ask_to_close(number)
        assert running.end() == 0
        assert "Traceback" not in running.said
        assert running.said.count(f"{GRASS}, 'grass': it is not a readable PNG") == 1, "one line names file and key"
