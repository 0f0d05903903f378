"""Where to go in a recording."""

import math

from net.frozen import frozen


@frozen
class Goal:
    """Where to go: the first place at which one of these holds.

    Attributes:
        time_us: the next turn begins later than that.
        packets: so many packets of the server have come.
        ticks: so many ticks are over.
        not_before_us: none holds before the next turn begins later than that; the default is before the first turn,
            which may begin at 0.
    """

    time_us: float = math.inf
    packets: float = math.inf
    ticks: float = math.inf
    not_before_us: float = -1
