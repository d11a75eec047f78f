"""A page that hangs, crashes or fills memory costs itself; the same page gives the same text whatever came before."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

from curation.errors import SetUpError
from curation.extract import engines, resiliparse, trafilatura
from curation.extract.guard import ExtractionFailed, Guard
from curation.page import Page
from curation.stage import extract

PROSE = [
    f"<p>The {name} came into the harbour before noon, and the whole town was there to see it, with a band.</p>"
    for name in ("Albatross", "Bonaventure", "Curlew", "Dolphin", "Erebus", "Fortuna")
]


def article(number):
    paragraphs = "".join(PROSE[number % 6 :] + PROSE[: number % 6])
    return f"<html><body><nav>Home</nav><article><h1>Day {number}</h1>{paragraphs}</article></body></html>"


ENGINES = pytest.mark.parametrize("engine", [trafilatura, resiliparse], ids=lambda engine: engine.__name__)


def fate(html, engine=trafilatura, **settings):
    page = Page(html=html)
    extract("main_text", lambda h: engine(h, **settings)).run([page])
    return page.dropped_by


@ENGINES
def test_same_page_gives_the_same_text_whatever_came_before(engine):
    first = {n: engine(article(n)) for n in range(6)}
    assert all(len(text) > 200 for text in first.values())
    order = [n for n in range(6) for _ in range(10)]
    random.Random(3).shuffle(order)
    assert all(engine(article(n)) == first[n] for n in order)


def test_child_gives_the_text_that_the_libraries_give_here():
    direct = engines.trafilatura_in_process(article(0), favor="precision", fast=False)
    assert trafilatura(article(0)) == direct
    direct = engines.resiliparse_in_process(article(0), main_content=True, links=False, alt_texts=False)
    assert resiliparse(article(0)) == direct


@ENGINES
@pytest.mark.parametrize(
    "html",
    ["", "<html></html>", "<div>" * 10_000 + "deep" + "</div>" * 10_000,
     "<table><tr><td colspan=9000000000000000>x</td></tr></table>", "\x00\x01 <p>\ufffe", "\ud800<p>\udc00",
     "<p>" + "x" * 10_000_000],
    ids=["empty", "no body", "nested 10,000 deep", "colspan 9e15", "control characters", "unpaired surrogates",
         "10 MB line"],
)  # fmt: skip
def test_odd_page_has_text_or_a_fate_and_the_next_page_is_read(html, engine):
    fates = (None, *(f"main_text.{rule}" for rule in ("no_text", "memory", "error", "crash")))
    assert fate(html, engine) in fates
    assert "harbour" in engine(article(1))


@pytest.mark.parametrize(
    "html",
    ["<div>" * 100_000 + "deep", "<p " + " ".join(f"a{i}=1" for i in range(100_000)) + ">x"],
    ids=["nested 100,000 deep", "100,000 attributes"],
)
def test_page_on_which_the_fast_engine_hangs_is_given_up(html):
    started = time.monotonic()
    assert fate(html, resiliparse, deadline_seconds=1.0) == "main_text.timeout"
    assert time.monotonic() - started < 30  # the start of a child included
    assert "harbour" in resiliparse(article(1), deadline_seconds=1.0)


def test_page_that_takes_too_long_is_given_up_and_the_next_page_is_read():
    started = time.monotonic()
    rows = "<table>" + "<tr><td>x</td></tr>" * 1_000_000 + "</table>"
    assert fate(rows, deadline_seconds=1.0) == "main_text.timeout"
    assert time.monotonic() - started < 30  # the start of a child included
    assert "harbour" in trafilatura(article(1), deadline_seconds=1.0)


def stand_in(monkeypatch, tmp_path, body):
    """A guard whose child serves an engine written for the test."""
    module = tmp_path / "sitecustomize.py"
    module.write_text(
        "import curation.extract.engines as engines\n"
        f"def stand_in(html):\n    import os, signal, time\n{body}\n"
        "engines.IN_PROCESS['stand_in'] = stand_in\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return Guard("stand_in", {}, deadline_seconds=5, address_space=1 << 30, recycle_pages=3)


def test_crash_of_the_child_costs_its_page_only(monkeypatch, tmp_path):
    guard = stand_in(
        monkeypatch, tmp_path,
        "    if 'crash' in html: os.kill(os.getpid(), signal.SIGSEGV)\n    return html.upper()",
    )  # fmt: skip
    assert guard.text("a") == "A"
    with pytest.raises(ExtractionFailed, match=f"code -{int(signal.SIGSEGV)}") as caught:
        guard.text("crash")
    assert caught.value.rule == "crash"
    assert guard.text("b") == "B"
    guard.close()


def test_page_that_wants_more_memory_than_allowed_fails_alone(monkeypatch, tmp_path):
    guard = stand_in(
        monkeypatch, tmp_path, "    return 'x' * (4 << 30) if 'huge' in html else 'small'"
    )  # fmt: skip
    with pytest.raises(ExtractionFailed, match="1024 MiB") as caught:
        guard.text("huge")
    assert caught.value.rule == "memory"
    assert guard.text("other") == "small"
    guard.close()


def test_child_is_replaced_after_a_page_that_broke_it(monkeypatch, tmp_path):
    guard = stand_in(
        monkeypatch, tmp_path, "    if html == 'bad': raise ValueError('odd')\n    return str(os.getpid())"
    )  # fmt: skip
    before = guard.text("good")
    with pytest.raises(ExtractionFailed, match="ValueError: odd") as caught:
        guard.text("bad")
    assert caught.value.rule == "error"
    assert guard.text("good") != before
    guard.close()


def test_child_is_replaced_after_its_number_of_pages(monkeypatch, tmp_path):
    guard = stand_in(monkeypatch, tmp_path, "    return str(os.getpid())")
    pids = [guard.text("x") for _ in range(7)]
    assert [len(set(pids[i : i + 3])) for i in (0, 3)] == [1, 1]
    assert len(set(pids)) == 3
    guard.close()


def test_child_that_cannot_start_fails_the_task_not_the_page(monkeypatch, tmp_path):
    guard = stand_in(monkeypatch, tmp_path, "    raise SystemExit(3)")
    with pytest.raises(SetUpError, match="does not start"):
        extract("main_text", guard.text).run([Page(html="x")])


def test_child_dies_with_its_worker(monkeypatch, tmp_path):
    guard = stand_in(monkeypatch, tmp_path, "    return str(os.getpid())")
    pid = int(guard.text("x"))
    guard.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
