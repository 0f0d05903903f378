"""DTLS by pyOpenSSL over memory: the only module that imports it, when first needed (extra ``nethernet``).

Rules:
1. The other end must have the certificate whose fingerprint is in its description; no authority checks it otherwise.
2. Handshake records share a datagram; records with data have one each, since some peers read one a datagram.
3. An extension for media is offered though there are none: pion aborts without it (pion/dtls 356).
4. Timers of the handshake are OpenSSL's, on the real clock; ``next_timer`` says when to check them.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from net.errors import CLOSED_BY_PEER, ConnectionClosed, install_line
from net.nethernet.sdp import SHA_256

if TYPE_CHECKING:
    from OpenSSL import SSL

MISSING: Final = f"NetherNet needs a package that is not installed: {install_line('pyOpenSSL')}"
DATAGRAM_BYTES: Final = 1200
"""The largest UDP payload sent."""
APPLICATION_DATA: Final = 23
_MOST_FLIGHTS: Final = 8
_RECORD_HEADER_BYTES: Final = 13
_READ_BYTES: Final = 1 << 16
_LIFE: Final = timedelta(days=30)
_SKEW: Final = timedelta(days=1)
_TIMER_GRAIN_S: Final = 0.02
_CIPHERS: Final = b"ECDHE+AESGCM:ECDHE+CHACHA20"


def is_dtls(datagram: bytes) -> bool:
    """Whether a datagram is DTLS: RakNet shares the range of its first byte."""
    return len(datagram) >= _RECORD_HEADER_BYTES and 20 <= datagram[0] <= 25 and datagram[1:3] in _VERSIONS


_VERSIONS: Final = (b"\xfe\xff", b"\xfe\xfd")


def is_installed() -> bool:
    return find_spec("OpenSSL") is not None


class DtlsCertificate:
    """A self-signed certificate, new in each object. ``unix_time``: seconds since 1970."""

    def __init__(self, unix_time: float) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "WebRTC")])
        now = datetime.fromtimestamp(unix_time, UTC)
        builder = x509.CertificateBuilder(name, name, self.key.public_key(), x509.random_serial_number())
        builder = builder.not_valid_before(now - _SKEW).not_valid_after(now + _LIFE)
        self.certificate = builder.sign(self.key, hashes.SHA256())
        digest = self.certificate.fingerprint(hashes.SHA256()).hex(":").upper()
        self.fingerprint = (SHA_256, digest)  # as in a description

    @cached_property
    def context(self) -> "SSL.Context":
        """The context shared by all ends with this certificate. Raises ConnectionClosed: the extra is not installed."""
        try:
            from OpenSSL import SSL  # noqa: PLC0415 - an extra, needed by nobody else
        except ImportError:
            raise ConnectionClosed(MISSING) from None
        context = SSL.Context(SSL.DTLS_METHOD)
        context.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, _accept_any)  # rule 1 checks it
        context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
        context.set_options(SSL.OP_NO_TICKET)  # no resumption: each session shows its certificate
        context.set_cipher_list(_CIPHERS)
        context.use_certificate(self.certificate)
        context.use_privatekey(self.key)
        context.set_tlsext_use_srtp(b"SRTP_AES128_CM_SHA1_80")
        return context


def _accept_any(*_: object) -> bool:
    return True


class DtlsEnd:
    """One end of one session.

    ``is_server``: whether the other end sends the first hello. ``fingerprints``: the other end's certificate must have
    one of them. Raises ConnectionClosed: the extra is not installed.
    """

    def __init__(self, certificate: DtlsCertificate, is_server: bool, fingerprints: Sequence[tuple[str, str]]) -> None:
        context = certificate.context
        from OpenSSL import SSL  # noqa: PLC0415 - as above

        self.is_open = False
        self.failed: str | None = None  # why it failed
        self._ssl = SSL
        self._fingerprints = {(algorithm.lower(), digest.upper()) for algorithm, digest in fingerprints}
        self._connection = SSL.Connection(context, None)
        self._connection.set_ciphertext_mtu(DATAGRAM_BYTES)
        if is_server:
            self._connection.set_accept_state()
        else:
            self._connection.set_connect_state()
        self._timer: float | None = None
        self._is_started = False

    def receive(self, datagram: bytes) -> list[bytes]:
        """Handles one datagram; returns the content of its records."""
        if self.failed is not None:
            return []
        received: list[bytes] = []
        try:
            self._connection.bio_write(datagram)
            if not self.is_open:
                self._shake()
            while self.is_open:
                received.append(self._connection.recv(_READ_BYTES >> 4))
                if datagram[0] == APPLICATION_DATA and self._is_whole(datagram):
                    break  # one record: reading a second costs an exception
        except self._ssl.WantReadError:
            pass
        except self._ssl.ZeroReturnError:
            self.failed = CLOSED_BY_PEER
        except self._ssl.Error as error:
            self.failed = f"the encryption of the connection failed (DTLS: {_reason(error)})"
        return received

    @staticmethod
    def _is_whole(datagram: bytes) -> bool:
        return len(datagram) == _RECORD_HEADER_BYTES + int.from_bytes(datagram[11:13], "big")

    def _shake(self) -> None:
        self._connection.do_handshake()
        certificate = self._connection.get_peer_certificate()
        own = None if certificate is None else (SHA_256, certificate.digest(SHA_256.replace("-", "")).decode().upper())
        if own not in self._fingerprints:
            self.failed = "the other side's certificate does not match its description (DTLS fingerprint)"
        else:
            self.is_open = True

    def send(self, payload: bytes) -> bytes:
        """The datagram with one payload; only while it is open."""
        self._connection.send(payload)
        return self._connection.bio_read(DATAGRAM_BYTES << 1)

    def handshake_datagrams(self, now: float) -> list[bytes]:
        if self.failed is None and not self.is_open:
            try:
                if not self._is_started:
                    self._is_started = True
                    self._shake()
                elif self._timer is not None and now >= self._timer:
                    self._connection.DTLSv1_handle_timeout()
            except self._ssl.WantReadError:
                pass
            except self._ssl.Error as error:
                self.failed = f"the encryption of the connection failed (DTLS: {_reason(error)})"
            left_s = self._connection.DTLSv1_get_timeout()
            self._timer = None if left_s is None else now + max(left_s, _TIMER_GRAIN_S)
        return self._drain()

    def _drain(self) -> list[bytes]:
        """Waiting records, in datagrams."""
        text = b""
        with suppress(self._ssl.WantReadError):
            while True:
                text += self._connection.bio_read(_READ_BYTES)
        datagrams: list[bytes] = []
        at = start = 0
        while at < len(text):
            end = at + _RECORD_HEADER_BYTES + int.from_bytes(text[at + 11 : at + 13], "big")
            if at > start and (end - start > DATAGRAM_BYTES or text[at] == APPLICATION_DATA):
                datagrams.append(text[start:at])
                start = at
            at = end
        return [*datagrams, text[start:]] if text else []

    def close(self) -> list[bytes]:
        """Closes it; returns the datagrams that notify the other end."""
        if self.is_open and self.failed is None:
            with suppress(self._ssl.Error):
                self._connection.shutdown()
        return self._drain()

    def next_timer(self) -> float | None:
        """When ``handshake_datagrams`` must be called again at the latest."""
        if self.failed is not None or self.is_open:
            return None
        return self._timer if self._is_started else 0.0


def handshake_fault(unix_time: float) -> str | None:
    """Why two ends of ours reject each other's certificates; None if they do not.

    Raises ConnectionClosed: the extra is not installed.
    """
    certificates = DtlsCertificate(unix_time), DtlsCertificate(unix_time)
    ends = [DtlsEnd(certificates[at], bool(at), (certificates[1 - at].fingerprint,)) for at in range(len(certificates))]
    for _ in range(_MOST_FLIGHTS):
        for at, end in enumerate(ends):
            for datagram in end.handshake_datagrams(0.0):
                ends[1 - at].receive(datagram)
        if failed := next((end.failed for end in ends if end.failed is not None), None):
            return failed
        if all(end.is_open for end in ends):
            return None
    return "the encryption of the connection cannot be negotiated (DTLS)"


def _reason(error: Exception) -> str:
    """OpenSSL's own message."""
    found = error.args[0] if error.args and isinstance(error.args[0], list) else []
    return str(found[-1][-1]) if found and found[-1] and found[-1][-1] else "no reason was given"
