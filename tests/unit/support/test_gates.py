"""Gates: what is missed once is measured again, what is missed always fails, what is wrong fails at once."""

from collections.abc import Callable

import pytest

from tests.support.bench.gates import TRIES, MissedGate, gate, gated


def benchmark_of(figures: list[float]) -> Callable[[], None]:
    @gated
    def benchmark() -> None:
        gate("ms", figures.pop(0), 1.0)

    return benchmark


def test_a_figure_that_holds_is_measured_once() -> None:
    figures = [1.0, 5.0]
    benchmark_of(figures)()
    assert figures == [5.0]


def test_a_figure_that_misses_once_is_measured_again() -> None:
    figures = [2.0, 0.5, 5.0]
    benchmark_of(figures)()
    assert figures == [5.0]


def test_a_figure_that_always_misses_fails_with_both_figures() -> None:
    with pytest.raises(MissedGate, match=r"ms: measured 2\.000, at most 1\.000"):
        benchmark_of([2.0] * TRIES)()


def test_no_number_is_no_pass() -> None:
    with pytest.raises(MissedGate):
        gate("ratio", float("nan"), 1.0)


def test_what_is_wrong_fails_at_once() -> None:
    tries = []

    @gated
    def benchmark() -> None:
        tries.append(1)
        assert sum(tries) < 0, "unequal"

    with pytest.raises(AssertionError, match="unequal"):
        benchmark()
    assert tries == [1]
