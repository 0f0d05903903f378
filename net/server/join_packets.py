"""The packets that a client gets when it joins: dimension ranges, StartGame, tables, clock.

Rules:
1. A dimension of the usual height needs no DimensionData; the range of any other is sent before StartGame (wire.md
   2.5).
2. Tables that only real clients need are sent empty; so is the item registry where items are no longer in StartGame.
"""

from collections.abc import Iterable

from net.bedrock import (
    AvailableEntityIdentifiers,
    BiomeDefinitionList,
    CreativeContent,
    DimensionData,
    DimensionDefinition,
    ItemRegistry,
    Message,
    SetTime,
    StartGame,
)
from net.bedrock.packets.registries import FIRST_PROTOCOL as ITEM_REGISTRY
from net.bedrock.packets.start_game import CustomBlock
from net.errors import LocalProtocolError
from net.releases import DIMENSION_DATA, DIMENSIONS_NUMBERED, HASHED_IDS, OLDEST
from net.server.host_options import IdForm
from net.server.worlds import SavedWorld, ServerWorld, Spawn
from net.space import IDENTIFIERS, BlockPos, Dimension, by_number

EYE_HEIGHT = 1.62
"""Height of the eye above the feet; all player positions on the wire are eyes (wire.md 2.6)."""
MOVED_BY_CLIENT = 0
"""Movement mode of StartGame: the client decides its position."""
CREATIVE = 1
OVERWORLD_GENERATOR, NETHER_GENERATOR = 1, 3


def check_speakable(world: ServerWorld, ids: IdForm, protocol: int) -> None:
    """Checks that a protocol can express a world's height and its kind of block ids.

    Raises LocalProtocolError: it cannot; the message says what.
    """
    if ids is IdForm.HASH and protocol < HASHED_IDS:
        raise LocalProtocolError(f"protocol {protocol} has no hashed block ids; they start with {HASHED_IDS}")
    dimension = world.dimension
    if protocol < lowest_protocol(world, IdForm.ORDER):
        tall = f"{dimension.floor_y_blocks} to {dimension.roof_y_blocks}"
        raise LocalProtocolError(
            f"protocol {protocol} cannot announce that dimension {dimension.name} reaches from {tall}"
        )


def lowest_protocol(world: ServerWorld, ids: IdForm) -> int:
    """The lowest protocol that can express a world's height and its kind of block ids."""
    least = HASHED_IDS if ids is IdForm.HASH else OLDEST.protocol
    if _is_usual(world.dimension):
        return least
    return max(least, DIMENSION_DATA if world.dimension.number in IDENTIFIERS else DIMENSIONS_NUMBERED)


def greeting(
    world: ServerWorld,
    ids: IdForm,
    runtime_id: int,
    time: int,
    protocol: int,
    start: Spawn | None = None,
    beside: Iterable[Dimension] = (),
) -> list[Message]:
    """The messages, in order.

    ``world``: the client's world. ``runtime_id``: the player's own id. ``time``: of day, in ticks. ``protocol``: the
    client's; ``check_speakable`` accepts it. ``start``: where the client starts, None for the world's spawn.
    ``beside``: other dimensions that the player may go to.
    """
    unusual = {one.number: one for one in (world.dimension, *beside) if not _is_usual(one)}
    messages: list[Message] = [DimensionData(tuple(map(_definition, unusual.values())))] if unusual else []
    messages += [_start_game(world, ids, runtime_id, time, start or world.spawn)]
    messages += [ItemRegistry()] if protocol >= ITEM_REGISTRY else []
    messages += [BiomeDefinitionList(), AvailableEntityIdentifiers(), CreativeContent(), SetTime(time)]
    return messages


def custom_blocks_of(world: ServerWorld) -> tuple[CustomBlock, ...]:
    """A saved world's custom blocks; they change the ids of all other blocks if ids go by order."""
    return world.custom_blocks if isinstance(world, SavedWorld) else ()


def _start_game(world: ServerWorld, ids: IdForm, runtime_id: int, time: int, start: Spawn) -> StartGame:
    x, y, z = start.feet
    return StartGame(
        entity_unique_id=runtime_id,
        runtime_id=runtime_id,
        game_mode=CREATIVE,
        position=(x, y + EYE_HEIGHT, z),
        pitch=start.pitch,
        yaw=start.yaw,
        dimension=world.dimension.number,
        spawn=BlockPos.containing(*world.spawn.feet),
        world_name=world.name,
        movement_mode=MOVED_BY_CLIENT,
        time=time,
        ids_are_hashes=ids is IdForm.HASH,
        custom_blocks=custom_blocks_of(world),
    )


def _is_usual(dimension: Dimension) -> bool:
    usual = by_number(dimension.number)
    return (dimension.floor_section, dimension.sections) == (usual.floor_section, usual.sections)


def _definition(dimension: Dimension) -> DimensionDefinition:
    return DimensionDefinition(
        IDENTIFIERS.get(dimension.number, dimension.name),
        dimension.floor_y_blocks,
        dimension.roof_y_blocks,
        OVERWORLD_GENERATOR if dimension.has_sky else NETHER_GENERATOR,
        dimension.number,
    )
