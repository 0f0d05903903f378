"""The only code that draws; see README.md beside this file. Here: where the console script begins.

    bench/         What frames cost, pass by pass
    camera         View to matrices and planes; the only user of pyrr
    camera_path    Where the camera is at each moment: keys in a TOML file, and a smooth way through them
    capture/       Pictures without a window: join, settle, draw, write
    cli/           The console script ``chunkscope``: one file per command
    draw_options   How a picture or a window draws a world, declared once
    film/          Films: a camera path through a world, or a recording's own timeline, as PNG frames and as MP4
    gpu/           GL in one place: context, programs, quad arena, paged volumes, targets, errors
    invariants     What must never be so, looked for while a world is shown
    jobs/          Work off the owner thread: a ready list, workers, a synchronous twin, results
    materials/     How a block state looks: textures made in code, tints, models
    mesh/          Block slots of a render cell and its neighbourhood -> packed quads
    overlays/      What overlays say over a frame: facts in, marks out, and one painter for all of them
    panels/        Panels: what is known, over the picture, with dear imgui
    passes/        What is drawn in which order: opaque, cut-out, models, sky, translucent and liquids, overlays
    scene/         The picture of one store: its bricks and meshes on the GPU, what is still being made
    scene_tests/   Scenes as files: read, taken, compared with what was accepted
    settings/      What a person may set once and for all
    studio_server  Shots and scenes for another program
    view_line      A view as one line of text: what bookmarks hold, pictures are labelled with
    viewer/        The window: what a person sees of a source, live

Ctrl-C is one sentence from the first line on: commands say it themselves (``cli.console``), but before them modules
are imported, and after them the interpreter ends.
"""

import gc
import os
import signal
import sys
from typing import Final

COLLECT_AFTER: Final = (200_000, 20, 100)
"""Objects until garbage is looked for: what is imported stays, and to look through it again and again costs a tenth of
a start."""


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
        gc.freeze()  # else the interpreter looks through all that it is about to leave: a tenth of a second


def _look_for_interrupt(dropped: "sys.UnraisableHookArgs") -> None:
    """Python goes on where a destructor, a weak reference's callback or one that C calls raises an interrupt.

    Somebody who handles the signal otherwise, as a window does, has heard it: nothing is said.
    """
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
    elif signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _end()


def _end(*_signal: object) -> None:
    """Ends the process at once, and thereby its children; used before a command begins and after it is done.

    130 is ``client.errors.INTERRUPTED``.
    """
    sys.stderr.write("chunkscope: Interrupted.\n")
    sys.stderr.flush()
    os._exit(130)
