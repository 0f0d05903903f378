"""Pictures without a window: join, settle, draw, write."""

from render.capture.options import PictureOptions
from render.capture.report import PictureReport
from render.capture.shot import picture_of, take_picture

__all__ = ["PictureOptions", "PictureReport", "picture_of", "take_picture"]
