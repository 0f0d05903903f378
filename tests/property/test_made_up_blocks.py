"""Whatever names and states a world or a server brings: traits agree with each other, and each block has a look.

Model states: Whatever states a server invents for the blocks that fill no cube, each has a look that can be drawn.
"""

from functools import cache
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assets import models
from assets import states as states_module
from assets.models import WHOLE
from assets.models import load as models_load
from assets.textures import load as load_textures
from assets.traits import UNKNOWN, BlockClass, load
from client.world.block_table import DENSE_IDS, BlockTable
from net.bedrock import CustomBlock
from net.palette import Palette
from render.materials.face_recipes import faces_of, signature_of
from render.mesh.model_shapes import quads_of
from render.mesh.vertex_format import MODEL, pack
from tests.support.session.driven import Driven

# ---------------------------------------------------------------- made up blocks

ENDS = (
    "glass", "stained_glass2", "leaves", "water", "lava", "air", "slab", "double_slab", "stairs", "door", "block",
    "log", "candle", "torch", "lantern", "cauldron", "rail", "anvil", "ice", "copper_grate",
    "client_request_placeholder_block",
)  # fmt: skip
PARTS = st.sampled_from(
    ["", "blue_", "x", "double_", "wall_", "{", "}", "{color}", "{color:>9}", "9" * 12, "\udcff", "é"]
)
NAMES = st.one_of(
    st.builds(
        lambda space, before, end, after: f"{space}{before}{end}{after}",
        st.sampled_from(["", "minecraft:", "some:", "minecraft:some:", ":"]),
        PARTS,
        st.sampled_from(ENDS),
        PARTS,
    ),
    st.text(max_size=40),
)
KEYS = st.sampled_from(
    ["color", "pillar_axis", "facing_direction", "direction", "lit", "cauldron_liquid", "fill_level", "open_bit", "x"]
)
VALUES = st.one_of(st.booleans(), st.integers(-(2**31), 2**31 - 1), st.sampled_from(["blue", "y", "lava", "", "{"]))
STATES = st.dictionaries(KEYS, VALUES, max_size=4)
TRAITS, TEXTURES, MODELS = load(), load_textures(), models.load()


@settings(deadline=None)
@example(name="some:blue_stained_glass2", states={})
@example(name="minecraft:blue_stained_glass2", states={})
@example(name="minecraft:flowing_lava", states={})
@given(name=NAMES, states=STATES)
def test_traits_of_a_made_up_name_agree_with_each_other(name: str, states: dict[str, Any]) -> None:
    traits = TRAITS.of(name, states)
    assert all(0 <= level <= 15 for level in (*traits.emission, *traits.opacity))
    if traits.block_class >= BlockClass.PLACEHOLDER:
        assert traits.opacity == (15, 15, 15, 15)
    if traits.block_class == BlockClass.LIQUID:
        assert traits.opacity[3] > 0
    if traits.block_class == BlockClass.AIR:
        assert traits.emission == (0, 0, 0)
        assert traits.opacity == (0, 0, 0, 0)


@settings(deadline=None)
@given(name=NAMES, states=STATES)
def test_no_pattern_of_ours_means_a_block_of_another_name_space(name: str, states: dict[str, Any]) -> None:
    foreign = name if ":" in name.removeprefix("minecraft:") else f"some:{name}"
    assert TRAITS.of(foreign, states) == UNKNOWN
    assert not TRAITS.knows(foreign)
    assert MODELS.shape_of(foreign, states) is WHOLE
    signature = signature_of(TEXTURES, foreign, states)
    assert signature.mark == ""
    assert {face.recipe.painter for face in faces_of(TEXTURES, signature)} == {"unknown"}


@settings(deadline=None)
@example(name="minecraft:{color:>99999999}", states={"color": "blue"})
@example(name="minecraft:element_999999999999", states={})
@example(name="minecraft:x" + "_slab" * 3000, states={})
@example(name="minecraft:x" + "9" * 5000, states={})
@given(name=NAMES, states=STATES)
def test_a_made_up_name_has_a_look(name: str, states: dict[str, Any]) -> None:
    signature = signature_of(TEXTURES, name, states)
    assert len(signature.word) <= max(len(name), 64)
    assert len(faces_of(TEXTURES, signature)) == 6
    quads_of(MODELS.shape_of(name, states))


CUSTOM = st.builds(
    lambda name, properties: CustomBlock(name, {"properties": [{"name": k, "enum": v} for k, v in properties]}),
    NAMES,
    st.lists(
        st.tuples(st.one_of(KEYS, st.just("é\udcfe")), st.lists(st.one_of(VALUES, st.integers()), max_size=3)),
        max_size=3,
    ),
)
VANILLA = {
    hashed: Palette.for_protocol(589).hashed() if hashed else Palette.for_protocol(589) for hashed in (False, True)
}


@settings(deadline=None, max_examples=15)
@example(blocks=[CustomBlock("some:blue_stained_glass2")], hashed=False)
@example(blocks=[CustomBlock("air"), CustomBlock("client_request_placeholder_block")], hashed=True)
@example(blocks=[CustomBlock("some:" + "x" * 70_000), CustomBlock("some:a")], hashed=True)
@given(blocks=st.lists(CUSTOM, max_size=12), hashed=st.booleans())
def test_custom_blocks_of_any_name_cost_themselves_at_most(blocks: list[CustomBlock], hashed: bool) -> None:
    vanilla = VANILLA[hashed]
    table = BlockTable.build(vanilla.with_custom(blocks), TRAITS)
    assert len(vanilla) <= len(table) < DENSE_IDS
    assert table.states[0].name == "minecraft:air"
    opaque = table.classes[: len(table)] >= BlockClass.PLACEHOLDER
    np.testing.assert_array_equal((table.opacity[:, : len(table)] == 15).all(axis=0) | ~opaque, True)


def test_custom_blocks_of_more_states_than_there_are_ids_leave_the_others_there() -> None:
    values = [f"v{number}" for number in range(16)]
    many = {"properties": [{"name": name, "enum": values} for name in "abc"]}  # 4,096 states each
    blocks = [
        CustomBlock("some:first"),
        *(CustomBlock(f"some:many{n}", many) for n in range(40)),
        CustomBlock("some:z"),
    ]
    palette = Palette.for_protocol(486).with_custom(blocks)
    table = BlockTable.build(palette, TRAITS)
    names = {state.name for state in table.states}
    assert {"some:first", "some:many0", "some:z", "minecraft:stone"} <= names
    assert "some:many39" not in names


def test_a_session_bears_custom_blocks_that_are_named_like_ours() -> None:
    driven = Driven()
    driven.join(custom_blocks=(CustomBlock("some:blue_stained_glass2"), CustomBlock("some:oak_door")))
    assert driven.session.spawn.closed_reason is None
    assert driven.session.stats(driven.now).last_fault == ""
    assert "some:oak_door" in {state.name for state in driven.session.dimension.store.table.states}


# ---------------------------------------------------------------- model states

NOTHING = {
    "barrier", "invisibleBedrock", "invisible_bedrock", "light_block", "movingBlock", "moving_block", "structure_void",
}  # fmt: skip
"""Blocks that are there and show nothing."""
MODEL_STATES_VALUES = st.one_of(
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-3, 30),
    st.booleans(),
    st.sampled_from(["", "none", "short", "tall", "up", "north", "standing", "sideways", "full_tilt", "tip"]),
)
EDGES = ("x", "y", "z", "ux", "uy", "uz", "vx", "vy", "vz", "u0", "v0", "u1", "v1", "face")


@cache
def model_blocks() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Name and state keys of each block of any release that is a model."""
    traits = load()
    found: dict[str, tuple[str, ...]] = {}
    for protocol in (states_module.FIRST_PROTOCOL, *states_module.protocols()):
        for name, properties in states_module.load(protocol):
            if traits.of(name, dict(properties)).block_class is BlockClass.MODEL:
                found.setdefault(name, tuple(key for key, _ in properties))
    return tuple(sorted(found.items()))


def check(name: str, states_: dict[str, int | str | bool]) -> None:
    quads = quads_of(models_load().shape_of(name, states_))
    shown = len(quads) > 0
    hides = name.removeprefix("minecraft:").startswith("light_block")
    assert shown != (hides or name.removeprefix("minecraft:") in NOTHING), f"{name} {states_}"
    pack(MODEL, len(quads), **{edge: quads[:, k] for k, edge in enumerate(EDGES)})


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_impossible_states_are_drawn(data: st.DataObject) -> None:
    name, keys = data.draw(st.sampled_from(model_blocks()))
    values = data.draw(
        st.fixed_dictionaries({}, optional=dict.fromkeys((*keys, "age", "nonsense"), MODEL_STATES_VALUES))
    )
    check(name, values)


@given(st.sampled_from(["oak_stairs", "cobblestone_wall", "wheat", "rail", "vine", "standing_sign", "cauldron"]))
@example("glow_lichen")
@example("composter")
def test_blocks_without_any_state_are_drawn(name: str) -> None:
    check(f"minecraft:{name}", {})


def test_every_state_of_every_release_is_drawn() -> None:
    traits = load()
    for protocol in (states_module.FIRST_PROTOCOL, states_module.protocols()[-1]):
        for name, properties in states_module.load(protocol):
            if traits.of(name, dict(properties)).block_class is BlockClass.MODEL:
                check(name, dict(properties))
