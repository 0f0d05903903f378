"""A sector's own eye answers all that a walk asks of an eye as any eye of that sector does, in exact numbers."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from client.visibility.walk import sector_of
from net.space.dimensions import OVERWORLD

AWAY = range(-3, 4)
EXACT = st.integers(0, 16 * 32 - 1).map(lambda part: part / 32)
WITHIN = st.one_of(EXACT, st.floats(0.0, 15.9999))
CORNERS = st.tuples(*[st.integers(-9, 9)] * 3)
STEPS = st.floats(-1.0, 1.0)


def farther(way: Fraction, other: Fraction) -> list[int]:
    """-1, 0 or 1 for each pair of numbers of sub-chunks: on which of two axes the middle is farther from the eye."""
    lengths = [[abs(16 * away + along) for away in AWAY] for along in (way, other)]
    return [(a > b) - (a < b) for a, b in product(*lengths)]


def asked(eye: tuple[Fraction, ...]) -> list[int]:
    """All that a walk can ask of an eye, which is counted from the lowest corner of its sub-chunk."""
    ways = [8 - e for e in eye]
    return [answer for a, b in product(ways, ways) for answer in farther(a, b)]


def answers(corner: tuple[int, int, int], within: tuple[float, ...]) -> tuple[list[int], list[int]]:
    """Those of an eye, and those of its sector."""
    low = corner[0] * 16, (corner[1] % OVERWORLD.sections + OVERWORLD.floor_section) * 16, corner[2] * 16
    x, y, z = (at + e for at, e in zip(low, within, strict=True))
    column, section, own = sector_of((x, y, z), OVERWORLD)
    exact = zip((x, y, z), (column.x, section, column.z), strict=True)
    return asked(tuple(Fraction(e) - 16 * at for e, at in exact)), asked(tuple(map(Fraction, own)))


@given(CORNERS, st.tuples(EXACT, EXACT, EXACT))
def test_the_eye_of_a_sector_answers_as_every_eye_of_it(
    corner: tuple[int, int, int], within: tuple[float, ...]
) -> None:
    of_eye, of_sector = answers(corner, within)
    assert of_eye == of_sector


@given(CORNERS, st.tuples(WITHIN, WITHIN, WITHIN))
def test_what_is_rounded_on_the_way_to_a_sector_hides_nothing(
    corner: tuple[int, int, int], within: tuple[float, ...]
) -> None:
    """As far on both axes drops no pair of faces, so it may stand for either."""
    assert all(told in (0, true) for true, told in zip(*answers(corner, within), strict=True))


@given(st.tuples(STEPS, STEPS, STEPS))
@example((0.0, -1.0, 1.0))
def test_an_eye_that_goes_straight_on_crosses_few_sectors(way: tuple[float, float, float]) -> None:
    """In 15 blocks at most three borders of sub-chunks and, in each of four of them, nine planes, each a sector.

    The start is as far from the middle on no two axes: within a plane rounding alone would say on which side an eye is.
    """
    eyes = np.linspace(0.0, 15.0, 500)[:, None] * np.array(way) + np.array([5.1, 70.7, 9.9])
    sectors = [sector_of((x, y, z), OVERWORLD) for x, y, z in eyes.tolist()]
    assert sum(before != after for before, after in pairwise(sectors)) <= 2 * (3 + 4 * 9)


def test_over_and_under_the_world_every_eye_walks_by_itself() -> None:
    above = sector_of((5.0, 400.0, -3.5), OVERWORLD)
    assert (above.column, above.section, above.within) == ((0, -1), OVERWORLD.roof_section, (5.0, 80.0, 12.5))
    assert sector_of((5.0, 400.25, -3.5), OVERWORLD) != above
    assert sector_of((5.0, -900.0, -3.5), OVERWORLD).section == OVERWORLD.floor_section - 1
