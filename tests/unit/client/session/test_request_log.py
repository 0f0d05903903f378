"""The last answer to each place: the kernel against the events of the history, one by one.

Trail twin: The last answer to each place, event by event: what ``client.session.request_log_kernels`` has to equal.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.session.request_log import ANSWERS, IS_ANSWER
from client.session.request_log_kernels import last_answers
from client.world.history import KEPT, NO_CODE, History
from client.world.lifecycle import StateEvent, SubChunkState

# ---------------------------------------------------------------- trail twin


def plain_last_answers(history: History, places: list[int]) -> list[tuple[float | None, int]]:
    """When the youngest answer to each came, None: never; and its code."""
    found: list[tuple[float | None, int]] = []
    for place in places:
        answers = [event for event in history.of(place) if event.cause in ANSWERS]
        found.append((answers[-1].time_s, answers[-1].code) if answers else (None, NO_CODE))
    return found


# ---------------------------------------------------------------- request log


@given(st.integers(0, 1 << 30))
def test_the_youngest_answer_is_told_with_its_code(seed: int) -> None:
    rng = np.random.default_rng(seed)
    history = History(24)
    many = len(history.noted)
    history.noted[:] = rng.integers(0, 2 * KEPT, many)
    history.noted[0] = 0
    history.times_s[:] = rng.permuted(np.arange(many * KEPT, dtype=np.float64)).reshape(many, KEPT)
    history.causes[:] = rng.integers(0, len(StateEvent), (many, KEPT))
    history.codes[:] = rng.integers(0, 9, (many, KEPT))
    history.befores[:] = history.afters[:] = SubChunkState.DATA
    history.causes[:, 0] = StateEvent.ANNOUNCED  # before any answer
    places = rng.permutation(many)[: many // 2 + 1].astype(np.int32)
    seconds, codes = np.full(len(places), np.nan), np.full(len(places), NO_CODE, np.int16)
    last_answers(places, history.noted, history.times_s, history.causes, history.codes, IS_ANSWER, seconds, codes)
    told = [
        (None if np.isnan(time) else time, code) for time, code in zip(seconds.tolist(), codes.tolist(), strict=True)
    ]
    assert told == plain_last_answers(history, places.tolist())
