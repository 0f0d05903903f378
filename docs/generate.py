"""Writes the parts of reference pages that follow from the program: ``python docs/generate.py``.

A part stands between ``<!-- docs/generate.py writes NAME ... -->`` and ``<!-- end -->``; people write the rest of a
page. The pages are kept in git, so that they can be read there. ``tests/arch/test_docs.py`` fails while a part is not
current, and compares the tables that people write with what the program has.
"""

import ast
import inspect
import json
import pkgutil
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import typer

import chunkscope
from client.connection.connection import Connection
from client.connection.stats import Statistics
from client.world.lifecycle import diagram as life_of_subchunks
from render.cli import app
from render.scene.cells import diagram as life_of_cells
from render.settings.actions import Action, ActionGroup, actions_of
from render.settings.keys import PRESETS, keys_of, shown
from render.settings.overlays import OVERLAYS
from render.settings.schema import SETTINGS

REFERENCE: Final = Path(__file__).parent / "reference"
PART: Final = re.compile(r"(<!-- docs/generate\.py writes (\w+)(.*?) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def main() -> None:
    """Writes the pages that are not current."""
    for path, text in pages():
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"{path.name} has changed")


def pages() -> Iterator[tuple[Path, str]]:
    """Every page with parts that are written here, and its text."""
    for path in sorted(REFERENCE.glob("*.md")):
        if PART.search(page := path.read_text(encoding="utf-8")):
            yield path, filled(page)


def filled(page: str) -> str:
    parts: dict[str, Callable[..., list[str]]] = {**PARTS, "fields": partial(fields, set())}
    return PART.sub(lambda part: "\n".join((part[1], *parts[part[2]](*part[3].split()))).rstrip() + "\n\n", page)


def table(head: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return [*lines, *(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows), ""]


# ---------------------------------------------------------------- command line


def cli() -> list[str]:
    """All commands, from the command line itself."""
    lines: list[str] = []
    root: Any = typer.main.get_command(app)  # Any: Typer's copy of click has no types of its own
    for name, command in _commands(root, ""):
        lines += [f"## chunkscope {name}", "", _plain(command.help), "", "```text", _usage(name, command), "```", ""]
        rows = [
            _parameter(each) for each in command.params if each.name != "help" and not getattr(each, "hidden", False)
        ]
        lines += table(("argument or option", "default", "meaning"), rows) if rows else []
        if command.epilog:
            lines += [_example(command.epilog), ""]
    return lines


def _commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def _usage(name: str, command: Any) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    optional = [_metavar(each) if each.required else f"[{_metavar(each)}]" for each in arguments]
    return " ".join(("chunkscope", name, *optional, "[OPTIONS]"))


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


def keys() -> list[str]:
    """All actions with their keys, preset by preset."""
    lines: list[str] = []
    for group in ActionGroup:
        lines += [f"## {group.value}", ""]
        rows = [
            (f"`{each.value}`", each.means, *(_keys_of(preset, each) for preset in PRESETS))
            for each in actions_of(group)
        ]
        lines += table(("name", "meaning", *PRESETS), rows)
    return lines


def _keys_of(preset: str, action: Action) -> str:
    return ", ".join(f"`{shown(key)}`" if shown(key) != "`" else "`` ` ``" for key in keys_of(preset).get(action, ()))


def overlays() -> list[str]:
    """All overlays with their letters and pictures, which ``docs/pictures.py`` takes."""
    lines = table(
        ("overlay", "letter", "what it shows"), [(f"`{e.name}`", e.letter, e.title) for e in OVERLAYS.values()]
    )
    for each in OVERLAYS.values():
        picture = f"![{each.title}](../pictures/overlay-{each.name.replace('=', '-')}.png)"
        lines += [f"## {each.name}", "", WITHOUT_PICTURE.get(each.name, picture), ""]
    return lines


WITHOUT_PICTURE: Final = {
    "against": "It marks blocks once there is a second source: [Compare two servers](../howto/compare-servers.md).",
    "found": "It marks what the panel Find has found: [Find blocks](../howto/find-blocks.md).",
    "tracks": "It marks entities, if the server sends any: [Entities](../howto/entities.md).",
}
"""Overlays that mark nothing in the world of the pictures."""


def settings() -> list[str]:
    rows = []
    for row in SETTINGS:
        default = json.dumps(list(row.default) if isinstance(row.default, tuple) else row.default)
        option = f", `{row.option}`" if row.option else ""
        rows.append((f"`{row.table}.{row.key}`", f"`{default}`", row.means, f"`{row.variable}`{option}"))
    return table(("setting", "default", "meaning", "variable, option"), rows)


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


def python() -> list[str]:
    """The public API of ``chunkscope``, from its signatures and docstrings."""
    lines: list[str] = []
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
    return lines


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

PLAIN: Final = {str: "text", int: "number", float: "number", bool: "true or false", type(None): "null", Path: "text"}


def fields(described: set[type], *names: str) -> list[str]:
    """The fields of types that commands print with ``--json``, and of those in them, if the page has them not yet."""
    lines: list[str] = []
    for kind in _with_parts([pkgutil.resolve_name(name) for name in names]):
        if kind in described:
            lines += [f"*{kind.__name__}*: [above](#{kind.__name__.lower()}).", ""]
            continue
        described.add(kind)
        hints = get_type_hints(kind)
        rows = [(f"`{name}`", _json_type(hints[name]), meaning) for name, meaning in field_meanings(kind)]
        lines += [f"### {kind.__name__}", "", *_text(kind)[:2], *table(("field", "value", "meaning"), rows)]
    return lines


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


PARTS: Final[Mapping[str, Callable[..., list[str]]]] = {
    "cli": cli,
    "keys": keys,
    "overlays": overlays,
    "settings": settings,
    "subchunk_changes": lambda: [life_of_subchunks()],
    "cell_changes": lambda: [life_of_cells()],
    "introduction": lambda: _text(chunkscope),
    "python": python,
    "fields": fields,
}

if __name__ == "__main__":
    main()
