"""Claims: of a sentence planted in thousands of pages all copies but one are cut, and nothing else; on real pages

every repeat that a suffix array finds is found.

    python benchmarks/substrings.py [--pages 6000] [--real FOLDER] [--real-pages 2000] [--check]

FOLDER holds snapshots/ with crawls of real pages; without it the second half is left out. The peer is
a suffix array over the words of the same texts in the same run (benchmarks/suffix_array.py). Times are those of the
processor, one core, so that busy neighbours do not count. The last line is one JSON object. --check exits 1 where a
claim fails.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from minhash_speed import english_words, made_texts
from real_pages import real_pages
from suffix_array import numbered_words, repeated_places

from curation.dedup.cuts import ranges_of
from curation.dedup.repeats import substrings
from curation.document import to_batch
from curation.page import Page
from curation.text import words

LENGTH = 50
SENTENCE_WORDS = 61  # as in C4 (Lee et al., arXiv 2107.06499), where it stands more than 60,000 times
MEGABYTES = 30  # of made pages, of about 500 words each


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=6000)
    parser.add_argument("--real", type=Path)
    parser.add_argument("--real-pages", type=int, default=2000)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    cut([Page("warm " * 200, doc_id=1)])  # compiles, or reads the compiled code
    result = {"planted": planted(arguments.pages)}
    if arguments.real:
        result["real"] = against_suffix_array(real_pages(arguments.real / "snapshots", arguments.real_pages))
    print(json.dumps(result))
    if arguments.check and not held(result):
        sys.exit(1)


def held(result: dict) -> bool:
    one, real = result["planted"], result.get("real")
    planted_right = one["copies_left"] == 1 and one["pages_changed_otherwise"] == 0
    return planted_right and (real is None or real["words_missed"] == real["words_cut_besides"] == 0)


def planted(count: int) -> dict:
    """The sentence between two sentences of every page: which pages come out as if it had never stood there."""
    random = np.random.default_rng(7)
    stock = [word for word in english_words() if len(word) > 4]  # "dr." is no end of a sentence
    sentence = " ".join(random.choice(stock, SENTENCE_WORDS)).capitalize() + "."
    made = [text.rpartition(". ")[0] for text in made_texts(MEGABYTES, stock)]  # the last sentence can be one word
    texts = list(dict.fromkeys(made))[:count]
    assert len(texts) == count, f"only {len(texts)} different pages are made; ask for fewer with --pages"
    pages = []
    for number, text in enumerate(texts):
        sentences = text.split(". ")
        at = int(random.integers(0, len(sentences) + 1))
        pages.append(Page(". ".join([*sentences[:at], sentence[:-1], *sentences[at:]]) + ".", doc_id=number))
    ranges, figures = cut(pages)
    stage = substrings(name="substrings", length=LENGTH)
    left = [stage.cut(p.text, ranges[p.doc_id]) if p.doc_id in ranges else p.text for p in pages]
    wrong = sum(words(a) != words(b) for a, b in zip(left[1:], texts[1:], strict=True)) + (left[0] != pages[0].text)
    copies = sum(sentence[:-1] in text for text in left)
    return {"pages": count, "copies_left": copies, "pages_changed_otherwise": wrong, **figures}


def against_suffix_array(pages: list[Page]) -> dict:
    """Words of real pages that are cut, and those that the suffix array wants cut."""
    for number, page in enumerate(pages):
        page.doc_id, page.date = number, ""
    ranges, figures = cut(pages)
    start = time.process_time()
    symbols, starts = numbered_words([page.text for page in pages])
    every, wanted = repeated_places(symbols, starts, LENGTH)
    seconds = time.process_time() - start
    found = np.zeros(len(symbols), dtype=bool)
    for page, first in zip(pages, starts, strict=True):
        at = 0
        for number, word in enumerate(words(page.text)):
            at = page.text.index(word, at)
            found[first + number] = any(a <= at < b for a, b in ranges.get(page.doc_id, ()))
            at += len(word)
    return {
        "pages": len(pages),
        "words": len(symbols) - len(pages),
        "words_in_repeats": int(every.sum()),
        "words_to_cut": int(wanted.sum()),
        "words_missed": int((wanted & ~found).sum()),
        "words_cut_besides": int((found & ~wanted).sum()),
        "suffix_array_seconds": round(seconds, 1),
        "times_suffix_array": round(seconds / figures["seconds"], 1),
        **figures,
    }


def cut(pages: list[Page]) -> tuple[dict[int, list[tuple[int, int]]], dict]:
    """The cuts of the stage on one core, and how fast each side of it was, in MB (10^6 bytes of UTF-8) per second."""
    batch = to_batch(pages)
    stage = substrings(name="substrings", length=LENGTH).with_texts(lambda unit: iter([batch]))
    start = time.process_time()
    keys = pa.Table.from_batches([stage.keys(batch, "unit")])
    signed = time.process_time()
    cuts = stage.local_removals(keys).cuts
    done = time.process_time()
    megabytes = sum(len(page.text.encode()) for page in pages) / 1e6
    return ranges_of(cuts), {
        "megabytes": round(megabytes, 1),
        "fingerprints_mb_per_second": round(megabytes / (signed - start), 1),
        "whole_mb_per_second": round(megabytes / (done - start), 1),
        "seconds": round(done - start, 2),
        "key_bytes_per_text_byte": round(keys.nbytes / 1e6 / megabytes, 3),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }


if __name__ == "__main__":
    main()
