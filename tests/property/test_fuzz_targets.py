"""Every fuzz target bears its seeds, its findings, and a little of what hypothesis makes of the seeds."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.seeds import SEEDS
from tests.fuzz.targets import TARGETS

FINDINGS = Path(__file__).parents[1] / "fuzz" / "findings"
FOUND = sorted(path for path in FINDINGS.glob("*/*") if path.is_file())


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_bears_its_seeds(target: str) -> None:
    for seed in SEEDS[target]():
        TARGETS[target](seed)


def test_what_was_found_once_is_borne() -> None:
    for path in FOUND:
        TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_target_bears_damaged_seeds(target: str, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(SEEDS[target]()))
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 4)) if damaged else 0):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    TARGETS[target](bytes(damaged))
