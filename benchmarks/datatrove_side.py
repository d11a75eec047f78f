"""What datatrove's filters decide on texts, and how long they take. Runs in datatrove's own environment.

    python datatrove_side.py GIVEN.json

GIVEN: {"texts": [...], "tokens": null or a list of tokens for each text, fed to the filters instead of spaCy's}.
It prints, as JSON: {"version", "decisions": {family: [[kept, reason], ...]}, "c4_texts", "c4_sentences", "tokens",
"seconds"}.

Seconds are those of the process, for one pass over all texts; a text's words are cut once (datatrove keeps those of the
last five texts and sentences, so C4, which cuts sentences, comes last). `words` is the cutting alone, measured apart;
the first family's time holds it too.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

from datatrove.data import Document
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
    c4_filters,
    fineweb_quality_filter,
    gopher_quality_filter,
    gopher_repetition_filter,
)
from datatrove.utils.text import split_into_parts, split_into_words

FAMILIES = {  # FineWeb's settings: C4 without the rule on terminal punctuation, all else by default
    "gopher_repetition": GopherRepetitionFilter(),
    "gopher_quality": GopherQualityFilter(),
    "fineweb_quality": FineWebQualityFilter(),
    "c4": C4QualityFilter(filter_no_terminal_punct=False),
}
WORD_USERS = (gopher_repetition_filter, gopher_quality_filter, fineweb_quality_filter)


def main(given_file: str) -> None:
    with open(given_file, encoding="ascii") as file:
        given = json.load(file)
    texts = given["texts"]
    for text in texts[:20]:  # loads the tokenizer, fills caches
        decide(text, dict.fromkeys(FAMILIES, 0.0))
    split_into_parts.cache_clear()
    start = time.process_time()
    tokens = [split_into_words(text) for text in texts]
    words_seconds = time.process_time() - start
    split_into_parts.cache_clear()
    if given["tokens"]:
        feed(dict(zip(texts, given["tokens"], strict=True)))
    seconds = dict.fromkeys(FAMILIES, 0.0)
    results = [decide(text, seconds) for text in texts]
    out = {
        "version": version("datatrove"),
        "tokenizer": f"spacy {version('spacy')}",
        "decisions": {family: [result[family] for result in results] for family in FAMILIES},
        "c4_texts": [result["c4_text"] for result in results],
        "c4_sentences": [sentences(text) for text in texts],
        "tokens": tokens,
        "seconds": {**seconds, "words": words_seconds},
    }
    print(json.dumps(out))


def decide(text: str, seconds: dict[str, float]) -> dict:
    result = {}
    for family, rules in FAMILIES.items():
        document = Document(text=text, id="")
        start = time.process_time()
        decision = rules.filter(document)
        seconds[family] += time.process_time() - start
        result[family] = [True, ""] if decision is True else [False, decision[1]]
        result["c4_text"] = document.text  # C4 comes last
    return result


def sentences(text: str) -> int:
    """Sentences that C4's filter counts in the lines it keeps, whatever page rules say."""
    counted = 0
    original = c4_filters.split_into_sentences

    def count(line, language):
        nonlocal counted
        found = original(line, language)
        counted += len(found)
        return found

    c4_filters.split_into_sentences = count
    FAMILIES["c4"].filter(Document(text=text, id=""))
    c4_filters.split_into_sentences = original
    return counted


def feed(tokens: dict[str, list[str]]) -> None:
    for module in WORD_USERS:
        module.split_into_words = lambda text, language: tokens[text]


if __name__ == "__main__":
    main(*sys.argv[1:])
