"""Biomes: a tile for each 4 x 4 blocks on the ground, in the paint of its biome, and a name a column and biome."""

import itertools

import numpy as np

from assets import biome_climates
from net.space.layout import UNKNOWN_BIOME
from render.overlays.facts import Ground
from render.overlays.geometry import UNKNOWN, biomes_marks, style_of, words_of
from render.passes.overlay.boxes import Style
from tests.support.overlay_facts import given_facts


def ground(seed: int = 1) -> Ground:
    rng = np.random.default_rng(seed)
    columns = np.array([[0, 0], [0, 1], [3, -2]], np.int32)
    biomes = np.repeat(np.repeat(rng.choice([1, 4, 7, UNKNOWN_BIOME], (3, 4, 4)), 4, 1), 4, 2).astype(np.uint16)
    return Ground(columns, biomes, rng.integers(50, 90, (3, 16, 16)).astype(np.int32))


def plain_style(number: int) -> Style:
    return style_of(number, words_of(number, {}))


def test_tiles_lie_on_the_highest_ground_in_them_in_their_biome() -> None:
    given = ground()
    made = biomes_marks(given_facts([[0, 0, 0]]).but(ground=given))
    boxes = zip(made.boxes.lows.tolist(), made.boxes.chosen, strict=True)
    found = {tuple(low): made.boxes.styles[kind] for low, kind in boxes}
    plain = {}
    for at, (x, z) in enumerate(given.columns.tolist()):
        for i in range(0, 16, 4):
            for j in range(0, 16, 4):
                top = int(given.tops[at, i : i + 4, j : j + 4].max())
                plain[x * 16 + i, top, z * 16 + j] = plain_style(int(given.biomes[at, i, j]))
    assert found == plain


def test_each_biome_of_a_column_is_named_once() -> None:
    given = ground()
    made = biomes_marks(given_facts([[0, 0, 0]]).but(ground=given))
    plain = [words_of(number, {}) for column in given.biomes for number in sorted(set(column.ravel().tolist()))]
    assert list(made.labels.texts) == plain
    assert sum(row.count for row in made.legend) <= 3


def test_neighbours_by_number_differ_in_hatch_and_unknown_is_loud() -> None:
    numbers = sorted(biome_climates.load())
    assert all(plain_style(a).hatch != plain_style(b).hatch for a, b in itertools.pairwise(numbers) if b == a + 1)
    assert plain_style(UNKNOWN_BIOME) is UNKNOWN
    assert tuple(words_of(number, {}) for number in (1, UNKNOWN_BIOME, 9999)) == ("plains", "unknown", "biome 9999")


def test_a_biome_that_the_server_numbered_has_its_name_and_the_tone_of_a_word_in_it() -> None:
    given = ground()
    given.biomes[:] = 30_001
    named = Ground(given.columns, given.biomes, given.tops, {30_001: "glow:bright marsh forest"})
    made = biomes_marks(given_facts([[0, 0, 0]]).but(ground=named))
    assert set(made.labels.texts) == {"glow:bright marsh forest"}
    assert [row.style.label for row in made.legend] == ["glow:bright marsh forest (30001)"]
    assert (
        made.legend[0].style.colour != biomes_marks(given_facts([[0, 0, 0]]).but(ground=given)).legend[0].style.colour
    )
