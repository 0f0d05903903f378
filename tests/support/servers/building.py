"""Kills a server while a client builds, and checks that the blocks which the client received were saved.

``python -m tests.support.servers.building --kills 200`` kills 200 servers in one folder. The moment of a kill is a
count of blocks that the client received, so nothing depends on a clock; each server is forked, which saves a second of
imports.

A server process writes ``b X Y Z STATE`` when its client has received a block, after the server wrote its log. The
saved world must then have that block, or a block that the client requested later at the same position.
"""

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from net.bedrock import InventoryTransaction, ItemStack, UpdateBlock, UpdateBlockSynced, UpdateSubChunkBlocks, UseItem
from net.palette import BlockState, Palette
from net.releases import ProtocolRange
from net.server.host import Host
from net.server.host_options import ClientQuota, HostOptions
from net.server.save.saving import STORAGES, Saving
from net.server.save.transactions import SaveTriggers
from net.server.worlds.world import FlatWorld
from net.space import BlockPos
from net.storage.server_save import SaveFolder
from tests.support.servers.saving import palette_of
from tests.support.session.plain_client import UNIX_TIME, Talk, entropy

SIDE: Final = 8
GROUND_Y: Final = -61
STATES: Final = tuple(BlockState(f"minecraft:{name}") for name in ("glass", "glowstone", "obsidian"))
RARELY: Final = SaveTriggers(interval_s=2.0, idle_s=1.0)
"""Long intervals, so that most of what clients received is in the log alone."""
AIR: Final = BlockState("minecraft:air")


def open_host(path: Path) -> tuple[Host, SaveFolder, list[str]]:
    """Opens the host of a saved folder over a flat world; also returns the folder and its warnings."""
    warned: list[str] = []
    folder = SaveFolder(path, FlatWorld().name, STORAGES, warned.append)
    saving = Saving(folder, RARELY, warned.append, lambda _tick: None)
    options = HostOptions(quota=ClientQuota(builds_a_second=1e6))
    host = Host(FlatWorld(), options, ProtocolRange.only(486), 0.0, UNIX_TIME, entropy("server"), saving)
    return host, folder, warned


def live(path: Path, seed: int) -> None:
    """Builds until the process is killed."""
    host, _, _ = open_host(path)
    talk = Talk(host)
    talk.join(1)
    talk.ask_columns(range(-4, -2))
    talk.rest(0.5)
    talk.heard.clear()
    dice, palette = random.Random(seed), palette_of(486)
    while True:
        place = BlockPos(dice.randrange(SIDE), GROUND_Y, dice.randrange(SIDE))
        above = place._replace(y=GROUND_Y + 1)
        if host.dimensions.start.block(above) == AIR:
            item = ItemStack(1, 1, block=palette.runtime_id_of(dice.choice(STATES)) or 0)
            talk.wire.send(InventoryTransaction(use=UseItem(0, place, 1, item)))
        else:
            talk.wire.send(InventoryTransaction(use=UseItem(2, above, 1)))
        talk.rest(0.05)
        for message in talk.heard:
            if isinstance(message, UpdateBlock | UpdateBlockSynced) and not message.layer:
                _say(message.position, palette, message.runtime_id)
            elif isinstance(message, UpdateSubChunkBlocks):
                for change in message.layer0:
                    _say(change.position, palette, change.runtime_id)
        talk.heard.clear()


def _say(place: BlockPos, palette: Palette, runtime_id: int) -> None:
    state = palette.state_of(runtime_id)
    assert state is not None
    sys.stdout.write(f"b {place.x} {place.y} {place.z} {state.name}\n")
    sys.stdout.flush()


def nursery() -> None:
    """Forks a server for each line ``SEED PATH`` of standard input."""
    palette_of(486)
    for line in sys.stdin:
        seed, path = line.rstrip("\n").split(" ", 1)
        pid = os.fork()
        if pid == 0:
            sys.stdout.write(f"p {os.getpid()}\n")
            sys.stdout.flush()
            live(Path(path), int(seed))
        os.waitpid(pid, 0)
        sys.stdout.write("d\n")
        sys.stdout.flush()


def build_and_kill(path: Path, kills: int, seed: int) -> int:
    """Kills so many servers; fails if a block is lost that a client received. Returns the number of received blocks."""
    dice, told = random.Random(seed), 0
    expected: dict[BlockPos, str] = {}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.servers.building", "--nursery"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(kills):
            process.stdin.write(f"{seed * 1000 + number} {path}\n")
            word, pid = process.stdout.readline().split()
            assert word == "p"
            lines = [process.stdout.readline().split() for _ in range(dice.randint(1, 60))]
            os.kill(int(pid), signal.SIGKILL)
            while lines[-1] != ["d"]:
                lines.append(process.stdout.readline().split())
            for line in lines[:-1]:
                expected[BlockPos(*map(int, line[1:4]))] = line[4]
            told += len(lines) - 1
            _look(path, expected)
        process.stdin.close()
    return told


def _look(path: Path, expected: dict[BlockPos, str]) -> None:
    """Opens the folder and compares; only the last build may be there without a client having received it."""
    host, folder, warned = open_host(path)
    with contextlib.closing(folder):
        wrong = {place: name for place, name in expected.items() if host.dimensions.start.block(place).name != name}
        assert len(wrong) <= 1, f"{len(wrong)} of {len(expected)} blocks differ: {wrong}"
        expected.update({place: host.dimensions.start.block(place).name for place in wrong})
        assert warned == []


def main() -> None:
    """Runs the command that the module describes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nursery", action="store_true", help="fork the servers; used by the command itself")
    chosen = parser.parse_args()
    if chosen.nursery:
        nursery()
        return
    with tempfile.TemporaryDirectory() as folder:
        told = build_and_kill(Path(folder), chosen.kills, chosen.seed)
    sys.stdout.write(f"{chosen.kills} kills: none of the {told} blocks that a client received was lost\n")


if __name__ == "__main__":
    main()
