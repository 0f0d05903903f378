"""StartGame: the world, the player's place in it, and tables of the server's own (wire.md 2.8).

Rules:
1. The wire's fields, all of them, stand in ``start_game_fields``.
2. Behind the world's time a fault is not fatal: the message keeps what was read and says so in ``tail_fault``.
3. Attributes that a release does not send keep their default; ``movement_mode`` is the server's then, as the vendor's
   client takes it from protocol 818 on.
"""

from dataclasses import field
from typing import Final

from net.bedrock.experiment import Experiment
from net.bedrock.game_rule import GameRule
from net.bedrock.game_tables import CustomBlock, ItemType
from net.bedrock.join_info import NOBODY, JoinInfo
from net.bedrock.packet import Packet
from net.bedrock.start_game_fields import FIELDS
from net.frozen import frozen
from net.nbt import Compound
from net.space.positions import BlockPos

ORIGIN: Final = BlockPos(0, 0, 0)


@frozen(kw_only=True)
class StartGame:
    """Everything the game starts with.

    Attributes:
        entity_unique_id: the player's, for good.
        runtime_id: the player's, this session; what other packets name.
        game_mode: 0 survival, 1 creative, 2 adventure, 5 the world's, 6 spectator.
        position: eyes.
        pitch: degrees, positive = down.
        yaw: degrees, 0 = +Z, 90 = -X.
        seed: of the world's generator.
        biome_kind: 0 = default biomes.
        biome_name: for user-defined biomes.
        dimension: 0 overworld, 1 nether, 2 end.
        generator: 1 = infinite.
        world_game_mode: of new players.
        difficulty: 0 peaceful .. 3 hard.
        spawn: of the world.
        rain: 0..1.
        lightning: 0..1.
        tick_range: columns around a player that live.
        base_version: of the game whose rules hold, ``*`` for the newest.
        level_id: a name for files.
        world_name: a name for people.
        movement_mode: 0 the client rules, 1 the server, 2 the server with rewind; before protocol 818.
        time: of the world, in ticks.
        custom_blocks: the server's own.
        items: the item table; before protocol 776.
        block_checksum: of the palette, 0 = not checked.
        editor: 0 no editor, 1 a project, 2 a test of one; from protocol 534, yes or no before 618.
        created_in_editor: from protocol 582, as the next.
        exported_from_editor: whether the editor gave it away.
        hardcore: whether death is for good; from protocol 671.
        persona_disabled: from protocol 544, as the next.
        custom_skins_disabled: whether all players look alike.
        emote_chat_muted: from protocol 567.
        chat_restriction: 0 none, 1 dropped, 2 disabled; from protocol 544, as the next.
        interactions_disabled: of players.
        editor_connections: who may join an editor's world; from protocol 1001, as the next.
        anonymous_drops: of blocks in such worlds.
        server_id: from protocol 685, as the next two.
        world_id: of the vendor's.
        scenario_id: of the vendor's.
        owner_id: from protocol 818.
        properties: of entities; from protocol 527.
        template_uuid: from protocol 527.
        client_generates: whether the client makes columns itself; from protocol 544.
        ids_are_hashes: whether block ids are hashes of states, not indices (wire.md 6.2); from protocol 582.
        ticks_death: protocols 827 to 897.
        server_sounds: whether the server makes all sounds; from protocol 589.
        chat_logged: protocols 1001 to 2167.
        join_info: from protocol 924.
        tail_fault: what ended the decode early, or None.
    """

    entity_unique_id: int
    runtime_id: int
    game_mode: int = 1
    position: tuple[float, float, float]
    pitch: float = 0.0
    yaw: float = 0.0
    seed: int = 0
    biome_kind: int = 0
    biome_name: str = "plains"
    dimension: int = 0
    generator: int = 1
    world_game_mode: int = 1
    difficulty: int = 0
    spawn: BlockPos = ORIGIN
    achievements_disabled: bool = True
    day_cycle_lock: int = 0
    education_offer: int = 0
    education: bool = False
    education_product: str = ""
    rain: float = 0.0
    lightning: float = 0.0
    platform_locked: bool = False
    multiplayer: bool = True
    lan_broadcast: bool = True
    xbox_broadcast: int = 4
    platform_broadcast: int = 4
    commands: bool = True
    packs_required: bool = False
    game_rules: tuple[GameRule, ...] = ()
    experiments: tuple[Experiment, ...] = ()
    experiments_used: bool = False
    bonus_chest: bool = False
    start_map: bool = False
    permission: int = 1
    tick_range: int = 4
    locked_behaviours: bool = False
    locked_resources: bool = False
    locked_template: bool = False
    msa_tags_only: bool = False
    from_template: bool = False
    template_options_locked: bool = False
    v1_villagers_only: bool = False
    base_version: str = "*"
    limited_width: int = 0
    limited_depth: int = 0
    new_nether: bool = True
    education_button: str = ""
    education_link: str = ""
    experimental: bool | None = None
    level_id: str = ""
    world_name: str = ""
    template_id: str = ""
    trial: bool = False
    movement_mode: int = 2
    rewind_size: int = 0
    server_breaks_blocks: bool = False
    time: int = 0
    enchantment_seed: int = 0
    custom_blocks: tuple[CustomBlock, ...] = ()
    items: tuple[ItemType, ...] = ()
    correlation_id: str = ""
    server_inventory: bool = True
    engine: str = ""
    block_checksum: int = 0
    editor: int = 0
    created_in_editor: bool = False
    exported_from_editor: bool = False
    hardcore: bool = False
    persona_disabled: bool = False
    custom_skins_disabled: bool = False
    emote_chat_muted: bool = False
    chat_restriction: int = 0
    interactions_disabled: bool = False
    editor_connections: int = 0
    anonymous_drops: bool = False
    server_id: str = ""
    world_id: str = ""
    scenario_id: str = ""
    owner_id: str = ""
    properties: Compound = field(default_factory=dict)
    template_uuid: str = NOBODY
    client_generates: bool = False
    ids_are_hashes: bool = False
    ticks_death: bool = False
    server_sounds: bool = False
    chat_logged: bool = False
    join_info: JoinInfo | None = None
    tail_fault: str | None = None


PACKET = Packet(11, StartGame, FIELDS, required="time")
