"""The server as a process: ``python -m net.server --world hills --port 0``.

Output on stdout, one JSON object a line:

- when it listens: ``{"port": 50123, "world": "hills:1", "protocol": 486, ...}``
- the answer to a command: ``{"answer": "..."}``
- a part of a saved world that is damaged or unknown to the protocol, when it is found: ``{"lost": "..."}``
- when saving, each committed tick ``{"saved": 1234}`` and each problem ``{"warning": "..."}``

It reads commands (``net.server.commands``) from stdin, one a line. It stops on an interrupt, or when its stdin is
closed, so that it never outlives its parent process. An error is one sentence on stderr and an exit code: 1 for a bug
in the server, 2 for wrong usage, 3 if the address is not available or another server saves to the folder, 6 if a saved
world or a save folder cannot be read.

Edits are saved with ``--save FOLDER`` or ``--save-beside``. The folder of a saved world is never written to: its edits
go to another folder, by default ``NAME.edits`` beside it.
"""

import gc

if __name__ == "__main__":
    gc.disable()  # all that is made until it listens lives on: to look for garbage in it is a tenth of the start

import argparse
import atexit
import contextlib
import json
import math
import os
import runpy
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from net.bedrock import SubChunkResult
from net.errors import FolderError, LocalProtocolError
from net.palette import UnknownState
from net.peer import Transports
from net.releases import SUPPORTED_RANGE, ProtocolRange, is_supported
from net.serve_arguments import SERVE_OPTIONS, ServeOption
from net.server.faults import BadFaultScript, FaultyHost, RefusalFault, ServerFaults, read_fault_script
from net.server.host import Host, LostReport
from net.server.host_options import ClientQuota, ColumnMode, HostOptions, IdForm, LimitForm
from net.server.join_packets import lowest_protocol
from net.server.mods import LimitedCaller, Mod, Mods, TookTooLong
from net.server.save.saving import STORAGES, Saving
from net.server.save.transactions import SaveTriggers
from net.server.worlds import KeptWorld, SavedWorld, ServerWorld, UnknownWorld, beginning_in, open_worlds, stamp_of
from net.space import by_number
from net.storage.generated_columns import GeneratedColumns
from net.storage.server_save import FolderInUse, SaveFolder, WrongWorld
from net.storage.world_files import open_world_files
from net.transport.udp_server import UdpHost
from net.wire.fields import Profile

BESIDE: Final = ".edits"
_MIB: Final = 1 << 20
HILLS_ANIMALS: Final = 8
BUG = 1
WRONG_USAGE = 2
NO_ADDRESS = 3
UNREADABLE = 6
NOON = 6000
WARM_RADIUS = 9
END_S = 5.0
LONGEST_LINE = 4096
LOAD_S = 5.0


class WrongUsage(ValueError):
    """Options that contradict each other, or a mod that cannot be used; the message says why."""


def open_save(chosen: argparse.Namespace, world: ServerWorld) -> tuple[SaveFolder, Saving] | None:
    """Opens the save that the options choose; None if they choose none.

    Raises WrongUsage, FolderInUse, WrongWorld, FolderError: the world cannot be saved there.
    """
    path = _place(chosen)
    if path is None:
        return None
    lost: list[str] = []
    folder = SaveFolder(path, world.name, STORAGES, lost.append)
    triggers = SaveTriggers(chosen.save_every, int(chosen.save_mib * _MIB), chosen.save_idle, chosen.save_timeout)
    saving = Saving(folder, triggers, _warn, lambda tick: _print({"saved": tick}))
    saving.lost[:0] = lost
    return folder, saving


def _place(chosen: argparse.Namespace) -> Path | None:
    if chosen.save_beside:
        if chosen.save is not None:
            raise WrongUsage("Choose either --save or --save-beside.")
        if chosen.folder is None:
            raise WrongUsage("--save-beside needs a saved world (--folder); otherwise write --save FOLDER")
        source = Path(chosen.folder).resolve()
        return source.with_name(source.name + BESIDE)
    if chosen.save is None:
        return None
    path = Path(chosen.save)
    if chosen.folder is not None and path.resolve().is_relative_to(Path(chosen.folder).resolve()):
        raise WrongUsage(f"{path} is inside the saved world {chosen.folder}, which is never modified")
    return path


def _warn(sentence: str) -> None:
    _print({"warning": sentence})


def command_line() -> argparse.ArgumentParser:
    """All options; the process interprets their values."""
    parser = argparse.ArgumentParser("python -m net.server", description="Serves an embedded world until stdin closes.")
    parser.add_argument("--world", default="hills", help="hills, bench or flat, with a seed: hills:7")
    parser.add_argument("--folder", metavar="PATH", help="a saved world (folder, .mcworld, .zip) instead of --world")
    start_help = "dimension in which players start: 1 Nether, 2 End (default: as saved, or 0)"
    parser.add_argument("--dimension", type=int, choices=(0, 1, 2), help=start_help)
    for option in SERVE_OPTIONS:
        _add(parser, option)
    return parser


def _add(parser: argparse.ArgumentParser, option: ServeOption) -> None:
    if option.kind is bool:
        parser.add_argument(option.flag, action="store_true", help=option.help)
        return
    shown = option.shown or option.default
    parser.add_argument(
        option.flag,
        action="append" if option.repeats else "store",
        default=[] if option.repeats else option.default,
        type=_number(option) if option.kind in (int, float) else str,
        choices=option.choices or None,
        metavar=option.metavar,
        help=(option.help if shown is None else f"{option.help} ({shown})").replace("%", "%%"),
    )


def _number(option: ServeOption) -> Callable[[str], int | float]:
    """An argument type: a number from ``least`` to ``most``."""

    def parse(text: str) -> int | float:
        value: int | float = int(text) if option.kind is int else float(text)
        least, most = option.least, option.most
        if not math.isfinite(value) or (least is not None and value < least) or (most is not None and value > most):
            raise argparse.ArgumentTypeError(f"{text} is not in {least}..{'' if most is None else most}")
        return value

    parse.__name__ = "number"
    return parse


def _spoken(arguments: argparse.Namespace, worlds: Sequence[ServerWorld]) -> ProtocolRange:
    """The protocols that clients may use: one, or all that can express the ids and the worlds.

    Raises LocalProtocolError: no protocol can, or the chosen one is not supported.
    """
    profile = Profile(arguments.profile)
    text = arguments.protocol
    if text == "auto":
        return ProtocolRange(max(lowest_protocol(world, IdForm(arguments.ids)) for world in worlds), profile=profile)
    if not (text.isascii() and text.isdigit() and is_supported(int(text))):
        raise LocalProtocolError(f"protocol {text} is not spoken; choose auto or one of {SUPPORTED_RANGE}")
    return ProtocolRange.only(int(text), profile)


def _worlds(arguments: argparse.Namespace) -> Sequence[ServerWorld]:
    """All dimensions of the chosen world, the starting dimension first."""
    if arguments.folder is None:
        worlds = beginning_in(open_worlds(arguments.world), arguments.dimension or 0)
        return worlds if arguments.keep_generated is None else _kept(worlds, arguments)
    if arguments.keep_generated is not None:
        raise WrongUsage("--keep-generated needs a generated world (--world): a saved world is not generated")
    first = SavedWorld(open_world_files(Path(arguments.folder)), by_number(arguments.dimension or 0))
    return first, *first.others()


def _kept(worlds: Sequence[ServerWorld], arguments: argparse.Namespace) -> Sequence[ServerWorld]:
    """The worlds with a cache of generated columns on disk; prints a warning if the cache cannot be opened."""
    folder, most_bytes = Path(arguments.keep_generated), arguments.keep_mib * _MIB
    try:
        kept = GeneratedColumns(folder, stamp_of(worlds[0]), most_bytes, _warn)
    except FolderError as error:
        _warn(f"{error}.")
        return worlds
    atexit.register(kept.close)
    return [KeptWorld(world, kept) for world in worlds]


def _options(arguments: argparse.Namespace, world: ServerWorld, saving: Saving | None) -> HostOptions:
    saved_time = world.time if isinstance(world, SavedWorld) else NOON
    if saving is not None and saving.time is not None:
        saved_time = saving.time
    animals = arguments.animals
    if animals is None:
        animals = HILLS_ANIMALS if arguments.folder is None and arguments.world.startswith("hills") else 0
    return HostOptions(
        mode=ColumnMode(arguments.mode),
        limit_form=LimitForm(arguments.limit_form),
        ids=IdForm(arguments.ids),
        radius_max=arguments.radius_max,
        time=saved_time if arguments.time is None else arguments.time,
        time_runs=arguments.time_runs,
        name=arguments.name,
        warm_radius=WARM_RADIUS,
        level=arguments.level,
        transports=Transports(arguments.transport),
        faults=_faults(arguments),
        occlusion=arguments.occlusion,
        animals=animals,
        bots=arguments.bots,
        all_start_there=arguments.dimension is not None,
        fov_degrees=arguments.fov,
        aspect=arguments.aspect,
        quota=ClientQuota(
            entries_a_second=arguments.entries_a_second,
            columns_a_second=arguments.columns_a_second,
            builds_a_second=arguments.builds_a_second,
            commands_a_second=arguments.commands_a_second,
            speed_blocks_s=float(arguments.speed_max),
        ),
        bear_unknown=isinstance(world, SavedWorld),
    )


def _mod(path: Path) -> Mod:
    """The mod of a file. Raises WrongUsage: it cannot be read, or fails when it runs."""
    caller = LimitedCaller(f"chunkscope-mod-{path.stem}")
    functions: dict[str, object] = {}
    try:
        caller.call(lambda: functions.update(runpy.run_path(str(path))), LOAD_S)
    except TookTooLong:
        raise WrongUsage(f"The mod {path} took longer than {LOAD_S:g} s to load.") from None
    except (Exception, SystemExit) as error:
        said = " ".join(str(error).split())[:200]
        raise WrongUsage(f"The mod {path} cannot be loaded: {type(error).__name__}: {said}.") from None
    if not any(callable(functions.get(name)) for name in ("generated", "edited")):
        raise WrongUsage(f"The mod {path} defines neither generated(column) nor edited(edit).")
    return Mod(path.name, functions, caller, _warn)


def _faults(arguments: argparse.Namespace) -> ServerFaults:
    """The faults of the script; options on the command line take precedence."""
    script = ServerFaults()
    if arguments.faults is not None:
        path = Path(arguments.faults)
        try:
            script = read_fault_script(path.read_text(encoding="utf-8"), str(path))
        except OSError as error:
            raise BadFaultScript(f"The fault script {path} cannot be read: {error.strerror or error}.") from None
        except UnicodeDecodeError:
            raise BadFaultScript(f"The fault script {path} is not UTF-8 text.") from None
    refused = RefusalFault(SubChunkResult.CHUNK_NOT_FOUND, arguments.refuse_percent / 100)
    return replace(
        script,
        refusals=(refused, *script.refusals) if arguments.refuse_percent else script.refusals,
        delay_s=arguments.delay or script.delay_s,
        reverse=arguments.reverse or script.reverse,
    )


def _stop_with_stdin(server: UdpHost, saves: bool, console: deque[str]) -> None:
    """Passes lines of stdin to the host; stops the server when stdin is closed.

    If the server does not save, the process exits after ``END_S`` even if a turn has not returned: the parent process
    is gone.
    """
    with contextlib.suppress(OSError, ValueError):
        # No reader with a lock: a daemon thread that holds it while the interpreter ends is a fatal error.
        left = b""
        while read := os.read(sys.stdin.fileno(), LONGEST_LINE):
            *lines, left = (left + read)[-2 * LONGEST_LINE :].split(b"\n")
            console.extend(line.decode(errors="replace") for line in lines if line.strip())
    server.stop()
    if not saves:
        time.sleep(END_S)
        os._exit(0)


def main(arguments: list[str] | None = None) -> int:
    chosen = command_line().parse_args(arguments)
    try:
        return _run(chosen)
    except Exception as error:  # the parent process shows our last line
        return _fail(_bug(error), BUG)


def _bug(error: Exception) -> str:
    """A bug as one sentence: the error and its place in the code."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    said = " ".join(str(error).split())
    return f"this is a bug in the server: {type(error).__name__}: {said} ({Path(at.filename).name} line {at.lineno})."


def _run(chosen: argparse.Namespace) -> int:
    try:
        worlds = _worlds(chosen)
        save = open_save(chosen, worlds[0])
    except (UnknownWorld, WrongUsage, WrongWorld) as error:
        return _fail(str(error), WRONG_USAGE)
    except FolderInUse as error:
        return _fail(f"{error}.", NO_ADDRESS)
    except FolderError as error:
        return _fail(f"{error}.", UNREADABLE)
    with contextlib.closing(save[0]) if save else contextlib.nullcontext():
        return _serve(chosen, worlds, save[1] if save else None)


def _serve(chosen: argparse.Namespace, worlds: Sequence[ServerWorld], saving: Saving | None) -> int:
    """Runs the server of an opened world; gives the exit code of the process."""
    world, *others = worlds
    if chosen.transport != Transports.RAKNET.value:
        from net.nethernet.dtls import MISSING, is_installed  # noqa: PLC0415 - with its certificates a fortieth of a second

        if not is_installed():
            return _fail(f"{MISSING}.", WRONG_USAGE)
    try:
        options = _options(chosen, world, saving)
        if options.faults.crossing_s is not None and not others:
            raise BadFaultScript(f"[crossing] sends players to another dimension, but {world.name} has only one.")
        spoken = _spoken(chosen, worlds)
        clock = time.monotonic(), time.time(), os.urandom
        mods = Mods([_mod(Path(path)) for path in chosen.mod]) if chosen.mod else None
        host = Host(world, options, spoken, *clock, saving, beside=others, mods=mods)
    except (WrongUsage, BadFaultScript, UnknownState, LocalProtocolError) as error:
        return _fail(str(error), WRONG_USAGE)
    host.answer_console = lambda sentence: _print({"answer": sentence})
    sources = [source for source in (world, saving) if isinstance(source, SavedWorld | Saving)]
    if sources:
        host.lost_report = LostReport(sources, spoken.highest, lambda sentence: _print({"lost": sentence}))
    try:
        faulty = FaultyHost(host, options.faults) if options.faults.spoil_the_wire else host
        answerer = None if options.transports is Transports.RAKNET else host
        server = UdpHost(faulty, (chosen.bind, chosen.port), answerer)
    except OSError as error:
        return _fail(f"cannot listen on {chosen.bind} port {chosen.port}: {error.strerror or error}", NO_ADDRESS)
    discovery_port, refused = _announce(chosen, host, server)
    # Imported objects live until exit: each collection would scan them for 60 ms, more than a tick (measured).
    gc.freeze()
    gc.enable()
    ready = {
        "port": server.address[1],
        "address": server.address[0],
        "world": world.name,
        "dimensions": [each.dimension.number for each in worlds],
        "protocol": spoken.highest,
        "protocols": [spoken.lowest, spoken.highest],
        "profile": chosen.profile,
        "mode": chosen.mode,
        "ids": chosen.ids,
        "transport": chosen.transport,
        "discovery_port": discovery_port,
    }
    _print(ready)
    if refused:
        _warn(refused)
    threading.Thread(
        target=_stop_with_stdin, args=(server, saving is not None, host.console), name="stdin", daemon=True
    ).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(goodbye=lambda now: host.close("The server is closed.", now))
    host.finish(time.monotonic())
    return 0


def _announce(chosen: argparse.Namespace, host: Host, server: UdpHost) -> tuple[int, str]:
    """Announces the server on the LAN; returns the port (0: not announced) and why announcing failed."""
    if not chosen.discovery_port or chosen.transport == Transports.RAKNET.value:
        return 0, ""
    from net.nethernet.lan import LanHost  # noqa: PLC0415 - as for DTLS

    network_id, nonce = int.from_bytes(os.urandom(8), "big"), os.urandom(8).hex()
    try:
        return server.announce(LanHost(host, network_id, nonce), chosen.discovery_port), ""
    except OSError as error:
        said = error.strerror or error
        return 0, f"it is not announced on the LAN: UDP port {chosen.discovery_port} is not available ({said})."


def _print(what: Mapping[str, object]) -> None:
    """Prints one line of JSON. After a broken pipe it discards all further output, also at exit."""
    try:
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(sentence: str, code: int) -> int:
    sys.stderr.write(f"{sentence}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
