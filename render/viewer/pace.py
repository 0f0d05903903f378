"""How long frames take: a ring of the last ones, and what the HUD says of them."""

from collections import deque
from typing import Final

from net.frozen import frozen

KEPT_FRAMES: Final = 120
RATE_WINDOW_S: Final = 1.0


@frozen
class Pace:
    """A snapshot.

    Attributes:
        frame_ms: mean time from one frame to the next.
        work_ms: mean time of that in which we worked.
        worst_ms: longest frame of those kept.
        bytes_in_s: received bytes a second.
        bytes_out_s: sent bytes a second.
    """

    frame_ms: float
    work_ms: float
    worst_ms: float
    bytes_in_s: float
    bytes_out_s: float


class Pacer:
    """Collects; times are given in monotonic seconds."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, float]] = deque(maxlen=KEPT_FRAMES)
        self._bytes: deque[tuple[float, int, int]] = deque()
        self._last: float | None = None

    def frame(self, start: float, end: float, bytes_in: int, bytes_out: int) -> None:
        """One frame's work ran from ``start`` to ``end``; bytes count from the beginning of the session."""
        if self._last is not None:
            self._frames.append((start - self._last, end - start))
        self._last = start
        self._bytes.append((start, bytes_in, bytes_out))
        while len(self._bytes) > 2 and start - self._bytes[1][0] >= RATE_WINDOW_S:
            self._bytes.popleft()

    @property
    def last_ms(self) -> tuple[float, float]:
        """Of the last frame: from the one before it, and what of that was work; zeros before the second."""
        gap, work = self._frames[-1] if self._frames else (0.0, 0.0)
        return 1e3 * gap, 1e3 * work

    @property
    def bytes_s(self) -> tuple[float, float]:
        """Received and sent bytes a second; zeros before the second frame. All of a snapshot that panels need."""
        if not self._frames:
            return 0.0, 0.0
        (t0, in0, out0), (t1, in1, out1) = self._bytes[0], self._bytes[-1]
        seconds = max(t1 - t0, 1e-9)
        return (in1 - in0) / seconds, (out1 - out0) / seconds

    def pace(self) -> Pace:
        """The snapshot; zeros before the second frame."""
        if not self._frames:
            return Pace(0.0, 0.0, 0.0, 0.0, 0.0)
        count, (bytes_in_s, bytes_out_s) = len(self._frames), self.bytes_s
        return Pace(
            frame_ms=1e3 * sum(gap for gap, _ in self._frames) / count,
            work_ms=1e3 * sum(work for _, work in self._frames) / count,
            worst_ms=1e3 * max(gap for gap, _ in self._frames),
            bytes_in_s=bytes_in_s,
            bytes_out_s=bytes_out_s,
        )
