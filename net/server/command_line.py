"""The options of ``python -m net.server``."""

import argparse
from collections.abc import Callable
from typing import Final

from net.bedrock.releases import NEWEST, OLDEST, SUPPORTED_RANGE
from net.server.options import ColumnMode, IdForm, LimitForm
from net.server.quota import ClientQuota
from net.server.save_options import add_save_options
from net.wire.profile import Profile

PROTOCOL: Final = 486


def command_line() -> argparse.ArgumentParser:
    """All options; their values are read by the process."""
    parser = argparse.ArgumentParser("python -m net.server", description="Serves an embedded world until stdin closes.")
    _add_world_options(parser)
    _add_wire_options(parser)
    _add_player_options(parser)
    _add_fault_options(parser)
    add_save_options(parser)
    return parser


def _add_world_options(parser: argparse.ArgumentParser) -> None:
    """What is served."""
    parser.add_argument("--world", default="hills", help="hills, bench or flat, with a seed: hills:7")
    parser.add_argument(
        "--folder", metavar="PATH", help="a saved world (folder, .mcworld, .zip) in the place of --world"
    )
    parser.add_argument(
        "--dimension", type=_number(0, 2), help="where all start: 1 Nether, 2 End; as players were saved, else 0"
    )
    parser.add_argument("--time", type=_number(0, 1 << 30), help="in ticks, 6000 is noon; as saved, else noon")
    parser.add_argument("--time-runs", action="store_true", help="let the clock advance")


def _add_wire_options(parser: argparse.ArgumentParser) -> None:
    """Where it listens, and how it says things."""
    parser.add_argument("--bind", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=_number(0, 65535), default=0, help="UDP port, 0 for a free one")
    parser.add_argument("--name", default="chunkscope", help="what pings are told")
    parser.add_argument("--mode", choices=[mode.value for mode in ColumnMode], default=ColumnMode.LIMITED.value)
    parser.add_argument("--limit-form", choices=[form.value for form in LimitForm], default=LimitForm.INDEX.value)
    parser.add_argument("--profile", choices=[profile.value for profile in Profile], default=Profile.BEDROCK.value)
    parser.add_argument(
        "--protocol",
        type=_protocol,
        default=PROTOCOL,
        help=f"the one that clients must speak, or auto: any of {SUPPORTED_RANGE}",
    )
    parser.add_argument(
        "--ids", choices=[form.value for form in IdForm], default=IdForm.ORDER.value, help="hash: from protocol 582 on"
    )
    parser.add_argument("--level", type=_number(0, 9), help="of deflate; 1 towards this machine, else 6, unless given")


def _add_player_options(parser: argparse.ArgumentParser) -> None:
    """What players are given, and believed."""
    parser.add_argument(
        "--radius-max", type=_number(1, 96), default=32, help="largest chunk radius granted, in columns"
    )
    parser.add_argument(
        "--occlusion", action="store_true", help="hold whole columns back until some line of sight reaches them"
    )
    parser.add_argument(
        "--speed-max",
        type=_number(1, 100_000),
        default=int(ClientQuota().speed_blocks_s),
        help="blocks a second, level, that a player is believed; our viewer flies at 1000 where it started the server",
    )


def _add_fault_options(parser: argparse.ArgumentParser) -> None:
    """What goes wrong on purpose."""
    parser.add_argument("--refuse-percent", type=_number(0, 100), default=0, help="sub-chunks refused once at first")
    parser.add_argument("--delay", type=float, default=0.0, metavar="SECONDS", help="before each answer")
    parser.add_argument("--reverse", action="store_true", help="answer the entries of a request in reverse order")
    parser.add_argument("--faults", metavar="FILE", help="a fault script, TOML; see net/README.md")


def _number(low: int, high: int) -> Callable[[str], int]:
    """An argument type: a whole number from ``low`` to ``high``."""

    def parse(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{value} is not in {low}..{high}")
        return value

    parse.__name__ = "number"
    return parse


def _protocol(text: str) -> int | None:
    """An argument type: a protocol number, or None for ``auto``."""
    return None if text == "auto" else _number(OLDEST.protocol, NEWEST.protocol)(text)


_protocol.__name__ = "number or auto"
