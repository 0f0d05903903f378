"""What frames cost, pass by pass, on a scripted path through a settled world (``chunkscope bench frame``).

    frames            A scripted path, drawn and measured frame by frame, over a scene at rest (``world_view``)
    mirror            ``chunkscope doctor --mirror``
    oracle/           What a picture must show, found without a GPU: rays from block to block through the store
    streaming         Goes a path with a connection and measures what came when
    streaming_report  What was measured on a path, frozen; as JSON and as a table

Streaming: How well a world streams in: a scripted path is walked, and every picture on it is dated pixel by pixel.
"""

from render.bench.frames import FrameReport, LegReport, PassReport, Spread, measure_frames
from render.bench.streaming import Leg, StreamMeter, standard_path
from render.bench.streaming_report import StreamLegReport, StreamReport

__all__ = [
    "FrameReport",
    "Leg",
    "LegReport",
    "PassReport",
    "Spread",
    "StreamLegReport",
    "StreamMeter",
    "StreamReport",
    "measure_frames",
    "standard_path",
]
