"""The keep-alive of one client: it is asked every few seconds, and how long its answer took is its round trip."""

from net.bedrock import NetworkStackLatency

KEEP_ALIVE_S = 5.0


class KeepAlive:
    """One client's, from ``now`` on.

    Attributes:
        rtt_s: round trip of the last one, None before it.
    """

    def __init__(self, now: float) -> None:
        self._due = now + KEEP_ALIVE_S
        self.rtt_s: float | None = None

    def question(self, now: float) -> NetworkStackLatency | None:
        """What is to be asked now, None where it is too early."""
        if now < self._due:
            return None
        self._due = now + KEEP_ALIVE_S
        return NetworkStackLatency(int(now * 1e6), True)

    def hear(self, message: NetworkStackLatency, now: float) -> NetworkStackLatency | None:
        """The client answers, or asks itself; gives what it is to be answered."""
        if message.wants_reply:
            return NetworkStackLatency(message.time, False)
        self.rtt_s = max(0.0, now - message.time / 1e6)
        return None
