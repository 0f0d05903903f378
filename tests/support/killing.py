"""Kills servers while they save, and looks at what they leave.

A moment is a count of lines of the victim's output, so that nothing depends on a clock. The pipe holds a few thousand
lines of what the victim did after the last that was read: how far it really got is the disk's secret, as it should be.
"""

import random
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
        self.blocks: dict[BlockPos, BlockState] = {}
        self.versions: dict[SubChunkPos, tuple[int, int]] = {}

    def reach(self, tick: int) -> None:
        """Plays up to a tick; only forward."""
        assert tick >= self.tick
        for number in range(self.tick + 1, tick + 1):
            for position, state in edits_of(number):
                self.blocks[position] = state
                count = self.versions.get(position.subchunk, (0, 0))[0]
                self.versions[position.subchunk] = (count + 1, number)
        self.tick = tick


def kill_after(path: Path, lines: int) -> int:
    """Lets a child play on in a folder, kills it after so many lines, and gives the last tick it said was saved."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.support.saving_child", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    saved = 0
    for _ in range(lines):
        line = child.stdout.readline()
        if not line:
            break
        if line.startswith("s "):
            saved = int(line[2:])
    child.kill()
    rest, said = child.communicate()
    assert said == ""
    acknowledged = [int(line[2:]) for line in rest.splitlines() if line.startswith("s ") and line[2:].isdigit()]
    return max([saved, *acknowledged])


def look_at(path: Path, expected: Expected) -> int:
    """Opens what is left; fails unless it is the world after one tick, in blocks, versions, player and clock."""
    warned: list[str] = []
    host, saving, folder = open_host(path, [], warned)
    try:
        tick = saving.tick
        assert folder.record.tick == tick
        expected.reach(tick)
        wrong = {at: host.block(at) for at, state in expected.blocks.items() if host.block(at) != state}
        assert not wrong, f"at tick {tick}: {len(wrong)} of {len(expected.blocks)} blocks differ"
        assert {at: host.version(at) for at in expected.versions} == expected.versions
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
    for _ in range(kills):
        saved = kill_after(path, dice.randint(1, most_lines))
        found.append(look_at(path, expected))
        assert found[-1] >= max(saved, found[-2])
    return found
