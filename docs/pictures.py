"""Takes the pictures of the documentation: ``python docs/pictures.py``. Needs OpenGL, no display.

    docs/pictures/*.toml      scenes, as ``chunkscope test`` reads them; each view is one picture
    docs/pictures/*.png       their pictures
    docs/pictures/overlay-*   among them one for each overlay, of a scene that is written here
    docs/pictures/sheet/      rows of python -m tests.contact_sheet

``rings.png`` is the panel Slice map over a join with the faults of ``docs/examples/faults/short-radius.toml``.
All are in git, so that pages show them without a build. They are taken again when any of their inputs has changed:
commit those that differ then.
"""

import hashlib
import sys
import tempfile
from pathlib import Path

import numpy as np
from imgui_bundle import imgui
from PIL import Image

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.embedded_server import EmbeddedServer
from client.options import FRESH, Options
from client.report.join import report_on
from client.source import Remote
from render.gpu import Gpu, Target
from render.panels.imgui_host import ImguiHost
from render.panels.slice_map import Paint, Plane, SliceState, SliceView, draw
from render.passes.imgui import PanelsPass
from render.scene_tests import read_scenes, take_scene
from render.settings.overlays import OVERLAYS
from render.viewer.display.slices import Slicer, eye_on, rings_of

DOCS = Path(__file__).parent
SCENES = DOCS / "pictures"
STAMP = DOCS.parent / ".cache" / "pictures-of-docs"
"""Holds the fingerprint of the inputs of the last run."""
PRODUCT = ("assets", "client", "net", "render", "shaders")
COLOURS = 192
"""Size of the palette: a picture of 640 x 360 takes about 130 kB."""
SHORT_RADIUS = DOCS / "examples" / "faults" / "short-radius.toml"
ASKED_COLUMNS, GRANTED_COLUMNS = 9, 7
PANEL_PX = (640, 560)
SUBCHUNK_PX = 17.0
SLICE_Y = 70
JOIN_S = 60.0


def main() -> int:
    """Takes the pictures that are not current."""
    wanted = fingerprint()
    if not (STAMP.is_file() and STAMP.read_text() == wanted):
        take_all()
        STAMP.parent.mkdir(exist_ok=True)
        STAMP.write_text(wanted)
    return 0


def fingerprint() -> str:
    """A digest of all inputs of a picture."""
    found = hashlib.sha256()
    files = [Path(__file__), DOCS / "reference" / "overlays.md", *SCENES.glob("*.toml")]
    for package in PRODUCT:
        files += [
            path
            for path in (DOCS.parent / package).rglob("*")
            if path.suffix in (".py", ".glsl", ".vert", ".frag", ".comp", ".toml", ".txt")
        ]
    for path in sorted(files):
        found.update(path.read_bytes())
    return found.hexdigest()


def take_all() -> None:
    """Every view of every scene, as PNG."""
    gpu = Gpu.standalone()
    try:
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder, "overlays.toml")
            written.write_text(overlay_scene())
            for path in (*sorted(SCENES.glob("*.toml")), written):
                (scene,) = read_scenes(path)
                for view, take in zip(scene.views, take_scene(scene, gpu), strict=True):
                    keep(view.name, take.shot.colour)
        take_rings(gpu)
    finally:
        gpu.release()


def keep(name: str, colour: np.ndarray) -> None:
    """Writes a picture, with a palette."""
    Image.fromarray(colour).convert("RGB").quantize(COLOURS).save(SCENES / f"{name}.png", optimize=True)


def take_rings(gpu: Gpu) -> None:
    """The panel Slice map over a join with missing columns, for the page about joins."""
    command = [sys.executable, "-m", "net.server", "--world", "hills:1", "--port", "0"]
    server = EmbeddedServer([*command, "--radius-max", str(GRANTED_COLUMNS), "--faults", str(SHORT_RADIUS)])
    try:
        server.wait_ready(JOIN_S)
        options = Options(radius=ASKED_COLUMNS - 1, light=False, cache=False, identity=FRESH, transport="raknet")
        with open_connection(Remote(*server.address), options) as connection:
            report_on(connection, JOIN_S)
            keep("rings", slice_panel(gpu, connection))
    finally:
        server.close()


def slice_panel(gpu: Gpu, connection: Connection) -> np.ndarray:
    """Draws only the panel, as large as its picture."""
    session = connection.session
    made = Slicer().paint(session, Plane.LEVEL, Paint.STATE, SLICE_Y, connection.now)
    eye, ahead, _ = eye_on(Plane.LEVEL, session.movement.view)
    rings = rings_of(session, Plane.LEVEL, SLICE_Y)
    dimension = session.dimension.store.dimension
    levels = dimension.floor_y_blocks, dimension.roof_y_blocks - 1
    host, passed, target = ImguiHost(), PanelsPass(gpu), Target(gpu, PANEL_PX)
    state = SliceState(px=SUBCHUNK_PX)
    try:
        picture = passed.picture("slice", made.pixels)
        view = SliceView(picture, made.origin, made.states, eye, ahead, SLICE_Y, levels, rings)
        for _ in range(4):  # the first frames have no sizes yet
            host.begin(PANEL_PX, 1 / 60)
            imgui.set_next_window_pos(imgui.ImVec2(0, 0))
            imgui.set_next_window_size(imgui.ImVec2(*PANEL_PX))
            host.panel("Slice map##picture", lambda: draw(view, state))
            target.begin()
            passed.draw(host.end(), PANEL_PX)
        return target.pixels()
    finally:
        passed.release()
        host.close()
        target.release()


def overlay_scene() -> str:
    top = 'source = "embedded:hills:1"\nshows = "one overlay each"\nradius = 4\nchannels = ["colour"]\ntimeout = 300\n'
    refused = "\n[[edits]]\nrefuse = [-1, 4, 2]\ncode = 3\n\n[[edits]]\ntruncate = [1, 4, 2]\n"
    eye = "at = [8.0, 96.0, -24.0]\nlook = [10.0, 25.0]\nsize = [320, 180]\n"
    view = '\n[[view]]\nname = "overlay-{}"\n' + eye + 'overlays = ["{}"]\n'
    shown = (DOCS / "reference" / "overlays.md").read_text("utf-8")
    names = {name: name.replace("=", "-") for name in OVERLAYS if f"/overlay-{name.replace('=', '-')}.png" in shown}
    return top + refused + "".join(view.format(file, name) for name, file in names.items())


if __name__ == "__main__":
    sys.exit(main())
