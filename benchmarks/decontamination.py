"""Claim: pages are searched for benchmark n-grams a hundred times faster than by datatrove, and the same are found.

    python benchmarks/decontamination.py [--megabytes 40] [--items 20000] [--file texts.txt] [--check]

Texts are made (words by Zipf's law) or, with --file, the lines of a file. Items of 60 words are made from the same
vocabulary; 20 of them are planted into 20 texts. Both sides look for 12-grams in one run on one core: ours from an
Arrow column to verified hits with their places, datatrove's filter on a share of the texts (it is slow), in an
environment of its own, with an index of the same items that its own functions made. Seconds are those of the
processor, so that neighbours on the machine do not count. The last line printed is one JSON object. --check exits 1
where a planted text is missed by us, one without an item is accused, or datatrove disagrees.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from minhash_speed import english_words, made_texts, read_texts, size
from peers import DATATROVE, peer_python, run_peer

from curation.decontaminate.index import Index, build_index, hits
from curation.decontaminate.items import PARTS, Items

NGRAM, ITEM_WORDS, PLANTED = 12, 60, 20
PEER_SHARE = 0.02  # of the bytes, for the peer; the planted texts are among them


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=40.0)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    texts = read_texts(arguments.file) if arguments.file else made_texts(arguments.megabytes, english_words())
    questions = made_items(arguments.items)
    few = max(2 * PLANTED, int(len(texts) * PEER_SHARE))
    for number in range(PLANTED):
        at = number * few // PLANTED
        texts[at] = f"{texts[at]}\n{questions[number]}\n{texts[at]}"
    started = time.process_time()
    index = build_index(items_of(questions), NGRAM)
    index.set  # noqa: B018  built when first asked for
    built = time.process_time() - started
    column = pa.array(texts)
    ours = found_in(column, index)
    speed = max(speed_of(column, index) for _ in range(3))
    theirs, their_speed = datatrove(texts[:few], questions)
    result = {
        "texts": len(texts),
        "megabytes": round(size(column) / 1e6, 1),
        "ngrams_of_items": len(index.grams),
        "index_seconds": round(built, 2),
        "megabytes_per_second": {"ours": round(speed, 1), "datatrove": round(their_speed, 3)},
        "times_datatrove": round(speed / their_speed),
        "planted": PLANTED,
        "found": len(ours),
        "found_by_datatrove": len(theirs),
        "same": ours == theirs,
    }
    print(json.dumps(result))
    if arguments.check and not (ours == theirs == {number * few // PLANTED for number in range(PLANTED)}):
        sys.exit(1)


def made_items(count: int) -> list[str]:
    random, words = np.random.default_rng(5), english_words()
    return [" ".join(words[place] for place in random.integers(0, len(words), ITEM_WORDS)) + "?" for _ in range(count)]


def items_of(questions: list[str]) -> Items:
    rows = [
        {"benchmark": "made", "item": f"made.jsonl:{n + 1}", "field": "question", "text": text}
        for n, text in enumerate(questions)
    ]
    return Items(pa.Table.from_pylist(rows, PARTS))


def speed_of(column: pa.Array, index: Index) -> float:
    """Megabytes (10^6 bytes of UTF-8) per second of processor time."""
    started = time.process_time()
    hits(column, index)
    return size(column) / 1e6 / (time.process_time() - started)


def found_in(column: pa.Array, index: Index) -> set[int]:
    return {number for number, found in enumerate(hits(column, index)) if found}


def datatrove(texts: list[str], questions: list[str]) -> tuple[set[int], float]:
    """(numbers of the texts it drops, MB/s of its filter alone)."""
    with tempfile.TemporaryDirectory() as folder:
        asked, script = Path(folder) / "asked.json", Path(__file__).with_name("datatrove_decontamination.py")
        asked.write_text(json.dumps({"ngram": NGRAM, "texts": texts, "questions": questions}))
        answer = run_peer(peer_python(*DATATROVE), script, asked)
    return set(answer["dropped"]), size(pa.array(texts)) / 1e6 / answer["seconds"]


if __name__ == "__main__":
    main()
