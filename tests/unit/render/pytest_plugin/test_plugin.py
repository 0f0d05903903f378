"""The plug-in in a stranger's environment, whose project has packages that are called as ours."""

import sys
from pathlib import Path

import pytest

from tests.support.data.stranger import stranger_environment

pytest_plugins = ("pytester",)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are scripts here")

SHOT = """
def test_shot(chunkscope_shot):
    shot = chunkscope_shot("SOURCE", at=(1, 2, 3), look=(30, 20))
    assert shot.read_bytes() == open(shot, "rb").read()
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stranger_environment(tmp_path_factory.mktemp("stranger"))


class Project:
    """A stranger's project, and a program that is none of ours."""

    def __init__(self, pytester: pytest.Pytester, python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        self.python = python
        self._environment = monkeypatch
        for package in ("render", "client", "net"):
            pytester.mkpydir(package)
            (pytester.path / package / "__init__.py").write_text(f"MINE = '{package}'\n")
        pytester.makepyfile(conftest="import render, client, net\nassert render.MINE == 'render'\n")
        self.program = pytester.path / "somewhere" / "chunkscope"
        self.program.parent.mkdir()
        fake = Path(__file__).with_name("fake_studio.py").read_text(encoding="utf-8")
        self.program.write_text(f"#!{sys.executable}\n{fake}")
        self.program.chmod(0o755)
        self.log = pytester.path / "log"
        self.log.write_text("")
        monkeypatch.setenv("FAKE_LOG", str(self.log))
        monkeypatch.setenv("CHUNKSCOPE", str(self.program))
        for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID", "FAKE"):
            monkeypatch.delenv(name, raising=False)

    def test(self, text: str, name: str = "test_it") -> Path:
        path = self.pytester.path / f"{name}.py"
        path.write_text(text)
        return path

    def run(self, *arguments: str, fake: str = "") -> pytest.RunResult:
        self._environment.setenv("FAKE", fake)
        return self.pytester.run(self.python, "-m", "pytest", "-p", "no:cacheprovider", *arguments)

    def said(self, result: pytest.RunResult) -> str:
        return " ".join(result.stdout.str().split())

    @property
    def processes(self) -> int:
        return sum(line.endswith("begins") for line in self.log.read_text().splitlines())


@pytest.fixture
def project(pytester: pytest.Pytester, python: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(pytester, python, monkeypatch)


def test_a_shot_is_a_path_and_says_what_it_was_asked(project: Project) -> None:
    project.test(
        SHOT.replace("SOURCE", "embedded")
        + """
    import json
    order = json.loads(shot.read_bytes())
    assert order["at"] == [1, 2, 3] and order["look"] == [30, 20] and order["channels"] == ["colour"]
    assert shot.path.suffix == ".png" and shot.renderer == "none" and "size" not in order
    assert json.loads(chunkscope_shot("embedded", channels="depth").read_bytes())["channels"] == ["depth"]
    arrays = chunkscope_shot("embedded", channels=["block", "depth"], radius=3, timeout=7.0)
    order = json.loads(arrays.read_bytes())
    assert arrays.path.suffix == ".npz" and order["radius"] == 3 and order["timeout"] == 7.0
    assert shot.path != arrays.path

def test_the_process_imports_nothing_of_ours():
    import sys
    assert not {"numpy", "moderngl", "numba"} & set(sys.modules)
"""
    )
    project.run().assert_outcomes(passed=2)
    assert project.processes == 1
    assert project.log.read_text().splitlines()[-1].endswith("ends")


def test_a_file_beside_the_test_is_found_whatever_the_folder(project: Project) -> None:
    folder = project.pytester.mkdir("deep")
    (folder / "a.cscope").write_bytes(b"")
    (folder / "test_deep.py").write_text(
        SHOT.replace("SOURCE", "a.cscope") + "    assert b'deep/a.cscope' in shot.read_bytes()\n"
    )
    project.run().assert_outcomes(passed=1)


def test_a_scene_that_differs_fails_with_what_differs_and_where_the_pictures_are(project: Project) -> None:
    (project.pytester.path / "scenes").mkdir()
    (project.pytester.path / "scenes" / "lamp.toml").write_text("# other")
    (project.pytester.path / "spawn.toml").write_text("# same")
    project.test(
        "import pytest\n"
        "@pytest.mark.parametrize('name', ['lamp', 'spawn.toml'])\n"
        "def test_scene(assert_scene, name): assert_scene(name)\n"
    )
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    said = project.said(result)
    lines = result.stdout.str().splitlines()
    start = lines.index("chunkscope: lamp.toml: 1 view failed.")
    folder = project.pytester.path / "chunkscope-failed" / "test_it-test_scene-lamp"
    assert lines[start + 1 : start + 6] == [
        "  view near:",
        "    world: 3 sub-chunks differ.",
        "    likely cause: the server sent other blocks.",
        f"Report: {folder / 'lamp.html'}",
        f"Pictures: {folder}",
    ]
    assert 'pytest --chunkscope-accept "test_it.py::test_scene[lamp]"' in said
    assert "pytest_chunkscope.py" not in said
    left = project.pytester.path / "chunkscope-failed" / "test_it-test_scene-lamp" / "actual.png"
    assert left.read_bytes() == b"png"
    (project.pytester.path / "scenes" / "lamp.toml").write_text("# same")
    project.run().assert_outcomes(passed=2)
    assert not left.parent.parent.exists()


def test_accepting_names_the_files_with_workers_too(project: Project) -> None:
    for number in range(4):
        (project.pytester.path / f"scene{number}.toml").write_text("# other")
    project.test(
        "import pytest\n@pytest.mark.parametrize('n', range(4))\n"
        "def test_scene(assert_scene, n): assert_scene(f'scene{n}')\n"
    )
    for workers in ((), ("-n", "2")):
        result = project.run("--chunkscope-accept", *workers)
        result.assert_outcomes(passed=4)
        result.stdout.fnmatch_lines(
            ["*look at them before you commit them*", *(f"*/scene{n}/near.png" for n in range(4))]
        )
        result.stdout.fnmatch_lines(
            [f"warning in scene{n}/near: accepted with 3 sub-chunks missing: 3 refused." for n in range(4)]
        )
    assert project.processes == 3


def test_failures_of_workers_lie_apart(project: Project) -> None:
    (project.pytester.path / "lamp.toml").write_text("# other")
    project.test(
        "import pytest\n@pytest.mark.parametrize('n', ['a/b', 'a b', 'ä', '..'])\n"
        "def test_scene(assert_scene, n): assert_scene('lamp')\n"
    )
    project.run("-n", "2", "--chunkscope-failed", "left").assert_outcomes(failed=4)
    assert len(list((project.pytester.path / "left").glob("*/actual.png"))) >= 3
    assert {path.parent for path in (project.pytester.path / "left").iterdir()} == {project.pytester.path / "left"}


def test_an_error_fails_its_test_and_the_process_goes_on(project: Project) -> None:
    project.test(SHOT.replace("SOURCE", "nowhere"), "test_a")
    project.test(SHOT.replace("SOURCE", "embedded"), "test_b")
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    assert "chunkscope: nowhere is silent." in project.said(result)
    assert project.processes == 1


def test_a_process_that_dies_fails_its_test_and_the_next_one_has_another(project: Project) -> None:
    project.test(SHOT.replace("SOURCE", "deadly"), "test_a")
    project.test(SHOT.replace("SOURCE", "embedded"), "test_b")
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    assert "ended with code 9 during a shot. Its last line: no more memory" in project.said(result)
    assert project.processes == 2


BROKEN = {
    "dies": "ended with code 2 before its greeting. Its last line: no such command 'studio'",
    "garbage": "is not a matching chunkscope: it answered Welcome to Chunkscope, the pie chart! before",
    "version": "is chunkscope 9.9 and speaks version 2 of its protocol, but this pytest-chunkscope speaks version 1: ",
    "other": 'sent an unexpected answer: {"id": 77',
}


@pytest.mark.parametrize("fake", list(BROKEN))
def test_a_program_that_does_not_fit_is_one_sentence(project: Project, fake: str) -> None:
    project.test(SHOT.replace("SOURCE", "embedded"))
    result = project.run(fake=fake)
    result.assert_outcomes(failed=1)
    assert BROKEN[fake] in project.said(result)
    assert "Traceback" not in project.said(result)
    assert "another exception" not in project.said(result)


def test_a_program_that_hangs_is_ended(project: Project) -> None:
    project.test(
        "import pytest_chunkscope\npytest_chunkscope.GRACE_S = 0.1\n"
        "def test_shot(chunkscope_shot): chunkscope_shot('embedded', timeout=0.1)\n"
    )
    result = project.run(fake="silent")
    result.assert_outcomes(failed=1)
    assert "did not answer for 0.2 s during a shot and was stopped" in project.said(result)


def test_a_program_that_is_not_there_is_one_sentence(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.test(SHOT.replace("SOURCE", "embedded"))
    result = project.run("--chunkscope", "/nowhere/chunkscope")
    result.assert_outcomes(errors=1)
    assert "chunkscope: /nowhere/chunkscope is not a program (named by --chunkscope)." in project.said(result)
    monkeypatch.delenv("CHUNKSCOPE")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    result = project.run()
    result.assert_outcomes(errors=1)
    assert "chunkscope was not found: install it into its own environment" in project.said(result)
    monkeypatch.setenv("PATH", f"{project.program.parent}:/usr/bin:/bin")
    project.run().assert_outcomes(passed=1)


def test_a_scene_that_is_not_there_says_where_was_looked(project: Project) -> None:
    project.pytester.makeini("[pytest]\nchunkscope_scenes = pictures\n")
    project.test("def test_scene(assert_scene): assert_scene('lamp')\n")
    result = project.run()
    result.assert_outcomes(failed=1)
    assert "chunkscope: The scene 'lamp' does not exist (looked for lamp.toml in" in project.said(result)
    assert "did you mean" not in project.said(result)
    pictures = project.pytester.mkdir("pictures")
    pictures.joinpath("lmap.toml").write_text("# same")
    assert f"looked for lamp.toml in {pictures}, " in (said := project.said(project.run()))
    assert "; did you mean 'lmap'?" in said
    pictures.joinpath("lamp.toml").write_text("# same")
    project.run().assert_outcomes(passed=1)


def test_what_is_asked_is_one_line_whatever_stands_in_it(project: Project) -> None:
    project.test(SHOT.replace("SOURCE", "a\\nb ä"))
    project.run().assert_outcomes(passed=1)
    assert len(project.log.read_text().splitlines()) == 4  # begins, the shot in two lines, ends
