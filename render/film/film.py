"""``make_film``: joins a source, draws the missing frames, and encodes them as a film.

Rules:
1. Frame n does not depend on the frames before it or on the run, so repeating the call continues an interrupted film.
   ``recipe_of`` lists everything that frames depend on, so that frames of two films are never mixed.
2. One frame is in memory at a time; only the disk limits the length of a film.
3. Invalid options are refused before the source is joined.
4. A ``Part`` is a run of frames. Processes, cluster workers, or machines that share the folder draw one part each, and
   each joins the source. A film of a live world with entities is one session, so one process draws it.
5. ffmpeg (extra ``film``, imageio-ffmpeg) is a child process that reads the frames from disk. The MP4 is written
   completely or not at all. It is H.264, yuv420p, BT.709, which every player shows; hence width and height are even.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, Final

import msgspec
import xxhash
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import Progress, open_connection
from client.embedded_server import is_served
from client.errors import CHECK_FAILED, DONE, INCOMPLETE, NO_GPU, ConnectError, UsageError
from client.kernel_cache import cache_directory
from client.options import MOST_RADIUS, Options
from client.player import View
from client.source import Source, WorldFile, is_recording, one_line
from net.errors import install_line
from net.files import whole
from render.camera_path import CameraPath
from render.capture.studio import PictureOptions
from render.film.frames import FrameFiles, FrameScene, Recipe
from render.film.stages import (
    SPARE_COLUMNS,
    FilmStage,
    LiveStage,
    RecordedStage,
    Timetable,
    radius_to_ask,
    record_stretch,
    shown_of,
    spare_of,
    stretches_of,
)
from render.gpu import Gpu, RenderError, UnsupportedGpu
from render.gpu.textures import write_png
from render.jobs.processes import Part, opened, run_tasks
from render.jobs.workers import Runner, ThreadRunner
from render.scene.frame.surroundings import eye_inside
from render.view_line import ViewLine

SUFFIX: Final = ".mp4"
HOW_TO_INSTALL: Final = install_line("imageio-ffmpeg")
QUALITY: Final = "17"  # constant rate factor: no loss that can be seen on edges of blocks
SILENT_S: Final = 120.0
"""Between two lines of its progress, which comes twice a second."""

LONGEST_S: Final = 7 * 86400.0
"""What a process may take for its frames."""


class EncodingFailed(RenderError):
    """ffmpeg made no film of the frames; its last words are in the text."""

    exit_code = CHECK_FAILED


def find_ffmpeg() -> str:
    """The path of ffmpeg. Raises UsageError: it is not installed, with the command that installs it."""
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
            child.wait(2 * SILENT_S)  # its output is closed, but it may still run: the timer kills it before this time
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


# ---------------------------------------------------------------- recipe

PIECE_BYTES = 1 << 20


def recipe_of(source: Source, options: Options, film: "FilmOptions", renderer: str) -> Recipe:
    """What frames depend on, as ``render.film.json`` holds it. Raises OSError: the source cannot be read."""
    picture = film.picture
    return {
        "source": str(source),
        "digest": _digest(source.path) if isinstance(source, WorldFile) and source.path.is_file() else None,
        "fps": film.fps,
        "size": list(picture.size_px),
        "path": None if film.path is None else [msgspec.to_builtins(key) for key in film.path.keys],
        "start": None if options.start is None else str(options.start),
        "end_s": film.end_s,
        "speed": film.speed,
        "radius": options.radius,
        "dimension": options.dimension,
        "time": picture.time,
        "fov": picture.fov_deg,
        "gamma": picture.gamma,
        "light": "flat" if picture.flat_light else "gpu" if picture.gpu_light else "cpu",
        "overlays": sorted(picture.overlays),
        **({"entities": True} if picture.entities else {}),  # films begun by older versions continue
        **({"bots": options.bots} if options.bots else {}),
        **({"cut": list(picture.cut)} if picture.cut else {}),
        **({"shadows": True} if picture.shadows else {}),
        "packs": [_pack_digest(path) for path in picture.packs],
        "mode": options.mode,
        "protocol": options.protocol,
        "profile": options.profile,
        "renderer": renderer,
        "chunkscope": version("chunkscope"),
    }


def _digest(path: Path) -> str:
    digest = xxhash.xxh3_128()
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def _pack_digest(path: Path) -> str:
    """Of a pack's files and their names, in order."""
    if not path.is_dir():
        return _digest(path)
    digest = xxhash.xxh3_128()
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        digest.update(f"{file.relative_to(path).as_posix()} {_digest(file)}\n".encode())
    return digest.hexdigest()


# ---------------------------------------------------------------- making


class FilmOptions(msgspec.Struct, frozen=True):
    """What a film shows."""

    path: CameraPath | None = None  # where the camera goes; None: as a recording was seen
    fps: int = 30  # frames a second, 1 to 240
    picture: PictureOptions = msgspec.field(default_factory=PictureOptions)  # how each frame is drawn
    # of a recording, its seconds a second; None: 1, or along a path standing still at its start or its end
    speed: float | None = None
    end_s: float | None = None  # of a recording, where it ends, seconds; None at its own end
    keep_frames: bool = False  # whether an MP4's frames stay when it is there


class FilmReport(msgspec.Struct, frozen=True):
    """What came of a film."""

    path: Path  # what was asked for: the file, the frames' folder, or the pattern of their names
    frames: int  # how many it has
    made: int  # how many of them were made now
    fps: int  # frames a second
    waiting_for: str  # what did not arrive in time; empty if everything did
    seconds: float  # from joining to the end
    inside: str = ""  # which frame made now is the first whose eye is in an opaque block, a sentence; empty: none
    left: int = 0  # how many of them are not there yet, because they belong to other parts

    @property
    def exit_code(self) -> int:
        """0, or 4 when something is missing."""
        return INCOMPLETE if self.waiting_for else DONE

    def tell(self, as_json: bool = False) -> int:
        """Says it on stdout, what the eye is in on stderr, and returns the exit code."""
        if self.inside:
            sys.stderr.write(f"chunkscope: {self.inside}\n")
        sys.stdout.write((json.dumps(msgspec.to_builtins(self, enc_hook=str)) if as_json else self.text()) + "\n")
        return self.exit_code

    def text(self) -> str:
        """A line for a person, and what is missing."""
        before, left = self.frames - self.made - self.left, self.left
        frames = f"{self.frames} frame{'s' * (self.frames != 1)}"
        frames += f", {before} of them from an earlier run or other parts" * (before > 0)
        frames += f", {left} of them left to other parts" * (left > 0)
        line = f"{self.path}: {frames}, {self.frames / self.fps:.1f} s ({self.seconds:.1f} s)"
        return f"{line}\nincomplete: {self.waiting_for}" if self.waiting_for else line


class FilmPlan(msgspec.Struct, frozen=True):
    """Which processes or cluster draw the frames."""

    jobs: int = 1  # processes; 1: this one
    part: Part | None = None  # which frames alone, and no MP4; None: all
    cluster: str = ""  # address of the Dask scheduler whose workers make them; empty: this machine


class _Order(msgspec.Struct, frozen=True):
    """Make some frames."""

    source: Source
    name: str  # of the source, in frames
    options: Options
    film: FilmOptions
    files: FrameFiles
    recipe: Recipe  # without the renderer
    part: Part


class _Made(msgspec.Struct, frozen=True):
    """What came of it."""

    count: int = 0  # how many frames the film has
    made: int = 0  # how many were made now
    missing: str = ""  # what did not arrive in time
    inside: str = ""  # which frame's eye is in an opaque block
    error: str = ""  # why there are none, a sentence
    exit_code: int = DONE  # of that error


class FilmFailed(ConnectError):
    """Another process could not make its frames."""

    def __init__(self, words: str, exit_code: int) -> None:
        super().__init__(words)
        self.exit_code = exit_code


def make_film(
    source: Source,
    options: Options,
    film: FilmOptions,
    out: Path,
    progress: Progress | None = None,
    runner: Runner | None = None,
    plan: FilmPlan | None = None,
) -> FilmReport:
    """Makes a film, or continues an interrupted one.

    ``options``: how to join the source; ``start`` is the moment of a recording at which the film begins. ``out``:
    FILE.mp4, a folder, or a pattern of PNGs. ``runner``: computes light and meshes, and belongs to the caller; unless
    given, worker threads are made. ``plan``: which processes draw the frames; this one unless given.

    Raises:
        UsageError: options are invalid or contradict each other, or the folder holds another film.
        SourceError: the source cannot be joined, or ended the session; or there is no such cluster.
        UnsupportedGpu: there is no OpenGL 3.3.
        FilmFailed, ProcessesFailed: other processes failed to draw their frames.
        EncodingFailed: ffmpeg failed.
        OSError: a file cannot be written.
        KeyboardInterrupt: it was interrupted; the message says where the frames are kept.
    """
    started, tell, plan = time.monotonic(), progress or (lambda _share, _what: None), plan or FilmPlan()
    recorded = _expect_sense(source, options, film)
    if not recorded and film.picture.entities and (plan.part or plan.cluster or plan.jobs > 1):
        raise UsageError(
            f"With entities, {source} is one session: record it, and make films of the recording with --jobs, --part "
            "and --cluster."
        )
    movie = out if out.suffix.lower() == SUFFIX else None
    ffmpeg = ""
    if movie is not None:
        expect_even(film.picture.size_px)
        ffmpeg = find_ffmpeg() if plan.part is None else ""
    files = FrameFiles.of(out) if movie is None else FrameFiles(out.with_name(f"{out.stem}.frames"))
    recipe = recipe_of(source, options, film, "")
    order = _Order(source, str(source), options, film, files, recipe, plan.part or Part(1, 1))
    elsewhere = plan.cluster or plan.jobs > 1
    done = _make_elsewhere(order, plan, tell) if elsewhere else _make_here(order, tell, runner)
    there, left = movie if movie is not None else out, 0
    if plan.part is None:
        files.tidy()
        if movie is not None:
            try:
                encode(ffmpeg, files, done.count, film.fps, movie, progress)
            except KeyboardInterrupt:
                raise _interrupted(files, done.count) from None
            if not film.keep_frames:
                files.remove(done.count)
    else:
        there, left = files.folder if movie is not None else out, done.count - files.kept
    seconds = round(time.monotonic() - started, 3)
    return FilmReport(there, done.count, done.made, film.fps, done.missing, seconds, done.inside, left)


def _make_here(order: _Order, tell: Progress, runner: Runner | None = None) -> _Made:
    with ExitStack() as undo:
        gpu = Gpu.standalone()
        undo.callback(gpu.release)
        order.files.begin({**order.recipe, "renderer": gpu.capabilities.renderer})
        if runner is None:
            runner = ThreadRunner()
            undo.callback(runner.close)
        try:
            return _make_frames(gpu, runner, order, tell)
        except ConnectError:
            if not order.files.kept and not order.files.session_path.exists():
                order.files.remove(0)  # else a corrected command would find another film there
            raise


def _make_elsewhere(order: _Order, plan: FilmPlan, tell: Progress) -> _Made:
    """By a process or worker for each part."""
    path, fps = order.film.path, order.film.fps
    count = Timetable.lasting(path.duration_s, fps).count if path is not None else 0  # 0: known only after joining
    order.files.folder.mkdir(parents=True, exist_ok=True)

    def report() -> None:
        kept = order.files.kept
        tell(min(kept / count, 1.0) if count else 0.0, f"{kept} frames" + f" of {count}" * bool(count))

    made: dict[int, _Made] = {}
    try:
        with opened(plan.cluster, plan.jobs, _nothing) as place:
            whole = _absolute(order) if plan.cluster else order
            orders = [replace(whole, part=part) for part in order.part.split(place.count)]
            with closing(run_tasks(place, _make_part, orders, lambda _order: LONGEST_S, report)) as ended:
                for outcome in ended:
                    if outcome.result is None:
                        raise FilmFailed(f"A process that made frames {outcome.lost}.", CHECK_FAILED)
                    made[outcome.number] = outcome.result
                    if outcome.result.error:
                        raise FilmFailed(outcome.result.error, outcome.result.exit_code)
    except KeyboardInterrupt:
        raise _interrupted(order.files, count) from None
    rows = [made[number] for number in sorted(made)]
    return _Made(
        rows[0].count,
        sum(row.made for row in rows),
        next((row.missing for row in rows if row.missing), ""),
        next((row.inside for row in rows if row.inside), ""),
    )


def _make_part(order: _Order) -> _Made:
    """What another process does; errors as words, since not all can be pickled."""
    try:
        return _make_here(order, lambda _share, _what: None)
    except UnsupportedGpu as error:
        return _Made(error=str(error), exit_code=NO_GPU)
    except (ConnectError, RenderError) as error:
        return _Made(error=str(error), exit_code=getattr(error, "exit_code", CHECK_FAILED))


def _nothing() -> None:
    """Processes of films are made ready by what they do first."""


def _absolute(order: _Order) -> _Order:
    """The same with absolute paths, since workers of a cluster run in other folders."""
    source, options, film, files = order.source, order.options, order.film, order.files
    if isinstance(source, WorldFile):
        source = WorldFile(source.path.resolve())
    if options.cache_dir is not None:
        options = replace(options, cache_dir=options.cache_dir.resolve())
    picture = replace(film.picture, packs=tuple(path.resolve() for path in film.picture.packs))
    files = replace(files, folder=files.folder.resolve())
    return replace(order, source=source, options=options, film=replace(film, picture=picture), files=files)


def _expect_sense(source: Source, options: Options, film: FilmOptions) -> bool:
    """Whether the source is a recording. Raises UsageError: the options do not fit such a source."""
    recorded = is_recording(source)
    if not 1 <= film.fps <= 240:
        raise UsageError(f"Frames per second must be 1 to 240, not {film.fps}.")
    if film.speed is not None and not 0 <= film.speed <= 1000:
        raise UsageError(f"A film cannot play a recording at {film.speed:g} times its speed.")
    if not recorded and film.path is None:
        raise UsageError(f"{source} is not a recording, so a film of it needs a camera path: --path FILE.toml.")
    if not recorded and (film.speed is not None or film.end_s is not None or options.start is not None):
        raise UsageError(f"{source} is not a recording: start, end and speed apply only to recordings.")
    if options.bots and not is_served(source):
        raise UsageError(f"{source} is not an embedded world: only embedded worlds have bots.")
    if not recorded and film.picture.entities and len(stretches_of(_views(film))) > 1:
        raise UsageError(
            f"With entities, a camera path through a living world can cross at most {2 * SPARE_COLUMNS + 1} columns."
        )
    if film.path is None and film.speed == 0:
        raise UsageError("A film of a recording that stands still needs a camera path: --path FILE.toml.")
    if not recorded and radius_to_ask(options.radius) > MOST_RADIUS:
        raise UsageError(
            f"The radius of a film must be at most {MOST_RADIUS - radius_to_ask(0)} columns, not {options.radius}."
        )
    return recorded


def _make_frames(gpu: Gpu, runner: Runner, order: _Order, tell: Progress) -> _Made:
    """Makes what is missing of the part."""
    source, options, film, files = order.source, order.options, order.film, order.files
    recorded = is_recording(source)
    if not recorded:  # the number of frames is known before joining
        count = _timetable(None, film).count
        if not files.missing(order.part.of_row(count)):
            return _Made(count, missing=files.waiting_for)
        if not files.kept and not files.session_path.exists():
            files.keep_waiting_for("")
    joining = replace(
        options, light=False, speed=None, radius=options.radius if recorded else radius_to_ask(options.radius)
    )
    if not recorded and film.picture.entities:
        if not files.session_path.exists():
            _record(source, joining, options.radius, film, files, tell)
        source, joining, film = WorldFile(files.session_path), replace(joining, bots=0), replace(film, speed=1.0)
    with ExitStack() as undo:
        connection = undo.enter_context(open_connection(source, joining, tell))
        timetable = _timetable(connection, film, to_the_end=not recorded)
        radius = min(options.radius, connection.session.radius) if not recorded else connection.session.radius
        stage = _stage(connection, timetable, film, radius, recorded)
        missing, inside = files.missing(order.part.of_row(timetable.count)), ""
        scene = FrameScene(gpu, connection.session, runner, radius, film.picture, cache_directory())
        undo.callback(scene.release)
        try:
            for number, frame in enumerate(missing):
                share = (timetable.count - len(missing) + number) / timetable.count
                found = _make_frame(stage, scene, files, frame, film.fps, partial(tell, share), order.name)
                inside = inside or (f"Frame {frame + 1}: {found}" if found else "")
                tell(share, f"frame {frame + 1} of {timetable.count}")
        except KeyboardInterrupt:
            raise _interrupted(files, timetable.count) from None
        return _Made(timetable.count, len(missing), files.waiting_for, inside)


def _record(
    source: Source, joining: Options, radius: int, film: FilmOptions, files: FrameFiles, tell: Progress
) -> None:
    """Records a live world for the duration of the film, and stores with the frames what did not arrive."""
    with whole(files.session_path) as temporary:
        with open_connection(source, replace(joining, record=temporary), tell) as connection:
            seen = min(radius, connection.session.radius)
            views = _views(film)
            stretch, *_ = stretches_of(views, spare_of(connection.session.radius, seen))
            missing = record_stretch(connection, stretch, seen, views, film.fps, lambda what: tell(0.0, what))
            recorder = connection.recorder
        if recorder is not None and recorder.failure is not None:
            raise recorder.failure
        files.keep_waiting_for(missing)


def _views(film: FilmOptions) -> list[View]:
    """What is seen along a path, frame by frame."""
    assert film.path is not None, "living worlds are seen along a path"
    timetable = Timetable.lasting(film.path.duration_s, film.fps)
    return [film.path.view(timetable.film_s(n), film.picture.fov_deg) for n in range(timetable.count)]


def _interrupted(files: FrameFiles, count: int) -> KeyboardInterrupt:
    """``count``: the number of frames; 0 if it is not known yet."""
    kept = f"{count - len(files.missing(range(count)))} of {count}" if count else str(files.kept)
    said = f"{kept} frames are kept in {files.folder}; the same command resumes the film."
    return KeyboardInterrupt(f"Interrupted. {said}")


def _make_frame(
    stage: FilmStage,
    scene: FrameScene,
    files: FrameFiles,
    frame: int,
    fps: int,
    tell: Callable[[str], None],
    source: str,
) -> str:
    """Draws and writes one; what its eye is in, in a sentence."""
    view = stage.go_to(frame, tell)
    if stage.missing:
        files.keep_waiting_for(stage.missing)
    pixels = scene.picture(stage.session, view, stage.anchors, frame / fps)
    line = ViewLine.of(view, stage.session.dimension.store.dimension.number)
    labels = {"Software": "chunkscope", "Source": source, "View": str(line)}
    write_png(files.path(frame), pixels, labels)
    if view.ortho_blocks is not None:
        return ""
    return eye_inside(stage.session.dimension.store, view.eye.block, scene.cut)


def _timetable(connection: Connection | None, film: FilmOptions, *, to_the_end: bool = False) -> Timetable:
    """The times of the film's frames, from a recording's present position on, or its last ones.

    Raises UsageError: the recording is too short or too long.
    """
    replay = connection.replay if connection is not None else None
    if replay is None:
        assert film.path is not None, "living worlds are seen along a path"
        return Timetable.lasting(film.path.duration_s, film.fps)
    start_s, end_s = replay.position.time_s, replay.duration_s
    if to_the_end and film.path is not None:
        start_s = max(start_s, end_s - film.path.duration_s)
    if film.end_s is not None:
        if not start_s < film.end_s <= end_s:
            raise UsageError(
                f"{replay.path} shows its world from {start_s:.2f} to {end_s:.2f} s: it cannot end at {film.end_s:g} s."
            )
        end_s = film.end_s
    if film.path is None:
        speed = 1.0 if film.speed is None else film.speed
        return Timetable.lasting((end_s - start_s) / speed, film.fps, start_s, speed, end_s)
    if film.speed is None:  # the world stands still: at the given end, or at the recording's
        return Timetable.lasting(film.path.duration_s, film.fps, end_s, 0.0, end_s)
    return Timetable.lasting(film.path.duration_s, film.fps, start_s, film.speed, end_s)


def _stage(connection: Connection, timetable: Timetable, film: FilmOptions, radius: int, recorded: bool) -> FilmStage:
    if connection.replay is None:
        return LiveStage(connection, _views(film), radius)
    anchors = None
    if not recorded:
        stretch, *_ = stretches_of(_views(film), spare_of(connection.session.radius, radius))
        anchors = shown_of(stretch, radius)
    return RecordedStage(connection, connection.replay, timetable, film.path, film.picture.fov_deg, anchors)
