"""``chunkscope serve``: runs our own server until it is interrupted, and reads commands from standard input."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from json import loads
from math import isfinite
from threading import Thread
from typing import IO, Annotated, Any, NoReturn

import typer

from client.errors import MissingFile, UsageError
from client.source import EMBEDDED_WORLDS, Embedded, Remote, WorldFile, parse_source
from net.serve_arguments import SERVE_OPTIONS, ServeOption
from render.cli.arguments import Debug, Dimension, Json, ServeArguments, command, expect_file, parse_protocol
from render.cli.console import compile_kernels

READY = '{"port": '
"""How the line of the server begins that says where it listens; trouble may come before."""
TROUBLES = ("lost", "warning")
"""Log levels of the server's lines that are shown; they include what it saved."""

Served = Annotated[
    str, typer.Argument(metavar="SOURCE", help="embedded[:hills|bench|flat[:SEED]], FOLDER, FILE.mcworld")
]


@command(
    "serve",
    help="Serve an embedded or a saved world to clients of any supported version. Ctrl+C stops the server.",
    examples="Examples: chunkscope serve embedded:hills --port 19132 --mode full; "
    "chunkscope serve --faults docs/examples/faults/refused.toml",
)
def run(
    source: Served = "embedded",
    dimension: Dimension = None,
    chosen: ServeArguments = ServeArguments(),  # type: ignore[valid-type]  # made of a list
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Starts the server process and waits for its end."""
    from client.embedded_server import world_words
    from render.view_line import parse_dimension

    world = _world(source)
    values = {option.name: getattr(chosen, option.command_name) for option in SERVE_OPTIONS}
    for option in SERVE_OPTIONS:
        _check(option, values[option.name])
    _check_saving(values, of_saved=isinstance(world, WorldFile))
    _check_spoken(values["protocol"], values["ids"])
    compile_kernels(quiet=json)
    words = [word for option in SERVE_OPTIONS for word in _words(option, values[option.name])]
    return _serve([sys.executable, "-m", "net.server", *world_words(world, parse_dimension(dimension)), *words], json)


def _words(option: ServeOption, value: Any) -> list[str]:
    """An option on the command line of the process; nothing where it is as usual there."""
    if option.kind is bool:
        return [option.flag] if value else []
    if option.repeats:
        return [word for one in value or () for word in (option.flag, one)]
    return [] if value == option.default else [option.flag, str(value)]


def _world(text: str) -> Embedded | WorldFile:
    """The world to serve. Raises MissingFile: it does not exist; UsageError: it cannot be served."""
    from client.embedded_server import is_served

    world = parse_source(text)
    if isinstance(world, WorldFile) and not world.path.exists():
        raise MissingFile(world.path)
    if not is_served(world):
        meant = f": write embedded:{text}" if text in EMBEDDED_WORLDS else ""
        raise UsageError(f"Only embedded and saved worlds can be served; '{text}' is neither{meant}.")
    return world


def _check(option: ServeOption, value: Any) -> None:
    """Raises UsageError: an unknown word or an infinite number. MissingFile: a file to be read is not there."""
    if option.choices and value not in option.choices:
        raise UsageError(f"Unknown {option.flag} '{value}': choose from {', '.join(option.choices)}.")
    if option.kind is float and not isfinite(value):
        raise UsageError(f"{option.flag} must be a finite number, not {value}.")
    if option.file:
        for file in value or () if option.repeats else (value,):
            expect_file(file)


def _check_saving(values: Mapping[str, Any], *, of_saved: bool) -> None:
    """Makes sure that what is kept makes sense together. Raises UsageError: it does not."""
    if values["save"] is not None and values["save_beside"]:
        raise UsageError("Choose either --save or --save-beside.")
    if values["save_beside"] and not of_saved:
        raise UsageError("--save-beside needs a saved world; otherwise write --save FOLDER.")
    if values["keep_generated"] is not None and of_saved:
        raise UsageError("--keep-generated needs a generated world: a saved world is not generated.")


def _check_spoken(protocol: str, ids: str) -> None:
    """Makes sure that clients can speak so. Raises UsageError: none, not spoken here, or without such ids."""
    from net.releases import HASHED_IDS, SUPPORTED_RANGE, is_supported

    spoken = parse_protocol(protocol)
    if spoken is None:
        return
    if not is_supported(spoken):
        raise UsageError(f"Protocol {spoken} is not supported; supported are {SUPPORTED_RANGE}.")
    if ids == "hash" and spoken < HASHED_IDS:
        raise UsageError(f"Protocol {spoken} has no hashed block ids: choose {HASHED_IDS} or later with --protocol.")


def _serve(command: Sequence[str], as_json: bool) -> int:
    """The exit code of the child: its own if it failed (it wrote its sentence to stderr), 0 if it was asked to end.

    The child ends when its stdin, our pipe, is closed; so it never outlives this process. It runs in its own session
    (setsid), so that Ctrl+C reaches only this process, which closes the pipe and prints the child's last lines: a
    saved world is saved once more at the end.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    pipe = subprocess.PIPE
    child = subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8", start_new_session=True
    )
    if hasattr(signal, "SIGTTIN"):
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)  # in the background of a shell reading is an error, not a stop
    with child:
        assert child.stderr is not None
        relay = Thread(target=_relay, args=(child.stderr,), daemon=True)
        relay.start()
        try:
            assert child.stdout is not None
            if sys.stdin is not None:
                Thread(target=_pass_on, args=(child,), daemon=True).start()
            for line in child.stdout:
                (_announce if line.startswith(READY) else _tell)(line, as_json)
            relay.join()
            return child.wait()
        except KeyboardInterrupt:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.close()
            for line in child.stdout:
                _tell(line, as_json)
            relay.join()
            return 0


def _pass_on(child: "subprocess.Popen[str]") -> None:
    """Gives the child what is written to our standard input, a command a line; its end is not the child's."""
    assert child.stdin is not None
    with suppress(OSError, ValueError):  # stdin is closed, or the child has ended
        # No reader with a lock: a daemon thread that holds it while the interpreter ends is a fatal error.
        while read := os.read(sys.stdin.fileno(), 4096):
            os.write(child.stdin.fileno(), read)


def _relay(words: IO[str]) -> None:
    """What the child says on stderr, as every command says it."""
    for line in words:
        print(f"chunkscope: {line}", end="", file=sys.stderr, flush=True)


def _announce(line: str, as_json: bool) -> None:
    """Says where the server listens: the child's own JSON line, or a sentence made of it."""
    if as_json:
        print(line, end="", flush=True)
        return
    facts = loads(line)
    where = Remote(facts["address"], facts["port"])  # as a SOURCE is written
    first, last = facts["protocols"]
    spoken = f"protocol {last}" if first == last else f"protocols {first} to {last}"
    lan = f"; LAN game on UDP port {facts['discovery_port']}" if facts["discovery_port"] else ""
    print(f"serving {facts['world']} at {where} ({spoken}{lan}); Ctrl+C stops it", flush=True)


def _tell(line: str, as_json: bool) -> None:
    """What is damaged, unknown or not saved on stderr, answers to commands on stdout; or all as the server said it."""
    if as_json:
        print(line, end="", flush=True)
        return
    for kind, sentence in loads(line).items():
        if kind in TROUBLES:
            print(f"chunkscope: {sentence}", file=sys.stderr, flush=True)
        elif kind == "answer":
            print(sentence, flush=True)


def _interrupt(_number: int, _frame: object) -> NoReturn:
    """Treats SIGTERM like Ctrl+C."""
    raise KeyboardInterrupt
