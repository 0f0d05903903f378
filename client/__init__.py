"""The client: known terrain, requests, light and sessions, without rendering. No GL; see README.md beside this file.

    background_task  Runs a function or imports on a thread, so that the window stays responsive
    connection/      Connections to worlds, without rendering, and the Python API
    embedded_server  Runs our own server as a child process, for embedded and saved worlds
    entities/        Entities: tables of what the server sent, and snapshots for drawing
    errors           Exceptions between a SOURCE and a shown world, with their exit codes
    kernel_cache/    Compiles the kernels once per machine and version, in a child process
    lan              Finds servers on the LAN, on a thread
    light/           Light maps: four channels of 0..15 for every known block
    options          The options of a connection, and the text forms of option values
    player           The player: where it looks from, and how it follows the camera at a legal speed
    recording/       Writes, plays and seeks recorded sessions
    report/          Reports about a world: records, dumps, and why a place is as it is
    session/         The session with one server: a deterministic state machine
    source           Parses a SOURCE, which names where a world comes from (interfaces.md, "Sources")
    streaming/       Which sub-chunks to request, in which order and packets, and what became of each request
    visibility       Face connectivity of sub-chunks, and the visibility walk over it
    weather          Rain and thunder, and the words of options for them
    world/           The terrain received from the server: block table, pools, lifecycle, store, changes

``client.connect`` is the function that users import as ``chunkscope.connect``.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:  # Any: the protocol of module attributes
    """Loads ``client.connection`` when it is first used, so that ``import client`` costs nothing."""
    if name == "connect":
        return import_module("client.connection").connect
    raise AttributeError(f"module 'client' has no attribute {name!r}")
