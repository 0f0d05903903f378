"""What a connect screen works with: how sources are joined, where it looks, and where it keeps what was joined."""

import time
from pathlib import Path

from client.connection.connection import Connection
from client.connection.joining import Open
from client.connection.opening import open_connection
from client.options import Options
from client.source import Embedded, Source, WorldFile
from net.frozen import frozen
from render.viewer.lobby.places import usual_folders
from render.viewer.lobby.recent import FILE_NAME, RecentSources
from render.viewer.options import ViewerOptions


@frozen
class LobbyPlan:
    """Of one window.

    Attributes:
        options: of the command line, for its own source; others are joined without what was said of its world.
        source: the command line's, None where it named none.
        ports: on which the LAN is asked.
        recent: sources that were joined.
        folders: where worlds and recordings are looked for.
        opened: joins a source.
    """

    options: Options
    source: Source | None
    ports: tuple[int, ...]
    recent: RecentSources
    folders: tuple[Path, ...]
    opened: Open = open_connection

    def note(self, connection: Connection) -> None:
        """Remembers what was joined; our own worlds are listed anyway."""
        source = connection.opened
        if not isinstance(source, Embedded):
            path = WorldFile(source.path.resolve()) if isinstance(source, WorldFile) else source
            self.recent.note(path, connection.session.world_name, time.time())


def plan_of(settings: ViewerOptions, options: Options, source: Source | None) -> LobbyPlan:
    """A window's."""
    file = settings.settings_file
    recent = RecentSources(file.with_name(FILE_NAME) if file else None)
    return LobbyPlan(options, source, settings.lan_ports, recent, usual_folders(Path.home(), Path.cwd()))
