"""One setting or binding as words of the command line, ``camera.fov=90``, put into the file.

Rules:
1. A value is TOML where it is that, else the text itself, as in the environment; keys stand side by side, ``W, UP``.
2. What cannot be is refused before anything is written.
"""

from client.errors import UsageError
from net.config import WrongValue
from render.settings.actions import Action
from render.settings.loading import Loaded, toml_or_text
from render.settings.nearest import nearest
from render.settings.rebinding import rebound
from render.settings.schema import KEYS_TABLE, SETTINGS, Setting, keys
from render.settings.writing import write_bindings, write_setting

BY_NAME = {f"{setting.table}.{setting.key}": setting for setting in SETTINGS}
ACTIONS = {f"{KEYS_TABLE}.{action.value}": action for action in Action}


def assign(loaded: Loaded, text: str) -> str:
    """Puts ``name=value`` into the file that was read; what there is to say.

    Raises:
        UsageError: there is no such name, or that is no value of it; or the file is no TOML.
        OSError: it cannot be read or written.
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise UsageError(f"'{text}' sets nothing: write camera.fov=90 or keys.forward=W,UP.")
    try:
        if name in ACTIONS:
            return _bind(loaded, ACTIONS[name], value)
        if name in BY_NAME:
            return _set(loaded, BY_NAME[name], value)
    except WrongValue as error:
        raise UsageError(f"{name} must be {error}.") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    raise UsageError(f"There is no setting '{name}'{nearest(name, [*BY_NAME, *ACTIONS])}.")


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
