"""Claims: Llama 3's rule cuts exactly the lines seen more than six times in a bucket; menus and banners of real pages

vanish, and their articles stay.

    python benchmarks/lines.py [--pages 20000] [--real FOLDER] [--real-pages 4000] [--check]

FOLDER holds snapshots/ with crawls of real pages, and gold/articles.jsonl.gz with what people took for their articles.
All visible text of the pages is taken, so that menus are there. Ten pages are shown with the lines they lose. The peer
in the same run is CCNet's manner: all copies of a line seen elsewhere, case, digits and marks aside. Times are those
of the processor, one core. The last line is one JSON object; --check exits 1 where a claim fails.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
from real_pages import real_pages

from curation.dedup.cuts import Ranges, ranges_of
from curation.dedup.cutting import Pieces
from curation.dedup.repeats import FREQUENT, lines
from curation.document import to_batch
from curation.page import Page
from curation.text import words

SHOWN = 10
PLANTED = (1, 2, 5, 6, 7, 8, 50, 1000)  # copies of lines in the made bucket, 20 lines of each
BOILERPLATE = ("cookie", "privacy", "contact", "about us", "home", "impressum", "datenschutz", "login", "log in")
MOST_OF_ARTICLE = 0.01  # of the words of articles that may go: bylines, lists of one word a line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--real", type=Path)
    parser.add_argument("--real-pages", type=int, default=4000)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    result = {"bucket": made_bucket(arguments.pages)}
    if arguments.real:
        result["real"] = on_real_pages(arguments.real, arguments.real_pages)
    print(json.dumps(result))
    if arguments.check and not held(result):
        sys.exit(1)


def held(result: dict) -> bool:
    real = result.get("real")
    exact = result["bucket"]["lines_missed"] == result["bucket"]["lines_cut_besides"] == 0
    if real is None:
        return exact
    vanished = real["frequent_lines_left"] == 0 and real["boilerplate_lines_cut"] > 0
    return exact and vanished and real["share_of_articles_cut"] <= MOST_OF_ARTICLE


def made_bucket(count: int) -> dict:
    """Pages of lines of their own, among them lines with known numbers of copies, some twice on a page."""
    random = np.random.default_rng(11)
    texts = [[f"line {number} of page {page}" for number in range(20)] for page in range(count)]
    expected = 0
    for copies in PLANTED:
        for number in range(20):
            for page in random.integers(0, count, copies):
                texts[page].insert(int(random.integers(0, 20)), f"planted {copies} times, {number}")
            expected += copies * (copies > FREQUENT)
    pages = [Page("\n".join(text), doc_id=number) for number, text in enumerate(texts)]
    ranges, figures = cut(lines(name="lines"), pages)
    gone = [line for page in pages for a, b in ranges.get(page.doc_id, ()) for line in page.text[a:b].splitlines()]
    right = sum(line.startswith("planted") and int(line.split()[1]) > FREQUENT for line in gone)
    return {
        "pages": count,
        "lines_expected": expected,
        "lines_missed": expected - right,
        "lines_cut_besides": len(gone) - right,
        **figures,
    }


def on_real_pages(root: Path, most: int) -> dict:
    pages = real_pages(root / "snapshots", most)
    for number, page in enumerate(pages):
        page.doc_id = number
    frequent = lines(name="lines")
    elsewhere = lines(name="lines", remove="seen_elsewhere", compare="form")
    ranges, figures = cut(frequent, pages)
    others, _ = cut(elsewhere, pages)
    show(pages, ranges)
    left = Counter(line.strip() for page in pages for line in left_of(frequent, page, ranges).split("\n"))
    gone = [line for p in pages for a, b in ranges.get(p.doc_id, ()) for line in p.text[a:b].lower().split("\n")]
    total = sum(len(page.text) for page in pages)
    articles = read_articles(root / "gold" / "articles.jsonl.gz")
    return {
        "pages": len(pages),
        "pages_cut": len(ranges),
        "frequent_lines_left": sum(copies > FREQUENT for line, copies in left.items() if line),
        "boilerplate_lines_cut": sum(any(word in line for word in BOILERPLATE) for line in gone),
        "share_of_characters_cut": round(size_of(ranges) / total, 3),
        "share_of_articles_cut": share_of_articles_cut(articles, frequent, pages, ranges),
        "ccnet_share_of_characters_cut": round(size_of(others) / total, 3),
        "ccnet_share_of_articles_cut": share_of_articles_cut(articles, elsewhere, pages, others),
        **figures,
    }


def read_articles(path: Path) -> dict[str, str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return {row["url"]: row["gold_text"] for row in map(json.loads, file)}


def share_of_articles_cut(
    articles: dict[str, str], stage: Pieces, pages: list[Page], ranges: dict[int, Ranges]
) -> float:
    """Of the words of articles that are in the pages, those that are no longer; each as often as it stands."""
    before = after = 0
    for page in pages:
        if page.url in articles:
            article = Counter(words(articles[page.url]))
            before += (article & Counter(words(page.text))).total()
            after += (article & Counter(words(left_of(stage, page, ranges)))).total()
    return round(1 - after / before, 4)


def show(pages: list[Page], ranges: dict[int, Ranges]) -> None:
    """Ten pages, spread over those that lose most lines with a word of menus and banners in them."""
    lost = {p.doc_id: "".join(p.text[a:b] for a, b in ranges.get(p.doc_id, ())) for p in pages}
    menu_words = {doc_id: sum(text.lower().count(word) for word in BOILERPLATE) for doc_id, text in lost.items()}
    best = sorted(pages, key=lambda page: (-menu_words[page.doc_id], page.doc_id))
    seen: set[str] = set()
    for page in best:
        if page.host in seen:
            continue
        seen.add(page.host)
        some = " | ".join(line.strip() for line in lost[page.doc_id].split("\n") if line.strip())
        print(f"{page.url}\n  {len(lost[page.doc_id])} of {len(page.text)} characters cut: {some[:300]}")
        if len(seen) == SHOWN:
            return


def left_of(stage: Pieces, page: Page, ranges: dict[int, Ranges]) -> str:
    left = stage.cut(page.text, ranges[page.doc_id]) if page.doc_id in ranges else page.text
    return left if isinstance(left, str) else ""


def size_of(ranges: dict[int, Ranges]) -> int:
    return sum(end - start for each in ranges.values() for start, end in each)


def cut(stage: Pieces, pages: list[Page]) -> tuple[dict[int, Ranges], dict]:
    batch = to_batch(pages)
    stage.keys(batch.slice(0, 1), "warm")
    start = time.process_time()
    keys = pa.Table.from_batches([stage.keys(batch, "unit")])
    keyed = time.process_time()
    cuts = stage.local_removals(keys).cuts
    done = time.process_time()
    megabytes = sum(len(page.text.encode()) for page in pages) / 1e6
    return ranges_of(cuts), {
        "megabytes": round(megabytes, 1),
        "keys_mb_per_second": round(megabytes / (keyed - start), 1),
        "whole_mb_per_second": round(megabytes / (done - start), 1),
        "key_bytes_per_text_byte": round(keys.nbytes / 1e6 / megabytes, 2),
    }


if __name__ == "__main__":
    main()
