"""Resource packs: one file of one from anybody. What is wrong is told in a line; what is read is what it should be.

The first byte says what the others are: a PNG, a TGA, one of the tables, the whole pack as an archive, or what
colours biomes have.
"""

import contextlib
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from assets.textures import load
from render.materials.face_recipes import faces_of, signature_of
from render.materials.packs.biomes import CLIENT
from render.materials.packs.files import PackFiles
from render.materials.packs.images import frames_of
from render.materials.packs.pack import MANIFEST, loads, open_pack
from render.materials.packs.stack import PackStack
from render.materials.packs.tables import BLOCKS, FLIPBOOKS, TERRAIN
from render.materials.packs.troubles import FileTrouble, PackError
from tests.fuzz.checks import check
from tests.support.data.packs import as_bytes, write_pack, write_zip
from tests.support.data.packs import files as small_pack

IMAGES: Final = ("a.png", "a.tga")
TABLES: Final = (BLOCKS, TERRAIN, FLIPBOOKS, MANIFEST)
ARCHIVE: Final = len(IMAGES) + len(TABLES)
BIOMES: Final = (CLIENT, "biomes/desert.client_biome.json")
KINDS: Final = ARCHIVE + 1 + len(BIOMES)
SIDES: Final = {16, 32, 64, 128}
ASKED: Final = (
    ("stone", {"stone_type": "granite"}),
    ("grass", {}),
    ("furnace", {"facing_direction": 4}),
    ("water", {}),
)


def packs(data: bytes) -> None:
    """One input."""
    kind, content = (data[0] % KINDS, data[1:]) if data else (0, b"")
    if kind < len(IMAGES):
        with contextlib.suppress(FileTrouble):
            frames = frames_of(content, IMAGES[kind])
            check(frames.dtype == np.uint8 and regular(frames.shape[1:]), "a picture has another shape")
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if kind == ARCHIVE:
            path = place / "pack.zip"
            path.write_bytes(content)
        else:
            name = (*TABLES, "", *BIOMES)[kind - len(IMAGES)]
            path = write_pack(place / "pack", {**small_pack(), name: content})
            with contextlib.suppress(FileTrouble):
                loads(content)
        with contextlib.suppress(PackError):
            ask(path)


def ask(path: Path) -> None:
    """Everything that a viewer asks of a pack."""
    rules = load()
    stack = PackStack([open_pack(path)], rules)
    for name, states in ASKED:
        signature, looks = signature_of(rules, name, states), stack.looks_of(name, states)
        for face, look in enumerate(faces_of(rules, signature)):
            shown = stack.face(looks, signature, face, look.recipe)
            if shown is not None:
                for tick in (0, 1, 1 << 40):
                    picture = shown.strip.picture(shown.strip.step_at(tick))
                    check(regular(picture.shape), "a strip has no picture")
                    check(shown.strip.at_side(32, shown.masked).picture(0).shape == (32, 32, 4), "it has one size")
    check(stack.tints.shape == (256, 3, 3) and stack.tints.dtype == np.uint8, "biomes have no colours")
    check(all("\n" not in str(trouble) for trouble in stack.troubles), "a trouble takes more than a line")
    read_outside(stack.packs[0].files)


def regular(shape: tuple[int, ...]) -> bool:
    """Whether it is a square of a size that pictures have."""
    return len(shape) == 3 and shape[0] == shape[1] and shape[0] in SIDES and shape[2] == 4


def read_outside(files: PackFiles) -> None:
    """No name of a pack leads out of it."""
    check(not any(".." in name.split("/") or name.startswith("/") for name in files.names), "a name leads out")


def seeds() -> list[bytes]:
    """The files of the small pack, each as what it is."""
    content: dict[str, Any] = small_pack()
    found = []
    for name, value in content.items():
        raw = as_bytes(name, value)
        if name in TABLES:
            found.append(bytes([len(IMAGES) + TABLES.index(name)]) + raw)
        else:
            found.append(bytes([IMAGES.index("a" + name[-4:])]) + raw)
    biome = {"description": {"identifier": "minecraft:desert"}, "components": {}}
    biome["components"] = {"minecraft:grass_appearance": {"color": {"color_map": "grass"}}}
    tables = ({"biomes": {"desert": {"water_surface_color": "#44AFF5"}}}, {"minecraft:client_biome": biome})
    found += [bytes([ARCHIVE + 1 + k]) + as_bytes(".json", table) for k, table in enumerate(tables)]
    return [*found, bytes([ARCHIVE]) + archive(content)]


def archive(content: dict[str, Any]) -> bytes:
    """The pack as one file."""
    with tempfile.TemporaryDirectory() as folder:
        return write_zip(Path(folder) / "a.zip", content).read_bytes()
