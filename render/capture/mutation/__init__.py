"""Seeded defects, planted between a settled session and its picture: a gate that lets a visible one pass is no gate."""

from render.capture.mutation.check import CheckReport, check_suite
from render.capture.mutation.defects import Defect, Sight, Trial, Wish
from render.capture.mutation.telling import told_check
from render.capture.mutation.work import Crew

__all__ = ["CheckReport", "Crew", "Defect", "Sight", "Trial", "Wish", "check_suite", "told_check"]
