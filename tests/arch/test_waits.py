"""Nothing waits for ever: a wait for a thread, a process or a queue has a time-out, or stands here with its reason.

No property test fails because the machine is busy.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parents[2]
PACKAGES = ("client", "net", "render")
UNTIMED = {"join": 0, "wait": 0, "result": 0, "get": 0, "communicate": 0, "acquire": 0, "recv": 0, "wait_for": 1}
UNTIMED |= {"shutdown": 0}
"""Methods that wait for ever when they are called with so many arguments."""
PROCESSES = {"run", "call", "check_call", "check_output"}
"""Functions of ``subprocess`` that do so without ``timeout``."""
PIPES = {"stdout", "stderr"}
"""Of a child: a loop over one waits as long as the child says nothing."""

LISTED = {
    "client/embedded_server.py:EmbeddedServer._read": "a child's words, on a daemon; its owner's close ends it",
    "client/kernel_cache/child.py:WarmUp._read": "as above",
    "render/film/film.py:_run": "ffmpeg's words; a timer ends an ffmpeg that says nothing",
    "net/nethernet/dtls.py:DtlsEnd.close": "no wait: records are written into memory",
    "net/server/mods.py:LimitedCaller._run": "a mod's thread, idle; a daemon, which ends with the process",
    "net/storage/server_save.py:Background._run": "the disk's thread, idle; its owner's close wakes it",
    "render/jobs/workers.py:ThreadRunner._take": "a worker, idle; its owner's close wakes it",
    "render/jobs/workers.py:Share.finish": "parts that other workers are computing; they wait for nothing",
    "render/jobs/processes.py:_end_with_parent": "a process's thread, until its parent has ended: what it is for",
    "render/jobs/processes.py:_ProcessSlot.death": "the executor's thread, which has seen that its process ended",
    "render/jobs/processes.py:_on_worker": "the thread of a cluster's worker; who asked for it gives up in time",
    "render/cli/serve.py:_serve": "a server that serves until it is told to end, and the end of its saving then",
    "client/recording/history.py:SessionHistory.look_back": "``Replay.join``, no wait: a recording's length ends it",
    "client/connection/opening.py:open_recorded": "as above",
    "render/gpu": "``Gpu.wait``: the GPU, as long as its driver allows; a window's watchdog tells of it",
}
"""By module and function, or by folder: what is waited for, and what ends the wait."""


def waits(tree: ast.AST, within: tuple[str, ...] = ()) -> Iterator[tuple[str, int]]:
    """Calls and loops that may wait for ever: the function they stand in, and their line."""
    for node in ast.iter_child_nodes(tree):
        named = isinstance(node, ast.FunctionDef | ast.ClassDef)
        inner = (*within, node.name) if named else within  # type: ignore[union-attr] # just looked at
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_untimed(node, node.func):
            yield ".".join(within), node.lineno
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Attribute) and node.iter.attr in PIPES:
            yield ".".join(within), node.lineno
        yield from waits(node, inner)


def _is_untimed(call: ast.Call, name: ast.Attribute) -> bool:
    arguments = len(call.args) + len(call.keywords)
    if isinstance(name.value, ast.Name) and name.value.id == "subprocess" and name.attr in PROCESSES:
        return all(keyword.arg != "timeout" for keyword in call.keywords)
    return UNTIMED.get(name.attr) == arguments


def test_each_wait_has_a_bound_or_a_reason() -> None:
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            module = path.relative_to(ROOT).as_posix()
            for function, line in waits(ast.parse(path.read_text(encoding="utf-8"))):
                found[f"{module}:{function}"] = line
    listed = {name for name in found if any(name.startswith(reason) for reason in LISTED)}
    assert not found.keys() - listed, "give it a time-out, or say here why it ends"
    assert not [reason for reason in LISTED if not any(name.startswith(reason) for name in found)], "no longer there"


def test_what_waits_for_ever_is_seen() -> None:
    seen = "def f():\n t.join()\n e.wait()\n q.get()\n c.wait_for(p)\n s.recv()\n subprocess.run(x)\n g.result()"
    seen += "\n e.shutdown()\n for line in child.stdout: pass"
    timed = "def f():\n t.join(1)\n e.wait(timeout=1)\n q.get(timeout=1)\n c.wait_for(p, 1)\n s.recv(9)\n d.get(k)"
    assert [line for _, line in waits(ast.parse(seen))] == list(range(2, 11))
    assert not list(waits(ast.parse(timed)))


# --------------------------------------------------------------------- test untimed


def test_no_example_has_to_be_done_in_time() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
