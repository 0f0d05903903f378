"""What is said of how far a measurement of frames is.

Frames report: The table of what frames cost, as people read it.
"""

from itertools import pairwise

from render.bench.frames import HEAD, ROWS_A_HEAD, FrameReport, LegReport, PassReport, Spread, format_leg

# ---------------------------------------------------------------- frames progress


def test_a_leg_is_numbered_and_the_rest_foretold_as_those_before_took() -> None:
    assert format_leg("still, 120 frames", 0, 59, 0.0) == "still, 120 frames, leg 1 of 59"
    assert format_leg("turn", 1, 59, 12.0) == "turn, leg 2 of 59, about 12 min left"
    assert format_leg("turn", 56, 59, 56 * 12.0) == "turn, leg 57 of 59, about 36 s left"
    assert format_leg("turn", 58, 59, 58 * 12.0) == "turn, leg 59 of 59", "what is soon over is not foretold"


# ---------------------------------------------------------------- frames report

SPREAD = Spread(1.0, 2.0, 3.0)
PASSES = {name: PassReport(SPREAD, SPREAD, None) for name in ("frame", "step", "sky", "terrain")}
A_LEG = 1 + len(PASSES)


def table(legs: int) -> list[str]:
    each = tuple(LegReport(f"turning {number}", 120, 5, 600, 0, PASSES) for number in range(legs))
    return list(FrameReport("flat:1", 8, (1280, 720), "llvmpipe", "plain", 289, "", 90, each).lines())


def test_a_short_table_has_one_head() -> None:
    lines = table(3)
    assert lines.index(HEAD) == 1
    assert lines.count(HEAD) == 1
    assert lines[2:4] == [
        "turning 0: 120 frames, 5 of 90 cells, 600 quads; 0 bytes of quads sent",
        f"  {'frame':14}{1.0:10.3f}{2.0:9.3f}{3.0:9.3f}{2.0:10.2f}{3.0:9.2f}",
    ]
    assert len(lines) == 2 + 3 * A_LEG


def test_a_long_table_says_again_what_its_columns_are_before_a_leg() -> None:
    lines = table(50)
    heads = [at for at, line in enumerate(lines) if line == HEAD]
    assert len(heads) > 5
    assert {later - sooner for sooner, later in pairwise(heads)} == {ROWS_A_HEAD + 1}
    assert all(lines[at + 1].startswith("turning") for at in heads)
    assert len(lines) - heads[-1] <= ROWS_A_HEAD + A_LEG
    assert len(lines) == 1 + len(heads) + 50 * A_LEG
