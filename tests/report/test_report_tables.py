"""Terminal tables: complete, within 100 columns, and deaf to what file names say."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from curation.report.tables import files_table, funnel_table, reasons_table
from tests.report.fake_run import MANIFEST, write_fake_run


def _printed(table, width: int = 100) -> str:
    console = Console(width=width, file=io.StringIO(), force_terminal=False, legacy_windows=False)
    console.print(table)
    return console.file.getvalue()


def _stage(**changes):
    stage = {
        "stage": "gopher_repetition", "kind": "page", "pages_in": 0, "kept": 0, "dropped": 0, "failed": 0,
        "chars_in": 0, "chars_out": 0, "chars_dropped": 0, "chars_trimmed": 0, "tokens_out": None, "reasons": [],
    }  # fmt: skip
    return {**stage, **changes}


def test_funnel_table_shows_every_stage_with_its_counts(tmp_path):
    funnel = write_fake_run(tmp_path, pages=3000)
    rows = {line.split()[0]: line.split() for line in _printed(funnel_table(funnel)).splitlines() if line.strip()}
    for stage in funnel["stages"]:
        row = rows[stage["stage"]]
        assert row[1:5] == [f"{stage[key]:,}" for key in ("pages_in", "kept", "dropped", "failed")]
        if stage["reasons"]:
            assert f"{stage['stage']}.{row[-1].rstrip(chr(0x2026))}" in stage["reasons"][0]["reason"]


@pytest.mark.parametrize("pages", [0, 99_999_999, 2_700_000_000], ids=["none", "widest-exact", "whole-snapshot"])
def test_funnel_table_cuts_no_number_at_100_columns(pages):
    reasons = [{"reason": "gopher_repetition.duplicate_line_char_fraction", "pages": pages, "chars": 10**13}]
    stage = _stage(
        pages_in=pages, kept=pages, dropped=pages, failed=pages, chars_out=10**13, tokens_out=10**12, reasons=reasons
    )
    lines = _printed(funnel_table({"stages": [stage], "tokens_estimated": True})).splitlines()
    (row,) = [line for line in lines if "gopher_repetition" in line]
    assert max(map(len, lines)) <= 100
    assert row.count(f"{pages:,}" if pages < 10**8 else "2.70 B") >= 4
    assert "10.0 T" in row and "~1.00 T" in row
    assert "failed" in "".join(lines) and "% kept" in "".join(lines)


@pytest.mark.parametrize("pages", [0, 99_999, 100_000, 2_700_000_000])
def test_funnel_table_cuts_no_number_at_80_columns(pages):
    reasons = [{"reason": "gopher_repetition.duplicate_line_char_fraction", "pages": pages, "chars": 10**13}]
    stage = _stage(stage="a_stage_of_24_characters", pages_in=3 * pages, kept=pages, dropped=pages, failed=pages)
    stage |= {"chars_out": 10**13, "tokens_out": 10**12, "reasons": reasons}
    lines = _printed(funnel_table({"stages": [stage], "tokens_estimated": True}, width=80), width=80).splitlines()
    (row,) = [line for line in lines if "a_stage_of_24_characters" in line]
    shown = {0: "0", 99_999: "99,999", 100_000: "100 k", 2_700_000_000: "2.70 B"}[pages]
    share = "\u2013" if not pages else "33.3"
    assert row.split() == ["a_stage_of_24_characters", *shown.split() * 3, share, "10.0", "T", "~1.00", "T"]
    assert max(map(len, lines)) <= 80


def test_names_of_long_rules_stay_whole_at_80_columns():
    name = "gopher_repetition.duplicate_10gram_character_fraction"
    stage = _stage(reasons=[{"reason": name, "pages": 2_700_000_000, "chars": 1}])
    printed = _printed(reasons_table({"stages": [stage]}, width=80), width=80)
    assert f"{name}  2.70 B" in printed and "\u2026" not in printed


@pytest.mark.parametrize("width", [80, 100, 120])
def test_paths_of_files_break_behind_a_slash_and_lose_nothing(width):
    name = (
        "crawl-data/CC-MAIN-2024-10/segments/1707947473347.0/warc/CC-MAIN-20240220012119-20240227183420-00000.warc.gz"
    )
    report = {"name": name, "state": "truncated", "records": 999_999_999, "pages": 99_999_999, "damaged": 9}
    lines = _printed(files_table({"files": [report]}, width=width), width).splitlines()
    first = [line.split()[0] for line in lines[4:] if line.strip()]
    assert "".join(first) == name
    assert [line[-1] for line in first[:2]] == ["/", "/"]
    assert lines[4].split()[1:] == (
        ["truncated", "1.00", "B", "100", "M", "9"] if width < 100 else ["truncated", "1.00", "B", "99,999,999", "9"]
    )


def test_funnel_table_warns_when_the_books_do_not_balance():
    assert "do not balance" in _printed(funnel_table({"stages": [_stage()], "balanced": False}))
    assert "order of the stages" in _printed(funnel_table({"stages": [_stage()], "balanced": True}))


def test_reasons_table_is_sorted_and_sums_up_what_it_leaves_out():
    reasons = [{"reason": f"s.rule_{i}", "pages": i, "chars": 10 * i} for i in range(1, 6)]
    printed = _printed(reasons_table({"stages": [_stage(reasons=reasons)]}, limit=2))
    assert printed.index("s.rule_5") < printed.index("s.rule_4")
    assert "s.rule_3" not in printed
    assert "and 3 more reasons with 6 pages" in printed


def test_files_table_lists_all_troubled_files_whatever_the_limit():
    printed = _printed(files_table(MANIFEST, limit=1))
    assert "truncated" in printed and "damaged" in printed
    assert "complete" in printed.splitlines()[-1] and "30 more complete files" in printed


def test_names_of_others_neither_style_nor_steer_the_terminal():
    report = {"name": "[red]x[/red]\x1b[2Jy", "state": "complete", "records": 1, "pages": 1, "damaged": 0}
    printed = _printed(files_table({"files": [report]}))
    assert "[red]x[/red]" in printed
    assert "\x1b" not in printed
