"""Vertical ranges that a server announces, and what becomes of those that make no sense."""

import pytest

from client.session.spawn import Dimensions
from net.bedrock import DimensionData, DimensionDefinition
from net.space.dimensions import END, NETHER, OVERWORLD, Dimension


def heard(*definitions: DimensionDefinition) -> tuple[Dimensions, list[str]]:
    dimensions = Dimensions()
    return dimensions, dimensions.hear(DimensionData(definitions))


@pytest.mark.parametrize(
    ("identifier", "usual"),
    [("minecraft:overworld", OVERWORLD), ("minecraft:nether", NETHER), ("minecraft:the_end", END)],
)
def test_a_usual_dimension_gets_the_announced_range_and_keeps_its_sky(identifier: str, usual: Dimension) -> None:
    dimensions, faults = heard(DimensionDefinition(identifier, -128, 512, generator=5, kind=77))
    assert not faults
    assert dimensions.of(usual.number) == Dimension(usual.number, usual.name, -8, 40, usual.has_sky)
    others = {OVERWORLD, NETHER, END} - {usual}
    assert {dimensions.of(other.number) for other in others} == others


@pytest.mark.parametrize(("generator", "has_sky"), [(1, True), (2, True), (3, False), (4, False), (5, True)])
def test_a_dimension_of_the_servers_own_has_the_number_and_the_sky_it_says(generator: int, has_sky: bool) -> None:
    dimensions, faults = heard(DimensionDefinition("acme:attic", 0, 256, generator, kind=1000))
    assert not faults
    assert dimensions.of(1000) == Dimension(1000, "acme:attic", 0, 16, has_sky)


def test_a_range_that_cuts_a_sub_chunk_is_widened() -> None:
    dimensions, faults = heard(DimensionDefinition("minecraft:overworld", -65, 321))
    assert not faults
    overworld = dimensions.of(0)
    assert (overworld.floor_y_blocks, overworld.roof_y_blocks) == (-80, 336)


@pytest.mark.parametrize(
    ("low", "high", "why"),
    [
        (64, 64, "which is nothing"),
        (320, -64, "which is nothing"),
        (0, 32, "fewer than 3 sub-chunks"),
        (-2049, 0, "beyond what sub-chunks can be numbered for"),
        (0, 2049, "beyond what sub-chunks can be numbered for"),
        (-(1 << 31), (1 << 31) - 1, "beyond what sub-chunks can be numbered for"),
    ],
)
def test_nonsense_is_told_and_costs_only_itself(low: int, high: int, why: str) -> None:
    dimensions, faults = heard(
        DimensionDefinition("minecraft:overworld", low, high), DimensionDefinition("minecraft:nether", 0, 256)
    )
    (fault,) = faults
    assert fault.startswith(f"DimensionData.definitions[0]: 'minecraft:overworld' reaches from {low} to {high}")
    assert why in fault
    assert dimensions.of(0) == OVERWORLD
    assert dimensions.of(1).sections == 16


def test_all_that_a_signed_byte_can_number_is_held() -> None:
    dimensions, faults = heard(DimensionDefinition("minecraft:overworld", -2048, 2048))
    assert not faults
    assert dimensions.of(0).sections == 256


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_a_name_without_a_number_is_told(kind: int) -> None:
    dimensions, (fault,) = heard(DimensionDefinition("acme:attic", 0, 256, kind=kind))
    assert fault == "DimensionData.definitions[0]: 'acme:attic' has no number of its own"
    assert dimensions.of(kind).name != "acme:attic"


def test_the_last_announcement_holds() -> None:
    dimensions, _ = heard(DimensionDefinition("minecraft:overworld", -128, 512))
    assert not dimensions.hear(DimensionData((DimensionDefinition("minecraft:overworld", 0, 128),)))
    assert dimensions.of(0).sections == 8
