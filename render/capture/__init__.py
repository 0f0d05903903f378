"""Pictures without a window: join, settle, draw, write; and what each pixel shows, as arrays (``shoot``)."""

from render.capture.channels import CHANNELS, NO_BLOCK, NO_CELL, NO_FACE, NO_STATE
from render.capture.options import PictureOptions
from render.capture.report import PictureReport
from render.capture.shoot import shoot
from render.capture.shot import photograph, picture_of, shot_of, take_picture
from render.capture.shot_arrays import Shot
from render.capture.studio import Studio

__all__ = [
    "CHANNELS",
    "NO_BLOCK",
    "NO_CELL",
    "NO_FACE",
    "NO_STATE",
    "PictureOptions",
    "PictureReport",
    "Shot",
    "Studio",
    "photograph",
    "picture_of",
    "shoot",
    "shot_of",
    "take_picture",
]
