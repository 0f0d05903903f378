"""Takes the pictures of the documentation: ``python docs/pictures.py``. Needs OpenGL, no display.

    docs/pictures/*.toml      scenes, as ``chunkscope test`` reads them; each view is one picture
    docs/pictures/taken/      the pictures and a stamp; not in git, made again where anything they follow from changed

One picture for each overlay is taken of the scene ``overlays``, whose views are written here from the list of overlays.
``python docs/pictures.py --readme`` also writes the one picture that README.md needs and git keeps.
"""

import hashlib
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image

from render.gpu import Gpu
from render.scene_tests import read_scenes, take_scene
from render.settings.overlays import OVERLAYS

DOCS = Path(__file__).parent
SCENES = DOCS / "pictures"
TAKEN = SCENES / "taken"
STAMP = TAKEN / "stamp"
KEPT = ("holes-errors",)
"""Pictures that README.md shows."""
PRODUCT = ("assets", "client", "net", "render", "shaders")
COLOURS = 192
"""Of a palette: a picture of 640 x 360 takes about 130 kB."""


def main() -> int:
    """Takes what is not current."""
    wanted = fingerprint()
    if not (STAMP.is_file() and STAMP.read_text() == wanted):
        shutil.rmtree(TAKEN, ignore_errors=True)
        TAKEN.mkdir(parents=True)
        take_all()
        STAMP.write_text(wanted)
    if "--readme" in sys.argv[1:]:
        for name in KEPT:
            shutil.copyfile(TAKEN / f"{name}.png", SCENES / f"{name}.png")
    return 0


def fingerprint() -> str:
    """A digest of all that a picture follows from."""
    found = hashlib.sha256()
    files = [Path(__file__), *SCENES.glob("*.toml")]
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
                    colour = Image.fromarray(take.shot.colour).convert("RGB")
                    colour.quantize(COLOURS).save(TAKEN / f"{view.name}.png", optimize=True)
    finally:
        gpu.release()


def overlay_scene() -> str:
    """A scene with one view for each overlay."""
    top = 'source = "embedded:hills:1"\nshows = "one overlay each"\nradius = 4\nchannels = ["colour"]\ntimeout = 300\n'
    refused = "\n[[edits]]\nrefuse = [-1, 4, 2]\ncode = 3\n\n[[edits]]\ncut = [1, 4, 2]\n"
    eye = "at = [8.0, 96.0, -24.0]\nlook = [10.0, 25.0]\nsize = [320, 180]\n"
    view = '\n[[view]]\nname = "overlay-{}"\n' + eye + 'overlays = ["{}"]\n'
    return top + refused + "".join(view.format(name.replace("=", "-"), name) for name in OVERLAYS)


if __name__ == "__main__":
    sys.exit(main())
