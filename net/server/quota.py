"""How much one client may cost: what its quota is, and the buckets that count it.

Rules:
1. A bucket holds so many tokens at most and gains so many a second. Who finds too few waits or is ignored; nothing is
   owed.
2. Time is passed in and never runs backwards here: an older ``now`` gains nothing.
3. A quota bounds what one connection costs. A viewer that plays fair never feels it: it is twice what our own client
   asks for at most, and a whole join at the largest usual radius (32) fits into what may be had at once.

Limits: a client that connects anew has a new quota; what a login costs both ends, and ``MOST_PLAYERS``, bound that.
"""

from net.frozen import frozen


class Bucket:
    """Tokens of one kind; full at first. ``gain`` is tokens a second."""

    def __init__(self, gain: float, most: float, now: float) -> None:
        self._gain = gain
        self._most = most
        self._held = most
        self._at = now

    def held(self, now: float) -> float:
        """How many tokens there are."""
        if now > self._at:
            self._held = min(self._most, self._held + self._gain * (now - self._at))
            self._at = now
        return self._held

    def take(self, tokens: float, now: float) -> bool:
        """Takes them all, or none where there are not so many."""
        if self.held(now) < tokens:
            return False
        self._held -= tokens
        return True


CROSSINGS_AT_ONCE = 4


@frozen
class ClientQuota:
    """What one client may have; each "at once" is what a bucket holds.

    Attributes:
        entries_a_second: sub-chunks answered, refusals included.
        entries_at_once: the same.
        columns_a_second: columns made for it, generated or loaded; what others had made is free.
        columns_at_once: the same.
        radius_a_second: changes of its radius; of those beyond, the last is granted when it may be.
        moves_a_second: steps into other columns that the publisher follows at once; beyond, it follows later.
        replies_a_second: small answers (clock, keep-alive, corrections); what is beyond is ignored.
        crossings_a_second: into other dimensions, by the player's own command; what is beyond is refused.
        speed_blocks_s: level speed that is believed; a step that is longer than twice this is a jump and is refused.
            Our own viewer flies at 1,000 through its embedded server.
    """

    entries_a_second: float = 20_000.0
    entries_at_once: float = 65_536.0
    columns_a_second: float = 128.0
    columns_at_once: float = 8_192.0
    radius_a_second: float = 4.0
    moves_a_second: float = 80.0
    replies_a_second: float = 64.0
    crossings_a_second: float = 0.5
    speed_blocks_s: float = 1_100.0


class Quota:
    """The buckets of one client."""

    def __init__(self, of: ClientQuota, now: float) -> None:
        self.entries = Bucket(of.entries_a_second, of.entries_at_once, now)
        self.columns = Bucket(of.columns_a_second, of.columns_at_once, now)
        self.radius = Bucket(of.radius_a_second, 2 * of.radius_a_second, now)
        self.moves = Bucket(of.moves_a_second, of.moves_a_second, now)
        self.replies = Bucket(of.replies_a_second, 2 * of.replies_a_second, now)
        self.crossings = Bucket(of.crossings_a_second, CROSSINGS_AT_ONCE, now)
        self.travel = Bucket(of.speed_blocks_s, 2 * of.speed_blocks_s, now)
