"""spark-submit twin of `curate verify-clean`: the same options; master and resources come from spark-submit.

spark-submit --master "local[2]" jobs/verify_clean.py runs/fineweb
"""

import sys

from curation.cli import app

if __name__ == "__main__":
    app(["verify-clean", *sys.argv[1:]])
