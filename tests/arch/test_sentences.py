"""Every sentence that the program can say, in one list that a person reads: a changed sentence is a changed line.

``python tests/arch/test_sentences.py`` writes the list, ``sentences.txt`` beside this file, anew.

A sentence here is a string of two words or more in the source of a package: help, errors, warnings, labels, captions,
reports. One that is put together from parts is listed part by part, and ``{}`` stands for a value. Left out are
docstrings and text that no user reads: SQL, shader and machine code, types, names of blocks, and the errors that only
a mistake of a programmer raises.
"""

import ast
import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
LIST: Final = Path(__file__).with_name("sentences.txt")
COMMAND: Final = "python tests/arch/test_sentences.py"

PACKAGES: Final = ("assets", "net", "client", "render", "shaders")
UNSPOKEN_FILES: Final = re.compile(r"_kernels\.py$|^net/kernels/(call_ir|checked|pipeline)\.py$|^shaders/")
UNSPOKEN_ERRORS: Final = frozenset(
    {"AssertionError", "AttributeError", "IndexError", "KeyError", "NotImplementedError", "RuntimeError", "TypeError"}
)
"""Raised for mistakes of a programmer: no user meets them."""

UNSPOKEN_CALLS: Final = frozenset({"cast", "TypeVar", "compile", "kernel", "execute", "Literal", "getenv", "encode"})
"""Functions and methods whose text is for machines."""

MACHINE_TEXT: Final = re.compile(
    r"^\s*(SELECT|INSERT|DELETE|UPDATE|PRAGMA|BEGIN|CREATE|COMMIT|HTTP/|#version|#define|void\(|u?int\w*\(|declare )"
    r"|^\s*(air bedrock |grid +#|[oacm]=[\w-]|candidate:|default-src |(dict|list|tuple|queue\.\w+)\[)"
    r"|^(tag|card|layer) (tag-|\{\}$)"
    r"|\[::1\]\)|^[\w ]+ DESC\b|function\(|^\s*(\.|#|@|\*)[\w-]+[^{]*\{\s*\w|^[a-z -]+\{[a-z-]+:"
)
TAG: Final = re.compile(r"<[^>]*>")
WORDS: Final = re.compile(r"[A-Za-z]{2,}['.,;:]? +(?:[A-Za-z]|\{\})|(?:\{\}[,;:]?|[a-zA-Z]) [a-z]{2}")


def listing() -> str:
    """The whole list: each module, and below it what it can say, each sentence once, in the order of the alphabet."""
    parts = []
    for path in sorted(
        [*ROOT.glob("*.py"), *(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))]
    ):
        name = path.relative_to(ROOT).as_posix()
        if UNSPOKEN_FILES.search(name):
            continue
        sentences = {line for _, text in texts(ast.parse(path.read_text(encoding="utf-8"))) for line in lines_of(text)}
        if sentences:
            parts.append("\n".join((name, *(f"    {line}" for line in sorted(sentences)))))
    return "\n".join(parts) + "\n"


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text that are sentences, without tags of HTML."""
    if MACHINE_TEXT.search(text):
        return
    for line in TAG.sub(" ", text).splitlines():
        if WORDS.search(line):
            yield " ".join(line.split())


def texts(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Every string that a user may read, with ``{}`` for each value in it."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and " " in node.value:
                yield node, node.value
        elif isinstance(node, ast.JoinedStr):
            yield node, "".join(_part(part) for part in node.values)
            waiting.extend(part.value for part in node.values if isinstance(part, ast.FormattedValue))
        elif not _unspoken(node):
            waiting.extend(ast.iter_child_nodes(node))


def _part(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "{}"


def _unspoken(node: ast.AST) -> bool:
    """Whether nothing below a node is for users: a docstring, words to split, an error of programmers."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Attribute(value=ast.Constant(), attr="split"):
            return True
        case ast.AnnAssign(annotation=ast.Constant()):
            return node.value is None
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name))):
            return name in UNSPOKEN_ERRORS
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in UNSPOKEN_CALLS
        case ast.arg() | ast.Assert():
            return isinstance(node, ast.Assert) or isinstance(node.annotation, ast.Constant)
    return False


BANNED: Final = (
    r"(?<![Tt]here )\b(is|are|was|were) no\b(?! longer| more than)",
    r"\b(is|are) none\b",
    r"\bthere is no '?\{\}",
    r"\bwhat (is|are|was|were|it|they|there|came|comes|follows|listens|lies|stands|can be|nobody|this|you)\b",
    r"\bwho (is|said|gives|loses|goes|wants)\b",
    r"\bone (may|can|drags|has to|wants)\b",
    r"\b(nobody|somebody|whoever|anew|amid|alike|wished|bears?|behold|meanwhile;)\b",
    r"\bas ever\b|\bat rest\b|\bto rest\b|\bat the latest\b|\bso (often|long|much) at\b|\bin the place of\b",
    r"\bmakes? no sense\b|\bmade no sense\b|\bnot spoken here\b|\blook-?outs?\b(?! \{\})|\bbe told\b|\bis told\b",
    r"\b(we|us|our own)\b",
)
"""Patterns of sentences that a reader does not understand at once; the field has a plain word for each."""


def test_a_changed_sentence_is_a_changed_line_of_the_list() -> None:
    kept, now = LIST.read_text(encoding="utf-8"), listing()
    changed = "\n".join(difflib.unified_diff(kept.splitlines(), now.splitlines(), "the list", "the source", n=0))
    assert not changed, f"{changed}\nRead the new sentences as a user would, then run {COMMAND}"


def test_no_sentence_has_a_banned_pattern() -> None:
    lines = [line.strip() for line in LIST.read_text(encoding="utf-8").splitlines() if line[:1] == " "]
    assert len(lines) > 2000
    found = [f"{line}  ({pattern})" for line in lines for pattern in BANNED if re.search(pattern, line)]
    assert not found, "\n".join(found)


if __name__ == "__main__":
    LIST.write_text(listing(), encoding="utf-8")
