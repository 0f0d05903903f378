"""Whole servers from npm that nobody here wrote: SerenityJS and JSPrismarine (tests/interop/<name>)."""

import json
from pathlib import Path
from typing import Any

from tests.support.foreign_process import CACHE, ForeignProcess
from tests.support.foreign_server import SCRIPTS, node_command


class SerenityServer(ForeignProcess):
    """SerenityJS of 1.26.20 (975)."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        """Writes the settings file into ``folder``; it starts on entering."""
        super().__init__(*_command("serenity/server.cjs", "@serenityjs/core", folder, settings))


class JsPrismarineServer(ForeignProcess):
    """JSPrismarine of 1.21.40 (748)."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        """Writes the settings file into ``folder``, where the server keeps its own files too."""
        super().__init__(*_command("jsprismarine/server.mjs", "@jsprismarine/server", folder, settings))


def _command(
    script: str, package: str, folder: Path, settings: dict[str, Any]
) -> tuple[list[str], Path, dict[str, str]]:
    path = folder / "settings.json"
    path.write_text(json.dumps(settings))
    packages = CACHE / f"npm-{script.partition('/')[0]}"
    command, environment = node_command(SCRIPTS / script, packages, package, str(path))
    return command, folder, environment
