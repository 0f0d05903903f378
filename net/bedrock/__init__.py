"""Packets of the game: one class each, a codec per protocol and profile, batches, and the login of both ends.

    batch               Batches: what one RakNet payload holds (wire.md 5.3)
    codec               Packets to messages and back, in one dialect
    documented_profile  What a payload looks like under the documented profile, turned into what real servers send
    login/              The login, seen from both ends (wire.md 5.3 to 5.5)
    packets/            Packets of the Bedrock protocol, one module a topic
    releases            Every release this package speaks: protocol number, name, RakNet version (wire.md 7)

Rules:
1. A packet is one class (see ``packets.packet``), which puts itself onto the list of all packets. Its name is public
   here if it stands in its module's ``__all__``.
2. Messages are frozen and the same for every protocol and profile; where the wire has no such field, a default stands.
3. An unknown packet number is a message (``Unknown``), bad bytes are a ``DecodeError``; neither ends a session.
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
