"""A made-up run folder: pages with fates drawn by chance, and every file that a run leaves, consistent with each other."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from curation.document import to_batch
from curation.page import Page

# stage, rules with their odds for a page that gets there, and the value shown for a page that fails
PAGE_STAGES: dict[str, dict[str, tuple[float, str]]] = {
    "read": {"http_status": (0.03, "404"), "not_html": (0.02, "pdf"), "truncated": (0.003, "1048576")},
    "url": {"hard_word_count": (0.03, "1"), "blocklist": (0.02, "casino.example")},
    "main_text": {"empty": (0.05, "0"), "timeout": (0.004, "10.0")},
    "language": {},
    "english": {"language": (0.0, ""), "language_score": (0.08, "0.41")},
    "gopher_repetition": {"duplicate_line_fraction": (0.06, "0.37"), "top_2_gram_char_fraction": (0.05, "0.24")},
    "gopher_quality": {"word_count": (0.15, "31"), "stop_word_count": (0.03, "1"), "alpha_word_fraction": (0.02, "0.71")},
    "c4": {"too_few_sentences": (0.04, "2"), "curly_bracket": (0.02, "{")},
    "fineweb_quality": {"short_line_fraction": (0.05, "0.81"), "line_punct_fraction": (0.08, "0.07")},
}
FAILURES = {"read.truncated", "main_text.timeout"}
REMOVAL = pa.schema(
    [("doc_id", pa.int64()), ("kept_id", pa.int64()), ("stage", pa.string()), ("unit", pa.string())]
    + [("cluster_id", pa.int64()), ("cluster_size", pa.int64()), ("similarity", pa.float32())]
)
SENTENCES = (
    "The ferry leaves the north quay at seven and reaches the island shortly before nine.",
    "Bring the stock to a simmer, add the barley and leave it for forty minutes.",
    "Measurements were repeated on three days to see how far the sensor drifts.",
    "Our committee meets on the first Tuesday of every month in the old library.",
    "In spring the river carries so much silt that the harbour has to be dredged twice.",
    "She had kept every letter, sorted by year, in a biscuit tin under the stairs.",
)
MANIFEST = {
    "recipe": "name: fineweb\nversion: 1\nsource: https://arxiv.org/abs/2406.17557\nstages:\n  - url: {keep_if: rules/refinedweb_url}\n",
    "inputs": ["crawl/CC-MAIN-2024-10", "crawl/CC-MAIN-2024-18"],
    "versions": {"curation": "0.1.0", "pyspark": "4.3.0", "trafilatura": "2.0.0"},
    "started": "2025-03-04T09:12:30+00:00",
    "finished": "2025-03-04T10:01:07+00:00",
    "files": [
        {"name": f"CC-MAIN-2024-10/{i:05d}.warc.gz", "state": "complete", "records": 300, "pages": 100, "damaged": 0}
        for i in range(30)
    ]
    + [
        {"name": "CC-MAIN-2024-18/00007.warc.gz", "state": "truncated", "records": {"response": 81}, "pages": 80, "damaged": 1},
        {"name": "CC-MAIN-2024-18/00011.warc.gz", "state": "damaged", "records": 290, "pages": 96, "damaged": [1048576, 2097152]},
    ],
}
MIXTURE = {
    "budget_tokens": 1_000_000_000,
    "sources": {
        "web": {"share": 0.82, "tokens_available": 745_000_000, "tokens": 820_000_000, "epochs": 1.1007},
        "wiki": {"share": 0.18, "tokens_available": 45_000_000, "tokens": 180_000_000, "epochs": 4.0},
    },
    "notes": ["wiki: share cut from 0.2 to 0.18 by the cap of 4 epochs"],
}
COMPRESSION = {
    "en": {"chars_per_token": 4.52, "bytes_per_token": 4.55},
    "de": {"chars_per_token": 3.31, "bytes_per_token": 3.38},
    "zh": {"chars_per_token": 1.12, "bytes_per_token": 3.29},
}
TOKENS = {"tokens": {"web": {"train": 284_402, "validation": 291}}, "sha256": "8f1c7a52c4dd0b1f" * 4, "compression": COMPRESSION}


def write_fake_run(run: Path, pages: int = 3000, extra: list[Page] = (), seed: int = 7) -> dict[str, Any]:
    """Write a whole run folder and return its funnel. `extra` pages (kept or dropped) are added to those by chance."""
    draw = random.Random(seed)
    made = [_page(draw, number) for number in range(pages)] + list(extra)
    alive = [page for page in made if page.alive]
    removals = _removals(draw, alive)
    gone = {row["doc_id"] for row in removals}
    _write(run / "documents/pass-0/alive=false/unit-0.parquet", [page for page in made if not page.alive], draw)
    _write(run / "documents/pass-0/alive=true/unit-0.parquet", alive)
    _write(run / "curated/part-0.parquet", [page for page in alive if page.doc_id not in gone])
    target = run / "removals/near_duplicates/part-0.parquet"
    target.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(removals, REMOVAL), target)
    funnel = _funnel(made, gone)
    for name, content in (("funnel", funnel), ("manifest", MANIFEST), ("mixture", MIXTURE), ("tokens/summary", TOKENS)):
        path = run / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content))
    return funnel


def _page(draw: random.Random, number: int) -> Page:
    host = draw.choice(["harbour-news.example", "kitchen.example", "lab-notes.example", f"site{number % 400}.example"])
    page = Page(url=f"https://{host}/{number}", host=host, doc_id=draw.getrandbits(63) - 2**62, source="web")
    page.snapshot = draw.choice(["CC-MAIN-2024-10", "CC-MAIN-2024-18"])
    page.warc_file, page.warc_offset = f"{page.snapshot}/00000.warc.gz", number * 4096
    page.trail = [0]
    for stage, rules in PAGE_STAGES.items():
        if stage == "main_text":
            page.text = "\n".join(draw.choice(SENTENCES) for _ in range(max(1, round(draw.lognormvariate(2.6, 1.0)))))
        if stage == "language":
            page.language, page.language_score = draw.choices(["en", "de", "zh", "ru", "fr"], [60, 12, 10, 10, 8])[0], 0.9
        if stage == "english" and page.language not in ("en", "de"):
            page.drop(stage, "language", page.language)
            return page
        if stage == "c4":
            page.text = page.text[: -draw.randrange(1, 40)]
        for rule, (odds, value) in rules.items():
            if draw.random() < odds:
                page.drop(stage, rule, value, "stopped after 10 s" if rule == "timeout" else None)
                return page
        page.trail.append(len(page.text))
    return page


def _removals(draw: random.Random, alive: list[Page]) -> list[dict[str, Any]]:
    """Clusters of near-duplicates among the survivors: a few large ones, many pairs."""
    rows, start = [], 0
    for size in (31, 12, 7, 5, 4, 3, 3, *[2] * 40):
        members = alive[start : start + size]
        start += size
        if len(members) < size:
            break
        kept, *copies = sorted(members, key=lambda page: page.doc_id)
        for page in copies:
            similarity = 1.0 if draw.random() < 0.3 else round(draw.betavariate(9, 1.6) * 0.3 + 0.7, 3)
            ids = {"doc_id": page.doc_id, "kept_id": kept.doc_id, "cluster_id": kept.doc_id}
            rows.append({**ids, "stage": "near_duplicates", "unit": "unit-0", "cluster_size": size, "similarity": similarity})
    return rows


def _write(path: Path, pages: list[Page], draw: random.Random | None = None) -> None:
    """With `draw`, texts are stored of every third page only, as in an audit sample."""
    path.parent.mkdir(parents=True, exist_ok=True)
    keep_text = [draw is None or draw.random() < 0.34 or page.host == "evil.example" for page in pages]
    pq.write_table(pa.Table.from_batches([to_batch(pages, keep_text)]), path, row_group_size=500)


def _funnel(made: list[Page], gone: set[int]) -> dict[str, Any]:
    stages, entering = [], made
    for name in PAGE_STAGES:
        number = len(stages)
        lost = [page for page in entering if page.dropped_by and page.dropped_by.startswith(f"{name}.")]
        staying = [page for page in entering if page not in lost]
        before = {id(page): page.trail[number] if len(page.trail) > number else len(page.text) for page in entering}
        after = {id(page): page.trail[number + 1] if len(page.trail) > number + 1 else len(page.text) for page in staying}
        stages.append(_stage(name, "read" if name == "read" else "page", lost, staying, before, after))
        entering = staying
    lost = [page for page in entering if page.doc_id in gone]
    sizes = {id(page): len(page.text) for page in entering}
    staying = [page for page in entering if page.doc_id not in gone]
    for page in lost:
        page.dropped_by = "near_duplicates.duplicate"
    stages.append(_stage("near_duplicates", "corpus", lost, staying, sizes, {id(p): sizes[id(p)] for p in staying}))
    by_snapshot = {name: _decided(made, gone, name) for name in ("CC-MAIN-2024-10", "CC-MAIN-2024-18")}
    head = {"recipe": "fineweb", "version": 1, "recipe_hash": "3c9e51d07ab2"}
    return {**head, "stages": stages, "balanced": True, "tokens_estimated": True, "by_snapshot": by_snapshot}


def _decided(made: list[Page], gone: set[int], snapshot: str) -> list[dict[str, Any]]:
    """The whole run of one snapshot as a single stage."""
    pages = [page for page in made if page.snapshot == snapshot]
    kept = [page for page in pages if page.alive and page.doc_id not in gone]
    lost = [page for page in pages if not page.alive or page.doc_id in gone]
    zero = dict.fromkeys(map(id, pages), 0)
    return [_stage("all", "page", lost, kept, zero, zero)]


def _stage(name: str, kind: str, lost: list[Page], staying: list[Page], before: dict, after: dict) -> dict[str, Any]:
    pages, chars = Counter(), Counter()
    for page in lost:
        pages[page.dropped_by] += 1
        chars[page.dropped_by] += before[id(page)]
    failed = sum(count for reason, count in pages.items() if reason in FAILURES)
    chars_in, chars_out, chars_dropped = sum(before.values()), sum(after.values()), sum(chars.values())
    return {
        "stage": name, "kind": kind, "pages_in": len(lost) + len(staying), "kept": len(staying),
        "dropped": len(lost) - failed, "failed": failed, "chars_in": chars_in, "chars_out": chars_out,
        "chars_dropped": chars_dropped, "chars_trimmed": chars_in - chars_out - chars_dropped,
        "tokens_out": round(chars_out / 4.52), "seconds": 12.5,
        "reasons": [{"reason": reason, "pages": n, "chars": chars[reason]} for reason, n in sorted(pages.items())],
    }  # fmt: skip
