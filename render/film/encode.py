"""Frames to MP4 by ffmpeg, which the extra ``film`` (imageio-ffmpeg) brings.

Rules:
1. ffmpeg is a child process that reads the frames from the disk itself: none is held here.
2. The file is written whole or not at all; what ffmpeg says when it fails is one sentence.

H.264 in yuv420p with the matrix of BT.709, which every player shows; hence sides must be even.
"""

import subprocess
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from client.errors import CHECK_FAILED, UsageError, install_line
from client.source import one_line
from net.files import whole
from render.film.frames import FrameFiles
from render.gpu import RenderError

SUFFIX: Final = ".mp4"
HOW_TO_INSTALL: Final = install_line("imageio-ffmpeg")
QUALITY: Final = "17"  # constant rate factor: no loss that can be seen on edges of blocks
SILENT_S: Final = 120.0
"""Between two lines of its progress, which comes twice a second."""

Progress = Callable[[float, str], None]


class EncodingFailed(RenderError):
    """ffmpeg made no film of the frames; its last words are in the text."""

    exit_code = CHECK_FAILED


def find_ffmpeg() -> str:
    """The program. Raises UsageError: there is none, with the line that installs it."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(f"An MP4 needs imageio-ffmpeg: {HOW_TO_INSTALL}; PNG frames need no extra package.") from None
    try:
        return str(get_ffmpeg_exe())
    except RuntimeError:
        raise UsageError(f"imageio-ffmpeg has no ffmpeg for this system: {HOW_TO_INSTALL}, or install one.") from None


def expect_even(size_px: tuple[int, int]) -> None:
    """What yuv420p asks of a picture. Raises UsageError: a side is odd, with the nearest size."""
    width, height = size_px
    if width % 2 or height % 2:
        near = f"{width + width % 2}x{height + height % 2}"
        raise UsageError(f"An MP4 cannot have {width}x{height} pixels: both sides must be even, for example {near}.")


def encode(ffmpeg: str, files: FrameFiles, count: int, fps: int, out: Path, progress: Progress | None = None) -> None:
    """Makes the film of frames 0 to ``count`` - 1; ``out`` is replaced when it is whole. Raises EncodingFailed."""
    try:
        with whole(out) as temporary, tempfile.TemporaryFile() as words:
            command = [ffmpeg, *_arguments(files, fps), str(temporary)]
            _run(command, files.folder, words, count, progress or (lambda _share, _what: None))
    except OSError as error:
        if error.filename == ffmpeg:
            raise EncodingFailed(f"{out}: ffmpeg could not be run: {error}; {HOW_TO_INSTALL} installs one.") from None
        raise EncodingFailed(f"{out}: the film could not be written: {error.strerror or error}.") from None


def _arguments(files: FrameFiles, fps: int) -> list[str]:
    read = ["-framerate", str(fps), "-start_number", "0", "-i", f"./{files.pattern}"]
    colour = ["-vf", "scale=in_range=full:out_range=tv:out_color_matrix=bt709", "-pix_fmt", "yuv420p"]
    colour += ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
    write = ["-c:v", "libx264", "-crf", QUALITY, "-movflags", "+faststart", "-map_metadata", "-1"]
    quiet = ["-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-progress", "pipe:1"]
    return [*quiet, *read, *colour, *write, "-fflags", "+bitexact", "-flags", "+bitexact", "-f", "mp4"]


def _run(command: list[str], folder: Path, words: IO[bytes], count: int, tell: Progress) -> None:
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=words, text=True
    ) as child:
        hung = threading.Event()

        def give_up() -> None:
            hung.set()
            child.kill()

        silence = threading.Timer(SILENT_S, give_up)
        silence.start()
        try:
            assert child.stdout is not None, "it is a pipe"
            for line in child.stdout:
                silence.cancel()
                silence = threading.Timer(SILENT_S, give_up)
                silence.start()
                name, _, value = line.strip().partition("=")
                if name == "frame" and value.isdigit():
                    tell(min(int(value) / count, 1.0), f"encoding, {value} of {count}")
        except BaseException:
            child.kill()
            raise
        finally:
            silence.cancel()
    if hung.is_set():
        raise EncodingFailed(
            f"ffmpeg printed nothing for {SILENT_S:g} s while encoding the frames in {folder} and was stopped."
        )
    if child.returncode:
        words.seek(0)
        lines = words.read().decode("utf-8", "replace").strip().splitlines()
        said = one_line(lines[-1]) if lines else f"code {child.returncode}"
        raise EncodingFailed(
            f"ffmpeg could not encode the frames in {folder}: {said}. The frames are kept; {HOW_TO_INSTALL} "
            "installs an ffmpeg."
        )
