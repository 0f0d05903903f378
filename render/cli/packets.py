"""``chunkscope packets``: the packets of a recording, decoded; requests with their answers.

A module of its own because it joins nothing and starts faster without the options of a join.
"""

from typing import Annotated

import typer

from client.errors import UsageError
from client.options import Moment, parse_block, parse_moment
from client.source import WorldFile, parse_source
from render.cli.arguments import MOMENT_FORMS, Debug, Json, command
from render.cli.console import compile_kernels


@command(
    "packets",
    help="List the packets of a recording, one row a packet, undecodable ones with the offset of the invalid byte. "
    "The exit code is 1 if no packet matches.",
    examples="Examples: chunkscope packets session.cscope --type SubChunkRequest --type SubChunk --at -1,80,-5\n\n"
    "chunkscope packets session.cscope --undecodable --bytes\n\n"
    "chunkscope packets session.cscope --waterfall --from 2.5 --to 4",
)
def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Recording (.cscope).", show_default=False)],
    *,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--type", metavar="NAME|NUMBER", help="Only packets of this type; repeatable.", show_default="all"
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="X,Y,Z", help="Only packets about the sub-chunk or chunk column of this block."),
    ] = None,
    sender: Annotated[
        str | None, typer.Option("--sender", metavar="server|client", help="Only packets that this side sent.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="Only packets with this text or number in them.")
    ] = None,
    undecodable: Annotated[bool, typer.Option("--undecodable", help="Only packets with invalid bytes.")] = False,
    first: Annotated[
        str | None, typer.Option("--from", metavar="TIME|#PACKET", help=f"First moment: {MOMENT_FORMS}.")
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", metavar="TIME|#PACKET", help=f"Last moment: {MOMENT_FORMS}.")
    ] = None,
    beside: Annotated[bool, typer.Option("--bytes", help="Show every field beside its bytes.")] = False,
    waterfall: Annotated[
        bool, typer.Option("--waterfall", help="List the sub-chunk requests with the times and codes of their answers.")
    ] = False,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Reads the recording and writes its packets; exit code 1 where none matches."""
    if waterfall and (kinds or sender or text or undecodable or beside):
        raise UsageError("--waterfall lists requests: it takes only the filters --at, --from and --to.")
    source = parse_source(file)
    if not isinstance(source, WorldFile):
        raise UsageError(f"{source} is not a recording: record it first (chunkscope record {file} --out FILE.cscope).")
    block = None if at is None else parse_block(at)
    begin = Moment() if first is None else parse_moment(first)
    end = None if last is None else parse_moment(last)
    compile_kernels(quiet=json)
    from client.report.packets import PacketFilter, write_packets  # loads the kernels, so only when they are there

    wanted = PacketFilter(tuple(kinds or ()), block, sender or "", text or "", begin, end, undecodable)
    return write_packets(source, wanted, fields=beside, waterfall=waterfall, as_json=json)
