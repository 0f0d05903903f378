"""Everything that a film's frames depend on, so that frames of two films are never mixed."""

from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xxhash

from client.options import Options
from client.source import Source, WorldFile
from render.capture.film.frame_files import Recipe

if TYPE_CHECKING:
    from render.capture.film.making import FilmOptions

PIECE_BYTES = 1 << 20


def recipe_of(source: Source, options: Options, film: "FilmOptions", renderer: str) -> Recipe:
    """What frames depend on, as ``film.json`` holds it; the number of frames and of workers is not part of it.

    Raises:
        OSError: the source is a file that cannot be read.
    """
    picture = film.picture
    recipe: dict[str, Any] = {  # Any: what JSON holds
        "source": str(source),
        "digest": _digest(source.path) if isinstance(source, WorldFile) and source.path.is_file() else None,
        "fps": film.fps,
        "size": list(picture.size_px),
        "path": None if film.path is None else [asdict(key) for key in film.path.keys],
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
        "packs": [_pack_digest(path) for path in picture.packs],
        "mode": options.mode,
        "protocol": options.protocol,
        "profile": options.profile,
        "renderer": renderer,
        "chunkscope": _version(),
    }
    return recipe


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


def _version() -> str:
    try:
        return version("chunkscope")
    except PackageNotFoundError:  # run from the sources, without an installation
        return ""
