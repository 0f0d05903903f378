"""Importing beside the thread that draws."""

import sys
import threading
from pathlib import Path

import pytest

from client.connection import loading
from client.connection.loading import Loading


def test_modules_are_there_when_it_is_done() -> None:
    loading = Loading(["json", "colorsys"])
    assert loading.wait(200.0)
    assert "colorsys" in sys.modules
    loading.close()
    loading.close()


def test_a_failed_import_is_raised_where_it_is_waited_for() -> None:
    loading = Loading(["client.connection.nothing_of_that_name"])
    with pytest.raises(ModuleNotFoundError, match="nothing_of_that_name"):
        loading.wait(200.0)
    loading.close()


def test_an_import_that_does_not_end_is_left_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "endless_import.py").write_text("import sys\nsys.endless_import_gate.wait()\n")
    gate = threading.Event()
    monkeypatch.setattr(sys, "endless_import_gate", gate, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(loading, "CLOSE_S", 0.0)
    begun = Loading(["endless_import"])
    begun.close()
    assert not begun.wait(0.0)
    gate.set()
    assert begun.wait(60.0)
