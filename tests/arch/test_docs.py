"""README, CHANGELOG and docs: short enough, current, and every file to copy works.

docs/explain/founding-documents.md: every statement has a place that exists, every difference a dated reason.
"""

import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest
import typer
from typer.core import TyperGroup
from typer.main import get_command

from client import errors
from client.options import ARRAYS, USUAL_ARRAYS
from client.world.lifecycle import SubChunkState
from net.blobs.client_cache import AT_HAND_BYTES
from net.blobs.pending import BlobLimits
from net.peer.packet_stream import AHEAD_BYTES
from net.peer.server import CLIENT_BATCH_BYTES
from net.raknet.limits import SERVER_LIMITS, Limits
from net.server.blob_cache import MOST_OPEN_BYTES
from net.server.faults import ServerFaults, read_fault_script
from net.storage.blob_store import QUEUED_BYTES
from net.transport.udp import INBOX_BYTES
from net.wire.cursor import INFLATED_BATCH_BYTES, OBJECTS_BYTES, PACKET_BYTES
from render.camera_path import read_path
from render.capture.channels import CHANNELS
from render.cli import app
from render.passes.overlay.boxes import CONTRADICTED, FAILED, STYLES, UNKNOWN_BLOCKS, UNLIT, UNMESHED, UNSENT
from render.settings.overlays import OVERLAYS
from render.settings.schema import SETTINGS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
SHORT = [*ROOT.glob("README.md"), *ROOT.glob("CHANGELOG.md"), *(ROOT / "tests").glob("README.md")] + [
    path for package in ("assets", "client", "net", "render", "shaders") for path in (ROOT / package).rglob("README.md")
]
MOST_WORDS = 12_000
ONE_SCREEN = 60
"""Lines of a package's README."""
DECISION_LINES = 5


def _generator() -> ModuleType:
    spec = util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_that_follow_from_the_program_are_current() -> None:
    generator = _generator()
    pages = dict(generator.pages())
    written = {part[1] for text in pages.values() for part in generator.PART.findall(text)}
    assert written == set(generator.PARTS)
    stale = [path.name for path, text in pages.items() if path.read_text("utf-8") != text]
    assert not stale, f"run {Path(sys.executable).name} docs/generate.py"


def _reference(page: str) -> str:
    return (DOCS / "reference" / page).read_text("utf-8")


def _rows(page: str, head: str) -> list[list[str]]:
    """The cells of a table of the reference, without code marks."""
    table = _reference(page).partition(f"\n| {head} |\n")[2].partition("\n\n")[0]
    return [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table.splitlines()[1:]]


def test_tables_that_people_write_list_what_the_program_has() -> None:
    codes = [str(code) for name, code in vars(errors).items() if name.isupper() and isinstance(code, int)]
    assert [row[0] for row in _rows("exit-codes.md", "code | meaning")] == codes
    states = [[f"{each:d}", each.name.lower(), STYLES[each].label if each in STYLES else ""] for each in SubChunkState]
    assert [row[:3] for row in _rows("states.md", "number | state | legend | meaning | whose problem")] == states
    boxes = [each.label for each in (FAILED, UNMESHED, UNLIT, UNKNOWN_BLOCKS, CONTRADICTED, UNSENT)]
    assert [row[0] for row in _rows("states.md", "legend | meaning")] == boxes
    arrays = [[each, "yes" if each in USUAL_ARRAYS else f"--what {each}"] for each in ARRAYS]
    assert [[row[0], row[3]] for row in _rows("arrays.md", "array | dtype | axes | in the file | value")] == arrays
    assert tuple(row[0] for row in _rows("arrays.md", "array | dtype | axes | value | nothing there")) == CHANNELS


def test_the_json_of_each_command_that_prints_any_is_described() -> None:
    commands = re.findall(r"^## chunkscope (.*?)$(.*?)(?=^## |\Z)", _reference("cli.md"), re.MULTILINE | re.DOTALL)
    described = re.findall(r"^## (.*)$", _reference("json.md"), re.MULTILINE)
    assert sorted(described) == sorted(name for name, text in commands if "`--json`" in text)


def test_the_readme_is_read_in_three_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def test_a_package_says_what_it_is_on_one_screen() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in SHORT
        if path.parent != ROOT and (lines := len(path.read_text("utf-8").splitlines())) > ONE_SCREEN
    }
    assert not long


def test_readmes_and_changelog_stay_short() -> None:
    assert sum(len(path.read_text("utf-8").split()) for path in SHORT) <= MOST_WORDS


def test_what_tables_of_packages_name_lies_beside_them() -> None:
    missing = [
        f"{path.relative_to(ROOT).as_posix()}: {name}"
        for path in SHORT
        if path.parent != ROOT
        for row in re.findall(r"^\| (`[^|]+) \|", path.read_text("utf-8"), re.MULTILINE)
        for name in re.findall(r"`(\w[\w./-]*)`", row)
        if not (path.parent / name).exists()
    ]
    assert not missing


def _decisions() -> Iterator[tuple[str, str]]:
    for page in sorted((DOCS / "develop" / "decisions").glob("*.md")):
        for each in re.findall(r"^- .*(?:\n  .*)*", page.read_text("utf-8"), re.MULTILINE):
            yield page.stem, each


def test_a_decision_has_a_date_and_at_most_five_lines() -> None:
    found = list(_decisions())
    assert len(found) > 200
    assert [each for _page, each in found if len(each.splitlines()) > DECISION_LINES] == []
    assert [each for _page, each in found if not re.match(r"- \d{4}-\d\d(-\d\d)?: [A-Z*`\"]", each)] == []


def _links(page: Path) -> Iterator[str]:
    text = re.sub(r"^(`{3,}).*?^\1", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"\w+:|#", target):
            yield target.split("#")[0]


def test_links_of_pages_that_sphinx_does_not_read_lead_somewhere() -> None:
    """Those in docs are Sphinx's to check (``./check style``)."""
    pages = [*SHORT, ROOT / "CONTRIBUTING.md"]
    dead = [(page.relative_to(ROOT).as_posix(), link) for page in pages for link in _links(page)]
    assert not [(page, link) for page, link in dead if not (ROOT / page).parent.joinpath(link).exists()]


def test_modules_that_pages_name_exist() -> None:
    """Named whole, or from some folder on: ``scene/scene.py``."""
    pages = [*SHORT, *(page for page in DOCS.rglob("*.md") if page.parent.name != "decisions")]
    named = {name for page in pages for name in re.findall(r"`(\w+(?:/\w+)*/\w+\.py)`", page.read_text("utf-8"))}
    assert len(named) > 60
    folders = ("assets", "client", "docs", "net", "render", "shaders", "tests")
    modules = [path.relative_to(ROOT).as_posix() for folder in folders for path in (ROOT / folder).rglob("*.py")]
    assert [name for name in named if not any(f"/{module}".endswith(f"/{name}") for module in modules)] == []


def _commands_of_blocks() -> list[tuple[str, list[str]]]:
    """Page and words of each line ``chunkscope ...`` in a block of a shell, up to where its output goes."""
    found = []
    for page in [*SHORT, *DOCS.rglob("*.md")]:
        for block in re.findall(r"```(?:sh|console)\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                for part in re.split(r"\|\|?|&&|;| > ", line.strip().removeprefix("$ ")):
                    words = shlex.split(part, comments=True)
                    if words[:1] == ["chunkscope"] and len(words) > 1:
                        found.append((page.relative_to(ROOT).as_posix(), words[1:]))
    return found


def test_commands_of_pages_are_read_by_the_program() -> None:
    """Nothing runs: names, options and the form of values."""
    program = get_command(app)
    commands, refused = _commands_of_blocks(), []
    assert len(commands) > 70
    for page, words in commands:
        command, rest = program, list(words)
        while isinstance(command, TyperGroup) and rest[0] in command.commands:
            command = command.commands[rest.pop(0)]
        if isinstance(command, TyperGroup):
            assert rest[0] in ("--help", "--version"), (page, words)
            continue
        try:
            command.make_context("chunkscope", rest)
        except typer.Exit:
            continue  # --help
        except Exception as error:  # click's, of which typer has a copy of its own
            refused.append((page, words, repr(error)))
    assert refused == []


def test_tests_that_pages_name_to_repeat_a_figure_exist() -> None:
    """Files, the words of ``-k``, and programs of tests."""
    pages = [*SHORT, *(page for page in DOCS.rglob("*.md") if page.parent.name != "decisions")]
    lines = [line for page in pages for line in re.findall(r"`([^`\n]+)`", page.read_text("utf-8"))]
    files = {(name, line) for line in lines for name in re.findall(r"(?<![\w/])tests/[\w/]+\.py", line)}
    assert len(files) > 40
    assert [name for name, _ in files if not (ROOT / name).is_file()] == []
    for line in {line for _, line in files}:
        for word in re.findall(r"-k (\w+)", line):
            assert any(word in (ROOT / each).read_text("utf-8") for each in re.findall(r"tests/[\w/]+\.py", line)), line
    programs = {name for line in lines for name in re.findall(r"python -m (tests[\w.]*)", line)}
    assert len(programs) > 4
    assert [name for name in programs if util.find_spec(name) is None] == []


def test_the_memory_that_pages_name_is_the_sum_of_the_limits() -> None:
    """docs/develop/net.md lists them; a batch has at most ``fragments`` pieces, of 1.5 KiB each."""
    event = 2 * PACKET_BYTES + OBJECTS_BYTES  # a packet as bytes and as fields

    def of_peer(limits: Limits, inflated_bytes: int) -> int:
        payloads = limits.partial_bytes + limits.order_bytes + limits.inbox_bytes
        return payloads + 2 * limits.fragments * 1536 + 2 * inflated_bytes

    blobs = BlobLimits().held_bytes + AT_HAND_BYTES + QUEUED_BYTES
    client = of_peer(Limits(), INFLATED_BATCH_BYTES) + 2 * (AHEAD_BYTES + event) + blobs + INBOX_BYTES + event
    server = of_peer(SERVER_LIMITS, CLIENT_BATCH_BYTES) + AHEAD_BYTES + event + MOST_OPEN_BYTES
    for name, sums in {
        "README.md": [client],
        "docs/explain/limits.md": [client, server],
        "docs/develop/net.md": [client, server],
        "net/README.md": [client, server],
    }.items():
        text = (ROOT / name).read_text("utf-8")
        assert [each >> 20 for each in sums if f" {each >> 20} MiB" not in text] == [], name


def test_every_page_stands_in_the_table_of_contents() -> None:
    """An orphan is a warning of Sphinx's, too; here it is told without building."""
    listed = set(re.findall(r"^(\w+/[\w/-]+)$", (DOCS / "index.md").read_text("utf-8"), re.MULTILINE))
    there = {p.relative_to(DOCS).with_suffix("").as_posix() for p in DOCS.rglob("*.md") if p.parent != DOCS}
    assert {page for page in there if not page.startswith("develop/decisions/")} | {"develop/decisions/index"} == listed


@pytest.mark.parametrize("path", sorted((EXAMPLES / "faults").glob("*.toml")), ids=lambda path: path.stem)
def test_a_fault_file_to_copy_is_read_and_does_something(path: Path) -> None:
    assert read_fault_script(path.read_text("utf-8"), path.name) != ServerFaults(seed=7)
    assert f"`{path.name}`" in (DOCS / "howto" / "faulty-server.md").read_text("utf-8")


def test_there_are_eleven_fault_files() -> None:
    assert len(list((EXAMPLES / "faults").glob("*.toml"))) == 11


def test_the_fault_script_of_the_reference_is_read() -> None:
    page = (DOCS / "reference" / "fault-scripts.md").read_text("utf-8")
    (script,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    faults = read_fault_script(script)
    assert faults.kick is not None
    assert faults.silence is not None
    assert tomllib.loads(script).keys() >= {"wire", "answers", "refusals", "columns", "replacement", "updates"}


def test_the_camera_path_to_copy_is_read() -> None:
    assert read_path(EXAMPLES / "path.toml") is not None


def test_settings_and_overlays_of_the_reference_are_those_of_the_program() -> None:
    """The generator writes them; that it leaves none out is promised here."""
    overlays, settings = ((DOCS / "reference" / f"{name}.md").read_text("utf-8") for name in ("overlays", "settings"))
    assert [each.name for each in OVERLAYS.values() if f"| `{each.name}` | {each.letter} |" not in overlays] == []
    assert [row.key for row in SETTINGS if f"| `{row.table}.{row.key}` | " not in settings] == []
    assert settings.count("`CHUNKSCOPE_") == len(SETTINGS)


def test_what_the_trial_names_is_there() -> None:
    """First contact: each finding names the module or the test where it was mended."""
    page = (DOCS / "develop" / "decisions" / "first-contact.md").read_text("utf-8")
    found = re.findall(r"^- .*?: (A\d+) (?:mended|answered)", page, re.MULTILINE)
    assert found == [f"A{number}" for number in range(1, 18)]
    named = set(re.findall(r"`([\w/]+\.py)`", page))
    there = [
        path.relative_to(ROOT).as_posix() for folder in ("render", "tests") for path in (ROOT / folder).rglob("*.py")
    ]
    assert named
    assert not [name for name in named if not any(path.endswith(name) for path in there)]


# --------------------------------------------------------------------- test founding documents

PAGE = ROOT / "docs/explain/founding-documents.md"
REASONS = ROOT / "docs/develop/decisions/founding-documents.md"
ROW = re.compile(r"\| (\d+) \| ([^|]+) \| ([^|]+) \|")
STATEMENTS = 204


def test_each_statement_has_a_number_and_a_place_that_exists() -> None:
    rows = ROW.findall(PAGE.read_text("utf-8"))
    assert [int(number) for number, *_ in rows] == list(range(1, STATEMENTS + 1))
    for number, statement, where in rows:
        places = re.findall(r"`([^`]+)`", where)
        assert places, f"{number}: {statement}"
        assert [place for place in places if not _exists(place)] == [], f"{number}: {statement}"


def test_each_difference_has_a_dated_reason_and_each_reason_a_difference() -> None:
    asked = set(
        re.findall(r"\[differs\]\(\.\./develop/decisions/founding-documents\.md#([a-z-]+)\)", PAGE.read_text("utf-8"))
    )
    reasons = re.findall(r"## ([a-z ]+)\n\n- \d{4}-\d\d-\d\d: ", REASONS.read_text("utf-8"))
    assert {reason.replace(" ", "-") for reason in reasons} == asked


def _exists(place: str) -> bool:
    if "/" in place:
        return (ROOT / place).is_file()
    path = ROOT.joinpath(*place.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()
