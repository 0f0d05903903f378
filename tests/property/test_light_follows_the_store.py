"""Light kept up from a real store's change log equals the fixed point, whatever is announced, answered, edited."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from net.palette import Palette
from tests.support.worlds.store import ToldStore


@pytest.fixture(scope="module")
def palette() -> Palette:
    return Palette.for_protocol(486)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_light_follows_the_store(palette: Palette, seed: int) -> None:
    told = ToldStore(palette, np.random.default_rng(seed))
    told.live(40)
    told.finish_light()
    told.check_light()
