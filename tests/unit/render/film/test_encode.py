"""ffmpeg as a child: one that says nothing more is not waited for."""

import sys
from pathlib import Path

import pytest

from render.film import encode as encoding
from render.film.encode import EncodingFailed, encode
from render.film.frames import FrameFiles

SILENT = """#!{python}
import threading
threading.Event().wait()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_an_encoder_that_says_nothing_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "SILENT_S", 0.01)
    program = tmp_path / "ffmpeg"
    program.write_text(SILENT.format(python=sys.executable))
    program.chmod(0o755)
    frames = tmp_path / "frames"
    frames.mkdir()
    with pytest.raises(EncodingFailed, match=r"ffmpeg said nothing for 0\.01 s"):
        encode(str(program), FrameFiles(frames), 3, 30, tmp_path / "a.mp4")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ffmpeg", "frames"]
