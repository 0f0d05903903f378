"""The quick answer of a paged volume, that nobody is elsewhere on the torus: never wrong, and exact when some went."""

import numpy as np
import pytest

from render.gpu import Gpu, Unit
from render.gpu.paged import PagedVolume

pytestmark = pytest.mark.gpu
UNITS = (Unit.LIGHT_ATLAS, Unit.LIGHT_TABLE)
SIDE = 8


def volume_of(gpu: Gpu) -> PagedVolume:
    return PagedVolume(gpu, "test", UNITS, table_size=(SIDE, SIDE, SIDE), first_bricks=256)


def fits(positions: list[np.ndarray]) -> bool:
    """Whether these, and one more to each side of them, lie at different places of the torus."""
    every = np.array(positions)
    return bool((np.ptp(every, axis=0) + 3 <= SIDE).all())


def ask(volume: PagedVolume, low: np.ndarray, high: np.ndarray) -> bool:
    return volume._may_hold(low.astype(np.int64), high.astype(np.int64))


@pytest.mark.parametrize("seed", range(6))
def test_a_box_is_held_only_where_nobody_is_elsewhere_on_the_torus(gpu: Gpu, seed: int) -> None:
    rng = np.random.default_rng(seed)
    volume, present, held = volume_of(gpu), list[np.ndarray](), 0
    fresh = True  # some went since the last question, or there were none: the box is looked at anew
    for _ in range(300):
        if present and rng.random() < 0.3:
            gone = present.pop(int(rng.integers(len(present))))
            volume.remove(gone[None])
            fresh = True
        low = rng.integers(-40, -38 + 2 * SIDE, 3) if rng.random() < 0.2 else rng.integers(-4, 3, 3)
        high = low + rng.integers(0, 3, 3)
        answer, true = ask(volume, low, high), fits([*present, low, high])
        assert not answer or true, "never held wrongly"
        assert answer == true or not fresh, "and exact where the box is new"
        fresh = False
        held += answer
        if answer:
            volume.set_uniform(low[None].astype(np.int32), np.array([7]))
            if not any((low == other).all() for other in present):
                present.append(low)
    assert 20 < held < 300
    volume.release()


def test_who_stays_away_is_forgotten_when_somebody_goes(gpu: Gpu) -> None:
    volume = volume_of(gpu)
    here, far, beside = np.array([1, 1, 1]), np.array([1, 1, 40]), np.array([2, 1, 1])
    assert ask(volume, here, here)
    volume.set_uniform(np.array([here, beside], np.int32), np.array([7, 8]))
    assert not ask(volume, far, far), "here and there are the same entry, or beside it"
    assert not ask(volume, here, here), "the box has taken in who was asked about: nobody looks who came"
    volume.remove(beside[None])
    assert ask(volume, here, here), "it is made anew of those who are present"
    volume.clear()
    assert ask(volume, far, far), "an empty volume holds whatever fits"
    assert not ask(volume, far, far + SIDE - 2), "but no box as long as the torus less what lies beside"
    volume.release()
