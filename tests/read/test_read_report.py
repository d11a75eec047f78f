"""What the ranges of files came to, file by file."""

from __future__ import annotations

from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport, merge_reports
from curation.read.splits import plan_splits


def test_files_of_one_name_in_two_sources_are_two_files(tmp_path):
    """They were one file, of the first source, with the state of the worse and the pages of both."""
    lines = {"wiki": b'{"text": "a"}\n{"text": "b"}\n', "code": b"<html>503</html>"}
    reports = []
    for source, content in lines.items():
        (tmp_path / source).mkdir()
        (tmp_path / source / "part-0.jsonl").write_bytes(content)
        for split in plan_splits(list_inputs(str(tmp_path / source), source=source), 16):
            reports.append(SplitReport(split))
            list(read_pages(split, reports[-1]))
    files = merge_reports(report.to_dict() for report in reports)
    assert [(file["source"], file["state"], file["pages"]) for file in files] == [
        ("code", "error_page", 0),
        ("wiki", "complete", 2),
    ]
