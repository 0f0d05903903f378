"""Tables of a TOML file read strictly: every key is known, every value has its type, every message names file and line.

Rules:
1. A key that does not exist names the nearest one that does.
2. A form is one row a key, with how its value is read; a reader gives the value or raises ``WrongValue`` with what it
   must be. What a file does not say is left out of what is read.
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final

from client.connect.errors import UsageError

Read = Callable[[Any], Any]  # Any: a TOML value may be of any of its types; each reader checks its own
Form = Mapping[str, Read]

NEAR: Final = 0.4
"""How alike two keys must be for one to be offered for the other."""


class BadScene(UsageError):
    """A scene file that cannot be used; the message is one sentence for its author.

    Attributes:
        place: the file, where one is to blame.
    """

    place: str = ""


class WrongValue(Exception):
    """What a value must be."""


class TomlFile:
    """One file while it is read; knows the lines for messages.

    Args:
        path: for messages.
        text: what it holds.

    Raises:
        BadScene: it is no TOML.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self._lines = text.splitlines()
        try:
            self.values: Mapping[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise BadScene(f"{path} is no TOML: {error}.") from None
        except RecursionError:
            raise BadScene(f"{path} is nested deeper than any scene is.") from None

    def root(self, form: Form, tables: Collection[str]) -> dict[str, Any]:
        """The values outside of all tables; ``tables`` are the keys that stand for tables."""
        plain = {key: value for key, value in self.values.items() if key not in tables}
        return self._read("", plain, form, 0, tables)

    def table(self, name: str, form: Form) -> dict[str, Any]:
        """``[name]``; empty where there is none."""
        values = self.values.get(name, {})
        if not isinstance(values, dict):
            raise BadScene(f"{self.where('', name)}: '{name}' must be a table, [{name}].")
        return self._read(name, values, form, 0)

    def rows(self, name: str, form: Form) -> list[dict[str, Any]]:
        """Every ``[[name]]``."""
        rows = self.values.get(name, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise BadScene(f"{self.where('', name)}: '{name}' must be written as [[{name}]].")
        return [self._read(name, row, form, count) for count, row in enumerate(rows)]

    def _read(
        self, table: str, values: Mapping[str, Any], form: Form, count: int, also: Collection[str] = ()
    ) -> dict[str, Any]:
        read = {}
        for key, value in values.items():
            if key not in form:
                raise self._unknown(table, key, [*form, *also], count)
            try:
                read[key] = form[key](value)
            except WrongValue as error:
                raise self.wrong(table, key, value, str(error), count) from None
        return read

    def wrong(self, table: str, key: str, value: object, what: str, count: int = 0) -> BadScene:
        """A value that is none; ``what`` says what it must be."""
        inside = f" in [{table}]" if table else ""
        return BadScene(f"{self.where(table, key, count)}: '{key}'{inside} is {value!r}; it must be {what}.")

    def needs(self, table: str, words: str, count: int = 0) -> BadScene:
        """Something that a table must say and does not."""
        return BadScene(f"{self.where(table, '', count)}: {words}.")

    def _unknown(self, table: str, key: str, keys: Collection[str], count: int) -> BadScene:
        near = difflib.get_close_matches(key, list(keys), 1, NEAR)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(keys)}."
        inside = f" in [{table}]" if table else ""
        return BadScene(f"{self.where(table, key, count)}: there is no '{key}'{inside}; {hint}")

    def where(self, table: str, key: str, count: int = 0) -> str:
        """The file and, where it can be told, the line of a key in the table's ``count``-th appearance."""
        current, seen, header = "", -1, None
        for number, line in enumerate(self._lines, 1):
            opened = re.match(r"\s*\[\[?\s*([\w.\-\s]+?)\s*\]\]?\s*(#.*)?$", line)
            if opened:
                current = opened[1].replace(" ", "")
                seen += current == table
                if current == table and seen == count:
                    header = number
                if current == key and not table:
                    return f"{self.path}, line {number}"
                continue
            here = current == table and (not table or seen == count)
            if key and here and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
                return f"{self.path}, line {number}"
        return str(self.path) if header is None else f"{self.path}, line {header}"
