"""What we know of the world and what we want of it; see README.md beside this file. No GL in here.

    background_task  One function, or one import, on a thread of its own, so that a window lives on meanwhile
    connection/      The composition root without pixels, and the Python API
    embedded_server  Our own server as a child process: ``embedded[:WORLD[:SEED]]``, and worlds that games saved
    entities/        Entities as the server tells of them: tables, and what a picture of them is made of
    errors           What can go wrong between a SOURCE and a world that is shown
    kernel_cache/    Compiles the kernels once per machine and version, in a child process
    lan              Servers of the LAN as they come and go: asked again and again on a thread of its own
    light/           Light maps: four channels of 0..15 for every block that is known
    options          What a connection may be told, and the text forms of option values
    player           The player: where it looks from, and how it follows the camera at a speed that servers accept
    recording/       Recorded sessions: written, played, sought
    report/          Reports about a world: records, dumps, and why a place is as it is
    session/         One deterministic machine: message, tick, view and anchor in; store changes and messages out
    source           The SOURCE grammar: one word that says where a world comes from (interfaces.md, "Sources")
    streaming/       What to ask for, in which order, in which packets, and what became of each request
    visibility       What can be seen: face connectivity of sub-chunks, and the walk over it
    world/           What the client was told: block table, pools, lifecycle, store, changes

``client.connect`` is the function that users import as ``chunkscope.connect``.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:  # Any: the protocol of module attributes
    """Loads ``client.connection`` when it is first used, so that ``import client`` stays free."""
    if name == "connect":
        return import_module("client.connection").connect
    raise AttributeError(f"module 'client' has no attribute {name!r}")
