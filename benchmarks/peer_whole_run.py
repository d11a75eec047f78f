"""Run by whole_run.py inside datatrove's environment: WARC files to filtered, deduplicated text without addresses.

    python peer_whole_run.py WARC_FOLDER WORK_FOLDER WORKERS LANGUAGE_MODEL

FineWeb's route with datatrove's own blocks and their defaults: one task a file for reading, extraction and filters,
then the four MinHash stages. Dropped pages are only counted, not written. The language model is the file that the other
side uses too, instead of a download.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import (
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
    MinhashDedupSignature,
)
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.extractors import Trafilatura
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
    LanguageFilter,
    URLFilter,
)
from datatrove.pipeline.formatters import PIIFormatter
from datatrove.pipeline.readers import JsonlReader, WarcReader
from datatrove.pipeline.writers import JsonlWriter


def main(warcs: str, work: str, workers: str, model: str) -> None:
    files = len(list(Path(warcs).glob("*.warc.gz")))
    language = LanguageFilter("en")
    language.model.MODEL_URL = model  # of the instance, which travels to the worker processes
    config = MinhashConfig()
    filtered, signatures, buckets, remove = (
        f"{work}/{name}" for name in ("filtered", "signatures", "buckets", "remove")
    )
    read = [
        WarcReader(warcs, glob_pattern="*.warc.gz"),
        URLFilter(),
        Trafilatura(favour_precision=True),
        language,
        GopherRepetitionFilter(),
        GopherQualityFilter(),
        C4QualityFilter(filter_no_terminal_punct=False),
        FineWebQualityFilter(),
        JsonlWriter(filtered),
    ]
    without_copies = [
        JsonlReader(filtered),
        MinhashDedupFilter(remove),
        PIIFormatter(),
        JsonlWriter(f"{work}/output"),
    ]
    stages = [
        ("filters", files, read),
        ("signatures", files, [JsonlReader(filtered), MinhashDedupSignature(signatures, config=config)]),
        ("buckets", config.num_buckets, [MinhashDedupBuckets(signatures, buckets, config=config)]),
        ("clusters", 1, [MinhashDedupCluster(buckets, remove, config=config)]),
        ("output", files, without_copies),
    ]
    seconds = {}
    for name, tasks, pipeline in stages:
        started = time.perf_counter()
        logs = f"{work}/logs/{name}"
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=int(workers), logging_dir=logs).run()
        seconds[name] = round(time.perf_counter() - started, 1)
    print(json.dumps({"seconds": seconds, "stats": stats(Path(work))}))


def stats(work: Path) -> dict[str, dict[str, int]]:
    """Of each block, the documents it let pass and what it dropped, by its own counters."""
    found = {}
    for name in ("filters", "output"):
        for block in json.loads((work / "logs" / name / "stats.json").read_text()):
            counters = block["stats"]
            found[block["name"].strip()] = {
                key: value["total"] if isinstance(value, dict) else value
                for key, value in counters.items()
                if key in ("total", "forwarded", "dropped", "documents")
            }
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
