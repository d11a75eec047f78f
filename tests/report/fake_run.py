"""A made-up run folder: pages with fates drawn by chance, and every file that a run leaves, in agreement."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from curation.document import to_batch
from curation.mixture import MixtureSettings, solve
from curation.page import Page
from curation.run.funnel import Group, build_funnel

# stage, rules with their odds for a page that gets there, and the value shown for a page that fails
PAGE_STAGES: dict[str, dict[str, tuple[float, str]]] = {
    "read": {"http_status": (0.03, "404"), "not_html": (0.02, "pdf"), "truncated": (0.003, "1048576")},
    "url": {"hard_word_count": (0.03, "1"), "blocklist": (0.02, "casino.example")},
    "main_text": {"empty": (0.05, "0"), "timeout": (0.004, "10.0")},
    "language": {},
    "english": {"language": (0.0, ""), "language_score": (0.08, "0.41")},
    "gopher_repetition": {"duplicate_line_fraction": (0.06, "0.37"), "top_2_gram_char_fraction": (0.05, "0.24")},
    "gopher_quality": {
        "word_count": (0.15, "31"),
        "stop_word_count": (0.03, "1"),
        "alpha_word_fraction": (0.02, "0.71"),
    },
    "c4": {"too_few_sentences": (0.04, "2"), "curly_bracket": (0.02, "{")},
    "fineweb_quality": {"short_line_fraction": (0.05, "0.81"), "line_punct_fraction": (0.08, "0.07")},
}
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
    "recipe": "fineweb",
    "resolved": {
        "name": "fineweb",
        "version": 1,
        "stages": [{"url": {"keep_if": ["url.hard_word_count", {"max": 0}]}}],
    },
    "inputs": [
        {"source": "web", "snapshot": f"CC-MAIN-2024-{week}", "kind": "warc", "size": 1_130_000_000, "name": f"{i:05d}"}
        for i in range(16)
        for week in (10, 18)
    ],
    "status": "finished",
    "versions": {"curation": "0.1.0", "pyspark": "4.3.0", "trafilatura": "2.0.0"},
    "started": "2025-03-04T09:12:30+00:00",
    "finished": "2025-03-04T10:01:07+00:00",
    "seconds": {"pass 0": 2311.4, "decisions 0": 402.0, "tokens": 203.6},
    "models": {"language.model": "8f3472cfe8738a7b" * 4},
    "files": [
        {"name": f"CC-MAIN-2024-10/{i:05d}.warc.gz", "state": "complete", "records": 300, "pages": 100, "damaged": 0}
        for i in range(30)
    ]
    + [
        {
            "name": "CC-MAIN-2024-18/00007.warc.gz",
            "state": "truncated",
            "records": {"response": 81},
            "pages": 80,
            "damaged": 1,
        },
        {
            "name": "CC-MAIN-2024-18/00011.warc.gz",
            "state": "damaged",
            "records": 290,
            "pages": 96,
            "damaged": [1048576, 2097152],
        },
    ],
}
MIXTURE = solve(
    {"web": 745_000_000, "code": 300_000_000, "wiki": 30_000_000, "stories": 80_000_000},
    MixtureSettings.model_validate(
        {
            "max_epochs": 4,
            "limits": {"stories": {"synthetic": True, "max_share": 0.1}},
            "phases": [
                {
                    "name": "main",
                    "budget_tokens": 900_000_000,
                    "sequence_length": 4096,
                    "sources": {"web": 0.7, "code": 0.2, "wiki": 0.1},
                },
                {
                    "name": "annealing",
                    "budget_tokens": 100_000_000,
                    "sequence_length": 8192,
                    "sources": {"web": 0.2, "wiki": 0.6, "stories": 0.2},
                },
            ],
        }
    ),
)
COMPRESSION = {
    "en": {"chars_per_token": 4.52, "bytes_per_token": 4.55},
    "de": {"chars_per_token": 3.31, "bytes_per_token": 3.38},
    "zh": {"chars_per_token": 1.12, "bytes_per_token": 3.29},
}
TOKENS = {
    "tokens": {"web": {"train": 284_402, "validation": 291}},
    "documents": {"web": {"train": 681, "validation": 5}},
    "rows": {"web": {"train": 71, "validation": 1}},
    "shards": {"web": {"train": 2, "validation": 1}},
    "cut": {"web": {"train": 34, "validation": 0}},
    "cut_fitting": {"web": {"train": 3, "validation": 0}},
    "padding_share": {"web": {"train": 0.022061, "validation": 0.928955}},
    "truncation_share": {"web": {"train": 0.049927, "validation": 0.0}},
    "packing": "best_fit",
    "sequence_length": 4096,
    "vocab_size": 32_000,
    "sha256": "8f1c7a52c4dd0b1f" * 4,
    "compression": COMPRESSION,
    "compression_by_source": {"web": {"chars_per_token": 4.11, "bytes_per_token": 4.27}},
}


def _judged(by: float) -> dict[str, Any]:
    """Compression of one tokenizer on held-out text, better by this factor than the smallest."""
    sizes = {"en": (5000, 5020, 1300), "de": (2100, 2150, 700), "zh": (900, 2640, 800)}
    facts = {
        name: {
            "chars_per_token": chars / tokens * by,
            "bytes_per_token": size / tokens * by,
            "bytes": size,
            "tokens": 1,
        }
        for name, (chars, size, tokens) in sizes.items()
    }
    whole = {"chars_per_token": 2.857 * by, "bytes_per_token": 3.504 * by, "bytes": 9810, "tokens": round(2800 / by)}
    return {"all": whole, "language": facts, "source": {"web": whole}}


TOKENIZER = {
    "sha256": TOKENS["sha256"],
    "vocab_size": 32_000,
    "sample": {"web": {"bytes_held": 1_300_000, "bytes_drawn": 1_200_000, "times": 1.0, "share_asked": 1, "share": 1}},
    "training": {
        "pretokens": 6840,
        "occurrences": 87_726,
        "kept": 6800,
        "kept_occurrences": 87_000,
        "rarest_kept": 1,
        "largest_vocabulary": None,
    },
    "notes": ["sample not weighted: no tokens of wiki"],
    "judged_on": {"documents": 14, "bytes": 9810, "held_out": True, "sources": ["web"]},
    "compression": {
        "this": {"vocab_size": 32_000, **_judged(1.2)},
        "16,000": {"vocab_size": 16_000, **_judged(1.0)},
        "llama/tokenizer.json": {"vocab_size": 128_000, **_judged(1.4)},
    },
}


def write_fake_run(run: Path, pages: int = 3000, extra: Sequence[Page] = (), seed: int = 7) -> dict[str, Any]:
    """Write a whole run folder and return its funnel. `extra` pages (kept or dropped) are added to those by chance."""
    draw = random.Random(seed)
    made = [_page(draw, number) for number in range(pages)] + list(extra)
    _write(run / "documents/pass-0/alive=false/unit-0.parquet", [page for page in made if not page.alive])
    alive = [page for page in made if page.alive]
    _write(run / "documents/pass-0/alive=true/unit-0.parquet", alive)
    removals = _removals(draw, alive)
    kept_ids = {row["doc_id"]: row["kept_id"] for row in removals}
    for page in alive:
        if page.doc_id in kept_ids:
            page.drop("near_duplicates", "duplicate", f"of {kept_ids[page.doc_id]}")
        else:
            page.trail.append(len(page.text))
            if page.doc_id % 5 == 0:
                page.pii = {"email": 1 + page.doc_id % 3, "phone": 1} if page.doc_id % 2 else {"email": 2}
    _write(run / "documents/pass-1/alive=false/unit-0.parquet", [page for page in alive if not page.alive])
    _write(run / "curated/unit-0.parquet", [page for page in alive if page.alive])
    target = run / "removals/near_duplicates/part-0.parquet"
    target.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(removals, REMOVAL), target)
    funnel = _funnel(made)
    for name, content in (
        ("funnel", funnel),
        ("manifest", MANIFEST),
        ("mixture", MIXTURE),
        ("tokens/summary", TOKENS),
        ("tokens/tokenizer_report", TOKENIZER),
    ):
        path = run / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content))
    return funnel


def _page(draw: random.Random, number: int) -> Page:
    host = draw.choice(["harbour-news.example", "kitchen.example", "lab-notes.example", f"site{number % 400}.example"])
    page = Page(url=f"https://{host}/{number}", host=host, doc_id=draw.getrandbits(63) - 2**62, source="web")
    page.snapshot = draw.choice(["CC-MAIN-2024-10", "CC-MAIN-2024-18"])
    page.warc_file, page.warc_offset = f"{page.snapshot}/00000.warc.gz", number * 4096
    html_chars = round(draw.lognormvariate(10.5, 0.6))
    for stage, rules in PAGE_STAGES.items():
        if stage == "main_text":
            page.text = "\n".join(draw.choice(SENTENCES) for _ in range(max(1, round(draw.lognormvariate(2.6, 1.0)))))
        if stage == "language":
            page.language, page.language_score = (
                draw.choices(["en", "de", "zh", "ru", "fr"], [60, 12, 10, 10, 8])[0],
                0.9,
            )
        if stage == "english" and page.language not in ("en", "de"):
            page.drop(stage, "language", page.language)
            return page
        if stage == "c4":
            page.text = page.text[: -draw.randrange(1, 40)]
        for rule, (odds, value) in rules.items():
            if draw.random() < odds:
                page.drop(stage, rule, value, "stopped after 10 s" if rule == "timeout" else None)
                return page
        page.trail.append(len(page.text) or html_chars)
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
            where = {"stage": "near_duplicates", "unit": "unit-0"}
            rows.append({**ids, **where, "cluster_size": size, "similarity": similarity})
    return rows


def _write(path: Path, pages: list[Page]) -> None:
    """Of dropped pages every third text is stored, as in an audit sample."""
    path.parent.mkdir(parents=True, exist_ok=True)
    keep_text = [page.alive or page.doc_id % 3 == 0 for page in pages]
    pq.write_table(pa.Table.from_batches([to_batch(pages, keep_text)]), path, row_group_size=500)


def _funnel(made: list[Page]) -> dict[str, Any]:
    """The funnel as a run makes it, from groups of pages with one fate."""
    stages = [(name, "page") for name in PAGE_STAGES if name != "read"] + [("near_duplicates", "corpus")]
    groups = []
    for page in made:
        sums = tuple(page.trail) + (0,) * (len(stages) + 1 - len(page.trail))
        groups.append(Group(page.snapshot, page.dropped_by, len(page.trail), 1, len(page.text), sums))
    entries = build_funnel(groups, stages)
    for entry in entries:
        entry["tokens_out"] = None if entry["stage"] in ("read", "url") else round(entry["chars_out"] / 4.52)
    by_snapshot = {}
    for name in sorted({page.snapshot for page in made}):
        kept = [page for page in made if page.snapshot == name and page.alive]
        read = sum(page.snapshot == name for page in made)
        by_snapshot[name] = {"pages_in": read, "kept": len(kept), "chars_out": sum(len(page.text) for page in kept)}
    head = {"recipe": "fineweb", "version": 1, "recipe_hash": "3c9e51d07ab2", "balanced": True, "repeated_ids": 0}
    return {**head, "stages": entries, "by_snapshot": by_snapshot, "tokens": None, "tokens_estimated": True}
