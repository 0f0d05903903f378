"""How often anybody is answered who pings: addresses of pings prove nothing, and a pong is longer than its ping.

Rules:
1. One address is answered ``MOST_A_SECOND`` times in each second, whatever port it pings from: somebody whose address
   is forged gets so many pongs and no more.
2. ``MOST_ADDRESSES`` are answered in a second; more of them are a flood and are not answered until the next one.
"""

from typing import Final

MOST_A_SECOND: Final = 16
"""Server lists ping once or twice a second; several players may share an address."""
MOST_ADDRESSES: Final = 4096


class Pongs:
    """What was answered in this second."""

    def __init__(self) -> None:
        self._second = -1
        self._answered: dict[str, int] = {}

    def allow(self, host: str, now: float) -> bool:
        """Whether a ping from there is answered; it counts as answered then."""
        if int(now) != self._second:
            self._second = int(now)
            self._answered.clear()
        count = self._answered.get(host, 0)
        if count >= MOST_A_SECOND or (not count and len(self._answered) >= MOST_ADDRESSES):
            return False
        self._answered[host] = count + 1
        return True
