"""Joins a server over NetherNet: session offer by HTTP or LAN discovery, proof of the answer, remembered server key.

    FOLDER/server-keys.json    {"HOST:PORT": SHA-256 of the key, hexadecimal}

Rules:
1. A server's key is remembered by its address at the first join (trust on first use). A different key later is a
   warning, and with ``Options.insist_on_key`` an error. Over https the certificate proves the server, and no key is
   remembered.
2. No fault of the file prevents a join: if it cannot be written, the key is not remembered.
3. The login is signed with the key of the offer, since servers compare them.
4. The key of a LAN game is not remembered, since its answer need not be signed.
"""

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import platformdirs
from msgspec.structs import replace

from client.errors import SourceError
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.blobs import BlobSource
from net.files import whole
from net.nethernet.discovery import LanGame
from net.nethernet.lan import LanLink
from net.nethernet.offer import ClientOffer
from net.peer import ClientPeer
from net.raknet.handshake import Address
from net.transport.http_signalling import bound_socket, post_offer
from net.transport.udp import Closable, UdpTransport

FILE: Final = "server-keys.json"
MOST_KEYS: Final = 1024
MOST_BYTES: Final = 1 << 20


class JoinedNetherNet(NamedTuple):
    """A transport over NetherNet, and a remark about the server's key."""

    transport: UdpTransport
    remark: str  # a sentence, may be empty


def key_folder() -> Path:
    """The folder of the remembered server keys; not created here."""
    return Path(platformdirs.user_data_dir("chunkscope", appauthor=False))


def remember_key(place: str, pin: str, folder: Path | None = None) -> str | None:
    """The server's remembered key if it is a different one, else None; remembers the key of a new server.

    ``place``: the server's address. ``pin``: SHA-256 of its present key. ``folder``: the user's unless given.
    """
    path = (folder or key_folder()) / FILE
    known: dict[str, str] = {}
    with suppress(OSError, ValueError):
        if path.stat().st_size <= MOST_BYTES:
            read = json.loads(path.read_text(encoding="utf-8"))
            known = (
                {name: value for name, value in read.items() if isinstance(value, str)}
                if isinstance(read, dict)
                else {}
            )
    before = known.get(place)
    if before == pin:
        return None
    if before is None:
        kept = dict(list(known.items())[-MOST_KEYS + 1 :]) | {place: pin}
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with whole(path) as made:
                made.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    return before


def join_nethernet(
    base: str,
    address: Address,
    codec: Codec,
    identity: Identity,
    insist_on_key: bool,
    blobs: BlobSource | None,
    files: tuple[Closable, ...],
    claim: Closable,
    post: Callable[[Callable[[], str]], str],
    folder: Path | None = None,
) -> JoinedNetherNet:
    """Sends the session offer by HTTP and starts a transport, which then connects by itself.

    ``base``: URL that the offer goes to, see ``Remote.places``. ``insist_on_key``: whether a key other than the
    remembered one is an error. ``files``: closed with the transport. ``claim``: closed when the session is over.
    ``post``: runs a blocking function on another thread. Raises ConnectionClosed: the offer is refused, not answered,
    or the answer is not proved; the reason names the step. Raises SourceError: ``insist_on_key`` forbids it.
    """
    sock, candidates = bound_socket(address)
    try:
        offer = ClientOffer(candidates, identity.display_name, os.urandom, time.time())
        answer = post(lambda: post_offer(base, offer.network_id, offer.text))
        link, server = offer.answered(answer, time.time(), time.monotonic())
        remark = ""
        if server is not None and base.startswith("http:"):
            before = remember_key(f"{address[0]}:{address[1]}", server.pin, folder)
            if before is not None:
                remark = (
                    f"the server's key ({server.pin[:16]}) differs from the one it had on your first visit "
                    f"({before[:16]})"
                )
                if insist_on_key:
                    raise SourceError(f"{base}: {remark}; --insist-on-key forbids joining it.")
        peer = ClientPeer(
            address, codec, identity, time.monotonic(), time.time(), os.urandom, blobs=blobs, link=link, key=offer.key
        )
        return JoinedNetherNet(UdpTransport(peer, address, files=files, claim=claim, sock=sock), remark)
    except BaseException:
        sock.close()
        raise


def join_lan_game(
    game: LanGame,
    codec: Codec,
    identity: Identity,
    blobs: BlobSource | None,
    files: tuple[Closable, ...],
    claim: Closable,
) -> JoinedNetherNet:
    """Starts a transport that sends its offer by LAN discovery; a later failure closes that transport.

    Arguments as of ``join_nethernet``. Raises ConnectionClosed: the system has no route to it.
    """
    sock, candidates = bound_socket(game.address)
    try:
        now, unix_time = time.monotonic(), time.time()
        offer = ClientOffer(candidates, identity.display_name, os.urandom, unix_time, with_identity=False)
        link = LanLink(game, offer, os.urandom, unix_time, now)
        named = replace(identity, nonce=game.world.nonce)
        peer = ClientPeer(game.address, codec, named, now, unix_time, os.urandom, blobs=blobs, link=link, key=offer.key)
        return JoinedNetherNet(UdpTransport(peer, game.address, files=files, claim=claim, sock=sock), "")
    except BaseException:
        sock.close()
        raise
