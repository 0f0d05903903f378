from pathlib import Path
from xml.etree import ElementTree

import pytest

from client.source import Embedded
from render.scene_tests.junit import write_junit
from render.scene_tests.results import SceneResult
from render.scene_tests.scene import BadScene, SceneFile, SceneView
from render.scene_tests.verdict import Layer, LayerOutcome, Verdict

VIEW = SceneView("front")
SCENE = SceneFile(Path("caves.toml"), "deep/caves", Embedded("flat", 1), (VIEW,))
PASSED = Verdict((Layer("data", LayerOutcome.PASSED, "same", {}),))
FAILED = Verdict(
    (Layer("data", LayerOutcome.PASSED, "same", {}), Layer("colour", LayerOutcome.FAILED, 'so <&> "\x00" so', {}))
)


@pytest.fixture
def root(tmp_path: Path) -> ElementTree.Element:
    mistake = BadScene("x.toml, line 1: there is no 'a'")
    mistake.place = "x.toml"
    results = (
        SceneResult(SCENE, VIEW, PASSED, seconds=1.25),
        SceneResult(SCENE, VIEW, FAILED, seconds=0.5),
        SceneResult(SCENE, VIEW, None, "it did not settle", 4, warnings=("a.png: no picture",)),
    )
    write_junit(tmp_path / "all.xml", results, (mistake,))
    return ElementTree.parse(tmp_path / "all.xml").getroot()


def test_the_document_has_the_form_that_readers_check(root: ElementTree.Element) -> None:
    assert root.tag == "testsuites"
    assert [child.tag for child in root] == ["testsuite"]
    for element in (root, root[0]):
        numbers = {name: element.attrib[name] for name in ("tests", "failures", "errors", "skipped", "time")}
        assert numbers == {"tests": "4", "failures": "1", "errors": "2", "skipped": "0", "time": "1.750"}
    for case in root.iter("testcase"):
        assert {"classname", "name", "time"} <= case.attrib.keys()
        assert len([child for child in case if child.tag in ("failure", "error", "skipped")]) <= 1
        assert {child.tag for child in case} <= {"failure", "error", "skipped", "system-out", "system-err"}


def test_a_view_is_a_case_of_its_scene_and_tells_every_layer(root: ElementTree.Element) -> None:
    first, second, third, fourth = root.iter("testcase")
    assert (first.attrib["classname"], first.attrib["name"], first.attrib["time"]) == ("deep/caves", "front", "1.250")
    assert first.findtext("system-out") == "data: passed: same"
    failure = second.find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "colour"
    assert 'so <&> "\ufffd" so' in failure.attrib["message"]
    assert third.findtext("system-out") == "warning: a.png: no picture"
    assert third.find("error").attrib["message"] == "it did not settle"
    assert fourth.attrib["name"] == "x.toml"
