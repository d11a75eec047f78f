"""spark-submit twin of `curate run`: the same options; master and resources come from spark-submit.

spark-submit --master local[2] jobs/run.py fineweb --input crawl --snapshot CC-MAIN-2024-10 --out runs/fineweb
"""

import curation.cli as cli

if __name__ == "__main__":
    cli.SUBMITTED = True
    cli.app(["run", *__import__("sys").argv[1:]])
