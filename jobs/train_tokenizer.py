"""spark-submit twin of `curate train-tokenizer`: the same options; master and resources come from spark-submit.

spark-submit --master "local[2]" jobs/train_tokenizer.py runs/fineweb --out tokenizers/mine
"""

import sys

from curation.cli import app

if __name__ == "__main__":
    app(["train-tokenizer", *sys.argv[1:]])
