"""Finds an address of the other end that answers, and checks that it still does: ICE with host candidates only.

Rules:
1. The controlling end (the client) sends a request to each candidate every 200 ms and nominates the first that answers.
   The other end sends no requests of its own: one back for each authenticated one, until a pair is nominated.
2. Messages that are not signed with our password, or do not answer a request of ours, are ignored and never answered.
3. DTLS is accepted only from authenticated addresses.
4. The pair is checked again every 2.5 s; without a signed message for 15 s the connection is over (RFC 7675).
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from net.errors import DecodeError
from net.nethernet import stun
from net.nethernet.sdp import SessionDescription
from net.nethernet.stun import StunKind, StunMessage, read_stun, write_stun, xor_address
from net.raknet.handshake import Address

CHECK_S: Final = 0.2
CONSENT_S: Final = 2.5
FAILED_S: Final = 15.0
MOST_ADDRESSES: Final = 16
"""Limit of candidates, and of authenticated addresses."""
_MOST_ASKED: Final = 256
"""Requests whose answers are still accepted."""
_PEER_REFLEXIVE: Final = 1_862_270_975


class IceAgent:
    """One end of one connection. ``controlling``: whether this end nominates."""

    def __init__(
        self,
        own: SessionDescription,
        other: SessionDescription,
        controlling: bool,
        entropy: Callable[[int], bytes],
        now: float,
    ) -> None:
        self.pair: Address | None = None  # the nominated address of the other end
        self.failed: str | None = None
        self.rtt_s: float | None = None  # of the last answered request
        self.malformed = 0
        self._own = own
        self._other = other
        self._controlling = controlling
        self._candidates = list(other.candidates[:MOST_ADDRESSES])
        self._valid: set[Address] = set()
        self._entropy = entropy
        self._tie_breaker = entropy(8)
        self._asked: OrderedDict[bytes, tuple[Address | None, float]] = OrderedDict()
        self._replies: list[tuple[Address, bytes]] = []
        self._check_at = now if controlling else None
        self._give_up_at = now + FAILED_S

    def is_valid(self, sender: Address | None) -> bool:
        """Whether an address was authenticated; None means the only one."""
        return self.pair is not None if sender is None else sender in self._valid

    def add_candidate(self, address: Address) -> None:
        """Adds a candidate that was sent separately."""
        if address not in self._candidates and len(self._candidates) < MOST_ADDRESSES:
            self._candidates.append(address)

    def receive(self, datagram: bytes, now: float, sender: Address | None) -> None:
        """Handles one STUN message; ``sender`` may be omitted if the other end has one address."""
        try:
            message = read_stun(datagram)
        except DecodeError:
            self.malformed += 1
            return
        if sender is None:
            sender = self._candidates[0] if self._candidates else ("0.0.0.0", 0)
        if message.kind is StunKind.REQUEST:
            self._answer(message, sender, now)
        else:
            self._take_answer(message, sender, now)

    def _answer(self, message: StunMessage, sender: Address, now: float) -> None:
        username = f"{self._own.ufrag}:{self._other.ufrag}".encode()
        key = self._own.password.encode()
        if message.attributes.get(stun.USERNAME) != username or not message.is_signed_by(key):
            self.malformed += 1
            return
        if not self._is_known(sender):
            return
        mapped = (stun.XOR_MAPPED_ADDRESS, xor_address(sender, message.transaction))
        self._replies.append((sender, write_stun(StunKind.SUCCESS, message.transaction, [mapped], key)))
        self._give_up_at = now + FAILED_S
        if self._controlling:
            self.add_candidate(sender)
        elif stun.USE_CANDIDATE in message.attributes:
            self.pair = sender
            if self._check_at is None:
                self._check_at = now
        else:
            self._ask(sender, now)

    def _is_known(self, sender: Address) -> bool:
        if sender not in self._valid and len(self._valid) < MOST_ADDRESSES:
            self._valid.add(sender)
        return sender in self._valid

    def _take_answer(self, message: StunMessage, sender: Address, now: float) -> None:
        asked = self._asked.get(message.transaction)
        if asked is None or asked[0] != sender or not message.is_signed_by(self._other.password.encode()):
            self.malformed += 1
            return
        del self._asked[message.transaction]
        if message.kind is StunKind.ERROR:
            if message.attributes.get(stun.ERROR_CODE, b"")[2:4] == b"\x04\x57":  # 487: both control, or neither
                self._controlling = not self._controlling
            return
        if not self._is_known(sender):
            return
        self.rtt_s = now - asked[1]
        self._give_up_at = now + FAILED_S
        if self.pair is None and self._controlling:
            self.pair = sender
            self._check_at = now + CONSENT_S

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """The datagrams to send now; also runs the timers."""
        if self.failed is not None:
            return []
        if now >= self._give_up_at:
            self.failed = self._words()
            return []
        if self._check_at is not None and now >= self._check_at:
            for address in self._candidates if self.pair is None else [self.pair]:
                self._ask(address, now)
            self._check_at = now + (CHECK_S if self.pair is None else CONSENT_S)
        out, self._replies = self._replies, []
        return out

    def _words(self) -> str:
        if self.pair is not None:
            return f"the other side has been silent for {FAILED_S:g} s (ICE consent)"
        if not self._controlling:
            return f"the client sent nothing within {FAILED_S:g} s of its offer (ICE)"
        tried = ", ".join(f"{host} port {port}" for host, port in self._candidates) or "none"
        return f"no address in the server's answer responds (ICE; tried: {tried})"

    def _ask(self, address: Address, now: float) -> None:
        transaction = self._entropy(stun.TRANSACTION_BYTES)
        self._asked[transaction] = address, now
        if len(self._asked) > _MOST_ASKED:
            self._asked.popitem(last=False)
        attributes = [
            (stun.USERNAME, f"{self._other.ufrag}:{self._own.ufrag}".encode()),
            (stun.PRIORITY, _PEER_REFLEXIVE.to_bytes(4, "big")),
            (stun.ICE_CONTROLLING if self._controlling else stun.ICE_CONTROLLED, self._tie_breaker),
        ]
        if self._controlling:
            attributes.append((stun.USE_CANDIDATE, b""))
        key = self._other.password.encode()
        self._replies.append((address, write_stun(StunKind.REQUEST, transaction, attributes, key)))

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest; None once it has failed."""
        if self.failed is not None:
            return None
        if self._replies:
            return 0.0
        return self._give_up_at if self._check_at is None else min(self._check_at, self._give_up_at)
