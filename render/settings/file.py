"""Reads and writes settings: a TOML file that users edit and windows write, and environment variables.

Rules:
1. A file is written completely or not at all. Writing preserves comments, a byte order mark, CRLF line ends, access
   rights and symbolic links. A file that is read-only or invalid TOML is not written. A lock (``alone``) is held from
   reading to writing, so changes by two windows are both kept; without the lock (no folder locks on this system, or its
   holder was stopped) the last writer wins.
2. Environment variables override the file, and options of the command line override both (``render.cli``).
3. An invalid value affects its own key only, which keeps its default. It is reported in one sentence with file, line
   and key, or the variable. A variable with our prefix and an unknown name is reported like an unknown key.
4. tomlkit replaces an existing value in place; comments between the entries of an old list move behind the new one. A
   new value gets its own line: below the comment that names it (``# fov = 70.0``) in its table, or at the table's end.
5. A new file contains all settings as comments with their defaults, so unchanged settings follow later versions.
6. A value on the command line (``camera.fov=90``) or in the environment is TOML if it parses as that, otherwise plain
   text; several keys are separated by commas (``W, UP``). Invalid values are refused before anything is written.
"""

import json
import os
import re
import stat
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import platformdirs

from client.errors import UsageError
from net.config import TomlTables, WrongValue
from net.files import TAKEN, lock, whole
from render.settings.actions import Action
from render.settings.keys import rebound, shown
from render.settings.overlays import nearest
from render.settings.schema import KEYS_TABLE, PREFIX, SETTINGS, Setting, Settings, keys

MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""Windows' editors put it before UTF-8."""
CRLF: Final = "\r\n"
LOCK_S: Final = 5.0
"""How long to wait for another window's lock. It takes milliseconds, but a stopped process never releases it."""
LOOK_S: Final = 0.005


def read_text(path: Path) -> str:
    """A file's text, its line ends as they are, without the mark that may stand before it.

    Raises:
        OSError: it cannot be read.
        UnicodeDecodeError: it is no UTF-8.
    """
    return path.read_bytes().decode("utf-8").removeprefix(MARK)


def read_tables(path: Path) -> dict[str, Any]:  # Any: TOML values
    """The content of a TOML file; empty if there is none. Raises UsageError: it cannot be read, or is not TOML."""
    try:
        return tomllib.loads(read_text(path))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Correct the file or remove it.") from None


def write_text(path: Path, text: str) -> None:
    """Puts a text into the place of a file, made with its folder. Raises OSError: it cannot be written."""
    try:
        Path(os.path.realpath(path)).parent.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes() if path.is_file() else b""
        mode = stat.S_IMODE(path.stat().st_mode) if before else None
        if mode is not None and not mode & 0o222:
            raise PermissionError(13, "it is read-only")
        with whole(path) as temporary:
            temporary.write_bytes(_like(before, text))
            if mode is not None:
                temporary.chmod(mode)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Holds the lock of the folder of ``path``, so that no other window changes its files meanwhile."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(path.resolve().parent, os.O_RDONLY)
    except OSError:  # Windows cannot open folders; any other fault is reported by the write
        yield
        return
    try:
        until = time.monotonic() + LOCK_S
        while not _locked(folder) and time.monotonic() < until:
            time.sleep(LOOK_S)
        yield
    finally:
        os.close(folder)


def _locked(folder: int) -> bool:
    """Whether nothing is to wait for: the lock is had, or the disk has none."""
    try:
        lock(folder)
    except OSError as error:
        return error.errno not in TAKEN
    return True


def _like(before: bytes, text: str) -> bytes:
    """The text with the byte order mark and line ends of the previous content."""
    if before.count(b"\n") == before.count(b"\r\n") > 0:
        text = CRLF.join(text.replace(CRLF, "\n").split("\n"))
    return (MARK if before.startswith(MARK.encode()) else "").encode() + text.encode()


# ---------------------------------------------------------------- loading

FILE_VARIABLE: Final = f"{PREFIX}CONFIG"
FILE_NAME: Final = "config.toml"
OTHERS: Final = (
    *(f"{PREFIX}{name}" for name in ("CHECKED", "KERNELS", "KERNELS_LATER")),  # net.kernels.place
    *(f"{PREFIX}{name}" for name in ("GO", "NPM", "REQUIRE_PEERS", "SHARED_DATA", "SOAK")),  # tests
)
"""Variables with our prefix that are not settings of the window."""
DEFAULT, FILE, ENVIRONMENT = "default", "file", "environment"


class Loaded(msgspec.Struct, frozen=True):
    """What was read."""

    settings: Settings  # all of them
    path: Path  # of the file, whether it is there or not
    is_new: bool  # the file does not exist: the first start of this user
    origins: Mapping[str, str]  # where each setting has its value from, by its key: default, file or environment
    troubles: tuple[str, ...]  # a sentence for each thing that was wrong


def default_path(environment: Mapping[str, str] = os.environ) -> Path:
    """``CHUNKSCOPE_CONFIG``, else the file in the platform's folder of settings."""
    if named := environment.get(FILE_VARIABLE):
        return Path(named)
    return Path(platformdirs.user_config_dir("chunkscope", appauthor=False)) / FILE_NAME


def load(path: Path | None = None, environment: Mapping[str, str] = os.environ) -> Loaded:
    """Reads the settings; never fails. ``path``: of the file; ``default_path`` unless given."""
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
        troubles.append(f"{path} is not UTF-8 text; the defaults are used.")
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
    forms[KEYS_TABLE].update({action.value: keys for action in Action})
    mistakes: list[Exception] = []
    tables.root({}, forms, mistakes.append)
    found: dict[str, Any] = {}
    own: dict[Action, tuple[str, ...]] = {}
    for name, form in forms.items():
        read = tables.table(name, form, report=mistakes.append)
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
    """A sentence for each variable with our prefix and an unknown name."""
    ours = {FILE_VARIABLE, *(setting.variable for setting in SETTINGS)}
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in {*ours, *OTHERS}:
            near = nearest(name, ours, PREFIX) or "; docs/reference/settings.md lists them"
            yield f"Unknown variable {name}{near}."


def toml_or_text(text: str) -> Any:  # Any: a TOML value
    """A value of TOML where a text is that, else the text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        return text


def _tell_doubles(own: Mapping[Action, tuple[str, ...]], path: Path, troubles: list[str]) -> None:
    """A key that was bound twice does the first of both."""
    bound: dict[str, Action] = {}
    for action, names in own.items():
        for name in names:
            first = bound.setdefault(name, action)
            if first is not action:
                troubles.append(
                    f"{path}: {shown(name)} is bound to {first.value} and to {action.value}; the first is used."
                )


# ---------------------------------------------------------------- placing

STRING_OR_COMMENT: Final = re.compile(
    r"""\"{3}(?:\\.|[^\\])*?\"{3,5} | '{3}.*?'{3,5} | "(?:\\.|[^"\\])*" | '[^']*' | \#[^\r\n]*""",
    re.DOTALL | re.VERBOSE,
)
"""Matches the parts of a value that may contain ``#``: TOML's four kinds of strings, and a comment."""


class NoTable(ValueError):
    """The file has something else under that name."""


def put(text: str, table: str, values: Mapping[str, Any]) -> str:  # Any: TOML values
    """The text with those values in a table of it, made at the end if missing. Raises NoTable: it is none."""
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


# ---------------------------------------------------------------- writing

HEAD: Final = (
    "# Settings of chunkscope's window. Remove the '#' of a line to use it.\n# Options of `chunkscope "
    "view` override this file, and so do the environment variables named behind each key.\n"
)
KEYS_HEAD: Final = '# Keys by name, one or several: forward = ["W", "UP"]. An empty list unbinds the action.\n'


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
    lines += [f"# {action.value} = {toml(action.keys)}  # {action.means}\n" for action in Action]
    return "".join(lines)


def create(path: Path) -> None:
    """Writes the default file. Raises OSError: it cannot be written."""
    with alone(path):
        if not path.exists():  # another window's first start may have been a moment ago
            write_text(path, default_file())


def write_setting(path: Path, table: str, key: str, value: Any) -> None:  # Any: a TOML value
    """Puts one value into the file and leaves the rest unchanged.

    Raises:
        OSError: the file cannot be read or written.
        ValueError: the file is not TOML.
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
    except NoTable:
        raise ValueError(f"'{table}' in {path} must be a table, [{table}]; the file was not changed.") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not valid TOML ({error}); the file was not changed.") from None


# ---------------------------------------------------------------- assigning

BY_NAME = {f"{setting.table}.{setting.key}": setting for setting in SETTINGS}


def assign(loaded: Loaded, text: str) -> str:
    """Puts ``name=value`` into the file that was read; what there is to say.

    Raises:
        UsageError: there is no such name, or that is no value of it; or the file is no TOML.
        OSError: it cannot be read or written.
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise UsageError(f"'{text}' is not a setting with a value: write camera.fov=90 or keys.forward=W,UP.")
    actions = {f"{KEYS_TABLE}.{action.value}": action for action in Action}
    try:
        if name in actions:
            return _bind(loaded, actions[name], value)
        if name in BY_NAME:
            return _set(loaded, BY_NAME[name], value)
    except WrongValue as error:
        raise UsageError(f"{name} must be {error}.") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    raise UsageError(f"Unknown setting '{name}'{nearest(name, [*BY_NAME, *actions])}.")


def _bind(loaded: Loaded, action: Action, value: str) -> str:
    names = keys([name.strip() for name in value.split(",") if name.strip()])
    new = rebound(loaded.settings.preset, loaded.settings.keys, action, names)
    write_bindings(loaded.path, new.changed)
    return new.said


def _set(loaded: Loaded, setting: Setting, text: str) -> str:
    value = toml_or_text(text)
    setting.read(value)
    write_setting(loaded.path, setting.table, setting.key, value)
    return f"{setting.table}.{setting.key} = {value}"
