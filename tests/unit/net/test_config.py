"""Messages name the line; the forms of fault scripts and scenes have tests of their own."""

from collections.abc import Callable
from typing import Any

import pytest

from net.config import TomlTables, WrongValue


class Mistake(Exception):
    pass


def whole(value: Any) -> int:
    if not isinstance(value, int):
        raise WrongValue("a whole number")
    return value


FORM = {"size": whole, "rows": lambda value: value}


def tables(text: str) -> TomlTables:
    return TomlTables("a.toml", text, Mistake, "note")


@pytest.mark.parametrize(
    ("text", "read", "message"),
    [
        ("[box]\nsise = 1\n", lambda file: file.table("box", FORM), "a.toml, line 2: there is no 'sise' in [box]; did"),
        # a row of an array stands alone in its line: no table is opened by it
        (
            "[box]\nrows = [\n  [1, 2],\n  [3]\n]\nsize = 'x'\n",
            lambda file: file.table("box", FORM),
            "a.toml, line 6: 'size' in [box] is 'x'; it must be a whole number.",
        ),
        (
            "[[box]]  # one\nsize = 1\n[[ box ]]\nrows = 1\n",
            lambda file: file.rows("box", FORM, ("size",)),
            "a.toml, line 3: [box] needs 'size'.",
        ),
        ("[a.b]\nsize = 'x'\n", lambda file: file.table("a.b", FORM), "a.toml, line 2: 'size' in [a.b] is 'x'"),
        ("[a]\nb = 3\n", lambda file: file.table("a.b", FORM), "'a.b' must be a table, [a.b]."),
        ("box = 1\n", lambda file: file.rows("box", FORM), "a.toml, line 1: 'box' must be written as [[box]]."),
        ("[[box]\n", lambda file: file, "a.toml is no TOML: "),
        ("x = " + "[" * 5000 + "]" * 5000, lambda file: file, "a.toml is nested deeper than any note is."),
    ],
)
def test_a_mistake_is_told_by_line_and_key(text: str, read: Callable[[TomlTables], object], message: str) -> None:
    with pytest.raises(Mistake) as caught:
        read(tables(text))
    assert message in str(caught.value)


def test_what_is_not_said_is_left_out() -> None:
    file = tables("size = 2\n[[box]]\nsize = 1\n")
    assert file.root(FORM, ("box",)) == {"size": 2}
    assert file.rows("box", FORM) == [{"size": 1}]
    assert file.table("none", FORM, ("size",)) == {}
    assert file.table("no.ne", FORM) == {}


def test_a_told_mistake_costs_its_own_key_alone() -> None:
    file = tables("sise = 1\nsize = 2\n[box]\nsize = 'x'\nrows = 5\n[bx]\n[row]\n")
    told: list[str] = []
    assert file.read_root(FORM, ("box", "row"), lambda error: told.append(str(error))) == {"size": 2}
    assert file.read_table("box", FORM, lambda error: told.append(str(error))) == {"rows": 5}
    assert file.read_table("none", FORM, lambda error: told.append(str(error))) == {}
    assert told == [
        "a.toml, line 1: there is no 'sise'; did you mean 'size'?",
        "a.toml, line 6: there is no 'bx'; did you mean 'box'?",
        "a.toml, line 4: 'size' in [box] is 'x'; it must be a whole number.",
    ]
