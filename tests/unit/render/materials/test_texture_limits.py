"""Room among texture layers: packs' pictures as far as there are layers, ours behind them, and one size for all."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from render.materials.texture_limits import MOST_TILE_BYTES, TextureRequest, crowded_line, fitting, side_of

OURS = st.frozensets(st.integers(0, 12), min_size=1, max_size=6)
PACKS = st.frozensets(st.integers(100, 130), max_size=6)


@st.composite
def wishes(draw: st.DrawFn) -> list[TextureRequest]:
    """Looks of which some faces show packs, the others ours."""
    found = []
    for _ in range(draw(st.integers(1, 14))):
        ours = draw(OURS)
        packed = draw(PACKS)
        kept = draw(st.frozensets(st.sampled_from(sorted(ours))))
        found.append(TextureRequest(packed | kept if packed else ours, ours))
    return found


@given(wishes(), st.integers(13, 60))
def test_never_more_than_there_is_room_for_and_ours_always_fit(looks: list[TextureRequest], most: int) -> None:
    served = fitting(looks, (), most)
    used = set().union(*(look.shown if fits else look.ours for look, fits in zip(looks, served, strict=True)))
    assert len(used) <= most, "13 pictures of ours fit, so all that is chosen does"


@given(wishes())
def test_everything_is_served_where_it_fits_to_the_last_layer(looks: list[TextureRequest]) -> None:
    need = len(set().union(*(look.shown for look in looks)))
    assert fitting(looks, (), need) == [True] * len(looks)


@given(wishes(), st.integers(13, 60))
def test_what_is_refused_would_have_taken_the_room_of_others(looks: list[TextureRequest], most: int) -> None:
    """A look is refused only where it and ours of all behind it do not fit beside what was served before it."""
    served = fitting(looks, (), most)
    used: set[object] = set()
    for number, (look, fits) in enumerate(zip(looks, served, strict=True)):
        behind = set().union(*(other.ours for other in looks[number + 1 :]))
        if len(used | look.shown | behind) <= most:
            assert fits
        used |= look.shown if fits else look.ours


def test_what_is_there_already_takes_its_room() -> None:
    looks = [TextureRequest(frozenset({"p"}), frozenset({"o"}))]
    assert fitting(looks, ["x", "y"], 3) == [True]
    assert fitting(looks, ["x", "y", "o"], 3) == [False]


def test_pictures_are_as_large_as_the_budget_allows() -> None:
    for layers in (1, 900, 1536, 1537, 2048, 6144, 6145, 40000):
        side = side_of(128, layers)
        assert layers * side * side * 16 // 3 <= MOST_TILE_BYTES or side == 16
        assert side == 128 or layers * 4 * side * side * 16 // 3 > MOST_TILE_BYTES, "not smaller than it must be"
    assert side_of(16, 100000) == 16
    assert side_of(128, 1536) == 128


def test_what_has_no_room_is_one_line() -> None:
    line = crowded_line([f"minecraft:block{number:02}" for number in range(30)], 2048)
    assert line.startswith("no room for 30 blocks among 2,048 texture layers; they look as ours do: block00 block01")
    assert line.endswith("block09 ...")
    assert np.char.count(line, "\n") == 0
