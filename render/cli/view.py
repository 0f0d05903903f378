"""``chunkscope view``: the window."""

from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec.structs import replace

from client.options import parse_moment
from render.cli import config as configured
from render.cli.arguments import (
    MOMENT_FORMS,
    SOURCE_HELP,
    Compared,
    Debug,
    DiscoveryPort,
    DrawArguments,
    EyeOptions,
    GpuBudget,
    JoinOptions,
    MomentText,
    What,
    command,
    connection,
    parse_against,
    parse_drawn,
)

SETTING_OF: Final = {"overlay": "overlays", "pack": "packs"}
"""Options that settings name otherwise; the rest have the same name."""
LAN_PORTS: Final = (19132, 19133)
"""As ``scan`` asks them."""
SET: Final = ("size", "fov", "gamma", "light", "overlay", "pack", "radius", "pictures", "identity")
"""Options whose defaults are settings."""


def set_defaults(context: typer.Context, file: Path | None) -> Path | None:
    """Makes settings the defaults of the options that follow. Raises UsageError: a file was named and is not there."""
    loaded = configured.read(file)
    configured.print_settings(loaded)
    context.obj = loaded
    values = {name: getattr(loaded.settings, SETTING_OF.get(name, name)) for name in SET}
    defaults = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    context.default_map = {**defaults, **(context.default_map or {})}
    return file


ViewConfig = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="Settings file of the window.", show_default="the user's",
        is_eager=True, callback=set_defaults,
    ),
]  # fmt: skip
Address = Annotated[str, typer.Argument(metavar="[SOURCE]", help=SOURCE_HELP)]
Speed = Annotated[
    float | None, typer.Option("--speed", metavar="X", help="Playback speed of a recording.", show_default="1")
]
Connect = Annotated[
    bool, typer.Option("--connect", help="Open the connect screen (F12 in the window) with SOURCE as the address.")
]
LanPort = Annotated[
    list[int] | None,
    typer.Option("--lan-port", min=1, max=65535, help="Port to scan on that screen (19132 and 19133); repeatable."),
]
Pictures = Annotated[Path, typer.Option("--pictures", metavar="FOLDER", help="Folder for F2's pictures.")]
Events = Annotated[Path | None, typer.Option("--events", metavar="FILE", help="Write events, one JSON line each.")]


Build = Annotated[
    bool, typer.Option("--build", help="Allow build mode (V in the window) on servers that the window did not start.")
]


@command(
    "view",
    help="Open a window on a server's world: fly through it, and see which chunks arrived, were refused, or were "
    "never sent (F6).",
    examples="Example: chunkscope view localhost:19132 --radius 12 --overlay states",
    wordings={
        "moment": {
            "show_default": "its start",
            "help": "Start a recording at this moment, paused (P plays it; with --speed it plays at once): "
            f"{MOMENT_FORMS}.",
        },
        "identity": {"show_default": "own"},
    },
)
def run(
    source: Address = "embedded",
    *,
    context: typer.Context,
    config: ViewConfig = None,
    gpu_budget: GpuBudget = None,
    looking: EyeOptions,
    drawing: DrawArguments,
    joining: JoinOptions,
    speed: Speed = None,
    moment: MomentText = None,
    connect: Connect = False,
    lan_port: LanPort = None,
    discovery_port: DiscoveryPort = 7551,
    pictures: Pictures = Path("shots"),
    events: Events = None,
    build: Build = False,
    against: Compared = None,
    what: What = None,
    debug: Debug = False,
) -> int:
    """Runs the viewer until its window is closed."""
    from render.viewer import WindowOptions, view

    loaded = context.obj
    typed = context.get_parameter_source("source")
    address = source if connect and typed is not None and typed.name == "COMMANDLINE" else ""
    where, options = connection("embedded" if connect else source, joining, looking)
    options = replace(options, speed=speed, start=parse_moment(moment) if moment is not None else None)
    other, drawn = parse_against(against, what, joining, parse_drawn(drawing, joining, looking, gpu_budget))
    window = drawn.extended(
        WindowOptions, pictures=pictures, events=events,
        settings=loaded.settings, settings_file=loaded.path, first_start=loaded.is_new,
        troubles=loaded.troubles, connect=connect, address=address, lan_ports=tuple(lan_port or LAN_PORTS),
        discovery_port=discovery_port, build=build, against=other,
    )  # fmt: skip
    return view(where, options, window)
