"""The rule files in conf/rules: every name and setting exists, and every rule drops the text it was made for."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest
from rule_files import FILES, dropping_rules, measure_of, rules_of, value

from curation.page import Page

PROSE = (
    "The keeper of the light had to be awake before dawn, and he would have his tea with a biscuit that was older than "
    "the war. He wrote down the wind, the sea and the ships. Nobody had ever asked for the book, but he kept it as his "
    "father had kept it.\nOne morning in March a boat came out of the fog without a sound. There was no crew on board."
)


ALL = [(file, *rule) for file in FILES for rule in rules_of(file)]


@pytest.mark.parametrize(("file", "name", "dotted", "settings"), ALL, ids=[f"{a[0]}.{a[1]}" for a in ALL])
def test_rule_names_a_public_measure_with_its_settings(file, name, dotted, settings):
    module, function, measure = measure_of(dotted)
    assert function in import_module(f"curation.rules.{module}").__all__
    keywords = {p.name for p in inspect.signature(measure).parameters.values() if p.kind is p.KEYWORD_ONLY}
    assert set(settings) <= keywords | {"name", "min", "max"}
    assert {"min", "max"} & set(settings)
    assert all(type(settings[bound]) in (int, float) for bound in ("min", "max") if bound in settings)


@pytest.mark.parametrize("file", FILES)
def test_rule_names_of_a_file_are_unique(file):
    names = [name for name, _, _ in rules_of(file)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("file", "name", "dotted", "settings"), ALL, ids=[f"{a[0]}.{a[1]}" for a in ALL])
@pytest.mark.parametrize("text", ["", " \n\n\t", "...", "\ud83d\ude00"], ids=["empty", "blank", "dots", "odd"])
def test_every_measure_is_defined_on_pages_without_words(file, name, dotted, settings, text):
    assert 0 <= value(file, name, Page(text)) < float("inf")


@pytest.mark.parametrize("file", FILES)
def test_prose_passes_every_rule(file):
    assert dropping_rules(file, Page(PROSE, url="https://example.org/the-light")) == []


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("gopher_quality", ["word_count", "mean_word_length", "alphabetic_word_fraction", "stop_word_count"]),
        ("gopher_repetition", []),
        ("fineweb_quality", ["line_punctuation_fraction"]),
        ("refinedweb_url", []),
    ],
)
def test_what_drops_the_empty_page(file, expected):
    assert dropping_rules(file, Page("")) == expected


LONG = "antidisestablishmentarianism"
DROPPED = {
    "gopher_quality": {
        "word_count": "Page not found.",
        "mean_word_length": "the of " + f"{LONG} " * 60,
        "hash_to_word_ratio": PROSE + " #love #instagood" * 8,
        "ellipsis_to_word_ratio": PROSE.replace(" the ", " the... ").replace(" he ", " he\u2026 ") + " and..." * 6,
        "bullet_line_fraction": "\n".join(f"- {sentence}" for sentence in PROSE.replace("\n", " ").split(". ")),
        "ellipsis_line_fraction": PROSE.replace("of it.", "of it...").replace("board.", "board..."),
        "alphabetic_word_fraction": PROSE + " 12 + 30 = 42;" * 20,
        "stop_word_count": "Lorem ipsum dolor sit amet consectetur adipiscing elit sed eiusmod tempor. " * 6,
    },
    "gopher_repetition": {
        "duplicate_paragraph_fraction": f"{PROSE}\n\nBuy now\n\nBuy now\n\nBuy now\n\nBuy now",
        "duplicate_paragraph_character_fraction": f"{PROSE}\n\n{PROSE}",
        "duplicate_line_fraction": f"{PROSE}\n" + "Reply\n" * 4,
        "duplicate_line_character_fraction": f"{PROSE}\n{PROSE}",
        "top_2gram_character_fraction": "cheap shoes here, cheap shoes there, " * 20,
        "top_3gram_character_fraction": "my red car and then some " * 20,
        "top_4gram_character_fraction": "terms and conditions may sometimes apply " * 20,
        **{f"duplicate_{n}gram_character_fraction": PROSE + " And so on. " + PROSE for n in range(5, 11)},
    },
    "fineweb_quality": {
        "line_punctuation_fraction": "A page of nothing but headings without any stop at their end\n" * 3,
        "short_line_fraction": "Flour.\nEggs.\nMilk.\nMix all of it in a large bowl until it is smooth.",
        "duplicate_line_character_fraction": f"Share this.\n{PROSE}\nShare this.",
        "newline_word_ratio": "Yes\nNo\nMaybe\nWho knows what will happen",
    },
}


@pytest.mark.parametrize(
    ("file", "rule", "text"),
    [(file, rule, text) for file, texts in DROPPED.items() for rule, text in texts.items()],
    ids=[f"{file}.{rule}" for file, texts in DROPPED.items() for rule in texts],
)
def test_text_that_a_rule_was_made_for_is_dropped_by_it(file, rule, text):
    assert rule in dropping_rules(file, Page(text))


def test_every_text_rule_has_its_memorable_text():
    assert {f: [name for name, _, _ in rules_of(f)] for f in DROPPED} == {f: list(t) for f, t in DROPPED.items()}


@pytest.mark.parametrize(
    ("rule", "address"),
    [
        ("listed_domain_count", "https://www.listed-domain.example/a"),
        ("listed_host_count", "https://listed-blog.platform.example/a"),
        ("listed_url_count", "https://platform.example/listed-page"),
        ("hard_word_count", "https://site.org/viagra"),
        ("soft_word_count", "https://site.org/poker-and-casino"),
        ("banned_subword_count", "https://best-on-line-poker.org/"),
    ],
)
def test_address_that_a_rule_was_made_for_is_dropped_by_it(rule, address):
    assert dropping_rules("refinedweb_url", Page(PROSE, url=address)) == [rule]
