"""How a wait ends: with what is missing, with the time, or where nothing will come."""

from collections.abc import Iterator

from client.connection.settle import IDLE_S, Settling
from client.connection.stats import Settled


class Desk:
    """A clock that each turn and each rest moves, and turns that do something, or nothing."""

    def __init__(self, *busy: bool, rests_after: int = 1000) -> None:
        self.now = 100.0
        self.turns = 0
        self.rests: list[float] = []
        self.busy: Iterator[bool] = iter(busy)
        self.settling = Settling(self.turn, lambda: self.turns >= rests_after, lambda: self.now, self.rest)

    def turn(self) -> bool:
        self.turns += 1
        self.now += 1.0
        return next(self.busy, True)

    def rest(self, seconds: float) -> None:
        self.rests.append(seconds)


def test_what_is_there_takes_one_turn() -> None:
    desk = Desk()
    assert desk.settling.wait(lambda _now: None, 60.0) == Settled(True, "", 1.0)
    assert desk.turns == 1


def test_it_ends_at_its_time_with_what_was_missing_and_never_later() -> None:
    desk = Desk()
    told: list[str] = []
    ended = desk.settling.wait(lambda now: f"{now:g}", 3.0, told.append)
    assert ended == Settled(False, "103", 3.0)
    assert told == ["101", "102"]


def test_where_nothing_will_come_nobody_waits_for_the_time() -> None:
    assert Desk(rests_after=2).settling.wait(lambda _now: "more", 60.0) == Settled(False, "more", 2.0)


def test_one_rests_after_turns_in_which_nothing_was_done() -> None:
    desk = Desk(True, False, True, False)
    desk.settling.wait(lambda now: None if now > 104.5 else "more", 60.0)
    assert desk.rests == [IDLE_S, IDLE_S]
