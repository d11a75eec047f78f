"""Run by dedup_scale.py inside datatrove's environment: its four MinHash stages over a folder of Parquet files.

Settings are its defaults (word 5-grams, 14 buckets of 8 hashes). The output is the input minus removals, as ours is.
"""

from __future__ import annotations

import json
import sys
import time

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import (
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
    MinhashDedupSignature,
)
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import ParquetReader
from datatrove.pipeline.writers import ParquetWriter


def main() -> None:
    texts, work, workers, tasks = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    config = MinhashConfig()
    stages = [
        ("signatures", tasks, [ParquetReader(texts), MinhashDedupSignature(f"{work}/signatures", config=config)]),
        (
            "buckets",
            config.num_buckets,
            [MinhashDedupBuckets(f"{work}/signatures", f"{work}/buckets", config=config)],
        ),
        ("clusters", 1, [MinhashDedupCluster(f"{work}/buckets", f"{work}/remove", config=config)]),
        (
            "filter",
            tasks,
            [ParquetReader(texts), MinhashDedupFilter(f"{work}/remove"), ParquetWriter(f"{work}/output")],
        ),
    ]
    seconds = {}
    for name, count, pipeline in stages:
        start = time.perf_counter()
        LocalPipelineExecutor(pipeline, tasks=count, workers=workers, logging_dir=f"{work}/logs/{name}").run()
        seconds[name] = round(time.perf_counter() - start, 1)
    print(json.dumps({"seconds": seconds, "total": round(sum(seconds.values()), 1)}))


if __name__ == "__main__":
    main()
