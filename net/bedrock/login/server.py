"""The server's end of a login; the package shows the message flow."""

import base64
from enum import Enum
from typing import Final

from net.bedrock.codec import Codec
from net.bedrock.login.tokens import (
    NOTHING,
    Entropy,
    Identity,
    LoginStep,
    PublicKey,
    check_login,
    new_key,
    session_key,
    sign,
)
from net.bedrock.packets.blob_cache import ClientCacheStatus
from net.bedrock.packets.login import (
    ClientToServerHandshake,
    Login,
    NetworkSettings,
    PlayStatus,
    PlayStatusCode,
    RequestNetworkSettings,
    ServerToClientHandshake,
)
from net.bedrock.packets.packet import Message
from net.bedrock.packets.resource_packs import (
    PackStatus,
    ResourcePackClientResponse,
    ResourcePacksInfo,
    ResourcePackStack,
)
from net.errors import DecodeError
from net.releases import ProtocolRange

SALT_BYTES: Final = 16
DEFLATE_FROM_256_BYTES: Final = NetworkSettings(256)


class ServerPhase(Enum):
    """The server's progress; the value names what it waits for."""

    NEW = "a login or a settings request before it"
    SETTLED = "a login"
    OFFERED = "the first encrypted packet"
    ACCEPTED = "the client's answer about packs"
    JOINED = "nothing"
    REFUSED = "nothing"


SERVER_TRANSITIONS: Final[dict[tuple[ServerPhase, type], frozenset[ServerPhase]]] = {
    (ServerPhase.NEW, RequestNetworkSettings): frozenset({ServerPhase.SETTLED, ServerPhase.REFUSED}),
    (ServerPhase.SETTLED, Login): frozenset({ServerPhase.OFFERED, ServerPhase.ACCEPTED, ServerPhase.REFUSED}),
    (ServerPhase.NEW, Login): frozenset({ServerPhase.OFFERED, ServerPhase.ACCEPTED, ServerPhase.REFUSED}),
    (ServerPhase.OFFERED, ClientToServerHandshake): frozenset({ServerPhase.ACCEPTED}),
    (ServerPhase.ACCEPTED, ClientCacheStatus): frozenset({ServerPhase.ACCEPTED}),
    (ServerPhase.ACCEPTED, ResourcePackClientResponse): frozenset(
        {ServerPhase.ACCEPTED, ServerPhase.JOINED, ServerPhase.REFUSED}
    ),
}
"""(phase, message class) -> phases it may lead to."""


class ServerLogin:
    """The server's end of one login.

    ``codec``: of the protocol in the client's first batch. ``settings``: compression of batches from protocol 554 on.
    ``spoken``: accepted protocols; None for the codec's alone. ``key``: must have signed the login, if the link proved
    it; None for any.
    """

    def __init__(
        self,
        codec: Codec,
        unix_time: float,
        entropy: Entropy,
        *,
        encrypt: bool = True,
        settings: NetworkSettings = DEFLATE_FROM_256_BYTES,
        spoken: ProtocolRange | None = None,
        key: PublicKey | None = None,
    ) -> None:
        self.phase = ServerPhase.NEW
        self.identity: Identity | None = None  # of the player, once Login has come
        self.cache_supported = False  # whether the client keeps blobs
        self._protocol = codec.protocol
        self._spoken = spoken or ProtocolRange.only(codec.protocol)
        self._unix_time = unix_time
        self._entropy = entropy
        self._encrypt = encrypt
        self._settings = settings
        self._key = key

    def handle(self, message: Message) -> LoginStep:
        """Handles a message from the client; returns what to do."""
        legal = SERVER_TRANSITIONS.get((self.phase, type(message)))
        if legal is None:
            return NOTHING
        phase, step = self._answer(message)
        assert phase in legal, f"{self.phase} -> {phase} by {type(message).__name__} is not in the table"
        self.phase = phase
        return step

    def _answer(self, message: Message) -> tuple[ServerPhase, LoginStep]:
        match message:
            case RequestNetworkSettings():
                return self._settle(message)
            case Login():
                return self._check(message)
            case ClientCacheStatus():
                self.cache_supported = message.supported
                return self.phase, NOTHING
            case ResourcePackClientResponse():
                return self._receive_packs_response(message)
            case _:
                return ServerPhase.ACCEPTED, self._accept()

    def _settle(self, message: RequestNetworkSettings) -> tuple[ServerPhase, LoginStep]:
        if message.protocol != self._protocol or message.protocol not in self._spoken:
            return self._other_version(message.protocol)
        return ServerPhase.SETTLED, LoginStep((self._settings,), compress=self._settings)

    def _other_version(self, protocol: int) -> tuple[ServerPhase, LoginStep]:
        if protocol in self._spoken:
            reason = f"the client names two protocols, {self._protocol} and {protocol}"
            return ServerPhase.REFUSED, LoginStep(refused=reason)
        older = protocol < self._spoken.lowest
        status = PlayStatusCode.CLIENT_TOO_OLD if older else PlayStatusCode.SERVER_TOO_OLD
        reason = f"this server speaks {self._spoken}, the client {protocol}"
        return ServerPhase.REFUSED, LoginStep((PlayStatus(status),), refused=reason)

    def _check(self, message: Login) -> tuple[ServerPhase, LoginStep]:
        if message.protocol != self._protocol or message.protocol not in self._spoken:
            return self._other_version(message.protocol)
        try:
            self.identity, client_key = check_login(message, self._unix_time)
        except DecodeError as error:
            return ServerPhase.REFUSED, LoginStep(refused=f"the login is invalid: {error}")
        if self._key is not None and client_key.public_numbers() != self._key.public_numbers():
            refused = "the login and the offer are signed with different keys (identity)"
            return ServerPhase.REFUSED, LoginStep(refused=refused)
        if not self._encrypt:
            return ServerPhase.ACCEPTED, self._accept()
        own, salt = new_key(self._entropy), self._entropy(SALT_BYTES)
        token = sign({"salt": base64.b64encode(salt).decode()}, own)
        key = session_key(own, client_key, salt)
        return ServerPhase.OFFERED, LoginStep((ServerToClientHandshake(token),), key)

    def _accept(self) -> LoginStep:
        return LoginStep((PlayStatus(PlayStatusCode.LOGIN_SUCCESS), ResourcePacksInfo()))

    def _receive_packs_response(self, message: ResourcePackClientResponse) -> tuple[ServerPhase, LoginStep]:
        if message.status == PackStatus.COMPLETED:
            return ServerPhase.JOINED, LoginStep(joined=True)
        if message.status == PackStatus.REFUSED:
            refused = "the client refuses the resource packs although the server has none"
            return ServerPhase.REFUSED, LoginStep(refused=refused)
        return ServerPhase.ACCEPTED, LoginStep((ResourcePackStack(),))
