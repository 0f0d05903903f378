"""Three layers of truth: what is known (exact), what each pixel shows (exact off edges), how it looks."""

from render.capture.truth.compare import compare
from render.capture.truth.data_truth import DataTruth
from render.capture.truth.renderer import Renderer
from render.capture.truth.take import Take
from render.capture.truth.tolerance import Tolerance
from render.capture.truth.verdict import COLOUR, DATA, LAYERS, SEMANTIC, Layer, Outcome, Verdict

__all__ = [
    "COLOUR",
    "DATA",
    "LAYERS",
    "SEMANTIC",
    "DataTruth",
    "Layer",
    "Outcome",
    "Renderer",
    "Take",
    "Tolerance",
    "Verdict",
    "compare",
]
