"""What frames cost, pass by pass, on a scripted path through a settled world (``chunkscope bench frame``)."""

from render.capture.frames.measuring import measure_frames
from render.capture.frames.report import FrameReport, LegReport, PassReport, Spread

__all__ = ["FrameReport", "LegReport", "PassReport", "Spread", "measure_frames"]
