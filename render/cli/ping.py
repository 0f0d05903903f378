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
    from dataclasses import asdict
    from json import dumps

    from rich import print as show

    from client.connect.errors import SourceError, UsageError
    from client.connect.source import Remote, parse_source
    from net.transport.ping import ping

    remote = parse_source(address)
    if not isinstance(remote, Remote):
        raise UsageError(f"'{address}' is no HOST[:PORT].")
    pong = ping((remote.host, remote.port), timeout)
    if pong is None:
        raise SourceError(f"Nobody answered at {remote} within {timeout:g} s.")
    if json:
        print(dumps(asdict(pong)))  # noqa: T201
    else:
        version = f"{pong.version} (protocol {pong.protocol})"
        show(f"[bold]{pong.motd}[/] · {version} · {pong.players}/{pong.max_players} players")
    return 0
