"""datatrove's side of `decontamination.py`, run by the Python of its own environment: asked.json in, JSON printed.

Its indexer asks for lighteval (and a download of tasks); the hashes are made by the same functions as there.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import xxhash
from datatrove.data import Document
from datatrove.pipeline.decont.n_grams import NGramsDecontConfig, NGramsDecontFilter
from datatrove.utils.text import ngrams, simplify_text


def main(asked: str) -> None:
    given = json.loads(Path(asked).read_text())
    with tempfile.TemporaryDirectory() as folder:
        config = NGramsDecontConfig(n_grams=given["ngram"])
        search = NGramsDecontFilter(folder, config)
        search.hash_func = lambda gram: xxhash.xxh64_intdigest(gram.encode())  # newer xxhash refuses their str
        hashes = set()
        for text in given["questions"]:
            words = search.tokenizer.word_tokenize(simplify_text(text, config.norm_config))
            hashes.update(search.hash_func(" ".join(gram)) for gram in ngrams(words, config.n_grams))
        np.array(list(hashes), dtype=config.hash_config.np_descr).tofile(Path(folder) / "made.index.hashes")
        search.load_index_hashes()
        documents = [Document(text=text, id=str(number)) for number, text in enumerate(given["texts"])]
        started = time.process_time()
        verdicts = [search.filter(document) for document in documents]
        seconds = time.process_time() - started
    dropped = [number for number, verdict in enumerate(verdicts) if verdict is not True]
    print(json.dumps({"dropped": dropped, "seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
