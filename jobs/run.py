"""spark-submit twin of `curate run`: the same options; master and resources come from spark-submit.

spark-submit --master "local[2]" jobs/run.py fineweb --input crawl --snapshot CC-MAIN-2024-10 --out runs/fineweb
"""

import sys

from curation.cli import app

if __name__ == "__main__":
    app(["run", *sys.argv[1:]])
