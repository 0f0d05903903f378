"""``chunkscope join``: the steps of a join, and which one is missing or wrong."""

from render.cli.options import Debug, JoinOptions, Json, SourceArgument, connection, spelled_out

NAME = "join"
HELP = (
    "Join a source and list the steps of the join with their times. The first line names the step that is missing or "
    "wrong, if any; then the exit code is 1."
)
EXAMPLES = "Example: chunkscope join localhost:19132"


@spelled_out
def run(source: SourceArgument, *, joining: JoinOptions, json: Json = False, debug: Debug = False) -> int:
    """Joins, waits until nothing more comes, prints the steps; exit code 1 where one is missing or wrong."""
    from render.cli.progress import compile_kernels, progress

    where, options = connection(source, joining)
    compile_kernels(quiet=json)
    from client.report.join import join  # loads the kernels, so only when they are there

    with progress(f"joining {where}", quiet=json) as show:
        report = join(where, options, progress=show)
    return report.write(as_json=json)
