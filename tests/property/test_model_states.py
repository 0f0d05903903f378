"""Whatever states a server invents for the blocks that fill no cube, each has a look that can be drawn."""

from functools import cache

from hypothesis import example, given, settings
from hypothesis import strategies as st

from assets import states
from assets.models import load
from assets.traits import BlockClass
from assets.traits import load as load_traits
from render.mesh.model_shapes import quads_of
from render.mesh.vertex_format import MODEL, pack

NOTHING = {
    "barrier", "invisibleBedrock", "invisible_bedrock", "light_block", "movingBlock", "moving_block", "structure_void",
}  # fmt: skip
"""Blocks that are there and show nothing."""
VALUES = st.one_of(
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-3, 30),
    st.booleans(),
    st.sampled_from(["", "none", "short", "tall", "up", "north", "standing", "sideways", "full_tilt", "tip"]),
)
EDGES = ("x", "y", "z", "ux", "uy", "uz", "vx", "vy", "vz", "u0", "v0", "u1", "v1", "face")


@cache
def model_blocks() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Name and state keys of each block of any release that is a model."""
    traits = load_traits()
    found: dict[str, tuple[str, ...]] = {}
    for protocol in (states.FIRST_PROTOCOL, *states.protocols()):
        for name, properties in states.load(protocol):
            if traits.of(name, dict(properties)).block_class is BlockClass.MODEL:
                found.setdefault(name, tuple(key for key, _ in properties))
    return tuple(sorted(found.items()))


def check(name: str, states_: dict[str, int | str | bool]) -> None:
    quads = quads_of(load().shape_of(name, states_))
    shown = len(quads) > 0
    hides = name.removeprefix("minecraft:").startswith("light_block")
    assert shown != (hides or name.removeprefix("minecraft:") in NOTHING), f"{name} {states_}"
    pack(MODEL, len(quads), **{edge: quads[:, k] for k, edge in enumerate(EDGES)})


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_impossible_states_are_drawn(data: st.DataObject) -> None:
    name, keys = data.draw(st.sampled_from(model_blocks()))
    values = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys((*keys, "age", "nonsense"), VALUES)))
    check(name, values)


@given(st.sampled_from(["oak_stairs", "cobblestone_wall", "wheat", "rail", "vine", "standing_sign", "cauldron"]))
@example("glow_lichen")
@example("composter")
def test_blocks_without_any_state_are_drawn(name: str) -> None:
    check(f"minecraft:{name}", {})


def test_every_state_of_every_release_is_drawn() -> None:
    traits = load_traits()
    for protocol in (states.FIRST_PROTOCOL, states.protocols()[-1]):
        for name, properties in states.load(protocol):
            if traits.of(name, dict(properties)).block_class is BlockClass.MODEL:
                check(name, dict(properties))
