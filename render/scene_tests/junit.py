"""Results as JUnit XML: what continuous integration reads.

The form is the one that Jenkins' xunit plug-in and GitLab check: ``testsuites`` > ``testsuite`` > ``testcase`` with at
most one of ``failure``, ``error``, ``skipped``. A view is a case, its class is the scene. A view that differs is a
failure; one that could not be compared is an error, as is a file that is no scene.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from net.files import whole
from render.scene_tests.scene import BadScene, SceneResult
from render.scene_tests.verdict import LayerOutcome

NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may hold, not even escaped."""


def write_junit(path: Path, results: Sequence[SceneResult], bad: Sequence[BadScene] = ()) -> None:
    """Writes the file, whole or not at all. Raises OSError: the place cannot be written."""
    suite = ElementTree.Element("testsuite", name="chunkscope")
    for result in results:
        _case(suite, result)
    for mistake in bad:
        case = ElementTree.SubElement(suite, "testcase", classname="scenes", name=_clean(mistake.place), time="0")
        ElementTree.SubElement(case, "error", message=_clean(str(mistake)), type="BadScene")
    _count(suite)
    root = ElementTree.Element("testsuites", suite.attrib)
    root.append(suite)
    ElementTree.indent(root)
    with whole(path) as temporary:
        ElementTree.ElementTree(root).write(temporary, encoding="utf-8", xml_declaration=True)


def _case(suite: ElementTree.Element, result: SceneResult) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=_clean(result.scene.name), name=result.view.name, time=f"{result.seconds:.3f}"
    )
    lines = [f"warning: {words}" for words in result.warnings]
    if result.verdict is None:
        ElementTree.SubElement(case, "error", message=_clean(result.error), type="SceneFailed")
        _system_out(case, lines)
        return
    lines = [f"{layer.name}: {layer.outcome.value}: {layer.words}" for layer in result.verdict.layers] + lines
    if not result.verdict.passed:
        failed = [layer.name for layer in result.verdict.layers if layer.outcome is LayerOutcome.FAILED]
        failure = ElementTree.SubElement(
            case, "failure", message=_clean(result.words), type=" ".join(failed) or "nothing was compared"
        )
        failure.text = _clean("\n".join(lines))
    _system_out(case, lines)


def _system_out(case: ElementTree.Element, lines: Sequence[str]) -> None:
    if lines:
        ElementTree.SubElement(case, "system-out").text = _clean("\n".join(lines))


def _count(suite: ElementTree.Element) -> None:
    cases = suite.findall("testcase")
    seconds = sum(float(case.attrib["time"]) for case in cases)
    suite.attrib.update(
        tests=str(len(cases)),
        failures=str(len(suite.findall("testcase/failure"))),
        errors=str(len(suite.findall("testcase/error"))),
        skipped="0",
        time=f"{seconds:.3f}",
    )


def _clean(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
