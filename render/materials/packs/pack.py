"""One pack: its files and its tables, with what is wrong in them.

Rules:
1. A pack that has no tables still gives files to the tables of packs below it.
2. Of subpacks the one for the most memory lies over the others' files (the game's choice on a large machine).
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar

from net.frozen import frozen
from render.materials.packs import tables
from render.materials.packs.files import PackFiles, open_files
from render.materials.packs.images import SUFFIXES
from render.materials.packs.tables import BlockTextures, Flipbook, Variant
from render.materials.packs.tolerant_json import loads
from render.materials.packs.troubles import FileTrouble, Trouble, Troubles

MANIFEST = "manifest.json"
T = TypeVar("T")


@frozen
class Pack:
    """What one pack says.

    Attributes:
        files: where it lies.
        title: from its manifest, or the name of its file.
        prefix: of the subpack that lies over the rest, "" for none.
        blocks: block -> face word -> texture.
        terrain: texture -> variants.
        flipbooks: what moves.
        by_place: textures of which the game chooses one of several by place.
        troubles: what is wrong; more come as files are read.
    """

    files: PackFiles
    title: str
    prefix: str
    blocks: BlockTextures
    terrain: Mapping[str, tuple[Variant, ...]]
    flipbooks: tuple[Flipbook, ...]
    by_place: tuple[str, ...]
    troubles: Troubles = field(compare=False)

    def tell(self, file: str, key: str, why: str) -> None:
        """Notes what is wrong."""
        self.troubles.add(Trouble(str(self.files.path), file, key, why))

    def image(self, path: str) -> str | None:
        """The file that holds an image; None where the pack has none."""
        for folder in (self.prefix, "") if self.prefix else ("",):
            for suffix in SUFFIXES:
                if (name := f"{folder}{path}{suffix}".lower()) in self.files.names:
                    return name
        return None


def open_pack(path: Path) -> Pack:
    """Reads a pack's tables; images come later, one by one.

    Raises:
        PackError: it is no pack, or cannot be opened.
    """
    troubles = Troubles()
    files = open_files(path, troubles)

    def read(name: str, parse: Callable[[Any, tables.Tell], T], nothing: T) -> T:
        if name not in files.names:
            return nothing
        try:
            return parse(loads(files.read(name)), lambda key, why: troubles.add(Trouble(str(path), name, key, why)))
        except FileTrouble as error:
            troubles.add(Trouble(str(path), name, "", str(error)))
            return nothing

    title, folder = read(MANIFEST, _manifest, (path.stem, ""))
    prefix = f"subpacks/{folder}/" if folder else ""
    over = prefix.lower() if any(name.startswith(prefix.lower()) for name in files.names) else ""
    if prefix and not over:
        troubles.add(Trouble(str(path), MANIFEST, "subpacks", f"there is no folder {prefix}"))
    terrain: dict[str, tuple[Variant, ...]] = {
        **read(tables.TERRAIN, tables.read_terrain, {}),
        **(read(over + tables.TERRAIN, tables.read_terrain, {}) if over else {}),
    }
    return Pack(
        files=files,
        title=title or path.stem,
        prefix=over,
        blocks=read(tables.BLOCKS, tables.read_blocks, {}),
        terrain=terrain,
        flipbooks=tuple(read(tables.FLIPBOOKS, tables.read_flipbooks, [])),
        by_place=tuple(name for name, variants in terrain.items() if any(one.by_place for one in variants)),
        troubles=troubles,
    )


def _manifest(content: Any, tell: tables.Tell) -> tuple[str, str]:
    """Name, and folder of the subpack for the most memory."""
    if not isinstance(content, Mapping) or not isinstance(content.get("header"), Mapping):
        tell("header", "a manifest has a header")
        return "", ""
    name = content["header"].get("name", "")
    if not isinstance(name, str):
        tell("header", "its 'name' is no text")
        name = ""
    subpacks = content.get("subpacks", [])
    if not isinstance(subpacks, list):
        tell("subpacks", "it is no list")
        subpacks = []
    named = [pack for number, pack in enumerate(subpacks) if _is_subpack(pack, number, tell)]
    largest = max(named, key=lambda pack: int(pack.get("memory_tier", 0)), default={"folder_name": ""})
    return name, largest["folder_name"]


def _is_subpack(subpack: Any, number: int, tell: tables.Tell) -> bool:
    """Whether a manifest's entry is a subpack; tells where it is none."""
    if not isinstance(subpack, Mapping) or not isinstance(subpack.get("folder_name"), str):
        tell(f"subpacks {number}", "it has no 'folder_name'")
        return False
    if not isinstance(subpack.get("memory_tier", 0), int):
        tell(f"subpacks {number}", "its 'memory_tier' is no whole number")
        return False
    return bool(subpack["folder_name"])
