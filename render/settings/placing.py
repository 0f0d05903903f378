"""Values put into the text of a TOML file; every comment, blank line and other value stays as it is.

A value that is there is replaced where it stands, by tomlkit; comments between the entries of an old list go behind the
new one. A value that is not there gets a line: below the comment that names it, ``# fov = 70.0``, in its table, else at
the table's end.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

STRING_OR_COMMENT: Final = re.compile(
    r"""\"{3}(?:\\.|[^\\])*?\"{3,5} | '{3}.*?'{3,5} | "(?:\\.|[^"\\])*" | '[^']*' | \#[^\r\n]*""",
    re.DOTALL | re.VERBOSE,
)
"""What a ``#`` of a value stands in: TOML's four kinds of strings, or a comment up to its line's end."""


class NoTable(ValueError):
    """The file has something else under that name."""


def put(text: str, table: str, values: Mapping[str, Any]) -> str:  # Any: TOML values
    """The text with those values in a table of it.

    Args:
        text: is TOML.
        table: its name; made at the end where it is not there.
        values: by key.

    Raises:
        NoTable: another thing has that name.
    """
    for key, value in values.items():
        text = _below_its_comment(text, table, key, value) or _anywhere(text, table, key, value)
    return text


def toml(value: Any) -> str:  # Any: as above
    """A value as TOML writes it; JSON's texts, numbers and lists are TOML's, too."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def _anywhere(text: str, table: str, key: str, value: Any) -> str:  # Any: as above
    import tomlkit  # a tenth of a second, and few starts write

    document = tomlkit.parse(text)
    rows: Any = document.setdefault(table, tomlkit.table())
    if not isinstance(rows, dict):
        raise NoTable(table)
    within = _comments(tomlkit.item(rows[key]).as_string()) if key in rows else []
    new = rows[key] = tomlkit.item(value)
    if within:
        line = rows if isinstance(rows, tomlkit.items.InlineTable) else new
        line.comment(" ".join(filter(None, [*within, line.trivia.comment])))
    return tomlkit.dumps(document)


def _comments(value: str) -> list[str]:
    return [piece.strip() for piece in STRING_OR_COMMENT.findall(value) if piece.startswith("#")]


def _below_its_comment(text: str, table: str, key: str, value: Any) -> str | None:  # Any: as above
    """None where the key is there, or no comment names it, or that line is no comment but a part of some text."""
    before = tomllib.loads(text)
    if not isinstance(before.get(table), dict) or key in before[table]:
        return None
    lines, within = text.split("\n"), False
    for index, line in enumerate(lines):
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            within = header[1].strip() == table
        elif within and re.match(rf"#\s*{re.escape(key)}\s*=", line):
            end = "\r" if line.endswith("\r") else ""
            after = "\n".join([*lines[: index + 1], f"{key} = {toml(value)}{end}", *lines[index + 1 :]])
            return after if _is_as_before_but(before, after, table, key, value) else None
    return None


def _is_as_before_but(before: dict[str, Any], after: str, table: str, key: str, value: Any) -> bool:  # Any: as above
    wanted = {**before, table: {**before[table], key: value}}
    try:
        return tomllib.loads(after) == wanted
    except tomllib.TOMLDecodeError:
        return False
