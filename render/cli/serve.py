"""``chunkscope serve``: our own server, until it is interrupted."""

from typing import Annotated

import typer

from render.cli.options import Debug, Profile

NAME = "serve"
HELP = "Serve an embedded world to any client of protocol 486 (1.18.10), our own included."
EXAMPLES = "Example: chunkscope serve embedded:hills --port 19132 --mode limitless"


def run(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="embedded[:hills|bench|flat[:SEED]]")] = "embedded",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="UDP port; 0 picks a free one.")] = 19132,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    mode: Annotated[
        str, typer.Option("--mode", metavar="limited|limitless|full", help="What is sent of a column.")
    ] = "limited",
    limit_form: Annotated[
        str, typer.Option("--limit-form", metavar="index|count", help="How the known-air limit is written.")
    ] = "index",
    profile: Profile = "bedrock",
    radius_max: Annotated[int, typer.Option("--radius-max", min=1, max=96, help="Largest radius granted.")] = 32,
    time: Annotated[int, typer.Option("--time", min=0, max=23999, help="Time of day; 6000 = noon.")] = 6000,
    debug: Debug = False,
) -> int:
    """Starts the server process and waits for its end."""
    import subprocess
    import sys

    from client.connect.errors import UsageError
    from client.connect.source import Embedded, parse_source

    world = parse_source(source)
    if not isinstance(world, Embedded):
        raise UsageError(f"Only embedded worlds can be served; '{source}' is none.")
    command = [sys.executable, "-m", "net.server", "--world", f"{world.world}:{world.seed}"]
    command += ["--bind", host, "--port", str(port), "--mode", mode, "--limit-form", limit_form]
    command += ["--profile", profile, "--radius-max", str(radius_max), "--time", str(time)]
    # The child ends with its stdin: a pipe of ours, so that it lives as long as this process and not longer.
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        try:
            return child.wait()
        except KeyboardInterrupt:
            return 0
