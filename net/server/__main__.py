"""The server as a process: ``python -m net.server --world hills --port 0``.

When it listens it prints one line of JSON, for example ``{"port": 50123, "world": "hills:1", "protocol": 486, ...}``.
It ends when its standard input is closed, so that it never outlives whoever started it, or on an interrupt. What goes
wrong is one sentence on the standard error and an exit code: 1 for a bug of ours, 2 for wrong usage, 3 when the address
cannot be had or another server saves to the folder, 6 for a saved world or such a folder that cannot be read. What of a
saved world is damaged, or unknown to the protocol, is a line ``{"lost": "..."}`` each, when it is found. Where it saves
what is changed, each tick that counts is a line ``{"saved": 1234}``, and trouble with that ``{"warning": "..."}``.
"""

import argparse
import contextlib
import gc
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from net.bedrock.spoken import Spoken
from net.errors import FolderError, LocalProtocolError
from net.server.command_line import command_line
from net.server.fault_script import BadFaultScript, read_fault_script
from net.server.faults import Faults
from net.server.faulty_host import FaultyHost
from net.server.greeting import first_to_say
from net.server.host import Host
from net.server.options import ColumnMode, HostOptions, IdForm, LimitForm
from net.server.persistence.saving import Saving
from net.server.quota import ClientQuota
from net.server.save_options import WrongSave, open_save
from net.server.telling import Lossy, TellingHost
from net.server.wire_forms import UnknownState
from net.server.worlds import SavedWorld, UnknownWorld, World, beginning_in, open_worlds
from net.space.dimensions import by_number
from net.transport.disk.save_folder import FolderInUse, WrongWorld
from net.transport.disk.world_files import open_world_files
from net.transport.udp_host import UdpHost
from net.wire.profile import Profile

BUG = 1
WRONG_USAGE = 2
NO_ADDRESS = 3
UNREADABLE = 6
NOON = 6000
WARM_RADIUS = 9
END_S = 5.0


def _spoken(arguments: argparse.Namespace, worlds: Sequence[World]) -> Spoken:
    """Who may join: clients of one protocol, or of all that can say the ids and the worlds.

    Raises:
        LocalProtocolError: no protocol can.
    """
    profile = Profile(arguments.profile)
    if arguments.protocol is not None:
        return Spoken.only(arguments.protocol, profile)
    return Spoken(max(first_to_say(world, IdForm(arguments.ids)) for world in worlds), profile=profile)


def _worlds(arguments: argparse.Namespace) -> Sequence[World]:
    """All dimensions of what is chosen, first the one where players start."""
    if arguments.folder is None:
        return beginning_in(open_worlds(arguments.world), arguments.dimension or 0)
    first = SavedWorld(open_world_files(Path(arguments.folder)), by_number(arguments.dimension or 0))
    return first, *first.others()


def _options(arguments: argparse.Namespace, world: World, saving: Saving | None) -> HostOptions:
    saved_time = world.time if isinstance(world, SavedWorld) else NOON
    if saving is not None and saving.time is not None:
        saved_time = saving.time
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
        faults=_faults(arguments),
        occlusion=arguments.occlusion,
        all_start_there=arguments.dimension is not None,
        quota=ClientQuota(speed_blocks_s=float(arguments.speed_max)),
        bear_unknown=isinstance(world, SavedWorld),
    )


def _faults(arguments: argparse.Namespace) -> Faults:
    """The script's faults; an option on the command line goes before what the script says."""
    script = Faults()
    if arguments.faults is not None:
        path = Path(arguments.faults)
        try:
            script = read_fault_script(path.read_text(encoding="utf-8"), path.name)
        except OSError as error:
            raise BadFaultScript(f"The fault script {path} cannot be read: {error.strerror or error}.") from None
        except UnicodeDecodeError:
            raise BadFaultScript(f"The fault script {path} is no UTF-8 text.") from None
    return replace(
        script,
        refuse_percent=arguments.refuse_percent,
        delay_s=arguments.delay or script.delay_s,
        reverse=arguments.reverse or script.reverse,
    )


def _stop_with_stdin(server: UdpHost, saves: bool) -> None:
    """Stops the server when nobody holds the other end of the standard input any more.

    A turn that does not return is not waited for, whoever started us being gone, where there is nothing to save.
    """
    with contextlib.suppress(OSError, ValueError):
        while os.read(sys.stdin.fileno(), 4096):
            pass
    server.stop()
    if not saves:
        time.sleep(END_S)
        os._exit(0)


def main(arguments: list[str] | None = None) -> int:
    """Runs the process; gives its exit code."""
    chosen = command_line().parse_args(arguments)
    try:
        return _run(chosen)
    except Exception as error:  # whoever started us shows the last line of what we say
        return _fail(_bug(error), BUG)


def _bug(error: Exception) -> str:
    """One sentence: what, and where in the code."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    said = " ".join(str(error).split())
    return f"this is a bug of the server: {type(error).__name__}: {said} ({Path(at.filename).name} line {at.lineno})."


def _run(chosen: argparse.Namespace) -> int:
    try:
        worlds = _worlds(chosen)
        save = open_save(chosen, worlds[0], lambda said: _say({"warning": said}), lambda tick: _say({"saved": tick}))
    except (UnknownWorld, WrongSave, WrongWorld) as error:
        return _fail(str(error), WRONG_USAGE)
    except FolderInUse as error:
        return _fail(f"{error}.", NO_ADDRESS)
    except FolderError as error:
        return _fail(f"{error}.", UNREADABLE)
    with contextlib.closing(save[0]) if save else contextlib.nullcontext():
        return _serve(chosen, worlds, save[1] if save else None)


def _serve(chosen: argparse.Namespace, worlds: Sequence[World], saving: Saving | None) -> int:
    """Runs the server of an opened world; gives the exit code of the process."""
    world, *others = worlds
    try:
        options = _options(chosen, world, saving)
        spoken = _spoken(chosen, worlds)
        host = Host(
            world,
            options,
            spoken,
            time.monotonic(),
            time.time(),
            os.urandom,
            saving,
            beside=others,
        )
    except (BadFaultScript, UnknownState, LocalProtocolError) as error:
        return _fail(str(error), WRONG_USAGE)
    try:
        telling = _telling(host, world, saving, spoken.highest)
        faulty = FaultyHost(telling, options.faults) if options.faults.spoil_the_wire else telling
        server = UdpHost(faulty, (chosen.bind, chosen.port))
    except OSError as error:
        return _fail(f"cannot listen on {chosen.bind} port {chosen.port}: {error.strerror or error}", NO_ADDRESS)
    # What was imported lives for ever: looking through it takes 60 ms, more than a tick (measured).
    gc.collect()
    gc.freeze()
    _say(_ready(chosen, worlds, spoken, server.address))
    threading.Thread(target=_stop_with_stdin, args=(server, saving is not None), name="stdin", daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(goodbye=lambda now: host.close("The server is closed.", now))
    host.finish(time.monotonic())
    return 0


def _ready(
    chosen: argparse.Namespace, worlds: Sequence[World], spoken: Spoken, address: tuple[str, int]
) -> Mapping[str, object]:
    """What is said once it listens."""
    return {
        "port": address[1],
        "address": address[0],
        "world": worlds[0].name,
        "dimensions": [each.dimension.number for each in worlds],
        "protocol": spoken.highest,
        "protocols": [spoken.lowest, spoken.highest],
        "profile": chosen.profile,
        "mode": chosen.mode,
        "ids": chosen.ids,
    }


def _telling(host: Host, world: World, saving: Saving | None, protocol: int) -> Host | TellingHost:
    """The host; where something was saved one that tells what of it is found damaged."""
    sources: list[Lossy] = [
        *([world] if isinstance(world, SavedWorld) else []),
        *([saving] if saving is not None else []),
    ]
    return TellingHost(host, sources, protocol, lambda sentence: _say({"lost": sentence})) if sources else host


def _say(what: Mapping[str, object]) -> None:
    """One line of JSON. Whoever started us may listen no more: then nothing is said any more, not even at the end."""
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
