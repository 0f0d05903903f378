"""A server's world that is edited and saved as fast as possible: ``python -m tests.support.servers.saving``.

For each folder that it reads from its standard input it forks a process, which prints ``p PID`` and runs until it is
killed; then the parent prints ``d``. Forking saves a second of imports a kill; the parent has no threads.

Each tick changes blocks that depend only on its number, moves a player and advances the clock. The process prints
``t N`` for each tick, and ``s N`` once a tick is saved. ``edits_of`` gives the changes of any tick, so that a test can
check whether a folder holds the world after exactly one tick.

The second half kills such servers while they save, and checks the folders that they leave. The moment of a kill is a
count of output lines, so nothing depends on a clock. The pipe holds a few thousand more lines after the last one that
was read; they are read, too, so that no reported save is missed.
"""

import contextlib
import hashlib
import os
import random
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from net.palette import BlockState, Palette
from net.releases import ProtocolRange
from net.server.column_snapshots import SectionVersion
from net.server.host import Host
from net.server.host_options import ColumnMode, HostOptions
from net.server.save.players import SavedPlayer
from net.server.save.saving import STORAGES, Saving
from net.server.save.transactions import SaveTriggers
from net.server.worlds import SavedWorld, ServerWorld
from net.server.worlds.world import FlatWorld
from net.space import NETHER, OVERWORLD, BlockPos, SubChunkPos
from net.storage.server_save import LogFiles, SaveFolder
from tests.support.session.plain_client import UNIX_TIME, entropy

# ---------------------------------------------------------------- saving child

TICK_S: Final = 0.05
EDITS: Final = 6
"""Changed blocks per tick."""
SIDE: Final = 48
"""Changed blocks lie in a square of this side."""
STATES: Final = tuple(BlockState(f"minecraft:{name}") for name in ("air", "glass", "glowstone", "obsidian"))
PLAYER: Final = "00000000-0000-4000-8000-000000000001"
OFTEN: Final = SaveTriggers(interval_s=0.2, idle_s=0.1)


class Edit(NamedTuple):
    """One changed block of one dimension."""

    dimension: int
    position: BlockPos
    state: BlockState


def edits_of(tick: int) -> list[Edit]:
    """The blocks that a tick changes, in two dimensions."""
    dice = hashlib.shake_256(str(tick).encode()).digest(4 * EDITS)
    places = (dice[at : at + 4] for at in range(0, len(dice), 4))
    return [_edit(*place) for place in places]


def _edit(x: int, y: int, z: int, chance: int) -> Edit:
    dimension = (OVERWORLD, NETHER)[chance // len(STATES) % 2]
    place = BlockPos(x % SIDE, dimension.floor_y_blocks + y % 32, z % SIDE)
    return Edit(dimension.number, place, STATES[chance % len(STATES)])


def player_of(tick: int) -> SavedPlayer:
    """The player after a tick."""
    return SavedPlayer(tick % 2, (float(tick), -60.0, 0.5), float(tick % 360), 0.0)


def time_of(tick: int) -> int:
    """The time of day after a tick."""
    return tick * 7 % 24000


palette_of = cache(Palette.for_protocol)


class NoLog(LogFiles):
    """Keeps no edits, so that a folder holds the world after exactly one tick."""

    def append(self, line: bytes, tick: int) -> None:
        pass


def open_host(
    path: Path,
    told: list[int],
    warned: list[str],
    protocol: int = 486,
    mode: ColumnMode = ColumnMode.LIMITED,
    world: ServerWorld | None = None,
    options: HostOptions | None = None,
) -> tuple[Host, Saving, SaveFolder]:
    """Opens the host of a saved folder, over a flat world with a flat Nether beside it unless another is given."""
    beside = [FlatWorld(dimension=NETHER)] if world is None else []
    world = world or FlatWorld()
    folder = SaveFolder(path, world.name, STORAGES, warned.append)
    folder.log = NoLog(path)
    saving = Saving(folder, OFTEN, warned.append, told.append)
    options = options or HostOptions(mode=mode, bear_unknown=isinstance(world, SavedWorld))
    return (
        Host(world, options, ProtocolRange.only(protocol), 0.0, UNIX_TIME, entropy("server"), saving, beside),
        saving,
        folder,
    )


def play(host: Host, saving: Saving) -> int:
    """Plays one tick; returns its number."""
    tick = host.tick_number
    for edit in edits_of(tick):
        host.set_block(edit.position, edit.state, dimension=edit.dimension)
    saving.players.record(PLAYER, player_of(tick))
    host.time = time_of(tick)
    host.tick(tick * TICK_S)
    return tick


def live(path: Path) -> None:
    """Plays until the process is killed."""
    told: list[int] = []
    host, saving, _ = open_host(path, told, [])
    while True:
        tick = play(host, saving)
        for saved in told:
            sys.stdout.write(f"s {saved}\n")
        told.clear()
        _say(f"t {tick}")


def _say(line: str) -> None:
    """Writes a line to the pipe in one call, so that a kill cannot split it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Forks a server for each line of standard input."""
    palette_of(486)  # loaded once for all
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _say(f"p {os.getpid()}")
            live(Path(line.rstrip("\n")))
        os.waitpid(pid, 0)
        _say("d")


# ---------------------------------------------------------------- killing


class Expected:
    """The expected world after any tick, computed tick by tick."""

    def __init__(self) -> None:
        self.tick = 0
        self.blocks: dict[tuple[int, BlockPos], BlockState] = {}
        self.versions: dict[tuple[int, SubChunkPos], tuple[int, int]] = {}

    def reach(self, tick: int) -> None:
        """Advances to a tick; only forwards."""
        assert tick >= self.tick
        for number in range(self.tick + 1, tick + 1):
            for dimension, position, state in edits_of(number):
                self.blocks[dimension, position] = state
                count = self.versions.get((dimension, position.subchunk), (0, 0))[0]
                self.versions[dimension, position.subchunk] = (count + 1, number)
        self.tick = tick


def version_of(host: Host, at: SubChunkPos, dimension: int = 0) -> SectionVersion:
    served = host.dimensions.of(dimension)
    return served.provider.snapshot(at.column).version(at.y - served.dimension.floor_section)


class Nursery:
    """Starts servers that play in a folder, and kills them."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.servers.saving"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def kill_after(self, path: Path, lines: int) -> int:
        """Starts a server in a folder, kills it after so many lines; returns the last tick it reported as saved."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{path}\n")
        word, pid = self._line()
        assert word == "p"
        said = [self._line() for _ in range(lines)]
        os.kill(int(pid), signal.SIGKILL)
        while said[-1][0] != "d":
            said.append(self._line())
        return max((int(tick) for word, tick in said if word == "s"), default=0)

    def close(self) -> None:
        """Ends the parent and all processes that it forked."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _line(self) -> tuple[str, str]:
        assert self._process.stdout is not None
        word, _, rest = self._process.stdout.readline().rstrip("\n").partition(" ")
        assert word, "a server ended before it was killed"
        return word, rest


def look_at(path: Path, expected: Expected) -> int:
    """Opens the folder; fails unless blocks, versions, player and clock are those after exactly one tick."""
    warned: list[str] = []
    host, saving, folder = open_host(path, [], warned)
    try:
        tick = saving.tick
        assert folder.record.tick == tick
        expected.reach(tick)
        wrong = sum(host.dimensions.of(number).block(at) != state for (number, at), state in expected.blocks.items())
        assert not wrong, f"at tick {tick}: {wrong} of {len(expected.blocks)} blocks differ"
        assert {(number, at): version_of(host, at, number) for number, at in expected.versions} == expected.versions
        if tick:
            assert saving.players.restore(PLAYER) == player_of(tick)
            assert saving.time == time_of(tick)
        assert [*warned, *saving.lost] == []
    finally:
        saving.terrain.storage.close()
        folder.record.close()
        folder.close()
    return tick


def kill_and_look(path: Path, kills: int, seed: int, most_lines: int) -> list[int]:
    """Kills and checks repeatedly in one folder; returns the ticks that were found. No reported save may be lost."""
    dice, expected, found = random.Random(seed), Expected(), [0]
    with contextlib.closing(Nursery()) as nursery:
        for _ in range(kills):
            saved = nursery.kill_after(path, dice.randint(1, most_lines))
            found.append(look_at(path, expected))
            assert found[-1] >= max(saved, found[-2])
    return found


if __name__ == "__main__":
    main()
