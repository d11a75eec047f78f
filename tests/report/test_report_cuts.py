"""What was cut out of pages: counts against a plain count, texts as they stood before the stage, masked and bounded."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.stages import CUTS
from curation.document import to_batch
from curation.page import Page
from curation.report import write_report
from curation.report.cuts import PIECE_CHARS, PIECES_SHOWN, StageCuts, gather_cuts
from tests.report.cells import Cells

STAGES = [{"stage": name} for name in ("read", "main_text", "menus", "cleaned", "repeats")]
MENU, MAIL, LONG = "Home | About", "Write to ann@example.org today", "all of this again " * 30


def _page(number: int, text: str, trail: int) -> Page:
    page = Page(text, url=f"https://h.example/{number}", host="h.example", doc_id=number * 7919)
    page.trail = [len(text)] * trail
    return page


def _cut(page: Page, unit: str, start: int, end: int, copies: int, kept_id: int | None = None) -> dict:
    return {
        "doc_id": page.doc_id, "unit": unit, "start": start, "end": end, "stage": "s", "kept_id": kept_id,
        "copies": copies,
    }  # fmt: skip


def _write(run: Path, stage: str, files: list[list[dict]]) -> None:
    folder = run / "cuts" / stage
    folder.mkdir(parents=True)
    for number, rows in enumerate(files):
        pq.write_table(pa.Table.from_pylist(rows, CUTS), folder / f"part-{number}.parquet")


def _write_pages(run: Path, number: int, unit: str, pages: list[Page]) -> None:
    path = run / f"documents/pass-{number}/alive=true/{unit}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_batches([to_batch(pages, [True] * len(pages))]), path)


@pytest.fixture
def run(tmp_path) -> Path:
    """Menus are cut from the pages of pass 0, repeats from those of pass 1, which begin after the menu."""
    first = [_page(n, f"{MENU}\n{MAIL if n < 3 else 'story'} {n}\n{LONG}", trail=2) for n in range(6)]
    second = [_page(n, page.text[len(MENU) + 1 :], trail=4) for n, page in enumerate(first)]
    for number, pages in ((0, first), (1, second)):
        _write_pages(tmp_path, number, "unit-00000", pages[:4])
        _write_pages(tmp_path, number, "unit-00001", pages[4:])
    units = [("unit-00000", second[:4]), ("unit-00001", second[4:])]
    menus = [[_cut(page, unit, 0, len(MENU), 6) for page in pages] for unit, pages in units]
    repeats = []
    for unit, pages in units:
        rows = []
        for page in pages:
            if page.text.startswith(MAIL) and page is not second[0]:
                rows.append(_cut(page, unit, 0, len(MAIL), 3, kept_id=0))
            start = page.text.index(LONG)
            if page is not second[0]:
                rows.append(_cut(page, unit, start, start + len(LONG), 6, kept_id=0))
        repeats.append(rows)
    _write(tmp_path, "menus", menus)
    _write(tmp_path, "repeats", repeats)
    return tmp_path


def test_counts_equal_a_plain_count_and_texts_are_those_the_stage_saw(run):
    menus, repeats = gather_cuts(run, STAGES)
    assert (menus.stage, menus.ranges, menus.pages, menus.chars) == ("menus", 6, 6, 6 * len(MENU))
    assert (repeats.stage, repeats.ranges, repeats.pages) == ("repeats", 7, 5)
    assert repeats.chars == 5 * len(LONG) + 2 * len(MAIL)
    assert [(p.copies, p.text) for p in menus.pieces] == [(6, MENU)]
    long, mail = repeats.pieces
    assert (long.copies, long.chars, long.text, long.cut) == (6, len(LONG), LONG.strip()[:PIECE_CHARS], True)
    assert (mail.copies, mail.chars, mail.cut) == (3, len(MAIL), False)


def test_personal_data_in_a_cut_is_masked(run):
    texts = [piece.text for cuts in gather_cuts(run, STAGES) for piece in cuts.pieces]
    assert "Write to email@example.com today" in texts
    assert not any("ann@" in text for text in texts)


def test_a_cut_through_the_middle_of_an_address_does_not_show_its_half(tmp_path):
    page = _page(1, "A line before\nWrite to ann@mail.example.org now\nand after", trail=2)
    _write_pages(tmp_path, 0, "unit-00000", [page])
    for number, end in enumerate(range(page.text.index("ann@"), page.text.index(" now"))):
        stage = f"menus{number}"
        _write(tmp_path, stage, [[_cut(page, "unit-00000", 0, end, 2)]])
    found = gather_cuts(tmp_path, [{"stage": "read"}, {"stage": "x"}, *({"stage": f"menus{n}"} for n in range(20))])
    assert len(found) > 12
    assert all("@mail" not in piece.text and "ann" not in piece.text for cuts in found for piece in cuts.pieces)


def test_a_piece_is_shown_alone_where_it_was_cut_alone(tmp_path):
    """Lines that stand together are one range with the copies of the most frequent of them."""
    texts = ["Home", "Home\n\n  Imprint", "Home\nHoroscopes", "Imprint\nHome", "Contact"]
    pages = [_page(n, text, trail=2) for n, text in enumerate(texts)]
    _write_pages(tmp_path, 0, "unit-00000", pages)
    copies = [9, 9, 9, 9, 7]
    _write(tmp_path, "menus", [[_cut(p, "unit-00000", 0, len(p.text), copies[n]) for n, p in enumerate(pages)]])
    (menus,) = gather_cuts(tmp_path, STAGES)
    assert [(p.copies, p.chars, p.text) for p in menus.pieces] == [(9, 4, "Home"), (7, 7, "Contact")]


def test_lines_of_a_piece_are_shown_in_one(tmp_path):
    page = _page(1, "Home\n\n  Imprint", trail=2)
    _write_pages(tmp_path, 0, "unit-00000", [page])
    _write(tmp_path, "menus", [[_cut(page, "unit-00000", 0, 15, 2)]])
    assert [(p.chars, p.text) for p in gather_cuts(tmp_path, STAGES)[0].pieces] == [(15, "Home / Imprint")]


def test_pages_that_are_gone_leave_counts_without_texts(run):
    whole = gather_cuts(run, STAGES)
    path = run / "documents/pass-1/alive=true/unit-00000.parquet"
    pq.write_table(pq.ParquetFile(path).read().slice(0, 0), path)
    menus, repeats = gather_cuts(run, STAGES)
    assert menus == whole[0]
    assert (repeats.ranges, len(whole[1].pieces), len(repeats.pieces)) == (7, 2, 1)
    assert repeats.pieces[0] == whole[1].pieces[0]


def test_stages_that_the_funnel_does_not_know_are_counted_only(run):
    counted = gather_cuts(run, STAGES[:1])
    assert {cuts.stage: (cuts.ranges, cuts.pieces) for cuts in counted} == {"menus": (6, []), "repeats": (7, [])}


def test_a_stage_that_cut_nothing_is_left_out(tmp_path):
    _write(tmp_path, "menus", [[]])
    assert gather_cuts(tmp_path, STAGES) == []
    assert gather_cuts(tmp_path / "nowhere", STAGES) == []


def test_the_report_shows_them_with_what_was_taken_out(run):
    stage = {
        "kind": "page", "pages_in": 6, "kept": 6, "dropped": 0, "failed": 0, "chars_in": 9999, "chars_out": 9927,
        "chars_dropped": 0, "chars_trimmed": 0, "reasons": [],
    }  # fmt: skip
    stages = [{**one, **stage, "chars_trimmed": 72 if one["stage"] == "menus" else 0} for one in STAGES]
    (run / "funnel.json").write_text(json.dumps({"stages": stages}))
    page = Cells(write_report(run).read_text(encoding="utf-8"))
    assert page.under("Repeated text")[1] == ["menus", "6", "6", "72", "72", "0"]
    assert page.under("Repeated most: menus")[1:] == [["6", "12", MENU]]
    assert page.under("Repeated most: repeats")[1][2].endswith("\u2026")


def test_a_cut_text_is_text_and_nothing_else(tmp_path):
    hostile = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
    page = _page(1, hostile, trail=2)
    _write_pages(tmp_path, 0, "unit-00000", [page])
    _write(tmp_path, "menus", [[_cut(page, "unit-00000", 0, len(hostile), 2)]])
    stage = dict.fromkeys(("pages_in", "kept", "dropped", "failed", "chars_in", "chars_out", "chars_dropped"), 1)
    stages = [{**one, **stage, "kind": "corpus", "chars_trimmed": 0} for one in STAGES]
    (tmp_path / "funnel.json").write_text(json.dumps({"stages": stages}))
    source = write_report(tmp_path).read_text(encoding="utf-8")
    assert "<script" not in source and "<img" not in source
    assert Cells(source).under("Repeated most: menus")[1:] == [["2", str(len(hostile)), hostile]]


ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5), st.integers(2, 6)), max_size=60)


@given(ROWS, st.integers(1, 7))
def test_pages_and_characters_do_not_depend_on_how_rows_lie_in_batches(rows, size):
    """Rows are sorted by page within a file, as they are written; pages of one file are in no other."""
    made = [_cut(_page(n, "", 1), "u", 0, length, copies) for n, length, copies in sorted(rows)]
    batch = pa.RecordBatch.from_pylist(made, CUTS)
    whole, parts = StageCuts("s"), StageCuts("s")
    whole.add(batch)
    for start in range(0, len(made), size):
        parts.add(batch.slice(start, size))
    assert whole == parts
    assert (whole.ranges, whole.pages) == (len(rows), len({n for n, _, _ in rows}))
    assert whole.chars == sum(length for _, length, _ in rows)


def test_the_most_frequent_pieces_are_shown_whatever_comes_later(tmp_path):
    texts = [f"line number {n:03d} of all" for n in range(200)]
    pages = [_page(n, text, trail=2) for n, text in enumerate(texts)]
    _write_pages(tmp_path, 0, "unit-00000", pages)
    copies = Counter({n: 2 + n * 37 % 199 for n in range(200)})
    _write(tmp_path, "menus", [[_cut(p, "unit-00000", 0, len(p.text), copies[n]) for n, p in enumerate(pages)]])
    (menus,) = gather_cuts(tmp_path, STAGES)
    assert [(p.text, p.copies) for p in menus.pieces] == [(texts[n], c) for n, c in copies.most_common(PIECES_SHOWN)]


def test_cuts_of_benchmark_text_are_no_repeats():
    """Decontamination writes no number of copies."""
    columns = {"doc_id": [1, 2], "unit": ["u", "u"], "start": [0, 5], "end": [4, 9], "kept_id": [None, 1]}
    cuts = StageCuts("s")
    types = {"doc_id": pa.int64(), "unit": pa.string(), "start": pa.int64(), "end": pa.int64(), "kept_id": pa.int64()}
    arrays = {name: pa.array(values, types[name]) for name, values in columns.items()}
    cuts.add(pa.record_batch({**arrays, "copies": pa.nulls(2, pa.int64())}))
    assert (cuts.ranges, cuts.pages, cuts.chars) == (0, 0, 0)
    cuts.add(pa.record_batch({**arrays, "copies": pa.array([None, 3], pa.int64())}))
    assert (cuts.ranges, cuts.pages, cuts.chars) == (1, 1, 4)
