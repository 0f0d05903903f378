"""Pictures without a window: join, settle, draw, write."""

from render.capture.options import PictureOptions
from render.capture.report import PictureReport
from render.capture.shot import photograph, picture_of, take_picture
from render.capture.studio import Studio

__all__ = ["PictureOptions", "PictureReport", "Studio", "photograph", "picture_of", "take_picture"]
