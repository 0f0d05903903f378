from pathlib import Path

import numpy as np
import pytest

from client.report.dump import write_npz


def test_arrays_come_back_without_pickles(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    write_npz(path, {"blocks": np.arange(8, dtype=np.uint32), "names": np.array(["minecraft:air", "ä"])})
    with np.load(path, allow_pickle=False) as archive:
        assert archive["blocks"].tolist() == list(range(8))
        assert archive["names"].tolist() == ["minecraft:air", "ä"]
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def test_a_failed_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.npz"
    write_npz(path, {"x": np.zeros(1)})
    before = path.read_bytes()

    def broken(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", broken)
    with pytest.raises(OSError, match="disk full"):
        write_npz(path, {"x": np.ones(1)})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def test_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="states"):
        write_npz(tmp_path / "a.npz", {"states": np.array([{}, {}], dtype=object)})
