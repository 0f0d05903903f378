"""Scene files: TOML to ``SceneFile``, strictly (docs/reference/scenes.md has the form with an example).

Rules:
1. Each error is one sentence with file, line and key. For an unknown key it suggests the nearest known one.
2. The tables below define the format. Missing keys have the defaults of ``SceneFile``.
3. A scene's name is the file's path below the suite's folder, without ``.toml``. Two names must not differ in case
   alone: on a case-insensitive file system their baselines would share a folder.

Each reader of a single value returns the value or raises ``WrongValue`` with what the value must be.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import xxhash

from client.connection.tampering import Tampering
from client.embedded_server import is_served
from client.errors import MissingFile, UsageError
from client.options import MOST_RADIUS, Moment, Options, parse_moment
from client.player import HIGHEST_ORTHO_BLOCKS, LOWEST_ORTHO_BLOCKS
from client.source import Remote, Source, WorldFile, parse_source
from client.weather import WEATHERS, Weather
from net.config import Form, Read, TomlTables, WrongValue, is_whole, number, string, truth, whole
from net.space import VANILLA, BlockPos, ColumnPos, SubChunkPos
from render.capture.channels import CHANNELS
from render.draw_options import Cut, parse_cut
from render.scene_tests.scene import BadScene, BlockEdit, SceneFile, SceneView
from render.scene_tests.verdict import Tolerance
from render.settings.overlays import OVERLAYS

# ---------------------------------------------------------------- values

FARTHEST_BLOCKS = 30_000_000
"""Beyond it no server has terrain."""


def numbers(count: int, what: str) -> Read:

    def read(value: Any) -> tuple[float, ...]:
        fits = isinstance(value, list) and len(value) == count
        if not fits or not all(_is_number(part) and abs(part) <= FARTHEST_BLOCKS for part in value):
            raise WrongValue(what)
        return tuple(float(part) for part in value)

    return read


def look(value: Any) -> tuple[float, ...]:
    what = "[yaw, pitch] in degrees, the pitch from -90 to 90"
    read: tuple[float, ...] = numbers(2, what)(value)
    if not -90 <= read[1] <= 90:
        raise WrongValue(what)
    return read


def heights(value: Any) -> Cut:  # Any: what TOML holds
    """What a cut shows: Y, below which all is, or the lowest and one above the highest."""
    parts = value if isinstance(value, list) else [value]
    try:
        if all(map(is_whole, parts)):
            return parse_cut(",".join(map(str, parts)))
    except UsageError:
        pass  # as what is no height at all
    raise WrongValue("a height, or [low, high]")


def texts(what: str) -> Read:

    def read(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(part, str) and part for part in value):
            raise WrongValue(what)
        return tuple(value)

    return read


def size(value: Any) -> tuple[int, int]:
    read = _whole_numbers(value, 2, "[width, height], each from 16 to 4096 pixels")
    if not all(16 <= side <= 4096 for side in read):
        raise WrongValue("[width, height], each from 16 to 4096 pixels")
    return read[0], read[1]


def block(value: Any) -> BlockPos:
    return BlockPos(*_whole_numbers(value, 3, "[x, y, z] of a block, whole numbers"))


def subchunk(value: Any) -> SubChunkPos:
    return SubChunkPos(*_whole_numbers(value, 3, "[x, y, z] of a sub-chunk, blocks divided by 16"))


def column(value: Any) -> ColumnPos:
    return ColumnPos(*_whole_numbers(value, 2, "[x, z] of a column, blocks divided by 16"))


def one_of(words: Sequence[str]) -> Read:

    def read(value: Any) -> str:
        if value not in words:
            raise WrongValue(f"one of {', '.join(words)}")
        return str(value)

    return read


def several_of(words: Sequence[str]) -> Read:
    """A list of some of these words, in their own order."""

    def read(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(part in words for part in value):
            raise WrongValue(f"a list of some of {', '.join(words)}")
        return tuple(word for word in words if word in value)

    return read


def hour(value: Any) -> int | None:
    """A time of day; None for the server's own."""
    if value == "server":
        return None
    if not is_whole(value) or not 0 <= value <= 23999:
        raise WrongValue("a whole number from 0 to 23999, or 'server'")
    return int(value)


def weather(value: Any) -> Weather:
    return WEATHERS[one_of(tuple(WEATHERS))(value)]


def flat_light(value: Any) -> bool:
    return bool(one_of(("smooth", "flat"))(value) == "flat")


def budget_bytes(value: Any) -> int:
    """Bytes of the GPU's memory, given in MiB."""
    return int(number(1, 1 << 20, "MiB, at least 1")(value) * (1 << 20))


def channels(value: Any) -> tuple[str, ...]:
    """Channels of a shot, at least one."""
    read: tuple[str, ...] = several_of(CHANNELS)(value)
    if not read:
        raise WrongValue(f"a list of some of {', '.join(CHANNELS)}")
    return read


def dimension(value: Any) -> int:
    by_name = {known.name: known.number for known in VANILLA.values()}
    if isinstance(value, str) and value in by_name:
        return by_name[value]
    if not is_whole(value):
        raise WrongValue(f"one of {', '.join(by_name)}, or a number")
    return int(value)


def protocol(value: Any) -> int:
    """A protocol number that is spoken here."""
    number = int(whole(1, 1 << 31)(value))
    try:
        Options(protocol=number)
    except UsageError as error:
        raise WrongValue(f"another protocol: {error}") from None
    return number


def moment(value: Any) -> Moment:
    """Seconds, or the text forms of ``--moment``."""
    if _is_number(value) and value >= 0:
        return Moment(float(value))
    try:
        return parse_moment(value if isinstance(value, str) else "")
    except UsageError:
        raise WrongValue("seconds into the recording, '1:05', or '#350' for a packet") from None


def block_states(value: Any) -> dict[str, int | str | bool]:
    if not isinstance(value, dict) or not all(isinstance(part, int | str) for part in value.values()):
        raise WrongValue("a table of names and values, as { direction = 2 }")
    return dict(value)


def _whole_numbers(value: Any, count: int, what: str) -> tuple[int, ...]:
    fits = isinstance(value, list) and len(value) == count
    if not fits or not all(is_whole(part) and abs(part) <= FARTHEST_BLOCKS for part in value):
        raise WrongValue(what)
    return tuple(value)


def _is_number(value: Any) -> bool:
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


# ---------------------------------------------------------------- reading

SUFFIX: Final = ".toml"
MOST_BLOCKS_SET: Final = 65536
"""Most blocks of one edit; more are better made as a world."""

ROOT: Final[Form] = {
    "source": string,
    "shows": string,
    "radius": whole(1, MOST_RADIUS),
    "dimension": dimension,
    "time": hour,
    "day": whole(0, 7),
    "weather": weather,
    "gamma": number(0.2, 4, "an exponent from 0.2 to 4"),
    "packs": texts("a list of paths"),
    "mode": one_of(("limited", "limitless", "full")),
    "protocol": protocol,
    "light": flat_light,
    "gpu_budget": budget_bytes,
    "overlays": several_of(tuple(OVERLAYS)),
    "channels": channels,
    "timeout": number(0.001, 3600, "seconds, more than 0"),
    "at_answer": whole(0, 1_000_000),
    "at_time": moment,
    "outstanding": whole(1, 4096),
    "watched": truth,
    "entities": truth,
    "shadows": truth,
    "expected_warnings": texts("a list of strings, each a part of a warning"),
}
VIEW: Final[Form] = {
    "name": string,
    "at": numbers(3, "[x, y, z] of the eye in blocks"),
    "look": look,
    "fov": number(10, 150, "degrees from 10 to 150"),
    "ortho": number(LOWEST_ORTHO_BLOCKS, HIGHEST_ORTHO_BLOCKS, "a height in blocks from 1 to 4096"),
    "cut": heights,
    "size": size,
    "time": whole(0, 23999),
    "overlays": several_of(tuple(OVERLAYS)),
    "freeze_at": numbers(3, "[x, y, z] of the frozen eye in blocks"),
    "freeze_look": look,
}
EDIT: Final[Form] = {
    "set": string,
    "at": block,
    "to": block,
    "states": block_states,
    "layer": whole(0, 1),
    "refuse": subchunk,
    "code": whole(2, 255),
    "drop": subchunk,
    "times": whole(1, 100),
    "ignore": subchunk,
    "truncate": subchunk,
    "contradict_heights": subchunk,
    "withhold": column,
}
TOLERANCE: Final[Form] = {
    "tile_flip": number(0, 1, "a mean FLIP error from 0 to 1"),
    "edge_share": number(0, 1, "a share of all pixels from 0 to 1"),
}
TABLES: Final = ("view", "edits", "tolerance")

OF_EDITS: Final = {
    "set": {"at", "to", "states", "layer"},
    "refuse": {"code"},
    "drop": {"times"},
    "ignore": set[str](),
    "truncate": set[str](),
    "contradict_heights": set[str](),
    "withhold": set[str](),
}
"""The keys that each kind of edit may have."""
WRONG_DIMENSION: Final = 3
"""The result code of a refusal unless another is said: it is not asked again."""
RENAMED: Final = {
    "fov": "fov_deg",
    "ortho": "ortho_blocks",
    "look": "look_deg",
    "size": "size_px",
    "freeze_look": "freeze_look_deg",
    "light": "flat_light",
    "gpu_budget": "gpu_budget_bytes",
    "timeout": "timeout_s",
    "at_time": "moment",
}
"""Keys that ``SceneFile`` and ``SceneView`` name otherwise."""


def renamed(said: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the names of fields."""
    return {RENAMED.get(key, key): value for key, value in said.items()}


def read_scenes(place: Path) -> tuple[SceneFile, ...]:
    """Every scene of a folder and below, by name; or one file's. Raises BadScene: the first thing that is wrong."""
    root = place if place.is_dir() else place.parent
    return tuple(read_scene(path, root) for path in scene_files(place))


def scene_files(place: Path) -> tuple[Path, ...]:
    """A folder's scene files, by name; or one file.

    Raises:
        BadScene: there is no scene file, or two names differ in case alone.
        MissingFile: the path does not exist.
    """
    if not place.exists():
        raise MissingFile(place)
    paths = [place] if place.is_file() else sorted(place.rglob(f"*{SUFFIX}"))
    if not paths or paths[0].suffix != SUFFIX:
        raise BadScene(f"{place} contains no scenes: scenes are files that end in {SUFFIX}.")
    seen: dict[str, Path] = {}
    for path in paths:
        if (twin := seen.setdefault(str(path).casefold(), path)) != path:
            raise BadScene(f"{path} and {twin} have the same name except for upper and lower case.")
    return tuple(paths)


def read_scene(path: Path, root: Path) -> SceneFile:
    """One file; ``root`` is the suite's folder. Raises BadScene: see the module."""
    try:
        file = TomlTables(str(path), path.read_text(encoding="utf-8"), BadScene, "scene")
    except OSError as error:
        raise BadScene(f"{path}: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise BadScene(f"{path} is not UTF-8 text.") from None
    said = file.root(ROOT, TABLES)
    source = _source(file, said)
    if "at_time" in said and (not isinstance(source, WorldFile) or is_served(source)):
        raise BadScene(f"{file.where('', 'at_time')}: 'at_time' needs a recording, not {source}.")
    edits, tampering = _edits(file, source, said.pop("at_answer", None))
    fields = renamed(said) | {"source": source, "packs": _packs(file, path.parent, said.get("packs", ()))}
    return SceneFile(
        path=path,
        name=path.relative_to(root).with_suffix("").as_posix(),
        views=_views(file),
        digest=xxhash.xxh3_64_hexdigest(json.dumps(file.values, sort_keys=True, default=str).encode()),
        edits=edits,
        tampering=tampering,
        tolerance=Tolerance(**file.table("tolerance", TOLERANCE)),
        **fields,
    )


def _source(file: TomlTables, said: Mapping[str, Any]) -> Source:
    if "source" not in said:
        raise file.needs(
            "", "a scene needs 'source': embedded:hills:1, or a recording or a saved world beside the file"
        )
    try:
        source = parse_source(said["source"])
    except UsageError as error:
        raise BadScene(f"{file.where('', 'source')}: {error}") from None
    there = WorldFile(Path(file.name).parent / source.path) if isinstance(source, WorldFile) else source
    for key in ("mode", "protocol", "at_answer", "outstanding"):
        if key in said and not is_served(there):
            raise BadScene(f"{file.where('', key)}: '{key}' needs an embedded or a saved world, not {source}.")
    if said.get("watched") and isinstance(there, Remote):
        raise BadScene(f"{file.where('', 'watched')}: a server's own time never repeats, and {source} is a server.")
    return there


def _packs(file: TomlTables, folder: Path, said: tuple[str, ...]) -> tuple[Path, ...]:
    """Resource packs, where they are; whether they are any is seen when the scene is taken."""
    for name in said:
        if not (folder / name).exists():
            raise BadScene(f"{file.where('', 'packs')}: the resource pack {name!r} does not exist.")
    return tuple(folder / name for name in said)


def _views(file: TomlTables) -> tuple[SceneView, ...]:
    rows = file.rows("view", VIEW)
    if not rows:
        raise file.needs("", "a scene needs a [[view]]")
    names: set[str] = set()
    for count, row in enumerate(rows):
        if "name" not in row:
            raise file.needs("view", "this [[view]] needs a 'name'", count)
        name = row["name"]
        if not name.replace("-", "").replace("_", "").isalnum():
            raise file.wrong("view", "name", name, "letters, digits, '-' and '_'", count)
        if name.casefold() in names:
            raise file.wrong("view", "name", name, "a name that is unique in the scene", count)
        names.add(name.casefold())
        if "freeze_look" in row and "freeze_at" not in row:
            raise file.needs("view", "'freeze_look' needs 'freeze_at', [x, y, z] of the frozen eye", count)
    return tuple(SceneView(**renamed(row)) for row in rows)


def _edits(file: TomlTables, source: Source, most: int | None) -> tuple[tuple[BlockEdit, ...], Tampering]:
    blocks = []
    withheld: set[ColumnPos] = set()
    altered: dict[str, dict[SubChunkPos, int]] = {
        kind: {} for kind in ("refuse", "drop", "ignore", "truncate", "contradict_heights")
    }
    for count, row in enumerate(file.rows("edits", EDIT)):
        if not is_served(source):
            raise file.needs("edits", f"[[edits]] need an embedded or a saved world, not {source}", count)
        kind = _kind(file, row, count)
        if kind == "set":
            blocks.append(_block_edit(file, row, count))
        elif kind == "withhold":
            withheld.add(row[kind])
        else:
            altered[kind][row[kind]] = row.get("code", WRONG_DIMENSION) if kind == "refuse" else row.get("times", 1)
    return tuple(blocks), Tampering(
        refused=altered["refuse"],
        lost=altered["drop"],
        ignored=frozenset(altered["ignore"]),
        truncated=frozenset(altered["truncate"]),
        contradicted=frozenset(altered["contradict_heights"]),
        withheld=frozenset(withheld),
        most_answers=most,
    )


def _kind(file: TomlTables, row: Mapping[str, Any], count: int) -> str:
    kinds = [kind for kind in OF_EDITS if kind in row]
    if len(kinds) != 1:
        raise file.needs("edits", f"these [[edits]] need one of {', '.join(OF_EDITS)}", count)
    for key in row:
        if key != kinds[0] and key not in OF_EDITS[kinds[0]]:
            raise BadScene(
                f"{file.where('edits', key, count)}: '{key}' in [edits] cannot be combined with '{kinds[0]}'."
            )
    return kinds[0]


def _block_edit(file: TomlTables, row: Mapping[str, Any], count: int) -> BlockEdit:
    if "at" not in row:
        raise file.needs("edits", "'set' needs 'at', [x, y, z] of a block", count)
    corners = row["at"], row.get("to", row["at"])
    low = BlockPos(*map(min, *corners))
    high = BlockPos(*map(max, *corners))
    inside = (high.x - low.x + 1) * (high.y - low.y + 1) * (high.z - low.z + 1)
    if inside > MOST_BLOCKS_SET:
        raise file.wrong("edits", "to", list(row["to"]), f"so that at most {MOST_BLOCKS_SET} blocks are set", count)
    name = row["set"] if ":" in row["set"] else f"minecraft:{row['set']}"
    return BlockEdit(low, high, name, row.get("states", {}), row.get("layer", 0))
