"""The last answer to each place, event by event: what ``client.session.request_log_kernels`` has to equal."""

from client.session.request_log import ANSWERS
from client.world.history import NO_CODE, History


def plain_last_answers(history: History, places: list[int]) -> list[tuple[float | None, int]]:
    """When the youngest answer to each came, None: never; and its code."""
    found: list[tuple[float | None, int]] = []
    for place in places:
        answers = [event for event in history.of(place) if event.cause in ANSWERS]
        found.append((answers[-1].time_s, answers[-1].code) if answers else (None, NO_CODE))
    return found
