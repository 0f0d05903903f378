"""Two stores that lived through the same for a while, then apart: what differs, and light that one takes over.

What differs is told as the plain twin tells it; light that was taken over, and made where that says so, is the fixed
point, and stays it whatever comes afterwards; the map that was left can begin again.

Difference twin: What two stores show otherwise, told the plain way: by position, in dictionaries.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.world.changes import ChangeKind
from client.world.store import Store
from net.palette import Palette
from net.space import ColumnPos
from render.scene.change_intake import comparable
from render.scene.change_intake import difference as change_intake_difference
from tests.support.worlds.store import DIMENSION, ToldStore

# ---------------------------------------------------------------- difference twin

Shown = tuple[bytes, bytes, bytes]


@dataclass
class PlainDifference:
    """Columns that went and came, and places of ``before`` that show something else, or the same."""

    gone: set[ColumnPos]
    fresh: set[ColumnPos]
    changed: set[int]
    same: set[int]


def difference(before: Store, after: Store) -> PlainDifference:
    """Looks at every column of both."""
    stay = {column for column, row in before.row_of.items() if after.row_of.get(column) == row}
    sections = before.dimension.sections
    places = {before.row_of[column] * sections + section for column in stay for section in range(sections)}
    changed = {place for place in places if shown(before, place) != shown(after, place)}
    return PlainDifference(set(before.row_of) - stay, set(after.row_of) - stay, changed, places - changed)


def shown(world: Store, place: int) -> Shown:
    """All of a place that a picture or light may depend on."""
    first = world.pools.blocks[world.slot[place]]
    second = world.pools.layer1[world.layer1_slot[place]]
    return first.tobytes(), second.tobytes(), np.ascontiguousarray(world.sky_top[place]).tobytes()


# ---------------------------------------------------------------- another time is what it would be from nothing


@pytest.fixture(scope="module")
def palette() -> Palette:
    return Palette.for_protocol(486)


def two(palette: Palette, seed: int, together: int, apart: int) -> tuple[ToldStore, ToldStore]:
    """Of one table: the same acts, then others."""
    one = ToldStore(palette, np.random.default_rng(seed))
    other = ToldStore(palette, np.random.default_rng(seed), one.store.table)
    for told in (one, other):
        told.live(together)
    other.rng = np.random.default_rng(seed + 1)
    for told in (one, other):
        told.live(int(told.rng.integers(0, apart + 1)), relit=told.rng.choice([0.0, 0.7]))
    return one, other


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32), together=st.integers(0, 25), apart=st.integers(0, 6))
def test_what_differs_is_what_a_plain_look_finds(palette: Palette, seed: int, together: int, apart: int) -> None:
    one, other = two(palette, seed, together, apart)
    assert comparable(one.store, other.store)
    changes, same = change_intake_difference(one.store, other.store)
    plain = difference(one.store, other.store)
    at = [ColumnPos(x, z) for x, _, z in changes.positions.tolist()]
    by_kind = {kind: np.flatnonzero(changes.kinds == kind).tolist() for kind in ChangeKind}
    assert {at[index] for index in by_kind[ChangeKind.REMOVED]} == plain.gone
    assert {at[index] for index in by_kind[ChangeKind.ADDED]} == plain.fresh
    assert set(changes.places[by_kind[ChangeKind.DATA]].tolist()) == plain.changed
    assert set(np.flatnonzero(same).tolist()) == plain.same
    assert sum(map(len, by_kind.values())) == len(plain.gone) + len(plain.fresh) + len(plain.changed)
    assert (changes.revisions == other.store.revision[changes.places]).all()


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32), together=st.integers(0, 25), apart=st.integers(0, 6))
def test_light_taken_over_is_the_fixed_point_and_stays_it(
    palette: Palette, seed: int, together: int, apart: int
) -> None:
    one, other = two(palette, seed, together, apart)
    changes, same = change_intake_difference(one.store, other.store)
    other.light.succeed(one.light, one.store, other.store, same)
    sections = DIMENSION.sections
    old = one.rows | {place // sections for place, _ in one.edits}
    other.rows, other.edits = old | {place // sections for place in changes.places.tolist()}, []
    other.finish_light()
    other.check_light()

    other.live(6)
    other.finish_light()
    other.check_light()

    assert one.light.stats().slots == 0
    one.rows, one.edits = set(one.store.row_of.values()), []
    one.finish_light()
    one.check_light()
