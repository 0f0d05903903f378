"""The file as it is first written, and values put into one that a person has edited, comments and all.

Rules:
1. Settings stand in a new file as comments with their defaults: what nobody changed follows later versions.
2. A file that is no TOML is left alone: to write it would lose it.
3. A file is written whole or not at all, and keeps its line ends (``files``).
4. What was no setting yet comes below the comment that has its default, where that is there.
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from render.settings.actions import Action
from render.settings.files import alone, read_text, write_text
from render.settings.placing import NoTable, put, toml
from render.settings.schema import BINDINGS, KEYS_TABLE, SETTINGS

HEAD: Final = """\
# Settings of chunkscope's window. A line counts once its '#' is taken away.
# Options of `chunkscope view` go over this file, and so do variables of the environment: each is named behind its key.
"""
KEYS_HEAD: Final = """\
# Keys by name, as one or several: forward = ["W", "UP"]. An empty list unbinds.
"""


def default_file() -> str:
    """The file with every setting, all at their defaults, and what each means."""
    lines, table = [HEAD], ""
    for setting in SETTINGS:
        if setting.table != table:
            table = setting.table
            lines.append(f"{'' if len(lines) == 1 else chr(10)}[{table}]\n")
        option = f", {setting.option}" if setting.option else ""
        lines.append(f"# {setting.key} = {toml(setting.default)}  # {setting.means} ({setting.variable}{option})\n")
    lines.append(KEYS_HEAD)
    lines += [f"# {action.value} = {toml(keys)}  # {means}\n" for action, keys, means in BINDINGS]
    return "".join(lines)


def create(path: Path) -> None:
    """Writes the default file.

    Raises:
        OSError: it cannot be written.
    """
    with alone(path):
        if not path.exists():  # another window's first start may have been a moment ago
            write_text(path, default_file())


def write_preset(path: Path, preset: str) -> None:
    """Puts a preset into the file, as ``write_setting``."""
    write_setting(path, KEYS_TABLE, "preset", preset)


def write_setting(path: Path, table: str, key: str, value: Any) -> None:  # Any: a TOML value
    """Puts one value into the file; everything else in it stays as it is.

    Raises:
        OSError: it cannot be read or written.
        ValueError: it is no TOML.
    """
    _write(path, table, {key: value})


def write_bindings(path: Path, bindings: Mapping[Action, Sequence[str]]) -> None:
    """Puts keys of some actions into the file, all or none, as ``write_setting``."""
    _write(path, KEYS_TABLE, {action.value: list(keys) for action, keys in bindings.items()})


def _write(path: Path, table: str, values: Mapping[str, Any]) -> None:  # Any: TOML values
    try:
        with alone(path):
            text = read_text(path) if path.exists() else default_file()
            tomllib.loads(text)  # what tomlkit bears and a reader does not
            write_text(path, put(text, table, values))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is no TOML ({error}); it is left as it is.") from None
    except NoTable:
        raise ValueError(f"'{table}' in {path} is no table, [{table}]; it is left as it is.") from None
