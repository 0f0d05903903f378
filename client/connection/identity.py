"""Chooses the player UUID for a server: a stored one, the same at each join, or a fresh one.

    FOLDER/player-own           a random UUID for the user, made at the first join; readable by the user alone
    FOLDER/player-NAME          further ones
    FOLDER/player-NAME.1f.lock  locked (flock) while a client is on a server as that player

Rules:
1. Without a named player (pictures, tests, benchmarks, Python) each join uses a fresh UUID.
2. A stored player is on one server only once at a time, since most servers throw out one of two: the second client gets
   a fresh UUID. Two servers share a lock with a probability of 1/256.
3. No fault prevents a join: if the disk refuses, or a file holds no UUID, the client uses a fresh one and reports why.

Servers keep players by the UUID of their login, which is not verified without a sign-in: it is to be kept secret.
"""

import hashlib
import os
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path
from typing import IO

import platformdirs

from client.options import FRESH
from net.files import TAKEN, lock
from net.raknet.handshake import Address


class InUse(Exception):
    """Another client of this user is on that server as this player."""


class Claim:
    """The right to join one server as a player, until ``close``; usable from any thread."""

    def __init__(self, uuid: str, said: str = "", held: IO[bytes] | None = None) -> None:
        """``held``: the open lock."""
        self.uuid = uuid  # text form
        self.said = said  # why it is a fresh player instead of the requested one, in a sentence; else empty
        self._held = held

    def close(self) -> None:
        if self._held is not None:
            self._held.close()


def claim(name: str, server: Address, folder: Path | None = None) -> Claim:
    """Claims a player for a server. ``folder``: of the stored ones; the user's unless given."""
    if name == FRESH:
        return Claim(somebody())
    folder = folder or identity_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = _kept(folder / f"player-{name}")
        return Claim(kept, held=_locked(folder / f"player-{name}.{_short(server)}.lock"))
    except InUse:
        reason = f"the player '{name}' is on this server in another window"
    except (OSError, ValueError) as error:
        where = getattr(error, "filename", None) or folder
        reason = str(error) if isinstance(error, ValueError) else f"{where}: {getattr(error, 'strerror', error)}"
    return Claim(somebody(), f"you join as a new player: {reason}")


def somebody() -> str:
    return str(uuid.uuid4())


def identity_folder() -> Path:
    """The folder of identities; not created here."""
    return Path(platformdirs.user_data_dir("chunkscope", appauthor=False)) / "identities"


def _kept(path: Path) -> str:
    """The UUID in a file, which is created if missing; of two processes that create it at once, the first one wins."""
    with suppress(FileNotFoundError):
        return _read(path)
    handle, name = tempfile.mkstemp(".part", f".{path.name}.", path.parent)  # readable only by this user
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(somebody() + "\n")
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass
        except OSError:  # a disk without links
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return _read(path)


def _read(path: Path) -> str:
    text = path.read_bytes()[:80].strip().decode("ascii", "replace")
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise ValueError(f"{path} does not contain a UUID") from None


def _locked(path: Path) -> IO[bytes] | None:
    """The open lock; None on a disk without locks, where clients cannot be kept apart. Raises InUse."""
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    try:
        lock(file)
    except OSError as error:
        file.close()
        if error.errno in TAKEN:
            raise InUse from None
        return None
    return file


def _short(server: Address) -> str:
    """A server's lock number, one of 256, which bounds the number of lock files."""
    return hashlib.blake2b(f"{server[0]} {server[1]}".encode(), digest_size=1).hexdigest()
