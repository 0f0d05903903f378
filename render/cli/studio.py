"""``chunkscope studio``: shots and scenes for another program, as JSON lines on stdin and stdout."""

import os
from typing import Any

from render.cli.options import Debug, command


@command(
    "studio",
    help="Take shots and scenes for another program: each line on stdin is an order in JSON, each line on "
    "stdout an answer. pytest-chunkscope uses this; docs/reference/studio-protocol.md describes the "
    "protocol.",
    examples="""Example: echo '{"id": 1, "order": "shot", "source": "embedded", "out": "/tmp/a.png"}' """
    "| chunkscope studio",
)
def run(debug: Debug = False) -> int:
    """Answers until stdin ends."""
    import json

    # Answers alone go to stdout: whatever else writes there, in Python or in C, is heard on stderr.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)

    from render.cli.progress import compile_kernels

    compile_kernels(quiet=True)
    from render.studio_server import serve

    def say(answer: Any) -> None:  # Any: what JSON holds
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    with open(0, encoding="utf-8", errors="replace", closefd=False) as orders:
        serve(orders, say)
    return 0
