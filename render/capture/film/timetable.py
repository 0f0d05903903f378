"""Which moment each frame shows: in seconds of the film, and in seconds of a recording where there is one.

Rules:
1. Frame n is at n / fps, whatever frames were made before it.
2. A film as long as d seconds has round(d * fps) frames, one at least; its last key is where the next frame would be.
"""

from typing import Final

from client.errors import UsageError
from net.frozen import frozen

MOST_FRAMES: Final = 1_000_000


@frozen
class Timetable:
    """The frames of a film.

    Attributes:
        fps: frames a second.
        count: how many there are.
        start_s: of a recording, where frame 0 is.
        speed: of a recording, its seconds in each second of the film; 0 stands still.
        end_s: of a recording, where it stands from then on.
    """

    fps: int
    count: int
    start_s: float = 0.0
    speed: float = 0.0
    end_s: float = 0.0

    @classmethod
    def lasting(
        cls, duration_s: float, fps: int, start_s: float = 0.0, speed: float = 0.0, end_s: float = 0.0
    ) -> "Timetable":
        """The frames of so many seconds.

        Raises:
            UsageError: they are more than a million.
        """
        count = max(1, round(duration_s * fps))
        if count > MOST_FRAMES:
            raise UsageError(
                f"A film of {duration_s:g} s at {fps} frames a second has {count} frames; {MOST_FRAMES} do."
            )
        return cls(fps, count, start_s, speed, end_s)

    def film_s(self, frame: int) -> float:
        """When a frame is shown, seconds from the film's start."""
        return frame / self.fps

    def recorded_s(self, frame: int) -> float:
        """What moment of the recording it shows, seconds from that one's start."""
        return min(self.start_s + self.film_s(frame) * self.speed, self.end_s)
