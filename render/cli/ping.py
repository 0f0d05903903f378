"""``chunkscope ping``: who is there, without joining."""

from typing import Annotated

import typer

from render.cli.options import Debug, Json

NAME = "ping"
HELP = "Ask a server for its name, version, players and latency, without joining it."
EXAMPLES = "Example: chunkscope ping localhost:19132 --json"


def run(
    address: Annotated[str, typer.Argument(metavar="HOST[:PORT]", help="The server to ask.", show_default=False)],
    timeout: Annotated[float, typer.Option("--timeout", metavar="S", help="Seconds to wait for an answer.")] = 5.0,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Prints what the server says of itself."""
    from json import dumps
    from time import monotonic

    import msgspec

    from client.errors import SourceError, UsageError
    from client.source import Remote, one_line, parse_source
    from net.errors import ConnectionClosed
    from net.transport.discovery import ping
    from net.transport.udp import resolve

    remote = parse_source(address)
    if not isinstance(remote, Remote):
        raise UsageError(f"'{address}' is no HOST[:PORT].")
    if not timeout > 0:
        raise UsageError(f"A timeout of {timeout:g} s leaves no time at all.")
    try:
        pong = ping(resolve(remote.host, remote.port), timeout)
    except ConnectionClosed as error:
        raise SourceError(f"{remote}: {error.reason}.") from None
    latency_ms = max(0, round(monotonic() * 1000) - (pong.sent_ms if pong else 0))
    if pong is None:
        raise SourceError(f"Nobody answered at {remote} within {timeout:g} s.")
    if json:
        facts = msgspec.to_builtins(pong) | {"latency_ms": latency_ms}
        del facts["sent_ms"]  # our own clock
        print(dumps(facts))
    else:
        version = f"{one_line(pong.version)} (protocol {pong.protocol})"
        print(f"{one_line(pong.motd)} · {version} · {pong.players}/{pong.max_players} players · {latency_ms} ms")
    return 0
