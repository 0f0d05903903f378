"""ResourcePackStack: in which order packs apply (wire.md 2.9). A viewer needs only its arrival."""

from net.bedrock.experiment import EXPERIMENTS, Experiment
from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, STRING, UV32, Field, Record, listed


@frozen
class StackedPack:
    """One pack in its place.

    Attributes:
        uuid: of the pack.
        version: for example ``1.0.0``.
        sub_pack: chosen variant, mostly empty.
    """

    uuid: str
    version: str
    sub_pack: str = ""


@frozen
class ResourcePackStack:
    """Sent when the client has all packs; answered with ResourcePackClientResponse 4.

    Attributes:
        must_accept: whether a client without the packs is refused.
        behaviour_packs: top first; before protocol 898.
        texture_packs: top first.
        game_version: of the game that the packs are for, or ``*``.
        experiments: switches of the world.
        experiments_used: whether any was ever on.
        editor_packs: whether any is of the editor; from protocol 671.
    """

    must_accept: bool = False
    behaviour_packs: tuple[StackedPack, ...] = ()
    texture_packs: tuple[StackedPack, ...] = ()
    game_version: str = "*"
    experiments: tuple[Experiment, ...] = ()
    experiments_used: bool = False
    editor_packs: bool = False


STACKED_PACKS = listed(
    Record(StackedPack, (Field("uuid", STRING), Field("version", STRING), Field("sub_pack", STRING))).kind, UV32
)

PACKET = Packet(
    7,
    ResourcePackStack,
    (
        Field("must_accept", BOOL),
        Field("behaviour_packs", STACKED_PACKS, until=898),
        Field("texture_packs", STACKED_PACKS),
        Field("game_version", STRING),
        Field("experiments", EXPERIMENTS),
        Field("experiments_used", BOOL),
        Field("editor_packs", BOOL, since=671),
    ),
)
