"""``shoot``: a view of a world as arrays, one call.

Rules:
1. With a SOURCE it joins, goes to the view, waits until nothing is missing, and leaves. With a connection or a session
   it draws what is known now and does not pump it. With a moment of a recording (``Options.still``) it draws what was
   known at that moment.
2. It makes a GL context for the call, unless a ``Studio`` is given. For many shots pass a studio, which makes programs
   and textures once.
"""

from collections.abc import Sequence
from contextlib import ExitStack

from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.options import Options
from client.player import View
from client.session.session import Session
from client.source import Source, parse_source
from render.capture.channels import CHANNELS, Shot, checked
from render.capture.studio import PictureOptions, Studio, open_studio
from render.gpu import Gpu


def shoot(
    world: str | Source | Connection | Session,
    view: View,
    size_px: tuple[int, int] = (1280, 720),
    channels: Sequence[str] = CHANNELS,
    *,
    options: Options | None = None,
    picture: PictureOptions | None = None,
    studio: Studio | None = None,
) -> Shot:
    """Takes a picture, or arrays such as depth and block, of one view.

    Args:
        world: a SOURCE, or a connection that has joined.
        view: position, direction and field of view.
        size_px: width, height.
        channels: names of channels; all unless given.
        options: how a SOURCE is joined; the view replaces its position and direction.
        picture: how colour is drawn; ``size_px`` and ``view`` replace its size and field of view.
        studio: a renderer of your own, of the same radius and light, to take many pictures; else one is made and freed.

    Raises:
        ValueError: there is no such channel.
        UsageError: there is no such SOURCE.
        SourceError: the source cannot be joined, or ended the session.
        TimeoutError: something had not arrived when the time was over; the message names it.
        UnsupportedGpu: there is no OpenGL 3.3.
    """
    names = checked(channels)
    drawn = replace(picture or PictureOptions(), size_px=size_px)
    with ExitStack() as undo:
        session = _session(undo, world, view, options or Options())
        if studio is None:
            gpu = Gpu.standalone()
            undo.callback(gpu.release)
            studio = undo.enter_context(open_studio(gpu, session, drawn))
        joined = isinstance(world, Session | Connection)
        timeout_s = None if joined else (options or Options()).timeout_s
        shot = studio.shoot(session, view, names, drawn, timeout_s=timeout_s)
        if studio.missing:
            words = [f"{pending.count:,} {pending.unit} {pending.kind}" for pending in studio.missing]
            raise TimeoutError(f"{world} was not drawn in time: {', '.join(words)}")
        return shot


def _session(undo: ExitStack, world: str | Source | Connection | Session, view: View, options: Options) -> Session:
    """What a world knows; a SOURCE is joined, settled, and left with the stack."""
    if isinstance(world, Session):
        return world
    if isinstance(world, Connection):
        return world.session
    source = parse_source(world) if isinstance(world, str) else world
    there = replace(options, at=view.eye, look_deg=(view.yaw_deg, view.pitch_deg), light=False)
    connection = undo.enter_context(open_connection(source, there))
    settled = connection.wait_settled()
    if not settled and options.still is None:
        raise TimeoutError(f"{source} did not settle: {settled.waiting_for}")
    return connection.session
