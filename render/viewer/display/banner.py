"""What a banner low over the world says: a lost connection and what can be done, a join under way, or the past."""

import msgspec

from render.panels.connect import Underway
from render.panels.hud import Banner, BannerKind


class PastView(msgspec.Struct, frozen=True):
    """The past of a live session, where that is shown."""

    ago: str  # how long ago it was, in words
    words: str  # what it does: whether it is paused, on its way, how fast it goes
    share: float  # of the time that is kept, 0..1
    keys: str  # what can be done


def banner_of(
    lost: str, underway: Underway | None, r_is_free: bool, connect_key: str, past: PastView | None = None
) -> Banner | None:
    """What there is to show; None: nothing.

    Args:
        lost: why the connection is over, empty while it is not.
        underway: a join.
        r_is_free: whether R does nothing else.
        connect_key: the key of the connect screen.
        past: where it is shown.
    """
    if underway:
        title = f"Joining {underway.source}, {underway.seconds:.1f} s"
        return Banner(BannerKind.JOINING, title, underway.words, "Esc: give up", underway.share)
    if past:
        words = f"Connection lost: {lost}" if lost else f"{past.words}; the session goes on"
        return Banner(BannerKind.PAST, f"The past, {past.ago} ago", words, past.keys, past.share)
    if lost:
        keys = "R or Enter" if r_is_free else "Enter"
        keys += f": join again   {connect_key}: other worlds   the world stays as it was"
        return Banner(BannerKind.LOST, "Connection lost", lost, keys)
    return None
