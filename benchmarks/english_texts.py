"""Real English texts as the rules meet them: WARC files, then trafilatura, then the language model; each text once.

Extracting takes minutes, so the texts are kept in the cache folder, one file per input and version of trafilatura.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from trafilatura import __version__ as trafilatura_version

from curation.conf import cache_folder
from curation.extract.engines import trafilatura
from curation.read.inputs import InputFile, list_inputs
from curation.read.pages import read_pages
from curation.read.report import SplitReport
from curation.read.splits import plan_splits
from curation.score.language import fasttext
from curation.stage import annotate, extract, run_stages

DEFAULT_INPUT = os.environ.get("CURATION_REAL_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "data"))
ENGLISH = 0.65  # least probability of the label, as in FineWeb


def english_texts(where: str = DEFAULT_INPUT) -> list[str]:
    """Distinct texts of the English pages at `where`, in file order.

    `where` is what `curate run --input` takes, or a folder that holds `snapshots/`.
    """
    files = crawl_files(where)
    known = cache_folder() / "benchmarks" / f"english-{_key(files)}.json"
    if not known.is_file():
        known.parent.mkdir(parents=True, exist_ok=True)
        fresh = known.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(_extract(files)), encoding="ascii")
        fresh.replace(known)
    return json.loads(known.read_text(encoding="ascii"))


def crawl_files(where: str = DEFAULT_INPUT) -> list[InputFile]:
    crawl = Path(where) / "snapshots"
    return list_inputs(str(crawl if crawl.is_dir() else where))


def _key(files: list[InputFile]) -> str:
    seen = [trafilatura_version, *(f"{file.snapshot} {file.name} {file.size}" for file in files)]
    return hashlib.sha256("\n".join(seen).encode()).hexdigest()[:12]


def _extract(files: list[InputFile]) -> list[str]:
    stages = [extract("main_text", trafilatura), annotate("language", fasttext, ["language", "language_score"])]
    texts: dict[str, None] = {}
    for split in plan_splits(files, 1 << 30):
        for page in read_pages(split, SplitReport(split)):
            run_stages(stages, [page])
            if page.alive and page.language == "en" and page.language_score >= ENGLISH:
                texts.setdefault(page.text)
    return list(texts)
