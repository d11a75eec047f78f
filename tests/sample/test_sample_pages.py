"""The pages as HTML: extractors find the main text and nothing of the boilerplate."""

from __future__ import annotations

from collections import Counter

import pytest
import trafilatura
from resiliparse.extract.html2text import extract_plain_text

from curation.sample.author import LANGUAGES
from curation.sample.html import page, site
from curation.sample.world import World


def _trafilatura(html: str) -> str:
    return trafilatura.extract(html, favor_precision=True, include_comments=False) or ""


def _resiliparse(html: str) -> str:
    return extract_plain_text(html, main_content=True)


@pytest.mark.parametrize("extract", [_trafilatura, _resiliparse], ids=["trafilatura", "resiliparse"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_extractors_bring_the_main_text_through_without_banners(language, extract):
    world, counts = World(11), Counter()
    for _ in range(12):
        planted = world.plant("good", world.article(language), "DEMO-2024-10")
        text = extract(planted.capture.body.decode())
        counts["paragraphs"] += len(planted.truth.paragraphs)
        counts["found"] += sum(paragraph in text for paragraph in planted.truth.paragraphs)
        counts["leaks"] += sum(piece in text for piece in planted.truth.boilerplate)
        assert planted.site.cookie not in text
    assert counts["found"] >= 0.95 * counts["paragraphs"]
    assert counts["leaks"] == 0


def test_boilerplate_named_in_the_truth_stands_on_the_page():
    world = World(3)
    planted = world.plant("good", world.article("en"), "DEMO-2024-10")
    assert len(planted.truth.boilerplate) >= 5
    assert all(piece in planted.capture.body.decode() for piece in planted.truth.boilerplate)


def test_two_sites_share_no_boilerplate_about_themselves():
    world = World(5)
    one, other = site("en", 1, world.rng("a")), site("en", 2, world.rng("b"))
    assert one.host != other.host
    shown = [page(each, "Title", "<p>text</p>", world.rng("page", each.host)) for each in (one, other)]
    assert shown[0].boilerplate != shown[1].boilerplate


def test_arabic_pages_run_from_right_to_left():
    world = World(5)
    assert b'dir="rtl"' in world.plant("good", world.article("ar"), "DEMO-2024-10").capture.body
