"""The options of our server, for its process (``net.server.__main__``) and for ``chunkscope serve``.

The choice of the world is not included: the process has ``--world`` or ``--folder``, the command a SOURCE.
"""

from typing import Final

import msgspec

Value = int | float | str | bool | None


class ServeOption(msgspec.Struct, frozen=True):
    """One option; ``chunkscope serve`` may have another name and another default for it."""

    flag: str  # of the process
    help: str
    default: Value = None  # a bool: the option takes no value
    kind: type = str  # of its value
    least: int | float | None = None
    most: int | float | None = None
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    repeats: bool = False
    shown: str | None = None  # the help's text for the default if there is none
    file: bool = False  # whether it names an existing file
    command_flag: str | None = None  # of the command
    command_default: Value = None  # of the command

    @property
    def name(self) -> str:
        """Its attribute in the process."""
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def command_name(self) -> str:
        return (self.command_flag or self.flag).removeprefix("--").replace("-", "_")


ENTRIES_WORTH_S: Final = 4.0
COLUMNS_WORTH_S: Final = 64.0
BUILDS_WORTH_S: Final = 2.0
COMMANDS_WORTH_S: Final = 2.0
"""What a player may have at once, at first and after a pause: what its rate gives in this time. The least rate of the
options gives one: with less, a command or a block would never be accepted."""


def _rate(flag: str, default: float, what: str, worth_s: float) -> ServeOption:
    text = f"{what} for each player; at first and after a pause {worth_s:.0f} times as many at once."
    return ServeOption(flag, text, default, float, least=0.5, metavar="NUMBER")


SERVE_OPTIONS: Final = (
    ServeOption("--bind", "Address to listen on.", "127.0.0.1", command_flag="--host"),
    ServeOption("--port", "UDP port; 0 picks a free one.", 0, int, 0, 65535, command_default=19132),
    ServeOption(
        "--transport",
        "Transport of the clients; NetherNet (extra 'nethernet') takes offers over HTTP on the same TCP port.",
        "raknet",
        choices=("raknet", "nethernet", "both"),
    ),
    ServeOption(
        "--discovery-port",
        "UDP port of NetherNet LAN discovery (7551 in the game); 0 announces no LAN game.",
        0,
        int,
        0,
        65535,
        command_default=7551,
    ),
    ServeOption("--name", "Server name (MOTD).", "chunkscope"),
    ServeOption(
        "--mode",
        "How columns are sent: without blocks and with a limit, above which all is air; without blocks and without a "
        "limit; or whole, so that nothing is requested.",
        "limited",
        choices=("limited", "limitless", "full"),
    ),
    ServeOption(
        "--limit-form",
        "What the limit is: the index of the highest sub-chunk that is not all air, or that index and one (count).",
        "index",
        choices=("index", "count"),
    ),
    ServeOption(
        "--profile",
        "Layout of the terrain packets: as servers send them, or as the game's documentation describes them.",
        "bedrock",
        choices=("bedrock", "documented"),
    ),
    ServeOption(
        "--protocol", "Protocol of the clients, or auto: any.", "486", metavar="auto|N", command_default="auto"
    ),
    ServeOption("--ids", "Form of block ids; hash needs protocol 582 or later.", "order", choices=("order", "hash")),
    ServeOption("--level", "Deflate level.", None, int, 0, 9, shown="1 for this machine, 6 for others"),
    ServeOption("--radius-max", "Largest radius to grant, in columns.", 32, int, 1, 96),
    ServeOption("--time", "Time of day in ticks; 6000 = noon.", None, int, 0, 1 << 30, shown="as saved, or noon"),
    ServeOption("--time-runs", "Let the clock advance.", False, bool),
    ServeOption("--occlusion", "Send whole columns only when they become visible.", False, bool),
    ServeOption("--fov", "Vertical field of view that is assumed of players, in degrees.", 70.0, float, 10, 150),
    ServeOption("--aspect", "Width by height that is assumed of their windows.", 16 / 9, float, 0.1, 10, shown="16:9"),
    ServeOption(
        "--mod",
        "Mod: Python file that runs after columns are generated and blocks change; repeatable.",
        metavar="FILE.py",
        repeats=True,
        file=True,
    ),
    ServeOption("--animals", "Animals at the start.", None, int, 0, 64, shown="8 in hills, else 0"),
    ServeOption("--bots", "Players at the start that walk and build.", 0, int, 0, 16),
    ServeOption(
        "--speed-max", "Horizontal speed in blocks per second that is accepted from a player.", 1100, int, 1, 100_000
    ),
    _rate("--entries-a-second", 20_000.0, "Sub-chunks a second", ENTRIES_WORTH_S),
    _rate("--columns-a-second", 128.0, "Generated or loaded columns a second", COLUMNS_WORTH_S),
    _rate("--builds-a-second", 40.0, "Blocks broken and placed a second", BUILDS_WORTH_S),
    _rate("--commands-a-second", 2.0, "Commands a second", COMMANDS_WORTH_S),
    ServeOption(
        "--faults",
        "Fault script: what goes wrong on purpose (docs/reference/fault-scripts.md).",
        metavar="FILE",
        file=True,
    ),
    ServeOption("--refuse-percent", "Percentage of sub-chunks that are refused once.", 0, int, 0, 100),
    ServeOption("--delay", "Delay before each answer.", 0.0, float, 0, metavar="SECONDS"),
    ServeOption("--reverse", "Answer the entries of a request in reverse order.", False, bool),
    ServeOption("--save", "Folder that keeps changed blocks, players and the clock.", metavar="FOLDER"),
    ServeOption("--save-beside", "Keep the changes of a saved world beside it, in NAME.edits.", False, bool),
    ServeOption("--save-every", "Longest time between two snapshots.", 30.0, float, 0.001, metavar="SECONDS"),
    ServeOption(
        "--save-idle", "Take a snapshot after this long without a change.", 5.0, float, 0.001, metavar="SECONDS"
    ),
    ServeOption(
        "--save-timeout", "Report a disk that has not finished after this long.", 10.0, float, 0.001, metavar="SECONDS"
    ),
    ServeOption("--save-mib", "Size of the changes that triggers a snapshot.", 16.0, float, 0.001, metavar="MIB"),
    ServeOption(
        "--keep-generated", "Folder that keeps generated columns, so that each is made once.", metavar="FOLDER"
    ),
    ServeOption("--keep-mib", "Largest size of the generated columns that are kept.", 512, int, 1, metavar="MIB"),
)
"""In the order of the help."""
