"""A run told to people: tables for the terminal and report.html, from nothing but the run folder."""

from curation.report.html import write_report
from curation.report.tables import files_table, funnel_table, reasons_table

__all__ = ["files_table", "funnel_table", "reasons_table", "write_report"]
