"""What the needs of places are weighed with; one typed configuration for both ends of the wire.

All penalties are in sub-chunks: a place with a penalty of 8 is needed as late as one without that lies 8 further away.
"""

from net.frozen import frozen


@frozen
class Weights:
    """How distance, direction, sight and time trade against each other.

    Attributes:
        attention: whether look and movement count at all. Without, a place's need is its distance and what it may show,
            and nothing is needed soon.
        aside: penalty of a place straight behind; less beside, none within the cone of sight.
        calm: share of it that is left where the look has not turned for ``keen_s``: what is looked at is there by then,
            and the next turn goes anywhere.
        keen_s: how long after a turn what is looked at comes first.
        cone: cosine of half the angle that is seen at once.
        doubt_turning: how far off the axis (0 = on it, 1 = straight behind) a place counts that lies where the look
            goes if it goes on turning as it does.
        doubt_moving: the same for a place that lies where the player moves to, wherever it looks.
        doubt_back: the same for a place straight behind: players look back.
        guess: at places at most so far off the axis ground is thought to lie lower than expected, so that what would be
            seen then is asked for before it is known (``client.streaming.presumed``).
        turning_s: how far ahead a turn is thought to go on.
        air: penalty of a place that is reached and thought to be air in front of ground.
        deep: penalty of a place that is reached and lies more than one below the ground: a cave, a shaft.
        unreached: penalty of a place that the walk did not reach, though it is wanted: the ticking area's caves.
        sky: penalty of a place above every line from the eye to ground: it cannot matter for the picture.
        soon: penalty of a place that is only seen from where the player will be.
        soon_after_s: how far ahead the player's movement is thought to go on; one eye each.
        soon_entries: so many places are wanted soon at most.
        jump_blocks: how high an eye is thought to jump; 0 never.
    """

    attention: bool = True
    aside: float = 48.0
    calm: float = 0.05
    keen_s: float = 1.0
    cone: float = 0.6
    doubt_turning: float = 0.1
    doubt_moving: float = 0.3
    doubt_back: float = 0.7
    guess: float = 0.3
    turning_s: float = 0.3
    air: float = 4.0
    deep: float = 8.0
    unreached: float = 32.0
    sky: float = 256.0
    soon: float = 1024.0
    soon_after_s: tuple[float, ...] = (0.5, 1.0, 2.0, 3.0)
    soon_entries: int = 512
    jump_blocks: float = 1.25
