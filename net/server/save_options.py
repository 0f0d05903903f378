"""The part of the process' command line that says where a world is saved, and opening that.

``--save FOLDER`` and ``--save-beside`` keep what is changed; without either nothing outlives the process. The folder of
a saved world is never written to: changes of it lie in another one, ``NAME.edits`` beside it unless said otherwise.
"""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Final

from net.server.persistence.saving import Saving, Storages
from net.server.persistence.transactions import SaveTriggers
from net.server.worlds import World
from net.transport.disk.save_folder import SaveFolder

BESIDE: Final = ".edits"
STORAGES: Final = ("terrain", "players", "state")
_USUAL: Final = SaveTriggers()
_MIB: Final = 1 << 20


class WrongSave(ValueError):
    """Options that make no sense together; the text says which."""


def add_save_options(parser: argparse.ArgumentParser) -> None:
    """The options, told by ``--help``."""
    saving = parser.add_argument_group("saving", "Without --save or --save-beside nothing outlives the process.")
    where = saving.add_mutually_exclusive_group()
    where.add_argument("--save", metavar="FOLDER", help="keep changed blocks, players and the clock there")
    where.add_argument(
        "--save-beside", action="store_true", help="of a saved world: keep them beside it, in NAME.edits"
    )
    for option, usual, what in (
        ("--save-every", _USUAL.interval_s, "between two snapshots, at most"),
        ("--save-idle", _USUAL.idle_s, "without a change after which one is taken"),
        ("--save-timeout", _USUAL.timeout_s, "after which a storage that has not reported is told of"),
    ):
        saving.add_argument(option, type=_seconds, default=usual, metavar="SECONDS", help=f"{what} ({usual:g})")
    saving.add_argument(
        "--save-mib", type=_seconds, default=_USUAL.dirty_bytes / _MIB, metavar="MIB", help="changed, to save it (16)"
    )


def _seconds(text: str) -> float:
    """A finite number above 0."""
    value = float(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


_seconds.__name__ = "number"


def open_save(
    chosen: argparse.Namespace, world: World, warn: Callable[[str], None], saved: Callable[[int], None]
) -> tuple[SaveFolder, Saving] | None:
    """What the options say is kept, None for nothing.

    Raises:
        WrongSave, FolderInUse, WrongWorld, FolderError: it cannot be kept there.
    """
    path = _place(chosen)
    if path is None:
        return None
    lost: list[str] = []
    folder = SaveFolder(path, world.name, STORAGES, lost.append)
    triggers = SaveTriggers(
        chosen.save_every, int(chosen.save_mib * _MIB), chosen.save_idle, chosen.save_timeout, _USUAL.retry_s
    )
    terrain, players, state = (folder.storages[name] for name in STORAGES)
    storages = Storages(terrain, players, state, folder.record)
    saving = Saving(storages, triggers, warn, saved)
    saving.lost[:0] = lost
    return folder, saving


def _place(chosen: argparse.Namespace) -> Path | None:
    if chosen.save_beside:
        if chosen.folder is None:
            raise WrongSave("--save-beside is for saved worlds, with --folder; say --save FOLDER")
        source = Path(chosen.folder).resolve()
        return source.with_name(source.name + BESIDE)
    if chosen.save is None:
        return None
    path = Path(chosen.save)
    if chosen.folder is not None and path.resolve().is_relative_to(Path(chosen.folder).resolve()):
        raise WrongSave(f"{path} lies in the saved world {chosen.folder}, which is never written to")
    return path
