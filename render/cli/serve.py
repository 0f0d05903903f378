"""``chunkscope serve``: our own server, until it is interrupted."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from threading import Thread
from typing import IO, TYPE_CHECKING, Annotated, NoReturn

import typer

from render.cli.options import Debug, Dimension, DiscoveryPort, Json, Profile, Protocol, command, expect_file

if TYPE_CHECKING:
    from client.source import Embedded, WorldFile

TROUBLES = ("lost", "warning")
"""Lines of the server that a person has to know of; it says what it saved, too."""

Served = Annotated[
    str, typer.Argument(metavar="SOURCE", help="embedded[:hills|bench|flat[:SEED]], FOLDER, FILE.mcworld")
]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="UDP port; 0 picks a free one.")]
Host = Annotated[str, typer.Option("--host", help="Address to listen on.")]
Sent = Annotated[str, typer.Option("--mode", metavar="limited|limitless|full", help="How columns are sent.")]
LimitForm = Annotated[str, typer.Option("--limit-form", metavar="index|count", help="How the known-air limit is sent.")]
Ids = Annotated[
    str, typer.Option("--ids", metavar="order|hash", help="Form of block ids; hash needs protocol 582 or later.")
]
RadiusMax = Annotated[int, typer.Option("--radius-max", min=1, max=96, help="Largest radius to grant.")]
Clock = Annotated[
    int | None,
    typer.Option("--time", min=0, max=23999, help="Time of day; 6000 = noon.", show_default="as saved, or noon"),
]
FaultScript = Annotated[
    str | None,
    typer.Option(
        "--faults", metavar="FILE", help="Fault script: what goes wrong on purpose (docs/reference/fault-scripts.md)."
    ),
]
Save = Annotated[
    str | None,
    typer.Option("--save", metavar="FOLDER", help="Folder that keeps changed blocks, players and the clock."),
]
SaveBeside = Annotated[
    bool, typer.Option("--save-beside", help="Keep the changes of a saved world beside it, in NAME.edits.")
]
Mods = Annotated[
    list[str] | None,
    typer.Option("--mod", metavar="FILE.py", help="Python file that changes columns and hears of edits; repeatable."),
]
Animals = Annotated[
    int | None,
    typer.Option("--animals", min=0, max=64, help="Animals at the start.", show_default="8 in hills, else 0"),
]
Bots = Annotated[int, typer.Option("--bots", min=0, max=16, help="Players at the start that walk and build.")]
ServedTransport = Annotated[
    str,
    typer.Option(
        "--transport",
        metavar="raknet|nethernet|both",
        help="Transport of the clients; NetherNet needs the extra 'nethernet'.",
    ),
]
Name = Annotated[str, typer.Option("--name", help="Server name (MOTD).")]


@command(
    "serve",
    help="Serve an embedded or a saved world to clients of any supported version. Ctrl+C stops the server.",
    examples="Examples: chunkscope serve embedded:hills --port 19132 --mode full; "
    "chunkscope serve --faults docs/examples/faults/refused.toml",
)
def run(
    source: Served = "embedded",
    port: Port = 19132,
    host: Host = "127.0.0.1",
    mode: Sent = "limited",
    limit_form: LimitForm = "index",
    protocol: Protocol = "auto",
    transport: ServedTransport = "raknet",
    discovery_port: DiscoveryPort = 7551,
    ids: Ids = "order",
    profile: Profile = "bedrock",
    radius_max: RadiusMax = 32,
    time: Clock = None,
    dimension: Dimension = None,
    faults: FaultScript = None,
    save: Save = None,
    save_beside: SaveBeside = False,
    mod: Mods = None,
    animals: Animals = None,
    bots: Bots = 0,
    name: Name = "chunkscope",
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Starts the server process and waits for its end."""
    from client.embedded_server import world_words
    from client.source import WorldFile
    from render.cli.progress import compile_kernels
    from render.view_line import parse_dimension

    world = _world(source)
    _check_words(mode, limit_form, ids, profile, transport)
    kept = _kept(save, beside=save_beside, of_saved=isinstance(world, WorldFile))
    _check_spoken(protocol, ids)
    for file in (faults, *(mod or ())):
        expect_file(file)
    compile_kernels(quiet=json)
    command = [sys.executable, "-m", "net.server", *world_words(world, parse_dimension(dimension)), "--name", name]
    command += ["--bind", host, "--port", str(port), "--mode", mode, "--limit-form", limit_form]
    command += ["--transport", transport, "--discovery-port", str(discovery_port)]
    command += ["--protocol", protocol, "--ids", ids, "--profile", profile, "--radius-max", str(radius_max)]
    command += ["--time", str(time)] if time is not None else []
    command += ["--faults", faults] if faults is not None else []
    command += [word for file in mod or () for word in ("--mod", file)]
    command += ["--bots", str(bots)] if bots else []
    command += ["--animals", str(animals)] if animals is not None else []
    return _serve([*command, *kept], json)


def _world(text: str) -> "Embedded | WorldFile":
    """The world that is to be served. Raises MissingFile: there is none, or UsageError: it is not ours to serve."""
    from client.embedded_server import is_served
    from client.errors import MissingFile, UsageError
    from client.source import WorldFile, parse_source

    world = parse_source(text)
    if isinstance(world, WorldFile) and not world.path.exists():
        raise MissingFile(world.path)
    if not is_served(world):
        raise UsageError(f"Only embedded and saved worlds can be served; '{text}' is neither.")
    return world


def _check_words(mode: str, limit_form: str, ids: str, profile: str, transport: str) -> None:
    """Makes sure that options which are words are known ones. Raises UsageError: one is not, with those there are."""
    from client.errors import UsageError

    for value, option, choices in (
        (mode, "mode", ("limited", "limitless", "full")),
        (limit_form, "limit form", ("index", "count")),
        (ids, "kind of block ids", ("order", "hash")),
        (profile, "wire profile", ("bedrock", "documented")),
        (transport, "transport", ("raknet", "nethernet", "both")),
    ):
        if value not in choices:
            raise UsageError(f"Unknown {option} '{value}': choose from {', '.join(choices)}.")


def _kept(save: str | None, *, beside: bool, of_saved: bool) -> list[str]:
    """The words of the command line that say where changes are kept. Raises UsageError: they make no sense together."""
    from client.errors import UsageError

    if save is not None and beside:
        raise UsageError("Choose one of --save and --save-beside.")
    if beside and not of_saved:
        raise UsageError("--save-beside needs a saved world; otherwise write --save FOLDER.")
    if save is not None:
        return ["--save", save]
    return ["--save-beside"] if beside else []


def _check_spoken(protocol: str, ids: str) -> None:
    """Makes sure that clients can speak so. Raises UsageError: none, not spoken here, or without such ids."""
    from client.errors import UsageError
    from net.bedrock.releases import HASHED_IDS, SUPPORTED_RANGE, is_supported

    if protocol != "auto" and not (protocol.isascii() and protocol.isdigit()):
        raise UsageError(f"'{protocol}' is not a protocol: write auto or a number.")
    if protocol == "auto":
        return
    spoken = int(protocol)
    if not is_supported(spoken):
        raise UsageError(f"Protocol {spoken} is not supported; supported are {SUPPORTED_RANGE}.")
    if ids == "hash" and spoken < HASHED_IDS:
        raise UsageError(f"Protocol {spoken} has no hashed block ids: choose {HASHED_IDS} or later with --protocol.")


def _serve(command: Sequence[str], as_json: bool) -> int:
    """The exit code of the child: its own when it failed (its sentence is on stderr), 0 when it was told to end.

    The child ends with its stdin: a pipe of ours, so that it lives as long as this process and not longer. It has a
    session of its own, so that an interrupt from the keyboard reaches this process alone, which then closes the pipe
    and listens to the child's last words: a world that is saved is saved once more.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    pipe = subprocess.PIPE
    child = subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8", start_new_session=True
    )
    with child:
        assert child.stderr is not None
        relay = Thread(target=_relay, args=(child.stderr,), daemon=True)
        relay.start()
        try:
            assert child.stdout is not None
            if line := child.stdout.readline():
                _announce(line, as_json)
            for line in child.stdout:
                _tell_trouble(line, as_json)
            relay.join()
            return child.wait()
        except KeyboardInterrupt:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.close()
            for line in child.stdout:
                _tell_trouble(line, as_json)
            relay.join()
            return 0


def _relay(words: IO[str]) -> None:
    """What the child says on stderr, as every command says it."""
    for line in words:
        print(f"chunkscope: {line}", end="", file=sys.stderr, flush=True)


def _announce(line: str, as_json: bool) -> None:
    """Says where the server listens: the child's own JSON line, or a sentence made of it."""
    from json import loads

    from client.source import Remote

    if as_json:
        print(line, end="", flush=True)
        return
    facts = loads(line)
    where = Remote(facts["address"], facts["port"])  # as a SOURCE is written
    first, last = facts["protocols"]
    spoken = f"protocol {last}" if first == last else f"protocols {first} to {last}"
    lan = f"; LAN game on UDP port {facts['discovery_port']}" if facts["discovery_port"] else ""
    print(f"serving {facts['world']} at {where} ({spoken}{lan}); Ctrl+C stops it", flush=True)


def _tell_trouble(line: str, as_json: bool) -> None:
    """What is damaged, unknown or not saved, when the server finds it: on stderr, or as the server said it."""
    from json import loads

    if as_json:
        print(line, end="", flush=True)
        return
    for kind, sentence in loads(line).items():
        if kind in TROUBLES:
            print(f"chunkscope: {sentence}", file=sys.stderr, flush=True)


def _interrupt(_number: int, _frame: object) -> NoReturn:
    """Being told to end is the same as Ctrl-C."""
    raise KeyboardInterrupt
