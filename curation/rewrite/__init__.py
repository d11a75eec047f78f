"""Edits: functions from a page to its new text, or to a `Drop` when the page should not survive the edit."""
