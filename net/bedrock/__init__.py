"""Packets of the game: one class each, a codec per protocol and profile, batches, and both ends of the login.

    batch               Batches: the content of one RakNet payload (wire.md 5.3)
    codec               Encodes and decodes packets in one dialect
    documented_profile  Converts terrain payloads between the documented profile and the form of real servers
    login/              Both ends of the login (wire.md 5.3 to 5.5)
    packets/            Packets of the Bedrock protocol, one module a topic

Rules:
1. A packet is one class (see ``packets.packet``), which registers itself in the list of all packets. Its name is public
   here if it is in its module's ``__all__``.
2. Messages are frozen and the same for every protocol and profile; a field that the wire lacks has its default.
3. An unknown packet number gives an ``Unknown`` message, bad bytes a ``DecodeError``; neither ends a session.
"""

from net.bedrock.codec import Codec as Codec
from net.bedrock.codec import PacketTrace as PacketTrace
from net.bedrock.packets.blob_cache import *
from net.bedrock.packets.blocks import *
from net.bedrock.packets.chat import *
from net.bedrock.packets.chunks import *
from net.bedrock.packets.entities import *
from net.bedrock.packets.entity_values import *
from net.bedrock.packets.inventory import *
from net.bedrock.packets.level_events import *
from net.bedrock.packets.login import *
from net.bedrock.packets.movement import *
from net.bedrock.packets.packet import *
from net.bedrock.packets.player_list import *
from net.bedrock.packets.registries import *
from net.bedrock.packets.resource_packs import *
from net.bedrock.packets.start_game import *
from net.bedrock.packets.subchunks import *
