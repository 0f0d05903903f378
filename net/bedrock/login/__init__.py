"""Both ends of the login (wire.md 5.3 to 5.5).

    client    The client's end of a login
    server    The server's end of a login
    tokens    Keys and signed tokens of the login (wire.md 5.3, 5.4)

    client                              server
    RequestNetworkSettings ----------->                             this pair from protocol 554 on
          <---------------------------- NetworkSettings             compression starts after it
    Login ---------------------------->
          <---------------------------- ServerToClientHandshake     not encrypted; both have the key now
    ClientToServerHandshake ---------->                             the first encrypted packet
          <---------------------------- PlayStatus 0, ResourcePacksInfo
    ClientCacheStatus, response 3 ---->
          <---------------------------- ResourcePackStack
    response 4 ----------------------->                             joined, for the server
          <---------------------------- StartGame                   joined, for the client

Rules:
1. ``CLIENT_TRANSITIONS`` and ``SERVER_TRANSITIONS`` list every legal step. A message that a phase does not list changes
   nothing: servers send settings, moves and whole columns in between (ecosystem.md 2.4).
2. A client continues unencrypted if PlayStatus comes instead of the handshake, still accepts a handshake that comes
   later, and starts the game if StartGame comes without the packs.
3. A server checks that the tokens are signed by the keys they name, but not whether a vendor vouches for the keys:
   there are no accounts.
4. After ``joined`` or ``refused`` no further message is handled; a refusal is one sentence for the user.
5. Neither end has a clock or a random source: both are passed in.
"""

from net.bedrock.login.client import ClientLogin, ClientPhase
from net.bedrock.login.server import ServerLogin, ServerPhase
from net.bedrock.login.tokens import Identity, LoginStep

__all__ = ["ClientLogin", "ClientPhase", "Identity", "LoginStep", "ServerLogin", "ServerPhase"]
