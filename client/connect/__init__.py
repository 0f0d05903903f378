"""The composition root without pixels, and the Python API.

    import client

    with client.connect("embedded:hills", radius=4) as world:
        world.wait_settled()
        world.block((0, 64, 0))       # BlockView(name='minecraft:grass', states={}, ...)
        world.light((0, 70, 0))       # LightView(red=0, green=0, blue=0, daylight=15, lit=True)
        world.states()                # {'known_air': 1200, 'data': 433, ...}
        world.pin("tower", LookOut(200.0, -40.0, radius=3))   # stays loaded until world.unpin("tower")
        world.command("/dimension nether")                    # what came of it: world.session.commands.outcomes

SOURCE is ``embedded[:hills|bench|flat[:SEED]]``, a recording (``FILE.cscope``) or ``HOST[:PORT]`` (interfaces.md). A
source that is absent, refuses, or speaks another version raises ``SourceError`` with one sentence, a recording that
cannot be read ``UnreadableFile``. Over a recording, ``world.replay`` plays, pauses, steps and seeks.

    source       the SOURCE grammar            options      what a connection may be told
    connection   Connection: pump, wait, ask   opening      transports, the embedded server, versions
    reports      what it answers with
    dump         a box as arrays               archive      .npz files, whole or not at all
    what         which arrays                  why          why one place looks as it does
    record       a session as a file           scribe       what is written of it
    replay       a recording, played           track        one way through it, record by record
    tempo        how much of it is due         recorded_source   files that are recordings, opened
    recorded_config   the configuration in a recording's header
    warmup       kernels, compiled once        embedded     our server as a child process
    virtual_time the same in virtual time      tampering    answers spoiled on their way
    blob_cache   terrain kept between visits   look_outs    places that stay loaded
    standing     where their eyes are          goal         where to go in a recording
    keyframe     a session at one moment       stash        its tables, packed
    waypoints    where a way may begin at one  footholds    those that ways leave behind

This package is also the function of its name: ``client.connect(...)``, ``from client import connect`` and
``from client.connect import connect`` are the same call. The module's class says so below, the way Python's data model
provides ("customizing module attribute access"); importing any part of the package loads no kernel.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from client.connect.connection import Connection
    from client.connect.errors import ConnectError, SourceError, UsageError
    from client.connect.look_outs import LookOut
    from client.connect.options import Box, Options
    from client.connect.reports import LightView, Settled, Statistics
    from client.connect.source import Source

__all__ = [
    "Box",
    "ConnectError",
    "Connection",
    "LightView",
    "LookOut",
    "Options",
    "Settled",
    "Source",
    "SourceError",
    "Statistics",
    "UsageError",
    "connect",
]

_HOME = {
    "Box": "options",
    "ConnectError": "errors",
    "Connection": "connection",
    "LightView": "reports",
    "LookOut": "look_outs",
    "Options": "options",
    "Settled": "reports",
    "Source": "source",
    "SourceError": "errors",
    "Statistics": "reports",
    "UsageError": "errors",
}
"""The module of each name of the API; it is loaded when the name is first used."""


def __getattr__(name: str) -> Any:  # Any: the protocol of module attributes
    """Loads what ``_HOME`` names."""
    if name in _HOME:
        return getattr(import_module(f"client.connect.{_HOME[name]}"), name)
    raise AttributeError(f"module 'client.connect' has no attribute {name!r}")


def connect(source: "str | Source", **options: Any) -> "Connection":  # Any: the fields of Options, checked there
    """Joins a world and returns the connection, a context manager.

    Blocks until the server lets the player in, or the timeout passes. Kernels that were never compiled on this machine
    are compiled first, in a child process, which takes ten to twenty seconds, once.

    Args:
        source: a SOURCE, as text or parsed.
        **options: fields of ``client.connect.options.Options``: at, look_deg, radius, protocol, profile, timeout_s,
            dimension, time, mode, player_name, identity, light, limits, record, speed, start, cache, cache_dir, pins.

    Raises:
        SourceError: the source is absent, full, of another version, refusing, or wants signed-in players.
        UsageError: the source or an option cannot be meant.
        UnreadableFile: the source is a recording that cannot be read.

    Example:
        >>> with connect("embedded:flat", radius=2) as world:  # doctest: +SKIP
        ...     world.wait_settled()
        ...     print(world.block((0, -61, 0)).name, world.light((0, 0, 0)).daylight)
    """
    from client.connect.options import Options  # noqa: PLC0415 - nothing is loaded before it is needed
    from client.connect.source import parse_source  # noqa: PLC0415 - as above
    from client.connect.warmup import compile_missing  # noqa: PLC0415 - as above

    parsed, checked = parse_source(source) if isinstance(source, str) else source, Options(**options)
    compile_missing()
    from client.connect.opening import open_connection  # noqa: PLC0415 - loads the kernels

    return open_connection(parsed, checked)


class _CallablePackage(ModuleType):
    """A package that is also the function ``connect``."""

    def __call__(self, source: "str | Source", **options: Any) -> "Connection":
        """See ``connect``."""
        return connect(source, **options)


sys.modules[__name__].__class__ = _CallablePackage
