"""The report of a suite: one self-contained HTML file."""

from render.capture.page.case import Case, Standing
from render.capture.page.report_page import report_html, write_report

__all__ = ["Case", "Standing", "report_html", "write_report"]
