"""The client's end of a login; the package shows the message flow."""

from enum import Enum
from typing import Final

from net.bedrock.codec import Codec
from net.bedrock.login.tokens import (
    NOTHING,
    Entropy,
    Identity,
    LoginStep,
    PrivateKey,
    Token,
    chain_text,
    client_claims,
    new_key,
    session_key,
    sign,
)
from net.bedrock.packets.blob_cache import ClientCacheStatus
from net.bedrock.packets.login import (
    Algorithm,
    ClientToServerHandshake,
    Disconnect,
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
from net.bedrock.packets.start_game import StartGame
from net.errors import DecodeError
from net.releases import SETTINGS_FIRST


class ClientPhase(Enum):
    """The client's progress; the value names what it waits for."""

    NEW = "a request for its first packet"
    ASKED = "the network settings"
    OFFERED = "the handshake, or a status from a server that does not encrypt"
    SECRET = "the status"
    ACCEPTED = "the list of packs"
    PACKS = "the order of packs"
    READY = "the game"
    JOINED = "nothing"
    REFUSED = "nothing"


CLIENT_TRANSITIONS: Final[dict[tuple[ClientPhase, type], frozenset[ClientPhase]]] = {
    (ClientPhase.ASKED, NetworkSettings): frozenset({ClientPhase.OFFERED, ClientPhase.REFUSED}),
    (ClientPhase.ASKED, PlayStatus): frozenset({ClientPhase.ASKED, ClientPhase.REFUSED}),
    (ClientPhase.ASKED, Disconnect): frozenset({ClientPhase.REFUSED}),
    (ClientPhase.OFFERED, ServerToClientHandshake): frozenset({ClientPhase.SECRET, ClientPhase.REFUSED}),
    (ClientPhase.OFFERED, PlayStatus): frozenset({ClientPhase.ACCEPTED, ClientPhase.REFUSED}),
    (ClientPhase.SECRET, PlayStatus): frozenset({ClientPhase.ACCEPTED, ClientPhase.REFUSED}),
    (ClientPhase.ACCEPTED, ServerToClientHandshake): frozenset({ClientPhase.ACCEPTED, ClientPhase.REFUSED}),
    (ClientPhase.PACKS, ServerToClientHandshake): frozenset({ClientPhase.PACKS, ClientPhase.REFUSED}),
    (ClientPhase.READY, ServerToClientHandshake): frozenset({ClientPhase.READY, ClientPhase.REFUSED}),
    (ClientPhase.ACCEPTED, ResourcePacksInfo): frozenset({ClientPhase.PACKS}),
    (ClientPhase.ACCEPTED, StartGame): frozenset({ClientPhase.JOINED}),
    (ClientPhase.PACKS, ResourcePackStack): frozenset({ClientPhase.READY}),
    (ClientPhase.PACKS, StartGame): frozenset({ClientPhase.JOINED}),
    (ClientPhase.READY, StartGame): frozenset({ClientPhase.JOINED}),
    (ClientPhase.OFFERED, Disconnect): frozenset({ClientPhase.REFUSED}),
    (ClientPhase.SECRET, Disconnect): frozenset({ClientPhase.REFUSED}),
    (ClientPhase.ACCEPTED, Disconnect): frozenset({ClientPhase.REFUSED}),
    (ClientPhase.PACKS, Disconnect): frozenset({ClientPhase.REFUSED}),
    (ClientPhase.READY, Disconnect): frozenset({ClientPhase.REFUSED}),
}
"""(phase, message class) -> phases it may lead to."""

_REFUSALS: Final[dict[int, str]] = {
    PlayStatusCode.CLIENT_TOO_OLD: "the server speaks a newer version than protocol {protocol}",
    PlayStatusCode.SERVER_TOO_OLD: "the server speaks an older version than protocol {protocol}",
    PlayStatusCode.SERVER_FULL: "the server is full",
    PlayStatusCode.INVALID_TENANT: "the server belongs to another organisation",
    PlayStatusCode.VANILLA_TO_EDUCATION: "the server is of the education edition",
    PlayStatusCode.EDUCATION_TO_VANILLA: "the server is not of the education edition",
    PlayStatusCode.EDITOR_TO_VANILLA: "the server does not admit editors",
    PlayStatusCode.VANILLA_TO_EDITOR: "the server admits only editors",
}


class ClientLogin:
    """The client's end of one login.

    ``unix_time``: seconds since 1970, for the token's validity. ``entropy``: returns a number of unpredictable bytes.
    ``keeps_blobs``: whether the server may send blobs by their ids. ``key``: signs the login; None for a new one.
    """

    def __init__(
        self,
        codec: Codec,
        identity: Identity,
        unix_time: float,
        entropy: Entropy,
        keeps_blobs: bool = False,
        key: PrivateKey | None = None,
    ) -> None:
        self.phase = ClientPhase.NEW
        self._protocol = codec.protocol
        self._release = codec.release
        self._identity = identity
        self._keeps_blobs = keeps_blobs
        self._unix_time = int(unix_time)
        self._key = key or new_key(entropy)
        self._random_id = int.from_bytes(entropy(8), "big") >> 1

    def first(self) -> list[Message]:
        """The packets that open the session, sent unencrypted."""
        if self._protocol >= SETTINGS_FIRST:
            self.phase = ClientPhase.ASKED
            return [RequestNetworkSettings(self._protocol)]
        self.phase = ClientPhase.OFFERED
        return [self._login()]

    @property
    def opened(self) -> bool:
        """Whether Login has been sent: nothing else may be sent before it."""
        return self.phase not in {ClientPhase.NEW, ClientPhase.ASKED}

    def _login(self) -> Login:
        identity = self._identity
        chain = chain_text(identity, self._key, self._unix_time, self._protocol)
        claims = client_claims(identity, self._release, self._random_id)
        return Login(self._protocol, chain, sign(claims, self._key))

    def handle(self, message: Message) -> LoginStep:
        """Handles a message from the server; returns what to do."""
        legal = CLIENT_TRANSITIONS.get((self.phase, type(message)))
        if legal is None:
            return NOTHING
        phase, step = self._answer(message)
        assert phase in legal, f"{self.phase} -> {phase} by {type(message).__name__} is not in the table"
        self.phase = phase
        return step

    def _answer(self, message: Message) -> tuple[ClientPhase, LoginStep]:
        match message:
            case NetworkSettings():
                return self._take_settings(message)
            case ServerToClientHandshake():
                return self._shake_hands(message)
            case PlayStatus():
                return self._receive_status(message)
            case ResourcePacksInfo() | ResourcePackStack():
                return self._answer_packs(message)
            case Disconnect():
                return ClientPhase.REFUSED, LoginStep(refused=message.sentence())
            case _:
                return ClientPhase.JOINED, LoginStep(joined=True)

    def _answer_packs(self, message: ResourcePacksInfo | ResourcePackStack) -> tuple[ClientPhase, LoginStep]:
        if isinstance(message, ResourcePackStack):
            return ClientPhase.READY, LoginStep((ResourcePackClientResponse(PackStatus.COMPLETED),))
        answers = (ClientCacheStatus(self._keeps_blobs), ResourcePackClientResponse(PackStatus.ALL_HERE))
        return ClientPhase.PACKS, LoginStep(answers)

    def _take_settings(self, message: NetworkSettings) -> tuple[ClientPhase, LoginStep]:
        if message.algorithm not in set(Algorithm):
            refused = f"the server compresses with algorithm {message.algorithm}, which is unknown"
            return ClientPhase.REFUSED, LoginStep(refused=refused)
        return ClientPhase.OFFERED, LoginStep((self._login(),), compress=message)

    def _shake_hands(self, message: ServerToClientHandshake) -> tuple[ClientPhase, LoginStep]:
        try:
            token = Token.parse(message.token, "handshake")
            signer = token.signer()
            token.verify(signer, "handshake")
            salt = token.base64_claim("salt")
        except DecodeError as error:
            return ClientPhase.REFUSED, LoginStep(refused=f"the server's handshake is invalid: {error}")
        key = session_key(self._key, signer, salt)
        phase = ClientPhase.SECRET if self.phase is ClientPhase.OFFERED else self.phase
        return phase, LoginStep((ClientToServerHandshake(),), key)

    def _receive_status(self, message: PlayStatus) -> tuple[ClientPhase, LoginStep]:
        if message.status == PlayStatusCode.LOGIN_SUCCESS:
            return ClientPhase.ASKED if self.phase is ClientPhase.ASKED else ClientPhase.ACCEPTED, NOTHING
        words = _REFUSALS.get(message.status, f"the server refuses the login with status {message.status}")
        return ClientPhase.REFUSED, LoginStep(refused=words.format(protocol=self._protocol))
