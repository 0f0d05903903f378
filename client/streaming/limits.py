"""The limits on requests: an option of a connection, so this module loads no NumPy (``client.options``)."""

import msgspec


class RequestLimits(msgspec.Struct, frozen=True):
    """The limits on requests, and the times of retries."""

    entries_per_packet: int = 512  # sub-chunks in one request
    packet_interval_s: float = 0.05  # one packet a tick
    burst_packets: int = 4  # unused ticks that may be made up for
    outstanding: int = 4096  # sub-chunks requested and not settled, waiting ones included
    retry_first_s: float = 0.25  # pause before the next try after result 0 or 2; doubles each time
    retry_longest_s: float = 8.0  # the longest pause
    tries: int = 6  # answers 0 or 2 to one place before it counts as refused
    silence_least_s: float = 1.0  # shortest time-out
    silence_round_trips: float = 4.0  # a time-out is at least this many round trips
    silence_longest_s: float = 30.0  # a time-out doubles up to this
    # repeated time-outs and pauses are shorter by up to this share, so that clients that lost one server do not return
    # at the same moment
    silence_jitter: float = 0.1
    window_least: int = 512  # places that may be outstanding however slow the answers are
    window_margin_s: float = 0.5  # how long answers may queue; see ``RequestWindow``
    ticking_radius: int = 4  # columns (Chebyshev) around the player that are requested, seen or not
