"""Commands that find servers without joining: ``scan`` pings the LAN and this machine, ``ping`` one address."""

from json import dumps
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from client.errors import SourceError, UsageError
from render.cli.arguments import Debug, DiscoveryPort, Json, command

if TYPE_CHECKING:
    from rich.table import Table

    from client.background_task import BackgroundTask
    from net.transport.discovery import Sighting, Sightings


@command(
    "scan",
    help="List the servers on the LAN and on this machine: name, version, players, latency, transport.",
    examples="Example: chunkscope scan --timeout 3 --json",
)
def run_scan(
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
    """Listens for the given time and lists the servers that answered; an empty list is no error."""
    from rich.console import Console
    from rich.live import Live

    from client.background_task import BackgroundTask
    from net.transport.discovery import PORTS, Sightings, everywhere, scan
    from net.transport.http_signalling import LOOPBACK_TIMEOUT_S, scan_by_http

    by_http = BackgroundTask("scan", lambda: scan_by_http(port or PORTS, min(timeout, LOOPBACK_TIMEOUT_S)))
    targets = everywhere(port or PORTS)
    hosts = everywhere((discovery_port,) if discovery_port else ())
    heard = Sightings()
    if json:
        found = scan(targets, timeout, hosts=hosts) + _heard(by_http)
        print(dumps([{**msgspec.to_builtins(each), "source": _source(each)} for each in found], indent=2))
        return 0
    console = Console()
    if console.is_terminal:
        with Live(_table(()), console=console, refresh_per_second=4) as live:
            found = scan(targets, timeout, lambda seen: live.update(_table(seen)), hosts=hosts, found=heard)
            found += _heard(by_http)
            live.update(_table(found))
    else:  # Live would end it without a new line
        found = scan(targets, timeout, hosts=hosts, found=heard) + _heard(by_http)
        console.print(_table(found))
    if not found:
        console.print(f"No server answered within {timeout:g} s.")
    _remark(heard, len(heard.all()))
    return 0


def _heard(by_http: "BackgroundTask[tuple[Sighting, ...]]") -> "tuple[Sighting, ...]":
    """Who takes offers by HTTP; each question has its time-out, so that this ends."""
    from net.transport.http_signalling import LOOPBACK_TIMEOUT_S

    return by_http.outcome() if by_http.wait(2 * LOOPBACK_TIMEOUT_S) else ()


def _remark(heard: "Sightings", listed: int) -> None:
    """Says what was heard and is no row."""
    if heard.malformed:
        print(f"{heard.malformed} datagrams were not server answers.")
    if heard.left_out:
        print(f"{heard.left_out} answers are not listed: at most {listed} servers are.")


def _table(found: "tuple[Sighting, ...]") -> "Table":
    from rich.markup import escape
    from rich.table import Column, Table

    from client.source import one_line

    table = Table(Column("source", no_wrap=True), "name", "version", "players", "latency", "transport", box=None)
    for each in found:
        pong = each.pong
        version = f"{one_line(pong.version)} (protocol {pong.protocol})" if pong.protocol else "unknown"
        players, latency = f"{pong.players}/{pong.max_players}", f"{each.latency_s * 1000:.0f} ms"
        table.add_row(_source(each), escape(one_line(pong.motd)), escape(version), players, latency, each.transport)
    return table


def _source(sighting: "Sighting") -> str:
    """As a SOURCE is written."""
    from client.lan import remote_of

    return str(remote_of(sighting))


@command(
    "ping",
    help="Ask a server for its transport, name, version, players and latency, without joining it.",
    examples="Example: chunkscope ping localhost:19132 --json",
)
def run_ping(
    address: Annotated[str, typer.Argument(metavar="HOST[:PORT]", help="The server to ask.", show_default=False)],
    timeout: Annotated[float, typer.Option("--timeout", metavar="S", help="Seconds to wait for an answer.")] = 5.0,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Prints what the server says of itself."""
    from client.lan import find
    from client.source import Remote, one_line, parse_source, source_sentence
    from net.errors import ConnectionClosed
    from net.raknet.ping import Pong

    remote = parse_source(address)
    if not isinstance(remote, Remote):
        raise UsageError(f"'{address}' is not an address: write HOST[:PORT].")
    if not timeout > 0:
        raise UsageError(f"The timeout must be longer than {timeout:g} s.")
    try:
        found = find(remote, timeout)
    except ConnectionClosed as error:
        raise SourceError(source_sentence(remote, error.reason)) from None
    if found is None:
        raise SourceError(f"{remote} did not answer within {timeout:g} s.")
    pong = found.pong or Pong("", 0, "", 0, 0)
    latency_ms = round(found.round_trip_s * 1000)
    if json:
        facts = msgspec.to_builtins(pong) | {"latency_ms": latency_ms, "transport": found.transport}
        del facts["sent_ms"]  # our own clock
        print(dumps(facts))
    else:
        version = f"{one_line(pong.version)} (protocol {pong.protocol})" if pong.protocol else "unknown version"
        players = f"{pong.players}/{pong.max_players} players"
        name = one_line(pong.motd) or "no name"
        print(f"{name} · {version} · {players} · {latency_ms} ms · {found.transport}")
    return 0
