"""How well a world streams in: a scripted path is walked, and every picture on it is dated pixel by pixel.

path      where the eye goes, leg by leg      meter     goes there with a connection, and measures
sight     since when pixels were right         report    what was measured: table, JSON
plot      the same as a picture                proof     a path with and without asking by sight, side by side
"""

from render.capture.streaming.meter import StreamMeter
from render.capture.streaming.path import Leg, standard_path
from render.capture.streaming.report import LegReport, StreamReport

__all__ = ["Leg", "LegReport", "StreamMeter", "StreamReport", "standard_path"]
