"""The options that several commands share, said once (interfaces.md, "Common options")."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

if TYPE_CHECKING:
    from client.connect.options import Options
    from client.connect.source import Source

OVERLAYS: Final = ("states",)
"""What ``--overlay`` knows; said here too, because naming it where it is drawn would load what draws it."""

SOURCE_HELP = "embedded[:hills|bench|flat[:SEED]], FILE.cscope or HOST[:PORT]"

SourceArgument = Annotated[str, typer.Argument(metavar="SOURCE", help=SOURCE_HELP, show_default=False)]
At = Annotated[str | None, typer.Option("--at", metavar="X,Y,Z", help="Eye position in blocks (default: the spawn).")]
Look = Annotated[
    str | None,
    typer.Option("--look", metavar="YAW,PITCH", help="Degrees: yaw 0 = +Z, 90 = -X; positive pitch looks down."),
]
Fov = Annotated[float, typer.Option("--fov", help="Vertical field of view in degrees.", min=10, max=150)]
Size = Annotated[str, typer.Option("--size", metavar="WxH", help="Picture or window size in pixels.")]
Time = Annotated[
    int | None, typer.Option("--time", min=0, max=23999, help="Time of day, 6000 = noon (default: the server's).")
]
Dimension = Annotated[
    str | None, typer.Option("--dimension", metavar="NAME|N", help="overworld, nether, end or a number.")
]
Radius = Annotated[int, typer.Option("--radius", min=1, max=64, help="Visibility radius in columns, a square.")]
Protocol = Annotated[str, typer.Option("--protocol", metavar="auto|N", help="Protocol number to speak.")]
Profile = Annotated[str, typer.Option("--profile", metavar="bedrock|documented", help="Layout of the terrain packets.")]
Mode = Annotated[
    str, typer.Option("--mode", metavar="limited|limitless|full", help="What the embedded server sends of a column.")
]
Timeout = Annotated[float, typer.Option("--timeout", metavar="S", help="Seconds until what is there must do.")]
Light = Annotated[
    str, typer.Option("--light", metavar="cpu|flat", help="Smooth light, or one value a face (debugging).")
]
Overlay = Annotated[list[str] | None, typer.Option("--overlay", metavar="NAME", help="Overlay to draw; repeatable.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.", hidden=True)]


def parse_size(text: str) -> tuple[int, int]:
    """Reads ``WxH`` in pixels.

    Raises:
        UsageError: when it is not two numbers from 16 to 8192.
    """
    from client.connect.errors import UsageError

    width, cross, height = text.lower().partition("x")
    if not (cross and width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
        raise UsageError(f"'{text}' is not a size: write WxH, for example 1280x720.")
    size = int(width), int(height)
    if not all(16 <= side <= 8192 for side in size):
        raise UsageError(f"A picture of {text} pixels is not between 16 and 8192 on each side.")
    return size


def parse_dimension(text: str | None) -> int | None:
    """Reads a dimension's name or number.

    Raises:
        UsageError: when it is neither.
    """
    from client.connect.errors import UsageError
    from net.space.dimensions import VANILLA

    if text is None:
        return None
    by_name = {dimension.name: dimension.number for dimension in VANILLA.values()}
    if text in by_name:
        return by_name[text]
    if not (text.isascii() and text.removeprefix("-").isdigit()):
        raise UsageError(f"There is no dimension '{text}'; write {', '.join(by_name)} or a number.")
    return int(text)


def parse_light(text: str) -> bool:
    """Whether faces get one light value each, from ``cpu`` or ``flat``.

    Raises:
        UsageError: when it is neither.
    """
    from client.connect.errors import UsageError

    if text not in {"cpu", "flat"}:
        raise UsageError(f"There is no light '{text}'; there are cpu and flat.")
    return text == "flat"


def parse_overlays(names: Sequence[str] | None) -> tuple[str, ...]:
    """Names of overlays.

    Raises:
        UsageError: naming the first that is none.
    """
    from client.connect.errors import UsageError

    for name in names or ():
        if name not in OVERLAYS:
            raise UsageError(f"There is no overlay '{name}'; there is {', '.join(OVERLAYS)}.")
    return tuple(names or ())


def expect_writable(path: Path) -> None:
    """Says at once, not after a minute of loading, that a file cannot be written.

    Raises:
        UsageError: its folder is not there.
        OSError: it is a folder itself, or its folder may not be written to.
    """
    from client.connect.errors import UsageError

    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder} to write {path.name} to.")
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def connection(
    source: str,
    *,
    at: str | None,
    look: str | None,
    radius: int,
    protocol: str,
    profile: str,
    mode: str,
    timeout: float,
    time: int | None,
    dimension: str | None,
) -> "tuple[Source, Options]":
    """The SOURCE and the connection options of a command line.

    Raises:
        UsageError: naming the value that cannot be meant.
    """
    from client.connect.errors import UsageError
    from client.connect.options import Options, parse_at, parse_look
    from client.connect.source import parse_source

    if protocol != "auto" and not (protocol.isascii() and protocol.isdigit()):
        raise UsageError(f"'{protocol}' is no protocol: write auto or a number.")
    return parse_source(source), Options(
        at=parse_at(at) if at else None,
        look_deg=parse_look(look) if look else None,
        radius=radius,
        protocol="auto" if protocol == "auto" else int(protocol),
        profile=cast(Any, profile),  # Options itself names a value it refuses
        mode=cast(Any, mode),
        timeout_s=timeout,
        time=time,
        dimension=parse_dimension(dimension),
    )
