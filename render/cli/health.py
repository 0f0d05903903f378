"""``chunkscope health``: what is wrong with a server's world, by kind."""

from render.cli.options import Debug, JoinOptions, Json, SourceArgument, connection, spelled_out

NAME = "health"
HELP = (
    "Join a source and list its problems by kind: chunks that were never sent, refused, late or undecodable. "
    "The exit code is 1 if there are any."
)
EXAMPLES = "Example: chunkscope health localhost:19132 --radius 12"


@spelled_out
def run(source: SourceArgument, *, joining: JoinOptions, json: Json = False, debug: Debug = False) -> int:
    """Joins, waits until the world is settled, prints what is wrong; exit code 1 where anything is."""
    from render.cli.progress import compile_kernels, progress

    where, options = connection(source, joining)
    compile_kernels(quiet=json)
    from client.report.health import health  # loads the kernels, so only when they are there
    from render.scene.diagnosis import outlook, unmeshed

    with progress(f"checking {where}", quiet=json) as show:
        report = health(where, options, undrawn=unmeshed, foresee=outlook, progress=show)
    return report.write(as_json=json)
