"""Kills servers while they save, and looks at what they leave.

A moment is a count of lines of the victim's output, so that nothing depends on a clock. The pipe holds a few thousand
lines of what it did after the last that was read; they are read, too, so that nothing it said was saved is missed.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from net.palette import BlockState
from net.space.positions import BlockPos, SubChunkPos
from tests.support.saving_child import PLAYER, edits_of, open_host, player_of, time_of


class Expected:
    """The world after any tick, made tick by tick."""

    def __init__(self) -> None:
        self.tick = 0
        self.blocks: dict[tuple[int, BlockPos], BlockState] = {}
        self.versions: dict[tuple[int, SubChunkPos], tuple[int, int]] = {}

    def reach(self, tick: int) -> None:
        """Plays up to a tick; only forward."""
        assert tick >= self.tick
        for number in range(self.tick + 1, tick + 1):
            for dimension, position, state in edits_of(number):
                self.blocks[dimension, position] = state
                count = self.versions.get((dimension, position.subchunk), (0, 0))[0]
                self.versions[dimension, position.subchunk] = (count + 1, number)
        self.tick = tick


class Nursery:
    """Makes servers that play in a folder, and kills them."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.saving_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def kill_after(self, path: Path, lines: int) -> int:
        """Lets a server play on in a folder, kills it after so many lines, and gives the last tick that it saved."""
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
        """Ends the nursery; nobody it made is left."""
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
    """Opens what is left; fails unless it is the world after one tick, in blocks, versions, player and clock."""
    warned: list[str] = []
    host, saving, folder = open_host(path, [], warned)
    try:
        tick = saving.tick
        assert folder.record.tick == tick
        expected.reach(tick)
        wrong = sum(host.block(at, 0, number) != state for (number, at), state in expected.blocks.items())
        assert not wrong, f"at tick {tick}: {wrong} of {len(expected.blocks)} blocks differ"
        assert {(number, at): host.version(at, number) for number, at in expected.versions} == expected.versions
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
    """Kills and looks again and again, in one folder; gives the ticks that were found. Nothing acknowledged is lost."""
    dice, expected, found = random.Random(seed), Expected(), [0]
    with contextlib.closing(Nursery()) as nursery:
        for _ in range(kills):
            saved = nursery.kill_after(path, dice.randint(1, most_lines))
            found.append(look_at(path, expected))
            assert found[-1] >= max(saved, found[-2])
    return found
