"""``chunkscope scan``: which servers are on this LAN and on this machine."""

from typing import TYPE_CHECKING, Annotated

import typer

from render.cli.options import Debug, DiscoveryPort, Json

if TYPE_CHECKING:
    from rich.table import Table

    from net.transport.discovery import Sighting, Sightings

NAME = "scan"
HELP = "List the servers on the LAN and on this machine: name, version, players, latency, transport."
EXAMPLES = "Example: chunkscope scan --timeout 3 --json"


def run(
    port: Annotated[
        list[int] | None, typer.Option("--port", min=1, max=65535, help="Port to ask (19132 and 19133); repeatable.")
    ] = None,
    discovery_port: DiscoveryPort = 7551,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=0.0, help="Seconds to wait for answers.")
    ] = 3.0,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Listens so long and lists who answered; nobody is an answer, too."""
    from json import dumps

    import msgspec
    from rich.console import Console
    from rich.live import Live

    from net.transport.discovery import PORTS, Sightings, everywhere, scan

    targets = everywhere(port or PORTS)
    hosts = everywhere((discovery_port,) if discovery_port else ())
    heard = Sightings()
    if json:
        found = scan(targets, timeout, hosts=hosts)
        print(dumps([{**msgspec.to_builtins(each), "source": _source(each)} for each in found], indent=2))
        return 0
    console = Console()
    if console.is_terminal:
        with Live(_table(()), console=console, refresh_per_second=4) as live:
            found = scan(targets, timeout, lambda seen: live.update(_table(seen)), hosts=hosts, found=heard)
            live.update(_table(found))
    else:
        found = scan(targets, timeout, hosts=hosts, found=heard)
        console.print(_table(found))
    if not found:
        console.print(f"No server answered within {timeout:g} s.")
    _remark(heard, len(found))
    return 0


def _remark(heard: "Sightings", listed: int) -> None:
    """Says what was heard and is no row."""
    if heard.malformed:
        print(f"{heard.malformed} datagrams were not server answers.")
    if heard.left_out:
        print(f"{heard.left_out} answers are not listed: {listed} servers are the most.")


def _table(found: "tuple[Sighting, ...]") -> "Table":
    from rich.markup import escape
    from rich.table import Column, Table

    from client.source import one_line

    table = Table(Column("source", no_wrap=True), "name", "version", "players", "latency", "transport", box=None)
    for each in found:
        pong = each.pong
        version = f"{one_line(pong.version)} (protocol {pong.protocol})" if pong.protocol else "not said"
        players = f"{pong.players}/{pong.max_players}"
        table.add_row(
            _source(each),
            escape(one_line(pong.motd)),
            escape(version),
            players,
            f"{each.latency_s * 1000:.0f} ms",
            each.transport,
        )
    return table


def _source(sighting: "Sighting") -> str:
    """As a SOURCE is written."""
    from client.lan import remote_of

    return str(remote_of(sighting))
