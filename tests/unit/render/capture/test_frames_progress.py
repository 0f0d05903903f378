"""What is said of how far a measurement of frames is."""

from render.bench.frames import told


def test_a_leg_is_numbered_and_the_rest_foretold_as_those_before_took() -> None:
    assert told("still, 120 frames", 0, 59, 0.0) == "still, 120 frames, leg 1 of 59"
    assert told("turn", 1, 59, 12.0) == "turn, leg 2 of 59, about 12 min left"
    assert told("turn", 56, 59, 56 * 12.0) == "turn, leg 57 of 59, about 36 s left"
    assert told("turn", 58, 59, 58 * 12.0) == "turn, leg 59 of 59", "what is soon over is not foretold"
