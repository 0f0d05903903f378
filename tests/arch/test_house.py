"""What keeps the house in order: one meaning a class name, maps that are true, one owner a state, the field's words.

What breaks a rule today is counted in ``house.toml`` beside this file, module by module. A count may only fall. After a
clean-up ``python tests/arch/test_house.py`` writes the lower counts and strikes what is gone; it never raises one.
"""

import ast
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALLOWED = Path(__file__).with_name("house.toml")
PACKAGES = ("assets", "client", "net", "render", "shaders")
# A word that stays out of identifiers, and what says it. ``heard`` of a chat and words within longer ones do not count.
BANNED = {
    "told": "format_, text or report",
    "tell": "report, send or log",
    "hear": "receive or handle",
    "say": "send",
    "obey": "run",
    "fit": "resize or ensure",
    "note": "record",
    "deed": "command",
    "deeds": "commands",
    "fittings": "window state",
    "stay": "world session",
    "gate": "world switcher",
    "lobby": "connect dialog",
    "vistas": "request visibility",
    "foresight": "movement prediction",
    "holdings": "store state",
    "knowledge": "sub-chunk state",
    "patience": "timeouts",
    "presumed": "expected",
    "footholds": "checkpoints",
    "scribe": "recorder",
    "realm": "dimension",
    "realms": "dimensions",
    "troubles": "warnings or fault events",
    "wish": "request",
    "wishes": "requests",
    "lacks": "pending work",
    "room": "component, or capacity",
    "rooms": "components",
    "strokes": "drawing",
}
FOLDED = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
MAP_LINE = re.compile(r"^ *((?:\w+/?)(?:, \w+/?)*)(?: {2,}\S|$)")


@cache
def trees() -> list[tuple[str, ast.Module]]:
    """The product's modules by their paths."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [(path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def class_names() -> dict[str, list[str]]:
    """Names of classes that several modules define, with the modules."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def forwards(method: ast.FunctionDef) -> bool:
    """Whether a method only asks an attribute of an attribute of self, with what it was given."""
    body = [n for n in method.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    value = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return | ast.Expr) else None
    if isinstance(value, ast.Call):
        given = [*value.args, *(keyword.value for keyword in value.keywords)]
        if not all(isinstance(each, ast.Name | ast.Starred) for each in given):
            return False
        value = value.func
    depth = 0
    while isinstance(value, ast.Attribute):
        value, depth = value.value, depth + 1
    return isinstance(value, ast.Name) and value.id == "self" and depth >= 2


def forwarding_classes(tree: ast.Module) -> int:
    """Classes of which more than half of the methods forward; one method alone is no façade."""
    found = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            methods = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name != "__init__"]
            found += len(methods) > 1 and 2 * sum(map(forwards, methods)) > len(methods)
    return found


def foreign_writes(tree: ast.Module) -> int:
    """Assignments to an attribute of an attribute: of a state that another object owns."""
    targets: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets.append(node.target)
    flat = [n for t in targets for n in (t.elts if isinstance(t, ast.Tuple | ast.List) else [t])]
    return sum(isinstance(n, ast.Attribute) and isinstance(n.value, ast.Attribute) for n in flat)


def defined(tree: ast.Module) -> Iterator[str]:
    """Identifiers that a module makes up: of classes, functions, parameters, variables and attributes of self."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def banned_words(tree: ast.Module) -> int:
    """Identifiers of a module that hold a banned word."""
    return sum(any(word.lower() in BANNED for word in FOLDED.findall(name)) for name in set(defined(tree)))


RULES = {
    "forwarding_classes": (forwarding_classes, "a class that mostly forwards does not exist: let callers ask the part"),
    "foreign_writes": (foreign_writes, "a state has one owner: give it a method, or make a queue"),
    "banned_words": (banned_words, "the glossary has another word, see BANNED"),
}


def counts(rule: str) -> Counter[str]:
    """How often each module breaks a rule."""
    return +Counter({path: RULES[rule][0](tree) for path, tree in trees()})


def allowed() -> dict[str, Mapping[str, int]]:
    """What may break the rules today."""
    return tomllib.loads(ALLOWED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("rule", RULES)
def test_no_module_breaks_a_rule_more_often_than_it_did(rule: str) -> None:
    before = allowed().get(rule, {})
    worse = {path: (count, before.get(path, 0)) for path, count in counts(rule).items() if count > before.get(path, 0)}
    assert not worse, f"{RULES[rule][1]} (found, allowed): {worse}"


def test_a_class_name_means_one_thing() -> None:
    several = {name: paths for name, paths in class_names().items() if name not in allowed()["class_names"]}
    assert not several


def packages() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("__init__.py"))]


def mapped(init: Path) -> set[str]:
    """The names in a package's map: the first words of its lines."""
    docstring = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8")), clean=False) or ""
    lines = [m[1] for m in map(MAP_LINE.match, docstring.splitlines()) if m]
    return {name.rstrip("/") for line in lines for name in line.split(", ")}


@pytest.mark.parametrize("init", packages(), ids=lambda path: path.parent.relative_to(ROOT).as_posix())
def test_a_package_names_what_is_in_its_folder(init: Path) -> None:
    here = {path.stem for path in init.parent.glob("*.py")} | {
        path.parent.name for path in init.parent.glob("*/__init__.py")
    }
    here -= {"__init__", "__main__"}
    assert here <= mapped(init) | ({"shaders"} if init.parent.name == "shaders" else set())


@pytest.mark.parametrize("init", packages(), ids=lambda path: path.parent.relative_to(ROOT).as_posix())
def test_a_package_names_nothing_that_is_gone(init: Path) -> None:
    indent = re.compile(r"^( *)[a-z_0-9]+/?  +\S")
    lines = (ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or "").splitlines()
    named = {line.split()[0].rstrip("/") for line in lines if indent.match(line)}
    there = {path.stem for path in init.parent.iterdir()} | {init.parent.name}
    assert named <= there


def test_identifiers_are_cut_into_words() -> None:
    assert FOLDED.findall("_told_of") == ["told", "of"]
    assert FOLDED.findall("PanelRoom") == ["Panel", "Room"]
    assert banned_words(ast.parse("class OverlayRoom:\n    def notes(self, told): self._headroom = 1")) == 2


def main(first: bool) -> None:
    """Writes the counts of today where they are lower; all of them the first time."""
    before = {} if first else allowed()
    text = "# What breaks a rule of the house today; see test_house.py. Counts only fall.\n\n[class_names]\n"
    reasons = {**dict.fromkeys(class_names(), "to be renamed"), **before.get("class_names", {})}
    text += "".join(
        f'{name} = "{reasons[name]}"\n' for name in sorted(class_names()) if first or name in before["class_names"]
    )
    for rule in RULES:
        text += f"\n[{rule}]\n"
        for path, count in sorted(counts(rule).items()):
            fewer = count if first else min(count, before[rule].get(path, 0))
            text += f'"{path}" = {fewer}\n' if fewer else ""
    ALLOWED.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main("--first" in sys.argv)
