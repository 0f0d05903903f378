"""``chunkscope config``: where the settings are stored, their values, and where each value comes from."""

from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer

from client.errors import MissingFile
from render.cli.arguments import Config, Debug, Json, command


@command(
    "config",
    help="Show the settings of the window, their values, and where each value comes from: default, file or "
    "environment.",
    examples="Examples: chunkscope config; chunkscope config --set camera.fov=90 --set keys.forward=W,UP",
)
def run(
    config: Config = None,
    default: Annotated[
        bool, typer.Option("--default", help="Print the file with every setting and its default.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Write that file, unless it exists.")] = False,
    assign: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting or the keys of an action; repeatable."),
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Prints settings, or the default file; exit code 1 where something in the file is wrong."""
    from render.settings.file import create, default_file

    if assign:
        return change(config, assign, quiet=json)

    if default:
        print(default_file(), end="")
        return 0
    loaded = read(config)
    if write and loaded.is_new:
        create(loaded.path)
    if json:
        facts = {name: {"value": value, "from": origin} for name, value, origin in rows(loaded)}
        print(dumps({"path": str(loaded.path), "settings": facts, "troubles": loaded.troubles}))
    else:
        there = "written now" if write and loaded.is_new else "does not exist" if loaded.is_new else "read"
        print(f"{loaded.path} ({there})")
        for name, value, origin in rows(loaded):
            print(f"{name} = {dumps(value, ensure_ascii=False)}  ({origin})")
        print_settings(loaded)
    return 1 if loaded.troubles else 0


def change(config: Path | None, assignments: list[str], quiet: bool) -> int:
    """Puts settings into the file, one by one, and says what each came to. Raises UsageError: one cannot be."""
    from render.settings.file import assign

    for text in assignments:
        said = assign(read(config), text)
        if not quiet:
            print(said)
    return 0


def read(path: Path | None) -> Any:  # Any: named only where it is loaded, for the sake of ``--help``
    """The settings, of a named file or the person's own. Raises MissingFile: a file was named and is not there."""
    from render.settings import load

    if path is not None and not path.exists():
        raise MissingFile(path)
    return load(path)


def print_settings(loaded: Any) -> None:  # Any: as above
    """What is wrong with them, a sentence each, where errors go."""
    for trouble in loaded.troubles:
        typer.echo(f"chunkscope: {trouble}", err=True)


def rows(loaded: Any) -> list[tuple[str, Any, str]]:  # Any: as above; each setting has its own type
    """Name in the file, value, and where it comes from."""
    from render.settings.schema import KEYS_TABLE, SETTINGS

    told = [
        (f"{row.table}.{row.key}", getattr(loaded.settings, row.key), loaded.origins.get(row.key, "default"))
        for row in SETTINGS
    ]
    return told + [
        (f"{KEYS_TABLE}.{action.value}", list(keys), "file") for action, keys in loaded.settings.keys.items()
    ]
