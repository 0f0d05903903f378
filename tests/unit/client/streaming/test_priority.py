import numpy as np
import pytest

from client.streaming.planner import order
from net.visibility import Looker, Weights, need


def places(rng: np.random.Generator, spread: int) -> np.ndarray:
    low, high = [-spread, -4, -spread], [spread + 1, 20, spread + 1]
    found = np.unique(rng.integers(low, high, (3000, 3)), axis=0).astype(np.int32)
    return rng.permutation(found)


@pytest.mark.parametrize("spread", [3, 100, 2047, 2048, 1 << 26])
@pytest.mark.parametrize("forward", [(0.0, 0.0, 0.0), (0.6, 0.0, 0.8)])
def test_it_is_by_need_and_among_equals_by_x_z_and_y(spread: int, forward: tuple[float, float, float]) -> None:
    positions = places(np.random.default_rng(spread), spread)
    looker, weights = Looker((0.5, 4.5, 0.5), forward), Weights()
    needs = need(positions, looker, weights)
    expected = sorted(range(len(positions)), key=lambda i: (needs[i], *positions[i][[0, 2, 1]].tolist()))
    assert order(positions, looker, weights).tolist() == expected


def test_what_comes_in_any_order_leaves_in_one() -> None:
    rng = np.random.default_rng(1)
    positions = places(rng, 3)
    looker, weights = Looker((0.5, 4.5, 0.5)), Weights()
    first = positions[order(positions, looker, weights)]
    shuffled = rng.permutation(positions)
    assert (shuffled[order(shuffled, looker, weights)] == first).all()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_places_too_far_apart_for_one_number_are_in_order(axis: int) -> None:
    positions = np.zeros((4, 3), np.int32)
    positions[:, axis] = [9000, 0, 300, 8999]
    positions[:, axis - 1] = [0, 1, 0, 0]
    assert order(positions, Looker((0.5, 0.5, 0.5)), Weights()).tolist() == [1, 2, 3, 0]


def test_nothing_is_in_order() -> None:
    assert len(order(np.empty((0, 3), np.int32), Looker((0.0, 0.0, 0.0)), Weights())) == 0
