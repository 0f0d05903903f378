"""Who joins a server: the same player each time, or somebody new.

    FOLDER/player-own           a random UUID, the user's; made at the first join, and for nobody else to read
    FOLDER/player-NAME          further ones
    FOLDER/player-NAME.1f.lock  held (flock) while somebody is on a server as that player

Rules:
1. What is not told who to be (pictures, tests, benchmarks, Python) is somebody new at each join: it starts where a
   server starts everybody, and no server can keep anything of it.
2. On one server a player is once at a time, for most servers throw one of two out: the second is somebody new.
3. Nothing of it stops a join. What a disk refuses, or a file that names nobody, makes somebody new, and is told; such a
   file is left alone.

Theory. Servers keep players by the UUID of their login, which nobody checks without a sign-in: who comes with the same
one starts where it left. It is a secret of sorts, then, and the same on all servers.

Limits: two servers share a lock with a probability of 1/256, which costs the second what rule 2 says. Another computer
knows nothing of the lock.
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
    """Somebody is on that server as this player."""


class Claim:
    """Somebody who may join one server until it is given back; from any thread."""

    def __init__(self, uuid: str, said: str = "", held: IO[bytes] | None = None) -> None:
        """Somebody; ``held`` is the open lock."""
        self.uuid = uuid  # text form
        self.said = said  # why it is not who was asked for, in a sentence; empty where it is
        self._held = held

    def close(self) -> None:
        """Another one may be this player on that server; may be called again."""
        if self._held is not None:
            self._held.close()


def claim(name: str, server: Address, folder: Path | None = None) -> Claim:
    """Who joins a server. ``folder``: of those that are kept; the user's unless given."""
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
    """A player nobody has seen before."""
    return str(uuid.uuid4())


def identity_folder() -> Path:
    """Where identities lie; not created here."""
    return Path(platformdirs.user_data_dir("chunkscope", appauthor=False)) / "identities"


def _kept(path: Path) -> str:
    """What a file holds, which is made where there is none; of two windows that make it at once one is first."""
    with suppress(FileNotFoundError):
        return _read(path)
    handle, name = tempfile.mkstemp(".part", f".{path.name}.", path.parent)  # of this call alone, and of this user
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
    """The open lock; None on a disk that has none, where nobody can be told apart."""
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
    """Which of 256 locks is a server's, so that there are no more."""
    return hashlib.blake2b(f"{server[0]} {server[1]}".encode(), digest_size=1).hexdigest()
