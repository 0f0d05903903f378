"""Writes the reference pages that follow from the program: ``python docs/generate.py``; ``--check`` only looks.

    reference/cli.md, keys.md, overlays.md, settings.md, states.md, exit-codes.md, arrays.md, python.md, json.md

The pages are kept in git, so that they can be read there. ``tests/arch/test_docs.py`` fails while one is not current.
"""

import ast
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import typer

import chunkscope
import client.errors
from client import options
from client.connection.connection import Connection
from client.connection.stats import Statistics
from client.report.diff import DiffReport
from client.report.dump import DumpReport
from client.report.find import FindReport
from client.report.health import HealthReport
from client.report.join import JoinReport
from client.report.packets import PacketRow, PacketsReport, RequestRow
from client.report.record import RecordReport
from client.report.why import WhyReport
from client.world.lifecycle import SubChunkState
from client.world.lifecycle import diagram as life_of_subchunks
from net.raknet.ping import Pong
from net.transport.discovery import Sighting
from render.bench.frames import FrameReport
from render.bench.start import StageTime
from render.bench.streaming import StreamReport
from render.capture.channels import CHANNELS
from render.capture.picture import PictureReport
from render.cli import app
from render.cli.doctor import CheckResult, PackReport
from render.film.film import FilmReport
from render.passes.overlay.boxes import (
    CONTRADICTED,
    FAILED,
    STYLES,
    UNKNOWN_BLOCKS,
    UNLIT,
    UNMESHED,
    UNSENT,
)
from render.scene.cells import diagram as life_of_cells
from render.settings.actions import Action, ActionGroup, actions_of
from render.settings.keys import PRESETS, keys_of, shown
from render.settings.overlays import OVERLAYS
from render.settings.schema import SETTINGS

REFERENCE: Final = Path(__file__).parent / "reference"
NOTE: Final = "<!-- Written by docs/generate.py. Do not edit: change the program and run it again. -->"


def main(arguments: Sequence[str]) -> int:
    """Writes the pages, or prints which are not current."""
    stale = [name for name, text in pages() if _now(name) != text]
    if "--check" in arguments:
        for name in stale:
            print(f"docs/reference/{name} is not current: run python docs/generate.py")
        return 1 if stale else 0
    for name, text in pages():
        (REFERENCE / name).write_text(text, encoding="utf-8")
    print(f"{len(stale)} pages changed")
    return 0


def pages() -> Iterator[tuple[str, str]]:
    """Every generated page: its file name and its text."""
    for name, make in PAGES.items():
        title, lines = make()
        yield name, "\n".join((f"# {title}", "", NOTE, "", *lines)).rstrip() + "\n"


def _now(name: str) -> str:
    path = REFERENCE / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def table(head: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return [*lines, *(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows), ""]


# ---------------------------------------------------------------- command line


def cli() -> tuple[str, list[str]]:
    """All commands, from the command line itself."""
    lines = ["`chunkscope COMMAND --help` prints the same. Every command takes `--debug`, which shows a traceback.", ""]
    root: Any = typer.main.get_command(app)  # Any: Typer's copy of click has no types of its own
    for name, command in _commands(root, ""):
        lines += [f"## chunkscope {name}", "", _plain(command.help), "", "```text", _usage(name, command), "```", ""]
        rows = [
            _parameter(each) for each in command.params if each.name != "help" and not getattr(each, "hidden", False)
        ]
        lines += table(("argument or option", "default", "meaning"), rows) if rows else []
        if command.epilog:
            lines += [_example(command.epilog), ""]
    return "Command line", lines


def _commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def _usage(name: str, command: Any) -> str:
    arguments = [_metavar(each) for each in command.params if each.param_type_name == "argument"]
    optional = [
        text if each.required else f"[{text}]" for each, text in zip(_arguments(command), arguments, strict=True)
    ]
    return " ".join(("chunkscope", name, *optional, "[OPTIONS]"))


def _arguments(command: Any) -> list[Any]:
    return [each for each in command.params if each.param_type_name == "argument"]


def _metavar(parameter: Any) -> str:
    shown = str(parameter.metavar or parameter.name.upper())
    return shown[1:-1] if shown.startswith("[") else shown  # those that may be left out stand in brackets


def _parameter(each: Any) -> tuple[str, str, str]:
    flags = "/".join((*each.opts, *each.secondary_opts)) if each.param_type_name == "option" else _metavar(each)
    value = f" {each.metavar}" if each.param_type_name == "option" and each.metavar else ""
    return f"`{flags}{value}`", _default(each), _plain(each.help)


def _default(each: Any) -> str:
    if isinstance(getattr(each, "show_default", None), str):
        return str(each.show_default)
    if each.required:
        return "required"
    value = each.default
    if value is None or value in ((), []) or callable(value) or "UNSET" in repr(value).upper():
        return ""
    return f"`{json.dumps(value)}`" if isinstance(value, bool | int | float | str) else str(value)


def _plain(text: str | None) -> str:
    return " ".join(re.sub(r"(?<!\\)\[/?[a-z ]+\]", "", text or "").replace("\\[", "[").split())


def _example(text: str) -> str:
    return "```text\n" + "\n".join(line.strip() for line in text.splitlines() if line.strip()) + "\n```"


# ---------------------------------------------------------------- window


def keys() -> tuple[str, list[str]]:
    """All actions with their keys, preset by preset."""
    lines = [
        "F1 shows these keys in the window, as you have bound them. F8 changes the preset, and Ins binds another key.",
        "The name in the first column is what `[keys]` in the [settings](settings.md) takes.",
        "An overlay without a key has a letter in the list that O opens: see [Overlays](overlays.md).",
        "",
    ]
    for group in ActionGroup:
        lines += [f"## {group.value}", ""]
        rows = [
            (f"`{each.value}`", each.means, *(_keys_of(preset, each) for preset in PRESETS))
            for each in actions_of(group)
        ]
        lines += table(("name", "meaning", *PRESETS), rows)
    return "Keys of the window", lines


def _keys_of(preset: str, action: Action) -> str:
    return ", ".join(f"`{shown(key)}`" if shown(key) != "`" else "`` ` ``" for key in keys_of(preset).get(action, ()))


def overlays() -> tuple[str, list[str]]:
    """All overlays with their letters and pictures, which ``docs/pictures.py`` takes."""
    lines = [
        "In the window, O lists the overlays; the letter switches one on or off, Del switches all off.",
        "`--overlay NAME` draws them in `view`, `shot`, `film` and scenes. The legend names colours and patterns, with",
        "counts. Every state has its own pattern, so you need not tell colours apart. In the panel Legend you can hide",
        "single kinds of boxes.",
        "Of the overlays that fill the picture (`merge`, `mirror`, `light-...`, `channel-...`) the window shows one",
        "at a time.",
        "",
        *table(("overlay", "letter", "what it shows"), [(f"`{e.name}`", e.letter, e.title) for e in OVERLAYS.values()]),
    ]
    for each in OVERLAYS.values():
        picture = f"![{each.title}](../pictures/overlay-{each.name.replace('=', '-')}.png)"
        lines += [f"## {each.name}", "", WITHOUT_PICTURE.get(each.name, picture), ""]
    return "Overlays", lines


WITHOUT_PICTURE: Final = {
    "against": "It marks blocks once there is a second source: [Compare two servers](../howto/compare-servers.md).",
    "found": "It marks what the panel Find has found: [Find blocks](../howto/find-blocks.md).",
    "tracks": "It marks entities, if the server sends any: [Entities](../howto/entities.md).",
}
"""Overlays that mark nothing in the world of the pictures."""


def settings() -> tuple[str, list[str]]:
    rows = []
    for row in SETTINGS:
        default = json.dumps(list(row.default) if isinstance(row.default, tuple) else row.default)
        option = f", `{row.option}`" if row.option else ""
        rows.append((f"`{row.table}.{row.key}`", f"`{default}`", row.means, f"`{row.variable}`{option}"))
    return "Settings of the window", [
        "The window reads its settings from one TOML file. `chunkscope config` shows where the file is, every value,",
        "and where each value comes from. The first start writes the file with all settings as comments.",
        "A variable of the environment wins over the file, an option of the command line wins over both.",
        "`chunkscope config --set camera.fov=90` changes one setting. `[keys]` binds [keys](keys.md).",
        "`shot`, `film` and `test` read no settings.",
        "",
        *table(("setting", "default", "meaning", "variable, option"), rows),
    ]


# ---------------------------------------------------------------- states, codes, arrays

MEANINGS: Final[Mapping[SubChunkState, tuple[str, str]]] = {
    SubChunkState.UNKNOWN: (
        "not requested, because it is hidden from the player; `why` says *column not sent* if its column did not come",
        "nobody's",
    ),
    SubChunkState.KNOWN_AIR: ("air above the limit of the column's announcement; never requested", "nobody's"),
    SubChunkState.WANTED: ("will be requested", "nobody's"),
    SubChunkState.REQUESTED: ("requested, no answer yet", "the server's or the network's, if it lasts for seconds"),
    SubChunkState.DATA: ("the server sent blocks", "nobody's"),
    SubChunkState.ALL_AIR: ("the server answered: all air", "nobody's"),
    SubChunkState.REFUSED: (
        "the server refused it (code 3, 5 or an unknown one), or answered six times with code 0 or 2",
        "the server's",
    ),
    SubChunkState.UNDECODABLE: (
        "the bytes of the answer are invalid; packet, field and offset are reported",
        "the server's",
    ),
    SubChunkState.RESET: ("announced again; the older blocks are shown until the new answer comes", "nobody's"),
    SubChunkState.EVICTED: ("dropped to save memory; may be requested again", "nobody's"),
    SubChunkState.OUTSIDE: ("not in this dimension", "nobody's"),
}
PAINTED: Final = (
    (FAILED, "making the mesh failed: a fault of chunkscope, please report it"),
    (UNMESHED, "the data arrived; its mesh is not built yet"),
    (UNLIT, "the data arrived; its light is not computed yet"),
    (UNKNOWN_BLOCKS, "blocks arrived whose ids are not in the palette of the protocol"),
    (CONTRADICTED, "the height map contradicts the blocks, or the air, that came with it"),
    (UNSENT, "the server skipped the whole chunk column, although its neighbours were sent"),
)


def states() -> tuple[str, list[str]]:
    """The states of sub-chunks and of their render cells."""
    rows = [
        (str(int(each)), f"`{each.name.lower()}`", STYLES[each].label if each in STYLES else "", *MEANINGS[each])
        for each in SubChunkState
    ]
    return "States", [
        "Every sub-chunk is in one state. The overlay `states=all` (F6 twice) shows it, `chunkscope why` explains it,",
        "and the array `known` of a [dump](arrays.md) holds its number. The result codes of answers are explained in",
        "[How sub-chunk requests work](../explain/sub-chunk-requests.md#what-the-server-answers).",
        "What the first words of `why` mean: [Missing chunks](../howto/missing-chunks.md).",
        "",
        *table(("number", "state", "legend", "meaning", "whose problem"), rows),
        "A sub-chunk is *late* if it is missing, at least one request for it was not answered in time, and no answer",
        "for it came since. `why`, `health` and the overlay `states` use the same rule;",
        "[Missing chunks](../howto/missing-chunks.md#when-is-a-request-repeated) has the times.",
        "",
        "A sub-chunk whose block ids are not in the palette is `data`, too. `why` begins with *Unknown blocks*, and",
        "`health` lists it as *unknown block*: the problem is the server's. It is drawn as hatched purple cubes.",
        "",
        "The overlay `states` has six more kinds of boxes: for received blocks that are not in the picture or",
        "wrong, and for missing columns. Received blocks with several of these have the first in this order:",
        "",
        *table(("legend", "meaning"), [(style.label, text) for style, text in PAINTED]),
        "A sub-chunk whose blocks are not known is a *placeholder*: it is not drawn, but it stops light, sight",
        "and movement.",
        "",
        "## How a sub-chunk changes its state",
        "",
        "The usual way: the server announces the column (`unknown`). chunkscope decides to request the sub-chunk",
        "(`wanted`), and sends the request (`requested`). The answer brings blocks (`data`) or says that all is air",
        "(`all_air`). What lies above the limit of the announcement is `known_air` at once. The ways that go wrong:",
        "the answer is an error code (`refused`), or its bytes are invalid (`undecodable`). Later, the server may",
        "announce the column again (`reset`: the older blocks stay in the picture until the new answer comes), and",
        "chunkscope may drop blocks far from the player to save memory (`evicted`).",
        "",
        "All changes that are possible:",
        "",
        life_of_subchunks(),
        "",
        "## How a render cell changes",
        "",
        "A render cell is what one mesh shows: two sub-chunks above each other, 16 x 16 blocks wide and 32 high.",
        "",
        "The usual way: blocks arrive (`dirty`: a mesh must be made), a worker has made the mesh (`ready`), and the",
        "GPU has it (`shown`). If there is nothing to draw, the cell is `empty`. If its blocks change later, the older",
        "mesh stays in the picture (`stale`) until the new one is there. If a mesh cannot be made, the cell is",
        "`failed`: a fault of chunkscope.",
        "",
        life_of_cells(),
    ]


CODES: Final = {
    "DONE": "done",
    "CHECK_FAILED": "a check failed: `test` found a difference, `doctor` a fault, `health` a problem, `join` a "
    "missing or wrong step, `diff` a difference; `find` or `packets` found nothing",
    "WRONG_USAGE": "wrong usage: an unknown option, a wrong value. `test`: a scene file cannot be read, and nothing "
    "else failed",
    "SOURCE_FAILED": "the source is absent, refuses, or speaks another version",
    "INCOMPLETE": "something had not arrived after `--timeout` seconds: the result is written, and the command lists "
    "what is missing. `diff`: nothing differs, but a part is unknown",
    "NO_GPU": "no usable OpenGL, or no display",
    "UNREADABLE_FILE": "a file to be read does not exist, or a file cannot be read or written",
    "INTERRUPTED": "interrupted by Ctrl+C",
}


def exit_codes() -> tuple[str, list[str]]:
    found = {name: value for name, value in vars(client.errors).items() if name.isupper() and isinstance(value, int)}
    if found.keys() != CODES.keys():
        raise SystemExit(f"exit codes without a text, or texts without a code: {sorted(found.keys() ^ CODES.keys())}")
    rows = [(str(value), CODES[name]) for name, value in found.items()]
    return "Exit codes", [
        "All commands use the same codes. The reason is one sentence on stderr.",
        "",
        *table(("code", "meaning"), rows),
    ]


DUMPS: Final = {
    "blocks": ("uint32", "x, z, y", "row of `names`, `states` and `runtime_ids`"),
    "layer1": ("uint32", "x, z, y", "the second layer (water in blocks), as `blocks`"),
    "light": ("uint16", "x, z, y", "red + green * 16 + blue * 256 + daylight * 4096, each 0 to 15"),
    "lit": ("uint8", "x, z, y", "1: the light is final: no missing sub-chunk can change it"),
    "biomes": ("uint16", "x, z, y", "number of the biome, 65535 where it is unknown; names in `biome_names`"),
    "known": ("uint8", "x, z, y", "number of the [state](states.md), names in `known_names`"),
    "height": ("int16", "x, z", "one above the top block that dims light; -32768: unknown"),
    "verdict": ("uint8", "x, z, y", "whether the last height map fits its blocks; names in `verdict_names`"),
    "refusal": ("uint8", "x, z, y", "last result code that was a failure; 0: none"),
    "since": ("float32", "x, z, y", "seconds from the session's start to the last change of state; NaN: never"),
    "small_values": ("uint8", "x, z, y", "the byte a block of old sub-chunk versions"),
    "layers": ("uint32", "n, x, z, y", "third to sixth layer, as many as the box has, as `blocks`"),
}
SHOTS: Final = {
    "colour": ("uint8", "row, column, 4", "red, green, blue, alpha", "the sky"),
    "depth": ("float32", "row, column", "blocks from the eye along the look, not along the ray", "inf"),
    "block": (
        "uint32",
        "row, column",
        "row of `names`, `states` (JSON) and `runtime_ids`, as the mesh has it",
        "4294967295",
    ),
    "face": ("uint8", "row, column", "0 to 5: -x, +x, -z, +z, -y, +y; 6: a face of a model", "255"),
    "light": ("uint16", "row, column", "light before the face, packed as above", "0"),
    "state": ("uint8", "row, column", "[state](states.md) of the sub-chunk; names in `state_names`", "255"),
    "cell": ("int32", "row, column, 3", "x, y, z of the block", "-2147483648"),
    "mirror": ("uint32", "row, column", "as `block`, of what the GPU holds at `cell`", "4294967295"),
    "entity": (
        "uint32",
        "row, column",
        "number of the entity in the session, with `--entities`; where one is, there is neither block nor face, and "
        "light, state and cell are of the block that its middle is in",
        "4294967295",
    ),
}


BOXES: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "world.blocks(box)": (
        "uint16",
        "x, z, y",
        "id of this world; `block_names` and `block_states` by id",
        "`unknown_id`",
    ),
    "world.blocks(box, layer=1)": ("uint16", "x, z, y", "the second layer (water in blocks), likewise", "`unknown_id`"),
    "world.light(box).red": ("uint8", "x, z, y", "0 to 15; also `green`, `blue` and `daylight`", "0"),
    "world.light(box).lit": ("bool", "x, z, y", "true: the light is final", "false"),
    "world.biomes(box)": ("uint16", "x, z, y", "number of the biome; `biome_name(number)`", "65535"),
    "world.find(name)": ("int32", "row, 3", "x, y, z of each block of that name", "left out"),
}


def arrays() -> tuple[str, list[str]]:
    """All arrays of dumps and shots, with their axes."""
    if tuple(DUMPS) != options.ARRAYS or tuple(SHOTS) != CHANNELS:
        raise SystemExit("an array without a text, or texts in another order")
    rows = [
        (f"`{n}`", d, a, "yes" if n in options.USUAL_ARRAYS else f"`--what {n}`", t) for n, (d, a, t) in DUMPS.items()
    ]
    seen, read = ([(f"`{name}`", *row) for name, row in each.items()] for each in (SHOTS, BOXES))
    return "Arrays", [
        "NumPy reads the files with `numpy.load(FILE)`; nothing in them needs pickles.",
        "",
        "## Order of axes",
        "",
        "y is the height. Positions and corners of boxes are always written **x, y, z**, as in the game. The axes of",
        "arrays of blocks are **x, z, y**, as in the bytes of a sub-chunk: index `[i, j, k]` is the block at",
        "`(X0 + i, Y0 + k, Z0 + j)` of a box `X0,Y0,Z0,X1,Y1,Z1`. The second corner does not belong to the box.",
        "",
        "## chunkscope dump",
        "",
        *table(("array", "dtype", "axes", "in the file", "value"), rows),
        "`box`, `protocol` and `dimension` are always in the file. Blocks above and below the world are air without",
        "light. Unknown blocks are a placeholder in `blocks`: look at `known` before you count.",
        "",
        "`names`, `states` and `runtime_ids` have one row for each block state of this box: its name with",
        "`minecraft:` (which `chunkscope find` lets you leave out), its properties alone as JSON, and its id in the",
        "protocol. So the same number means different blocks in two files. Compare names, not numbers:",
        "",
        "```python",
        "import numpy as np",
        "",
        'dump = np.load("box.npz")',
        'blocks = dump["names"][dump["blocks"]]  # a name for each block, axes x, z, y',
        'print((blocks == "minecraft:stone").sum())',
        "```",
        "",
        "Names depend on the version: `minecraft:grass` of 1.18.10 is `minecraft:grass_block` today. This lists the",
        'names of a file: `print(set(dump["names"]))`.',
        "",
        "## Python: boxes of a world",
        "",
        "`world` is the result of `chunkscope.connect(...)` ([Python](python.md)). A box is a tuple",
        "`(X0, Y0, Z0, X1, Y1, Z1)`.",
        "",
        *table(("array", "dtype", "axes", "value", "nothing known"), read),
        "## chunkscope shot --out FILE.npz",
        "",
        "Row 0 is the top of the picture, column 0 its left. Without `--channel` all arrays are written.",
        "",
        *table(("array", "dtype", "axes", "value", "nothing there"), seen),
        "`view` (float64, 6) holds the eye's x, y, z in blocks, then yaw, pitch and vertical field of view in degrees.",
    ]


# ---------------------------------------------------------------- Python


FIRST_MEMBERS: Final = (
    ("Wait", ("wait_settled", "request", "states", "missing")),
    ("Read boxes as arrays", ("blocks", "light", "biomes", "find")),
    ("What ids mean", ("ids", "block_names", "block_states", "unknown_id", "ids_in", "biome_name")),
    ("One block", ("block",)),
)
"""Members of a world by purpose; the others follow."""
PACKAGES: Final = ("client", "net", "render")
SECTIONS: Final = ("Args", "Returns", "Raises", "Example")


def python() -> tuple[str, list[str]]:
    """The public API of ``chunkscope``, from its signatures and docstrings."""
    lines = [*_text(chunkscope), "How to use it: [Read a world in Python](../howto/python.md).", ""]
    lines += ["Its errors are `ConnectError` and, below it, `SourceError`, `UsageError` and `UnreadableFile`.", ""]
    functions = {name: each for name in chunkscope.__all__ if inspect.isfunction(each := getattr(chunkscope, name))}
    for name, function in functions.items():
        lines += _entry("##", f"chunkscope.{name}", f"{name}{_signature(function)}", function)
    members = {name: each for name, each in vars(Connection).items() if _documented(name, each)}
    groups = [*FIRST_MEMBERS, ("More", tuple(set(members).difference(*(names for _, names in FIRST_MEMBERS))))]
    for title, names in groups:
        lines += [f"## A world: {title[0].lower()}{title[1:]}", ""]
        for name in names if title != "More" else [each for each in members if each in names]:
            target = members[name].fget if isinstance(members[name], property) else members[name]
            shape = name if isinstance(members[name], property) else f"{name}{_signature(target)}"
            lines += _entry("###", name, shape, target)
    lines += ["## Values", "", "The types of arguments and results.", ""]
    for name in chunkscope.__all__:
        kind = getattr(chunkscope, name)
        if inspect.isclass(kind) and kind is not Connection and not issubclass(kind, Exception):
            lines += [f"### {name}", "", *_text(kind), *_fields(kind)]
    return "Python", lines


def _documented(name: str, member: object) -> bool:
    target = member.fget if isinstance(member, property) else member
    return not name.startswith("_") and callable(target) and bool(inspect.getdoc(target))


def _entry(level: str, title: str, shape: str, function: Callable[..., object]) -> list[str]:
    return [f"{level} {title}", "", "```python", shape, "```", "", *_text(function)]


def _signature(function: Callable[..., object]) -> str:
    text = str(inspect.signature(function)).replace("(self, ", "(").replace("(self)", "()").replace("'", "")
    text = re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z])", "", text)  # names of types without their modules
    return re.sub(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]", r"NDArray[\1]", text)


def _text(documented: object) -> list[str]:
    """A docstring as Markdown: its sections as lists, its examples as code."""
    lines: list[str] = []
    for block in (inspect.getdoc(documented) or "").split("\n\n"):
        head, _, rest = block.partition(":\n")
        text = textwrap.dedent(rest if head in SECTIONS else block)
        if text.startswith(">>>"):
            lines += ["```pycon", *text.splitlines(), "```", ""]
        elif head in SECTIONS:
            items = re.sub(r"\n +", " ", _marked(text)).splitlines()
            lines += [f"{head}:", "", *("- " + re.sub(r"^(\*{0,2}\w+): ", r"`\1`: ", item) for item in items), ""]
        else:
            lines += [" ".join(_marked(text).split()), ""]
    return lines


def _marked(text: str) -> str:
    return text.replace("``", "`")


def _fields(kind: type) -> list[str]:
    """The fields of a class as in its source, with their comments."""
    code = ""
    for part in reversed(kind.__mro__):
        source = textwrap.dedent(inspect.getsource(part)) if part.__module__.split(".")[0] in PACKAGES else "pass"
        tree = ast.parse(source).body[0]
        fields = [node for node in getattr(tree, "body", []) if isinstance(node, ast.AnnAssign | ast.Assign)]
        if isinstance(tree, ast.ClassDef) and fields:
            lines = source.splitlines()[tree.body[0].end_lineno : fields[-1].end_lineno]  # behind the docstring
            code += textwrap.dedent("\n".join(lines)).strip() + "\n"
    return ["```python", *code.splitlines(), "```", ""] if code else []


# ---------------------------------------------------------------- JSON

JSON: Final[Mapping[str, tuple[str, Sequence[type]]]] = {
    "health": ("one object", (HealthReport,)),
    "join": ("one object", (JoinReport,)),
    "why": ("one object", (WhyReport,)),
    "find": ("one object", (FindReport,)),
    "diff": ("one object", (DiffReport,)),
    "packets": (
        "an object with `recording` (text), `packets` (a list of *PacketRow*; with `--waterfall` instead `requests`, a "
        "list of *RequestRow*) and `summary` (*PacketsReport*)",
        (PacketRow, RequestRow, PacketsReport),
    ),
    "ping": (
        "an object with the fields of *Pong*, except `sent_ms`, and `latency_ms` (number) and `transport` (text)",
        (Pong,),
    ),
    "scan": ("a list of *Sighting*; each also has `source` (text), which other commands take", (Sighting,)),
    "dump": ("one object", (DumpReport,)),
    "record": ("one object", (RecordReport,)),
    "shot": ("one object", (PictureReport,)),
    "film": ("one object", (FilmReport,)),
    "doctor": (
        "a list of *CheckResult*; with `--pack` one *PackReport*; with `--mirror` a list of objects with `when` (text: "
        "before or after which change), `ok` (true or false), `subchunks`, `bricks`, `left_out`, `cells` and `wrong` "
        "(numbers: compared sub-chunks and bricks, those that did not fit, compared values, sub-chunks that differ), "
        "`differences` (list of text: the first ones)",
        (CheckResult, PackReport),
    ),
    "config": (
        "an object with `path` (text: the file), `settings` (object: for each name of a setting an object with its "
        "`value` and `from`, which is default, file or environment) and `troubles` (list of text: what is wrong in the "
        "file)",
        (),
    ),
    "serve": (
        "one object a line. The first says that the server listens: `port`, `address`, `world`, `dimensions` (list of "
        "number), `protocol` (the newest that clients may speak), `protocols` (list: the oldest and the newest), "
        "`profile`, `mode`, `ids`, `transport` and `discovery_port`. Each later one has one key: `answer` (text: to a "
        "command that was typed), `saved` (number: the tick that is on disk), `lost` (text: what of a saved world "
        "cannot be read) or `warning` (text)",
        (),
    ),
    "bench stream": (
        "an object with `by_sight` (*StreamReport*: requesting what can be seen), `baseline` (*StreamReport*: "
        "requesting everything, or null) and `requested_share` (number or null: sub-chunks requested by sight for each "
        "one of the baseline)",
        (StreamReport,),
    ),
    "bench start": (
        "a list with an object for each program: `program` (shot or view), `source`, `radius`, `picture_s` (seconds to "
        "the picture), `used_s` (processor time), `moments` (list of lists: what was reached, seconds), `rows` (list "
        "of *StageTime*) and `path` (list of lists: what the picture waited for, seconds)",
        (StageTime,),
    ),
    "bench frame": ("a list with a *FrameReport* for each radius", (FrameReport,)),
}
"""What each command prints with ``--json``, and the types of it that come first."""
PLAIN: Final = {str: "text", int: "number", float: "number", bool: "true or false", type(None): "null", Path: "text"}


def json_output() -> tuple[str, list[str]]:
    """The fields of what commands print with ``--json``, from the types that they print."""
    lines = [
        "`--json` prints JSON on stdout instead of text; the exit code is the same. A field that ends in `_s` holds",
        "seconds; times count from the start of the session. A position is a list: x, y, z, or x, z of a chunk column.",
        "",
    ]
    described: dict[type, str] = {}
    for command, (what, roots) in JSON.items():
        lines += [f"## {command}", "", f"`chunkscope {command} --json` prints {what}.", ""]
        for kind in _with_parts(roots):
            if kind in described:
                lines += [f"*{kind.__name__}*: as of [{described[kind]}](#{described[kind].replace(' ', '-')}).", ""]
                continue
            described[kind] = command
            hints = get_type_hints(kind)
            rows = [(f"`{name}`", _json_type(hints[name]), meaning) for name, meaning in field_meanings(kind)]
            lines += [f"### {kind.__name__}", "", *_text(kind)[:2], *table(("field", "value", "meaning"), rows)]
    return "JSON", lines


def _with_parts(kinds: Sequence[type]) -> list[type]:
    """These types and those of their fields that have fields of their own, each once."""
    found: list[type] = []
    open_ = list(kinds)
    while open_:
        kind = open_.pop(0)
        if kind not in found:
            found.append(kind)
            open_ += [part for hint in get_type_hints(kind).values() for part in _structs(hint)]
    return found


def _structs(hint: Any) -> list[type]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct) and hint is not Statistics:
        return [hint]
    return [part for argument in get_args(hint) for part in _structs(argument)]


def _json_type(hint: Any) -> str:
    if hint in PLAIN:
        return PLAIN[hint]
    if hint is Statistics:
        return "object, as `world.statistics()` in [Python](python.md)"
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return f"*{hint.__name__}*"
    if isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields"):
        return f"list: {', '.join(hint._fields)}"
    arguments = [each for each in get_args(hint) if each is not Ellipsis]
    if get_origin(hint) is tuple:
        kinds = list(map(_json_type, arguments))
        return f"list of {kinds[0]}" if len(get_args(hint)) > len(arguments) else f"list: {', '.join(kinds)}"
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_json_type, arguments)))
    return "text" if get_origin(hint) is Literal else "object"


def field_meanings(kind: type) -> list[tuple[str, str]]:
    """Names of a class's fields, each with the comment behind or above it."""
    lines = textwrap.dedent(inspect.getsource(kind)).splitlines()
    found = []
    for node in getattr(ast.parse("\n".join(lines)).body[0], "body", []):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        beside = lines[(node.end_lineno or node.lineno) - 1].partition("  # ")[2]
        above: list[str] = []
        while lines[node.lineno - 2 - len(above)].strip().startswith("# "):
            above.insert(0, lines[node.lineno - 2 - len(above)].strip()[2:])
        meaning = _marked(" ".join([*above, beside]).strip())
        found.append((node.target.id, re.sub(r"\bNone\b", "`null`", meaning)))
    return found


PAGES: Final[Mapping[str, Callable[[], tuple[str, list[str]]]]] = {
    "cli.md": cli,
    "keys.md": keys,
    "overlays.md": overlays,
    "settings.md": settings,
    "states.md": states,
    "exit-codes.md": exit_codes,
    "arrays.md": arrays,
    "python.md": python,
    "json.md": json_output,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
