"""A ``chunkscope`` that draws nothing: speaks its protocol, or breaks it as ``FAKE`` says. Standard library alone."""

import json
import os
import sys
from pathlib import Path

MODE = os.environ.get("FAKE", "")
LOG = Path(os.environ["FAKE_LOG"])


def say(**words: object) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def record(what: str) -> None:
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"{os.getpid()} {what}\n")


def shot(order: dict[str, object]) -> None:
    if order["source"] == "deadly":
        sys.stderr.write("first words\nno more memory\n")
        sys.exit(9)
    if order["source"] == "nowhere":
        say(id=order["id"], error={"words": "nowhere is silent.", "exit_code": 3})
        return
    out = Path(str(order["out"]))
    out.write_bytes(json.dumps(order).encode())
    say(id=order["id"], done={"files": [str(out)], "renderer": "none"})


def scene(order: dict[str, object]) -> None:
    path = Path(str(order["path"]))
    passed = bool(order["accept"]) or "same" in path.read_text(encoding="utf-8")
    accepted = [str(path.with_suffix("") / "near.png")] if order["accept"] else []
    files = []
    if not passed:
        folder = Path(str(order["artefacts"]))
        folder.mkdir(parents=True)
        (folder / "actual.png").write_bytes(b"png")
        files = [str(folder / "actual.png"), str(folder / "lamp.html")]
    words = "world: 3 sub-chunks differ.\nlikely cause: the server sent other blocks."
    view = {"view": "near", "passed": passed, "words": words, "accepted": accepted, "layers": []}
    if accepted:
        view["warnings"] = ["accepted with 3 sub-chunks missing: 3 refused."]
    say(id=order["id"], done={"passed": passed, "views": [view], "files": files})


def main() -> None:
    assert sys.argv[1:] == ["studio"]
    assert not [name for name in os.environ if name.startswith("PYTHON")], "the tests' own variables"
    record("begins")
    if MODE == "dies":
        sys.stderr.write("no such command 'studio'\n")
        sys.exit(2)
    if MODE == "garbage":
        sys.stdout.write("Welcome to Chunkscope, the pie chart!\n")
        sys.stdout.flush()
    else:
        say(chunkscope="9.9", protocol=2 if MODE == "version" else 1, channels=["colour"])
    for line in sys.stdin:
        order = json.loads(line)
        record(f"{order['order']} {order.get('source', '')}")
        if MODE == "silent":
            continue
        if MODE == "other":
            say(id=77, done={})
        elif order["order"] == "shot":
            shot(order)
        else:
            scene(order)
    record("ends")


main()
