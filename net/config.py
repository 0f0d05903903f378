"""TOML files written by users, read strictly; errors name file, line and key.

The module knows no file's meaning: fault scripts (``net.server``) and scenes (``render.capture``) define their forms.

1. An unknown key is an error that names the nearest existing one.
2. A form is one row a key, with the function that reads its value; a reader returns the value or raises ``WrongValue``
   with what it must be. Keys that the file lacks are missing from the result.
3. ``mistake`` makes the exception of an error: one sentence for the file's author.
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NoReturn

Report = Callable[[Exception], None]
Read = Callable[[Any], Any]  # Any: a TOML value may be of any of its types; each reader checks its own
Form = Mapping[str, Read]

NEAR: Final = 0.4
"""How similar two keys must be for one to be suggested for the other."""
HEADER: Final = re.compile(r"\s*\[\[?\s*([\w.\-\s]+?)\s*\]\]?\s*(#.*)?$")
"""A whole line, so that a row of an array on a line of its own (``[1, 2],``) opens no table."""


class WrongValue(Exception):
    """A wrong value; the message says what it must be."""


def _raise(error: Exception) -> NoReturn:
    raise error from None


def is_whole(value: object) -> bool:
    """Whether it is a whole number; TOML's true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def whole(low: int, high: int) -> Read:
    """Reads a whole number within bounds, both inclusive."""

    def read(value: Any) -> int:
        if not is_whole(value) or not low <= value <= high:
            raise WrongValue(f"a whole number from {low} to {high}")
        return int(value)

    return read


def number(low: float, high: float, what: str = "") -> Read:
    """Reads a number within bounds, both inclusive. ``what`` it must be, in words; empty: the bounds."""

    def read(value: Any) -> float:
        if not (is_whole(value) or isinstance(value, float)) or not low <= value <= high:
            raise WrongValue(what or f"a number from {low:g} to {high:g}")
        return float(value)

    return read


def truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise WrongValue("true or false")
    return value


def string(value: Any) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise WrongValue("a string")
    return value


class TomlTables:
    """One file while it is read; knows the lines for messages.

    ``report``: gets the exception of each error, which then loses only its own key; without it, the first one is
    raised. ``text``: its content. ``mistake``: makes the exception of a sentence. ``kind``: what such a file is called:
    "scene". Raises Exception: made by ``mistake``: it is not TOML.
    """

    def __init__(self, name: str, text: str, mistake: Callable[[str], Exception], kind: str) -> None:
        self.name = name
        self._mistake = mistake
        self._lines = text.splitlines()
        try:
            self.values: Mapping[str, Any] = tomllib.loads(text)
        except ValueError as error:  # a number of more than 4,300 digits is no error of TOML
            raise mistake(f"{name} is not valid TOML: {error}.") from None
        except RecursionError:
            raise mistake(f"{name} is nested too deeply for any {kind}.") from None

    def root(self, form: Form, tables: Collection[str], report: Report = _raise) -> dict[str, Any]:
        """The values outside of all tables; ``tables`` are the names of tables."""
        plain = {key: value for key, value in self.values.items() if key not in tables}
        return self._read("", plain, form, also=tables, report=report)

    def table(self, name: str, form: Form, needs: Collection[str] = (), report: Report = _raise) -> dict[str, Any]:
        """``[name]`` or ``[name.part]``; empty if the table is missing, with all of ``needs`` if it is there."""
        values: Any = self.values
        for part in name.split("."):
            if part not in values:
                return {}
            values = values[part]
            if not isinstance(values, dict):
                report(self.mistaken("", part, f"'{name}' must be a table, [{name}]"))
                return {}
        return self._read(name, values, form, needs=needs, report=report)

    def rows(self, name: str, form: Form, needs: Collection[str] = ()) -> list[dict[str, Any]]:
        """Every ``[[name]]``."""
        rows = self.values.get(name, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self.mistaken("", name, f"'{name}' must be written as [[{name}]]")
        return [self._read(name, row, form, count, needs=needs) for count, row in enumerate(rows)]

    def _read(
        self,
        table: str,
        values: Mapping[str, Any],
        form: Form,
        count: int = 0,
        also: Collection[str] = (),
        needs: Collection[str] = (),
        report: Report = _raise,
    ) -> dict[str, Any]:
        read = {}
        for key, value in values.items():
            if key not in form:
                report(self._unknown(table, key, [*form, *also], count))
                continue
            try:
                read[key] = form[key](value)
            except WrongValue as error:
                report(self.wrong(table, key, value, str(error), count))
        for key in needs:
            if key not in values:
                report(self.needs(table, f"[{table}] needs '{key}'", count))
        return read

    def wrong(self, table: str, key: str, value: object, what: str, count: int = 0) -> Exception:
        """The exception for a wrong value; ``what`` says what it must be."""
        return self.mistaken(table, key, f"'{key}'{_inside(table)} is {value!r}; it must be {what}", count)

    def needs(self, table: str, words: str, count: int = 0) -> Exception:
        """The exception for a missing key."""
        return self.mistaken(table, "", words, count)

    def mistaken(self, table: str, key: str, words: str, count: int = 0) -> Exception:
        """The exception for a sentence, without its stop, about a key of a table."""
        return self._mistake(f"{self.where(table, key, count)}: {words}.")

    def _unknown(self, table: str, key: str, keys: Collection[str], count: int) -> Exception:
        near = difflib.get_close_matches(key, list(keys), 1, NEAR)
        hint = f"did you mean '{near[0]}'?" if near else f"choose from {', '.join(keys)}."
        return self._mistake(f"{self.where(table, key, count)}: unknown key '{key}'{_inside(table)}; {hint}")

    def where(self, table: str, key: str, count: int = 0) -> str:
        """The file and, if it can be found, the line of a key in the table's ``count``-th appearance."""
        current, seen, header = "", -1, None
        for number, line in enumerate(self._lines, 1):
            opened = HEADER.match(line)
            if opened and opened[1].split(".")[0].strip() in self.values:  # else the last row of an array, "[3]"
                current = opened[1].replace(" ", "")
                seen += current == table
                if current == table and seen == count:
                    header = number
                if current == key and not table:
                    return f"{self.name}, line {number}"
                continue
            here = current == table and (not table or seen == count)
            if key and here and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
                return f"{self.name}, line {number}"
        return self.name if header is None else f"{self.name}, line {header}"


def _inside(table: str) -> str:
    return f" in [{table}]" if table else ""
