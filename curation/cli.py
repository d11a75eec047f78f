"""`curate`: the command line. A command lives in the module of its name in `curation.commands`."""

from __future__ import annotations

from curation.commands.app import app

# Importing a module registers its command; the order here is that of `curate --help`.
from curation.commands import snapshot, run, dedup, sweep, rehydrate, check, explain, what_if  # noqa: E402, F401, I001  isort: skip
from curation.commands import report, trace, forget, verify_clean, mix_solve, mix_propose, mix_fit, plan  # noqa: E402, F401, I001  isort: skip
from curation.commands import rate_sample, train_quality, train_tokenizer, doctor, demo  # noqa: E402, F401, I001  isort: skip

if __name__ == "__main__":
    app()
