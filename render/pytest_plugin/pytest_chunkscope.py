"""Screenshot regression tests by chunkscope: the fixtures ``chunkscope_shot`` and ``assert_scene``.

Rules:
1. This is one module that imports only the standard library and pytest. A ``chunkscope studio`` process in its own
   environment draws; it receives JSON lines (version 1 of its protocol). In the environment of the tests its packages
   (``render``, ``client``, ``net``, ...) would shadow packages of the user.
2. The process starts with the first test that needs it and ends with the session. If a request fails in any way other
   than an "error" answer, the process is ended and the next request starts a new one.
3. An error fails the test that caused it, in one sentence without a traceback of this module.
4. Workers of pytest-xdist share nothing: each has its own process, and each test its own folders.
"""

import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any, Final, NoReturn

import pytest

PROTOCOL: Final = 1
VARIABLE: Final = "CHUNKSCOPE"
PROGRAM: Final = "chunkscope"
START_S: Final = 300.0
"""Until the process speaks: the first start on a machine compiles its kernels."""
GRACE_S: Final = 60.0
"""For what an order's own time-out does not count: starting the renderer, drawing, comparing, writing."""
USUAL_TIMEOUT_S: Final = 60.0
"""Of a shot, and of each view of a scene that names none."""
END_S: Final = 10.0
ACCEPTED: Final = "chunkscope-accepted"
WARNED: Final = "chunkscope-warned"
FAILED_FOLDER: Final = "chunkscope-failed"


class StudioFailed(Exception):
    """The process failed a request; the text explains it to the author of the test in a sentence or more."""


# ---------------------------------------------------------------- the process


class Studio:
    """A ``chunkscope studio`` process. One thread asks; another only passes lines on."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._words: IO[bytes] | None = None
        self._asked = 0

    def ask(self, order: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """What the process did. Raises StudioFailed: it cannot start, died, said nonsense, took too long, or failed."""
        try:
            process = self._running()
            self._asked += 1
            order = {"id": self._asked, **order}
            answer = self._tell(process, order, timeout_s + GRACE_S)
        except BaseException:
            self.close(at_once=True)
            raise
        error = answer.get("error")
        if isinstance(error, dict):
            raise StudioFailed(str(error.get("words", "It does not give a reason.")))
        return dict(answer["done"])

    def close(self, at_once: bool = False) -> None:
        """Ends the process; may be called again."""
        process, self._process = self._process, None
        if process is None:
            return
        if at_once:
            process.kill()
        assert process.stdin is not None, "it is a pipe"
        with suppress(OSError):  # it is gone already
            process.stdin.close()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_S)
        if self._words is not None:
            self._words.close()
            self._words = None

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is not None:
            return self._process
        self._lines, self._words = queue.Queue(), tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        # Python's own variables are those of the tests' environment: they would lead it to the wrong packages.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment.pop("__PYVENV_LAUNCHER__", None)
        try:
            process = subprocess.Popen(
                [str(self._program), "studio"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words,
                text=True, encoding="utf-8", errors="replace", env=environment, cwd=tempfile.gettempdir(),
            )  # fmt: skip
        except OSError as error:
            raise StudioFailed(f"{self._program} cannot be started: {error.strerror or error}.") from None
        self._process = process
        threading.Thread(target=_pass_on, args=(process.stdout, self._lines), daemon=True).start()
        greeting = self._receive(process, START_S, "before its greeting")
        if greeting.get("protocol") != PROTOCOL:
            raise StudioFailed(
                f"{self._program} is chunkscope {greeting.get('chunkscope', '?')} and speaks version "
                f"{greeting.get('protocol', '?')} of its protocol, but this pytest-chunkscope speaks version "
                f"{PROTOCOL}: install matching versions of both."
            )
        return process

    def _tell(self, process: "subprocess.Popen[str]", order: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        assert process.stdin is not None, "it is a pipe"
        with suppress(OSError):  # the process died: reported below, with its last output
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        answer = self._receive(process, timeout_s, f"during a {order['order']}")
        if answer.get("id") != order["id"] or not ("error" in answer or isinstance(answer.get("done"), dict)):
            raise StudioFailed(f"{self._program} sent an unexpected answer: {_short(json.dumps(answer))}")
        return answer

    def _receive(self, process: "subprocess.Popen[str]", timeout_s: float, when: str) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            raise StudioFailed(f"{self._program} did not answer for {timeout_s:g} s {when} and was stopped.") from None
        if line is None:
            try:
                ended = f"ended with code {process.wait(END_S)}"
            except subprocess.TimeoutExpired:
                ended = f"closed its output but did not end within {END_S:g} s"
            raise StudioFailed(f"{self._program} {ended} {when}. {self._last_words()}".rstrip())
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise StudioFailed(
                f"{self._program} is not a matching chunkscope: it answered {_short(line.strip())} {when}."
            )
        return said

    def _last_words(self) -> str:
        if self._words is None:
            return ""
        self._words.seek(0)
        lines = self._words.read().decode("utf-8", "replace").strip().splitlines()
        return f"Its last line: {_short(lines[-1].strip())}" if lines else ""


def _pass_on(lines: IO[str], into: "queue.Queue[str | None]") -> None:
    """A thread's work: every line, then None."""
    with suppress(OSError, ValueError):  # closed under us: the end, too
        for line in lines:
            into.put(line)
    into.put(None)


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:197]}..."


# ---------------------------------------------------------------- what tests are given


@dataclass(frozen=True)
class Shot:
    """A picture that was taken; usable as a path."""

    path: Path  # a PNG, or an .npz of arrays
    renderer: str = ""  # what drew it

    def __fspath__(self) -> str:
        return str(self.path)

    def read_bytes(self) -> bytes:
        """The file."""
        return self.path.read_bytes()

    def arrays(self) -> dict[str, Any]:
        """Every array of an .npz by its name; needs numpy in the tests' environment."""
        if self.path.suffix != ".npz":
            raise ValueError(f"{self.path.name} is a picture; for arrays use format='npz'")
        import numpy  # noqa: PLC0415 - only arrays need it

        with numpy.load(self.path, allow_pickle=False) as file:
            return dict(file)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options and the ini key."""
    group = parser.getgroup("chunkscope", "terrain pictures by chunkscope")
    group.addoption("--chunkscope", metavar="PATH", help=f"The program (default: ${VARIABLE}, then the PATH).")
    group.addoption("--chunkscope-accept", action="store_true", help="Accept what the scenes show now as the baseline.")
    group.addoption(
        "--chunkscope-failed", metavar="FOLDER", help=f"Folder for pictures of failures (default: {FAILED_FOLDER}/)."
    )
    parser.addini(
        "chunkscope_scenes", "Folder of the scene files, from the root (default: beside the tests).", default=""
    )


@pytest.fixture(scope="session")
def chunkscope_studio(pytestconfig: pytest.Config) -> Iterator[Studio]:
    """The process that takes pictures; tests use ``chunkscope_shot`` and ``assert_scene``."""
    studio = Studio(_find_program(pytestconfig))
    yield studio
    studio.close()


@pytest.fixture
def chunkscope_shot(request: pytest.FixtureRequest, chunkscope_studio: Studio, tmp_path: Path) -> Callable[..., Shot]:
    """A function that takes a picture: ``chunkscope_shot(source, at=(x, y, z), look=(yaw, pitch), ...)``."""
    taken = 0

    def take(
        source: str | os.PathLike[str],
        *,
        at: Sequence[float] | None = None,
        look: Sequence[float] | None = None,
        size: Sequence[int] | None = None,
        channels: str | Sequence[str] = ("colour",),
        format: str | None = None,
        timeout: float = USUAL_TIMEOUT_S,
        **more: Any,
    ) -> Shot:
        """Takes one settled picture.

        Args:
            source: as of chunkscope: embedded:hills, HOST:PORT, or a file, from the test's folder.
            at: the eye, in blocks; None for the spawn.
            look: yaw and pitch in degrees.
            size: width and height in pixels.
            channels: colour, depth, block, face, light, state, cell, mirror.
            format: "png" or "npz"; None: an .npz for several channels.
            timeout: seconds until it has failed.
            more: fov, radius, dimension, time, mode, light, overlays.
        """
        nonlocal taken
        taken += 1
        channels = (channels,) if isinstance(channels, str) else channels
        suffix = format or ("png" if len(channels) == 1 else "npz")
        out = tmp_path / f"chunkscope-{taken}.{suffix}"
        order: dict[str, Any] = {"order": "shot", "source": _source(source, request), "out": str(out)}
        lists: dict[str, Sequence[Any] | None] = {"at": at, "look": look, "size": size, "channels": channels}
        order |= {name: list(values) for name, values in lists.items() if values is not None}
        order |= {"timeout": timeout, **more}
        done = _ask(chunkscope_studio, order, timeout)
        return Shot(Path(done["files"][0]), str(done.get("renderer", "")))

    return take


@pytest.fixture
def assert_scene(request: pytest.FixtureRequest, chunkscope_studio: Studio) -> Callable[..., None]:
    """A function that fails where a scene is not what was accepted: ``assert_scene("spawn")``."""
    accept = bool(request.config.getoption("--chunkscope-accept"))
    folder = _failed_folder(request)
    shutil.rmtree(folder, ignore_errors=True)  # so that it never shows a failure that is mended
    with suppress(OSError):
        folder.parent.rmdir()  # unless other tests left something there

    def compare(name_or_path: str | os.PathLike[str]) -> None:
        """Takes the scene of a file and compares it, or accepts it."""
        path = _scene_path(name_or_path, request)
        order = {"order": "scene", "path": str(path), "accept": accept, "artefacts": str(folder)}
        done = _ask(chunkscope_studio, order, _scene_timeout_s(path) * (2 if accept else 1))
        views = [view for view in done.get("views", []) if isinstance(view, dict)]
        for view in views:
            for file in view.get("accepted", []):
                request.node.user_properties.append((ACCEPTED, file))
            for warning in view.get("warnings", []):
                request.node.user_properties.append((WARNED, f"{path.stem}/{view.get('view')}: {warning}"))
        if not done.get("passed"):
            _fail(_failure(path, views, done, request.node.nodeid))

    return compare


def pytest_terminal_summary(terminalreporter: Any) -> None:  # Any: pytest's type is not public
    """Names the files that were accepted, those of xdist's workers too, and says which sub-chunks they lack."""
    reports = [report for found in terminalreporter.stats.values() for report in found if hasattr(report, "when")]
    properties = {(name, str(value)) for report in reports for name, value in getattr(report, "user_properties", [])}
    files = sorted(value for name, value in properties if name == ACCEPTED)
    if files:
        terminalreporter.section("chunkscope: accepted baselines; look at them before you commit them")
        for line in (*files, *sorted(f"warning in {value}" for name, value in properties if name == WARNED)):
            terminalreporter.line(line)


# ---------------------------------------------------------------- where things are


def _find_program(config: pytest.Config) -> Path:
    said = config.getoption("--chunkscope") or os.environ.get(VARIABLE)
    if found := shutil.which(said or PROGRAM):
        return Path(found).absolute()
    if said:
        where = "--chunkscope" if config.getoption("--chunkscope") else f"the variable {VARIABLE}"
        _fail(f"{said} is not a program (named by {where}).")
    _fail(
        "chunkscope was not found: install it into its own environment (./run in its checkout does) and "
        f"name it with --chunkscope PATH or the variable {VARIABLE}, unless it is on the PATH."
    )


def _scene_path(name_or_path: str | os.PathLike[str], request: pytest.FixtureRequest) -> Path:
    beside, name = request.path.parent, os.fspath(name_or_path)
    folders = [beside, beside / "scenes"]
    if scenes := request.config.getini("chunkscope_scenes"):
        folders.insert(0, request.config.rootpath / str(scenes))
    for folder in folders:
        for path in (folder / name, folder / f"{name}.toml"):
            if path.is_file():
                return path.absolute()
    looked = ", ".join(str(folder) for folder in folders)
    stem = Path(name).name.removesuffix(".toml")
    near = get_close_matches(stem, sorted({path.stem for folder in folders for path in folder.glob("*.toml")}), 1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    _fail(f"The scene '{name}' does not exist (looked for {stem}.toml in {looked}){hint}")


def _scene_timeout_s(path: Path) -> float:
    """How long a scene may take by its own words; what is wrong in them is the process's to say."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        return float(said.get("timeout", USUAL_TIMEOUT_S)) * max(1, len(said.get("view", ())))
    except (OSError, ValueError, TypeError):
        return USUAL_TIMEOUT_S


def _source(source: str | os.PathLike[str], request: pytest.FixtureRequest) -> str:
    """The source unchanged, or an absolute path if it is a file beside the test."""
    beside = request.path.parent / os.fspath(source)
    if isinstance(source, os.PathLike) or beside.exists():
        return str(beside.absolute())
    return source


def _failed_folder(request: pytest.FixtureRequest) -> Path:
    """A folder for each test, safe for any names of its parameters."""
    said = request.config.getoption("--chunkscope-failed")
    root = Path(str(said)).absolute() if said else request.path.parent / FAILED_FOLDER
    inside = request.node.nodeid.partition("::")[2] or request.node.name
    return root / re.sub(r"[^A-Za-z0-9_.-]+", "-", f"{request.path.stem}-{inside}").strip("-")


def _ask(studio: Studio, order: dict[str, Any], timeout_s: float) -> dict[str, Any]:
    try:
        return studio.ask(order, timeout_s)
    except StudioFailed as failed:
        words = str(failed)
    _fail(words)  # outside of the handler, so that pytest reports one failure and not two


def _failure(path: Path, views: list[dict[str, Any]], done: dict[str, Any], nodeid: str) -> str:
    bad = [view for view in views if not view.get("passed")]
    passed = len(views) - len(bad)
    lines = [
        f"{path.name}: {len(bad)} view{'s' if len(bad) > 1 else ''} failed{f', {passed} passed' if passed else ''}."
    ]
    for view in bad:
        lines += [f"  view {view.get('view')}:", *(f"    {line}" for line in str(view.get("words")).splitlines())]
    files = [Path(file) for file in done.get("files", [])]
    lines += [f"Report: {file}" for file in files if file.suffix == ".html"]
    lines += [f"Pictures: {folder}" for folder in sorted({file.parent for file in files if file.suffix != ".html"})]
    lines += filter(None, [done.get("unwritten")])
    lines.append(f'If the change is intended: pytest --chunkscope-accept "{nodeid}"')
    return "\n".join(lines)


def _fail(words: str) -> NoReturn:
    """Fails the test without a traceback: what went wrong is no line of this module."""
    __tracebackhide__ = True
    pytest.fail(f"chunkscope: {words}", pytrace=False)
