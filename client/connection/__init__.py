"""Connections to worlds, without rendering, and the Python API.

    boxes         Reads boxes of blocks as arrays, and finds blocks by id
    chat_text     Converts chat lines to plain text
    connection    A joined world: apply what arrives, wait for terrain, read it
    identity      Chooses the player UUID for a server
    joining_nethernet  Joins a server over NetherNet: session offer, proof of the answer, remembered server key
    live          Moves packets between transport and session; light and memory of a live session
    opening       Opens a SOURCE: returns a connection that has joined
    settle        The wait loop of the thread that owns a connection
    stats         Frozen snapshots that a connection returns, for panels, reports, tests and users
    tampering     Alters chosen answers of a server before the session gets them, for tests
    virtual_time  Embedded worlds in virtual time: our server and the session in one process, on one clock

SOURCE is ``embedded[:hills|bench|flat[:SEED]]``, a recording (``FILE.cscope``) or ``HOST[:PORT]`` (interfaces.md). A
source that is absent, refuses, or speaks another version raises ``SourceError`` with one sentence, a recording that
cannot be read ``UnreadableFile``. Over a recording, ``world.replay`` plays, pauses, steps and seeks.

``chunkscope`` (at the top level) is what users import; ``client.connect`` is the same function. Importing any part of
the package loads no kernel.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from client.connection.connection import Connection
    from client.source import Source

__all__ = ["connect"]


def connect(source: "str | Source", **options: Any) -> "Connection":  # Any: the fields of Options, checked there
    """Joins a world and returns the connection, a context manager.

    Waits until the server lets the player in, or the timeout passes. The first call on a machine also compiles for ten
    to twenty seconds.

    Args:
        source: a SOURCE, as text or parsed.
        **options: fields of ``Options``; an eye may be a tuple (X, Y, Z), a path a string.

    Raises:
        SourceError: the source is absent or full, speaks another version, refuses, or requires sign-in.
        UsageError: the source or an option is invalid.
        UnreadableFile: the source is a recording that cannot be read.
    """
    from client.kernel_cache import compile_missing  # noqa: PLC0415 - as above
    from client.options import options_of  # noqa: PLC0415 - nothing is loaded before it is needed
    from client.source import parse_source  # noqa: PLC0415 - as above

    parsed, checked = parse_source(source) if isinstance(source, str) else source, options_of(options)
    compile_missing()
    from client.connection.opening import open_connection  # noqa: PLC0415 - loads the kernels

    return open_connection(parsed, checked)
