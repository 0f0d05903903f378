"""The file of settings as anybody may have written it, and a value that is put into it.

The first byte chooses what is put; the rest is the file. Reading never fails and says each trouble in a line; what was
put is there afterwards, and everything else is as it was.
"""

import contextlib
import os
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

import tomlkit.exceptions

from client.errors import UsageError
from render.settings.actions import Action
from render.settings.file import NoTable, assign, load, put
from render.settings.schema import SETTINGS
from tests.fuzz.checks import check

VALUES: Final = (0, 1.5, "a", True, ["W", "UP"], "\u00e9\n\"'#", -1)
MEMORY: Final = Path("/dev/shm")


@cache
def place() -> Path:
    """A file of this process alone, in memory where there is such a place."""
    folder = tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) else None)
    return Path(folder) / "settings.toml"


def settings(data: bytes) -> None:
    """One file."""
    choice, content = (data[0], data[1:]) if data else (0, b"")
    path = place()
    path.write_bytes(content)
    loaded = load(path, {})
    check(all("\n" not in trouble for trouble in loaded.troubles), "a trouble takes more than a line")
    setting = SETTINGS[choice % len(SETTINGS)]
    with contextlib.suppress(UsageError):
        said = assign(loaded, f"{setting.table}.{setting.key}={choice}")
        check("\n" not in said, "an answer takes more than a line")
        check(not load(path, {}).troubles or bool(loaded.troubles), "what was put makes the file wrong")
    put_into(content, setting.table, setting.key, VALUES[choice % len(VALUES)])


def put_into(content: bytes, table: str, key: str, value: object) -> None:
    """A file that is TOML is TOML afterwards, with that value and no other change."""
    try:
        text = content.decode()
        before = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return
    with contextlib.suppress(NoTable, tomlkit.exceptions.TOMLKitError):
        after = tomllib.loads(put(text, table, {key: value}))
        check(after.get(table, {}).get(key) == value, "what was put is not there")
        rest = {name: each for name, each in after.items() if name != table}
        check(
            repr(rest) == repr({name: each for name, each in before.items() if name != table}), "another table changed"
        )


def seeds() -> list[bytes]:
    """Each setting as a comment and as a value, keys bound, and what is not valid TOML."""
    tables: dict[str, list[str]] = {}
    for setting in SETTINGS:
        tables.setdefault(setting.table, []).append(setting.key)
    commented = "\n".join(f"[{table}]\n" + "\n".join(f"# {key} = 1" for key in keys) for table, keys in tables.items())
    valued = "\n".join(f"[{table}]\n" + "\n".join(f"{key} = 1" for key in keys) for table, keys in tables.items())
    bound = "[keys]\n" + "\n".join(f'{action.value} = ["W"]' for action in Action)
    odd = [
        '[camera]\nfov = """a\n# fov = 1\n"""',
        "camera = 5",
        "camera = {fov = 90} # x",
        "[[camera]]\nfov = 1",
        "[camera",
    ]
    return [bytes((number,)) + text.encode() for number, text in enumerate((commented, valued, bound, *odd))]
