"""What counts as passed."""

import pytest

from render.scene_tests.verdict import COLOUR, DATA, SEMANTIC, Layer, LayerOutcome, Verdict

PASSED, FAILED, SKIPPED = LayerOutcome.PASSED, LayerOutcome.FAILED, LayerOutcome.SKIPPED


def verdict(*outcomes: LayerOutcome) -> Verdict:
    return Verdict(
        tuple(
            Layer(name, outcome, f"{name} {outcome.value}.", {})
            for name, outcome in zip((DATA, SEMANTIC, COLOUR), outcomes, strict=True)
        )
    )


@pytest.mark.parametrize(
    ("outcomes", "passed"),
    [
        ((PASSED, PASSED, PASSED), True),
        ((PASSED, PASSED, SKIPPED), True),
        ((PASSED, FAILED, PASSED), False),
        ((SKIPPED, SKIPPED, FAILED), False),
        ((SKIPPED, SKIPPED, SKIPPED), False),
    ],
)
def test_nothing_failed_and_something_was_compared(outcomes: tuple[LayerOutcome, ...], passed: bool) -> None:
    assert verdict(*outcomes).passed is passed


def test_the_words_are_of_what_failed_before_what_was_skipped() -> None:
    assert verdict(PASSED, FAILED, SKIPPED).words == "semantic: semantic failed."
    assert verdict(PASSED, PASSED, SKIPPED).words == "colour: colour skipped."
    assert verdict(PASSED, PASSED, PASSED).words == "All layers are the same."


def test_a_layer_is_found_by_its_name() -> None:
    assert verdict(PASSED, FAILED, SKIPPED).layer(SEMANTIC).outcome is FAILED
    with pytest.raises(KeyError):
        verdict(PASSED, FAILED, SKIPPED).layer("smell")
