"""``chunkscope ping``: who is there, without joining."""

from typing import Annotated

import typer

from render.cli.options import Debug, Json

NAME = "ping"
HELP = "Ask a server for its transport, name, version, players and latency, without joining it."
EXAMPLES = "Example: chunkscope ping localhost:19132 --json"


def run(
    address: Annotated[str, typer.Argument(metavar="HOST[:PORT]", help="The server to ask.", show_default=False)],
    timeout: Annotated[float, typer.Option("--timeout", metavar="S", help="Seconds to wait for an answer.")] = 5.0,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Prints what the server says of itself."""
    from json import dumps

    import msgspec

    from client.errors import SourceError, UsageError
    from client.source import Remote, one_line, parse_source
    from net.errors import ConnectionClosed
    from net.raknet.ping import Pong
    from net.transport.http_signalling import find_server
    from net.transport.udp import resolve

    remote = parse_source(address)
    if not isinstance(remote, Remote):
        raise UsageError(f"'{address}' is not an address: write HOST[:PORT].")
    if not timeout > 0:
        raise UsageError(f"The timeout must be longer than {timeout:g} s.")
    try:
        where = resolve(remote.host, remote.port)
        found = find_server(where, remote.places, timeout, with_raknet=not remote.scheme, lan_port=remote.lan_port)
    except ConnectionClosed as error:
        raise SourceError(f"{remote}: {error.reason}.") from None
    if found is None:
        raise SourceError(f"{remote} did not answer within {timeout:g} s.")
    pong = found.pong or Pong("", 0, "", 0, 0)
    latency_ms = round(found.round_trip_s * 1000)
    if json:
        facts = msgspec.to_builtins(pong) | {"latency_ms": latency_ms, "transport": found.transport}
        del facts["sent_ms"]  # our own clock
        print(dumps(facts))
    else:
        version = f"{one_line(pong.version)} (protocol {pong.protocol})" if pong.protocol else "version not said"
        players = f"{pong.players}/{pong.max_players} players"
        name = one_line(pong.motd) or "no name"
        print(f"{name} · {version} · {players} · {latency_ms} ms · {found.transport}")
    return 0
