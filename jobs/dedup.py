"""spark-submit twin of `curate dedup`: the same options; master and resources come from spark-submit.

spark-submit --master "local[2]" jobs/dedup.py texts.parquet --out deduplicated
"""

import sys

from curation.cli import app

if __name__ == "__main__":
    app(["dedup", *sys.argv[1:]])
