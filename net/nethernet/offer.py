"""The client's end of the signalling: an offer, and the connection from its answer.

ClientOffer(...).text -> HTTP or LAN -> answer -> ClientOffer.answered -> NetherNetConnection
"""

from collections.abc import Callable

from msgspec.structs import replace

from net.bedrock.login.tokens import PrivateKey, new_key
from net.errors import ConnectionClosed, DecodeError
from net.nethernet.connection import NetherNetConnection
from net.nethernet.dtls import MISSING, DtlsCertificate, is_installed
from net.nethernet.identity import CLIENT_LIFE_S, PeerIdentity, check_identity, write_identity
from net.nethernet.listener import ice_text
from net.nethernet.sdp import DtlsRole, SessionDescription, read_code, read_description, words_of, write_description
from net.raknet.handshake import Address
from net.raknet.limits import Limits


class ClientOffer:
    """One offer.

    ``candidates``: our addresses. ``name``: of the player, in the identity. ``with_identity``: whether it is signed; an
    offer on a LAN is not, it would not fit. Raises ConnectionClosed: the extra is not installed.
    """

    def __init__(
        self,
        candidates: tuple[Address, ...],
        name: str,
        entropy: Callable[[int], bytes],
        unix_time: float,
        *,
        with_identity: bool = True,
    ) -> None:
        if not is_installed():
            raise ConnectionClosed(MISSING)
        self.key: PrivateKey = new_key(entropy)  # must also sign the login
        self._name = name
        self.network_id = int.from_bytes(entropy(8), "big")
        self._entropy = entropy
        self._certificate = DtlsCertificate(unix_time)
        prints = (self._certificate.fingerprint,)
        self.description = SessionDescription(
            ice_text(entropy, 8), ice_text(entropy, 24), prints, DtlsRole.EITHER, candidates
        )
        self.text = write_description(self.description, self.network_id, trickle=True)
        if with_identity:
            self.sign(unix_time)

    def sign(self, unix_time: float) -> None:
        """Adds the signed identity to ``text``."""
        signed = write_identity(self.key, self.description.fingerprints, unix_time, self._name, CLIENT_LIFE_S)
        self.description = replace(self.description, identity=signed)
        self.text = write_description(self.description, self.network_id)

    def answered(
        self, answer: str, unix_time: float, now: float, limits: Limits | None = None, *, signed: bool = True
    ) -> tuple[NetherNetConnection, PeerIdentity | None]:
        """The connection, and the identity behind the answer.

        ``answer``: its text, or a number that refuses. ``signed``: whether the answer must have an identity. Raises
        ConnectionClosed: it refuses, or is invalid, or has an invalid signature; the reason names the step.
        """
        code = read_code(answer)
        if code is not None:
            raise ConnectionClosed(f"the server refuses the offer: {words_of(code)} (code {code})")
        try:
            other = read_description(answer)
        except DecodeError as error:
            raise ConnectionClosed(f"the server's answer is not a session description: {error}") from None
        if other.role is DtlsRole.EITHER:
            raise ConnectionClosed("the server's answer does not say who starts the encryption (SDP setup)")
        identity = None
        if other.identity is not None or signed:
            if other.identity is None:
                raise ConnectionClosed("the server's answer does not name its author (identity)")
            try:
                identity = check_identity(other.identity, other.fingerprints, unix_time)
            except DecodeError as error:
                raise ConnectionClosed(f"the author of the server's answer is not proven (identity): {error}") from None
        connection = NetherNetConnection(self.description, other, True, self._certificate, self._entropy, now, limits)
        return connection, identity
