"""The C++ reference of what kernels can reach, compiled where its source and a compiler for this processor are."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np

from net.space.layout import ColumnMasks

PROTOTYPES = Path(__file__).parents[3] / "shared" / "prototypes" / "perf"
FLAGS = ("-O3", "-march=native", "-std=c++20", "-fno-strict-aliasing", "-shared", "-fPIC")


class NativeLimits:
    """One compiled library."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))

    def connectivity(self, opaque: ColumnMasks) -> np.ndarray:
        """Which face sees which of some slots: uint64[n]."""
        found = np.zeros(len(opaque), np.uint64)
        count = ctypes.c_int64(len(opaque))
        self._library.vis_batch(
            ctypes.c_void_p(opaque.ctypes.data), ctypes.c_int64(0), count, ctypes.c_void_p(found.ctypes.data)
        )
        return found

    def decoder(self, payloads: list[bytes], dense: np.ndarray, flags: np.ndarray, first: tuple[int, int]) -> "Decoder":
        """Decodes payloads of version 9 and derives their masks, by plain loops as the compiler makes of them.

        Args:
            payloads: with at most two layers.
            dense: uint16[runtime ids] dense id of each.
            flags: uint32[65536] by dense id; the reference keeps eight bits of each.
            first: lowest dense ids of liquids and of what is opaque.
        """
        return Decoder(self._library, payloads, dense, flags.astype(np.uint8), first)


class Decoder:
    """One batch, with the room it is decoded into."""

    def __init__(
        self, library: ctypes.CDLL, payloads: list[bytes], dense: np.ndarray, flags: np.ndarray, first: tuple[int, int]
    ) -> None:
        count = len(payloads)
        lengths = np.array([len(payload) for payload in payloads], np.int64)
        self.blocks = np.zeros((count, 4096), np.uint16)
        self.masks = np.zeros((3, count, 256), np.uint16)
        self._library, self._first, self._count = library, first, count
        self._arrays = (
            np.frombuffer(b"".join(payloads) + bytes(64), np.uint8),
            np.cumsum(lengths) - lengths,
            lengths,
            np.arange(count, dtype=np.int32),
        )
        self._tables = dense, flags
        self._second = np.zeros((count, 4096), np.uint16), np.zeros(count + 1, np.int32), np.zeros(count, np.uint32)

    def run(self) -> None:
        """Decodes all of them and derives their masks."""
        count = ctypes.c_int64(self._count)
        buffer, *where = map(_at, self._arrays)
        tables, second, blocks = map(_at, self._tables), map(_at, self._second), _at(self.blocks)
        self._library.decode_batch(buffer, *where, count, *tables, blocks, *second, ctypes.c_int(0))
        liquid, opaque = map(ctypes.c_uint16, self._first)
        self._library.masks_batch_plain(blocks, ctypes.c_int64(0), count, liquid, opaque, *map(_at, self.masks))


def _at(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def native_limits(folder: Path) -> NativeLimits | None:
    """Compiles the reference into a folder; None where its source, a compiler or AVX-512 is missing."""
    library = compiled("limits.cpp", folder)
    return None if library is None else NativeLimits(library)


def compiled(name: str, folder: Path) -> Path | None:
    """Compiles one of the references into a folder; None where its source, a compiler or what it needs is missing."""
    compiler = next(filter(None, map(shutil.which, ("g++", "clang++"))), None)
    source = PROTOTYPES / name
    if compiler is None or not source.exists():
        return None
    library = (folder / name).with_suffix(".so")
    made = subprocess.run([compiler, *FLAGS, str(source), "-o", str(library)], check=False, capture_output=True)
    return None if made.returncode else library
