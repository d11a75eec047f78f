"""Each mode on 200 pages with planted items: what it promises is found, with exact evidence, and nothing else."""

from __future__ import annotations

import pyarrow as pa
import pytest

from curation.decontaminate.index import hits
from curation.dedup.cuts import ranges_of
from curation.dedup.form import form_words
from curation.page import Drop, Page
from curation.report.benchmarks import count_states
from tests.decontaminate.planted import BOILERPLATE, HALVES, ITEMS, PAGES, SHORT, make_corpus

MODES = ["gpt3", "ngram_drop", "coverage", "paragraph"]
ALL = ("verbatim", "altered", "half", "boilerplate")
FINDS = {"gpt3": ALL[:3], "ngram_drop": ALL, "coverage": ALL[:3], "paragraph": ("verbatim", "altered", "boilerplate")}


@pytest.fixture(params=MODES)
def decided(request, corpus, stage_of, keys_of):
    """(mode, decision) of one mode over the whole corpus."""
    stage = stage_of(request.param)
    return request.param, stage.local_removals(keys_of(stage, corpus.pages()))


def item_name(number):
    return f"quiz.jsonl:{number + 1}"


def test_evidence_names_item_page_and_place_of_all_that_was_planted(decided, corpus):
    mode, decision = decided
    found = {(r["doc_id"], r["item"], r["start"], r["end"]) for r in decision.evidence["spans"].to_pylist()}
    planted = {
        (page, item_name(i), start, end) for page, i, manner, start, end in corpus.planted if manner in FINDS[mode]
    }
    assert found == planted


def test_ratio_is_the_share_of_the_item_that_the_page_holds(decided, corpus):
    mode, decision = decided
    length = {item_name(n): len(form_words(text)) for n, text in enumerate(corpus.questions)}
    for row in decision.evidence["spans"].to_pylist():
        words = form_words(corpus.texts[row["doc_id"]][row["start"] : row["end"]])
        assert row["ratio"] == pytest.approx(len(words) / length[row["item"]]), mode


def test_every_item_is_accounted_for(decided, corpus):
    mode, decision = decided
    (counts,) = count_states(decision.evidence["items"])
    frequent = 0 if "boilerplate" in FINDS[mode] else 1
    clean = 0 if "half" in FINDS[mode] else len(HALVES)
    assert counts == {
        "benchmark": "quiz", "items": ITEMS + SHORT + 1, "found": ITEMS + 1 - frequent - clean, "frequent": frequent,
        "clean": clean, "uncheckable": SHORT, "highest_ratio": 1.0,
    }  # fmt: skip


def test_frequent_ngrams_are_listed_with_their_words(decided, corpus):
    mode, decision = decided
    rows = decision.evidence["frequent"].to_pylist()
    assert bool(rows) == ("boilerplate" not in FINDS[mode])
    text = " ".join(form_words(corpus.questions[BOILERPLATE]))
    assert all(row["documents"] == 12 and row["words"] in text for row in rows)


@pytest.mark.parametrize(("most", "ignored"), [(12, False), (11, True)], ids=["at-the-limit", "above-the-limit"])
def test_ngrams_in_more_than_the_limit_are_ignored(corpus, stage_of, keys_of, most, ignored):
    stage = stage_of("ngram_drop", max_documents=most)
    decision = stage.local_removals(keys_of(stage, corpus.pages()))
    removed = set(decision.removals["doc_id"].to_pylist())
    assert bool(removed & corpus.pages_of("boilerplate")) != ignored
    assert bool(len(decision.evidence["frequent"])) == ignored


def test_pages_go_as_the_mode_promises(decided, corpus):
    mode, decision = decided
    removed = set(decision.removals["doc_id"].to_pylist())
    cut = set(decision.cuts["doc_id"].to_pylist())
    if mode == "gpt3":
        assert (removed, cut) == (set(), corpus.pages_of(*FINDS[mode]))
    elif mode == "coverage":  # of an item in two halves, one page is enough to bring the rest under the bound
        halves = removed & corpus.pages_of("half")
        assert removed - halves == corpus.pages_of("verbatim", "altered") and not cut
        assert len(halves) == len(HALVES)
    else:
        assert (removed, cut) == (corpus.pages_of(*FINDS[mode]), set())


def test_cut_pages_hold_no_item_and_keep_the_rest(corpus, stage_of, keys_of):
    stage = stage_of("gpt3")
    decision = stage.local_removals(keys_of(stage, corpus.pages()))
    spans = ranges_of(decision.cuts)
    cleaned = [
        Page(stage.cut(page.text, spans[page.doc_id]) if page.doc_id in spans else page.text, doc_id=page.doc_id)
        for page in corpus.pages()
    ]
    assert all(not isinstance(page.text, Drop) for page in cleaned)
    left = keys_of(stage, cleaned)
    assert set(left["doc_id"].to_pylist()) == corpus.pages_of("boilerplate")  # which is ignored
    page, _, _, start, end = corpus.planted[0]
    before, after = corpus.texts[page][: start - 200], corpus.texts[page][end + 200 :]
    assert cleaned[page].text == f"{before.strip()}\n\n{after.strip()}"


@pytest.mark.parametrize("mode", MODES)
def test_clean_corpus_gives_no_hit(mode, corpus, stage_of, keys_of):
    clean = make_corpus(planted=False)
    assert clean.questions == corpus.questions and len(clean.texts) == PAGES
    assert len(keys_of(stage_of(mode), clean.pages())) == 0


def test_a_hash_alone_accuses_no_page(corpus, stage_of, keys_of, monkeypatch):
    stage = stage_of("ngram_drop")
    index = stage.index()
    monkeypatch.setattr(type(index), "gram_words", lambda self, gram: ["other", "words"])
    assert len(keys_of(stage, corpus.pages()[:4])) == 0


def test_hits_of_a_page_equal_a_search_by_plain_python(corpus, stage_of):
    stage = stage_of("gpt3", ngram=5)
    items = [form_words(text) for text in corpus.questions]
    wanted = {tuple(words[k : k + 5]) for words in items for k in range(len(words) - 4)}
    texts = [corpus.texts[n] for n in (0, 32, 64, 65, 199)]
    for text, found in zip(texts, hits(pa.array(texts), stage.index()), strict=True):
        words = form_words(text)
        assert len(found) > 0 or text == texts[-1]
        expected = [gram for k in range(len(words) - 4) if (gram := tuple(words[k : k + 5])) in wanted]
        assert [tuple(form_words(text[hit.start : hit.end])) for hit in found] == expected
