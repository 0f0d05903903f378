"""Whether nobody is elsewhere on the torus: the quick answer is never wrong, and exact when some went."""

import numpy as np
import pytest

from render.gpu.page_table import Torus

SIDE = 8


def torus_of() -> Torus:
    return Torus(np.full(3, SIDE))


def at(*positions: np.ndarray) -> np.ndarray:
    return np.array(positions, np.int64)


def fits(positions: list[np.ndarray]) -> bool:
    """Whether these, and one more to each side of them, lie at different places of the torus."""
    return bool((np.ptp(at(*positions), axis=0) + 3 <= SIDE).all())


@pytest.mark.parametrize("seed", range(6))
def test_a_box_is_held_only_where_nobody_is_elsewhere_on_the_torus(seed: int) -> None:
    rng = np.random.default_rng(seed)
    torus, present, held = torus_of(), list[np.ndarray](), 0
    fresh = True  # some went since the last question, or there were none: the box is looked at anew
    for _ in range(300):
        if present and rng.random() < 0.3:
            gone = present.pop(int(rng.integers(len(present))))
            torus.forget(torus.index(at(gone)))
            fresh = True
        low = rng.integers(-40, -38 + 2 * SIDE, 3) if rng.random() < 0.2 else rng.integers(-4, 3, 3)
        high = low + rng.integers(0, 3, 3)
        answer, true = torus.may_hold(low, high), fits([*present, low, high])
        assert not answer or true, "never held wrongly"
        assert answer == true or not fresh, "and exact where the box is new"
        fresh = False
        held += answer
        if answer:
            torus.own(at(low))
            if not any((low == other).all() for other in present):
                present.append(low)
        assert torus.count == len(present)
    assert 20 < held < 300


def test_who_stays_away_is_forgotten_when_somebody_goes() -> None:
    torus = torus_of()
    here, far, beside = np.array([1, 1, 1]), np.array([1, 1, 40]), np.array([2, 1, 1])
    assert torus.may_hold(here, here)
    torus.own(at(here, beside))
    assert not torus.may_hold(far, far), "here and there are the same entry, or beside it"
    assert not torus.may_hold(here, here), "the box has taken in who was asked about: nobody looks who came"
    torus.forget(torus.index(at(beside)))
    assert torus.may_hold(here, here), "it is made anew of those who are present"
    torus.forget(torus.index(torus.positions))
    assert torus.may_hold(far, far), "an empty torus holds whatever fits"
    assert not torus.may_hold(far, far + SIDE - 2), "but no box as long as the torus less what lies beside"


def test_a_larger_torus_keeps_who_is_there_and_goes_back_when_they_went() -> None:
    torus, least = torus_of(), np.full(3, SIDE)
    near, far = at([1, -2, 3], [2, -2, 3]), at([25, -2, 3])
    assert torus.fits(near)
    torus.own(near)
    assert not torus.fits(far)
    size = torus.size_with(far)
    assert size.tolist() == [32, SIDE, SIDE], "the one axis, to hold 1 to 25 and one more at each end"
    wide = torus.resized(size)
    assert sorted(wide.positions.tolist()) == sorted(near.tolist())
    assert wide.fits(far)
    wide.own(far)
    assert wide.has(np.concatenate([near, far])).all()
    assert wide.size_without_room(least).tolist() == [32, SIDE, SIDE]
    wide.forget(wide.index(far))
    assert wide.size_without_room(least).tolist() == [16, SIDE, SIDE], "by halves"


def test_where_there_is_no_room_for_all_the_first_are_placed() -> None:
    torus = torus_of()
    assert torus.fits(at([0, 0, 0]))
    torus.own(at([0, 0, 0]))
    wanted = at([1, 0, 0], [SIDE, 0, 0], [2, 0, 0], [0, 0, 0], [0, 50, 0])
    assert torus.first_that_fit(wanted).tolist() == [True, False, True, True, False]
