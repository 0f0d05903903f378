"""One pack: its files, its tables and the errors in them.

Rules:
1. A pack without tables still supplies files for the tables of packs below it.
2. The files of the subpack for the most memory override the pack's files (the game's choice on a large machine).
3. JSON may have comments, a byte order mark and trailing commas. One pass replaces these by blanks and keeps the line
   numbers; it is linear for any text (a regular expression for strings with escapes was quadratic).
"""

import codecs
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from render.materials.packs import tables
from render.materials.packs.files import PackFiles, open_files
from render.materials.packs.images import SUFFIXES
from render.materials.packs.tables import BlockTextures, BlockTurns, Flipbook, Variant
from render.materials.packs.troubles import MOST_JSON_BYTES, FileTrouble, Trouble, Troubles

# ---------------------------------------------------------------- tolerant json

_OUTSIDE: Final = re.compile(r'"|//|/\*|,')
_INSIDE: Final = re.compile(r'\\.|"', re.DOTALL)
_LINE_END: Final = re.compile(r"[\r\n]")
_NEXT: Final = re.compile(r"\S")
_NO_BREAK: Final = re.compile(r"[^\r\n]")
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip


def loads(raw: bytes) -> Any:
    """The JSON value of a file. Raises FileTrouble: it is too large, not text, or not JSON; the message says where."""
    if len(raw) > MOST_JSON_BYTES:
        raise FileTrouble(f"{len(raw)} bytes of JSON are too many; at most {MOST_JSON_BYTES} are read")
    try:
        text = _text(raw)
        return json.loads(_plain(text))
    except UnicodeDecodeError as error:
        raise FileTrouble(f"it is not {error.encoding} text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise FileTrouble(f"it is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise FileTrouble("it is not JSON: nested too deeply") from None
    except ValueError as error:
        raise FileTrouble(f"it is not JSON: {error}") from None


def _text(raw: bytes) -> str:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(encoding)
    return raw.decode("utf-8")


def _plain(text: str) -> str:
    """A text without comments and without commas before a closing bracket."""
    parts: list[str] = []
    comma = -1  # index of a comma that only space and comments follow so far; -1: none
    at = 0
    while found := _OUTSIDE.search(text, at):
        between = text[at : found.start()]
        comma = _settled(parts, comma, between)
        parts.append(between)
        word, begin = found[0], found.start()
        if word == '"':
            at = _string_end(text, found.end())
            comma = -1
            parts.append(text[begin:at])
        elif word == ",":
            at, comma = found.end(), len(parts)
            parts.append(",")
        else:
            at = _comment_end(text, found.end(), word)
            parts.append(_NO_BREAK.sub(" ", text[begin:at]))
    _settled(parts, comma, text[at:])
    parts.append(text[at:])
    return "".join(parts)


def _settled(parts: list[str], comma: int, between: str) -> int:
    """Blanks the pending comma if a closing bracket follows it; returns the index of the new pending comma."""
    if comma < 0 or not (behind := _NEXT.search(between)):
        return comma
    if behind[0] in "}]":
        parts[comma] = " "
    return -1


def _string_end(text: str, at: int) -> int:
    while found := _INSIDE.search(text, at):
        at = found.end()
        if found[0] == '"':
            return at
    return len(text)


def _comment_end(text: str, at: int, opened: str) -> int:
    if opened == "//":
        end = _LINE_END.search(text, at)
        return end.start() if end else len(text)
    close = text.find("*/", at)
    return close + 2 if close >= 0 else len(text)


# ---------------------------------------------------------------- pack

MANIFEST = "manifest.json"
T = TypeVar("T")


class Pack(msgspec.Struct, frozen=True):
    """The content of one pack."""

    files: PackFiles
    title: str  # from its manifest, or the name of its file
    prefix: str  # folder of the subpack that overrides the rest, "" without one
    blocks: BlockTextures  # block -> face word -> texture
    turns: BlockTurns  # the same blocks -> face words whose pictures are turned by position
    terrain: Mapping[str, tuple[Variant, ...]]  # texture -> variants
    flipbooks: tuple[Flipbook, ...]  # animations
    by_place: tuple[str, ...]  # textures of which the game chooses one of several by position
    troubles: Troubles  # grows as files are read

    def tell(self, file: str, key: str, why: str) -> None:
        self.troubles.add(Trouble(str(self.files.path), file, key, why))

    def image(self, path: str) -> str | None:
        """The file that holds an image; None where the pack has none."""
        for folder in (self.prefix, "") if self.prefix else ("",):
            for suffix in SUFFIXES:
                if (name := f"{folder}{path}{suffix}".lower()) in self.files.names:
                    return name
        return None


def read_json(files: PackFiles, troubles: Troubles, name: str, parse: Callable[[Any, tables.Tell], T], nothing: T) -> T:
    """What one file of JSON says; ``nothing`` if it cannot be read. Errors are troubles of the pack."""

    def tell(key: str, why: str) -> None:
        troubles.add(Trouble(str(files.path), name, key, why))

    try:
        return parse(loads(files.read(name)), tell)
    except FileTrouble as error:
        tell("", str(error))
        return nothing


def open_pack(path: Path) -> Pack:
    """Reads a pack's tables; images are read later. Raises PackError: it is not a pack, or cannot be opened."""
    troubles = Troubles()
    files = open_files(path, troubles)

    def read(name: str, parse: Callable[[Any, tables.Tell], T], nothing: T) -> T:
        return read_json(files, troubles, name, parse, nothing) if name in files.names else nothing

    title, folder = read(MANIFEST, _manifest, (path.stem, ""))
    prefix = f"subpacks/{folder}/" if folder else ""
    over = prefix.lower() if any(name.startswith(prefix.lower()) for name in files.names) else ""
    if prefix and not over:
        troubles.add(Trouble(str(path), MANIFEST, "subpacks", f"the folder {prefix} does not exist"))
    terrain: dict[str, tuple[Variant, ...]] = {
        **read(tables.TERRAIN, tables.read_terrain, {}),
        **(read(over + tables.TERRAIN, tables.read_terrain, {}) if over else {}),
    }
    return Pack(
        files=files,
        title=title or path.stem,
        prefix=over,
        blocks=read(tables.BLOCKS, tables.read_blocks, {}),
        turns=read(tables.BLOCKS, tables.read_turns, {}),
        terrain=terrain,
        flipbooks=tuple(read(tables.FLIPBOOKS, tables.read_flipbooks, [])),
        by_place=tuple(name for name, variants in terrain.items() if any(one.by_place for one in variants)),
        troubles=troubles,
    )


def _manifest(content: Any, tell: tables.Tell) -> tuple[str, str]:
    """Name, and folder of the subpack for the most memory."""
    if not isinstance(content, Mapping) or not isinstance(content.get("header"), Mapping):
        tell("header", "a manifest must have a header")
        return "", ""
    name = content["header"].get("name", "")
    if not isinstance(name, str):
        tell("header", "its 'name' is not a string")
        name = ""
    subpacks = content.get("subpacks", [])
    if not isinstance(subpacks, list):
        tell("subpacks", "it is not a list")
        subpacks = []
    named = [pack for number, pack in enumerate(subpacks) if _is_subpack(pack, number, tell)]
    largest = max(named, key=lambda pack: int(pack.get("memory_tier", 0)), default={"folder_name": ""})
    return name, largest["folder_name"]


def _is_subpack(subpack: Any, number: int, tell: tables.Tell) -> bool:
    """Whether a manifest's entry is a valid subpack; reports an invalid one."""
    if not isinstance(subpack, Mapping) or not isinstance(subpack.get("folder_name"), str):
        tell(f"subpacks {number}", "it has no 'folder_name'")
        return False
    if not isinstance(subpack.get("memory_tier", 0), int):
        tell(f"subpacks {number}", "its 'memory_tier' is not a whole number")
        return False
    return bool(subpack["folder_name"])
