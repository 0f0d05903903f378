"""All drawing code, and the entry point of the console script; see README.md beside this file.

    bench/         Cost of frames, pass by pass
    camera         View to matrices and planes; the only user of pyrr
    camera_path    Camera paths: keys in a TOML file, and a smooth curve through them
    capture/       Pictures without a window: join, settle, draw, write
    cli/           The console script ``chunkscope``: one file per command
    draw_options   How a picture or a window draws a world, declared once
    errors         The exceptions of drawing
    film/          Films: a camera path through a world, or a recording's own timeline, as PNG frames and as MP4
    gpu/           GL in one place: context, programs, quad arena, paged volumes, targets, errors
    invariants     Checks for states that must never occur, run while a world is shown
    jobs/          Work off the owner thread: a ready list, workers, a synchronous twin, results
    materials/     How a block state looks: textures made in code, tints, models
    mesh/          Block slots of a render cell and its neighbourhood -> packed quads
    overlays/      Overlays of a frame: facts in, marks out, and one painter for all of them
    panels/        Panels over the picture, drawn with dear imgui
    passes/        Render passes in their order: opaque, cut-out, models, sky, translucent and liquids, overlays
    scene/         The drawn state of one store: its bricks and meshes on the GPU, and pending work
    scene_tests/   Scene files: read, drawn, compared with accepted pictures
    settings/      Persistent settings of the user
    studio_server  Shots and scenes for another program
    view_line      A view as one line of text, for bookmarks and the labels of pictures
    viewer/        The window: a live view of a source

Ctrl-C prints one sentence at any time. Commands print it themselves (``cli.console``); this module handles Ctrl-C
before them, while modules are imported, and after them, while the interpreter ends.
"""

import gc
import os
import signal
import sys

# Not ``Final``: to import ``typing`` takes five milliseconds, in which Ctrl-C would print a traceback.
COLLECT_AFTER = (200_000, 20, 100)
"""Threshold of the garbage collector during imports: imported objects stay, and collections cost a tenth of a start."""


def main() -> None:
    """Runs the command line (``cli.main``). A process that was started with SIGINT ignored keeps ignoring it."""
    gc.set_threshold(*COLLECT_AFTER)
    sys.unraisablehook = _look_for_interrupt
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from render.cli import main as run  # noqa: PLC0415 - an eighth of a second

    try:
        if signal.getsignal(signal.SIGINT) is _end:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        _end()
    finally:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _end)
        gc.freeze()  # else the interpreter scans all objects once more at its end: a tenth of a second


def _look_for_interrupt(dropped: "sys.UnraisableHookArgs") -> None:
    """Handles an interrupt that a destructor, a weak reference's callback or a callback from C raises.

    Python would ignore it and continue. Where another handler of the signal is installed, as by a window, that handler
    has received it, and this function does nothing.
    """
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
    elif signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _end()


def _end(*_signal: object) -> None:
    """Ends the process at once, and thereby its children; used before a command begins and after it ends.

    130 is ``client.errors.INTERRUPTED``.
    """
    sys.stderr.write("chunkscope: Interrupted.\n")
    sys.stderr.flush()
    os._exit(130)
