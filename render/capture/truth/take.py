"""One view of one run, as it is compared."""

from net.frozen import frozen
from render.capture.shot_arrays import Shot
from render.capture.truth.data_truth import DataTruth
from render.capture.truth.renderer import Renderer


@frozen
class Take:
    """One view of one run, or what was accepted of it; then any part may be missing.

    Attributes:
        shot: colour and semantic channels; accepted ones without colour have none for this renderer.
        data: what was known and made of it; None where nothing was accepted.
        renderer: what drew the colours.
    """

    shot: Shot
    data: DataTruth | None
    renderer: Renderer
