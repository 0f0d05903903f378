"""Pictures without a window: join, settle, draw, write; and arrays of what each pixel shows (``shoot``).

api          ``shoot``: a view of a world as arrays, one call
channels     What a shot can hold of each pixel, and how it says "nothing"
image_files  Shots as files: false-colour pictures (.png), or the arrays with what reads them (.npz)
picture      One settled picture of a source, with a legend of its overlays
studio       A scene and its jobs kept for any number of settled pictures, and the options of one
"""

from render.capture.api import shoot
from render.capture.channels import CHANNELS, NO_BLOCK, NO_CELL, NO_FACE, NO_STATE, Shot
from render.capture.picture import PictureReport, photograph, shot_of, take_picture
from render.capture.studio import PictureOptions, Studio

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
    "shoot",
    "shot_of",
    "take_picture",
]
