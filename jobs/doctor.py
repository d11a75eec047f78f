"""spark-submit twin of `curate doctor --cluster`: looks at every executor of the cluster.

spark-submit --master spark://... --archives dist/environment.tar.gz#environment jobs/doctor.py --out /shared/runs
"""

import sys

from curation.cli import app

if __name__ == "__main__":
    app(["doctor", "--cluster", *sys.argv[1:]])
