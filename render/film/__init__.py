"""Films: a camera path through a world, or a recording's own timeline, as PNG frames and as MP4.

film    ``make_film``: joins a source, makes the frames that are missing, and of them an MP4 by ffmpeg
frames  Turns what a stage knows into pixels; keeps meshes, light and bricks from frame to frame
stages  What the world is at each frame
"""

from render.camera_path import CameraPath, read_path
from render.film.film import FilmOptions, FilmPlan, FilmReport, make_film

__all__ = ["CameraPath", "FilmOptions", "FilmPlan", "FilmReport", "make_film", "read_path"]
