import logging

import pytest

from render.scene_tests.worker import warnings_kept

LOG = logging.getLogger("chunkscope.packs")


def test_warnings_are_kept_once_and_written_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    with warnings_kept() as kept:
        for words in ("a.png is broken", "b.png is broken", "a.png is broken"):
            LOG.warning("%s", words)
        LOG.info("read")
    assert list(kept) == ["a.png is broken", "b.png is broken"]
    assert capfd.readouterr() == ("", "")


def test_those_before_and_behind_are_everybodys(caplog: pytest.LogCaptureFixture) -> None:
    with warnings_kept() as kept:
        pass
    LOG.warning("late")
    assert not kept
    assert caplog.messages == ["late"]
