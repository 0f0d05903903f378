"""Which panels are open and where they lie outlives the window; a broken file costs a layout and nothing else."""

from pathlib import Path

import pytest

from render.viewer.display.panels import PanelLayout, read_layout, write_layout


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "panels.ini"
    write_layout(path, ["pipeline", "graphs"], "[Window][Pipeline]\nPos=1,2\n")
    assert read_layout(path) == PanelLayout(("pipeline", "graphs"), "[Window][Pipeline]\nPos=1,2\n")
    write_layout(path, [], "")
    assert read_layout(path) == PanelLayout((), ""), "nobody wants panels: that is kept, too"


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[Window][Pipeline]\n", b""])
def test_what_is_no_layout_is_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "panels.ini"
    path.write_bytes(content)
    assert read_layout(path) == PanelLayout()


def test_no_file_is_no_layout(tmp_path: Path) -> None:
    assert read_layout(None) == read_layout(tmp_path / "none.ini") == PanelLayout()
    write_layout(None, ["pipeline"], "")
    with pytest.raises(OSError, match="directory"):
        write_layout(tmp_path, ["pipeline"], "")
    assert list(tmp_path.parent.glob("*.part")) == []
