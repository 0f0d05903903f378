"""Films: a camera path through a world, or a recording's own timeline, as PNG frames and as MP4."""

from render.camera_path import CameraPath, read_path
from render.capture.film.making import FilmOptions, FilmReport, make_film

__all__ = ["CameraPath", "FilmOptions", "FilmReport", "make_film", "read_path"]
