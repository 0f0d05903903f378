"""Keeps light up to date without a renderer: collects columns that changed, and relights them in one step.

A scene drives the same light map with its own workers; then nobody makes a LightKeeper. One step at a time may
publish, so a map has one keeper.

Rule: columns for whose light there is no slot stay as dark as they are and count as unlit no longer; they are lit when
there is room again.
"""

import logging
from typing import Final

import numpy as np

from client.errors import OutOfSlots
from client.session.session import Session
from client.world.changes import ChangeKind, ChangeReader
from client.world.store import Store
from net.space import ColumnPositions

LOG: Final = logging.getLogger("chunkscope.light")


class LightKeeper:
    """Drives a session's light map on the owner thread."""

    def __init__(self, session: Session) -> None:
        """Follows the session's store, also when StartGame replaces it."""
        self._session = session
        self._rows: set[int] = set()
        self._roomless: set[int] = set()
        self._least_free = 0
        self._store: Store = session.dimension.store
        self._reader: ChangeReader = self._store.changes.subscribe()
        self._all()

    @property
    def pending(self) -> int:
        """Columns whose light is older than their blocks."""
        self._collect()
        return len(self._rows)

    @property
    def unlit(self) -> ColumnPositions:
        """Those columns, by the numbers of their rows: int32[n, 2]."""
        self._collect()
        columns: ColumnPositions = self._store.columns[sorted(self._rows)]
        return columns

    def step(self, most_columns: int) -> int:
        """Relights up to so many columns, in the order of their numbers; says how many."""
        self._collect()
        light = self._session.dimension.light
        if self._roomless and light.free_slots >= self._least_free:
            self._rows |= self._roomless
            self._roomless.clear()
        rows = np.array(sorted(self._rows)[:most_columns], np.int32)
        if len(rows):
            try:
                light.step(self._store, rows)
            except OutOfSlots:
                for row in rows.tolist():
                    self._try(row)
            self._rows.difference_update(rows.tolist())
            if not self._rows:
                light.rest()
        return len(rows)

    def _try(self, row: int) -> None:
        """Relights one column, if there are slots for it."""
        try:
            self._session.dimension.light.step(self._store, np.array([row], np.int32))
        except OutOfSlots as full:
            if not self._roomless:
                LOG.warning("%s: columns without a light slot stay dark until one is free", full)
            self._roomless.add(row)
            self._least_free = self._session.dimension.light.free_slots + self._store.dimension.sections

    def _collect(self) -> None:
        if self._session.dimension.store is not self._store:
            self._reader.close()
            self._store = self._session.dimension.store
            self._reader = self._store.changes.subscribe()
            self._all()
        batch = self._reader.drain()
        if batch.everything:
            self._all()
        darkened = batch.kinds != ChangeKind.STATE  # or brightened; a state alone changes no light
        rows = np.unique(batch.places[darkened] // self._store.dimension.sections).tolist()
        self._rows.update(rows)
        self._roomless.difference_update(rows)

    def _all(self) -> None:
        self._rows = set(self._store.announced_rows.tolist())
        self._roomless.clear()
