"""One view of one scene as the report tells it."""

from enum import Enum

from net.frozen import frozen
from render.capture.truth import Outcome, Take, Verdict


class Standing(Enum):
    """How a case stands; in the order in which the report tells them."""

    ERROR = "error"  # nothing could be compared
    FAILED = "failed"
    SKIPPED = "partly"  # passed, with layers that were not compared
    PASSED = "passed"


@frozen
class Case:
    """What became of one view, in texts and takes. Texts may hold anything; the report escapes them.

    Attributes:
        name: scene and view.
        verdict: of the comparison; None where there was none.
        error: why there was none; empty otherwise.
        expected: what was accepted; None for nothing.
        actual: what was taken; None for nothing.
        shows: what a person must see in it.
        view: where from and which way, as options of the command line.
        source: where the world comes from.
        source_hash: of what stands behind the source.
        command: what does it again.
        seconds: that it took.
        warnings: of ours meanwhile.
    """

    name: str
    verdict: Verdict | None
    error: str = ""
    expected: Take | None = None
    actual: Take | None = None
    shows: str = ""
    view: str = ""
    source: str = ""
    source_hash: str = ""
    command: str = ""
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()

    @property
    def standing(self) -> Standing:
        """How it stands."""
        if self.verdict is None:
            return Standing.ERROR
        if not self.verdict.passed:
            return Standing.FAILED
        skipped = any(layer.outcome is Outcome.SKIPPED for layer in self.verdict.layers)
        return Standing.SKIPPED if skipped else Standing.PASSED
