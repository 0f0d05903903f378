"""From the file and the environment to settings; what is wrong is told, and everything else holds.

Rules:
1. The environment goes over the file, and options of the command line over both (``render.cli``).
2. A mistake costs its own key alone, which keeps its default: one sentence with file, line and key, or the variable.
   A variable that begins as ours do and is none of them is told as an unknown key is.
3. Nothing is written here: a file that is not there is the defaults (``writing``).
"""

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import platformdirs

from net.config import TomlTables, WrongValue
from net.frozen import frozen
from render.settings.actions import Action
from render.settings.files import read_text
from render.settings.key_names import shown
from render.settings.nearest import nearest
from render.settings.schema import BINDINGS, KEYS_TABLE, PREFIX, SETTINGS, Settings, keys

FILE_VARIABLE: Final = f"{PREFIX}CONFIG"
FILE_NAME: Final = "config.toml"
OTHERS: Final = (
    *(f"{PREFIX}{name}" for name in ("CHECKED", "KERNELS", "KERNELS_APART", "KERNELS_LATER")),  # net.kernels.place
    *(f"{PREFIX}{name}" for name in ("GO", "NPM", "REQUIRE_PEERS", "SHARED_DATA")),  # tests
)
"""Variables that set nothing of the window's, and that nobody sets for it."""
DEFAULT, FILE, ENVIRONMENT = "default", "file", "environment"


@frozen
class Loaded:
    """What was read.

    Attributes:
        settings: all of them.
        path: of the file, whether it is there or not.
        is_new: it is not there: this is somebody's first start.
        origins: where each setting has its value from, by its key: default, file or environment.
        troubles: a sentence for each thing that was wrong.
    """

    settings: Settings
    path: Path
    is_new: bool
    origins: Mapping[str, str]
    troubles: tuple[str, ...]


def default_path(environment: Mapping[str, str] = os.environ) -> Path:
    """``CHUNKSCOPE_CONFIG``, else the file in the platform's folder of settings."""
    if named := environment.get(FILE_VARIABLE):
        return Path(named)
    return Path(platformdirs.user_config_dir("chunkscope", appauthor=False)) / FILE_NAME


def load(path: Path | None = None, environment: Mapping[str, str] = os.environ) -> Loaded:
    """Reads the settings; never fails.

    Args:
        path: of the file; ``default_path`` unless given.
        environment: variables.
    """
    path = path or default_path(environment)
    troubles: list[str] = []
    text = _text(path, troubles)
    found, own = _from_file(path, text or "", troubles)
    origins = dict.fromkeys(found, FILE)
    for key, value in _from_environment(environment, troubles).items():
        found[key], origins[key] = value, ENVIRONMENT
    _tell_doubles(own, path, troubles)
    return Loaded(Settings(**found, keys=own), path, text is None and not path.exists(), origins, tuple(troubles))


def _text(path: Path, troubles: list[str]) -> str | None:
    """What the file holds; None where it cannot be read, or is not there, which is no trouble."""
    try:
        return read_text(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        troubles.append(f"{path}: {error.strerror}; the defaults are used.")
    except UnicodeDecodeError:
        troubles.append(f"{path} is no text in UTF-8; the defaults are used.")
    return None


def _from_file(
    path: Path, text: str, troubles: list[str]
) -> tuple[dict[str, Any], dict[Action, tuple[str, ...]]]:  # Any: each setting has its own type
    """Settings by their keys, and own bindings; some names are those of a setting and of an action."""
    try:
        tables = TomlTables(str(path), text, ValueError, "configuration")
    except ValueError as error:
        troubles.append(f"{str(error).removesuffix('.')}; the defaults are used.")
        return {}, {}
    forms: dict[str, dict[str, Any]] = {}
    for setting in SETTINGS:
        forms.setdefault(setting.table, {})[setting.key] = setting.read
    forms[KEYS_TABLE].update({action.value: keys for action, _, _ in BINDINGS})
    mistakes: list[Exception] = []
    tables.read_root({}, forms, mistakes.append)
    found: dict[str, Any] = {}
    own: dict[Action, tuple[str, ...]] = {}
    for name, form in forms.items():
        read = tables.read_table(name, form, mistakes.append)
        if name == KEYS_TABLE:
            own = {action: read.pop(action.value) for action in Action if action.value in read}
        found.update(read)
    troubles += [str(mistake) for mistake in mistakes]
    return found, own


def _from_environment(environment: Mapping[str, str], troubles: list[str]) -> dict[str, Any]:
    """Values of variables: TOML where it is that, else the text itself."""
    found = {}
    for setting in SETTINGS:
        text = environment.get(setting.variable)
        if not text:
            continue
        try:
            found[setting.key] = setting.read(toml_or_text(text))
        except WrongValue as error:
            troubles.append(f"{setting.variable} is {text!r}; it must be {error}.")
    troubles += _unknown(environment)
    return found


def _unknown(environment: Mapping[str, str]) -> Iterable[str]:
    """A sentence for each variable that somebody seems to have meant for us."""
    ours = {FILE_VARIABLE, *(setting.variable for setting in SETTINGS)}
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in {*ours, *OTHERS}:
            yield f"There is no variable {name}{nearest(name, ours, PREFIX) or '; the README lists them'}."


def toml_or_text(text: str) -> Any:  # Any: a TOML value
    """A value of TOML where a text is that, else the text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _tell_doubles(own: Mapping[Action, tuple[str, ...]], path: Path, troubles: list[str]) -> None:
    """A key that was bound twice does the first of both."""
    bound: dict[str, Action] = {}
    for action, names in own.items():
        for name in names:
            first = bound.setdefault(name, action)
            if first is not action:
                troubles.append(
                    f"{path}: {shown(name)} is bound to {first.value} and to {action.value}; it does the first."
                )
