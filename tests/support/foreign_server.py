"""A server nobody here wrote: npm ``bedrock-protocol`` with ``prismarine-chunk`` (tests/interop/bedrock_protocol)."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

from tests.support.foreign_process import CACHE, ForeignProcess, missing_peer
from tests.support.given_world import GivenWorld

SCRIPTS = Path(__file__).parents[1] / "interop"
PACKAGES = Path(os.environ.get("CHUNKSCOPE_NPM", CACHE / "npm"))


def node_command(script: Path, packages: Path, package: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """The command and the environment of a Node.js peer; skips where Node.js or its package is missing.

    Args:
        script: what to run.
        packages: folder that holds ``node_modules``.
        package: one of them that must be there.
        arguments: of the script.
    """
    node = shutil.which("node")
    if node is None or not (packages / "node_modules" / package).is_dir():
        missing_peer(f"npm {package} is not installed in {packages} (./check installs it where npm is)")
    return [str(node), str(script), *arguments], {"CHUNKSCOPE_NPM": str(packages)}


class ForeignServer(ForeignProcess):
    """The npm server, given a world."""

    def __init__(self, world: GivenWorld, folder: Path, version: str = "1.18.11", **settings: Any) -> None:
        """Writes the settings file into ``folder``; the process starts on entering."""
        path = folder / "settings.json"
        path.write_text(json.dumps({"version": version, "world": world.as_settings(), **settings}))
        script = SCRIPTS / "bedrock_protocol" / "server.cjs"
        command, environment = node_command(script, PACKAGES, "bedrock-protocol", str(path))
        super().__init__(command, folder, environment)
