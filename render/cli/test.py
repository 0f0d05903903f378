"""``chunkscope test``: scenes against their accepted baselines."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from client.errors import CHECK_FAILED, DONE, UNREADABLE_FILE, UsageError
from render.cli.arguments import ClusterAddress, Debug, PartWord, command
from render.cli.console import compile_kernels, progress

if TYPE_CHECKING:
    from render.gpu.targets import Pixels
    from render.scene_tests.scene import SceneResult
    from render.scene_tests.suite import Suite
    from render.scene_tests.worker import SuitePlan

FAILED_FOLDER: Final = "chunkscope-failed"  # in the folder of the scenes; the pytest plug-in has the same name

Place = Annotated[
    Path, typer.Argument(metavar="DIR|FILE.toml", help="Scenes (docs/reference/scenes.md).", show_default=False)
]
Accept = Annotated[
    bool, typer.Option("--accept", help="Take every scene twice; if both runs agree, they become the baseline.")
]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="GLOB", help="Only scenes whose name matches; repeatable.")
]
Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE.xml", help="Write results as JUnit XML.")]
Report = Annotated[Path | None, typer.Option("--report", metavar="FILE.html", help="Write an HTML report.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, max=64, help="Processes.", show_default="one per core")]
Seed = Annotated[
    int | None,
    typer.Option("--seed", help="Run scenes in a random order of this seed.", show_default="by name"),
]
Failed = Annotated[
    Path | None,
    typer.Option(
        "--failed", metavar="FOLDER", help="Folder for pictures of failed views.", show_default=f"DIR/{FAILED_FOLDER}"
    ),
]
Repeat = Annotated[
    int | None,
    typer.Option("--repeat", metavar="N", min=2, help="Repeat N times in shuffled order; any difference fails."),
]


@command(
    "test",
    help="Draw the scenes of a folder and compare their blocks, faces and colours with the accepted baselines.",
    examples="Example: chunkscope test tests/golden/scenes --only 'lamp*' --junit results.xml",
)
def run(
    place: Place,
    *,
    accept: Accept = False,
    only: Only = None,
    junit: Junit = None,
    report: Report = None,
    jobs: Jobs = None,
    seed: Seed = None,
    failed: Failed = None,
    repeat: Repeat = None,
    part: PartWord = None,
    cluster: ClusterAddress = None,
    debug: Debug = False,
) -> int:
    """Runs the suite; exit code 0 when every view passed."""
    from render.cli.arguments import expect_file, expect_writable, parse_part

    _expect_one_thing(accept=accept, repeat=repeat, report=report)
    if cluster and (jobs or repeat):
        raise UsageError("--cluster has its own workers: leave out --jobs and --repeat.")
    one = parse_part(part, cluster)
    for path in (junit, report):
        if path is not None:
            expect_writable(path)
    expect_file(place)
    compile_kernels()

    from render.scene_tests.suite import open_suite
    from render.scene_tests.worker import SuitePlan, default_jobs

    suite = open_suite(place.resolve() if cluster else place)  # its workers stand in other folders
    if only:
        suite = suite.only(*only)
    if one is not None:
        suite = suite.part(one)
    plan = SuitePlan(jobs or default_jobs(), keep_all=report is not None, cluster=cluster or "")
    folder = failed or suite.root / FAILED_FOLDER
    if repeat:
        return _repeat(suite, repeat, plan.jobs, seed or 0)
    if accept:
        return _accept(suite, plan, seed, folder, junit)
    return _compare(place, suite, plan, seed, folder, junit, report)


def _expect_one_thing(*, accept: bool, repeat: int | None, report: Path | None) -> None:
    """Makes sure that options speak of one thing. Raises UsageError: two of them do not go together."""
    if accept and repeat:
        raise UsageError("--accept and --repeat exclude each other: accept first.")
    if report is not None and (accept or repeat):
        raise UsageError("--report needs a comparison: leave out --accept and --repeat.")


def _compare(
    place: Path,
    suite: "Suite",
    plan: "SuitePlan",
    seed: int | None,
    folder: Path,
    junit: Path | None,
    report: Path | None,
) -> int:
    from render.scene_tests.artefacts import write_artefacts, write_junit
    from render.scene_tests.report_html import cases_of, write_report
    from render.scene_tests.suite import exit_code, format_results, run_suite

    with progress(f"taking scenes of {suite.root}") as tell:
        results = run_suite(suite, plan, seed, tell)
    _say([*format_results(results, suite.bad), *_unused(suite)])  # first: what cannot be written costs no result
    unwritten = []
    if junit is not None:
        unwritten += _unless_written(junit, lambda: write_junit(junit, results, suite.bad))
    if report is not None:
        unwritten += _unless_written(report, lambda: write_report(report, cases_of(results, suite.bad)))
    left: list[Path] = []
    unwritten += _unless_written(folder, lambda: left.extend(write_artefacts(folder, results)))
    _say([*([f"Pictures: {folder}"] if left else []), *unwritten])
    failed = [result for result in results if not result.passed]
    if failed:
        again = f"chunkscope test {shlex.quote(str(place))}"
        told = f"For a report: {again} --report report.html" if report is None else f"Report: {report}"
        _say([told, f"If the change is intended: {again} --accept"])
    return exit_code(failed, suite.bad) or (UNREADABLE_FILE if unwritten else DONE)


def _accept(suite: "Suite", plan: "SuitePlan", seed: int | None, folder: Path, junit: Path | None) -> int:
    from render.scene_tests.artefacts import write_contact_sheet, write_junit, write_unstable
    from render.scene_tests.suite import accept_suite, exit_code, format_acceptance

    with progress(f"taking scenes of {suite.root} twice") as tell:
        accepted = accept_suite(suite, plan, seed, tell)
    _say(format_acceptance(accepted, suite.bad))
    unwritten = []
    if junit is not None:
        unwritten += _unless_written(junit, lambda: write_junit(junit, accepted.results, suite.bad))
    if pictures := _pictures(accepted.results):
        sheet = folder / "contact-sheet.png"
        failed = _unless_written(sheet, lambda: write_contact_sheet(sheet, pictures))
        _say([] if failed else [f"Look at the pictures: {sheet}"])
        unwritten += failed
    both: list[Path] = []
    unwritten += _unless_written(folder, lambda: both.extend(write_unstable(folder, accepted.results)))
    _say([*([f"The pictures of the two runs are in {folder}."] if both else []), *_unused(suite), *unwritten])
    return exit_code(accepted.refused, suite.bad) or (UNREADABLE_FILE if unwritten else DONE)


def _unless_written(path: Path, write: Callable[[], None]) -> list[str]:
    """Writes a file, or gives the sentence that says why it is not there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write()
    except OSError as error:
        return [f"{error.filename or path} cannot be written: {error.strerror or error}."]
    return []


def _repeat(suite: "Suite", runs: int, jobs: int, seed: int) -> int:
    from render.scene_tests.suite import RepeatedRun, RepeatResult, exit_code, prove

    def told(way: RepeatedRun, proof: RepeatResult, found: Sequence[str]) -> None:
        _say([*found, f"run {proof.runs} of {runs}: {way}: {proof} so far"])

    proof = prove(suite, runs, jobs, seed, told)
    _say([*map(str, suite.bad), f"{proof.runs} runs, compared with the first picture of each view: {proof}."])
    return CHECK_FAILED if not proof.holds else exit_code((), suite.bad)


def _pictures(results: "Sequence[SceneResult]") -> "list[tuple[str, Pixels]]":
    return [
        (f"REFUSED {result.name}" if result.error else result.name, result.actual.shot.colour)
        for result in results
        if result.actual is not None and result.actual.shot.colour is not None
    ]


def _unused(suite: "Suite") -> list[str]:
    return [f"Not used by any scene: {path}" for path in suite.unused]


def _say(lines: Sequence[str]) -> None:
    for line in lines:
        typer.echo(line)
