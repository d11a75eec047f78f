"""FineWeb2 in scripts of all kinds: prose is kept, and each page that goes has a reason that fits it."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from curation.models import find_model
from curation.page import Page
from curation.read.inputs import list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.recipe.load import load_recipe
from curation.sample.author import Author, topics
from curation.stage import PageStage, extract, run_stages

LANGUAGES = ("de", "zh", "ja", "th", "ar", "ru", "fr", "es")


def page_stages():
    """What FineWeb2 decides on text: language, filters, repairs. Addresses and near-duplicates are tested elsewhere."""
    return [
        s for s in load_recipe("fineweb2").stages if isinstance(s, PageStage) and s.name not in ("url", "main_text")
    ]


@pytest.fixture(scope="module")
def stages():
    find_model("lid.176.ftz")
    return page_stages()


@pytest.mark.parametrize("language", LANGUAGES)
def test_article_of_prose_is_kept_as_it_is(stages, language):
    about = topics(language)
    articles = [Author(language, about[n % len(about)], random.Random(n)).article() for n in range(8)]
    pages = [Page("\n".join(article.paragraphs)) for article in articles]
    texts = [page.text for page in pages]
    run_stages(stages, pages)
    assert [page.dropped_by for page in pages] == [None] * 8
    assert [page.text for page in pages] == texts


# language -> (text, how often it stands there, the rule that drops it): buy now, home / about us, most popular goods
JUNK = {
    "de": ("Jetzt kaufen\nIn den Warenkorb\n", 60, "duplicate_line_fraction"),
    "zh": ("\u9996\u9875 \u5173\u4e8e\u6211\u4eec\n\u65b0\u95fb \u4ea7\u54c1\n", 40, "duplicate_line_fraction"),
    "ja": ("\u5927\u4eba\u6c17\u306e\u5546\u54c1\u3092\u8cb7\u3046\u3002", 60, "top_2gram_character_fraction"),
    "th": ("\u0e0b\u0e37\u0e49\u0e2d\u0e27\u0e31\u0e19\u0e19\u0e35\u0e49 ", 80, "top_2gram_character_fraction"),
    "ar": (
        "\u0627\u0634\u062a\u0631 \u0627\u0644\u0622\u0646 \u0645\u0646\u0627. ",
        60,
        "top_2gram_character_fraction",
    ),
}


@pytest.mark.parametrize("language", JUNK)
def test_junk_goes_by_the_rule_made_for_it_in_every_script(language):
    text, times, rule = JUNK[language]
    quality = next(stage for stage in page_stages() if stage.name == "quality")
    page = Page(text * times, language=language)
    quality.run([page])
    assert page.dropped_by == f"quality.{rule}"


@pytest.mark.parametrize(
    ("text", "fate"),
    [
        ("Kontakt", "wanted_language.too_short_to_label"),
        ("\u8054\u7cfb\u6211\u4eec", "wanted_language.too_short_to_label"),
        ("The keeper of the light had to be awake before dawn.", "wanted_language.unsupported_language"),
        (
            "Majakanvartijan piti her\u00e4t\u00e4 ennen aamunkoittoa ja kirjoittaa.",
            "wanted_language.unsupported_language",
        ),
    ],
)
def test_page_without_bounds_for_its_language_says_so(stages, text, fate):
    page = Page(text)
    run_stages(stages, [page])
    assert page.dropped_by == fate


# Article 1 of the Universal Declaration of Human Rights, or words like it.
DECLARATION = {
    "vi": (
        "T\u1ea5t c\u1ea3 m\u1ecdi ng\u01b0\u1eddi sinh ra \u0111\u1ec1u \u0111\u01b0\u1ee3c t\u1ef1 do "
        "v\u00e0 b\u00ecnh \u0111\u1eb3ng v\u1ec1 nh\u00e2n ph\u1ea9m v\u00e0 quy\u1ec1n l\u1ee3i."
    ),
    "ko": (
        "\ubaa8\ub4e0 \uc778\uac04\uc740 \ud0dc\uc5b4\ub0a0 \ub54c\ubd80\ud130 \uc790\uc720\ub85c\uc6b0\uba70 "
        "\uadf8 \uc874\uc5c4\uacfc \uad8c\ub9ac\uc5d0 \uc788\uc5b4 \ub3d9\ub4f1\ud558\ub2e4."
    ),
    "hi": (
        "\u0938\u092d\u0940 \u092e\u0928\u0941\u0937\u094d\u092f\u094b\u0902 \u0915\u094b "
        "\u0917\u094c\u0930\u0935 \u0914\u0930 \u0905\u0927\u093f\u0915\u093e\u0930\u094b\u0902 \u0915\u0947 "
        "\u092e\u093e\u092e\u0932\u0947 \u092e\u0947\u0902 \u091c\u0928\u094d\u092e\u091c\u093e\u0924 "
        "\u0938\u094d\u0935\u0924\u0928\u094d\u0924\u094d\u0930\u0924\u093e \u0914\u0930 "
        "\u0938\u092e\u093e\u0928\u0924\u093e \u092a\u094d\u0930\u093e\u092a\u094d\u0924 \u0939\u0948\u0964"
    ),
    "tr": (
        "B\u00fct\u00fcn insanlar h\u00fcr, haysiyet ve haklar bak\u0131m\u0131ndan e\u015fit do\u011farlar; "
        "ak\u0131l ve vicdan ile bir arada olan bu insanlar."
    ),
    "pl": (
        "Wszyscy ludzie rodz\u0105 si\u0119 wolni i r\u00f3wni pod wzgl\u0119dem swej godno\u015bci i swych "
        "praw. Nie s\u0105 oni na to zdani przez nikogo."
    ),
}


@pytest.mark.parametrize("language", DECLARATION)
def test_sentence_has_the_words_its_language_asks_for(language):
    quality = next(stage for stage in page_stages() if stage.name == "quality")
    rules = {rule.name: rule for rule in quality.rules_for(language)}
    page = Page(DECLARATION[language])
    for name in ("mean_word_length", "alphabetic_word_fraction", "stop_word_count"):
        assert rules[name].passes(rules[name].measure(page)), (name, rules[name].measure(page))


@pytest.mark.real
def test_real_pages_in_five_scripts_are_kept_for_the_most_part_and_dropped_for_known_reasons(real_data, stages):
    """Pages of at least 100 letters that lid.176 is sure of, all visible text of the main content by resiliparse."""
    from curation.extract.engines import resiliparse

    root = real_data / "snapshots" / "REAL-2024-10"
    inputs = list_inputs(str(root), source="web", snapshots=("REAL-2024-10",), files=2)
    fates: dict[str, Counter] = {}
    for split in plan_splits(inputs, 1 << 30):
        for page in read_pages(split, SplitReport(split)):
            if not page.alive or page.html is None:
                continue
            run_stages([extract("main_text", resiliparse), *stages], [page])
            fates.setdefault(page.language, Counter())[page.dropped_by] += 1
    known = {None, *(f"quality.{rule.name}" for rule in next(s for s in stages if s.name == "quality").every_rule)}
    known |= {f"wanted_language.{name}" for name in ("too_short_to_label", "language_score", "unsupported_language")}
    assert "error" not in str(fates)
    for language in ("de", "zh", "ja", "ar"):
        assert set(fates[language]) <= known
        assert fates[language][None] >= 0.4 * fates[language].total(), fates[language]
