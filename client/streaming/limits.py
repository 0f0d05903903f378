"""How much may be asked at once (interfaces.md, "Limits on requests"); every number is configurable.

The pace is a bucket of packets: one more each tick, at most ``burst_packets`` saved up. Time is given.
"""

import msgspec


class RequestLimits(msgspec.Struct, frozen=True):
    """The bounds on requests, and the table of retries."""

    entries_per_packet: int = 512  # sub-chunks one request may name
    packet_interval_s: float = 0.05  # one packet a tick
    burst_packets: int = 4  # how many unused ticks may be made up for
    outstanding: int = 4096  # sub-chunks asked and not settled, waiting ones included
    retry_first_s: float = 0.25  # pause before asking again after result 0 or 2; doubles each time
    retry_longest_s: float = 8.0  # where the doubling ends
    tries: int = 6  # answers 0 or 2 to one place before it counts as refused
    silence_least_s: float = 1.0  # shortest time-out
    silence_round_trips: float = 4.0  # a time-out is at least this many round trips
    silence_longest_s: float = 30.0  # a time-out doubles up to this
    # repeated time-outs and pauses are shorter by up to this share, so that clients that lost one
    # server do not come back to it in step
    silence_jitter: float = 0.1
    window_least: int = 512  # what may be outstanding however slow the answers are
    window_margin_s: float = 0.5  # how long answers may queue; see ``timeouts``
    ticking_radius: int = 4  # columns (Chebyshev) around the player that are asked whatever can be seen


class RequestPacer:
    """Counts the packets that may go now."""

    def __init__(self, limits: RequestLimits, now: float) -> None:
        """Starts with a full burst."""
        self._interval_s = limits.packet_interval_s
        self._burst = limits.burst_packets
        self._credit = float(limits.burst_packets)
        self._counted_at = now

    def available(self, now: float) -> int:
        """Packets that may be sent at ``now``."""
        elapsed_s = max(now - self._counted_at, 0.0)
        self._counted_at = max(now, self._counted_at)
        # A hair more than due: 0.05 added up twenty times is not 1.0, and a tick must not lose its packet to that.
        self._credit = min(self._credit + elapsed_s / self._interval_s + 1e-9, float(self._burst))
        return int(self._credit)

    def spend(self, packets: int) -> None:
        """Takes packets that were sent."""
        self._credit -= packets
