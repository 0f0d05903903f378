"""Every sentence that the program can say, in one list that a person reads: a changed sentence is a changed line."""

import difflib
import re
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Final

ROOT: Final = Path(__file__).parents[2]

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


def _sentences() -> ModuleType:
    spec = util.spec_from_file_location("docs_sentences", ROOT / "docs" / "sentences.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_changed_sentence_is_a_changed_line_of_the_list() -> None:
    sentences = _sentences()
    kept, now = sentences.LIST.read_text(encoding="utf-8"), sentences.listing()
    changed = "\n".join(difflib.unified_diff(kept.splitlines(), now.splitlines(), "the list", "the source", n=0))
    assert not changed, f"{changed}\nRead the new sentences as a user would, then run {sentences.COMMAND}"


def test_no_sentence_has_a_banned_pattern() -> None:
    lines = [line.strip() for line in _sentences().LIST.read_text(encoding="utf-8").splitlines() if line[:1] == " "]
    assert len(lines) > 2000
    found = [f"{line}  ({pattern})" for line in lines for pattern in BANNED if re.search(pattern, line)]
    assert not found, "\n".join(found)
