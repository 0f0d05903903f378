"""The options that several commands share (interfaces.md, "Common options").

A command takes them in groups: ``JoinOptions``, ``EyeOptions`` and ``DrawArguments``. ``command`` turns their fields
into options and adds the command to ``COMMANDS``. Each mistake is reported in one sentence that names the value, before
any module that draws is loaded.
"""

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, cast, get_args

import msgspec
import typer
from msgspec.structs import fields, replace

from client.errors import MissingFile, UsageError
from net.serve_arguments import SERVE_OPTIONS, ServeOption

if TYPE_CHECKING:
    from client.options import Options
    from client.player import View
    from client.source import OtherSource, Source
    from client.weather import Weather
    from render.draw_options import DrawOptions
    from render.jobs.processes import Part


SOURCE_HELP = (
    "embedded[:hills|bench|flat[:SEED]], a saved world (FOLDER, FILE.mcworld), FILE.cscope, HOST[:PORT], "
    "http://HOST:PORT or lan://HOST"
)

SourceArgument = Annotated[str, typer.Argument(metavar="SOURCE", help=SOURCE_HELP, show_default=False)]
At = Annotated[
    str | None, typer.Option("--at", metavar="X,Y,Z", help="Eye position in blocks.", show_default="the world spawn")
]
Look = Annotated[
    str | None,
    typer.Option("--look", metavar="YAW,PITCH", help="Degrees: yaw 0 = +Z, 90 = -X; positive pitch looks down."),
]


def set_view(context: typer.Context, text: str | None) -> str | None:
    """Makes the values of a view line, or of a bookmark, the defaults of the options for eye and look.

    A bookmark belongs to a source, so it is looked up when the first of these options is read: only then
    is the source known.

    Raises:
        UsageError: the text is neither a view nor a bookmark.
    """
    before = dict(context.default_map or {})
    if text is None:
        return None
    if text.startswith("--"):
        context.default_map = before | _said(context, text)
        return text
    look_up = cache(lambda: _said(context, text))
    own = {parameter.name: parameter.default for parameter in context.command.params}

    def value(name: str) -> Any:  # Any: each option has its own type
        settings = {"fov": context.obj.settings.fov} if context.obj else {}
        return {name: own[name], **before, **settings, **look_up()}[name]

    from render.view_line import WORDS

    names = [word.removeprefix("--") for word in WORDS]
    context.default_map = before | {name: partial(value, name) for name in names if name in own}
    return text


def _said(context: typer.Context, text: str) -> dict[str, str]:
    """What a line says, or the bookmark of that name, by names of options. Raises UsageError: it is neither."""
    from render.view_line import parse_view_line

    if text.startswith("--"):
        line = parse_view_line(text)
    else:
        from client.source import parse_source
        from render.settings.file import default_path
        from render.viewer.control.bookmarks import Bookmarks, beside

        settings = context.obj.path if context.obj else default_path()
        source = str(parse_source(context.params["source"]))
        line = Bookmarks(beside(settings), source).view(text)
    return {word.removeprefix("--"): value for word, value in line.options.items()}


Ortho = Annotated[
    float | None,
    typer.Option(
        "--ortho", metavar="BLOCKS", min=1, max=4096, help="Orthographic view, BLOCKS high.",
        show_default="perspective",
    ),
]  # fmt: skip
LINE_HELP: Final = "A view line (F2 writes one) or the name of a bookmark; other options override it."
Line = Annotated[
    str | None, typer.Option("--view", metavar="LINE|NAME", help=LINE_HELP, is_eager=True, callback=set_view)
]
MOMENT_FORMS: Final = "12.5, 2:05, or '#350' for after 350 packets of the server"
"""How a moment of a recording is written, in every option that takes one (``client.options.parse_moment``)."""
MomentText = Annotated[
    str | None,
    typer.Option(
        "--moment",
        metavar="TIME|#PACKET",
        help=f"Moment of a recording to go to: {MOMENT_FORMS}.",
        show_default="its end",
    ),
]
Fov = Annotated[float, typer.Option("--fov", metavar="DEGREES", help="Vertical field of view.", min=10, max=150)]
Gamma = Annotated[
    float, typer.Option("--gamma", metavar="X", help="Values over 1 brighten dark places.", min=0.2, max=4.0)
]
Size = Annotated[str, typer.Option("--size", metavar="WxH", help="Size of the picture or window in pixels.")]
Time = Annotated[
    int | None,
    typer.Option(
        "--time", metavar="TICKS", min=0, max=23999, help="Time of day, 6000 = noon.", show_default="the server's"
    ),
]
WeatherWord = Annotated[
    str | None,
    typer.Option(
        "--weather",
        metavar="clear|rain|thunder",
        help="Weather; rain is snow where it is cold.",
        show_default="the server's",
    ),
]
Dimension = Annotated[
    str | None,
    typer.Option(
        "--dimension",
        metavar="NAME|N",
        help="overworld, nether, end or a number.",
        show_default="the dimension of the spawn",
    ),
]
Radius = Annotated[int, typer.Option("--radius", metavar="COLUMNS", min=1, max=64, help="View distance in chunks.")]
Protocol = Annotated[str, typer.Option("--protocol", metavar="auto|N", help="Protocol number to speak.")]
Profile = Annotated[
    str,
    typer.Option(
        "--profile",
        metavar="bedrock|documented",
        help="Layout of the terrain packets: as servers send them (bedrock), or as the game's documentation describes "
        "them, which differs.",
    ),
]
Transport = Annotated[
    str, typer.Option("--transport", metavar="auto|raknet|nethernet", help="Transport; auto asks the server.")
]
InsistOnKey = Annotated[
    bool, typer.Option("--insist-on-key", help="Refuse a server whose key has changed (NetherNet over HTTP).")
]
Mode = Annotated[
    str,
    typer.Option(
        "--mode",
        metavar="limited|limitless|full",
        help="How the embedded server sends a column: without blocks and with a limit, above which all is air; without "
        "blocks and without a limit; or whole, so that nothing is requested.",
    ),
]
Cache = Annotated[
    bool | None,
    typer.Option("--cache/--no-cache", help="Keep terrain between visits.", show_default="on for servers"),
]
CacheDir = Annotated[
    Path | None, typer.Option("--cache-dir", metavar="PATH", help="Folder of the cache.", show_default="the user's")
]
Identity = Annotated[
    str,
    typer.Option(
        "--identity",
        metavar="NAME",
        help="Player who joins a server: own (the same player each time), fresh (a new player), or a name.",
    ),
]
Pin = Annotated[
    list[str] | None,
    typer.Option("--pin", metavar="X,Z[,RADIUS]", help="Keep the visible chunks around a place loaded; repeatable."),
]
PinAll = Annotated[
    list[str] | None,
    typer.Option("--pin-all", metavar="X,Z[,RADIUS]", help="Keep all chunks around a place loaded; repeatable."),
]
Timeout = Annotated[
    float,
    typer.Option("--timeout", metavar="S", help="Seconds to wait for the join, and then for missing chunks, each."),
]
Light = Annotated[
    str,
    typer.Option(
        "--light",
        metavar="cpu|gpu|flat",
        help="Where lighting is computed (cpu and gpu give identical images); flat disables smoothing.",
    ),
]
Overlay = Annotated[
    list[str] | None,
    typer.Option(
        "--overlay", metavar="NAME", help="Overlay to draw, for example states (an unknown name lists all); repeatable."
    ),
]
Entities = Annotated[
    bool,
    typer.Option("--entities", help="Draw players, animals and items."),
]
GpuBudget = Annotated[
    float | None,
    typer.Option(
        "--gpu-budget",
        metavar="MIB",
        min=0,
        help="GPU memory for block ids and light; blocks that do not fit are not drawn.",
        show_default="as much as the driver allows",
    ),
]
Pack = Annotated[
    list[Path] | None,
    typer.Option(
        "--pack",
        metavar="PATH",
        help="Resource pack: folder, .mcpack or .zip; repeatable, later packs override earlier ones.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Settings file of the window.", show_default="the user's"),
]
DiscoveryPort = Annotated[
    int,
    typer.Option("--discovery-port", min=0, max=65535, help="UDP port of NetherNet's LAN discovery; 0: none."),
]
PartWord = Annotated[
    str | None, typer.Option("--part", metavar="K/N", help="Do part K of N only, for example on one of N machines.")
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="tcp://HOST:PORT", help="Dask scheduler whose workers draw.", show_default="this machine"
    ),
]
Compared = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="SOURCE",
        help="Load a second source, too, and mark where it differs (overlay against).",
    ),
]
WHAT_HELP: Final = "Arrays to compare: blocks, layer1, biomes, light, states; repeatable."
What = Annotated[
    list[str] | None,
    typer.Option(
        "--what",
        metavar="NAME[,NAME]",
        help=WHAT_HELP,
        show_default="blocks, layer1",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.", hidden=True)]


class JoinOptions(msgspec.Struct, frozen=True):
    """How to join a source: what ``view``, ``shot``, ``dump`` and ``record`` share."""

    radius: Radius = 8
    protocol: Protocol = "auto"
    transport: Transport = "auto"
    insist_on_key: InsistOnKey = False
    profile: Profile = "bedrock"
    mode: Mode = "limited"
    timeout: Timeout = 60.0
    time: Time = None
    dimension: Dimension = None
    cache: Cache = None
    cache_dir: CacheDir = None
    identity: Identity = "fresh"
    pin: Pin = None
    pin_all: PinAll = None


class EyeOptions(msgspec.Struct, frozen=True):
    """Where the eye is."""

    at: At = None
    look: Look = None
    ortho: Ortho = None
    view: Line = None


CutHeights = Annotated[
    str | None,
    typer.Option(
        "--cut", metavar="Y|LOW,HIGH",
        help="Hide blocks at height Y and above, or show only heights from LOW to below HIGH.",
    ),
]  # fmt: skip


Shadows = Annotated[bool, typer.Option("--shadows", help="Draw shadows of the sun and the moon.")]


class DrawArguments(msgspec.Struct, frozen=True):
    """How a picture is drawn: what ``view`` and ``shot`` share."""

    fov: Fov = 70.0
    gamma: Gamma = 1.0
    size: Size = "1280x720"
    light: Light = "cpu"
    weather: WeatherWord = None
    overlay: Overlay = None
    pack: Pack = None
    cut: CutHeights = None
    shadows: Shadows = False


def _of_command(option: ServeOption) -> tuple[str, object, object]:
    """An option of the server as one of ``chunkscope serve``: name, type and default."""
    default = option.default if option.command_default is None else option.command_default
    shown = typer.Option(
        f"--{option.command_name.replace('_', '-')}",
        min=option.least,
        max=option.most,
        metavar="|".join(option.choices) or option.metavar,
        help=option.help,
        show_default=option.shown or True,
    )
    kind: Any = list[str] if option.repeats else option.kind  # Any: a type that is put together
    return option.command_name, Annotated[kind if default is not None else kind | None, shown], default


ServeArguments = msgspec.defstruct("ServeArguments", map(_of_command, SERVE_OPTIONS), frozen=True)
"""How our server serves: ``net.serve_arguments``."""
GROUPS: Final = (EyeOptions, DrawArguments, JoinOptions, ServeArguments)


Wordings = Mapping[str, Mapping[str, str]]
"""By an option's name: attributes of ``typer.Option`` that one command words in its own way."""


def spelled_out(command: Callable[..., int], wordings: Wordings | None = None) -> Callable[..., int]:
    """A command whose parameters annotated with ``GROUPS`` are one parameter for each option of the group."""
    taken: dict[str, type] = {}
    parameters: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        if parameter.annotation in GROUPS:
            taken[parameter.name] = parameter.annotation
            parameters += [
                Parameter(option.name, Parameter.KEYWORD_ONLY, default=option.default, annotation=option.type)
                for option in fields(parameter.annotation)
            ]
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))

    parameters = [_worded(parameter, (wordings or {}).get(parameter.name, {})) for parameter in parameters]

    @wraps(command)
    def run(**values: Any) -> int:  # Any: what the command line was parsed to
        groups = {
            name: group(**{option.name: values.pop(option.name) for option in fields(group)})
            for name, group in taken.items()
        }
        return command(**values, **groups)

    run.__dict__["__signature__"] = Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _worded(parameter: Parameter, words: Mapping[str, str]) -> Parameter:
    """The parameter of a command, its option worded in the command's own way."""
    if not words:
        return parameter
    kind, option = get_args(parameter.annotation)
    option = copy(option)
    for name, text in words.items():
        setattr(option, name, text)
    return parameter.replace(annotation=Annotated[kind, option])


class Command(NamedTuple):
    """One command of the console script."""

    run: Callable[..., int]  # gives the exit code
    help: str  # its first paragraph
    examples: str  # its last one


COMMANDS: Final[dict[str, Command]] = {}
"""By name; filled where they are defined."""


def command(
    name: str, *, help: str, examples: str, wordings: Wordings | None = None
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Adds a command to the console script; groups among its parameters are spelled out, some options reworded."""

    def added(run: Callable[..., int]) -> Callable[..., int]:
        COMMANDS[name] = Command(spelled_out(run, wordings), help, examples)
        return COMMANDS[name].run

    return added


def connection(source: str, joining: JoinOptions, looking: EyeOptions | None = None) -> "tuple[Source, Options]":
    """The SOURCE and the connection options of a command line.

    Raises:
        UsageError: naming the value.
        MissingFile: the SOURCE is a file that is not there.
    """
    from client.options import Options, parse_at, parse_look, parse_pin
    from client.source import WorldFile, parse_source
    from render.view_line import parse_dimension

    eye = looking or EyeOptions()
    protocol = parse_protocol(joining.protocol)
    where = parse_source(source)
    options = Options(
        at=parse_at(eye.at) if eye.at else None,
        look_deg=parse_look(eye.look) if eye.look else None,
        radius=joining.radius,
        protocol="auto" if protocol is None else protocol,
        transport=cast(Any, joining.transport),  # Options itself names a value it refuses
        insist_on_key=joining.insist_on_key,
        profile=cast(Any, joining.profile),  # Options itself names a value it refuses
        mode=cast(Any, joining.mode),
        timeout_s=joining.timeout,
        time=joining.time,
        dimension=parse_dimension(joining.dimension),
        cache=joining.cache,
        cache_dir=joining.cache_dir,
        identity=joining.identity,
        pins=(
            *(parse_pin(text) for text in joining.pin or ()),
            *(parse_pin(text, everything=True) for text in joining.pin_all or ()),
        ),
    )
    if isinstance(where, WorldFile) and not where.path.exists():
        raise MissingFile(where.path)
    return where, options


# ---------------------------------------------------------------- reading


def parse_protocol(text: str) -> int | None:
    """Reads a number, or None of ``auto``. Raises UsageError: it is neither."""
    if text != "auto" and not (text.isascii() and text.isdigit()):
        raise UsageError(f"'{text}' is not a protocol: write auto or a number.")
    return None if text == "auto" else int(text)


def parse_size(text: str) -> tuple[int, int]:
    """Reads ``WxH`` in pixels. Raises UsageError: when it is not two numbers from 16 to 8192."""
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
        raise UsageError(f"'{text}' is not a size: write WxH, for example 1280x720.")
    size = int(width), int(height)
    if not all(16 <= side <= 8192 for side in size):
        raise UsageError(f"A picture must have 16 to 8192 pixels on each side, not {text}.")
    return size


def parse_weather(text: str | None) -> "Weather | None":
    """Reads ``clear``, ``rain`` or ``thunder``. Raises UsageError: when it is none of them."""
    from client.weather import WEATHERS

    if text is not None and text not in WEATHERS:
        raise UsageError(f"There is no weather '{text}'; there are {', '.join(WEATHERS)}.")
    return None if text is None else WEATHERS[text]


def parse_freeze(at: str | None, look: str | None) -> "View | None":
    """The position and direction of the frozen camera, or None. Raises UsageError: one of them is missing."""
    from client.options import parse_at, parse_look
    from client.player import View

    if at is None:
        if look is not None:
            raise UsageError("--freeze-look needs --freeze-at, the position of the frozen eye.")
        return None
    return View(parse_at(at), *(parse_look(look) if look is not None else (0.0, 0.0)))


def parse_budget(mib: float | None, light: str = "cpu") -> int | None:
    """Bytes that ``--gpu-budget`` allows; None for what the driver bears. Raises UsageError: light is the GPU's."""
    if mib is not None and light == "gpu":
        raise UsageError("--light gpu needs all block ids on the GPU: leave out --gpu-budget.")
    return None if mib is None else int(mib * (1 << 20))


def parse_overlays(names: Sequence[str] | None) -> tuple[str, ...]:
    """Names of overlays. Raises UsageError: naming the first that is none."""
    from render.settings.overlays import OVERLAYS, unknown_overlay

    for name in names or ():
        if name not in OVERLAYS:
            raise UsageError(f"{unknown_overlay(name)}.")
    return tuple(names or ())


def parse_packs(paths: Sequence[Path] | None) -> tuple[Path, ...]:
    """Resource packs, unopened. Raises MissingFile: naming the first that is not there."""
    for path in paths or ():
        if not path.exists():
            raise MissingFile(path)
    return tuple(paths or ())


def parse_part(text: str | None, cluster: str | None) -> "Part | None":
    """The part of the work to do. Raises UsageError: invalid part, or invalid address of the cluster."""
    from render.jobs.processes import Part, expect_address

    if cluster is not None:
        expect_address(cluster)
    return Part.parse(text) if text is not None else None


def expect_file(path: Path | str | None) -> None:
    """Says at once that a file which is to be read is not there. Raises MissingFile."""
    if path is not None and not Path(path).exists():
        raise MissingFile(path)


def expect_writable(path: Path) -> None:
    """Says at once, not after a minute of loading, that a file cannot be written.

    Raises:
        UsageError: its folder is not there.
        OSError: it is a folder itself, or its folder may not be written to.
    """
    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"The folder {folder} does not exist, so {path.name} cannot be written.")
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


# ---------------------------------------------------------------- drawn


def parse_drawn(
    drawing: DrawArguments, joining: JoinOptions, looking: EyeOptions | None = None, budget_mib: float | None = None
) -> "DrawOptions":
    """Reads how a picture is drawn. Raises UsageError: naming the value that cannot be meant."""
    from render.draw_options import DrawOptions, parse_cut

    if drawing.light not in {"cpu", "gpu", "flat"}:
        raise UsageError(f"Unknown light '{drawing.light}': choose cpu, gpu or flat.")
    return DrawOptions(
        size_px=parse_size(drawing.size),
        fov_deg=drawing.fov,
        gamma=drawing.gamma,
        flat_light=drawing.light == "flat",
        gpu_light=drawing.light == "gpu",
        gpu_budget_bytes=parse_budget(budget_mib, drawing.light),
        overlays=parse_overlays(drawing.overlay),
        time=joining.time,
        weather=parse_weather(drawing.weather),
        packs=parse_packs(drawing.pack),
        cut=None if drawing.cut is None else parse_cut(drawing.cut),
        shadows=drawing.shadows,
        ortho_blocks=looking.ortho if looking is not None else None,
    )


AGAINST: Final = "against"
"""The overlay of ``--against``."""


def parse_against(
    text: str | None, what: Sequence[str] | None, joining: JoinOptions, drawn: "DrawOptions"
) -> "tuple[OtherSource | None, DrawOptions]":
    """The source that a picture is compared with, and the picture with the overlay that shows it.

    Raises:
        UsageError: naming the value that cannot be meant.
        MissingFile: the second source is a file that is not there.
    """
    from client.options import DIFF_ARRAYS, DRAWN_DIFF_ARRAYS, parse_what
    from client.source import OtherSource

    if text is None:
        if what:
            raise UsageError("--what chooses what --against compares: name the second source with --against.")
        return None, drawn
    arrays = parse_what(what, DIFF_ARRAYS, DRAWN_DIFF_ARRAYS)
    if "light" in arrays and drawn.gpu_light:
        raise UsageError("Light that is computed on the GPU cannot be compared: use --light cpu with --what light.")
    other = OtherSource(connection(text, joining)[0], arrays)
    return other, drawn if AGAINST in drawn.overlays else replace(drawn, overlays=(*drawn.overlays, AGAINST))
